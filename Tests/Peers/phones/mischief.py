"""What a hostile or broken phone does. One entry is one thing done at one moment of an otherwise complete visit.

`expect` is what the gate owes the visitor who did it:
  passes    the nonsense is ignored and the same visit ends accepted
  refused   status 01, a request to disconnect, or the end of the link; never accepted
  either    the gate may ignore it or end the visit; it only has to stay well
"""
import asyncio
import os
import random
import struct
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import wallet as w


@dataclass(frozen=True)
class Mischief:
    expect: str
    at: str = ""                                        # connected, identified, sized, half, sent
    does: Callable[[object], Awaitable[None]] | None = None
    packed: Callable[[bytes], bytes] | None = None      # replaces the gzip
    message: Callable[[bytes], bytes] | None = None     # replaces the ciphertext


def writes(*values: tuple[str, bytes]):
    async def does(link):
        for name, value in values:
            await link.write(name, value, request=False)
    return does


def sends(*pdus: tuple[int, str]):
    async def does(link):
        for channel, pdu in pdus:
            await link.raw(channel, bytes.fromhex(pdu))
    return does


async def chunk_beyond(link):
    await link.write(w.SUBMIT, w.chunk(len(link.chunks) + 1, b"beyond"), request=False)


async def wrong_lengths(link):
    """Right sequence numbers and right CRCs over the wrong number of octets."""
    for payload in (b"", b"x", link.chunks[0][w.CHUNK_HEADER : -1]):
        await link.write(w.SUBMIT, w.chunk(1, payload), request=False)


async def too_long(link):
    """One octet more than the transfer's data length."""
    if link.data + 3 < link.client.mtu:
        await link.write(w.SUBMIT, link.chunks[0] + b"x", request=False)


async def headless(link):
    for length in range(w.CHUNK_HEADER):
        await link.write(w.SUBMIT, bytes(length), request=False)


async def second_identify(link):
    await link.write(w.IDENTIFY, os.urandom(12) + w.public_key(os.urandom(32)), request=False)


async def too_many(link):
    """A size that needs one chunk more than the sequence numbers allow."""
    await link.write(w.SIZE, struct.pack(">I", 32768 * (link.data - w.CHUNK_HEADER)), request=False)


