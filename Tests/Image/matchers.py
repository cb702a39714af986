"""Both face matchers on the board: the image has them and their models, and they tell people apart in the worker's sandbox. One function each, as in
scenarios.py."""
import io
import subprocess
from pathlib import Path

from PIL import Image
from scenarios import Stage, check

ROOT = Path(__file__).resolve().parents[2]
PHOTOS = ROOT / ".build/photos/people"
FOLDER = "/run/photographs"
# Two of one person, one of another: the part with the face, and how large it is made.
PARTS = {"one": ("obama/obama.jpg", (0, 0, 910, 1000)), "same": ("obama/obama2.jpg", (0, 0, 626, 700)), "other": ("biden/biden.jpg", (0, 0, 970, 1000))}
LONGEST = 640


def photograph(name: str, part: tuple[int, int, int, int]) -> bytes:
    octets = io.BytesIO()
    with Image.open(PHOTOS / name) as image:
        face = image.convert("RGB").crop(part)
        face.thumbnail((LONGEST, LONGEST))
        face.save(octets, "JPEG", quality=80)
    return octets.getvalue()


def compared_by(matcher: str):
    def scenario(stage: Stage) -> str:
        # Published photographs, of Debian's: fetched where they are not there.
        subprocess.run([ROOT / "Tests/Scripts/photos.sh"], check=True, stdout=subprocess.DEVNULL)
        board = stage.board()
        board.output(f"mkdir -p {FOLDER}")
        for name, (path, part) in PARTS.items():
            board.put(photograph(path, part), f"{FOLDER}/{name}.jpg")
        said = {
            name: board.run(f"gatehouse face compare {FOLDER}/{name}.jpg {FOLDER}/one.jpg --face-matcher {matcher} --timeout 300", 900)
            for name in ("same", "other")
        }
        board.output(f"rm -r {FOLDER}")
        check(said["same"] == (0, "match\n") and said["other"] == (1, "no-match\n"), f"{said}")
        size = board.output(f"du -ck /usr/lib/gatehouse/face-{matcher}.so /usr/share/gatehouse/models/{matcher} | tail -n 1").split()[0]
        return f"two of one person match, two of two do not; plug-in and models {int(size) / 1000:.0f} MB"

    return scenario


ALL = {f"faces compared by {matcher}": compared_by(matcher) for matcher in ("dlib", "sface")}
