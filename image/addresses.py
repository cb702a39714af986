"""addresses.py BOARD IMAGE INITRD KERNEL SCRIPT RAMDISK END: fails where U-Boot would load one thing over another, now or with a larger kernel.

KERNEL, SCRIPT, RAMDISK and END are the addresses of board.conf. The kernel says in its header how much memory it takes, more than the file has
(Linux: Documentation/arch/arm64/booting.rst)."""

import struct
import sys
from pathlib import Path

MEBIBYTE = 1 << 20
KERNEL_ROOM = 96 * MEBIBYTE
SCRIPT_ROOM = MEBIBYTE


class AddressError(Exception):
    pass


def memory_of(image: bytes) -> int:
    """Octets of memory that a kernel takes from where it is loaded, as it says itself."""
    if len(image) < 64 or image[56:60] != b"ARM\x64":
        raise AddressError("the kernel is no arm64 Image")
    offset, size, flags = struct.unpack_from("<QQQ", image, 8)
    if offset or not flags & 8:
        raise AddressError("the kernel wants to be at a certain place of the memory; U-Boot would move it")
    return max(size, len(image))


def check(image: bytes, initrd: int, kernel: int, script: int, ramdisk: int, end: int) -> None:
    if kernel % (2 * MEBIBYTE):
        raise AddressError(f"KERNEL_ADDRESS {kernel:#x} is not a multiple of 2 MiB: U-Boot would move the kernel")
    if script - kernel < KERNEL_ROOM:
        raise AddressError(f"between KERNEL_ADDRESS and SCRIPT_ADDRESS is no room for a kernel of {KERNEL_ROOM >> 20} MiB")
    if memory_of(image) > script - kernel:
        raise AddressError(f"the kernel takes {memory_of(image)} octets, and has {script - kernel}")
    if ramdisk - script < SCRIPT_ROOM:
        raise AddressError("between SCRIPT_ADDRESS and RAMDISK_ADDRESS is no room for a script of 1 MiB")
    if initrd > end - ramdisk:
        raise AddressError(f"the initramfs has {initrd} octets, and room for {max(0, end - ramdisk)}")


def main() -> None:
    image, initrd = Path(sys.argv[2]), Path(sys.argv[3])
    addresses = [int(word, 0) for word in sys.argv[4:8]]
    check(image.read_bytes(), initrd.stat().st_size, *addresses)


if __name__ == "__main__":
    try:
        main()
    except AddressError as error:
        sys.exit(f"board/{sys.argv[1]}/board.conf: {error}")
