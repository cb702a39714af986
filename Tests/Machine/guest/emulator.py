"""BlueZ's emulator: controllers on one simulated air, some of them plugged into the kernel.

hci0 is the gate's, made by the emulator itself. A phone's is one connection to the emulator's socket: Bumble takes it as it is; for BlueZ it is
plugged into the kernel by `Bridge`, which takes the extended scanning away: the emulator shows legacy advertising to legacy scanners only, and
the kernel would not scan like that by itself.
"""
import asyncio
import os
import subprocess
import time
from pathlib import Path

from vhci import packets, plug_in

TOOLS = "/tools"
SOCKET = TOOLS + "/tmp/bt-server-bredrle"
READ_SUPPORTED_COMMANDS, READ_LE_FEATURES = 0x1002, 0x2003


def in_tools(*command: str, log: str) -> subprocess.Popen:
    """A program of the tools folder. Its words go to a file: bluetoothd has many."""
    with open(log, "wb") as out:
        return subprocess.Popen(["chroot", TOOLS, *command], stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT)


def until(condition, what: str, patience: float = 20) -> None:
    end = time.monotonic() + patience
    while not condition():
        if time.monotonic() > end:
            raise TimeoutError(what)
        time.sleep(0.05)


class EmulatedAir:
    """Takes the place of `Air` for a gate on hci0."""

    path = "hci:0"

    def __init__(self, controllers: int = 1) -> None:
        self.controllers = controllers

    async def __aenter__(self):
        self.process = in_tools("/usr/bin/btvirt", "-s", f"-l{self.controllers}", log="/run/btvirt.log")
        until(lambda: Path(f"/sys/class/bluetooth/hci{self.controllers - 1}").exists() and Path(SOCKET).exists(), "btvirt")
        return self

    async def __aexit__(self, *_):
        self.process.kill()
        self.process.wait()


def without_extended_scanning(packet: bytes) -> bytes:
    """An answer of the controller, with what is about extended advertising and scanning unset (Core Vol 4 Part E 6.27, Vol 6 Part B 4.6)."""
    if packet[:2] != b"\x04\x0e" or len(packet) < 8 or packet[6] != 0:
        return packet
    opcode, octets = int.from_bytes(packet[4:6], "little"), bytearray(packet)
    if opcode == READ_SUPPORTED_COMMANDS:
        octets[7 + 36] &= 0x01
        octets[7 + 37] &= 0x00
    elif opcode == READ_LE_FEATURES:
        octets[7 + 1] &= ~0x10
    return bytes(octets)


class Bridge:
    """A controller of the emulator's, plugged into the kernel as a legacy one."""

    async def plug(self) -> "Bridge":
        self.reader, self.writer = await asyncio.open_unix_connection(SOCKET)
        self.descriptor, self.index = plug_in()
        asyncio.get_running_loop().add_reader(self.descriptor, self.from_kernel)
        self.task = asyncio.ensure_future(self.from_emulator())
        return self

    def from_kernel(self) -> None:
        try:
            while packet := os.read(self.descriptor, 4096):
                self.writer.write(packet)
        except BlockingIOError:
            pass

    async def from_emulator(self) -> None:
        stream = bytearray()
        while octets := await self.reader.read(65536):
            stream += octets
            for packet in packets(stream):
                os.write(self.descriptor, without_extended_scanning(packet))

    def unplug(self) -> None:
        asyncio.get_running_loop().remove_reader(self.descriptor)
        self.task.cancel()
        self.writer.close()
        os.close(self.descriptor)
