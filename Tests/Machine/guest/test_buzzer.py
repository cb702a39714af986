"""A buzzer on a line of the kernel's GPIO simulator: what is heard of visits and of a forced door, by the kernel's own record of the line."""
import asyncio
import os
import signal
import threading
import time

import pytest

from board import BoardRig
from gpio import Chip, Switchings
from service import after_the_gate
from sounds import is_heard, judge

LINES = ["BUZZER", "LOCK", "CONTACT"]
LAMPS = ["READY", "BUSY", "GREEN", "RED", "FAULT"]


@pytest.fixture
def chip():
    """Never the first: `gpiochip0` would be found by luck. The lamps are on another, which stays when the buzzer's goes."""
    lamps, chip = Chip("lamps", LAMPS), Chip("porch", LINES)
    yield chip
    chip.remove()
    lamps.remove()


@pytest.fixture
def rig(tmp_path, chip):
    wiring = "ready=READY,busy=BUSY,accept=GREEN,reject=RED,fault=FAULT"
    rig = BoardRig(tmp_path, lights=f"gpio:lamps/{wiring}", door="gpio:porch/lock=LOCK,contact=CONTACT", sound="gpio:porch/buzzer=BUZZER").open()
    yield rig
    rig.close()


def heard(rig, switchings, pattern: str):
    rig.until(lambda: is_heard(switchings.pulses("BUZZER"), pattern), pattern)
    # What came after it would be too much of it.
    rig.run(asyncio.sleep(0.5))
    return switchings.pulses("BUZZER")


def tones(switchings) -> int:
    """How many have begun."""
    return sum(name == "BUZZER" and is_high for _, name, is_high in switchings.all())


@pytest.mark.parametrize("pattern", ["accepted", "rejected", "attention"])
def test_a_verdict_and_a_forced_door_are_heard(rig, chip, pattern):
    rig.uri()
    with Switchings(chip) as switchings:
        if pattern == "attention":
            chip.pull("CONTACT", up=True)
        else:
            visit = rig.visit() if pattern == "accepted" else rig.a_rejected_visit()
            assert visit.accepted == (pattern == "accepted"), visit
        judge(heard(rig, switchings, pattern), pattern)
    assert not chip.level("BUZZER")


def hold_up(process: int, switchings) -> None:
    """Stops the gate in the middle of the first tone, for longer than that and the pause after it take."""
    while not tones(switchings):
        time.sleep(0.005)
    os.kill(process, signal.SIGSTOP)
    time.sleep(0.25)
    os.kill(process, signal.SIGCONT)


def test_a_gate_that_is_held_up_leaves_no_step_of_a_pattern_out(rig, chip):
    """As by a card that takes its time, or a screen that is large. Accepted is two tones, however late."""
    rig.uri()
    with Switchings(chip) as switchings:
        holding = threading.Thread(target=hold_up, args=(rig.gate.process.pid, switchings), daemon=True)
        holding.start()
        assert rig.visit().accepted
        rig.until(lambda: not holding.is_alive(), "that it was held up")
        judge(heard(rig, switchings, "accepted"), "accepted")


@pytest.mark.parametrize("end, result", [(signal.SIGTERM, "success"), (signal.SIGKILL, "signal")])
def test_a_gate_that_ends_in_a_tone_leaves_silence(rig, chip, end, result):
    rig.uri()
    chip.pull("CONTACT", up=True)
    rig.until(lambda: chip.level("BUZZER"), "a long tone")
    rig.run(rig.gate.stop(end, 30))
    with Switchings(chip) as switchings:
        after_the_gate(rig, result)
        assert tones(switchings) == 0
    assert not chip.level("BUZZER")
    chip.pull("CONTACT", up=False)
    with Switchings(chip) as switchings:
        rig.start()
        rig.uri()
        assert tones(switchings) == 0, "the rest of it at the next start"


def test_a_chip_that_goes_away_keeps_nobody_waiting_and_is_silent_when_it_is_back(rig, chip):
    rig.uri()
    chip.pull("CONTACT", up=True)
    rig.until(lambda: chip.level("BUZZER"), "a long tone")
    chip.vanish()
    rig.until(lambda: any("sounder cannot be used" in line for line in rig.gate.errors), "that it is gone")
    assert rig.visit().accepted
    chip.come_back()
    rig.until(lambda: any("the sounder is there" in line for line in rig.gate.errors), "that it is back")
    assert not chip.level("BUZZER")
    # Gone, and then not there.
    assert sum("sounder cannot be used" in line for line in rig.gate.errors) <= 2, rig.gate.errors
    with Switchings(chip) as switchings:
        assert rig.visit().accepted
        judge(heard(rig, switchings, "accepted"), "accepted")


def test_a_gate_starts_without_the_buzzers_chip_and_uses_it_when_it_appears(tmp_path, chip):
    chip.vanish()
    rig = BoardRig(tmp_path, sound="gpio:porch/buzzer=BUZZER").open()
    try:
        rig.until(lambda: any("there is no GPIO chip porch" in line for line in rig.gate.errors), "what is missing")
        assert rig.a_rejected_visit().rejected
        chip.come_back()
        rig.until(lambda: any("the sounder is there" in line for line in rig.gate.errors), "the sounder")
        with Switchings(chip) as switchings:
            assert rig.a_rejected_visit().rejected
            judge(heard(rig, switchings, "rejected"), "rejected")
    finally:
        rig.close()
        if not os.path.exists(chip.path):
            chip.come_back()
