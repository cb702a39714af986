"""Pictures for the cameras of the tests, each unlike the others."""
import io

import numpy
from PIL import Image


def scene(number: int, width: int = 640, height: int = 480) -> numpy.ndarray:
    """Grey steps and some noise that `number` decides: nothing a codec could guess."""
    random = numpy.random.default_rng(number)
    steps = numpy.linspace(30, 220, width, dtype=numpy.uint8)[None, :, None].repeat(height, 0).repeat(3, 2)
    return steps + random.integers(0, 30, (height, width, 1), dtype=numpy.uint8)


def jpeg(number: int, width: int = 640, height: int = 480) -> bytes:
    return encode(scene(number, width, height))


def black(width: int = 640, height: int = 480) -> bytes:
    return encode(numpy.zeros((height, width, 3), numpy.uint8))


def encode(pixels: numpy.ndarray) -> bytes:
    file = io.BytesIO()
    Image.fromarray(pixels).save(file, "JPEG", quality=80)
    return file.getvalue()


def yuyv(number: int, width: int = 640, height: int = 480) -> bytes:
    """Four octets for two pixels: as the standard has it, and of no use but to be compared."""
    return numpy.random.default_rng(number).integers(0, 256, width * height * 2, dtype=numpy.uint8).tobytes()


def truncated(picture: bytes) -> bytes:
    """What is left of a picture when its second half is lost."""
    return picture[:len(picture) // 2]
