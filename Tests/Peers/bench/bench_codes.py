"""Codes before the camera, read through the whole camera path, against the library called by a bare C++ program; both with this machine's
library and, where it is x86-64, with Debian 13's, which is the image's.

    bench_codes.py [PATH OF gatehouse-vision] [--rounds N]

The frames are those of pixelpass.md section 4.2 (`codes/code_frames.py`), as JPEG: the camera's way of sending them. The same file goes to the
worker in its sandbox and to the bare program in turn, and each is measured from handing it over to having the text. Every text is given to the
gate's own sniffer afterwards (`gatehouse verify --code`).
"""
import argparse
import json
import random
import statistics
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from time import perf_counter

import numpy
import zxingcpp
from cryptography.hazmat.primitives.asymmetric import ed25519

import code_frames
from bench_faces import Worker, memory, milliseconds, processor_seconds
from cards import CardIssuer, filled_card, write_card_trust
from code_frames import CONDITIONS, EXTRAS, SERIES, Frame, Series, empty_frames, frames, room
from code_rig import TYPE, gate

ROOT = Path(__file__).resolve().parents[3]
BUILT = ROOT / ".build/release/gatehouse-vision"
FOLDER = ROOT / ".build/codes"
GOAL = 1.15
# pixelpass.md section 4.2, zxing-cpp 2.3.0 of trixie: how many of a series are read, and how many inverted and mirrored ones.
TABLE = {"mdoc codes VGA": 132, "PixelPass VGA": 335, "PixelPass 720p": 164}
ORACLE = {"mdoc codes VGA": 132, "PixelPass VGA": 336, "PixelPass 720p": 165}
INVERTED, MIRRORED_VGA = 59, 44
# How much slower a processor is than this one, of the same section; not measured.
SLOWER = {"Cortex-A72": (3, 4), "Cortex-A53": (6, 8)}
RATE = 10  # frames a second that the gate looks at


class Direct:
    """`zxing_direct.cpp`: the library alone."""

    def __init__(self, program: Path) -> None:
        self.process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.library = self.process.stdout.readline().strip()
        self.pid = self.process.pid

    def read(self, path: Path) -> str | None:
        self.process.stdin.write(f"{path}\n")
        self.process.stdin.flush()
        _, _, octets = self.process.stdout.readline().split()
        return None if octets == "-" else bytes.fromhex(octets).decode("latin-1")

    def end(self) -> None:
        self.process.kill()
        self.process.wait()


class CodeWorker(Worker):
    """gatehouse-vision's role `code`."""
    ROLE, HELLO, OPTIONS = "code", 0x8010, ()
    CODES, HEAD_OF_READING, READ = 4, 28, 1

    @property
    def library(self) -> str:
        """`u8 length of the name | name | version`."""
        count = self.hello[0]
        return f"{self.hello[1:1 + count].decode()} {self.hello[1 + count:].decode()}"

    def read(self, path: Path) -> str | None:
        reading = self.ask(self.CODES, path)
        return reading[self.HEAD_OF_READING:].decode("latin-1") if reading[0] == self.READ else None


@dataclass
class Found:
    """What one subject made of the frames: how many were read, and how long each took."""
    read: Counter = field(default_factory=Counter)
    of_version: Counter = field(default_factory=Counter)
    wall: dict = field(default_factory=lambda: defaultdict(list))
    processor: dict = field(default_factory=lambda: defaultdict(list))
    wrong: int = 0

    def take(self, frame: Frame, text: str | None, wall: float, processor: float) -> None:
        self.wall[frame.series].append(wall)
        self.processor[frame.series].append(processor)
        if text is None:
            return
        if text != frame.text:
            self.wrong += 1
            return
        self.read[frame.series, frame.condition] += 1
        if frame.condition in CONDITIONS:
            self.of_version[frame.series, frame.version] += 1

    def of(self, series: Series) -> int:
        return sum(self.read[series.name, condition] for condition in CONDITIONS)


def issuer() -> CardIssuer:
    """The same each time, so that the same frames are drawn each time."""
    return CardIssuer("EdDSA", key=ed25519.Ed25519PrivateKey.from_private_bytes(sha256(b"bench_codes.py").digest()))


