"""What a board wrote on its disk, in order, as QEMU's blklogwrites records it (the format of Linux' dm-log-writes), and the disks that cutting the
power at any point of it can leave behind.

Simulated: every write that a completed flush followed is on the disk, and every forced one; of those after the last flush any may be, each whole or only its first
sectors. Not simulated: a write that was under way when a flush began and that nobody waited for, and disks that lie about a flush.
"""
import random
import struct
from dataclasses import dataclass
from pathlib import Path

MAGIC, HEADER, SECTOR = 0x6A736677736872, struct.Struct("<QQQQ"), 512
FLUSH, FUA, DISCARD, MARK = 1, 2, 4, 8


@dataclass(frozen=True)
class Entry:
    offset: int   # of the disk, in octets
    size: int
    flags: int
    data_at: int  # where its octets are in the log
    end: int      # where the log ends with it

    @property
    def flushes(self) -> bool:
        return bool(self.flags & FLUSH)

    @property
    def is_forced(self) -> bool:
        """It is on the disk when it is over, and says nothing of those before it."""
        return bool(self.flags & FUA)


def read(log: Path) -> list[Entry]:
    entries = []
    with open(log, "rb") as file:
        size = file.seek(0, 2)
        file.seek(0)
        magic, _, _, sector = struct.unpack("<QQQI", file.read(28))
        if magic != MAGIC or sector != SECTOR:
            raise ValueError(f"{log} is no log of writes with sectors of {SECTOR} octets")
        at = SECTOR
        while at + SECTOR <= size:
            file.seek(at)
            first, count, flags, _ = HEADER.unpack(file.read(HEADER.size))
            length = 0 if flags & (DISCARD | MARK) else count * SECTOR
            if at + SECTOR + length > size:
                break  # the power went while it was recorded
            entries.append(Entry(first * SECTOR, length, flags, at + SECTOR, at + SECTOR + length))
            at += SECTOR + length
    return entries


class Replay:
    """The disk as it was when the log began, moved on. `disk` is changed; cuts have to come in order."""

    def __init__(self, disk: Path, log: Path) -> None:
        self.disk, self.log, self.entries = disk, log, read(log)
        self.done = 0  # entries that are on the disk

    def flushed_before(self, cut: int) -> int:
        """How many entries are on the disk for certain when the power goes after `cut` of them."""
        return next((number + 1 for number in range(cut - 1, -1, -1) if self.entries[number].flushes), 0)

    def up_to(self, cut: int) -> None:
        """Moves on until everything is there that has to be there."""
        with open(self.disk, "r+b") as disk, open(self.log, "rb") as log:
            for entry in self.entries[self.done:self.flushed_before(cut)]:
                self.write(disk, log, entry, entry.size)
        self.done = max(self.done, self.flushed_before(cut))

    def may_be(self, disk: Path, cut: int, seed: int) -> None:
        """Puts on a copy of the disk what happened to reach it of the writes after the last flush."""
        chance = random.Random(seed)
        with open(disk, "r+b") as file, open(self.log, "rb") as log:
            for entry in self.entries[self.done:cut]:
                if entry.is_forced:
                    self.write(file, log, entry, entry.size)
                elif chance.random() < 0.5:
                    torn = chance.random() < 0.25
                    self.write(file, log, entry, chance.randrange(entry.size // SECTOR + 1) * SECTOR if torn else entry.size)

    @staticmethod
    def write(disk, log, entry: Entry, size: int) -> None:
        log.seek(entry.data_at)
        disk.seek(entry.offset)
        disk.write(log.read(size))
