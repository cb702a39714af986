"""Strangers in radio range: nobody keeps the gate's one slot from a visitor with a good credential.

The long deadlines are proven in virtual time (Tests/Unit/VisitTests, Tests/Unit/TuvaliTests). Here a flood of links
comes first, so that the gate has the least patience it ever has, and that is measured.
"""
import asyncio
import time

import pytest

import wallet as w
from gate import audit_octets, is_reference
from phone import Ended, Link, Phone, Plan
from strangers import Beside, Stranger, beside, pairing, pairing_and_garbage, visits_until_served

pytestmark = pytest.mark.skipif(is_reference(), reason="the reference gate has all the patience in the world")


async def impatient(rig) -> Stranger:
    """A gate that was left in vain often enough to be at its floors; and who did it."""
    stranger = await Stranger.on(rig.air)
    address = await stranger.find(await rig.gate.uri())
    for _ in range(20):
        await stranger.come_and_go(address, is_fresh=True)
    assert stranger.links >= 12
    return stranger


async def ended(rig) -> list[dict]:
    """Everything in the audit log, after a clean end: what was counted is written then."""
    assert await rig.gate.stop() == 0
    return rig.gate.audit()


def counted(records: list[dict], kind: str) -> int:
    return sum(record.get(kind, 0) for record in records if record["event"] == "fruitless")


# MARK: while another's verdict is shown

def test_strangers_change_no_light_and_no_record_of_a_visit_that_was_accepted(rig_with):
    rig = rig_with("--verdict-time", "3")
    visit = rig.visit()
    assert visit.accepted, visit
    green = rig.light("accept", visit.at["connect"])
    accepted = rig.gate.verdicts()
    for name in ("report request before size", "random ciphertext", "size 0"):
        assert rig.visit(Plan("ios", mischief=name)).refused, name
    ready = rig.light("ready", green)
    # By the gate's own clock: nothing while the green stands. What is shown afterwards is up to the link that is there then.
    assert not [lamps for at, lamps in rig.gate.lights if green < at < green + 2.99]
    assert 2.99 <= ready - green
    assert rig.gate.verdicts()[:len(accepted)] == accepted
    rig.still_serves()


# MARK: who never gets on with it

@pytest.mark.slow
def test_stranger_who_never_identifies_is_waited_for_six_seconds_at_last(own_rig):
    rig = own_rig
    rig.run(impatient(rig))
    visit = rig.run(rig.phone.visit(rig.uri(), b"", Plan("android", halts_after="discovery", stays=True, patience=40)))
    assert visit.link_lost is not None and visit.status is None, visit
    # The six seconds, and not the thirty of a stranger who comes first.
    assert 3 < visit.seconds("connect", "gone") < 28
    assert rig.run(visits_until_served(rig.gate, rig.other, rig.good(), Plan("ios", patience=10)))[0].accepted
    records = rig.run(ended(rig))
    assert counted(records, "silent") == 1
    assert any(record.get("shortened") == 3 for record in records if record["event"] == "fruitless")


@pytest.mark.slow
def test_stranger_who_dribbles_is_ended_by_its_pace(own_rig):
    rig = own_rig
    rig.run(impatient(rig))
    visit = rig.run(rig.phone.visit(rig.uri(), rig.good(), Plan("android", att_mtu=67, pace=0.5, stays=True, patience=60)))
    assert visit.link_lost is not None and visit.status is None, visit
    rig.run(rig.gate.until(lambda: rig.gate.verdicts(), what="the record"))
    record = rig.gate.verdicts()[-1]
    assert (record["outcome"], record["deadline"], record["shortened"]) == ("timed-out", "pace", 3), record
    assert rig.run(visits_until_served(rig.gate, rig.other, rig.good(), Plan("ios", patience=10)))[0].accepted


# MARK: who races

def test_two_wallets_that_race_are_both_served(own_rig):
    rig = own_rig
    rig.uri()

    async def race():
        return await asyncio.gather(*(
            visits_until_served(rig.gate, phone, rig.good(), Plan(profile, patience=10))
            for phone, profile in ((rig.phone, "android"), (rig.other, "ios"))))

    results = rig.run(race())
    assert all(visit.accepted for visit, _, _ in results), results
    assert [record["outcome"] for record in rig.gate.verdicts()].count("accepted") == 2


@pytest.mark.parametrize("is_fresh", (True, False), ids=("fresh addresses", "one address"))
def test_flood_of_links_does_not_keep_a_visitor_out(own_rig, is_fresh):
    rig = own_rig
    payload, began = rig.good(), time.monotonic()

    async def during():
        stranger = await Stranger.on(rig.air)
        where = await stranger.find(await rig.gate.uri())

        async def address():
            return where

        async with beside(stranger.flood(address, is_fresh)):
            await rig.gate.until(lambda: stranger.links > 30, what="the flood")
            served = await visits_until_served(rig.gate, rig.phone, payload, Plan("android", patience=10))
        return stranger.links, served

    links, (visit, _, _) = rig.run(during())
    assert visit.accepted, visit
    assert rig.run(visits_until_served(rig.gate, rig.other, payload, Plan("ios", patience=10)))[0].accepted
    records = rig.run(ended(rig))
    counts = [record for record in records if record["event"] == "fruitless"]
    # However many there were, the log has a record a minute.
    minutes = int(time.monotonic() - began) // 60
    assert 1 <= len(counts) <= 2 + minutes and sum(record["links"] for record in counts) >= 30, counts
    assert bool(counted(records, "refused")) == (not is_fresh)
    assert counted(records, "left") >= (30 if is_fresh else 4)
    text = audit_octets(rig.gate.data).decode()
    assert str(rig.phone.device.random_address).split("/")[0] not in text


def test_phone_that_walked_off_three_times_is_not_sent_away(own_rig):
    """From one address, as a real phone has for minutes: the fourth time it stays, and is let in."""
    rig = own_rig

    async def again():
        stranger = await Stranger.on(rig.air)
        where = await stranger.find(await rig.gate.uri())
        for _ in range(2):
            assert await stranger.come_and_go(where, is_fresh=False)
        return await keeps_its_address(stranger.phone, rig.gate.screen.codes[-1][0], rig.good())

    visit = rig.run(again())
    assert visit.accepted, visit


async def keeps_its_address(phone: Phone, uri: str, payload: bytes):
    link = phone.link = Link(phone.air, phone.device, Plan("ios"))
    try:
        await link.run(w.VerifierURI.parse(uri), payload, None)
    except Ended as end:
        link.visit.error = str(end)
    finally:
        await link.leave()
    return link.visit


# MARK: noise beside a transfer

@pytest.mark.parametrize("noise", (pairing, pairing_and_garbage), ids=("pairing requests", "and garbage"))
def test_a_thousand_a_second_beside_a_transfer_lose_nothing(rig, noise):
    payload = rig.good(200_000)
    rig.uri()
    rig.phone.link = None
    flood = Beside(rig.phone, 1000, noise())

    async def during():
        async with beside(flood.run()):
            return await rig.gate.visit(rig.phone, payload, Plan("android"))

    before = time.monotonic()
    visit = rig.run(during())
    assert visit.accepted, visit
    assert (visit.rounds, visit.lost_pushes) == (0, 0)
    assert flood.sent > 20, (flood.sent, time.monotonic() - before)
    rig.still_serves()
