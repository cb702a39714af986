"""A gate whose camera is a folder of pictures, before which codes are held and people stand; and the record of each visit."""
import asyncio
import contextlib
import io
import itertools
import os
import random
import subprocess
import time
from functools import lru_cache
from pathlib import Path

import numpy
import zxingcpp
from PIL import Image

import cards
import code_frames
import faces
import issuer
from face_rig import RED, FaceRig, drawing, standing
from phone import Plan
from rig import Rig

RATE = 20  # pictures a second that the folder gives; the gate looks at ten
REVOKED = 7
TYPE = "claim-169"
# Shades of photos not used yet. Neighbours can be the same JPEG, and one drawn by lot can be that of a card that is locked out.
UNUSED = itertools.cycle(3 * step % 100 for step in range(100))


@lru_cache(maxsize=64)
def shots(text: str, condition: str = "clean", quality: int = 92) -> tuple[bytes, ...]:
    """A code that is held before the camera, moving a little: a library that misses one shot has the next."""
    made = []
    for seed, share in ((1, 0.94), (2, 0.88), (3, 0.91), (4, 0.8), (5, 0.85)):
        made.append(code_frames.jpeg(code_frames.frame_of(text, None, condition, share=share, seed=seed), quality))
    return tuple(made)


def nothing() -> tuple[bytes, ...]:
    """A place where nobody is."""
    return tuple(standing())


def printed(text: str, spoil=None, quality: int = 90, shift: int = 0) -> bytes:
    """One shot of a code, drawn quickly by the reader's own writer: for a machine that is emulated, and for very many."""
    code = numpy.asarray(zxingcpp.create_barcode(text, zxingcpp.BarcodeFormat.QRCode, ec_level="L").to_image(scale=1, add_quiet_zones=False))
    scale = (440 - 5 * shift) // (len(code) + 8)
    card = numpy.pad(numpy.kron(code, numpy.ones((scale, scale), numpy.uint8)), 4 * scale, constant_values=255)
    frame = numpy.full((480, 640), code_frames.WALL, numpy.uint8)
    top, left = (480 - len(card)) // 2 + shift, (640 - len(card)) // 2 - shift
    frame[top:top + len(card), left:left + len(card)] = numpy.clip(card, code_frames.BLACK, code_frames.WHITE)
    image = Image.fromarray(frame)
    return code_frames.jpeg(spoil(image) if spoil else image, quality)


def on_a_screen(image: Image.Image) -> Image.Image:
    """A phone in its dark mode, dimmed, its grid beaten with the camera's."""
    dimmed = code_frames.grey(0.7 * (255 - numpy.asarray(image, float)))
    return code_frames.moire(dimmed, numpy.random.default_rng(1))


def held_by(text: str, *people) -> list[bytes]:
    """Pictures of a person and the code they hold up beside their face, 1280 x 720."""
    made = []
    for shift, share in ((0, 0.98), (3, 0.94), (6, 0.9), (9, 0.96), (12, 0.92)):
        picture = Image.open(io.BytesIO(drawing(*people, size=code_frames.HD, side=320, shift=shift)))
        code = code_frames.held(code_frames.modules(text), (700, 700), share)
        picture.paste(code.convert("RGB"), (570 - shift, 10))
        made.append(faces.jpeg(picture, 90))
    return made


def photo(colour=RED, number: int | None = None, kind: int = cards.JPEG) -> bytes:
    """A photo for a card, of its own for each: attempts are counted by it."""
    shade = 100 + (next(UNUSED) if number is None else number % 100)
    picture = Image.open(io.BytesIO(drawing(colour, size=(400, 400), background=(shade, shade, shade))))
    return cards.small_photo(picture, kind, side=180, quality=60)


