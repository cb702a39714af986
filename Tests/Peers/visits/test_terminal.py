"""What a person at a terminal sees: the code at the top, and the words below it that stay when the next code comes. The terminal is pyte's."""
import asyncio
import fcntl
import os
import pty
import re
import signal
import struct
import termios

import pyte
import pytest

from gate import PATIENCE, URI, Gate, decode_qr, is_reference, on_its_own
from phone import Plan
from rig import Rig

pytestmark = pytest.mark.skipif(is_reference(), reason="the reference gate has no such screen")


class TerminalGate(Gate):
    """A gate whose standard output and error are one terminal."""

    def __init__(self, *arguments, rows: int = 60, columns: int = 120) -> None:
        super().__init__(*arguments)
        self.terminal = pyte.Screen(columns, rows)
        self.stream = pyte.ByteStream(self.terminal)

    async def start(self) -> None:
        self.data.mkdir(parents=True, exist_ok=True)
        self.is_over = asyncio.Event()
        self.master, inside = pty.openpty()
        self.resize(self.terminal.lines, self.terminal.columns)
        self.process = await asyncio.create_subprocess_exec(*self.arguments, stdin=inside, stdout=inside, stderr=inside, preexec_fn=on_its_own)
        os.close(inside)
        asyncio.get_running_loop().add_reader(self.master, self.take)

    def resize(self, rows: int, columns: int) -> None:
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        self.terminal.resize(rows, columns)

    def take(self) -> None:
        try:
            octets = os.read(self.master, 65536)
        except OSError:
            octets = b""
        if octets:
            self.stream.feed(octets)
        else:
            asyncio.get_running_loop().remove_reader(self.master)
            self.is_over.set()
        self.changed.set()

    @property
    def lines(self) -> list[str]:
        return [line.rstrip() for line in self.terminal.display]

    def code(self) -> str | None:
        """The URI that is read from the top of the terminal, if it is also written below the code."""
        width = next((len(line) for line in self.lines[1:3] if set(line) <= set("█▀▄ ") and len(line) > 20), 0)
        drawn = [line.ljust(width)[:width] for line in self.terminal.display[: (width + 1) // 2]]
        below = "".join(self.terminal.display[(width + 1) // 2:])
        uri = decode_qr(drawn) if width else None
        return uri if uri and uri in below else None

    async def uri(self, patience: float = PATIENCE) -> str:
        return await self.until(self.code, patience, "a code on the terminal")


@pytest.fixture
def terminal(tmp_path):
    rigs = []

    def make(rows: int, columns: int) -> Rig:
        rig = Rig(tmp_path, algorithms=("ES256",))
        rig.start = lambda: None
        rig.open()
        rig.gate = TerminalGate(rig.air.path, rig.trust, rig.folder / "data", rows=rows, columns=columns)
        rig.run(rig.gate.start())
        rigs.append(rig)
        return rig
    yield make
    for rig in rigs:
        rig.close()


def visit(rig, payload=None):
    gate = rig.gate

    async def one():
        uri = await gate.uri()
        found = await rig.phone.visit(uri, payload or rig.good(), Plan("ios"), None)
        # The next code is there, and it is another one.
        await gate.until(lambda: gate.code() not in (None, uri), what="the next code")
        return found
    return rig.run(one())


def test_verdicts_stay_when_the_next_code_comes(terminal):
    rig = terminal(60, 120)
    rig.run(rig.gate.until(lambda: "· Scan this code with your wallet" in rig.gate.lines, what="what to do"))
    assert visit(rig).accepted
    bad = rig.good().replace(b"verifiableCredential", b"verifiableThing")
    assert not visit(rig, bad).accepted and visit(rig).accepted
    words = "\n".join(rig.gate.lines)
    for number, outcome in ((1, "accepted"), (2, "rejected"), (3, "accepted")):
        assert f"visit {number} {outcome}" in words, words
    # The code is the first thing on the terminal, and there is one only.
    assert len(URI.findall("".join(rig.gate.terminal.display).replace(" ", ""))) == 1


def test_the_last_verdicts_are_listed_when_somebody_asks(terminal):
    rig = terminal(60, 120)
    gate = rig.gate
    rig.run(gate.uri())
    gate.process.send_signal(signal.SIGUSR1)
    rig.run(gate.until(lambda: "no verdict yet" in gate.lines, what="that there was none"))
    assert visit(rig).accepted
    assert not visit(rig, rig.good().replace(b"verifiableCredential", b"verifiableThing")).accepted
    gate.process.send_signal(signal.SIGUSR1)
    # A verdict that stands comes first.
    rig.run(gate.until(lambda: any(re.match(r"✓ \d+ s: accepted$", line) for line in gate.lines), what="the list"))
    listed = [line for line in gate.lines if re.match(r"[✓✗] \d+ (s|min): ", line)]
    assert len(listed) == 2 and re.match(r"✗ \d+ s: not accepted \([a-z-]+\)$", listed[0]), listed
    assert visit(rig).accepted


def test_a_code_that_does_not_fit_says_so_and_is_drawn_when_it_does(terminal):
    rig = terminal(24, 80)
    gate = rig.gate
    rig.run(gate.until(lambda: "The code does not fit: it takes" in " ".join(gate.lines), what="a word"))
    assert "and this terminal has 24 rows of 80" in " ".join(gate.lines) and gate.code() is None
    gate.resize(60, 120)
    assert visit(rig).accepted
    gate.resize(40, 100)
    assert visit(rig).accepted


def test_the_terminal_is_left_as_it_was(terminal):
    rig = terminal(60, 120)
    visit(rig)
    rig.gate.process.terminate()
    rig.run(rig.gate.process.wait())
    rig.run(asyncio.wait_for(rig.gate.is_over.wait(), PATIENCE))
    assert rig.gate.terminal.margins is None or rig.gate.terminal.margins == (0, 59)
    assert rig.gate.code() is None and rig.gate.terminal.cursor.y == 59 and "visit 1 accepted" in "\n".join(rig.gate.lines)
