"""The face matchers against bare dlib: time and memory per frame, through the plug-in and through the whole worker; and their error rates.

    bench_faces.py [PATH OF gatehouse-vision] [--rounds N]
    bench_faces.py rates

The same JPEG frames go to these processes in turn: dlib as in its examples, which searches the whole frame, as the default matcher did before it
searched as little as it has to; each plug-in without a worker; and each in a worker, in its sandbox. Each is measured from handing a frame over
to having the answer. The pictures are those of `make photos`, the matchers and models those of `make matcher`.
"""
import argparse
import math
import os
import socket
import statistics
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
BUILT = ROOT / ".build/release/gatehouse-vision"
RATES = ROOT / ".build/matcher-tests/rates"
TOOLS = ROOT / ".build/matcher"
PHOTOS = ROOT / ".build/photos"
# Of bare dlib's time for a frame with a face; and MiB resident.
GOALS = {"dlib": 0.75, "sface": 0.70}
MOST_RESIDENT = {"sface": 90}
# As the gate tells a worker: the standard's smallest face, and nothing else that a photograph might not pass.
GATES = "60,0,0,255,90,90,90,1"


def plugin(matcher: str) -> Path:
    return ROOT / f".build/plugins/face-{matcher}.so"


def models(matcher: str) -> Path:
    return ROOT / f".build/models/{matcher}"


