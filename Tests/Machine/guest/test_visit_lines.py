"""One visit, line by line: lamps, lock, buzzer and inputs of one chip, the record and the screen, in the order the kernel saw them."""
import os
import re
import sys
from pathlib import Path

import pytest

from board import BoardRig
from gpio import Chip, Switchings
from kernel_trace import Recording
from sounds import is_heard, judge

LAMPS = ["READY", "BUSY", "GREEN", "RED", "FAULT"]
LINES = [*LAMPS, "LOCK", "BUZZER", "CONTACT", "EXIT", "EMERGENCY"]
INPUTS = {"CONTACT", "EXIT", "EMERGENCY"}
TERMINAL = [sys.executable, str(Path(__file__).with_name("terminal.py"))]


@pytest.fixture
def chip():
    other, chip = Chip("another", ["", "LOCK"]), Chip("gate", LINES)
    yield chip
    chip.remove()
    other.remove()


@pytest.fixture
def rig(tmp_path, chip):
    # A verdict is drawn on a terminal, not into a pipe.
    rig = BoardRig(tmp_path, before=TERMINAL, lights="gpio:gate/ready=READY,busy=BUSY,accept=GREEN,reject=RED,fault=FAULT",
                   door="gpio:gate/lock=LOCK,contact=CONTACT,exit=EXIT,emergency=EMERGENCY", sound="gpio:gate/buzzer=BUZZER").open()
    yield rig
    rig.close()


class Timeline:
    """Every output that was switched, every record that was made to last, and every time something was drawn, by one clock."""

    def __init__(self, rig, chip) -> None:
        self.lines = Switchings(chip)
        # The gate writes by a descriptor of its own on what standard output is.
        open_files = Path(f"/proc/{rig.gate.process.pid}/fd")
        self.screen = {int(file.name) for file in open_files.iterdir() if os.readlink(file) == os.readlink(open_files / "1")}
        calls = ("write", "fsync", "fdatasync")
        self.calls = Recording(*(f"syscalls/sys_enter_{call}" for call in calls), process=rig.gate.process.pid, beside=True)

    def __enter__(self):
        self.lines.__enter__()
        self.calls.__enter__()
        return self

    def __exit__(self, *_) -> None:
        self.calls.__exit__()
        self.lines.__exit__()

    def all(self) -> list[tuple[float, str]]:
        """`LOCK` is one that became active, `-LOCK` one that no longer is; a line that stays as it is has nothing to tell."""
        found, before = [], dict.fromkeys(LINES, False) | {"READY": True}
        for at, name, is_high in self.lines.all():
            if name not in INPUTS and before[name] != is_high:
                found.append((at, name if is_high else "-" + name))
                before[name] = is_high
        for at, call, text in self.calls.all():
            if "sync" in call:
                found.append((at, "record"))
            elif int(re.match("fd: ([0-9a-f]+)", text)[1], 16) in self.screen:
                found.append((at, "screen"))
        return sorted(found)

    def verdict(self, lamp: str) -> list[tuple[float, str]]:
        """From the last record before the verdict's lamp to the first drawing after it, in milliseconds from the lamp on."""
        everything = self.all()
        lit = next(index for index, (_, what) in enumerate(everything) if what == lamp)
        begin = max(index for index, (_, what) in enumerate(everything[:lit]) if what == "record")
        end = next((index for index, (_, what) in enumerate(everything) if index > lit and what == "screen"), len(everything) - 1)
        return [((at - everything[lit][0]) * 1000, what) for at, what in everything[begin:end + 1]]


def told(verdict) -> str:
    return ", ".join(f"{what} {at:+.2f} ms" for at, what in verdict)


def first(verdict) -> list[str]:
    """What begins, each once."""
    return list(dict.fromkeys(what for _, what in verdict if not what.startswith("-")))


def test_an_accepted_visit_line_by_line(rig, chip):
    rig.until(lambda: chip.high() == {"READY"}, "ready")
    with Timeline(rig, chip) as timeline:
        assert rig.visit().accepted
        rig.until(lambda: chip.level("LOCK"), "open")
        # Through the door and away.
        chip.pull("CONTACT", up=True)
        rig.until(lambda: is_heard(timeline.lines.pulses("BUZZER"), "accepted"), "the buzzer")
        chip.pull("CONTACT", up=False)
        rig.until(lambda: timeline.lines.pulses("LOCK") and chip.high() == {"READY"}, "closed, and ready for the next")
        rig.until(lambda: any(what == "screen" for _, what in timeline.verdict("GREEN")), "the sign")
        verdict, everything = timeline.verdict("GREEN"), [what for _, what in timeline.all()]
    print("accepted: " + told(verdict))
    assert first(verdict) == ["record", "GREEN", "LOCK", "BUZZER", "screen"], told(verdict)
    assert everything.count("LOCK") == everything.count("-LOCK") == everything.count("GREEN") == 1 and "RED" not in everything
    judge(timeline.lines.pulses("BUZZER"), "accepted")
    assert [record["what"] for record in rig.gate.audit() if record["event"] == "door"] == ["opened"], "not forced"


def test_a_rejected_visit_line_by_line(rig, chip):
    rig.until(lambda: chip.high() == {"READY"}, "ready")
    with Timeline(rig, chip) as timeline:
        assert rig.a_rejected_visit().rejected
        rig.until(lambda: is_heard(timeline.lines.pulses("BUZZER"), "rejected"), "the buzzer")
        rig.until(lambda: chip.high() == {"READY"}, "ready for the next")
        rig.until(lambda: any(what == "screen" for _, what in timeline.verdict("RED")), "the sign")
        verdict, everything = timeline.verdict("RED"), [what for _, what in timeline.all()]
    print("rejected: " + told(verdict))
    assert first(verdict) == ["record", "RED", "BUZZER", "screen"], told(verdict)
    assert "LOCK" not in everything and "GREEN" not in everything
    judge(timeline.lines.pulses("BUZZER"), "rejected")


def test_the_exit_button_and_an_emergency_switch_the_lock_and_nothing_else(rig, chip):
    rig.until(lambda: chip.high() == {"READY"}, "ready")
    with Timeline(rig, chip) as timeline:
        chip.pull("EXIT", up=True)
        rig.until(lambda: chip.level("LOCK"), "the exit button")
        chip.pull("EXIT", up=False)
        rig.until(lambda: not chip.level("LOCK"), "its pulse is over")
        chip.pull("EMERGENCY", up=True)
        rig.until(lambda: chip.level("LOCK"), "the release")
        chip.pull("EMERGENCY", up=False)
        rig.until(lambda: not chip.level("LOCK"), "the release is back")
        everything = [what for _, what in timeline.all()]
    assert [what for what in everything if what not in ("record", "screen")] == ["LOCK", "-LOCK", "LOCK", "-LOCK"], everything
