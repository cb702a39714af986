"""A file system of a megabyte in a mount name space of its own, that can be filled and freed while processes work on it. Needs root."""
import os
import subprocess
from pathlib import Path

import pytest

SCRIPT = 'mount -t tmpfs -o size=$2,mode=0755 tmpfs "$1" && echo ready && exec sleep infinity'


class SmallDisk:
    def __init__(self, folder: Path, octets: int = 1 << 20) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self.holder = subprocess.Popen(["unshare", "--mount", "sh", "-c", SCRIPT, "sh", str(folder), str(octets)], stdout=subprocess.PIPE)
        if self.holder.stdout.readline() != b"ready\n":
            self.close()
            pytest.skip("no mount name spaces here")
        # What a command begins with that is to see it.
        self.inside = ["nsenter", f"--mount=/proc/{self.holder.pid}/ns/mnt", "--"]

    def path(self, path: Path) -> Path:
        """Where a file of it is for us, who do not see it under its name."""
        return Path(f"/proc/{self.holder.pid}/root{path}")

    def fill(self) -> None:
        """Not one octet more goes in, in files that are there neither."""
        with open(self.path(self.folder / "filler"), "ab", buffering=0) as filler:
            for size in (1 << 16, 1 << 10, 1):
                try:
                    while True:
                        filler.write(bytes(size))
                except OSError:
                    pass
        facts = os.statvfs(self.path(self.folder))
        assert facts.f_bavail == 0, facts

    def free(self) -> None:
        self.path(self.folder / "filler").unlink()

    def close(self) -> None:
        self.holder.kill()
        self.holder.wait()

    def __enter__(self) -> "SmallDisk":
        return self

    def __exit__(self, *_) -> None:
        self.close()
