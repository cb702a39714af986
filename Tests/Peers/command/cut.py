"""A program that is stopped at any octet that it writes, at any call, and at any system call: `cut.c`, made when it is needed."""
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest

from gate import command

HERE = Path(__file__).resolve().parent


class Cut:
    """Runs one program as often as asked, each time from its main on. What it said is in `output`."""

    def __init__(self, folder: Path) -> None:
        library, self.output_file = folder / "cut.so", folder / "output"
        flags = ("-std=gnu11", "-O1", "-fPIC", "-shared", "-Wall", "-Wextra", "-Werror")
        subprocess.run(["clang", *flags, HERE / "cut.c", "-ldl", "-o", library], check=True)
        self.process = subprocess.Popen(
            command(), env={**os.environ, "LD_PRELOAD": str(library), "CUT_OUTPUT": str(self.output_file)},
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def run(self, *words, mode: str = "none", number: int = 0, error: int = 0) -> tuple[str, int]:
        """How it ended, and how many octets, calls or stops there were."""
        self.process.stdin.write("\t".join(map(str, (mode, number, error, *words))) + "\n")
        self.process.stdin.flush()
        how, code, seen = self.process.stdout.readline().split()
        # 97 to 99 are cut.c's own: it could not do what it is for.
        assert how == "signal" or int(code) < 97, code
        return f"{how} {code}", int(seen)

    def done(self, *words) -> str:
        assert self.run(*words)[0] == "exit 0", self.output
        return self.output

    @property
    def output(self) -> str:
        return self.output_file.read_text()

    def close(self) -> None:
        self.process.stdin.close()
        self.process.wait()


@pytest.fixture
def cut(tmp_path):
    program = Cut(tmp_path)
    yield program
    program.close()


@pytest.fixture
def memory():
    """A folder in memory: thousands of times the disk is waited for."""
    folder = Path(tempfile.mkdtemp(dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None))
    yield folder
    shutil.rmtree(folder)
