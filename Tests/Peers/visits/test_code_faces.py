"""Codes before a gate that compares faces: a card is as good as the face beside it."""
import pytest

import cards
from code_rig import TYPE, gate, held_by, photo
from face_rig import BLUE, RED
from gate import is_reference

pytestmark = pytest.mark.skipif(is_reference(), reason="the reference gate has no camera")


def test_a_card_and_the_person_on_it(strict_gate):
    record = strict_gate.looked_at(strict_gate.card(photo()), RED)
    assert (record["outcome"], record["face"], record["holder"]) == ("accepted", "match", "bound"), record
    assert "notes" not in record


def test_a_card_held_up_beside_the_face(strict_gate):
    """Nobody has to do one after the other."""
    film = strict_gate.draws(held_by, strict_gate.card(photo()), RED)
    mark = strict_gate.mark()
    strict_gate.shows(film)
    record = strict_gate.record(mark)
    strict_gate.leaves()
    assert (record["outcome"], record["face"]) == ("accepted", "match"), record


@pytest.mark.parametrize("kind", (cards.JPEG, 2, 3, 4), ids=("JPEG", "JPEG 2000", "AVIF", "WebP"))
def test_the_photo_in_each_format(strict_gate, kind):
    text = strict_gate.card(strict_gate.draws(photo, RED, None, kind), kind=kind)
    record = strict_gate.looked_at(text, RED)
    assert (record["outcome"], record.get("face")) == ("accepted", "match"), record


def test_somebody_else_with_the_card(strict_gate):
    record = strict_gate.looked_at(strict_gate.card(photo()), BLUE)
    assert (record["outcome"], record["reasons"], record["holder"]) == ("rejected", ["no-match"], "not-bound"), record


def test_a_card_alone_on_the_sill(strict_gate):
    record = strict_gate.judged(strict_gate.card(photo()))
    assert (record["outcome"], record["reasons"]) == ("rejected", ["no-face"]), record


def test_a_card_without_a_photo(strict_gate):
    strict_gate.refuses(strict_gate.card(), "no-portrait")


@pytest.mark.parametrize("name", ("tampered", "expired", "unknown issuer", "revoked"))
def test_a_bad_card_is_not_looked_at(strict_gate, name):
    """The person on it may stand there: nothing that is not believed is compared."""
    record = strict_gate.refuses(*strict_gate.bad(name, photo()))
    assert "face" not in record
    assert strict_gate.looked_at(strict_gate.card(photo()), RED)["outcome"] == "accepted"


def test_tries_with_one_card_are_counted(strict_gate):
    """Attempts belong to the portrait: a code gives no more of them than a phone."""
    mine = photo()
    for _ in range(3):
        assert strict_gate.looked_at(strict_gate.card(mine), BLUE)["reasons"] == ["no-match"]
    strict_gate.refuses(strict_gate.card(mine), "locked-out")
    assert strict_gate.looked_at(strict_gate.card(photo()), RED)["outcome"] == "accepted"


def test_without_faces_a_copy_is_not_enough(tmp_path):
    with gate(tmp_path, policy="off") as made:
        made.refuses(made.card(), "copy-needs-face")
        visit, record = made.visit()
        assert visit.accepted and record["holder"] == "not-bound"


def test_a_photo_decides_where_faces_are_compared_with_photos_only(tmp_path):
    with gate(tmp_path, "--codes-without-face", TYPE, policy="when-photo") as made:
        assert made.accepts()["holder"] == "not-bound"
        assert made.looked_at(made.card(photo()), BLUE)["reasons"] == ["no-match"]
