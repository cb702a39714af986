"""Whole visits by wallets of DIDComm (aries.md): the invitation on the gate's screen is read from its drawing, the rest goes over the air. Every
fault that a wallet can have, by either kind of phone, each followed by a visit that is accepted; posted, they are in
network/test_network_faults.py."""
import json
import os

import pytest

from aries_faults import FAULTS, OF_A_LINK, POSTED, WAITS, each
from aries_phone import AriesPlan
from aries_rig import GROWN_UP, gate
from gate import is_reference
from phone import Plan

pytestmark = pytest.mark.skipif(is_reference(), reason="the reference gate asks for no proof")
PROFILES = ("android", "ios")


@pytest.fixture(scope="module")
def shared_gate(tmp_path_factory):
    with gate(tmp_path_factory.mktemp("aries")) as made:
        yield made


@pytest.fixture
def made(shared_gate):
    shared_gate.rig.restart_if_left_alone()
    return shared_gate


# MARK: what lets somebody in


@pytest.mark.parametrize("did_sov", (False, True))
@pytest.mark.parametrize("profile", PROFILES)
def test_a_wallet_that_answers(made, profile, did_sov):
    record = made.accepts(AriesPlan(profile, did_sov=did_sov))
    assert record["form"] == "anoncreds" and record["mtu"] == {"android": 512, "ios": 185}[profile], record


def test_the_invitation_over_the_air_is_the_one_on_the_screen_in_pieces_the_link_takes(made):
    seen, _ = made.visit(AriesPlan("ios"))
    said = seen.pieces[: seen.pieces.index(3) + 1]
    assert sum(said) == len(seen.invitation) + 3 and set(said[:-2]) == {185 - 12}, seen.pieces
    assert len(seen.invitation) <= 1380


@pytest.mark.parametrize("mtu", (23, 24, 64, 247, 517))
def test_any_mtu(made, mtu):
    assert made.accepts(AriesPlan("android", mtu=mtu))["mtu"] == mtu


@pytest.mark.parametrize("piece, fragment", ((11, 0), (100, 0), (173, 40), (500, 60), (512, 180), (500, 100)))
def test_any_split(made, piece, fragment):
    made.accepts(AriesPlan("ios", piece=piece, fragment=fragment))


# MARK: what does not


# Those that the reference wallet has, by name: none is lost here unnoticed.
REFERENCE = """decline other-nonce replay raw threshold no-predicate other-issuer other-holder revoked no-revocation thread type no-attachment base64
    plain anoncrypt recipient tag protected garbage empty large no-end end-twice vanish slow deaf silent again""".split()


def test_every_fault_is_tried():
    """By either phone below, where each of the table is a parameter; and posted, but for two that have no place in a request."""
    assert len(REFERENCE) == 29 and set(FAULTS) == {"none", *REFERENCE}
    assert set(POSTED) | OF_A_LINK == set(FAULTS) and not set(POSTED) & OF_A_LINK


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("fault", each(FAULTS, WAITS))
def test_a_fault_and_then_a_good_visit(made, fault, profile):
    if fault == "replay":
        made.accepts(AriesPlan(profile))
    seen, _ = made.meets(fault, profile)
    if fault == "again":
        assert seen.second != "accepted", seen
    made.accepts(AriesPlan(profile))


def test_nothing_of_a_person_is_in_the_records(made):
    made.accepts()
    text = json.dumps(made.gate.audit(), ensure_ascii=False)
    assert not any(word in text for word in ("Zsófia", "North 7", "007421", "19820227"))


# MARK: beside others


def test_an_age_without_a_date_of_birth(tmp_path):
    with gate(tmp_path, asks=GROWN_UP) as made:
        seen, record = made.visit()
        assert (seen.result, record["outcome"]) == ("accepted", "accepted"), (seen, record)
        assert "19820227" not in json.dumps(seen.shown) and len(seen.shown["proof"]["proofs"]) == 1


def test_wallets_of_two_kinds_in_turn_at_one_gate(tmp_path):
    with gate(tmp_path, offers="tuvali,aries") as made:
        for profile in PROFILES:
            made.accepts(AriesPlan(profile))
            made.rig.still_serves(profile)
            made.meets("vanish", profile)
            made.rig.still_serves(profile)
            assert not made.rig.visit(Plan(profile, leave_after="discovery")).accepted
            made.accepts(AriesPlan(profile))


def test_proofs_in_a_row_take_no_memory(tmp_path):
    """Forty, or PROOFS of them, by either phone. `make soak` has a thousand."""
    count, resident = int(os.environ.get("PROOFS", "40")), []
    with gate(tmp_path) as made:
        for number in range(count):
            made.accepts(AriesPlan(PROFILES[number % 2]))
            if number % 10 == 9:
                resident.append(made.gate.resident())
        records = made.gate.verdicts()
        assert len(records) == count and {record["outcome"] for record in records} == {"accepted"}
        # What is used for the first time is got once.
        assert resident[-1] - resident[min(1, len(resident) - 1)] < 1024, resident
