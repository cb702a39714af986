"""Drawn camera frames of QR codes, grey, under the conditions of pixelpass.md section 4.2. The same seed draws the same frames.

Nothing here is a camera: a frame is a code on a grey wall, turned, tilted, and then spoiled in one way. Codes are drawn by `qrcode`, which
shares nothing with what reads them.

What the table does not say, how dark, how bright a glare, how strong the waves, is chosen so that the tests' own reader, zxing-cpp 3.1.1, reads
as many as the table has for it: 132, 337 and 165 of the three series, against 132, 336 and 165.
"""
import io
import random
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Callable, Iterator

import numpy
import qrcode
from PIL import Image, ImageFilter, ImageOps

VGA, HD = (640, 480), (1280, 720)
BLACK, WHITE, WALL = 10, 245, 128
QUIET = 4          # modules around a code (ISO/IEC 18004)
OVERSAMPLED = 4    # how much finer a frame is drawn than the camera sees it
DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ $%*+-./:"
URL_SAFE = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
LEVEL = qrcode.constants.ERROR_CORRECT_L


def room(version: int, is_octets: bool) -> int:
    """How many characters a code of this version holds, ECC L."""
    bits = qrcode.util.BIT_LIMIT_TABLE[LEVEL][version] - 4
    if is_octets:
        return (bits - (8 if version < 10 else 16)) // 8
    bits -= 9 if version < 10 else 11 if version < 27 else 13
    return bits // 11 * 2 + (bits % 11 >= 6)


@lru_cache(maxsize=2)
def modules(text: str, version: int | None = None, mask: int = 0) -> numpy.ndarray:
    """A code, True where it is dark, with its quiet zone. The mask is given: choosing the best takes seconds and says nothing."""
    is_octets = any(character not in DIGITS for character in text)
    mode = qrcode.util.MODE_8BIT_BYTE if is_octets else qrcode.util.MODE_ALPHA_NUM
    code = qrcode.QRCode(version=version, error_correction=LEVEL, border=QUIET, mask_pattern=mask)
    code.add_data(qrcode.util.QRData(text.encode(), mode=mode), optimize=0)
    code.make(fit=version is None)
    return numpy.array(code.get_matrix(), dtype=bool)


# MARK: where a code stands

@dataclass(frozen=True)
class Stand:
    """How a code is held: turned by degrees, or tilted so that its upper edge is shorter by this share."""
    turn: float = 0
    tilt: float = 0


def corners(stand: Stand, size: tuple[int, int], share: float, shift: tuple[float, float]) -> numpy.ndarray:
    """Where the corners of the quiet zone stand in the frame: `share` of its height, smaller only where a turned one would not fit."""
    width, height = size
    half = share * height / 2
    square = numpy.array([(-1, -1), (1, -1), (1, 1), (-1, 1)], float)
    if stand.tilt:
        square[:2, 0] *= 1 - stand.tilt
        # What leans back is lower, too.
        square[:2, 1] *= 1 - stand.tilt / 2
    angle = numpy.radians(stand.turn)
    square = square @ numpy.array([(numpy.cos(angle), numpy.sin(angle)), (-numpy.sin(angle), numpy.cos(angle))])
    half = min(half, 0.49 * height / abs(square[:, 1]).max())
    free = numpy.array([width, height]) / 2 - half * abs(square).max(axis=0)
    return square * half + numpy.array([width, height]) / 2 + numpy.clip(shift, -free, free)


def projection(target: numpy.ndarray, side: int) -> list[float]:
    """The eight numbers by which Pillow finds for each pixel of the frame the place in a code of `side` modules."""
    source = [(0, 0), (side, 0), (side, side), (0, side)]
    rows = []
    for (x, y), (u, v) in zip(target, source):
        rows += [[x, y, 1, 0, 0, 0, -u * x, -u * y], [0, 0, 0, x, y, 1, -v * x, -v * y]]
    return list(numpy.linalg.solve(numpy.array(rows), numpy.array(source, float).reshape(8)))


