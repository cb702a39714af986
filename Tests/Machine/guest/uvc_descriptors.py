"""What a USB camera says of itself: USB 2.0 chapter 9, and the USB Device Class Definition for Video Devices 1.1, chapter 3."""
import struct
import uuid
from dataclasses import dataclass

CONTROL_INTERFACE, STREAMING_INTERFACE = 0, 1
VIDEO_ENDPOINT = 0x81
PACKET = 512        # octets of a bulk packet at high speed
PAYLOAD = 16384     # octets of a payload with its header; more than 32 packets the kernel does not ask for at once
HEADER = 12
CLOCK = 48_000_000
MJPEG, YUYV = "MJPG", "YUYV"
YUY2 = uuid.UUID("32595559-0000-0010-8000-00aa00389b71")
INTERFACE_ASSOCIATION, STRING, CLASS_INTERFACE = 11, 3, 0x24


@dataclass(frozen=True)
class Format:
    """Pictures of one kind, in some sizes of pixels."""

    kind: str
    sizes: tuple[tuple[int, int], ...]

    def octets(self, frame: int) -> int:
        """Of the largest picture of size number `frame`, which counts from 1."""
        width, height = self.sizes[frame - 1]
        return width * height * 2


def descriptor(kind: int, layout: str, *values) -> bytes:
    body = struct.pack("<" + layout, *values)
    return bytes([len(body) + 2, kind]) + body


def video(subtype: int, layout: str, *values) -> bytes:
    return descriptor(CLASS_INTERFACE, "B" + layout, subtype, *values)


def device() -> bytes:
    return descriptor(1, "HBBBBHHHBBBB", 0x0200, 0xEF, 2, 1, 64, 0x1D6B, 0x0102, 0x0100, 1, 2, 3, 1)


def qualifier() -> bytes:
    return descriptor(6, "HBBBBBB", 0x0200, 0xEF, 2, 1, 64, 1, 0)


def string(index: int, texts: tuple[str, ...]) -> bytes | None:
    """Number 0 are the languages: one."""
    if index == 0:
        return descriptor(STRING, "H", 0x0409)
    if index > len(texts):
        return None
    text = texts[index - 1].encode("utf-16le")
    return descriptor(STRING, f"{len(text)}s", text)


def configuration(formats: tuple[Format, ...], interval: int) -> bytes:
    """`interval` is the time of a picture in 100 ns."""
    body = descriptor(INTERFACE_ASSOCIATION, "BBBBBB", 0, 2, 14, 3, 0, 0)
    body += descriptor(4, "BBBBBBB", CONTROL_INTERFACE, 0, 0, 14, 1, 0, 0) + control_interface()
    body += descriptor(4, "BBBBBBB", STREAMING_INTERFACE, 0, 1, 14, 2, 0, 0) + streaming_interface(formats, interval)
    body += descriptor(5, "BBHB", VIDEO_ENDPOINT, 2, PACKET, 0)
    return descriptor(2, "HBBBBB", 9 + len(body), 2, 1, 0, 0x80, 250) + body


def control_interface() -> bytes:
    """A camera, number 1, from which pictures go out to the bus, number 2. No controls."""
    terminals = video(2, "BHBBHHHB3s", 1, 0x0201, 0, 0, 0, 0, 0, 3, bytes(3)) + video(3, "BHBBB", 2, 0x0101, 0, 1, 0)
    return video(1, "HHIBB", 0x0110, 13 + len(terminals), CLOCK, 1, STREAMING_INTERFACE) + terminals


def streaming_interface(formats: tuple[Format, ...], interval: int) -> bytes:
    body = b"".join(format_descriptors(number, offered, interval) for number, offered in enumerate(formats, 1))
    count = len(formats)
    return video(1, f"BHBBBBBBB{count}s", count, 13 + count + len(body), VIDEO_ENDPOINT, 0, 2, 0, 0, 0, 1, bytes(count)) + body


def format_descriptors(number: int, offered: Format, interval: int) -> bytes:
    count = len(offered.sizes)
    if offered.kind == MJPEG:
        body, frame_subtype = video(6, "BBBBBBBB", number, count, 1, 1, 0, 0, 0, 0), 7
    else:
        body, frame_subtype = video(4, "BB16sBBBBBB", number, count, YUY2.bytes_le, 16, 1, 0, 0, 0, 0), 5
    for frame, (width, height) in enumerate(offered.sizes, 1):
        rate = offered.octets(frame) * 8 * 10_000_000 // interval
        body += video(frame_subtype, "BBHHIIIIBI", frame, 0, width, height, rate, rate, offered.octets(frame), interval, 1, interval)
    return body + video(0x0D, "BBB", 1, 1, 4)


def probe(format_index: int, frame_index: int, interval: int, octets: int) -> bytes:
    """The stream as it would be: dwMaxVideoFrameSize, dwMaxPayloadTransferSize and the rest (UVC 1.1, 4.3.1.1)."""
    return struct.pack("<HBBIHHHHHIIIBBBB", 1, format_index, frame_index, interval, 0, 0, 0, 0, 0, octets, PAYLOAD, CLOCK, 0, 0, 0, 0)
