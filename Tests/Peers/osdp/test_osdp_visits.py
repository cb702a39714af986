"""Whole visits at a gate that tells a panel: wallet, gate, `gatehouse-osdp`, line, panel."""
import asyncio
import os
import shutil
import time

import pytest
from osdp_rig import PATIENCE, Device, Line, Panel, program, wiegand
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


def beside(rig, call, *arguments):
    """Waits for the line without keeping the air waiting: the gate takes a controller that does not answer for broken."""
    return rig.run(asyncio.to_thread(call, *arguments))


def card(rig, device, panel, accepted: bool, **more) -> bytes:
    """The card of a visit. A verdict that this machine was too slow for is no news any more, and somebody comes again."""
    for _ in range(10):
        forgotten, end = beside(rig, device.forgotten), time.monotonic() + PATIENCE
        assert rig.visit(**more).accepted == accepted
        while beside(rig, device.forgotten) == forgotten:
            if event := beside(rig, panel.card, 0.2):
                return bytes(event["data"])
            assert time.monotonic() < end, "no card"
    raise AssertionError(f"never in time: {device.status}")


def test_a_visit_is_a_card_at_the_panel(panelled):
    rig, device, line = panelled
    with Panel(line) as panel:
        beside(rig, panel.until_secure)
        beside(rig, device.until, device.is_up)
        for _ in range(2):
            assert card(rig, device, panel, True) == wiegand(17, 4711, 26)
        assert card(rig, device, panel, False, payload=b"{}") == wiegand(17, 666, 26)
        assert beside(rig, panel.no_card, 0.5)
        beside(rig, device.until, lambda: device.count("delivered") == 3)
        assert (device.count("missed"), device.count("strange")) == (0, 0)


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
    beside(rig, device.until, lambda: device.count("strange") > 0)
    # Gone.
    beside(rig, device.end)
    assert rig.visit().accepted
    rig.still_serves()


def test_a_gate_without_its_listener_says_so_and_works(tmp_path):
    rig = Rig(tmp_path, "--feed", str(tmp_path / "nobody"), algorithms=("ES256",)).open()
    try:
        rig.says("nobody is told of verdicts until the gate is started anew")
        assert rig.visit().accepted
    finally:
        rig.close()
