"""The lamps on GPIO lines of the kernel's simulator, read back one by one: with libgpiod 1.6, which the gate is built with here, and with 2.2."""
import os
import signal
from pathlib import Path

import pytest

from board import GATE_WITH_GPIOD_2, BoardRig, NoAir
from gpio import Chip, Switchings, Watch
from rig import LOOP
from service import after_the_gate

LAMPS = ["READY", "BUSY", "GREEN", "RED", "FAULT"]
WIRING = "ready=READY,busy=BUSY,accept=GREEN,reject=RED,fault=FAULT"


@pytest.fixture(params=["gpiod 1", "gpiod 2"], autouse=True)
def program(request, monkeypatch):
    """Each case for each of the two programs. The soname that has to be loaded."""
    if request.param == "gpiod 2":
        monkeypatch.setenv("GATEHOUSE", str(GATE_WITH_GPIOD_2))
        return "libgpiod.so.3"
    return "libgpiod.so.2"


@pytest.fixture
def chip():
    """A chip whose lines are lamps. It is never the first: `gpiochip0` would be found by luck."""
    other, chip = Chip("another", ["", "GREEN"]), Chip("lamps", LAMPS)
    yield chip
    chip.remove()
    other.remove()


@pytest.fixture
def board(tmp_path):
    return NoAir(tmp_path)


@pytest.fixture
def lit_rig(tmp_path, chip):
    rig = BoardRig(tmp_path, lights=f"gpio:lamps/{WIRING}").open()
    yield rig
    rig.close()


def is_blinking(states, name: str) -> bool:
    """Whether this line, and no other, went high and low again and again."""
    return [set(lines) for _, lines in states][-4:] in ([{name}, set(), {name}, set()], [set(), {name}, set(), {name}])


def test_the_program_has_loaded_the_library_it_was_made_for(lit_rig, program):
    lit_rig.uri()
    loaded = {Path(line.split()[-1]).name for line in Path(f"/proc/{lit_rig.gate.process.pid}/maps").read_text().splitlines() if "libgpiod" in line}
    # The file has a longer name than the library is known by.
    assert len(loaded) == 1 and loaded.pop().startswith(program), "this machine's own libgpiod is not 1.6" if program.endswith("2") else "gpiod2.sh"


def test_the_lamps_say_what_the_gate_does(lit_rig, chip):
    rig = lit_rig
    with Switchings(chip) as switchings, Watch(chip) as watch:
        rig.until(lambda: chip.high() == {"READY"}, "ready")
        accepted = rig.visit()
        assert accepted.accepted, accepted
        rig.until(lambda: chip.high() == {"READY"}, "ready after an accepted visit")
        rejected = rig.a_rejected_visit()
        assert rejected.rejected, rejected
        rig.until(lambda: chip.high() == {"READY"}, "ready after a rejected visit")
        rig.unplug()
        rig.until(lambda: is_blinking(watch.seen, "FAULT"), "the fault lamp blinks")
        assert rig.run(rig.gate.stop(signal.SIGTERM, 30)) == 0
        assert chip.high() == set(), "dark at the end"
        states, lightings = switchings.states(), {name: switchings.lightings(name) for name in LAMPS}
    switched = [set(lines) for _, lines in states if lines]
    if switched[0] == {"READY"}:
        del switched[0]
    assert switched[:6] == [{"BUSY"}, {"GREEN"}, {"READY"}, {"BUSY"}, {"RED"}, {"READY"}], switched
    assert len(switched) > 6 and all(lines == {"FAULT"} for lines in switched[6:]), switched
    # What was read back is that, as far as it was looked at in time.
    assert all(len(lines) <= 1 for lines in watch.sets()), watch.sets()
    assert {"READY", "GREEN", "RED", "FAULT"} <= set().union(*watch.sets())
    assert len(lightings["GREEN"]) == 1 and len(lightings["RED"]) == 1
    assert lightings["GREEN"][0] > accepted.at["chunks"], "green before the credential was there"
    assert lightings["RED"][0] > rejected.at["chunks"]


