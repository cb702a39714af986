"""From unplug to ready: a controller that goes away and comes back, until the gate is on the air again with a new code.

The floor is what the kernel and the controller take: the time until a bare program has the user channel of a controller just plugged in, and as
many commands answered as the gate needs until it advertises.
"""
import asyncio
import ctypes
import errno
import os
import socket
import statistics
import struct
import tempfile
import time
from pathlib import Path

import conftest  # noqa: F401: the path to the phone and the gate
import issuer
from gate import Gate
from kernel_air import KernelAir

ROUNDS = 10
COMMANDS = 20  # from HCI Reset to LE Set Advertising Enable
LIBC = ctypes.CDLL(None, use_errno=True)


async def user_channel(index: int) -> None:
    """Binds the user channel as soon as the kernel lets anybody, and has commands answered."""
    while True:
        link = socket.socket(socket.AF_BLUETOOTH, socket.SOCK_RAW | socket.SOCK_NONBLOCK, socket.BTPROTO_HCI)
        address = struct.pack("<HHH", socket.AF_BLUETOOTH, index, 1)
        if LIBC.bind(link.fileno(), address, len(address)) == 0:
            break
        link.close()
        if ctypes.get_errno() not in (errno.EBUSY, errno.ENODEV):
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
        await asyncio.sleep(0.005)
    loop = asyncio.get_running_loop()
    for command in ("01030c00", *["01011000"] * (COMMANDS - 1)):
        await loop.sock_sendall(link, bytes.fromhex(command))
        while (await loop.sock_recv(link, 1029))[:2] != b"\x04\x0e":
            pass
    link.close()


async def floor() -> list[float]:
    taken = []
    async with KernelAir() as air:
        for _ in range(ROUNDS + 1):
            air.unplug()
            started = time.monotonic()
            await air.plug()
            await user_channel(int(air.path[4:]))
            taken.append(time.monotonic() - started)
    return taken[1:]


async def gate() -> tuple[list[float], list[float]]:
    fault, ready = [], []
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        trust = issuer.write_trust(folder / "trust", issuer.Issuer())
        async with KernelAir() as air, Gate(air.path, trust, folder / "data") as running:
            await running.uri(20)
            for _ in range(ROUNDS + 1):
                await asyncio.sleep(1.5)  # a link that has just been opened is tried again with a pause
                unplugged = time.monotonic()
                air.unplug()
                fault.append(await running.light("fault", unplugged, 20) - unplugged)
                plugged = time.monotonic()
                await air.plug()
                ready.append(await running.light("ready", plugged, 30) - plugged)
            await running.stop()
    return fault[1:], ready[1:]


async def main() -> None:
    bare = await floor()
    fault, ready = await gate()
    print(f"a controller unplugged and plugged in again, median of {ROUNDS}, in an emulated machine")
    for name, taken in (("unplug to fault light", fault), ("plug to ready", ready), ("floor", bare)):
        print(f"{name:24}{statistics.median(taken) * 1000:8.0f} ms{max(taken) * 1000:8.0f} most")
    print(f"plug to ready / floor = {statistics.median(ready) / statistics.median(bare):.2f} (the floor: the kernel's setup, a bare bind and {COMMANDS} commands)")


asyncio.run(main())