def held(code: numpy.ndarray, size: tuple[int, int], share: float, stand: Stand = Stand(), shift: tuple[float, float] = (0, 0)) -> Image.Image:
    """The frame a perfect camera takes of this code."""
    fine = tuple(OVERSAMPLED * each for each in size)
    drawn = Image.fromarray(numpy.where(code, BLACK, WHITE).astype(numpy.uint8))
    numbers = projection(OVERSAMPLED * corners(stand, size, share, shift), len(code))
    # Outside of the code is the wall: one more module around, of its shade.
    framed = ImageOps.expand(drawn, 1, WALL)
    numbers[2], numbers[5] = numbers[2] + 1, numbers[5] + 1
    for place in (0, 1, 2):
        numbers[place] += (numbers[6], numbers[7], 0)[place]
        numbers[place + 3] += (numbers[6], numbers[7], 0)[place]
    return framed.transform(fine, Image.Transform.PERSPECTIVE, numbers, Image.Resampling.NEAREST, fillcolor=WALL).reduce(OVERSAMPLED)


# MARK: how a frame is spoiled

def grey(values: numpy.ndarray) -> Image.Image:
    return Image.fromarray(numpy.clip(numpy.rint(values), 0, 255).astype(numpy.uint8))


def jpeg(image: Image.Image, quality: int) -> bytes:
    octets = io.BytesIO()
    image.save(octets, "JPEG", quality=quality)
    return octets.getvalue()


def through_jpeg(image: Image.Image, quality: int) -> Image.Image:
    return Image.open(io.BytesIO(jpeg(image, quality))).convert("L")


def low_contrast(image: Image.Image, _) -> Image.Image:
    return grey(WALL + 0.22 * (numpy.asarray(image, float) - WALL))


def dark(image: Image.Image, noise: numpy.random.Generator) -> Image.Image:
    values = 0.28 * numpy.asarray(image, float)
    return grey(values + noise.normal(0, 9, values.shape))


def moire(image: Image.Image, noise: numpy.random.Generator) -> Image.Image:
    """A screen's grid beaten with the camera's: waves across the picture in two directions."""
    rows, columns = numpy.indices(image.size[::-1])
    first, second = noise.uniform(0, 2 * numpy.pi, 2)
    waves = 24 * numpy.sin(2 * numpy.pi * (columns / 3.3 + rows / 41) + first) + 18 * numpy.sin(2 * numpy.pi * (rows / 5.7 - columns / 67) + second)
    return through_jpeg(grey(numpy.asarray(image, float) + waves), 80)


def glare(image: Image.Image, noise: numpy.random.Generator) -> Image.Image:
    """A lamp on glass: brighter by up to 170 around one place, white where that is too much."""
    width, height = image.size
    rows, columns = numpy.indices((height, width))
    x, y = width / 2 + noise.uniform(-0.2, 0.2) * height, height / 2 + noise.uniform(-0.2, 0.2) * height
    spot = 170 * numpy.exp(-((columns - x) ** 2 + (rows - y) ** 2) / (2 * (0.16 * height) ** 2))
    return grey(numpy.asarray(image, float) + spot)


@dataclass(frozen=True)
class Condition:
    """How a code is held, and what is wrong with the picture. `quality`: that of the JPEG the condition is about."""
    stand: Stand = Stand()
    spoil: Callable[[Image.Image, numpy.random.Generator], Image.Image] | None = None
    quality: int | None = None


CONDITIONS = {
    "clean": Condition(),
    "turned 20": Condition(Stand(turn=20)),
    "turned 45": Condition(Stand(turn=45)),
    "tilted 18 %": Condition(Stand(tilt=0.18)),
    "blur 0.8": Condition(spoil=lambda image, _: image.filter(ImageFilter.GaussianBlur(0.8))),
    "blur 1.2": Condition(spoil=lambda image, _: image.filter(ImageFilter.GaussianBlur(1.2))),
    "contrast 22 %": Condition(spoil=low_contrast),
    "dark, noise 9": Condition(spoil=dark),
    "moire, JPEG 80": Condition(spoil=moire, quality=80),
    "glare": Condition(spoil=glare),
    "JPEG 60": Condition(spoil=lambda image, _: through_jpeg(image, 60), quality=60),
}
# What is drawn of each code once, beside the conditions.
EXTRAS = {
    "inverted": Condition(spoil=lambda image, _: ImageOps.invert(image)),
    "mirrored": Condition(spoil=lambda image, _: ImageOps.mirror(image)),
}