async def half_again(link):
    await link.write(w.SIZE, struct.pack(">I", len(link.message) // 2), request=False)


async def flood(link):
    for sequence in range(400):
        await link.write(w.SUBMIT, w.chunk(sequence, bytes(link.data - w.CHUNK_HEADER)), request=False)


def noise_of(r: random.Random):
    """Random attribute, signalling and security PDUs, and channels nobody has."""
    async def does(link):
        for _ in range(150):
            channel = r.choice((0x0004, 0x0004, 0x0004, 0x0005, 0x0006, 0x003A, 0x0040, 0x0000, 0xFFFF))
            pdu = r.randbytes(r.randrange(0, 40))
            if channel == 0x0004 and pdu[:1] in (b"\x02", b"\x52", b"\x12", b"\x1e", b"\xd2"):
                continue  # not the MTU, nor a well-formed write: those have their own entries
            await link.raw(channel, pdu)
        await asyncio.sleep(0.1)  # late answers must not be taken for answers to what follows
    return does


async def noise(link):
    await noise_of(random.Random(7))(link)


async def requests_unanswered(link):
    """Requests one after the other without waiting, as no client may."""
    for handle in range(1, 40):
        await link.raw(4, struct.pack("<BH", 0x0A, handle))
    await asyncio.sleep(0.1)


def bomb(_: bytes) -> bytes:
    """17 MiB in 17 kB."""
    return w.gzip(bytes(17 << 20))


def size(value: bytes) -> Mischief:
    return Mischief("refused", "identified", writes((w.SIZE, value)))


KEY_OF_ORDER_8 = bytes.fromhex("e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800")

MISCHIEF = {
    # Identify
    "identify of 43 octets": Mischief("passes", "connected", writes((w.IDENTIFY, os.urandom(43)))),
    "empty identify": Mischief("passes", "connected", writes((w.IDENTIFY, b""))),
    "identify with key zero": Mischief("either", "connected", writes((w.IDENTIFY, os.urandom(12) + bytes(32)))),
    "identify with a key of order 8": Mischief("either", "connected", writes((w.IDENTIFY, os.urandom(12) + KEY_OF_ORDER_8))),
    "second identify": Mischief("either", "identified", second_identify),
    # Order
    "chunk before identify": Mischief("passes", "connected", writes((w.SUBMIT, w.chunk(1, b"early")))),
    "size before identify": Mischief("either", "connected", writes((w.SIZE, b"\x00\x00\x10\x00"))),
    "report request before identify": Mischief("either", "connected", writes((w.REPORT_REQUEST, b"\x01"))),
    "chunk before size": Mischief("passes", "identified", writes((w.SUBMIT, w.chunk(1, b"early")))),
    "report request before size": Mischief("refused", "identified", writes((w.REPORT_REQUEST, b"\x01"))),
    "400 chunks before size": Mischief("passes", "identified", flood),
    # Size
    "size 0": size(b"\x00\x00\x00\x00"),
    "size FFFFFFFF": size(b"\xff\xff\xff\xff"),
    "size 7FFFFFFF": size(b"\x7f\xff\xff\xff"),
    "size of 32768 chunks": Mischief("refused", "identified", too_many),
    "size of 3 octets": size(b"\x00\x10\x00"),
    "empty size": size(b""),
    "size in decimal digits": Mischief("either", "identified", writes((w.SIZE, b"4096"))),
    "second size half way": Mischief("either", "half", half_again),
    # Chunks
    "chunk 0": Mischief("passes", "sized", writes((w.SUBMIT, w.chunk(0, b"zero")))),
    "chunk n + 1": Mischief("passes", "sized", chunk_beyond),
    "chunk 8000": Mischief("passes", "sized", writes((w.SUBMIT, w.chunk(0x8000, b"high")), (w.SUBMIT, w.chunk(0xFFFF, b"high")))),
    "chunk of the wrong length": Mischief("passes", "sized", wrong_lengths),
    "chunk too long": Mischief("passes", "sized", too_long),
    "chunk without header": Mischief("passes", "sized", headless),
    # Report requests
    "report request 00": Mischief("passes", "sized", writes((w.REPORT_REQUEST, b"\x00"))),
    "report request 02": Mischief("either", "sized", writes((w.REPORT_REQUEST, b"\x02"))),
    "report request 7F": Mischief("passes", "sized", writes((w.REPORT_REQUEST, b"\x7f"))),
    "empty report request": Mischief("passes", "sized", writes((w.REPORT_REQUEST, b""))),
    "report request before any chunk": Mischief("refused", "sized", writes((w.REPORT_REQUEST, b"\x01"))),
    # Attribute protocol
    "write to a push": Mischief("passes", "sized", writes((w.REPORT, b"\x01\x00\x00"), (w.STATUS, b"\x00"), (w.DISCONNECT, b"\x01"))),
    "write to handle 0 and FFFF": Mischief("passes", "sized", sends((4, "52000041"), (4, "52ffff41"))),
    "confirmation of nothing": Mischief("passes", "sized", sends((4, "1e"), (4, "1e00"))),
    "empty PDUs": Mischief("passes", "sized", sends((4, ""), (5, ""), (6, ""))),
    "pairing request": Mischief("passes", "connected", sends((6, "01030005100303"))),
    "signed write": Mischief("passes", "sized", sends((4, "d20300" + "41" * 12))),
    "requests without waiting": Mischief("either", "connected", requests_unanswered),
    "noise on every channel": Mischief("either", "connected", noise),
    # What was sealed
    "random ciphertext": Mischief("refused", message=lambda message: os.urandom(len(message))),
    "ciphertext shorter than its tag": Mischief("refused", message=lambda message: message[:15]),
    "tag only": Mischief("refused", packed=lambda _: b""),
    "one bit of the tag": Mischief("refused", message=lambda message: message[:-1] + bytes([message[-1] ^ 1])),
    "not gzip": Mischief("refused", packed=lambda payload: payload),
    "gzip cut short": Mischief("refused", packed=lambda payload: w.gzip(payload)[:-9]),
    "gzip with a wrong CRC": Mischief("refused", packed=lambda payload: w.gzip(payload)[:-8] + bytes(4) + w.gzip(payload)[-4:]),
    "two gzip members": Mischief("refused", packed=lambda payload: w.gzip(payload) + w.gzip(payload)),
    "gzip bomb of 17 MiB": Mischief("refused", packed=bomb),
}
