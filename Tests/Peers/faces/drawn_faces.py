"""Pictures the test matcher sees faces in (Tests/Plugins/matcher.h): squares of one colour on grey, with eyes."""
import base64
import io
from pathlib import Path

from PIL import Image, ImageDraw

from gate import command, is_reference

PLUGINS = Path(__file__).resolve().parents[3] / ".build" / "plugins" / "test"
PLUGIN_ID, MODEL = "test-colour", "0" * 64


def picture(*colours: tuple[int, int, int], side: int = 200, corner: bool = False) -> Image.Image:
    """A face of each colour, beside each other; `corner` is what the test matcher takes for an attack."""
    image = Image.new("RGB", (640, 480), (128, 128, 128))
    draw = ImageDraw.Draw(image)
    for place, colour in enumerate(colours):
        left, top, eye = 60 + place * (side + 60), 120, side // 16
        draw.rectangle((left, top, left + side - 1, top + side - 1), fill=colour)
        for middle in (left + side // 4, left + side * 3 // 4):
            draw.rectangle((middle - eye, top + side * 3 // 8 - eye, middle + eye, top + side * 3 // 8 + eye), fill=(0, 0, 0))
    if corner:
        draw.rectangle((0, 0, 31, 31), fill=(255, 255, 255))
    return image


def octets(image: Image.Image, kind: str = "PNG") -> bytes:
    made = io.BytesIO()
    image.save(made, kind)
    return made.getvalue()


def data_uri(octets: bytes, kind: str) -> str:
    return f"data:{kind};base64," + base64.b64encode(octets).decode()


def similarity(one: tuple[int, int, int], other: tuple[int, int, int]) -> float:
    return max(0.0, 1 - sum((a - b) ** 2 for a, b in zip(one, other)) ** 0.5 / 256)


def missing() -> str | None:
    """Why there is nothing to test with."""
    if is_reference():
        return "the reference gate compares no faces"
    if not (PLUGINS / "test_matcher.so").exists():
        return "the tests' plug-ins are not there: Tests/Scripts/plugins.sh"
    if not Path(command()[0]).resolve().with_name("gatehouse-vision").exists():
        return "there is no gatehouse-vision beside the gate"
    return None
