"""What the kernel answers when the gate wants its controller, and what becomes of a controller under the gate.

Not here: a hard block of the radio. It is a switch on a case, and nothing lets a process turn one.
"""
import asyncio
import os
import sys
import time

import pytest

import gate
import kernel_calls as kernel
from kernel_rig import PATIENCE, unconfined
from phone import Plan
from scripted_controllers import HesitantController, SilentController

ORDINARY = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups")


# MARK: before the gate has the controller

def test_the_kernels_host_has_the_controller_up(kernel_rig):
    rig = kernel_rig(starts=False)
    rig.run(kernel.ask(kernel.power_up, rig.air.index))
    assert kernel.flags(rig.air.index) & kernel.IS_UP
    with pytest.raises(OSError, match="busy"):
        rig.run(kernel.ask(kernel.channel, rig.air.index, kernel.USER))
    rig.start()
    rig.until_ready(0)
    assert not any("controller:" in line for line in rig.gate.errors), rig.gate.errors
    rig.still_serves()


def test_the_kernel_sets_the_controller_up_just_now(kernel_rig):
    rig = kernel_rig(starts=False, controller=HesitantController)
    rig.start()
    rig.until_said("the controller is being set up")
    rig.until_faulty(0)
    rig.air.gate.hurry()
    rig.until_ready(0)
    rig.still_serves()


def test_another_process_has_the_user_channel(kernel_rig):
    rig = kernel_rig(*unconfined(), starts=False)
    taker = rig.run(take_user_channel(rig.air.index))
    try:
        rig.start()
        said = rig.until_said("another process has the controller's user channel")
        assert f"({taker.pid})" in said, said
        rig.until_faulty(0)
    finally:
        taker.stdin.close()
        rig.run(taker.wait())
    rig.until_ready(0)
    rig.still_serves()


async def take_user_channel(index: int):
    taker = await asyncio.create_subprocess_exec(
        sys.executable, "-c", TAKER, str(index), stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE)
    assert await taker.stdout.readline() == b"taken\n"
    return taker


TAKER = f"""
import sys
sys.path[:0] = {sys.path!r}
import socket
socket.AF_BLUETOOTH, socket.BTPROTO_HCI = 31, 1
import kernel_calls
taken = kernel_calls.channel(int(sys.argv[1]), kernel_calls.USER)
print("taken", flush=True)
sys.stdin.read()
"""


def as_ordinary_user(rig, *rights: str) -> None:
    """Starts the gate as nobody in particular."""
    for folder in (rig.folder, rig.folder.parent, rig.folder.parent.parent):
        folder.chmod(0o755)
    (rig.folder / "data").mkdir(exist_ok=True)
    os.chown(rig.folder / "data", 65534, 65534)
    begin = gate.command
    gate.command = lambda: [*ORDINARY, *rights, *begin()]
    try:
        rig.start()
    finally:
        gate.command = begin


def test_an_ordinary_user_needs_one_capability_and_no_more(kernel_rig):
    rig = kernel_rig(starts=False)
    as_ordinary_user(rig)
    rig.until_said("not permitted: the user channel needs CAP_NET_ADMIN")
    rig.until_faulty(0)
    assert rig.gate.screen.codes == [] and rig.gate.process.returncode is None, "it waits, and invites nobody"
    assert rig.run(rig.gate.stop()) == 0
    as_ordinary_user(rig, "--inh-caps=+net_admin", "--ambient-caps=+net_admin")
    rig.until_ready(0)
    rig.still_serves()


def test_the_controller_comes_later(kernel_rig):
    rig = kernel_rig(starts=False, is_plugged=False)
    rig.start()
    rig.until_said("no such controller")
    rig.until_faulty(0)
    rig.plug()
    rig.still_serves()


