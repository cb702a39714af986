"""A USB camera made of Python, plugged into the kernel's USB/IP virtual host controller (vhci-hcd): the kernel's own uvcvideo makes a real
/dev/videoN of it. No network and no usbip programs: the kernel gets one end of a socket pair. The video endpoint is a bulk one.
"""
import hashlib
import itertools
import os
import socket
import struct
import subprocess
import threading
import time
from dataclasses import dataclass
from pathlib import Path

import uvc_descriptors as usb
from uvc_descriptors import MJPEG, YUYV, Format

CONTROLLER = Path("/sys/devices/platform/vhci_hcd.0")
HIGH_SPEED, FREE, DEVICE = 3, "004", 0x00010002
SUBMIT, UNLINK, SUBMITTED, UNLINKED = 1, 2, 3, 4
STALL, CONNECTION_RESET = -32, -104
END_OF_HEADER, DAMAGED, END_OF_FRAME = 0x80, 0x40, 0x02
PROBE, COMMIT = 1, 2
SET_CURRENT, GET_LENGTH, GET_INFO = 0x01, 0x85, 0x86
GETS = (0x81, 0x82, 0x83, 0x87)  # GET_CUR, GET_MIN, GET_MAX, GET_DEF
NUMBERS, PLUGS = itertools.count(), itertools.count()


def load_drivers() -> None:
    subprocess.run(["modprobe", "--all", "vhci-hcd", "uvcvideo"], check=True)


def kernel_log() -> list[str]:
    log = os.open("/dev/kmsg", os.O_RDONLY | os.O_NONBLOCK)
    lines = []
    try:
        while True:
            try:
                lines.append(os.read(log, 8192).decode(errors="replace").partition(";")[2].splitlines()[0])
            except BrokenPipeError:
                continue  # written over meanwhile
    except BlockingIOError:
        return lines
    finally:
        os.close(log)


@dataclass(frozen=True)
class Picture:
    """What the camera sends for one picture; `is_damaged` is what it says of it."""

    octets: bytes
    is_damaged: bool = False

    @property
    def digest(self) -> str:
        return hashlib.sha256(self.octets).hexdigest()


