"""How visits and the gate end: wallets that do not go when they should, and SIGTERM at every moment."""
import asyncio
import signal
import time

import pytest

import issuer
from rig import Rig
from gate import Gate, is_reference
from phone import STEPS, Plan

# Which of the deadlines it was: the next longer one is ten times as long. How punctual the gate is, is tested with a clock of the tests'
# own.
A_SECOND, TEN_SECONDS = 8, (5, 25)

pytestmark = pytest.mark.skipif(is_reference(), reason="the reference gate waits for its wallets")


# MARK: wallets that stay

@pytest.mark.parametrize("profile", ("android", "ios"))
def test_wallet_that_ignores_the_status_is_sent_away_after_a_second(rig, profile):
    visit = rig.visit(Plan(profile, stays=True))
    assert visit.status == 0 and visit.link_lost is not None, visit
    assert visit.seconds("status", "gone") < A_SECOND
    rig.still_serves()


@pytest.mark.parametrize("profile", ("android", "ios"))
def test_wallet_that_ignores_the_request_to_disconnect_is_sent_away_after_half_a_second(rig, profile):
    visit = rig.visit(Plan(profile, att_mtu=185, loss=0.8, stays=True))
    assert visit.error == "asked to disconnect" and visit.link_lost is not None, visit
    assert visit.seconds("asked", "gone") < A_SECOND
    rig.still_serves()


@pytest.mark.slow
def test_wallet_that_confirms_nothing_is_sent_away_after_ten_seconds(rig):
    visit = rig.visit(Plan("ios", confirms=False, stays=True, patience=40))
    assert visit.status is None and visit.link_lost is not None, visit
    assert TEN_SECONDS[0] < visit.seconds("success", "gone") < TEN_SECONDS[1]
    rig.still_serves()


# MARK: SIGTERM

async def terminated(rig: Rig, number: int = signal.SIGTERM) -> None:
    """Ends the gate and checks what it leaves behind."""
    rig.air.gate.left = None
    assert await rig.gate.stop(number) == 0
    assert rig.gate.lights and rig.gate.lights[-1][1] == "none", rig.gate.lights[-3:]
    if rig.air.gate.left is not None:
        assert rig.air.gate.left == {"advertising": False, "links": 0}
    rig.gate.audit()


async def terminated_during(rig: Rig, plan: Plan, reached):
    visit = asyncio.ensure_future(rig.gate.visit(rig.phone, rig.good(), plan))
    await rig.gate.until(lambda: rig.phone.link and reached(rig.phone.link.visit), what="the moment to end it")
    await terminated(rig)
    assert rig.air.gate.left is not None
    return await visit


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("profile, stays", (("android", False), ("ios", True)), ids=("android", "ios that stays"))
def test_sigterm_during_a_visit(rig, profile, stays, step):
    rig.uri()
    rig.phone.link = None
    visit = rig.run(terminated_during(rig, Plan(profile, halts_after=step, stays=stays), lambda visit: step in visit.events))
    last = rig.gate.audit()[-1]
    assert last["event"] == "visit"
    assert last["outcome"] == "stopped" or step in ("report", "success")  # from there on the gate decides by itself


def test_sigterm_in_the_middle_of_the_chunks(rig):
    rig.uri()
    rig.phone.link = None
    visit = rig.run(terminated_during(rig, Plan("ios", att_mtu=67, pace=0.02, stays=True), lambda visit: "first chunk" in visit.at))
    assert visit.error and visit.status is None, visit
    assert rig.gate.audit()[-1]["outcome"] == "stopped"


def test_sigterm_while_an_indication_waits_for_its_confirmation(rig):
    rig.uri()
    rig.phone.link = None
    visit = rig.run(terminated_during(rig, Plan("ios", confirms=False, stays=True), lambda visit: "success" in visit.events))
    assert visit.status is None and visit.link_lost is not None, visit


def test_sigterm_under_the_green_light(rig_with):
    rig = rig_with("--verdict-time", "3")
    rig.uri()
    rig.phone.link = None
    before = time.monotonic()
    visit = rig.run(terminated_during(
        rig, Plan("ios", stays=True),
        lambda visit: visit.status == 0 and any(t >= before and "accept" in lamps for t, lamps in rig.gate.lights)))
    assert visit.status == 0, visit
    assert rig.gate.audit()[-1]["outcome"] == "accepted"


@pytest.mark.parametrize("number", (signal.SIGTERM, signal.SIGINT))
def test_signal_after_a_visit(rig, number):
    assert rig.visit().accepted
    rig.run(terminated(rig, number))


def test_sigterm_with_a_controller_that_went_deaf(rig):
    rig.uri()
    rig.phone.link = None

    async def deaf():
        visit = asyncio.ensure_future(rig.gate.visit(rig.phone, rig.good(), Plan("ios", halts_after="identify", stays=True, patience=4)))
        await rig.gate.until(lambda: rig.phone.link and "identify" in rig.phone.link.visit.events)
        transport = rig.air.gate.host.transport
        transport.pause_reading()
        assert await rig.gate.stop() == 0
        transport.resume_reading()
        await visit

    rig.run(deaf())
    assert rig.gate.lights[-1][1] == "none"
    assert rig.gate.audit()[-1]["outcome"] == "stopped"


@pytest.mark.parametrize("controller", ("absent", "silent"))
def test_sigterm_without_a_controller(tmp_path, controller):
    trust = issuer.write_trust(tmp_path / "trust", issuer.Issuer())

    async def ended():
        server, asked = None, []
        if controller == "silent":
            server = await asyncio.start_unix_server(lambda *connection: asked.append(connection), tmp_path / "air")
        gate = Gate(tmp_path / "air", trust, tmp_path / "data")
        await gate.start()
        try:
            if server is None:
                await gate.light("fault")
            else:  # it is given a few seconds before it counts as a fault
                await gate.until(lambda: asked)
            assert await gate.stop() == 0
        finally:
            await gate.__aexit__()
            if server:
                server.close()
        return gate

    gate = asyncio.run(ended())
    assert gate.lights == [] or gate.lights[-1][1] == "none"
