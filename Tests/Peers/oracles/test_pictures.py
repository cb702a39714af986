"""Gatehouse's pixels against Pillow's: pictures Pillow makes, decoded by both. JPEG may differ by the rounding of another libjpeg, AVIF by
that of libyuv; PNG, WebP and JPEG 2000 may not."""
import io
import os
import subprocess
from pathlib import Path

import numpy
import pytest
from PIL import Image

CHECK = Path(os.environ.get("GATEHOUSE_PICTURES", Path(__file__).resolve().parents[3] / ".build" / "release" / "picture-check"))
pytestmark = pytest.mark.skipif(not CHECK.exists(), reason=f"no {CHECK}: swift build -c release --product picture-check")


def photo(width: int = 161, height: int = 119) -> Image.Image:
    """Soft colours, edges and some noise."""
    y, x = numpy.mgrid[0:height, 0:width]
    noise = numpy.random.default_rng(7).integers(-12, 12, (height, width, 3))
    base = numpy.stack([128 + 100 * numpy.sin(x / 17), 255 * y / height, 200 * ((x // 20 + y // 20) % 2)], axis=-1)
    return Image.fromarray(numpy.clip(base + noise, 0, 255).astype(numpy.uint8))


def encoded(image: Image.Image, format: str, **options) -> bytes:
    out = io.BytesIO()
    image.save(out, format, **options)
    return out.getvalue()


def decoded(octets: bytes, format: str, kind: str = "portrait", wanted: int = 0) -> numpy.ndarray | str:
    """Pixels, or the name of the error."""
    run = subprocess.run([CHECK, format, kind, str(wanted)], input=octets, capture_output=True, timeout=120)
    if run.returncode != 0:
        return run.stdout.decode().strip()
    return numpy.asarray(Image.open(io.BytesIO(run.stdout)))


def difference(a: numpy.ndarray, b: numpy.ndarray) -> int:
    assert a.shape == b.shape
    return int(numpy.abs(a.astype(int) - b.astype(int)).max())


@pytest.mark.parametrize("subsampling", ["4:4:4", "4:2:2", "4:2:0"])
@pytest.mark.parametrize("quality", [30, 75, 95])
@pytest.mark.parametrize("progressive", [False, True])
def test_jpeg(subsampling, quality, progressive):
    octets = encoded(photo(), "JPEG", subsampling=subsampling, quality=quality, progressive=progressive, optimize=progressive)
    assert difference(decoded(octets, "jpeg"), numpy.asarray(Image.open(io.BytesIO(octets)).convert("RGB"))) <= 2
    if progressive:
        assert decoded(octets, "jpeg", "frame") == "progressive"


def test_jpeg_grey():
    octets = encoded(photo().convert("L"), "JPEG")
    assert difference(decoded(octets, "jpeg", "frame"), numpy.asarray(Image.open(io.BytesIO(octets)).convert("RGB"))) <= 1


@pytest.mark.parametrize("factor", [2, 4])
def test_jpeg_scaled(factor):
    octets = encoded(photo(640, 480), "JPEG", quality=90)
    drafted = Image.open(io.BytesIO(octets))
    drafted.draft("RGB", (640 // factor, 480 // factor))
    assert difference(decoded(octets, "jpeg", "frame", 640 // factor), numpy.asarray(drafted)) <= 2


def test_jpeg_of_print_is_refused():
    assert decoded(encoded(photo().convert("CMYK"), "JPEG"), "jpeg") == "colours"


def on_white(image: Image.Image) -> numpy.ndarray:
    image = image.convert("RGBA")
    return numpy.asarray(Image.alpha_composite(Image.new("RGBA", image.size, "white"), image).convert("RGB"))


@pytest.mark.parametrize("mode", ["1", "L", "LA", "P", "RGB", "RGBA", "I;16"])
def test_png(mode):
    image = photo()
    if mode in ("LA", "RGBA"):
        ramp = numpy.broadcast_to(numpy.linspace(0, 255, image.width).astype(numpy.uint8), (image.height, image.width))
        image = image.convert(mode)
        image.putalpha(Image.fromarray(ramp))
    elif mode == "I;16":
        image = Image.fromarray(numpy.asarray(image.convert("L")).astype(numpy.uint16) * 257)
    else:
        image = image.convert(mode)
    octets = encoded(image, "PNG")
    expected = numpy.asarray(photo().convert("L").convert("RGB")) if mode == "I;16" else on_white(image)
    assert difference(decoded(octets, "png"), expected) <= (1 if mode in ("LA", "RGBA") else 0)


def test_png_with_a_transparent_colour():
    image = photo().convert("P")
    octets = encoded(image, "PNG", transparency=image.getpixel((40, 40)))
    assert difference(decoded(octets, "png"), on_white(Image.open(io.BytesIO(octets)))) == 0


def with_alpha() -> Image.Image:
    image = photo()
    ramp = numpy.broadcast_to(numpy.linspace(0, 255, image.width).astype(numpy.uint8), (image.height, image.width))
    image.putalpha(Image.fromarray(ramp))
    return image


@pytest.mark.parametrize("options", [{"quality": 20}, {"quality": 80}, {"lossless": True}, {"exif": b"Exif\0\0", "icc_profile": b"none"}])
def test_webp(options):
    octets = encoded(photo(), "WEBP", **options)
    assert difference(decoded(octets, "webp"), numpy.asarray(Image.open(io.BytesIO(octets)))) == 0


@pytest.mark.parametrize("lossless", [False, True])
def test_webp_on_white(lossless):
    octets = encoded(with_alpha(), "WEBP", lossless=lossless)
    assert difference(decoded(octets, "webp"), on_white(Image.open(io.BytesIO(octets)))) <= 1


@pytest.mark.parametrize("options", [
    {}, {"irreversible": True}, {"irreversible": True, "quality_mode": "rates", "quality_layers": [40, 20]}, {"no_jp2": True},
    {"tile_size": (64, 64)}, {"num_resolutions": 1}, {"codeblock_size": (16, 16)}, {"precinct_size": (32, 32)}, {"progression": "RPCL"},
    {"progression": "PCRL"}, {"progression": "CPRL"}, {"plt": True}, {"comment": "a comment"}, {"mct": 0}], ids=str)
@pytest.mark.parametrize("mode", ["RGB", "L"])
def test_jpeg_2000(options, mode):
    octets = encoded(photo().convert(mode), "JPEG2000", **options)
    assert difference(decoded(octets, "jp2"), numpy.asarray(Image.open(io.BytesIO(octets)).convert("RGB"))) == 0


@pytest.mark.parametrize("factor", [2, 4])
def test_jpeg_2000_scaled(factor):
    octets = encoded(photo(640, 480), "JPEG2000")
    reduced = Image.open(io.BytesIO(octets))
    reduced.reduce = factor.bit_length() - 1
    assert difference(decoded(octets, "jp2", wanted=640 // factor), numpy.asarray(reduced)) == 0


@pytest.mark.parametrize("subsampling", ["4:4:4", "4:2:2", "4:2:0", "4:0:0"])
@pytest.mark.parametrize("range", ["full", "limited"])
@pytest.mark.parametrize("quality", [30, 90])
def test_avif(subsampling, range, quality):
    octets = encoded(photo(160, 119), "AVIF", subsampling=subsampling, range=range, quality=quality)
    assert difference(decoded(octets, "avif"), numpy.asarray(Image.open(io.BytesIO(octets)).convert("RGB"))) <= 3


@pytest.mark.parametrize("side", range(1, 20))
def test_small_portraits(side):
    for format, name in (("WEBP", "webp"), ("JPEG2000", "jp2"), ("AVIF", "avif")):
        octets = encoded(photo(side, side + 1), format)
        # libyuv does not smooth the last column of an odd width.
        even = side & ~1 or 1
        expected = numpy.asarray(Image.open(io.BytesIO(octets)).convert("RGB"))
        assert difference(decoded(octets, name)[:, :even], expected[:, :even]) <= (4 if name == "avif" else 0), format


def several(format: str) -> bytes:
    out = io.BytesIO()
    photo().save(out, format, save_all=True, append_images=[photo().rotate(90)], duration=100)
    return out.getvalue()


def test_what_no_portrait_is():
    grey = numpy.asarray(photo().convert("L")).astype(numpy.uint16) * 257
    assert decoded(several("WEBP"), "webp") == decoded(several("AVIF"), "avif") == "animated"
    assert decoded(encoded(with_alpha(), "AVIF"), "avif") == "composed"
    assert decoded(encoded(with_alpha(), "JPEG2000"), "jp2") == decoded(encoded(photo().convert("YCbCr"), "JPEG2000"), "jp2") == "colours"
    assert decoded(encoded(Image.fromarray(grey), "JPEG2000"), "jp2") == "precision"


@pytest.mark.parametrize("format", ["GIF", "BMP", "WEBP", "TIFF", "JPEG2000", "AVIF", "JPEG", "PNG"])
def test_other_formats_are_refused(format):
    octets = encoded(photo(), format)
    own = {"WEBP": "webp", "JPEG2000": "jp2", "AVIF": "avif", "JPEG": "jpeg", "PNG": "png"}.get(format)
    assert {decoded(octets, name) for name in ("jpeg", "png", "webp", "jp2", "avif") if name != own} == {"noStart"}
