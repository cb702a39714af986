"""What the face matchers take on small boards, without one: their instructions as programs for arm64, counted under emulation, and an estimate.

    board_faces.py [CPU ...]

The estimate is instructions / (clock x instructions a cycle), by the ranges of docs/specifications/face.md: nobody has measured it on a board, and
it may be off by 40 %, by more where a board is hot. The pictures are those of `make photos`; image/arm64 makes the programs.
"""
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from PIL import Image

ROOT = Path(__file__).resolve().parents[3]
PHOTOS = ROOT / ".build/photos/people/obama"
COUNTER = ROOT / "image/arm64/instructions.sh"
# Seconds between two frames that are compared, and what a decision may take from the credential that is believed on.
SPACING, GOAL = 0.15, 2.5


class Board(NamedTuple):
    name: str
    clock: float
    # Instructions a cycle, of the search and the networks together.
    least: float
    most: float

    def seconds(self, instructions: float) -> tuple[float, float]:
        return instructions / self.clock / self.most, instructions / self.clock / self.least


BOARDS = {"cortex-a53": Board("Zero 2 W, 1.0 GHz", 1.0e9, 0.6, 1.05), "cortex-a72": Board("Pi 4, 1.5 GHz", 1.5e9, 1.1, 1.7),
          "cortex-a76": Board("Pi 5, 2.4 GHz", 2.4e9, 2.0, 3.0)}


def decision(board: Board, portrait: int, first: int, following: int) -> tuple[float, float]:
    """The portrait, a frame, and two more that come no sooner than the rule compares them."""
    return tuple(board.seconds(portrait)[i] + board.seconds(first)[i] + 2 * max(SPACING, board.seconds(following)[i]) for i in (0, 1))


def main(cpus: list[str]) -> int:
    if not PHOTOS.is_dir() or not all((ROOT / f".build/models/{matcher}").is_dir() for matcher in ("dlib", "sface")):
        print("faces on small boards: skipped, needs make photos and make models for both matchers")
        return 0
    with tempfile.TemporaryDirectory() as folder:
        portrait, frame = Path(folder) / "portrait.jpg", Path(folder) / "frame.jpg"
        with Image.open(PHOTOS / "obama.jpg") as image:
            image.convert("RGB").resize((400, 500)).save(portrait, quality=90)
        subprocess.run([ROOT / ".build/matcher/bench-dlib", "frame", PHOTOS / "obama2.jpg", frame, "640", "480", "1.4"], check=True)
        counted = subprocess.run([COUNTER, portrait, frame, *cpus], check=True, stdout=subprocess.PIPE, text=True).stdout
    for line in counted.splitlines():
        matcher, cpu, *numbers = line.split()
        board = BOARDS[cpu]
        opening, reference, first, following = map(int, numbers)
        low, high = decision(board, reference, first, following)
        goal = f", goal {GOAL}" if cpu == "cortex-a53" else ""
        print(f"{matcher} on {cpu}: {opening / 1e6:.0f} million instructions to open, {reference / 1e6:.0f} a portrait of 400 x 500, "
              f"{first / 1e6:.0f} the first frame of 640 x 480, {following / 1e6:.0f} the next; estimated for a {board.name}: "
              f"a frame {board.seconds(following)[0]:.2f} to {board.seconds(first)[1]:.2f} s, from the credential to the verdict "
              f"{low:.1f} to {high:.1f} s, {(low + high) / 2:.1f} in the middle{goal}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:] or list(BOARDS)))
