"""Files that the desk's commands write, where the command is cut off at every octet, call and system call: the old file or the new one."""
import errno
import json
import shutil
import stat

import pytest
from cryptography.hazmat.primitives import serialization

from cut import cut, memory  # fixtures
from gate import is_reference

pytestmark = pytest.mark.skipif(is_reference(), reason="the reference gate has no such commands")
CONTEXT = b'{"@context":{"@version":1.1,"name":"https://schema.org/name"}}\n'
URL = "https://context.example/v1"


class Desk:
    def __init__(self, cut, folder, words, start=None) -> None:
        self.cut, self.folder, self.words, self.start = cut, folder, words, start or {}

    def reset(self) -> None:
        for path in self.folder.iterdir():
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        for name, octets in self.start.items():
            (self.folder / name).parent.mkdir(exist_ok=True)
            (self.folder / name).write_bytes(octets)

    def files(self) -> dict:
        """Those that have a name which means something."""
        files = [path for path in self.folder.rglob("*") if path.is_file() and not path.name.startswith(".")]
        return {str(path.relative_to(self.folder)): path for path in files}

    def sweep(self, mode: str, error: int, check) -> int:
        """Every number of it there is. Returns how many failed."""
        number, seen, failed = -1 if mode == "octets" else 0, 0, 0
        ended = ""
        while not (ended == "exit 0" and seen < number or mode == "octets" and ended == "exit 0"):
            number += 1
            self.reset()
            ended, seen = self.cut.run(*self.words, mode=mode, number=number, error=error)
            check(self.files(), ended, self.cut.output)
            if ended.startswith("exit") and ended != "exit 0":
                failed += 1
                # Nothing is left behind, not even half of a key under another name. What could not be removed is said by nobody.
                if mode != "calls":
                    assert not [path for path in self.folder.rglob(".*")], self.cut.output
                assert "cannot be" in self.cut.output or mode != "octets", self.cut.output
        return failed


FAULTS = [("octets", 0), ("octets", errno.ENOSPC), ("call", errno.EIO), ("calls", errno.ENOSPC), ("stop", 0)]


@pytest.mark.parametrize("mode, error", FAULTS)
def test_a_key(cut, memory, mode, error):
    desk = Desk(cut, memory, ("trust", "keygen", "--out", memory / "alice.pem"))

    def check(files: dict, ended: str, said: str) -> None:
        for path in memory.glob("*alice.pem*"):
            assert stat.S_IMODE(path.stat().st_mode) == 0o600
        for path in memory.glob(".alice.pem*"):
            assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert "PRIVATE" not in said
        if "alice.pem" in files:
            serialization.load_pem_private_key(files["alice.pem"].read_bytes(), None)
        if "alice.pub" in files:
            # A public key alone would be taken for a signer's who can sign.
            assert json.loads(files["alice.pub"].read_text())["kid"] == "alice" and "alice.pem" in files
        if ended == "exit 0":
            assert set(files) == {"alice.pem", "alice.pub"}
        elif error and mode != "calls":
            assert not files, (ended, said)

    assert desk.sweep(mode, error, check) > (10 if error and mode != "octets" else -1)


@pytest.mark.parametrize("mode, error", FAULTS)
def test_a_context(cut, memory, mode, error):
    old = b'{"gatehouse-contexts":1,"contexts":[]}\n'
    desk = Desk(cut, memory, ("trust", "add-context", memory / "own.jsonld", "--url", URL, "--folder", memory / "trust"),
                {"own.jsonld": CONTEXT, "trust/contexts.json": old})
    desk.reset()
    assert cut.run(*desk.words)[0] == "exit 0", cut.output
    new = (memory / "trust" / "contexts.json").read_bytes()
    assert new != old

    def check(files: dict, ended: str, said: str) -> None:
        listing = files["trust/contexts.json"].read_bytes()
        assert listing == (new if ended == "exit 0" else listing) and listing in (old, new)
        copy = files.get("trust/contexts/own.jsonld")
        assert copy is None or copy.read_bytes() == CONTEXT
        # A row never names what is not there.
        assert listing == old or copy

    desk.sweep(mode, error, check)


def test_what_is_beside_an_output_is_left_alone(cut, memory):
    """A file may have any name, that of a temporary one of old too."""
    desk = Desk(cut, memory, ("trust", "add-context", memory / "own.jsonld", "--url", URL, "--folder", memory / "trust"),
                {"own.jsonld": CONTEXT, "trust/contexts.json.new": b"mine"})
    desk.reset()
    cut.done(*desk.words)
    assert (memory / "trust" / "contexts.json.new").read_bytes() == b"mine"
