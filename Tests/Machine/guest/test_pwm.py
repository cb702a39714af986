"""Tones by the kernel's PWM: what a visit leaves in the registers of a PWM chip, and what becomes of a gate that has no channel to write."""
import asyncio
import os
import signal
import tempfile
from pathlib import Path

import pytest

from board import BoardRig
from gpio import Chip
from pwm_chip import PWMChip, Tones, divider, frequency
from service import after_the_gate
from sounds import TONES, is_heard, judge

UNTIL_LOOKED = 60
LINES = ["LOCK", "CONTACT"]


@pytest.fixture
def board():
    """The bus, and nothing plugged in yet."""
    chip = PWMChip()
    yield chip
    chip.close()


@pytest.fixture
def chip(board):
    return board.plug()


@pytest.fixture
def door():
    other, door = Chip("another", ["", "LOCK"]), Chip("porch", LINES)
    yield door
    door.remove()
    other.remove()


@pytest.fixture
def rig(tmp_path, chip, door):
    rig = BoardRig(tmp_path, door="gpio:porch/lock=LOCK,contact=CONTACT", sound=f"pwm:{chip.channel}").open()
    yield rig
    rig.close()


def heard(rig, tones, pattern: str) -> list:
    rig.until(lambda: is_heard(tones.pulses(), pattern), pattern)
    rig.run(asyncio.sleep(0.5))
    return tones.heard()


def nearest(hertz: int) -> int:
    """The divider of the tone, or of the first octave below it that the chip can make."""
    while divider(hertz) < 3:
        hertz //= 2
    return divider(hertz)


@pytest.mark.parametrize("pattern", ["rejected", "attention", "accepted"])
def test_the_tones_of_a_verdict_arrive_at_the_chip(rig, chip, door, pattern):
    """Accepted is higher than this chip goes: an octave lower it is."""
    rig.uri()
    assert chip.is_silent
    with Tones() as tones:
        if pattern == "attention":
            door.pull("CONTACT", up=True)
        else:
            visit = rig.visit() if pattern == "accepted" else rig.a_rejected_visit()
            assert visit.accepted == (pattern == "accepted"), visit
        found = heard(rig, tones, pattern)
    judge(tones_of(found), pattern)
    print(", ".join(f"{wanted} Hz: {frequency(had):.1f} Hz, {duty:.3f} high" for wanted, (_, _, had, duty) in zip(TONES[pattern], found)))
    assert [had for _, _, had, _ in found] == [nearest(hertz) for hertz in TONES[pattern]]
    assert all(0.49 < duty < 0.51 for _, _, _, duty in found)
    assert chip.is_silent and not any("sounder cannot be used" in line for line in rig.gate.errors), rig.gate.errors


def tones_of(found: list) -> list[tuple[float, float]]:
    return [(begin, length) for begin, length, _, _ in found]


@pytest.mark.parametrize("end, result", [(signal.SIGTERM, "success"), (signal.SIGKILL, "success"), (signal.SIGKILL, "signal")])
def test_a_gate_that_ends_in_a_tone_leaves_silence(rig, chip, door, end, result):
    """A channel sounds on by itself: after a kill somebody else has to silence it."""
    rig.uri()
    door.pull("CONTACT", up=True)
    rig.until(lambda: not chip.is_silent, "a long tone")
    if end == signal.SIGKILL:
        os.kill(rig.gate.process.pid, signal.SIGSTOP)
        assert not chip.is_silent
    rig.run(rig.gate.stop(end, 30))
    assert chip.is_silent == (end == signal.SIGTERM)
    after_the_gate(rig, result)
    assert chip.is_silent


def test_a_channel_that_is_missing_is_waited_for(tmp_path, board):
    rig = BoardRig(tmp_path, sound="pwm:/sys/class/pwm/pwmchip0/pwm0").open()
    try:
        rig.until(lambda: any("there is no PWM channel" in line for line in rig.gate.errors), "what is missing")
        assert rig.a_rejected_visit().rejected
        board.plug()
        assert board.number == 0, "the only one"
        rig.until(lambda: any("the sounder is there" in line for line in rig.gate.errors), "the channel", UNTIL_LOOKED)
        with Tones() as tones:
            assert rig.a_rejected_visit().rejected
            judge(tones_of(heard(rig, tones, "rejected")), "rejected")
    finally:
        rig.close()


def test_a_channel_that_goes_away_keeps_nobody_waiting(rig, chip, door):
    rig.uri()
    door.pull("CONTACT", up=True)
    rig.until(lambda: not chip.is_silent, "a long tone")
    chip.unplug()
    rig.until(lambda: any("sounder cannot be used" in line for line in rig.gate.errors), "that it is gone")
    assert rig.visit().accepted
    chip.plug()
    rig.until(lambda: any("the sounder is there" in line for line in rig.gate.errors), "that it is back", UNTIL_LOOKED)
    assert chip.is_silent
    with Tones() as tones:
        assert rig.a_rejected_visit().rejected
        judge(tones_of(heard(rig, tones, "rejected")), "rejected")


def test_a_gate_without_rights_says_so_once_and_visits_go_on(chip):
    """As somebody who is not root, until a rule of the board gives the files to the user."""
    with tempfile.TemporaryDirectory(prefix="gatehouse-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        folder.chmod(0o755)
        (folder / "data").mkdir()
        os.chown(folder / "data", 65534, 65534)
        rig = BoardRig(folder, "--user", "nobody", sound=f"pwm:{chip.channel}").open()
        try:
            said = "sounder cannot be used"
            rig.until(lambda: any(said in line and "not permitted" in line for line in rig.gate.errors), "what is not permitted")
            for _ in range(2):
                assert rig.visit().accepted
            assert sum(said in line for line in rig.gate.errors) == 1, rig.gate.errors
            Path(chip.channel).parent.joinpath("export").write_text("0")
            for file in ("period", "duty_cycle", "enable"):
                os.chown(Path(chip.channel) / file, 65534, 65534)
            rig.until(lambda: any("the sounder is there" in line for line in rig.gate.errors), "the channel", UNTIL_LOOKED)
            with Tones() as tones:
                assert rig.a_rejected_visit().rejected
                judge(tones_of(heard(rig, tones, "rejected")), "rejected")
        finally:
            rig.close()


READ_ONLY = "mount --make-rprivate / && mount -o remount,bind,ro /sys"
WRITABLE = " && mount -o bind,rw /sys/devices /sys/devices && mount -o remount,bind,rw /sys/devices"


@pytest.mark.parametrize("opens", [False, True], ids=["read-only", "with ReadWritePaths"])
def test_a_gate_whose_sys_is_read_only_needs_the_devices_in_it(tmp_path, chip, opens):
    """The mounts a service manager may make (systemd.exec), without one."""
    before = ["unshare", "--mount", "sh", "-c", READ_ONLY + (WRITABLE if opens else "") + ' && exec "$@"', "sh"]
    rig = BoardRig(tmp_path, before=before, sound=f"pwm:{chip.channel}").open()
    try:
        with Tones() as tones:
            assert rig.a_rejected_visit().rejected
            if opens:
                judge(tones_of(heard(rig, tones, "rejected")), "rejected")
            else:
                rig.until(lambda: any("sounder cannot be used" in line for line in rig.gate.errors), "that it cannot be written")
                print(next(line for line in rig.gate.errors if "sounder cannot be used" in line))
        assert chip.is_silent
    finally:
        rig.close()
