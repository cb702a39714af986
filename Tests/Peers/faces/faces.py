"""Pictures of faces for a gate's camera and for a credential, from the labelled photographs of `make photos`."""
import io
import os
from pathlib import Path

from PIL import Image

ROOT = Path(__file__).resolve().parents[3]
PHOTOS = ROOT / ".build" / "photos" / "people"
# Which of the two matchers is tried.
MATCHER = os.environ.get("MATCHER") or "dlib"
PLUGIN = ROOT / ".build" / "plugins" / f"face-{MATCHER}.so"
MODELS = ROOT / ".build" / "models" / MATCHER


def missing() -> str | None:
    """What is not there of all that a comparison of real faces needs."""
    for path, target in ((PLUGIN, "matcher"), (MODELS, "models"), (PHOTOS, "photos")):
        if not path.exists():
            return f"{path.relative_to(ROOT)} is not there: make {target}" + (f" MATCHER={MATCHER}" if MATCHER in path.name else "")
    return None


def jpeg(image: Image.Image, quality: int = 85) -> bytes:
    octets = io.BytesIO()
    image.convert("RGB").save(octets, "JPEG", quality=quality)
    return octets.getvalue()


def portrait(path: Path, side: int = 400) -> bytes:
    """A photograph as an issuer would put it into a credential."""
    with Image.open(path) as image:
        image.thumbnail((side, side))
        return jpeg(image)


def shots(path: Path, count: int = 10) -> list[bytes]:
    """The person of a photograph before a camera of 640 x 480, moving a little: each shot is another picture."""
    with Image.open(path) as image:
        image = image.convert("RGB")
        scale = 480 / min(image.width * 3 / 4, image.height)
        image = image.resize((round(image.width * scale), round(image.height * scale)))
        made = []
        for number in range(count):
            shot = Image.new("RGB", (640, 480), (90, 90, 90))
            shot.paste(image, ((640 - image.width) // 2 + number % 3 * 2, -(number % 2)))
            made.append(jpeg(shot, 80 + number % 5))
        return made


def play(folder: Path, pictures: list[bytes]) -> Path:
    """The folder a `dir:` camera shows, with these pictures and no others."""
    folder.mkdir(exist_ok=True)
    for old in folder.iterdir():
        old.unlink()
    for number, octets in enumerate(pictures):
        (folder / f"{number:03}.jpg").write_bytes(octets)
    return folder
