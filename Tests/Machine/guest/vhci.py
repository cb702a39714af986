"""Controllers that a program plays and the kernel takes for real, by /dev/vhci."""
import os
import struct

VENDOR_PACKET = 0xFF
HEADERS = {1: (4, 3), 2: (5, 3), 3: (4, 3), 4: (3, 2), 5: (5, 3)}  # by packet type: octets of the header, where the length begins


def plug_in() -> tuple[int, int]:
    """A new controller of the kernel's: the descriptor that plays it, until it is closed, and its index."""
    descriptor = os.open("/dev/vhci", os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)
    os.write(descriptor, bytes((VENDOR_PACKET, 0)))
    return descriptor, struct.unpack("<H", os.read(descriptor, 4)[2:4])[0]


def packets(octets: bytearray) -> list[bytes]:
    """Takes the whole packets from the front of a stream, each with its type (Core Vol 4 Part A 2)."""
    taken = []
    while octets:
        header, at = HEADERS[octets[0]]
        if len(octets) < header:
            break
        length = int.from_bytes(octets[at:header], "little") & (0x3FFF if octets[0] == 5 else 0xFFFF)
        if len(octets) < header + length:
            break
        taken.append(bytes(octets[:header + length]))
        del octets[:header + length]
    return taken
