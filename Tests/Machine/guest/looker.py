"""`camera-check`, asked in turn: what the gate's own camera source gives."""
import os
import selectors
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

from gate import command


@dataclass(frozen=True)
class Taken:
    """A picture that came out: its number since the camera was switched on, its size as announced, when it was taken (of the monotonic clock), its
    octets by length and digest.
    """

    sequence: int
    kind: str
    size: str
    stride: int
    captured: float
    octets: int
    digest: str


class Looker:
    """`Looker("v4l2:/dev/video0")`: a process with that camera, off."""

    def __init__(self, moniker: str, *options: str) -> None:
        program = str(Path(command()[0]).parent / "camera-check")
        self.process = subprocess.Popen([program, moniker, *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
        self.unread = b""
        if "--confined" in options:
            assert self.line(60).startswith("confined: ")

    def __enter__(self) -> "Looker":
        return self

    def __exit__(self, *_) -> None:
        self.process.stdin.close()
        try:
            status = self.process.wait(30)
        finally:
            self.process.kill()
        assert status == 0, status

    def line(self, patience: float) -> str:
        end = time.monotonic() + patience
        with selectors.DefaultSelector() as selector:
            selector.register(self.process.stdout, selectors.EVENT_READ)
            while b"\n" not in self.unread:
                assert selector.select(max(0, end - time.monotonic())), "camera-check says nothing"
                more = os.read(self.process.stdout.fileno(), 65536)
                assert more, f"camera-check ended: {self.process.wait(10)}"
                self.unread += more
        line, self.unread = self.unread.split(b"\n", 1)
        return line.decode()

    def ask(self, question: str, patience: float = 60) -> str:
        self.process.stdin.write(question.encode() + b"\n")
        return self.line(patience)

    def start(self) -> str:
        """"on 640x480", or "error" and why."""
        return self.ask("start")

    def stop(self) -> None:
        assert self.ask("stop") == "off"

    def frames(self, count: int, seconds: int = 60) -> tuple[list[Taken], str]:
        """So many pictures, or those of so many seconds; and how it ended: "done", "none" or "error" and why."""
        taken = []
        answer = self.ask(f"frames {count} {seconds}", seconds + 30)
        while answer.startswith("frame "):
            _, sequence, kind, size, stride, captured, octets, digest = answer.split()
            taken.append(Taken(int(sequence), kind, size, int(stride), int(captured) / 1e9, int(octets), digest))
            answer = self.line(seconds + 30)
        return taken, answer

    def drops(self) -> dict[str, int]:
        return {name: int(value) for name, value in (part.split("=") for part in self.ask("drops").split()[1:])}

    def allocations(self) -> int:
        """What taking pictures took from the system's allocator."""
        return int(self.ask("allocations").split()[1])
