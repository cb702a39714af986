"""The gate on the kernel's user channel, and BlueZ as the phone: the kernel's own host and bluetoothd."""
import pytest

import issuer
from phone import STEPS, Plan


def test_a_visit_is_accepted_at_the_mtu_bluez_negotiates(bluez_rig):
    visit = bluez_rig.visit()
    assert visit.accepted, visit
    assert visit.att_mtu == 517
    assert bluez_rig.gate.verdicts()[-1]["outcome"] == "accepted"
    assert bluez_rig.gate.verdicts()[-1]["mtu"] == 517


def test_a_visit_is_rejected(bluez_rig):
    stranger = issuer.Issuer("ES256", "https://stranger.example")
    visit = bluez_rig.visit(payload=issuer.wrap(stranger.credential(500)))
    assert visit.rejected, visit
    assert bluez_rig.gate.verdicts()[-1]["reasons"][0] == "issuer-unknown"
    bluez_rig.still_serves()


@pytest.mark.parametrize("step", STEPS)
def test_the_phone_leaves(bluez_rig, step):
    visit = bluez_rig.visit(Plan(leave_after=step))
    assert visit.error == "left after " + step and visit.status is None
    bluez_rig.still_serves()


def test_ten_visits_in_a_row_with_fresh_keys_and_addresses(bluez_rig):
    visits = [bluez_rig.visit() for _ in range(10)]
    assert all(visit.accepted for visit in visits), [str(visit) for visit in visits if not visit.accepted]
    assert len({visit.key for visit in visits}) == 10
    assert len({visit.address for visit in visits}) == 10


def test_bumble_visits_the_same_gate(bluez_rig):
    visit = bluez_rig.run(bluez_rig.gate.visit(bluez_rig.other, bluez_rig.good(), Plan("ios")))
    assert visit.accepted, visit
    bluez_rig.still_serves()


@pytest.mark.parametrize("step", STEPS)
def test_bumble_leaves(bluez_rig, step):
    visit = bluez_rig.run(bluez_rig.gate.visit(bluez_rig.other, bluez_rig.good(), Plan("ios", leave_after=step)))
    assert visit.error == "left after " + step and visit.status is None
    bluez_rig.still_serves()