# MARK: the frames of the table

@dataclass(frozen=True)
class Series:
    """Codes of some versions, `copies` of each: what a row of the table is about."""
    name: str
    versions: tuple[int, ...]
    copies: int
    size: tuple[int, int] = VGA
    is_engagement: bool = False

    def share(self, version: int) -> float:
        """Of the frame's height: a phone's engagement is small, a credential is held close."""
        return 0.60 if self.is_engagement else 0.70 if version < 20 else 0.94

    def text(self, version: int, random: random.Random) -> str:
        """As much as the version holds."""
        count = room(version, self.is_engagement)
        if self.is_engagement:
            return "mdoc:" + "".join(random.choices(URL_SAFE, k=count - 5))
        return "".join(random.choices(DIGITS, k=count))


SERIES = (
    Series("mdoc codes VGA", (5, 6, 7, 8, 9, 10), 2, is_engagement=True),
    Series("PixelPass VGA", (5, 10, 15, 20, 25, 30, 35, 40), 4),
    Series("PixelPass 720p", (15, 25, 30, 35, 40), 3, HD),
)


@dataclass(frozen=True)
class Frame:
    series: str
    version: int
    condition: str
    text: str | None = field(repr=False)
    image: Image.Image = field(repr=False, compare=False)
    quality: int | None = None

    def jpeg(self, quality: int = 92) -> bytes:
        """As a camera sends it; one that is about JPEG is what it is, and is not compressed further than it was."""
        return jpeg(self.image, self.quality or quality)


@lru_cache(maxsize=8)
def taken(text: str, version: int | None, mask: int, size: tuple[int, int], share: float, stand: Stand, shift: tuple[float, float]) -> Image.Image:
    """Before anything is wrong with it; most conditions begin with the same."""
    return held(modules(text, version, mask), size, share, stand, shift)


def frame_of(text: str, version: int | None = None, condition: str = "clean", *, size: tuple[int, int] = VGA, share: float = 0.7,
             seed: int = 1, mask: int = 0) -> Image.Image:
    """One frame with this code."""
    wanted = CONDITIONS.get(condition) or EXTRAS[condition]
    noise = numpy.random.default_rng(seed)
    image = taken(text, version, mask, size, share, wanted.stand, tuple(noise.uniform(-9, 9, 2)))
    return wanted.spoil(image, noise) if wanted.spoil else image


def frames(series: Series, conditions=tuple(CONDITIONS), seed: int = 42, text: Callable[[int, random.Random], str] | None = None) -> Iterator[Frame]:
    """Every frame of a series under these conditions, code by code."""
    for version in series.versions:
        for copy in range(series.copies):
            # A seed of its own for each code: what is drawn does not depend on what was drawn before.
            chance = random.Random(f"{seed} {series.name} {version} {copy}")
            content = (text or series.text)(version, chance)
            number = chance.randrange(1 << 32)
            for condition in conditions:
                image = frame_of(content, version, condition, size=series.size, share=series.share(version), seed=number, mask=copy * 3 % 8)
                quality = (CONDITIONS.get(condition) or EXTRAS[condition]).quality
                yield Frame(series.name, version, condition, content, image, quality)


def empty_frames(size: tuple[int, int] = VGA, count: int = 20, seed: int = 42) -> Iterator[Frame]:
    """Frames without a code: walls, stripes, and patches that are none."""
    for number in range(count):
        noise = numpy.random.default_rng([seed, number])
        coarse = noise.uniform(20, 235, (9 + 3 * number, 12 + 4 * number))
        image = Image.fromarray(coarse.astype(numpy.uint8)).resize(size, Image.Resampling.BICUBIC if number % 2 else Image.Resampling.NEAREST)
        yield Frame(f"no code {size[1]}", 0, "no code", None, grey(numpy.asarray(image, float) + noise.normal(0, 3, size[::-1])))
