"""SIGHUP: the gate reads the trust folder again, and no visitor notices but by whom it believes."""
import asyncio
import signal

import pytest

import issuer
from rig import Rig
from gate import is_reference
from phone import Plan

pytestmark = pytest.mark.skipif(is_reference(), reason="the reference gate reads its trust once")

STRANGER = issuer.Issuer("EdDSA", "https://newcomer.demo.gatehouse.example")


def reload(rig: Rig, said: str) -> None:
    async def hang_up() -> None:
        before = len(rig.gate.errors)
        rig.gate.process.send_signal(signal.SIGHUP)
        await rig.gate.until(lambda: any(said in line for line in rig.gate.errors[before:]), what=said)

    rig.run(hang_up())


def stranger(rig: Rig, plan: Plan = Plan()):
    return rig.visit(plan, issuer.wrap(STRANGER.credential(3000)))


def test_a_newcomer_is_believed_after_sighup_and_a_broken_folder_changes_nothing(own_rig):
    rig, folder = own_rig, own_rig.folder / "trust"
    assert stranger(rig).rejected
    newcomer = folder / "newcomer"
    newcomer.mkdir()
    issuer.write_trust(newcomer, STRANGER)
    (file,) = newcomer.glob("*.json")
    file.rename(folder / "newcomer.json")
    assert stranger(rig).rejected, "nobody asked the gate to read anything"
    reload(rig, "nobody signed")
    assert stranger(rig).accepted
    (folder / "broken.json").write_text("{")
    reload(rig, "nothing was reloaded")
    assert stranger(rig).accepted
    (folder / "broken.json").unlink()
    (folder / "newcomer.json").unlink()
    reload(rig, "nobody signed")
    assert stranger(rig).rejected
    assert [record["event"] for record in rig.gate.audit()].count("trust") == 2
    rig.still_serves()


def test_a_visit_under_way_is_not_disturbed(own_rig):
    rig = own_rig

    async def both():
        visit = asyncio.ensure_future(rig.gate.visit(rig.phone, rig.good(20_000), Plan("android", pace=0.01)))
        await rig.gate.until(lambda: rig.phone.link and "first chunk" in rig.phone.link.visit.at, what="the first chunk")
        for _ in range(20):
            rig.gate.process.send_signal(signal.SIGHUP)
            await asyncio.sleep(0.01)
        return await visit

    assert rig.run(both()).accepted
    rig.still_serves()