class USBCamera:
    """`pictures` are sent in turn, `rate` of them a second, as long as somebody looks; without any, none is."""

    def __init__(self, pictures=(), formats=(Format(MJPEG, ((640, 480),)),), rate: float = 10) -> None:
        self.formats, self.rate = tuple(formats), rate
        self.name = f"Bench camera {next(NUMBERS)}"
        self.lock = threading.Condition()
        self.cable: socket.socket | None = None
        self.port, self.serial = -1, ""
        self.sent: list[Picture] = []  # since the stream began, in the order of their sequence numbers
        self.began: list[float] = []   # when each of them was begun, of the monotonic clock
        self.is_mute = False           # answers nothing any more
        self.streams = 0               # how many began
        self.is_streaming = False
        self.chosen = (1, 1)           # format and size of the stream, counted from 1
        self.play(pictures)

    # What the test does with it.

    def play(self, pictures) -> None:
        """Other pictures from now on: octets, or `Picture`."""
        listed = [each if isinstance(each, Picture) else Picture(each) for each in pictures]
        with self.lock:
            self.playing = itertools.cycle(listed) if listed else None
            self.lock.notify_all()

    def plug(self) -> "USBCamera":
        """Into a free port, the next one each time: the kernel may still be busy with what was pulled out of the last. Who it is, the kernel asks in
        its own time: see `node`.
        """
        load_drivers()
        self.serial = f"{next(PLUGS):04}"
        ports = (line.split() for line in (CONTROLLER / "status").read_text().splitlines())
        free = [int(number) for hub, number, state, *_ in ports if hub == "hs" and state == FREE]
        self.port = free[int(self.serial) % len(free)]
        self.cable, kernel = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        self.waiting: list[tuple[int, int]] = []  # video transfers the kernel asked for: number and octets
        self.is_streaming = False
        for work in (self.listen, self.film):
            threading.Thread(target=work, args=(self.cable,), daemon=True).start()
        with kernel:
            (CONTROLLER / "attach").write_text(f"{self.port} {kernel.fileno()} {DEVICE} {HIGH_SPEED}")
        return self

    def unplug(self) -> None:
        if self.cable is None:
            return
        (CONTROLLER / "detach").write_text(str(self.port))
        with self.lock:
            cable, self.cable, self.is_streaming = self.cable, None, False
            self.lock.notify_all()
        # Wakes whoever still listens.
        cable.shutdown(socket.SHUT_RDWR)
        cable.close()

    def node(self) -> str:
        """The device file the pictures come out of, when the kernel has made it.

        Seen twice in some hundred plugs: the kernel never looked at the camera. A person pulls it out then, and plugs it in again.
        """
        def find():
            for folder in Path("/sys/class/video4linux").glob("video*"):
                try:
                    is_this = self.name in (folder / "name").read_text() and (folder / "index").read_text().strip() == "0"
                except OSError:
                    continue
                if is_this and Path("/dev", folder.name).exists():
                    return f"/dev/{folder.name}"

        for _ in range(3):
            try:
                return self.until(find, "a device file")
            except TimeoutError as error:
                print(f"{error}; the kernel's last words:", *kernel_log()[-20:], sep="\n")
                self.unplug()
                self.plug()
        return self.until(find, "a device file")

    def until(self, condition, what: str, patience: float = 30):
        end = time.monotonic() + patience
        while not (found := condition()):
            if time.monotonic() > end:
                raise TimeoutError(f"{self.name}: {what}")
            time.sleep(0.02)
        return found

    # What the kernel asks.

    def listen(self, cable: socket.socket) -> None:
        """Answers every request until the cable is pulled."""
        stream = cable.makefile("rb")
        try:
            while len(header := stream.read(48)) == 48:
                command, number, _, is_in, endpoint = struct.unpack_from(">IIIII", header)
                if command == UNLINK:
                    self.unlink(cable, number, victim=struct.unpack_from(">I", header, 20)[0])
                    continue
                octets = struct.unpack_from(">i", header, 24)[0]
                data = b"" if is_in else stream.read(octets)
                if self.is_mute:
                    continue
                if endpoint == 0:
                    answer = self.control(*struct.unpack("<BBHHH", header[40:]), data)
                    self.complete(cable, number, STALL if answer is None else 0, answer or b"", None if is_in else octets)
                else:
                    with self.lock:
                        self.waiting.append((number, octets))
                        self.lock.notify_all()
        except OSError:
            pass  # pulled in the middle of an answer

    def complete(self, cable: socket.socket, number: int, status: int, data: bytes = b"", octets: int | None = None) -> None:
        with self.lock:
            cable.sendall(struct.pack(">IIIIIiiiii8x", SUBMITTED, number, 0, 0, 0, status, len(data) if octets is None else octets, 0, 0, 0) + data)

    def unlink(self, cable: socket.socket, number: int, victim: int) -> None:
        with self.lock:
            was_waiting = any(each == victim for each, _ in self.waiting)
            self.waiting = [each for each in self.waiting if each[0] != victim]
            cable.sendall(struct.pack(">IIIIIi24x", UNLINKED, number, 0, 0, 0, CONNECTION_RESET if was_waiting else 0))

    def control(self, kind: int, request: int, value: int, index: int, length: int, data: bytes) -> bytes | None:
        """The answer to a control request; None refuses it."""
        match kind, request:
            case 0x80, 6:
                found = self.described(value >> 8, value & 0xFF)
                return None if found is None else found[:length]
            case 0x80, 0:
                return bytes(2)[:length]
            case 0x81, 10:
                return b"\0"
            case 0x02, 1 if index == usb.VIDEO_ENDPOINT:
                # Clearing a halt that never was is how a bulk camera is told that nobody looks any more.
                self.end_stream()
                return b""
            case (0x00 | 0x01 | 0x02), (1 | 3 | 5 | 9 | 11):
                return b""
            case (0x21 | 0xA1), _ if index == usb.STREAMING_INTERFACE and value >> 8 in (PROBE, COMMIT):
                return self.negotiate(value >> 8, request, length, data)
        return None

    def described(self, kind: int, index: int) -> bytes | None:
        interval = int(10_000_000 / self.rate)
        match kind:
            case 1: return usb.device()
            case 2: return usb.configuration(self.formats, interval)
            case 3: return usb.string(index, ("Gatehouse tests", self.name, self.serial))
            case 6: return usb.qualifier()

    def negotiate(self, selector: int, request: int, length: int, data: bytes) -> bytes | None:
        if request == SET_CURRENT:
            # What is not there becomes the nearest that is.
            kind = min(max(1, data[2]), len(self.formats))
            self.chosen = (kind, min(max(1, data[3]), len(self.formats[kind - 1].sizes)))
            if selector == COMMIT:
                self.begin_stream()
            return b""
        if request in GETS:
            kind, size = self.chosen
            return usb.probe(kind, size, int(10_000_000 / self.rate), self.formats[kind - 1].octets(size))[:length]
        return {GET_LENGTH: struct.pack("<H", 34), GET_INFO: b"\3"}.get(request)

    # The pictures.

    def begin_stream(self) -> None:
        with self.lock:
            self.streams += 1
            self.sent, self.began = [], []
            self.is_streaming = True
            self.lock.notify_all()

    def end_stream(self) -> None:
        with self.lock:
            self.is_streaming = False
            self.lock.notify_all()

    def film(self, cable: socket.socket) -> None:
        """Sends one picture after the other while somebody looks, until the cable is pulled."""
        toggle, due = 0, time.monotonic()
        try:
            while True:
                with self.lock:
                    self.lock.wait_for(lambda: self.cable is not cable or self.is_streaming and self.playing)
                    if self.cable is not cable:
                        return
                    stream, picture = self.streams, next(self.playing)
                    self.sent.append(picture)
                    self.began.append(time.monotonic())
                if self.send(cable, picture, toggle, stream):
                    toggle ^= 1
                due = max(due + 1 / self.rate, time.monotonic())
                time.sleep(max(0, due - time.monotonic()))
        except OSError:
            pass  # pulled in the middle of a picture

    def send(self, cable: socket.socket, picture: Picture, toggle: int, stream: int) -> bool:
        """One payload a transfer; the last one says so. False when nobody looks any more."""
        rest = memoryview(picture.octets)
        while True:
            with self.lock:
                self.lock.wait_for(lambda: self.cable is not cable or not self.is_live(stream) or self.waiting)
                if self.cable is not cable or not self.is_live(stream):
                    return False
                # Taken and answered in one step: the answer to a transfer whose unlinking was answered first makes the kernel pull the
                # camera out.
                number, room = self.waiting.pop(0)
                part = rest[:min(room, usb.PAYLOAD) - usb.HEADER]
                rest = rest[len(part):]
                flags = END_OF_HEADER | toggle | (0 if rest else END_OF_FRAME) | (DAMAGED if picture.is_damaged else 0)
                self.complete(cable, number, 0, bytes([usb.HEADER, flags]) + bytes(usb.HEADER - 2) + part)
            if not rest:
                return True

    def is_live(self, stream: int) -> bool:
        return self.is_streaming and self.streams == stream
