"""A door's lines on the kernel's GPIO simulator: what the gate's C makes of them, over libgpiod 1.6 and 2. No gate is started here."""
import errno
import os
import signal
import subprocess
import sys
import time

import pytest

from door_lines import AS_IT_IS, NO_CHIP, NO_LINE, PULL_DOWN, PULL_UP, REPEATED, TAKEN, Inputs, Library, Outputs, Refused
from gpio import Chip, Switchings

LINES = ["LOCK", "SECOND", "CONTACT", "EXIT", "TAMPER"]


@pytest.fixture(params=[1, 2], ids=["gpiod 1", "gpiod 2"])
def library(request):
    library = Library(request.param)
    assert library.api == {1: "1.6", 2: "2.x"}[request.param], "this machine's own libgpiod is not 1.6" if request.param == 1 else "lines.sh"
    return library


@pytest.fixture
def chip():
    """Never the first chip: `gpiochip0` would be found by luck."""
    other, chip = Chip("another", ["", "LOCK"]), Chip("door", LINES)
    yield chip
    chip.remove()
    other.remove()


@pytest.mark.parametrize("active_low", [False, True])
def test_a_lock_is_taken_inactive_and_was_active_at_no_moment(library, chip, active_low):
    if active_low:
        chip.pull("LOCK", up=True)
    with Switchings(chip) as switchings:
        lock = Outputs(library, "door", "LOCK", active_low=active_low)
        assert chip.level("LOCK") == active_low, "inactive"
        lock.close()
        switched = [(name, is_high) for _, name, is_high in switchings.all()]
    assert switched and set(switched) == {("LOCK", active_low)}, switched


@pytest.mark.parametrize("active_low", [False, True])
def test_a_lock_is_set_and_read_back_and_closes_inactive(library, chip, active_low):
    lock = Outputs(library, "door", "LOCK", active_low=active_low)
    second = Outputs(library, "door", 1)
    with Switchings(chip) as switchings:
        assert lock.set(1) == 0 and chip.level("LOCK") != active_low and not chip.level("SECOND")
        assert second.set(1) == 0 and lock.set(0) == 0
        assert chip.level("LOCK") == active_low and chip.level("SECOND")
        assert lock.set(1) == 0
        lock.close()
        pulses = switchings.pulses("LOCK", active_low)
    second.close()
    assert len(pulses) == 2, "the one that was set, and the one that closing ended"
    assert all(length > 0 for _, length in pulses)


def test_an_input_tells_both_edges_with_their_time(library, chip):
    inputs = Inputs(library, "door", "CONTACT", ("EXIT", True, AS_IT_IS))
    try:
        assert inputs.levels() == 0b10, "low, and active low"
        assert not inputs.is_readable() and inputs.next() is None
        before = time.monotonic_ns()
        chip.pull("CONTACT", up=True)
        assert inputs.is_readable(10)
        edge = inputs.next()
        after = time.monotonic_ns()
        assert (edge.line, edge.active) == (0, True)
        assert before <= edge.nanoseconds <= after, "the kernel's monotonic clock"
        assert inputs.levels() == 0b11 and inputs.next() is None and not inputs.is_readable()
        chip.pull("EXIT", up=True)
        chip.pull("CONTACT", up=False)
        assert inputs.is_readable(10)
        time.sleep(0.1)
        edges = inputs.all()
        assert sorted((edge.line, edge.active) for edge in edges) == [(0, False), (1, False)]
        assert inputs.levels() == 0
    finally:
        inputs.close()


def test_an_input_is_held_by_its_bias(library, chip):
    inputs = Inputs(library, "door", ("CONTACT", True, PULL_UP), ("EXIT", False, PULL_DOWN), ("TAMPER", False, PULL_UP))
    try:
        assert chip.level("CONTACT") and not chip.level("EXIT") and chip.level("TAMPER")
        assert inputs.levels() == 0b100
    finally:
        inputs.close()


def test_edges_that_nobody_took_are_dropped_and_the_levels_tell_the_truth(library, chip):
    inputs = Inputs(library, "door", "CONTACT", "EXIT")
    try:
        for _ in range(100):
            chip.pull("CONTACT", up=True)
            chip.pull("CONTACT", up=False)
        chip.pull("CONTACT", up=True)
        time.sleep(0.1)
        edges = inputs.all()
        assert 16 <= len(edges) <= 64, len(edges)
        assert inputs.levels() == 0b01
        # And it goes on.
        chip.pull("EXIT", up=True)
        assert inputs.is_readable(10) and inputs.next().line == 1
    finally:
        inputs.close()


def test_a_chip_that_vanishes_is_told_and_its_lock_is_inactive_when_it_is_back(library, chip):
    lock, inputs = Outputs(library, "door", "LOCK"), Inputs(library, "door", "CONTACT")
    assert lock.set(1) == 0 and chip.level("LOCK")
    chip.vanish()
    assert inputs.is_readable(10), "who waits for an edge has to hear of it"
    with pytest.raises(OSError) as gone:
        inputs.all()
    assert gone.value.errno == errno.ENODEV
    with pytest.raises(OSError) as gone:
        inputs.levels()
    assert gone.value.errno == errno.ENODEV
    assert lock.set(1) == errno.ENODEV
    lock.close()
    inputs.close()
    with pytest.raises(Refused) as refused:
        Outputs(library, "door", "LOCK")
    assert refused.value.code == NO_CHIP
    with pytest.raises(Refused) as refused:
        Inputs(library, "door", "CONTACT")
    assert refused.value.code == NO_CHIP
    chip.come_back()
    assert not chip.level("LOCK")
    lock = Outputs(library, "door", "LOCK")
    assert not chip.level("LOCK")
    assert lock.set(1) == 0 and chip.level("LOCK")
    lock.close()
    assert not chip.level("LOCK")


def test_a_line_that_is_held_missing_or_named_twice_is_named(library, chip):
    held = chip.hold("EXIT")
    try:
        with pytest.raises(Refused) as refused:
            Inputs(library, "door", "CONTACT", "EXIT")
        assert (refused.value.code, refused.value.culprit) == (TAKEN, 1)
        with pytest.raises(Refused) as refused:
            Outputs(library, "door", "EXIT")
        assert refused.value.code == TAKEN
    finally:
        os.close(held)
    for line in ("BELL", 77):
        with pytest.raises(Refused) as refused:
            Inputs(library, "door", "CONTACT", line)
        assert (refused.value.code, refused.value.culprit) == (NO_LINE, 1)
    with pytest.raises(Refused) as refused:
        Inputs(library, "door", "CONTACT", 2)
    assert (refused.value.code, refused.value.culprit) == (REPEATED, 1)
    # Nothing is held after a refusal.
    Inputs(library, "door", *LINES).close()


OPENED = """
import sys
sys.path.insert(0, {folder!r})
from door_lines import Library, Outputs
lock = Outputs(Library({version}), "door", "LOCK")
lock.set(1)
print("open", flush=True)
sys.stdin.read()
"""


def test_a_lock_of_a_process_that_was_killed_is_inactive(library, chip):
    """What this chip does with a line that nobody holds: pulled down. A board's own chip may keep it, docs/operate.md."""
    version = 1 if library.api == "1.6" else 2
    program = OPENED.format(folder=os.path.dirname(__file__), version=version)
    with subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "open\n"
        assert chip.level("LOCK")
        process.send_signal(signal.SIGKILL)
        process.wait()
    assert not chip.level("LOCK")
    lock = Outputs(library, "door", "LOCK")
    assert not chip.level("LOCK"), "and the next start takes it inactive"
    lock.close()
