"""The phone itself, against the reference gate: that it can see what it is there to see."""
from rig import Rig
from gate import Gate
from phone import Phone, Plan


def test_a_report_before_android_listens_is_lost(tmp_path, reference):
    rig = Rig(tmp_path)
    rig.run(rig.air.__aenter__())
    rig.phone = rig.run(Phone.on(rig.air))
    rig.gate = Gate(rig.air.path, rig.trust, tmp_path / "data", "--report-wait", "0")
    rig.run(rig.gate.start())
    try:
        hasty = rig.visit(Plan("android", listens_after=60))
        assert hasty.error and hasty.lost_pushes > 0, hasty
        assert rig.visit(Plan("ios")).accepted
    finally:
        rig.close()


def test_accidents_happen(tmp_path, reference):
    rig = Rig(tmp_path).open()
    try:
        clean = rig.visit(Plan("ios", att_mtu=100))
        assert clean.rounds == 0
        for accident in ({"loss": 0.3}, {"corruption": 0.3}):
            assert rig.visit(Plan("ios", att_mtu=100, **accident)).rounds > 0, accident
        assert rig.visit(Plan("ios"), payload=b"nonsense").rejected
    finally:
        rig.close()