def card_text(series: Series):
    """Real cards, filled with a photo of random octets, where a version has room for one."""
    always = {"c4": 2_000_000_000, "c5": 1_700_000_000, "c6": 1_700_000_000}

    class Fixed(CardIssuer):
        def card(self, photo: bytes | None = None, **more) -> str:
            return super().card(photo, **more, **always)

    fixed = Fixed("EdDSA", key=issuer().key)
    least = len(fixed.card(b""))

    def text(version: int, chance: random.Random) -> str:
        most = room(version, False)
        return series.text(version, chance) if series.is_engagement or most < least else filled_card(fixed, most, chance.randbytes(3000))

    return text


def draw(folder: Path) -> list[tuple[Frame, Path]]:
    """Every frame as a file. Says what the tests' own reader makes of them before they are JPEG: whether they are as hard as they should be."""
    drawn = []
    for series in SERIES:
        read = 0
        for frame in frames(series, (*CONDITIONS, *EXTRAS), text=card_text(series)):
            drawn.append(frame)
            found = zxingcpp.read_barcode(numpy.asarray(frame.image), formats=zxingcpp.BarcodeFormat.QRCode)
            read += frame.condition in CONDITIONS and found is not None and found.text == frame.text
        print(f"{series.name}: {read} read as drawn by zxing-cpp 3.1.1 of PyPI, {ORACLE[series.name]} in pixelpass.md", flush=True)
    for size in (code_frames.VGA, code_frames.HD):
        drawn += empty_frames(size)
    paths = []
    for number, frame in enumerate(drawn):
        path = folder / f"{number:04}.jpg"
        path.write_bytes(frame.jpeg())
        paths.append((frame, path))
    return paths


def measure(subjects: dict[str, object], drawn: list[tuple[Frame, Path]], rounds: int) -> dict[str, Found]:
    found = {name: Found() for name in subjects}
    order = list(subjects)
    # What a process does for the first time, it does slowly.
    for subject in subjects.values():
        for _, path in drawn[:20]:
            subject.read(path)
    for turn in range(rounds):
        for number, (frame, path) in enumerate(drawn):
            # Each is first as often as the others.
            start = (turn + number) % len(order)
            for name in order[start:] + order[:start]:
                subject = subjects[name]
                before, began = processor_seconds(subject.pid), perf_counter()
                text = subject.read(path)
                wall, processor = perf_counter() - began, processor_seconds(subject.pid) - before
                if turn == 0:
                    found[name].take(frame, text, wall, processor)
                else:
                    found[name].wall[frame.series].append(wall)
                    found[name].processor[frame.series].append(processor)
    return found


def print_rates(names: dict[str, str], found: dict[str, Found]) -> bool:
    """The tables of what was read. False where the image's library reads less than pixelpass.md has for it."""
    is_enough = True
    for series in SERIES:
        count = len(series.versions) * series.copies
        print(f"\n{series.name}: of {count} each")
        print(f"  {'':34}" + "".join(f"{condition[:13]:>14}" for condition in (*CONDITIONS, *EXTRAS)))
        for name, each in found.items():
            print(f"  {names[name]:34}" + "".join(f"{each.read[series.name, condition]:14}" for condition in (*CONDITIONS, *EXTRAS)))
        for name, each in found.items():
            versions = ", ".join(f"v{version} {each.of_version[series.name, version]}" for version in series.versions)
            print(f"  {names[name]}: {each.of(series)} of {count * len(CONDITIONS)}; of {series.copies * len(CONDITIONS)} each: {versions}")
            if name == "worker, trixie" and each.of(series) < TABLE[series.name]:
                is_enough = False
                print(f"  fewer than the {TABLE[series.name]} of pixelpass.md section 4.2")
    for name, each in found.items():
        inverted = sum(each.read[series.name, "inverted"] for series in SERIES)
        mirrored = sum(each.read[series.name, "mirrored"] for series in SERIES if series.size == code_frames.VGA)
        print(f"{names[name]}: {inverted} of {INVERTED} inverted, {mirrored} of {MIRRORED_VGA} mirrored ones at VGA, {each.wrong} wrong texts")
        if each.wrong or name == "worker, trixie" and (inverted < INVERTED or mirrored < MIRRORED_VGA):
            is_enough = False
    return is_enough