class CodeRig:
    """Visits by code. `kind` is the camera's; options go to the gate."""

    def __init__(self, folder: Path, *options: str, made=None, camera: str = "dir", codes: str = "always", **more) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self.frames = faces.play(folder / "frames", list(nothing()))
        link = {"dir": f"dir:{self.frames},{RATE}", "file": f"file:{folder / 'film.mjpeg'},{RATE}", "stdin": "stdin:"}.get(camera, camera)
        (folder / "film.mjpeg").write_bytes(b"".join(nothing()))
        plain = ["--camera", link, "--face", "off", "--codes", codes]
        self.rig = (made or Rig)(folder, *(FaceRig.options(folder, link, codes=codes, **more) if "policy" in more else plain), *options, **({} if made else {"algorithms": ("ES256",)}))
        self.issuer = cards.CardIssuer()
        cards.write_card_trust(self.rig.trust, self.issuer, lists=cards.lists_of(self.issuer, REVOKED))

    def open(self) -> "CodeRig":
        self.rig.open()
        self.run(self.gate.uri())
        self.says("codes are read by")
        return self

    def close(self) -> None:
        self.rig.close()

    @property
    def gate(self):
        return self.rig.gate

    def run(self, coroutine):
        return self.rig.run(coroutine)

    def says(self, words: str) -> str:
        return self.rig.says(words)

    # MARK: what is before the camera

    def draws(self, make, *arguments, **more):
        """Draws beside the air, which has to be served meanwhile."""
        return self.run(asyncio.to_thread(make, *arguments, **more))

    def shows(self, pictures) -> None:
        faces.play(self.frames, list(pictures))

    def holds(self, text: str, condition: str = "clean") -> None:
        """Somebody holds up this code."""
        self.shows(self.draws(shots, text, condition))

    def leaves(self) -> None:
        self.shows(nothing())

    def waits(self, seconds: float) -> None:
        """Lets the gate look for a while, for what must not happen. Nothing depends on how much it sees in that time."""
        self.run(asyncio.sleep(seconds))

    # MARK: what becomes of it

    def mark(self) -> int:
        """The number of records so far, of a gate that is well."""
        self.rig.restart_if_left_alone()
        return len(self.gate.verdicts())

    def record(self, mark: int) -> dict:
        """The first record of a visit behind `mark`."""
        return self.run(self.gate.until(lambda: self.gate.verdicts()[mark:], what="the record"))[0]

    def judged(self, text: str, condition: str = "clean") -> dict:
        """What becomes of a code that is held up."""
        mark = self.mark()
        self.holds(text, condition)
        record = self.record(mark)
        self.leaves()
        assert record.get("presentation") == "code", record
        return record

    def accepts(self, text: str | None = None, condition: str = "clean") -> dict:
        began = time.monotonic()
        record = self.judged(text or self.card(), condition)
        assert record["outcome"] == "accepted" and "reasons" not in record, (record, self.gate.errors[-5:])
        self.rig.light("accept", began)
        return record

    def refuses(self, text: str, reason: str) -> dict:
        began = time.monotonic()
        record = self.judged(text)
        assert (record["outcome"], record["reasons"]) == ("rejected", [reason]), (record, self.gate.errors[-5:])
        assert record.get("holder") != "bound"
        self.rig.light("reject", began)
        return record

    def still_serves(self) -> None:
        """What every accident is followed by: a card, and a phone."""
        self.accepts()
        self.rig.still_serves()

    # MARK: before a gate that compares faces

    def looked_at(self, text: str, *people, condition: str = "clean") -> dict:
        """Holds up a code, and stands there as soon as the gate looks at who does."""
        # Drawn before: the gate looks for some seconds only.
        pictures = self.draws(standing, *people)
        mark, began = self.mark(), time.monotonic()
        self.holds(text, condition)
        self.rig.light("look", began)
        self.shows(pictures)
        record = self.record(mark)
        self.leaves()
        assert record.get("presentation") == "code", record
        return record

    # MARK: cards

    def card(self, picture: bytes | None = None, **more) -> str:
        """One that was never shown."""
        more.setdefault("person", {1: random.randbytes(8).hex()})
        return self.issuer.card(picture, **more)

    def bad(self, name: str, picture: bytes | None = None) -> tuple[str, str]:
        if name == "revoked":
            return self.issuer.revoked(REVOKED, picture, person={1: random.randbytes(8).hex()}), "revoked"
        return cards.bad_cards(self.issuer, picture)[name]

    # MARK: processes

    def workers(self, role: str = "code") -> list[int]:
        """Those of this gate with this role."""
        return [process for process in descendants(self.gate.process.pid) if role in command_line(process)]

    def worker(self, role: str = "code") -> int:
        """The one there is with this role: the gate ends one that is too slow, and starts another."""
        return self.run(self.gate.until(lambda: len(found := self.workers(role)) == 1 and found, what=f"a worker ({role})"))[0]

    def visit(self, plan: Plan = Plan("ios")):
        """A phone's visit, and its record."""
        mark = self.mark()
        visit = self.rig.visit(plan, issuer.wrap(self.rig.issuer.credential(500)))
        return visit, self.record(mark)


def command_line(process: int) -> list[str]:
    try:
        return Path(f"/proc/{process}/cmdline").read_text().split("\0")
    except OSError:
        return []


def descendants(process: int) -> list[int]:
    """A process's children and theirs."""
    parents = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                parents[int(name)] = int(Path(f"/proc/{name}/stat").read_text().rpartition(")")[2].split()[1])
            except OSError:
                continue
    found, new = [], [process]
    while new:
        new = [child for child, parent in parents.items() if parent in new]
        found += new
    return found


@contextlib.contextmanager
def gate(folder, *options, **more):
    """One that is open for as long as it is needed."""
    subprocess.run([faces.ROOT / "Tests" / "Scripts" / "plugins.sh"], check=True)
    made = CodeRig(folder, *options, **more).open()
    try:
        yield made
    finally:
        made.close()
