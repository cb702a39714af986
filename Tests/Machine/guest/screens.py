"""The machine's screens, and pictures of them that the host takes and reads."""
import asyncio
import json
import time
from dataclasses import dataclass
from itertools import count
from pathlib import Path

import numpy

CONTROL = Path("/control")
NUMBERS = count()
BLACK, WHITE = 0, 0xFFFFFF
# Grounds of signs (Sources/Board/Devices/Screen/Canvas.swift).
GREEN, RED, YELLOW = 0x006224, 0xA00010, 0xFFCC00


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
    """A code as it lies on a picture."""

    left: int                                 # pixels, of the first dark module
    top: int
    module: int                               # pixels
    side: int                                 # modules, without the quiet zone
    quiet: tuple[float, float, float, float]  # modules of white on the left, at the top, on the right, at the bottom


def measure(photograph: Photograph) -> DrawnCode:
    """Measured on the picture alone: the leftmost black above the words is the code's, and a finder pattern's edge has seven modules. The timing
    pattern leaves no gap in its first rows, so that it ends where four modules are white."""
    pixels = photograph.pixels
    height, width = pixels.shape
    black, white = pixels == BLACK, pixels == WHITE
    left = int(numpy.flatnonzero(black[: height // 2].any(axis=0))[0])
    top = int(numpy.flatnonzero(black[: height // 2, left])[0])
    run = int(numpy.argmin(black[top, left:]))
    module = run // 7
    assert run == 7 * module, "a finder pattern's edge is no seven modules"
    empty = ~black[top : top + run, left:].any(axis=0)
    size = next(column for column in range(width - left) if empty[column : column + 4 * module].all())
    assert size % module == 0
    rows, columns = slice(top, top + size), slice(left, left + size)
    quiet = (
        leading(white[rows, :left].all(axis=0)[::-1]), leading(white[:top, columns].all(axis=1)[::-1]),
        leading(white[rows, left + size :].all(axis=0)), leading(white[top + size :, columns].all(axis=1)),
    )
    return DrawnCode(left, top, module, size // module, tuple(count / module for count in quiet))


def leading(mask) -> int:
    """How many are set before the first that is not."""
    return len(mask) if mask.all() else int(numpy.argmin(mask))


def shows(photograph: Photograph, colour: int) -> bool:
    """Whether a tenth of the picture has this colour, as near as sixteen bits come."""
    parts = [(photograph.pixels >> shift & 0xFF).astype(int) - (colour >> shift & 0xFF) for shift in (0, 8, 16)]
    return photograph.is_on and numpy.mean(numpy.all([abs(part) <= 8 for part in parts], axis=0)) > 0.1


def photograph(rig, screen, condition, what: str, patience: float = 60) -> Photograph:
    """The first picture that is as it should be, and stays so: a code can be read before its last lines are drawn. The air is served meanwhile."""
    end = time.monotonic() + patience
    before = None
    while True:
        taken = rig.run(asyncio.to_thread(Photograph, screen))
        if condition(taken):
            if before is not None and numpy.array_equal(before.pixels, taken.pixels):
                return taken
            before = taken
        if time.monotonic() > end:
            raise TimeoutError(f"{what}: {taken.zbar!r} {taken.zxing!r}; the gate: {rig.gate.errors[-5:]}")


def shows_code(taken: Photograph) -> bool:
    return taken.text.startswith("OPENID4VP://")
