"""An export of the audit log that is cut off at every octet, every call and every system call: nothing is lost, nothing is counted twice,
and the gate is told of no copy that is not there."""
import errno
import hashlib
import json
import os
import shutil

import pytest

from cut import cut, memory  # fixtures
from gate import is_reference

pytestmark = pytest.mark.skipif(is_reference(), reason="the reference gate keeps no segments")
SEGMENTS, RECORDS = 2, 2


def write_log(data) -> dict[str, bytes]:
    """Sealed segments, short ones, and a current one. Returns the sealed ones."""
    data.mkdir()
    sequence, digest, sealed = 0, "0" * 64, {}
    for segment in range(1, SEGMENTS + 2):
        lines = []
        for _ in range(RECORDS):
            sequence += 1
            says = {"event": "segment", "segment": segment} if not lines and segment > 1 else {"event": "visit", "outcome": "accepted"}
            lines.append(json.dumps({"seq": sequence, "prev": digest, **says}, separators=(",", ":")))
            digest = hashlib.sha256(lines[-1].encode()).hexdigest()
        name = f"audit-{segment:08}.jsonl" if segment <= SEGMENTS else "audit.jsonl"
        (data / name).write_text("\n".join(lines) + "\n")
        if segment <= SEGMENTS:
            sealed[name] = (data / name).read_bytes()
    return sealed


class Desk:
    """A gate's log, of which one segment may have been copied before, and sticks."""

    def __init__(self, cut, folder) -> None:
        self.cut, self.folder, self.data = cut, folder, folder / "data"
        self.sealed = write_log(self.data)
        self.current = (self.data / "audit.jsonl").read_bytes()
        self.mark = self.data / "audit.exported"
        # The first segment, as it was sealed and copied alone.
        later = sorted(self.sealed)[1:]
        for name in later:
            (self.data / name).rename(folder / name)
        self.export(folder / "first")
        self.first_mark = self.mark.read_bytes()
        for name in later:
            (folder / name).rename(self.data / name)
        self.judged = set()

    def export(self, stick, *options, **fault) -> tuple[str, int]:
        return self.cut.run("audit", "export", "--data", self.data, "--into", stick, *options, **fault)

    def reset(self, was_exported: bool) -> list:
        """Everything as before. Returns the sticks there are."""
        for stick in ("one", "two"):
            shutil.rmtree(self.folder / stick, ignore_errors=True)
        for left in self.data.glob("*audit.exported*"):
            left.unlink()
        if was_exported:
            self.mark.write_bytes(self.first_mark)
        return [self.folder / "first"] if was_exported else []

    def copies(self, sticks) -> dict[str, bytes]:
        """What is on the sticks under a segment's name: whole, and the same on each."""
        found = {}
        for stick in sticks:
            for file in stick.glob("audit-*.jsonl"):
                assert file.read_bytes() == self.sealed[file.name], file
                found[file.name] = file
        return found

    def check(self, sticks) -> int:
        """Nothing of the log has changed, and what the gate is told is copied. Returns up to which segment that is."""
        assert {name: (self.data / name).read_bytes() for name in self.sealed} == self.sealed
        assert (self.data / "audit.jsonl").read_bytes() == self.current
        copies = self.copies(sticks)
        try:
            told = json.loads(self.mark.read_bytes()).get("segment", 0)
        except (FileNotFoundError, ValueError):
            told = 0
        assert set(sorted(self.sealed)[:told]) <= set(copies)
        for stick in sticks:
            self.judge({file.name: file for file in stick.glob("*")} if stick.exists() else {})
        return told

    def judge(self, files: dict) -> None:
        """A folder, as the programs see it: each listing once, as the octets were compared."""
        names = sorted(name for name in files if name in self.sealed)
        key = tuple((name, path.stat().st_size) for name, path in sorted(files.items()))
        if not names or key in self.judged:
            return
        self.judged.add(key)
        folder = self.folder / "judged"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        for name, path in files.items():
            shutil.copy(path, folder / name)
        verified = json.loads(self.cut.done("audit", "verify", folder, "--json"))
        counted = json.loads(self.cut.done("audit", "stats", folder, "--json"))
        assert verified["well"] and verified["records"] == counted["records"] == RECORDS * len(names)
        assert (counted["repeated"], counted["missing"], counted["damagedLines"]) == (0, 0, 0), counted

    def cut_at(self, number: int, **fault) -> tuple[str, int]:
        """One export that is cut off, and one more, to the same stick or another one."""
        sticks = self.reset(was_exported=number % 2 == 1) + [self.folder / "one"]
        ended = self.export(sticks[-1], number=number, **fault)
        said = self.cut.output
        told = self.check(sticks)
        if ended[0] == "exit 0":
            # Where a segment cannot be named any more the gate is told of those before it, and that is said.
            assert f"exported, up to {told}, digest" in said or "its last line cannot be read" in said, said
        if number % 3 == 2:
            sticks.append(self.folder / "two")
        assert self.export(sticks[-1])[0] == "exit 0", self.cut.output
        assert self.check(sticks) == SEGMENTS
        copies = self.copies(sticks)
        assert set(copies) == set(self.sealed)
        self.judge(copies)
        return ended


@pytest.fixture
def desk(cut, memory):
    return Desk(cut, memory)


# A kill leaves the most behind, so it comes at every octet, in four parts for as many workers. Of a disk that is full every octet takes
# another minute: CUT_ALL=1.
PARTS = [(0, first, 4) for first in range(4)] + [(errno.ENOSPC, 0, 1 if os.environ.get("CUT_ALL") else 5)]


@pytest.mark.parametrize("error, first, step", PARTS)
def test_at_every_octet(desk, error, first, step):
    ends, number = [], first
    while not ends or ends[-1] != "exit 0":
        ends.append(desk.cut_at(number, mode="octets", error=error)[0])
        number += step
    assert number > sum(map(len, desk.sealed.values()))
    # On a disk that is full the copies may be there, and the gate not be told: then it keeps its segments.
    assert set(ends[:-1]) == {"exit 1" if error else "signal 9"}


@pytest.mark.parametrize("mode", ["call", "calls"])
@pytest.mark.parametrize("error", [errno.EIO, errno.ENOSPC, errno.EROFS])
def test_at_every_call(desk, mode, error):
    number, seen, failed = 0, 0, 0
    # Until there are no so many calls.
    while seen >= number:
        number += 1
        ended, seen = desk.cut_at(number, mode=mode, error=error)
        failed += ended != "exit 0"
    assert number > 40 and failed > 30


def test_at_every_system_call(desk):
    number, ended = 1, ""
    while ended != "exit 0":
        ended = desk.cut_at(number, mode="stop")[0]
        number += 1
    assert number > 200
