"""A time server on a cable of its own to the emulated board, without any port of this machine: it answers ARP and NTP (RFC 5905, mode 4) in the board's own
frames. It says what time it is, and lies as it is told."""
import os
import socket
import struct
import threading
import time
from pathlib import Path

SERVER, BOARD = "10.0.3.2", "10.0.3.15/24"
HARDWARE, BOARD_HARDWARE = bytes.fromhex("525400000302"), "52:54:00:00:03:0f"
# From 1900, as NTP counts, to 1970.
BEFORE_UNIX = 2_208_988_800
PORT = 123


def timestamp(seconds: float) -> bytes:
    """NTP's, of its era: the seconds begin anew in 2036."""
    whole = int(seconds // 1)
    return struct.pack(">II", (whole + BEFORE_UNIX) % (1 << 32), int((seconds - whole) * (1 << 32)))


def checksum(header: bytes) -> int:
    total = sum(struct.unpack(f">{len(header) // 2}H", header))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


class TimeServer:
    """`with TimeServer(folder) as server:`; `arguments` are QEMU's. `ahead`: by how many seconds what it says is ahead of the time."""

    def __init__(self, folder: Path) -> None:
        self.ahead, self.asked = 0.0, 0
        self.here, self.there = folder / "time.here", folder / "time.there"
        self.arguments = ["-netdev", f"dgram,id=time,local.type=unix,local.path={self.there},remote.type=unix,remote.path={self.here}",
                          "-device", f"virtio-net-pci,netdev=time,romfile=,mac={BOARD_HARDWARE}"]

    def __enter__(self) -> "TimeServer":
        for path in (self.here, self.there):
            path.unlink(missing_ok=True)
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(str(self.here))
        self.ended = False
        self.thread = threading.Thread(target=self.serve, daemon=True)
        self.thread.start()
        return self

    def __exit__(self, *_) -> None:
        self.ended = True
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as last:
            last.sendto(b"", str(self.here))
        self.thread.join()
        self.socket.close()
        os.unlink(self.here)

    def serve(self) -> None:
        while not self.ended:
            frame = self.socket.recv(65536)
            answer = self.arp(frame) or self.ntp(frame)
            if answer:
                try:
                    self.socket.sendto(frame[6:12] + HARDWARE + frame[12:14] + answer, str(self.there))
                except OSError:
                    pass  # the board is off

    def arp(self, frame: bytes) -> bytes | None:
        mine = socket.inet_aton(SERVER)
        # Ethernet and IPv4, a question, for this address.
        if len(frame) < 42 or frame[12:22] != bytes.fromhex("08060001080006040001") or frame[38:42] != mine:
            return None
        return bytes.fromhex("0001080006040002") + HARDWARE + mine + frame[22:32]

    def ntp(self, frame: bytes) -> bytes | None:
        if len(frame) < 14 + 28 + 48 or frame[12:15] != bytes.fromhex("080045") or frame[23] != socket.IPPROTO_UDP:
            return None
        source, port, wanted = frame[26:30], *struct.unpack(">HH", frame[34:38])
        query = frame[42:90]
        if frame[30:34] != socket.inet_aton(SERVER) or wanted != PORT or query[0] & 7 != 3:
            return None
        self.asked += 1
        now = timestamp(time.time() + self.ahead)
        # Version 4, server; stratum 1, precise to a millionth.
        said = struct.pack(">BBbb", 0x24, 1, query[2], -20) + bytes(4) + bytes(2) + b"\0\1" + b"TEST" + now + query[40:48] + now + now
        datagram = struct.pack(">HHHH", PORT, port, 8 + len(said), 0) + said
        header = struct.pack(">BBHHHBBH", 0x45, 0, 20 + len(datagram), 0, 0x4000, 64, socket.IPPROTO_UDP, 0) + socket.inet_aton(SERVER) + source
        return header[:10] + struct.pack(">H", checksum(header)) + header[12:] + datagram