def test_the_radio_is_blocked_when_the_gate_starts(kernel_rig):
    rig = kernel_rig(starts=False)
    rig.run(kernel.ask(kernel.block, rig.air.index))
    assert kernel.is_blocked(rig.air.index)
    with pytest.raises(OSError, match="RF-kill"):
        rig.run(kernel.ask(kernel.channel, rig.air.index, kernel.USER))
    rig.start()
    rig.until_ready(0)
    assert not kernel.is_blocked(rig.air.index), "a soft block is a setting, and the gate undoes it"
    rig.still_serves()


# MARK: a controller that says nothing any more

@pytest.mark.parametrize("wakes, rungs", ((1, ("it is reset",)), (4, ("it is reset", "its link is opened anew"))), ids=("reset", "reopened"))
def test_a_controller_that_falls_silent_until_it_is(kernel_rig, wakes, rungs):
    """A reset is tried three times; the fourth is the first on a link opened anew."""
    rig = kernel_rig(controller=lambda *arguments, **options: SilentController(*arguments, wakes=wakes, **options))
    visit = rig.during_transfer(rig.air.gate.fall_silent)
    # The transfer needs no command; what comes after it does.
    assert visit.accepted, visit
    for rung in rungs:
        rig.until_said(rung)
    rig.until_ready(rig.until_faulty(visit.at["status"]))
    assert rig.air.gate.ignored >= wakes
    rig.still_serves()


def test_a_controller_that_falls_silent_for_good(kernel_rig):
    rig = kernel_rig(controller=SilentController)
    since = time.monotonic()
    assert rig.during_transfer(rig.air.gate.fall_silent).accepted
    rig.until_faulty(since)
    rig.until_said("power it off and on")
    rig.unplug()
    rig.plug()
    rig.still_serves()


def test_a_wedged_controller_is_asked_to_be_started_anew(kernel_rig, tmp_path):
    """The gate is confined by then: it can make the request, and nothing else there. Whoever watches for it binds the driver; here, the plug."""
    folder = tmp_path / "gate"
    folder.mkdir()
    request = folder / "controller-reset"
    rig = kernel_rig("--controller-reset", str(request), controller=SilentController)
    assert rig.during_transfer(rig.air.gate.fall_silent).accepted
    rig.run(rig.gate.until(request.exists, 60, "the request"))
    rig.until_said("driver is to be bound anew")
    request.unlink()
    rig.unplug()
    rig.plug()
    rig.still_serves()
    assert rig.gate.process.returncode is None


def test_a_controller_that_no_restart_helps_ends_the_gate(kernel_rig, tmp_path):
    rig = kernel_rig("--controller-reset", str(tmp_path / "request"), controller=SilentController)
    assert rig.during_transfer(rig.air.gate.fall_silent).accepted
    process = rig.gate.process
    rig.run(asyncio.wait_for(process.wait(), 120))
    assert process.returncode == 1
    assert any("ending, so that the board can be started anew" in line for line in rig.gate.errors), rig.gate.errors


# MARK: the radio switch, while the gate has the controller: the kernel refuses to turn it

def test_the_radio_is_blocked_while_the_gate_advertises(steady_rig):
    since = time.monotonic()
    steady_rig.run(kernel.ask(kernel.block, steady_rig.air.index))
    assert not kernel.is_blocked(steady_rig.air.index)
    steady_rig.still_serves()
    assert not was_faulty(steady_rig, since)


def test_the_radio_is_blocked_in_the_middle_of_a_transfer(steady_rig):
    since = time.monotonic()
    visit = steady_rig.during_transfer(lambda: kernel.block(steady_rig.air.index))
    assert visit.accepted, visit
    assert not kernel.is_blocked(steady_rig.air.index) and not was_faulty(steady_rig, since)
    steady_rig.still_serves()


def test_all_radios_are_blocked_and_the_controller_is_plugged_anew(steady_rig):
    steady_rig.run(kernel.ask(kernel.block_all))
    try:
        # A new controller's switch is blocked from the start, or a moment later.
        steady_rig.unplug()
        steady_rig.plug()
        steady_rig.still_serves()
        assert not kernel.is_blocked(steady_rig.air.index)
    finally:
        steady_rig.run(kernel.ask(kernel.block_all, False))
    steady_rig.still_serves()


