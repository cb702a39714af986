"""Whole visits by a code that is held before a camera, which is a folder of drawn pictures: what lets somebody in, what does not, and what is none
of the gate's business. No radio is part of them, but for the phones that come meanwhile."""
import asyncio
import time
import zlib

import pytest

import cards
from code_rig import TYPE, CodeRig, gate, photo, shots
from cwt_issuer import base45, pixelpass
from face_rig import RED, standing
from gate import is_reference
from mischief import MISCHIEF, Mischief
from phone import Plan

pytestmark = pytest.mark.skipif(is_reference(), reason="the reference gate has no camera")

# MARK: cards


def test_a_printed_card(open_gate):
    record = open_gate.accepts()
    assert (record["form"], record["holder"], record["notes"]) == ("cwt", "not-bound", ["holder-not-bound"])
    open_gate.says(f"visit {record['visit']} accepted by code")


@pytest.mark.parametrize("condition", ("moire, JPEG 80", "contrast 22 %", "turned 20", "blur 0.8", "inverted", "mirrored"))
def test_a_card_on_a_screen_and_in_bad_light(open_gate, condition):
    open_gate.accepts(open_gate.card(), condition)


@pytest.mark.parametrize("more", ({"header": {4: None}}, {"tagged": False}, {"person": {4: "Asha Rao", 5: "Asha", 7: "Rao", 10: "New House\nBengaluru"}}))
def test_cards_of_other_makes(open_gate, more):
    open_gate.accepts(open_gate.card(**more))


@pytest.mark.parametrize("name", ("tampered", "signature flipped", "expired", "not yet valid", "unknown issuer", "unknown key", "revoked"))
def test_cards_that_let_nobody_in(open_gate, name):
    open_gate.refuses(*open_gate.bad(name))
    open_gate.accepts()


def test_a_credential_of_another_type_needs_a_face(open_gate):
    text = open_gate.draws(cards.sd_jwt_code, open_gate.rig.issuer, b"\xff\xd8\xff")
    open_gate.refuses(text, "copy-needs-face")
    open_gate.accepts()


@pytest.mark.parametrize("what, text", (("an engagement", cards.ENGAGEMENT), ("an engagement in capitals", "MDOC:" + cards.ENGAGEMENT[5:]),
                                        ("a health certificate", cards.HEALTH_CERTIFICATE)))
def test_what_is_refused_by_name(open_gate, what, text):
    record = open_gate.judged(text)
    assert record["outcome"] == "rejected" and record["reasons"][0].startswith("unsupported"), record
    open_gate.accepts()


# MARK: a code stays where it is


def test_a_code_that_stays_is_one_visit(open_gate):
    mark = open_gate.mark()
    open_gate.holds(open_gate.card())
    assert open_gate.record(mark)["outcome"] == "accepted"
    open_gate.waits(2)
    open_gate.leaves()
    open_gate.waits(0.5)
    open_gate.accepts()
    assert len(open_gate.gate.verdicts()) == mark + 2


def test_the_same_code_again_is_ignored_for_a_while_and_then_is_not(open_gate):
    text, mark = open_gate.card(), open_gate.mark()
    began = time.monotonic()
    open_gate.accepts(text)
    open_gate.holds(text)
    open_gate.waits(1)
    assert len(open_gate.gate.verdicts()) == mark + 1 or time.monotonic() > began + 10
    # Out of sight for thirty looks, however long they take, and ten seconds after it was read.
    open_gate.waits(max(0, began + 10.5 - time.monotonic()))
    for _ in range(30):
        open_gate.leaves()
        open_gate.waits(3.5)
        open_gate.holds(text)
        open_gate.waits(1.5)
        if len(open_gate.gate.verdicts()) > mark + 1:
            break
    record = open_gate.record(mark + 1)
    assert record["outcome"] == "accepted" and record["presentation"] == "code", record
    open_gate.leaves()


# MARK: what is nobody's business here


def test_posters_and_tickets_make_no_record(open_gate):
    mark = open_gate.mark()
    film = [open_gate.draws(shots, text)[0] for text in cards.FOREIGN.values()]
    open_gate.shows([shot for shot in film for _ in range(4)])
    open_gate.waits(2.5)
    open_gate.accepts()
    assert len(open_gate.gate.verdicts()) == mark + 1


def bomb() -> str:
    """As much as some thousand octets can stand for, and a credential nowhere."""
    return base45(zlib.compress(b"gatehouse" * 140_000, 9))


