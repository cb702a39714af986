"""A gate that was reset lets nobody in before it is set up again, whatever it still knows or is told, and keeps nothing of what it was told to erase."""
import asyncio
import json
import signal
import time

import pytest

from gate import is_reference
from rig import Rig
from test_orders import GATE, by_hand, done, heard, payload, refused, rfc3339, site
from test_trust import Desk
from trust_bundle import Operators

pytestmark = pytest.mark.skipif(is_reference(), reason="the reference gate is never reset")
KEPT = {"gate-id", "gate-id.copy", "highwater", "highwater.copy", "orders", "orders.copy", "reset", "reset.copy"}


def reset(rig: Rig, operators: Operators, number: int, installed) -> None:
    """Takes an order to reset this gate, as a stick brings it."""
    file = rig.folder / "reset"
    gate = (installed / "gate-id").read_text().splitlines()[0]
    done("order", "build", "--kind", "reset", "--number", number, "--gate", gate, "--not-after", rfc3339(time.time() + 3600), "--out", file)
    for name in operators.names[: operators.threshold]:
        done("order", "sign", file, "--key", operators.key_file(name), "--kid", name, "--root", operators.root, "--out", file)
    done("reset", file, "--root", operators.root, "--into", installed)


def test_a_gate_that_was_reset_opens_for_nobody_until_it_is_set_up_again(tmp_path):
    rig = Rig(tmp_path, algorithms=("ES256",))
    operators, installed, source = Operators(tmp_path / "operators"), tmp_path / "installed", rig.trust
    operators.install(source, installed, sequence=3)
    rig.options, rig.trust = ("--root", str(operators.root)), installed
    site(rig, operators, 1, {"name": "OLD"})
    rig.open()
    try:
        assert rig.visit().accepted
        # Also the gate that runs, as soon as it is told.
        rig.run(asyncio.to_thread(reset, rig, operators, 1, installed))
        rig.gate.process.send_signal(signal.SIGHUP)
        heard(rig, "a factory reset was taken")
        assert rig.visit().rejected
    finally:
        rig.run(rig.gate.__aexit__())
    rig.start()
    try:
        heard(rig, "factory reset 1: trust bundle, site file and audit log are erased")
        heard(rig, "NOBODY CAN ENTER (factory-reset")
        assert {path.name for path in installed.iterdir()} == KEPT
        records = rig.gate.audit()
        assert records[0]["event"] == "started" and records[0]["reset"] == 1 and records[0]["seq"] == 1
        assert not any("outcome" in record for record in records), "the visits of before"
        # A bundle alone opens nothing: not the newest, and not one that was there before.
        rig.run(asyncio.to_thread(operators.install, source, installed, sequence=4))
        rig.gate.process.send_signal(signal.SIGHUP)
        heard(rig, "nothing was reloaded: this gate was reset")
    finally:
        rig.run(rig.gate.__aexit__())
    rig.start()
    try:
        heard(rig, "this gate was reset, and nobody has set it up since")
        heard(rig, "NOBODY CAN ENTER (factory-reset")
        assert "OVP" not in "".join(rig.gate.screen.lines), "no code that a wallet could scan"
    finally:
        rig.run(rig.gate.__aexit__())
    site(rig, operators, 2, {"name": "NEW"})
    rig.open()
    try:
        assert "OVPNEW" in rig.uri() and rig.visit().accepted
        heard(rig, "it is kept", 120)
        assert not (installed / "reset").exists() and not (installed / "reset.copy").exists()
    finally:
        rig.close()


@pytest.fixture
def desk(tmp_path):
    return Desk(tmp_path)


def test_an_order_to_reset_is_for_one_gate_for_some_days_and_once(desk):
    words = lambda file, *more: ("reset", file, "--root", desk.root, "--into", desk.gate, "--gate-id", GATE, *more)
    refused(*words(by_hand(desk, payload("reset"), "alice")), words="not signed by as many")
    refused(*words(by_hand(desk, payload("site"))), words="one of the kind site")
    refused(*words(by_hand(desk, payload("reset", gates=("elsewhere",)))), words="this one is " + GATE)
    refused(*words(by_hand(desk, payload("reset", gates="all"))), words="never for all")
    refused(*words(by_hand(desk, payload("reset", lasts=32 * 86400))), words="31 days at most")
    refused(*words(by_hand(desk, payload("reset", created=-600, lasts=300))), words="could be used until")
    refused(*words(by_hand(desk, payload("reset", content={"audit": "keep"}))), words="audit")
    assert not (desk.gate / "reset").exists()
    file = by_hand(desk, payload("reset", 3))
    assert "factory reset 3 would be taken" in done(*words(file, "--check")) and not (desk.gate / "reset").exists()
    assert "factory reset 3 taken" in done(*words(file))
    assert (desk.gate / "reset").read_bytes() == (desk.gate / "reset.copy").read_bytes()
    refused(*words(file), words="has taken number 3 of the kind reset already")
    refused(*words(file, "--check"), words="has taken number 3 of the kind reset already")


def test_no_command_makes_an_order_to_reset_every_gate(desk):
    refused("order", "build", "--kind", "reset", "--number", 1, "--all-gates", "--not-after", rfc3339(time.time() + 3600), "--out", desk.folder / "out",
            words="never for all")
    refused("order", "build", "--kind", "reset", "--number", 1, "--gate", GATE, "--not-after", rfc3339(time.time() + 40 * 86400), "--out", desk.folder / "out",
            words="31 days at most")
    assert not (desk.folder / "out").exists()
    shown = json.loads(done("order", "inspect", by_hand(desk, payload("reset", 2))).splitlines()[0])
    assert (shown["kind"], shown["number"], shown["content"]) == ("reset", 2, {})
