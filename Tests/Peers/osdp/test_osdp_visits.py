"""Whole visits at a gate that tells a panel: wallet, gate, `gatehouse-osdp`, line, panel."""
import os
import shutil

import pytest
from osdp_rig import Device, Line, Panel, program, wiegand
from rig import Rig


@pytest.fixture(autouse=True)
def needs_program():
    if shutil.which(program()) is None:
        pytest.exit(f"no {program()}: build it (tools/osdp.sh), or set GATEHOUSE_OSDP", 2)


@pytest.fixture
def panelled(tmp_path):
    """A gate, the device that it tells, and the line to the panel."""
    line = Line()
    (tmp_path / "osdp").mkdir()
    device = Device(tmp_path / "osdp", line, "--card", "rejected=17:666").start()
    rig = Rig(tmp_path, "--feed", str(device.feed_path), algorithms=("ES256",)).open()
    yield rig, device, line
    rig.close()
    device.close()
    line.close()


def card(panel) -> bytes:
    event = panel.card(10)
    assert event, "no card"
    return bytes(event["data"])


def test_a_visit_is_a_card_at_the_panel(panelled):
    rig, device, line = panelled
    with Panel(line) as panel:
        panel.until_secure()
        device.until(device.is_up)
        for _ in range(2):
            assert rig.visit().accepted
            assert card(panel) == wiegand(17, 4711, 26)
        assert not rig.visit(payload=b"{}").accepted
        assert card(panel) == wiegand(17, 666, 26)
        assert panel.no_card(0.5)
        assert (device.count("delivered"), device.count("missed"), device.count("strange")) == (3, 0, 0)


def test_visits_do_not_know_whether_anybody_listens(panelled):
    rig, device, line = panelled
    # Full: stopped, it reads nothing.
    child = int(open(f"/proc/{device.process.pid}/task/{device.process.pid}/children").read().split()[0])
    os.kill(child, 19)
    while True:
        try:
            device.feed.setblocking(False)
            device.feed.send(bytes(64))
        except BlockingIOError:
            break
    assert rig.visit().accepted
    rig.says("a verdict did not go")
    os.kill(child, 18)
    device.until(lambda: device.count("strange") > 0)
    # Gone.
    device.end()
    assert rig.visit().accepted
    rig.still_serves()


def test_a_gate_without_its_listener_says_so_and_works(tmp_path):
    rig = Rig(tmp_path, "--feed", str(tmp_path / "nobody"), algorithms=("ES256",)).open()
    try:
        rig.says("nobody is told of verdicts until the gate is started anew")
        assert rig.visit().accepted
    finally:
        rig.close()