@pytest.mark.parametrize("text", (bomb(), pixelpass(b"good morning"), pixelpass({"hello": 1}), "NCF" + "A" * 300, "%" * 100, pixelpass(b"\xd2" * 50),
                                  pixelpass(b"\xa1" * 40)), ids=("bomb", "text", "map", "letters", "signs", "tags", "maps"))
def test_what_only_looks_like_a_credential_makes_no_stall(open_gate, text):
    mark = open_gate.mark()
    open_gate.holds(text)
    open_gate.waits(0.5)
    open_gate.accepts()
    # Ignored, or refused by name; never more than one record.
    others = open_gate.gate.verdicts()[mark:-1]
    assert len(others) <= 1 and all(each["outcome"] == "rejected" for each in others), others


def test_the_gates_own_code_in_a_pane_of_glass(open_gate):
    mark, uri = open_gate.mark(), open_gate.rig.uri()
    open_gate.shows(open_gate.draws(shots, uri, "mirrored") + open_gate.draws(shots, uri))
    open_gate.waits(1)
    visit, record = open_gate.visit()
    assert visit.accepted and "presentation" not in record
    open_gate.accepts()
    assert len(open_gate.gate.verdicts()) == mark + 2


def test_a_gate_that_reads_no_codes(tmp_path):
    made = CodeRig(tmp_path, "--codes-without-face", TYPE, codes="off")
    made.rig.open()
    try:
        made.run(made.gate.uri())
        made.holds(made.card())
        made.waits(1)
        visit, record = made.visit()
        assert visit.accepted and len(made.gate.verdicts()) == 1 and "presentation" not in record
        assert made.workers() == []
    finally:
        made.close()


# MARK: the radio beside it


def while_visiting(made, at: str, does) -> tuple:
    """A phone's visit in whose middle `does()` happens, and everything that was recorded up to its end."""
    async def happens(link):
        await does(link)

    MISCHIEF["accident"] = Mischief("either", at=at, does=happens)
    mark = made.mark()
    visit = made.rig.visit(Plan("ios", mischief="accident"), made.rig.good(8000))
    made.record(mark)
    return visit, made.gate.verdicts()[mark:]


@pytest.mark.parametrize("at", ("identified", "half", "sent"))
def test_a_phone_that_has_identified_is_not_disturbed_by_a_code(open_gate, at):
    text = open_gate.card()
    film = open_gate.draws(shots, text)

    async def held_up(link):
        open_gate.shows(film)
        await asyncio.sleep(0.7)

    visit, records = while_visiting(open_gate, at, held_up)
    assert visit.accepted, (visit, open_gate.gate.errors[-5:])
    assert "presentation" not in records[0] and records[0]["outcome"] == "accepted"
    # Whoever waits behind the phone comes next.
    mark = len(open_gate.gate.verdicts()) - len(records) + 1
    record = open_gate.record(mark)
    assert (record.get("presentation"), record["outcome"]) == ("code", "accepted")


def test_a_phone_that_only_connects_yields_to_a_code(open_gate):
    film, mark = open_gate.draws(shots, open_gate.card()), open_gate.mark()

    async def held_up(link):
        open_gate.shows(film)
        await open_gate.gate.until(lambda: open_gate.gate.verdicts()[mark:], what="the code's record")

    MISCHIEF["accident"] = Mischief("either", at="connected", does=held_up)
    visit = open_gate.rig.visit(Plan("ios", mischief="accident", patience=20))
    assert not visit.accepted, visit
    record = open_gate.record(mark)
    assert (record["presentation"], record["outcome"]) == ("code", "accepted")
    open_gate.leaves()
    open_gate.rig.still_serves()


def test_a_code_before_the_camera_is_not_disturbed_by_a_phone(tmp_path):
    with gate(tmp_path, policy="required", look=30) as made:
        people = made.draws(standing, RED)
        uri, mark, began = made.rig.uri(), made.mark(), time.monotonic()
        made.holds(made.card(photo()))
        made.rig.light("look", began)
        visit = made.rig.visit(Plan("ios", patience=2, connecting=2), uri=uri)
        assert not visit.accepted, visit
        made.shows(people)
        record = made.record(mark)
        assert (record["presentation"], record["outcome"], record["face"]) == ("code", "accepted", "match"), record
        assert len(made.gate.verdicts()) == mark + 1
