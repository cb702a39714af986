"""What a process may ask of the kernel about its controllers: sockets of a channel, power, radio switches. May wait for the controller: see `ask`."""
import asyncio
import ctypes
import errno
import fcntl
import os
import socket
import struct
from pathlib import Path

USER = 1                                   # HCI_CHANNEL_USER
UP, INFO = 0x400448C9, 0x800448D3          # HCIDEVUP, HCIGETDEVINFO
IS_UP = 1 << 0                             # HCI_UP
BLUETOOTH, CHANGE, CHANGE_ALL = 2, 2, 3    # RFKILL_TYPE_BLUETOOTH, RFKILL_OP_CHANGE, RFKILL_OP_CHANGE_ALL

libc = ctypes.CDLL(None, use_errno=True)


async def ask(call, *arguments):
    """In a thread: the kernel may want something of the controller first, which this process plays."""
    return await asyncio.get_running_loop().run_in_executor(None, call, *arguments)


def channel(index: int, kind: int) -> socket.socket:
    """A socket bound to one channel of a controller, by the C library: Python knows only the raw one."""
    made = socket.socket(socket.AF_BLUETOOTH, socket.SOCK_RAW | socket.SOCK_CLOEXEC, socket.BTPROTO_HCI)
    if libc.bind(made.fileno(), struct.pack("<HHH", socket.AF_BLUETOOTH, index, kind), 6) != 0:
        made.close()
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return made


def raw() -> socket.socket:
    return socket.socket(socket.AF_BLUETOOTH, socket.SOCK_RAW | socket.SOCK_CLOEXEC, socket.BTPROTO_HCI)


def power_up(index: int) -> None:
    """For the kernel's own host, as `hciconfig up` and bluetoothd do."""
    with raw() as asking:
        try:
            fcntl.ioctl(asking, UP, index)
        except OSError as error:
            if error.errno != errno.EALREADY:
                raise


def flags(index: int) -> int:
    with raw() as asking:
        info = bytearray(struct.pack("<H", index) + bytes(90))
        fcntl.ioctl(asking, INFO, info)
        return struct.unpack_from("<I", info, 16)[0]


def switch(index: int) -> int:
    """The number of the controller's radio switch."""
    return int(next((Path("/sys/class/bluetooth") / f"hci{index}").glob("rfkill*")).name.removeprefix("rfkill"))


def is_blocked(index: int) -> bool:
    return (Path("/sys/class/rfkill") / f"rfkill{switch(index)}" / "soft").read_text().strip() == "1"


def block(index: int, soft: bool = True) -> None:
    """The switch of one controller."""
    turn(struct.pack("<IBBBB", switch(index), BLUETOOTH, CHANGE, soft, 0))


def block_all(soft: bool = True) -> None:
    """Every Bluetooth switch, and those of controllers that appear later: `rfkill block bluetooth`."""
    turn(struct.pack("<IBBBB", 0, BLUETOOTH, CHANGE_ALL, soft, 0))


def turn(event: bytes) -> None:
    descriptor = os.open("/dev/rfkill", os.O_WRONLY | os.O_CLOEXEC)
    try:
        os.write(descriptor, event)
    finally:
        os.close(descriptor)
