"""An audit log as a gate writes it, line for line (docs/audit.md), where a gate would take too long to have ten thousand visitors."""
import hashlib
import json
import os
from pathlib import Path

FIRST = "0" * 64


class MadeLog:
    """A log that grows: `visits`, `write`, `seal`, and what a disk or a person may do to it."""

    def __init__(self, folder: Path, begin: int = 1_800_000_000):
        folder.mkdir(parents=True, exist_ok=True)
        self.folder, self.current = folder, folder / "audit.jsonl"
        self.sequence, self.digest, self.segment, self.at = 0, FIRST, 1, begin
        self.lines: list[bytes] = []

    def line(self, event: str, **members) -> bytes:
        """The next line; it belongs to the log from now on."""
        self.sequence += 1
        record = {"seq": self.sequence, "prev": self.digest, "at": self.at, "up": self.sequence * 10, "event": event, **members}
        octets = json.dumps(record, separators=(",", ":")).encode()
        self.digest = hashlib.sha256(octets).hexdigest()
        self.lines.append(octets)
        return octets + b"\n"

    def write(self, event: str, **members) -> None:
        self.append(self.line(event, **members))

    def append(self, octets: bytes) -> None:
        handle = os.open(self.current, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        os.write(handle, octets)
        os.close(handle)

    def visit(self) -> bytes:
        number = self.sequence
        if number % 7 == 3:
            return self.line("visit", visit=number, outcome="rejected", reasons=["no-match", "expired"], form="ldp_vc",
                             issuer="https://work.example/badges", decidedMs=812)
        return self.line("visit", visit=number, outcome="accepted", form="sd_jwt", issuer="https://issuer.example/credentials", bundle=12,
                         status="good", holder="bound", face="match", faceBin="far-above", faceFrames=4, faceMs=612, mtu=517, chunks=41,
                         checksumFailures=0, sizeClass=14, identifiedMs=9, receivedMs=74, openedMs=74, decidedMs=701)

    def visits(self, count: int, at_once: int = 500) -> None:
        """So many visits, a second apart."""
        while count > 0:
            step = min(count, at_once)
            octets = b""
            for _ in range(step):
                self.at += 1
                octets += self.visit()
            self.append(octets)
            count -= step

    def seal(self) -> None:
        """The current segment is full: the next one begins with a record of its own, on the disk before the names change."""
        number, self.segment = self.segment, self.segment + 1
        following = self.folder / "audit.next"
        following.write_bytes(self.line("segment", segment=self.segment))
        following.chmod(0o600)
        self.current.rename(self.folder / f"audit-{number:08}.jsonl")
        following.rename(self.current)

    def drop(self, number: int) -> None:
        (self.folder / f"audit-{number:08}.jsonl").unlink()