def test_green_is_lit_for_accepted_visits_alone(lit_rig, chip):
    rig = lit_rig
    rig.uri()
    with Switchings(chip) as switchings, Watch(chip) as watch:
        for is_good in (True, False, False, True):
            visit = rig.visit() if is_good else rig.a_rejected_visit()
            assert visit.accepted == is_good, visit
            rig.until(lambda: chip.high() == {"READY"}, "ready")
        states, greens = switchings.states(), switchings.lightings("GREEN")
    assert not any({"GREEN", "RED"} <= lines for _, lines in [*states, *watch.seen])
    assert [record["outcome"] for record in rig.gate.verdicts()] == ["accepted", "rejected", "rejected", "accepted"]
    assert len(greens) == 2
    assert watch.sets().count({"GREEN"}) == 2


def test_a_gate_that_was_killed_leaves_no_lamp_lit_and_starts_again(lit_rig, chip):
    rig = lit_rig
    rig.until(lambda: chip.high() == {"READY"}, "ready")
    with Watch(chip) as watch:
        assert rig.visit().accepted
        rig.until(lambda: {"GREEN"} in watch.sets(), "green")
        rig.run(rig.gate.stop(signal.SIGKILL, 30))
        assert chip.high() == set(), "the kernel gives the lines back, and this chip then pulls them down"
        rig.start()
        rig.until(lambda: chip.high() == {"READY"}, "ready again")
    assert watch.sets().count({"GREEN"}) == 1, "green came back with the restart"


@pytest.mark.parametrize("result, end, shows", [("signal", signal.SIGKILL, {"FAULT"}), ("exit-code", signal.SIGKILL, {"FAULT"}), ("success", signal.SIGTERM, set())])
def test_what_the_unit_does_after_a_gate_shows_an_error_for_a_moment_and_leaves_every_lamp_dark(lit_rig, chip, result, end, shows):
    rig = lit_rig
    rig.until(lambda: chip.high() == {"READY"}, "ready")
    rig.run(rig.gate.stop(end, 30))
    with Switchings(chip) as switchings:
        after_the_gate(rig, result)
        assert {name for _, name, is_high in switchings.all() if is_high} == shows
    assert chip.high() == set()


def test_a_chip_that_vanishes_does_not_end_the_gate_and_its_lamps_are_lit_again_when_it_is_back(lit_rig, chip):
    rig = lit_rig
    rig.until(lambda: chip.high() == {"READY"}, "ready")
    chip.vanish()
    # Without a visit: a lamp that is steady is looked at as well.
    rig.until(lambda: any("GPIO chip is gone" in line for line in rig.gate.errors), "that it is gone")
    for _ in range(2):
        assert rig.visit().accepted
    complaints = [line for line in rig.gate.errors if "lights cannot be switched" in line]
    # Gone, and then not there.
    assert len(complaints) == 2 and "there is no GPIO chip" in complaints[1], rig.gate.errors
    chip.come_back()
    rig.until(lambda: chip.high() == {"READY"}, "lit again, without a visit")
    assert rig.visit().accepted
    assert rig.run(rig.gate.stop(signal.SIGTERM, 30)) == 0
    assert chip.high() == set()


def test_a_gate_starts_without_its_chip_and_lights_its_lamps_when_it_appears(board, chip):
    chip.vanish()
    gate = board.gate(lights=f"gpio:lamps/{WIRING}")
    try:
        LOOP.run_until_complete(gate.start())
        LOOP.run_until_complete(gate.until(lambda: any("there is no GPIO chip lamps" in line for line in gate.errors), 60, "what is missing"))
    finally:
        chip.come_back()
    with Watch(chip) as watch:
        LOOP.run_until_complete(gate.until(lambda: is_blinking(watch.seen, "FAULT"), 60, "the fault, no controller"))
    assert LOOP.run_until_complete(gate.stop(signal.SIGTERM, 30)) == 0
    assert chip.high() == set()


# What follows needs no air: without a controller the gate shows its fault.

@pytest.mark.parametrize("by", ["label", "name", "path"])
def test_the_chip_is_found(board, chip, by):
    shows_fault(board, chip, f"{getattr(chip, by)}/{WIRING}", "FAULT")


def test_lines_by_offset(board, chip):
    shows_fault(board, chip, "lamps/ready=0,busy=1,accept=2,reject=3,fault=4", "FAULT")


def test_without_a_fault_lamp_the_red_one_blinks(board, chip):
    shows_fault(board, chip, "lamps/accept=GREEN,reject=RED", "RED")