class Process:
    """One that answers a line with a line: bare dlib, or the plug-in alone."""

    def __init__(self, *arguments: object) -> None:
        began = time.perf_counter()
        self.process = subprocess.Popen([str(TOOLS / "bench-dlib"), *map(str, arguments)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout.readline() == "open\n"
        self.start = time.perf_counter() - began
        self.pid = self.process.pid

    def ask(self, line: str) -> list[str]:
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        return self.process.stdout.readline().split()

    def reference(self, path: Path) -> None:
        self.ask(f"reference {path}")

    def probe(self, path: Path) -> float:
        """The similarity to the reference, -1 without a face."""
        return float(self.ask(f"probe {path}")[2])

    def end(self) -> None:
        self.process.kill()
        self.process.wait()


class Worker:
    """gatehouse-vision's worker, spoken to as the gate does: here the matcher."""
    HEAD = struct.Struct("<IHHI")
    PICTURE = struct.Struct("<HHIIIQI")
    JPEG = 16
    REFERENCE, PROBE = 1, 2
    ROLE, HELLO = "matcher", 0x8000
    OPTIONS = ("--memory", "512", "--probe-time", "60000", "--reference-time", "60000", "--gates", GATES)

    def __init__(self, program: str, matcher: str | None = None) -> None:
        files = ("--plugin", str(plugin(matcher)), "--models", str(models(matcher))) if matcher else ()
        self.stream, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        began = time.perf_counter()
        end = other.fileno()
        self.process = subprocess.Popen(
            [program, self.ROLE, "--parent", str(os.getpid()), "--lenient", *files, *self.OPTIONS],
            pass_fds=(3,), preexec_fn=lambda: os.dup2(end, 3, inheritable=True), stdin=subprocess.DEVNULL,
            env={"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MALLOC_ARENA_MAX": "1"})
        other.close()
        self.pid = self.process.pid
        self.request = 0
        kind, self.hello = self.receive()
        self.start = time.perf_counter() - began
        if kind != self.HELLO:
            raise RuntimeError(f"the worker could not begin: {self.hello.hex()}")

    def receive(self) -> tuple[int, bytes]:
        length, kind, _, _ = self.HEAD.unpack(self.exactly(self.HEAD.size))
        return kind, self.exactly(length)

    def exactly(self, count: int) -> bytes:
        octets = bytearray()
        while len(octets) < count:
            more = self.stream.recv(count - len(octets))
            if not more:
                raise EOFError("the worker ended")
            octets += more
        return bytes(octets)

    def ask(self, kind: int, path: Path) -> bytes:
        picture = self.PICTURE.pack(self.JPEG, 0, 0, 0, 0, time.monotonic_ns(), self.request) + path.read_bytes()
        self.request += 1
        self.stream.sendall(self.HEAD.pack(len(picture), kind, 1, self.request) + picture)
        answered, payload = self.receive()
        assert answered == kind | 0x8000, answered
        return payload

    def reference(self, path: Path) -> None:
        status, = struct.unpack_from("<i", self.ask(self.REFERENCE, path))
        assert status == 0, status

    def probe(self, path: Path) -> float:
        payload = self.ask(self.PROBE, path)
        return struct.unpack_from("<d", payload, len(payload) - 8)[0] if payload[:4] == bytes(4) else -1

    def end(self) -> None:
        self.process.kill()
        self.process.wait()
        self.stream.close()


def processor_seconds(pid: int) -> float:
    """What the scheduler gave a process, to the nanosecond."""
    return int(Path(f"/proc/{pid}/schedstat").read_text().split()[0]) / 1e9


def memory(pid: int) -> tuple[float, float]:
    """MiB resident, and at most so far."""
    text = Path(f"/proc/{pid}/status").read_text()
    return tuple(int(text.split(name + ":")[1].split()[0]) / 1024 for name in ("VmRSS", "VmHWM"))


def milliseconds(seconds: float) -> str:
    return f"{seconds * 1000:.1f} ms"


def measure(subjects: dict[str, object], frames: dict[str, Path], rounds: int) -> None:
    for kind, frame in frames.items():
        wall = {name: [] for name in subjects}
        processor = {name: [] for name in subjects}
        scores = {}
        order = list(subjects)
        for number in range(rounds + 3):
            # Each is first as often as the others.
            for name in order[number % len(order):] + order[:number % len(order)]:
                subject = subjects[name]
                before = processor_seconds(subject.pid)
                began = time.perf_counter()
                scores[name] = subject.probe(frame)
                if number >= 3:
                    wall[name].append(time.perf_counter() - began)
                    processor[name].append(processor_seconds(subject.pid) - before)
        # Not the same numbers: the faces are found at another size, and by another network.
        assert len({score > 0.75 for score in scores.values()}) == 1, scores
        bare = statistics.median(wall["bare dlib"])
        bare_processor = statistics.median(processor["bare dlib"])
        for name in subjects:
            own, own_processor = statistics.median(wall[name]), statistics.median(processor[name])
            goal = f"; goal {GOALS[name]}" if name in GOALS and "a face" in kind else ""
            ratio = "" if name == "bare dlib" else f", {own / bare:.2f} times bare dlib (processor {own_processor / bare_processor:.2f}{goal})"
            print(f"{kind}: {name} {milliseconds(own)}, of the processor {milliseconds(own_processor)}{ratio}")


def starts(program: str, matcher: str, rounds: int, reference: Path, frame: Path) -> None:
    cold, again, first = [], [], []
    for _ in range(rounds):
        worker = Worker(program, matcher)
        cold.append(worker.start)
        began = time.perf_counter()
        worker.end()
        worker = Worker(program, matcher)
        again.append(time.perf_counter() - began)
        began = time.perf_counter()
        worker.reference(reference)
        worker.probe(frame)
        first.append(time.perf_counter() - began)
        worker.end()
    print(f"{matcher}, worker: start to ready {milliseconds(statistics.median(cold))}, killed to ready again {milliseconds(statistics.median(again))}, "
          f"then its first reference and frame {milliseconds(statistics.median(first))}")


def bench(program: str, rounds: int) -> None:
    people = PHOTOS / "people"
    reference = people / "obama/obama.jpg"
    with tempfile.TemporaryDirectory() as folder:
        frames = {}
        for name, source, zoom in (("640 x 480, a face", people / "obama/obama2.jpg", 1.4), ("640 x 480, nobody", PHOTOS / "scenes/dogs.jpg", 1)):
            if not source.exists():
                continue
            frames[name] = Path(folder) / f"{len(frames)}.jpg"
            subprocess.run([TOOLS / "bench-dlib", "frame", source, frames[name], "640", "480", str(zoom)], check=True)
        subjects = {"bare dlib": Process("bare", models("dlib"))}
        for matcher in matchers():
            subjects[matcher] = Process("plugin", models(matcher), plugin(matcher))
            if Path(program).exists():
                subjects[f"{matcher}, worker"] = Worker(program, matcher)
        try:
            for subject in subjects.values():
                subject.reference(reference)
            measure(subjects, frames, rounds)
            for name, subject in subjects.items():
                resident, most = memory(subject.pid)
                goal = f"; goal {MOST_RESIDENT[name]}" if name in MOST_RESIDENT else ""
                print(f"{name}: {resident:.0f} MiB resident after {(rounds + 3) * len(frames)} frames, {most:.0f} at most{goal}, "
                      f"ready in {milliseconds(subject.start)}")
        finally:
            for subject in subjects.values():
                subject.end()
        if Path(program).exists():
            for matcher in matchers():
                starts(program, matcher, 10, reference, next(iter(frames.values())))


def upper(errors: int, trials: int) -> float:
    """The one-sided 95 % bound of a rate after so many errors (Clopper and Pearson), as if the trials were independent."""
    if errors >= trials:
        return 1.0

    def at_most(rate: float) -> float:
        return sum(math.exp(math.lgamma(trials + 1) - math.lgamma(k + 1) - math.lgamma(trials - k + 1)
                            + k * math.log(rate) + (trials - k) * math.log1p(-rate)) for k in range(errors + 1))
    low, high = 1e-9, 1 - 1e-9
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if at_most(middle) > 0.05 else (low, middle)
    return high


def matchers() -> list[str]:
    """Those that are there; the default one always has to be."""
    return [name for name in GOALS if plugin(name).exists() and models(name).is_dir()]


def pairs(matcher: str, folder: Path, eyes: int = 0) -> tuple[dict[int, list[str]], list[tuple[int, int, float]]]:
    """The pictures by number, as `rates` says them, and the distance of each pair."""
    arguments = [RATES, plugin(matcher), models(matcher), folder] + ([str(eyes)] if eyes else [])
    output = subprocess.run(arguments, check=True, capture_output=True, text=True).stdout
    pictures, distances = {}, []
    for line in output.splitlines():
        word, *fields = line.split(" ")
        if word == "picture":
            pictures[int(fields[0])] = fields[1:]
        else:
            distances.append((int(fields[0]), int(fields[1]), 2 * (1 - float(fields[2]))))
    return pictures, distances


def describe(name: str, values: list[float]) -> str:
    values = sorted(values)
    return (f"{name} {len(values)} pairs, distance {values[0]:.3f} to {values[-1]:.3f}, mean {statistics.mean(values):.3f}, "
            f"95 % {values[int(0.95 * len(values))]:.3f}")


def rates(matcher: str) -> None:
    print(f"{matcher}, error rates:")
    sets = [folder for folder in (PHOTOS / "people", PHOTOS / "johns") if folder.is_dir()]
    every = {}
    for folder in sets:
        pictures, distances = pairs(matcher, folder)
        # A picture that is there twice says nothing.
        distances = [pair for pair in distances if pair[2] > 0]
        genuine = [d for a, b, d in distances if pictures[a][0] == pictures[b][0]]
        impostor = [d for a, b, d in distances if pictures[a][0] != pictures[b][0]]
        every[folder.name] = (genuine, impostor)
        missed = sum(1 for picture in pictures.values() if picture[1] != "0")
        print(f"{folder.name}: {len(pictures)} pictures, {missed} without a template")
        print("  " + describe("same person", genuine))
        print("  " + describe("others", impostor))
    everything = PHOTOS
    pictures, distances = pairs(matcher, everything)
    named = {number: picture for number, picture in pictures.items() if picture[0] != "scenes"}
    impostor = [d for a, b, d in distances if a in named and b in named and named[a][0] != named[b][0]]
    genuine = [d for a, b, d in distances if a in named and b in named and named[a][0] == named[b][0] and d > 0]
    print("together: " + describe("same person", genuine) + "; " + describe("others", impostor))
    print("distance  similarity  FNMR            FMR")
    for limit in (0.40, 0.45, 0.50, 0.55, 0.60):
        refused, accepted = sum(d > limit for d in genuine), sum(d <= limit for d in impostor)
        print(f"{limit:.2f}      {1 - limit / 2:.3f}       {refused}/{len(genuine)} = {100 * refused / len(genuine):.1f} %   "
              f"{accepted}/{len(impostor)}, at most {100 * upper(accepted, len(impostor)):.2f} % if the pairs were independent")
    print("references scaled down and compressed, against pictures as they are:")
    for eyes in (12, 15, 20, 25, 30, 40, 50):
        found = total = 0
        genuine, impostor = [], []
        for folder in sets:
            pictures, distances = pairs(matcher, folder, eyes)
            found += sum(1 for picture in pictures.values() if picture[1] == "0")
            total += len(pictures)
            for a, b, distance in distances:
                (genuine if pictures[a][0] == pictures[b][0] else impostor).append(distance)
        refused = ", ".join(f"{100 * sum(d > limit for d in genuine) / len(genuine):.1f} % at {limit:.2f}" for limit in (0.50, 0.60))
        print(f"  {eyes} pixels between the eyes: {found} of {total} have a template; FNMR {refused}; others {min(impostor):.3f} at least")


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("program", nargs="?", default=str(BUILT))
    parser.add_argument("--rounds", type=int, default=100)
    options = parser.parse_args()
    needed = [plugin("dlib"), TOOLS / "bench-dlib", RATES, models("dlib"), PHOTOS / "people"]
    absent = [str(path.relative_to(ROOT)) for path in needed if not path.exists()]
    if absent:
        print("faces: nothing to measure without " + ", ".join(absent) + " (make matcher, make photos, tools/matcher.sh tools)")
        return 0
    if options.program != "rates":
        bench(options.program, options.rounds)
    for matcher in matchers():
        rates(matcher)
    return 0


if __name__ == "__main__":
    sys.exit(main())