def was_faulty(rig, since: float) -> bool:
    return any("fault" in lamps for moment, lamps in rig.gate.lights if moment >= since - 0.002)


# MARK: the controller is unplugged

def test_unplugged_while_the_gate_advertises(steady_rig):
    before = len(steady_rig.gate.audit())
    said = len(steady_rig.gate.errors)
    steady_rig.unplug()
    steady_rig.until_said("controller:", said)
    assert len(steady_rig.gate.audit()) == before
    steady_rig.plug()
    steady_rig.still_serves()


def test_unplugged_in_the_middle_of_a_transfer(steady_rig):
    since = time.monotonic()
    visit = steady_rig.during_transfer(steady_rig.air.unplug)
    assert visit.error == "link lost" and visit.status is None, visit
    steady_rig.until_faulty(since)
    assert steady_rig.gate.verdicts()[-1]["outcome"] == "controller-fault"
    steady_rig.plug()
    steady_rig.still_serves()


def test_unplugged_while_a_verdict_is_shown(steady_rig):
    since = time.monotonic()
    steady_rig.until_ready(0)  # no welcome of the visit before
    assert steady_rig.visit(Plan("ios")).accepted
    accepted = steady_rig.run(steady_rig.gate.light("accept", since, PATIENCE))
    verdicts = len(steady_rig.gate.verdicts())
    steady_rig.unplug()
    faulty = next(moment for moment, lamps in steady_rig.gate.lights if "fault" in lamps and moment >= accepted)
    # A door that waits for nobody: with the fault the welcome ends.
    assert not any("accept" in lamps for moment, lamps in steady_rig.gate.lights if moment > faulty)
    assert len(steady_rig.gate.verdicts()) == verdicts and steady_rig.gate.verdicts()[-1]["outcome"] == "accepted"
    steady_rig.plug()
    steady_rig.still_serves()


def test_unplugged_and_plugged_ten_times(steady_rig):
    descriptors = steady_rig.gate.descriptors()
    for _ in range(10):
        steady_rig.unplug()
        steady_rig.plug()
        steady_rig.still_serves()
    assert steady_rig.gate.descriptors() == descriptors


# MARK: the controller fails

HARDWARE_ERROR = bytes((4, 0x10, 1, 0x2A))


def storm(rig, errors: int) -> None:
    for _ in range(errors):
        rig.air.plugged.on_packet(HARDWARE_ERROR)


@pytest.mark.parametrize("errors", (1, 10, 200))
def test_hardware_errors_while_the_gate_advertises(steady_rig, errors):
    since, said = time.monotonic(), len(steady_rig.gate.errors)
    storm(steady_rig, errors)
    faulty = steady_rig.until_faulty(since)
    steady_rig.until_said("hardware error (code 42)", said)
    steady_rig.until_ready(faulty)
    steady_rig.still_serves()


@pytest.mark.parametrize("errors", (1, 10, 200))
def test_hardware_errors_in_the_middle_of_a_transfer(steady_rig, errors):
    since = time.monotonic()
    visit = steady_rig.during_transfer(lambda: storm(steady_rig, errors))
    assert visit.error == "link lost" and visit.status is None, visit
    faulty = steady_rig.until_faulty(since)
    assert steady_rig.gate.verdicts()[-1]["outcome"] == "controller-fault"
    steady_rig.until_ready(faulty)
    steady_rig.still_serves()


def test_hardware_errors_that_do_not_end_for_a_while(steady_rig):
    async def drizzle() -> None:
        for _ in range(200):
            storm(steady_rig, 1)
            await asyncio.sleep(0.02)

    since = time.monotonic()
    steady_rig.run(drizzle())
    steady_rig.until_ready(steady_rig.until_faulty(since))
    steady_rig.still_serves()
