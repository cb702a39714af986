"""The updates the scenarios use: a good one, an unhealthy one, and ones that must be refused. Made of the image's own root tree by the image's own
scripts; kept until the image or the scripts change."""
import hashlib
import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from emulated_board import ROOT
from image_rig import IMAGE, KEYS, copy

SCRIPTS = ROOT / "image"
BOARD = "qemu-virt"


@dataclass(frozen=True)
class Member:
    name: str
    octets: bytes


def members(bundle: Path) -> list[Member]:
    """The files of a cpio archive with checksums (newc, crc)."""
    octets, at, found = bundle.read_bytes(), 0, []
    while True:
        fields = [int(octets[at + 6 + 8 * n:at + 14 + 8 * n], 16) for n in range(13)]
        size, name_size = fields[6], fields[11]
        name = octets[at + 110:at + 110 + name_size - 1].decode()
        if name == "TRAILER!!!":
            return found
        start = (at + 110 + name_size + 3) // 4 * 4
        found.append(Member(name, octets[start:start + size]))
        at = (start + size + 3) // 4 * 4


def pack(bundle: Path, files: list[Member]) -> Path:
    """The same, with the checksums that belong to what the files are now."""
    with open(bundle, "wb") as out:
        for number, file in enumerate([*files, Member("TRAILER!!!", b"")]):
            # cpio's checksum: the sum of all octets.
            total = sum(file.octets) & 0xFFFFFFFF
            name = file.name.encode() + b"\0"
            out.write(b"070702" + b"".join(b"%08X" % value for value in (
                number, 0o100644, 0, 0, 1, 0, len(file.octets), 0, 0, 0, 0, len(name), total)) + name)
            out.write(bytes(-(110 + len(name)) % 4) + file.octets + bytes(-len(file.octets) % 4))
        out.write(bytes(-out.tell() % 512))
    return bundle


def changed(files: list[Member], name: str, change) -> list[Member]:
    return [Member(file.name, change(file.octets)) if file.name == name else file for file in files]


def flip(octets: bytes) -> bytes:
    middle = len(octets) // 2
    return octets[:middle] + bytes([octets[middle] ^ 1]) + octets[middle + 1:]


class Bundles:
    """`good` is version 2, `unhealthy` version 3; the rest are made from the good one."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self.stamp = folder / "of"
        sources = b"".join(path.read_bytes() for path in (SCRIPTS / "slot.sh", SCRIPTS / "bundle.sh", Path(__file__)))
        verity = (IMAGE / "slot-a" / "verity").read_bytes()
        self.of = hashlib.sha256(sources + verity + (KEYS / "signer.crt").read_bytes()).hexdigest()
        if not self.stamp.exists() or self.stamp.read_text() != self.of:
            self.make()
            self.stamp.write_text(self.of)

    def path(self, name: str) -> Path:
        return self.folder / f"{name}.swu"

    def slot(self, version: int, change=None) -> Path:
        """What a slot of another version holds: the same programs, or what `change` makes of the tree."""
        root, slot = self.folder / "root", self.folder / f"slot-{version}"
        for name in ("root", "root.kernel"):
            shutil.rmtree(self.folder / name, ignore_errors=True)
            subprocess.run(["cp", "-a", IMAGE / name, self.folder / name], check=True)
        (root / "etc/gatehouse-version").write_text(f"{version}\n")
        release = root / "usr/lib/os-release"
        release.write_text("".join(
            f"IMAGE_VERSION={version}\n" if line.startswith("IMAGE_VERSION=") else line for line in release.read_text().splitlines(keepends=True)))
        if change:
            change(root)
        subprocess.run([SCRIPTS / "slot.sh", BOARD, root, str(version), slot], check=True)
        for name in ("root", "root.kernel"):
            shutil.rmtree(self.folder / name)
        return slot

    def bundle(self, slot: Path, version: int, name: str, keys: Path = KEYS, board: str = BOARD) -> Path:
        environment = {**os.environ, "KEYS": str(keys), "BOARD": board}
        subprocess.run([SCRIPTS / "bundle.sh", slot, str(version), self.path(name)], check=True, env=environment)
        return self.path(name)

    def make(self) -> None:
        def unhealthy(root: Path) -> None:
            """A gate that starts and is found on the air, but whose visits fail: what only a visit can find out."""
            program = root / "usr/bin/gatehouse"
            program.rename(root / "usr/bin/gatehouse.kept")
            program.write_text('#!/bin/sh\n[ "$1" != self-test ] || exit 1\nexec /usr/bin/gatehouse.kept "$@"\n')
            program.chmod(0o755)

        good = self.slot(2)
        self.bundle(good, 2, "good")
        (good / "version").write_text("1\n")  # the same octets will do: it is refused by its number
        self.bundle(good, 1, "older")
        (good / "version").write_text("2\n")
        self.bundle(good, 2, "wrong-board", board="raspberry-pi")
        strangers = self.folder / "strangers-keys"
        subprocess.run([SCRIPTS / "keys.sh", strangers, "stranger"], check=True)
        self.bundle(good, 2, "wrong-key", keys=strangers)
        files = members(self.path("good"))
        pack(self.path("tampered-payload"), changed(files, "root.img", flip))
        pack(self.path("tampered-description"), changed(files, "sw-description", lambda text: text.replace(b'version = "2"', b'version = "9"')))
        pack(self.path("unsigned"), [file for file in files if file.name != "sw-description.sig"])
        bad = self.slot(3, unhealthy)
        self.bundle(bad, 3, "unhealthy")
        shutil.rmtree(bad)

    def stick(self, files: dict[str, str]) -> Path:
        """A USB stick with these bundles, by the names they have there."""
        stick = self.folder / "stick.img"
        size = sum(self.path(name).stat().st_size for name in files) + (16 << 20)
        stick.unlink(missing_ok=True)
        with open(stick, "wb") as file:
            file.truncate(size // 512 * 512)
        subprocess.run(["mkfs.vfat", "-n", "STICK", stick], check=True, capture_output=True)
        for name, called in files.items():
            subprocess.run(["mcopy", "-i", stick, self.path(name), f"::{called}"], check=True)
        return stick
