"""Controllers that refuse, lack, or confuse what the gate would like to have of them, each followed by a complete visit."""
import time
from functools import partial

import pytest

import scripted_controllers as c
from air import UNKNOWN_COMMAND
from phone import Plan
from scripted_controllers import DISALLOWED

# Whatever `BringUp` and `Command` can do without.
OPTIONAL = {
    "Write LE Host Support": 0x0C6D,
    "LE Read Local Supported Features": 0x2003,
    "LE Read Buffer Size v2": 0x2060,
    "Read BD_ADDR": 0x1009,
    "LE Write Suggested Default Data Length": 0x2024,
    "LE Set Default PHY": 0x2031,
    "LE Set Data Length": 0x2022,
    "LE Set PHY": 0x2032,
}


def replace(rig, controller) -> None:
    """The same gate with another controller."""
    rig.unplug()
    rig.plug(controller)


@pytest.mark.parametrize("status", (UNKNOWN_COMMAND, DISALLOWED), ids=("unknown", "disallowed"))
@pytest.mark.parametrize("opcode", OPTIONAL.values(), ids=OPTIONAL)
def test_an_optional_command_is_refused(steady_rig, opcode, status):
    replace(steady_rig, partial(c.RefusingController, status=status, opcodes={opcode}))
    steady_rig.still_serves()
    assert set(steady_rig.air.gate.refused) == {opcode}


def test_every_optional_command_is_refused(steady_rig):
    replace(steady_rig, partial(c.RefusingController, status=UNKNOWN_COMMAND, opcodes=set(OPTIONAL.values())))
    steady_rig.still_serves("android")
    # Without LE features nothing is known of data lengths and PHYs.
    assert set(steady_rig.air.gate.refused) >= {0x0C6D, 0x2003, 0x2060, 0x1009}


@pytest.mark.parametrize("status", (UNKNOWN_COMMAND, DISALLOWED), ids=("unknown", "disallowed"))
def test_the_answer_to_a_wish_for_encryption_is_refused(steady_rig, status):
    opcode = c.LONG_TERM_KEY_NEGATIVE_REPLY
    replace(steady_rig, partial(c.RefusingController, status=status, opcodes={opcode}))
    visit = steady_rig.during_transfer(steady_rig.air.gate.ask_for_key)
    assert visit.accepted, visit
    assert steady_rig.air.gate.refused == [opcode]
    steady_rig.still_serves()


@pytest.mark.parametrize("length, packets, shared", (
    (27, 64, False), (27, 1, False), (251, 1, False), (27, 2, True), (1021, 1, True), (339, 8, True)), ids=str)
def test_narrow_buffers(steady_rig, length, packets, shared):
    replace(steady_rig, partial(c.NarrowController, length=length, packets=packets, fragment=min(length, 251), shared=shared))
    steady_rig.still_serves()
    steady_rig.still_serves("android")
    controller = steady_rig.air.gate
    assert 0 < controller.most <= packets and 0 < controller.longest <= length
    assert (0x1005 in controller.heard) == shared  # Read Buffer Size


def test_without_extended_advertising(steady_rig):
    replace(steady_rig, c.LegacyController)
    steady_rig.still_serves()
    assert steady_rig.air.gate.refused == []


def test_bluetooth_4_0(steady_rig):
    replace(steady_rig, c.OldController)
    steady_rig.still_serves()
    steady_rig.still_serves("android")
    assert steady_rig.air.gate.refused == []


def test_without_legacy_advertising(steady_rig):
    steady_rig.unplug()
    since = time.monotonic()
    steady_rig.run(steady_rig.air.plug(c.ExtendedController))
    steady_rig.run(steady_rig.gate.light("ready", since, 15))
    steady_rig.until_ready(since)
    steady_rig.still_serves()
    steady_rig.still_serves("android")


@pytest.mark.parametrize("address", ("00:00:00:00:00:00", "AA:AA:AA:AA:AA:AA", "FF:FF:FF:FF:FF:FF", "43:43:A1:12:1F:AC"))
def test_no_address_of_its_own(steady_rig, address):
    replace(steady_rig, partial(c.NamedController, address=address))
    addresses = set()
    for _ in range(2):
        visit = steady_rig.visit()
        assert visit.accepted, visit
        addresses.add(visit.address)
    # The gate's are its own, and fresh.
    assert len(addresses) == 2 and not any(seen.startswith(address) for seen in addresses)
    steady_rig.still_serves()


def test_enhanced_connection_complete(steady_rig):
    replace(steady_rig, c.EnhancedController)
    steady_rig.still_serves()
    steady_rig.still_serves("android")


@pytest.mark.parametrize("garble", c.GARBAGE.values(), ids=c.GARBAGE)
def test_garbage_for_an_answer(steady_rig, garble):
    replace(steady_rig, partial(c.GarblingController, garble=garble))
    assert steady_rig.air.gate.garbled == 3
    steady_rig.still_serves()


# What the gate cannot do without is refused: it says so, shows the fault, and takes the next controller.
NEEDED = {"Read Local Version": 0x1001, "Set Event Mask": 0x0C01, "LE Set Advertising Parameters": 0x2006,
          "LE Set Random Address": 0x2005}


@pytest.mark.parametrize("opcode", NEEDED.values(), ids=NEEDED)
def test_a_needed_command_is_refused(steady_rig, opcode):
    said = len(steady_rig.gate.errors)
    steady_rig.unplug()
    steady_rig.run(steady_rig.air.plug(partial(c.RefusingController, status=UNKNOWN_COMMAND, opcodes={opcode})))
    steady_rig.until_said("refuses", said)
    # Again and again, on every rung of the ladder.
    steady_rig.until_said("power it off and on", said)
    replace(steady_rig, None)
    steady_rig.still_serves()


def test_a_refused_le_event_mask_is_done_without(steady_rig):
    """What Reset has set is enough: the events of 4.0."""
    replace(steady_rig, partial(c.RefusingController, status=UNKNOWN_COMMAND, opcodes={0x2001}))
    steady_rig.still_serves()
    replace(steady_rig, None)
    steady_rig.still_serves()


def test_older_than_bluetooth_4_0(steady_rig):
    said = len(steady_rig.gate.errors)
    steady_rig.unplug()
    steady_rig.run(steady_rig.air.plug(c.AncientController))
    steady_rig.until_said("older than Bluetooth 4.0", said)
    replace(steady_rig, None)
    steady_rig.still_serves()


def test_a_link_that_is_not_ended_when_the_gate_asks(steady_rig):
    """The phone stays after its verdict; the controller refuses to end the link: only a reset does."""
    replace(steady_rig, partial(c.RefusingController, status=DISALLOWED, opcodes={c.DISCONNECT}))
    since, said = time.monotonic(), len(steady_rig.gate.errors)
    visit = steady_rig.visit(Plan("ios", stays=True, patience=60))
    assert visit.status == 0, visit
    assert c.DISCONNECT in steady_rig.air.gate.refused
    steady_rig.until_said("did not end a link", said)
    # A stranger can bring this about, and the reset is the end of it: no lamp says that the controller is broken.
    steady_rig.until_ready(since)
    assert not any("fault" in lamps for at, lamps in steady_rig.gate.lights if at >= since)
    steady_rig.still_serves()