def shows_fault(board, chip, wiring: str, lamp: str) -> None:
    gate = board.gate(lights=f"gpio:{wiring}")
    with Switchings(chip) as switchings:
        LOOP.run_until_complete(gate.start())
        LOOP.run_until_complete(gate.until(lambda: len(switchings.lightings(lamp)) >= 3, 60, "the fault"))
        assert LOOP.run_until_complete(gate.stop(signal.SIGTERM, 30)) == 0
        assert {name for _, name, is_high in switchings.all() if is_high} == {lamp}
    assert chip.high() == set()


def test_lamps_that_are_lit_by_a_low_line(board):
    chip = Chip("lamps", LAMPS, pulled_up=True)
    try:
        assert chip.high() == set(LAMPS), "pulled up: dark"
        gate = board.gate(lights=f"gpio:lamps/{WIRING},active-low")
        with Watch(chip) as watch:
            LOOP.run_until_complete(gate.start())
            LOOP.run_until_complete(gate.until(lambda: watch.sets().count(set(LAMPS) - {"FAULT"}) >= 2, 60, "the fault"))
            assert LOOP.run_until_complete(gate.stop(signal.SIGTERM, 30)) == 0
        assert {frozenset(lines) for lines in watch.sets()} == {frozenset(LAMPS), frozenset(set(LAMPS) - {"FAULT"})}
        assert chip.high() == set(LAMPS), "dark at the end"
    finally:
        chip.remove()


@pytest.mark.parametrize("wiring, words", [
    ("nowhere/accept=GREEN,reject=RED", "no GPIO chip nowhere"),
    ("gpiochip77/accept=GREEN,reject=RED", "no GPIO chip gpiochip77"),
    ("/dev/null/accept=GREEN,reject=RED", "no GPIO chip /dev/null"),
])
def test_a_chip_that_is_not_there_is_named_and_waited_for(board, chip, wiring, words):
    gate = board.gate(lights=f"gpio:{wiring}")
    LOOP.run_until_complete(gate.start())
    LOOP.run_until_complete(gate.until(lambda: any(words in line for line in gate.errors), 60, words))
    assert LOOP.run_until_complete(gate.stop(signal.SIGTERM, 30)) == 0
    doctor = board.command("doctor", lights=f"gpio:{wiring}")
    assert doctor.returncode == 1 and words in doctor.stdout, doctor.stdout


@pytest.mark.parametrize("wiring, words", [
    ("lamps/accept=GREEN,reject=BLUE", ["BLUE", "lamps", "reject"]),
    ("lamps/accept=GREEN,reject=77", ["77", "lamps", "reject"]),
    # One line by its offset and by its name.
    ("lamps/ready=READY,busy=0,accept=GREEN,reject=RED", ["line 0", "lamps", "busy"]),
])
def test_what_is_not_there_is_named(board, chip, wiring, words):
    refused(board, f"gpio:{wiring}", words)
    assert chip.high() == set()


def test_a_line_that_another_program_holds_is_named(board, chip):
    held = chip.hold("RED")
    try:
        refused(board, f"gpio:lamps/{WIRING}", ["RED", "lamps", "reject", "held by another"])
    finally:
        os.close(held)
    with_it = board.command("doctor", lights=f"gpio:lamps/{WIRING}")
    assert "ready busy accept reject fault" in with_it.stdout and "! lights" not in with_it.stdout


def test_a_chip_that_may_not_be_used_is_named(board, chip):
    """As somebody who is not root."""
    for by in (chip.label, chip.name, chip.path):
        doctor = board.command("doctor", user=1000, lights=f"gpio:{by}/{WIRING}")
        assert doctor.returncode == 1 and f"{by}: not permitted" in doctor.stdout, doctor.stdout


def refused(board, lights: str, words: list[str], user: int | None = None) -> None:
    """`run` ends with 2 and a sentence, and `doctor` says the same."""
    run = board.command("run", user, lights=lights)
    assert run.returncode == 2, run.stderr
    sentence = next(line for line in run.stderr.splitlines() if "--lights" in line)
    assert all(word in sentence for word in words), sentence
    doctor = board.command("doctor", user, lights=lights)
    assert doctor.returncode == 1
    assert sentence.split("--lights: ")[1] in doctor.stdout, doctor.stdout
