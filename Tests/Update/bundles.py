"""Bundles of tiny slots, made by image/bundle.sh, and what a stranger makes of them."""
import os
import random
import subprocess
from pathlib import Path

from lab import BOARD, REPOSITORY


class Slot:
    """Images that are none: what counts is that they arrive."""

    def __init__(self, folder: Path, version: int) -> None:
        self.folder, self.version = folder, version
        folder.mkdir(parents=True)
        octets = random.Random(version).randbytes
        self.boot = octets(200_000).ljust(2 << 20, b"\0")
        self.root = octets(6 << 20)
        (folder / "boot.img").write_bytes(self.boot)
        (folder / "root.img").write_bytes(self.root)


def make_keys(folder: Path, who: str = "test") -> Path:
    subprocess.run([REPOSITORY / "image/keys.sh", folder, who], check=True)
    return folder


def bundle(slot: Slot, out: Path, keys: Path, board: str = BOARD, version: int | None = None, **environment: str) -> Path:
    subprocess.run(
        [REPOSITORY / "image/bundle.sh", slot.folder, str(version or slot.version), out], check=True,
        env={**os.environ, "BOARD": board, "KEYS": str(keys), **environment})
    return out


def members(octets: bytes) -> list[tuple[str, int, int, int]]:
    """Name, offset of the header, of the content, and its length, of each file in a cpio archive."""
    found, at = [], 0
    while octets[at:at + 6] == b"070702":
        size, named = int(octets[at + 54:at + 62], 16), int(octets[at + 94:at + 102], 16)
        name = octets[at + 110:at + 109 + named].decode()
        content = (at + 110 + named + 3) // 4 * 4
        found.append((name, at, content, size))
        at = (content + size + 3) // 4 * 4
    return found


def member(octets: bytes, name: str) -> tuple[int, int, int]:
    return next((header, content, size) for found, header, content, size in members(octets) if found == name)


def with_sum(octets: bytearray, name: str) -> bytes:
    """The archive's own sum of a file corrected, which no secret is needed for."""
    header, content, size = member(bytes(octets), name)
    octets[header + 102:header + 110] = b"%08X" % (sum(octets[content:content + size]) & 0xFFFFFFFF)
    return bytes(octets)


def changed(octets: bytes, name: str, at: int) -> bytes:
    """One bit of a file other than it was, the sum corrected."""
    copy = bytearray(octets)
    _, content, _ = member(octets, name)
    copy[content + at] ^= 1
    return with_sum(copy, name)


def described(octets: bytes, old: bytes, new: bytes) -> bytes:
    """Another description of the same length, the sum corrected."""
    assert len(old) == len(new)
    header, content, size = member(octets, "sw-description")
    description = octets[content:content + size]
    assert old in description
    return with_sum(bytearray(octets[:content] + description.replace(old, new) + octets[content + size:]), "sw-description")


def without(octets: bytes, name: str) -> bytes:
    header, content, size = member(octets, name)
    return octets[:header] + octets[(content + size + 3) // 4 * 4:]
