"""The machine's screens, and pictures of them that the host takes and reads."""
import json
import time
from dataclasses import dataclass
from itertools import count
from pathlib import Path

import numpy

CONTROL = Path("/control")
NUMBERS = count()
BLACK, WHITE = 0, 0xFFFFFF


@dataclass(frozen=True)
class FrameBuffer:
    """One of the machine's screens: `display` is its number for the host, `path` the device's."""

    display: int
    path: str
    bits: int
    width: int
    height: int


def framebuffers() -> list[FrameBuffer]:
    """In the order the host was asked for them."""
    found = []
    for folder in Path("/sys/class/graphics").glob("fb[0-9]*"):
        width, height = (int(number) for number in (folder / "virtual_size").read_text().split(","))
        # A graphics card's place on the bus is its place in the host's list.
        place = (folder / "device").resolve().name
        found.append((place, f"/dev/{folder.name}", int((folder / "bits_per_pixel").read_text()), width, height))
    return [FrameBuffer(display, *rest) for display, (_, *rest) in enumerate(sorted(found))]


class Cable:
    """The graphics card behind a screen, taken from the kernel's driver and given back: the device file goes and comes, as on a board whose
    monitor is plugged in, or whose driver takes the place of the boot loader's framebuffer."""

    def __init__(self, screen: FrameBuffer) -> None:
        device = (Path("/sys/class/graphics") / Path(screen.path).name / "device").resolve()
        self.path, self.address, self.driver = Path(screen.path), device.name, (device / "driver").resolve()

    def pull(self) -> None:
        (self.driver / "unbind").write_text(self.address)
        self.until(lambda: not self.path.exists(), "gone")

    def plug(self) -> None:
        if not (self.driver / self.address).exists():
            (self.driver / "bind").write_text(self.address)
        self.until(self.path.exists, "there again")

    def until(self, condition, what: str) -> None:
        end = time.monotonic() + 60
        while not condition():
            if time.monotonic() > end:
                raise TimeoutError(f"{self.path} is not {what}")
            time.sleep(0.05)


class Photograph:
    """A picture of a screen as the host sees it: `pixels` as 0xRRGGBB, and what two readers find in it."""

    def __init__(self, screen: FrameBuffer) -> None:
        name = f"picture{next(NUMBERS)}"
        question, answer = CONTROL / "ask" / name, CONTROL / "answer" / name
        unfinished = question.with_suffix(".part")
        unfinished.write_text(str(screen.display))
        unfinished.rename(question)
        end = time.monotonic() + 60
        while not answer.exists():
            if time.monotonic() > end:
                raise TimeoutError("the host takes no pictures")
            time.sleep(0.02)
        found = json.loads(answer.read_text())
        # Before the screen is switched on it may have another size.
        width, height = found["width"], found["height"]
        self.is_on = (width, height) == (screen.width, screen.height)
        self.zbar, self.zxing = found["zbar"], found["zxing"]
        picture = CONTROL / (name + ".ppm")
        colours = numpy.frombuffer(picture.read_bytes()[-3 * width * height:], numpy.uint8)
        picture.unlink()
        self.pixels = colours.reshape(height, width, 3).astype(numpy.uint32) @ numpy.array([65536, 256, 1], numpy.uint32)

    @property
    def text(self) -> str:
        """What both readers agree on."""
        return self.zbar if self.is_on and self.zbar == self.zxing else ""

    @property
    def is_dark(self) -> bool:
        return self.is_on and not self.pixels.any()


@dataclass(frozen=True)
class DrawnCode:
    """A code as it lies on a picture, in pixels and modules."""

    left: int
    top: int
    width: int
    height: int
    module: int
    quiet: tuple[float, float, float, float]  # modules of white on the left, at the top, on the right, at the bottom
    side: int                                 # modules, without the quiet zone


def measure(photograph: Photograph) -> DrawnCode:
    """Measured on the picture alone: the white square, and the code in it by the seven modules of a finder pattern's edge."""
    top, bottom, left, right = extent(photograph.pixels == WHITE)
    square = photograph.pixels[top:bottom, left:right] == BLACK
    first, last, start, end = extent(square)
    edge = square[first, start:end]
    run = int(numpy.argmin(edge))
    module = run // 7
    assert run == 7 * module, "a finder pattern's edge is no seven modules"
    quiet = tuple(number / module for number in (start, first, right - left - end, bottom - top - last))
    assert (end - start) == (last - first) and (end - start) % module == 0
    return DrawnCode(left, top, right - left, bottom - top, module, quiet, (end - start) // module)


def extent(mask) -> tuple[int, int, int, int]:
    """The first row and the one after the last, and columns alike, in which anything is set."""
    rows, columns = numpy.flatnonzero(mask.any(axis=1)), numpy.flatnonzero(mask.any(axis=0))
    return int(rows[0]), int(rows[-1]) + 1, int(columns[0]), int(columns[-1]) + 1
