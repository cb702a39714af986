"""What the options of `run` change for a visitor: the old wire, the holder policy, the name."""
import pytest

import wallet as w
from gate import is_reference
from phone import Plan

pytestmark = pytest.mark.skipif(is_reference(), reason="the reference gate has no such options")


def test_old_wire(rig_with):
    rig = rig_with("--wire", "0.4")
    for profile, mtu, loss in (("android", 517, 0), ("ios", 517, 0), ("android", 100, 0.3), ("ios", 185, 0.3)):
        visit = rig.visit(Plan(profile, wire="0.4", att_mtu=mtu, loss=loss))
        assert visit.accepted and bool(visit.rounds) == bool(loss), visit
    uuids = {str(c.uuid).rsplit("-", 1)[-1][-4:] for c in rig.phone.link.characteristics.values()}
    assert uuids == {str(number) for number in range(2030, 2039)}
    assert rig.phone.link.service.to_bytes() == w.OLD_SERVICE.to_bytes(2, "little")
    assert rig.run(rig.phone.visit(rig.uri(), rig.good(), Plan("ios", others=10))).error == "no such gate on the air"
    assert rig.visit(Plan("ios", wire="0.4")).accepted


def test_new_wire_is_not_found_by_old_wallets(rig):
    assert rig.run(rig.phone.visit(rig.uri(), rig.good(), Plan(wire="0.4", others=10))).error == "no such gate on the air"
    rig.still_serves()


def test_faces_without_a_camera(rig_with):
    rig = rig_with("--face", "required")
    visit = rig.visit()
    assert visit.rejected, visit
    rig.light("reject", visit.at["connect"])
    assert not any("accept" in lamps for _, lamps in rig.gate.lights)
    record = rig.gate.verdicts()[-1]
    assert (record["outcome"], record["reasons"]) == ("rejected", ["camera-failed"])
    assert record["holder"] == "not-bound" and rig.gate.audit()[0]["face"] == "required"
    rig.says("there is no --camera: everybody is rejected")
    assert not any("whoever has a copy" in line for line in rig.gate.errors)
    # What is wrong with the credential itself is said first.
    assert rig.visit(payload=b"{}").rejected
    assert rig.gate.verdicts()[-1]["reasons"] == ["credential-missing"]


def test_any_holder_is_said_at_every_start_and_in_every_record(rig):
    assert rig.visit().accepted
    assert "holder-not-bound" in rig.gate.verdicts()[-1]["notes"]
    rig.says("whoever has a copy")


@pytest.mark.parametrize("name", ("A", "ELEVEN_-chr"))
def test_name(rig_with, name):
    rig = rig_with("--name", name)
    assert w.VerifierURI.parse(rig.uri()).name == "OVP" + name
    assert rig.visit().accepted