def print_times(names: dict[str, str], found: dict[str, Found]) -> None:
    rows = [series.name for series in SERIES] + ["no code 480", "no code 720"]
    for row in rows:
        print(f"\n{row}: a frame, JPEG to text")
        for name, each in found.items():
            own, processor = statistics.median(each.wall[row]), statistics.median(each.processor[row])
            bare = name.replace("worker", "library alone")
            ratio = ""
            if name != bare:
                floor, floor_processor = statistics.median(found[bare].wall[row]), statistics.median(found[bare].processor[row])
                ratio = f", {own / floor:.2f} times the library alone (processor {processor / floor_processor:.2f}; goal {GOAL})"
            share = f"{100 * RATE * processor:.1f} % of a processor at {RATE} frames a second"
            others = ", ".join(f"{processor * low * 1000:.0f} to {processor * high * 1000:.0f} ms and {100 * RATE * processor * low:.0f} to "
                               f"{100 * RATE * processor * high:.0f} % of a {kind}" for kind, (low, high) in SLOWER.items())
            print(f"  {names[name]}: {milliseconds(own)}, of the processor {milliseconds(processor)}{ratio}; {share}"
                  + (f"; estimated, not measured: {others}" if name != bare else ""))


def print_share(folder: Path) -> None:
    """What a gate takes that looks for codes, and sees none, ten times a second."""
    for size, name in ((code_frames.VGA, "640 x 480"), (code_frames.HD, "1280 x 720")):
        with gate(folder / name.replace(" ", ""), "--codes-without-face", TYPE) as made:
            made.shows([frame.jpeg() for frame in empty_frames(size, 12)])
            made.waits(2)
            (worker,) = made.workers()
            processes = {"worker": worker, "gate": made.gate.process.pid}
            before, began = {each: processor_seconds(process) for each, process in processes.items()}, perf_counter()
            made.waits(10)
            lasted = perf_counter() - began
            shares = {each: 100 * (processor_seconds(process) - before[each]) / lasted for each, process in processes.items()}
            print(f"a gate that looks for codes and sees none, {name} at {RATE} frames a second: of a processor, the worker "
                  f"{shares['worker']:.1f} % and the gate {shares['gate']:.1f} %")


def sniff(program: Path, texts: set[str], folder: Path) -> bool:
    """What the gate makes of every card that was drawn. False where one is not accepted."""
    write_card_trust(folder / "trust", issuer())
    reasons = Counter()
    for text in sorted(texts):
        done = subprocess.run([program, "verify", "--json", "--code", "-", "--trust", folder / "trust"], input=text.encode(), capture_output=True)
        said = json.loads(done.stdout) if done.returncode in (0, 1) and done.stdout else {}
        reasons[said.get("verdict", "nothing") + "".join(" " + str(reason.get("code", "")) for reason in said.get("reasons", []))] += 1
    print(f"\nthe gate's own sniffer and verifier of the {len(texts)} texts: " + ", ".join(f"{count} {what}" for what, count in reasons.items()))
    # Version 5 has no room for a card: its text is no credential.
    return reasons["accept"] == sum(len(text) > room(5, False) for text in texts)


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("program", nargs="?", default=str(BUILT))
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    subprocess.run([Path(__file__).with_name("zxing.sh"), options.program], check=True)
    subjects = {"library alone": Direct(FOLDER / "zxing-direct"), "worker": CodeWorker(options.program)}
    if (FOLDER / "zxing-direct-trixie").exists():
        subjects["library alone, trixie"] = Direct(FOLDER / "zxing-direct-trixie")
        subjects["worker, trixie"] = CodeWorker(str(FOLDER / "gatehouse-vision-trixie"))
    names = {name: f"{name.removesuffix(', trixie')}, {subject.library}" for name, subject in subjects.items()}
    try:
        with tempfile.TemporaryDirectory() as temporary:
            folder = Path(temporary)
            drawn = draw(folder)
            found = measure(subjects, drawn, options.rounds)
            is_enough = print_rates(names, found)
            print_times(names, found)
            for name, subject in subjects.items():
                resident, most = memory(subject.pid)
                started = f", ready in {milliseconds(subject.start)}" if isinstance(subject, Worker) else ""
                print(f"{names[name]}: {resident:.0f} MiB resident after {len(drawn) * options.rounds} frames, {most:.0f} at most{started}")
            print()
            print_share(folder)
            cards = {frame.text for frame, _ in drawn if frame.text and not frame.text.startswith("mdoc:")}
            is_enough &= sniff(Path(options.program).with_name("gatehouse"), cards, folder)
    finally:
        for subject in subjects.values():
            subject.end()
    return 0 if is_enough else 1


if __name__ == "__main__":
    sys.exit(main())
