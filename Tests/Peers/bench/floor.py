"""The least a gate can do: a raw H4 peripheral that throws every write away and answers the report request at once.

No decoding, no CRC, no key, no host. The time a transfer takes against it is the time of the air and the phone.

    floor.py unix:/run/air.sock
"""
import os
import socket
import struct
import sys

KEY = os.urandom(32)
REQUEST_HANDLE, REPORT_HANDLE = 9, 10
PUSH = struct.pack("<HHBH", 6, 4, 0x1B, REPORT_HANDLE) + b"\x01\x00\x00"


def main(path: str) -> None:
    link = socket.socket(socket.AF_UNIX)
    link.connect(path)
    held = bytearray()

    def packet() -> bytes:
        while True:
            if held:
                head, at, wide = (3, 2, "<B") if held[0] == 4 else (5, 3, "<H")
                if len(held) >= head and len(held) >= head + (length := struct.unpack_from(wide, held, at)[0]):
                    taken = bytes(held[: head + length])
                    del held[: head + length]
                    return taken
            received = link.recv(65536)
            if not received:
                sys.exit(0)
            held.extend(received)

    def command(opcode: int, parameters: bytes = b"") -> None:
        link.sendall(struct.pack("<BHB", 1, opcode, len(parameters)) + parameters)
        while (p := packet())[:2] != b"\x04\x0e" or struct.unpack_from("<H", p, 4)[0] != opcode:
            pass

    def data(structure: bytes) -> bytes:
        return bytes([len(structure)]) + structure.ljust(31, b"\0")

    address = bytearray(os.urandom(6))
    address[5] |= 0xC0
    command(0x0C03)
    command(0x2005, bytes(address))
    command(0x2006, struct.pack("<HHBBB6sBB", 0x00A0, 0x00A0, 0, 1, 0, bytes(6), 7, 0))
    command(0x2008, data(b"\x02\x01\x06\x03\x03\x01\x00\x0e\x16\x01\x00FLOOR_" + KEY[:5]))
    command(0x2009, data(b"\x1e\x16\x02\x00" + KEY[5:]))
    command(0x200A, b"\x01")
    print(f"uri OPENID4VP://connect?name=FLOOR&key={KEY.hex()}", flush=True)

    while True:
        p = packet()
        if p[0] == 2 and p[2] & 0x30 == 0x20 and len(p) >= 12:
            handle = struct.unpack_from("<H", p, 1)[0] & 0x0FFF
            if p[9] == 0x12:
                link.sendall(struct.pack("<BHHHHB", 2, handle, 5, 1, 4, 0x13))
            if p[9] in (0x12, 0x52) and struct.unpack_from("<H", p, 10)[0] == REQUEST_HANDLE:
                link.sendall(struct.pack("<BHH", 2, handle, len(PUSH)) + PUSH)
        elif p[:2] == b"\x04\x05":
            command(0x200A, b"\x01")


if __name__ == "__main__":
    main(sys.argv[1].removeprefix("unix:"))
