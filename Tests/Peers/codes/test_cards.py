"""The cards and the frames themselves: drawn as they are said to be, and read by somebody else's reader."""
import hashlib
import io
import random

import cbor2
import numpy
import pytest
import zxingcpp
from PIL import Image

import cards
import code_frames
from code_frames import CONDITIONS, EXTRAS, SERIES, empty_frames, frame_of, frames, room
from code_rig import held_by, on_a_screen, photo, printed
from cwt_issuer import IDENTITY, PHOTO, pixelpass


def read(image) -> str | None:
    found = zxingcpp.read_barcode(numpy.asarray(image.convert("L")), formats=zxingcpp.BarcodeFormat.QRCode)
    return found.text if found else None


def test_what_pixelpass_says_of_hello():
    """pixelpass.md section 2."""
    assert cards.unwrapped("NCFKVPV0QSIP600GP5L0") == b"hello" and cards.unwrapped(pixelpass("hello")) == b"hello"


def test_a_card_says_what_it_was_told():
    issuer, picture = cards.CardIssuer(), photo(number=1)
    claims = cbor2.loads(cbor2.loads(cards.unwrapped(issuer.card(picture))).value.value[2])
    assert claims[IDENTITY][PHOTO] == picture and len(picture) < 1200
    assert len(cards.filled_card(issuer, 4296, random.Random(1).randbytes(3000))) in range(4290, 4297)


def test_room_is_that_of_the_standard():
    """ISO/IEC 18004 table 7."""
    assert [room(version, False) for version in (1, 5, 9, 10, 26, 27, 40)] == [25, 154, 335, 395, 1990, 2132, 4296]
    assert [room(version, True) for version in (1, 5, 9, 10, 40)] == [17, 106, 230, 271, 2953]


def test_the_same_seed_draws_the_same_frames():
    def digests():
        return [hashlib.sha256(frame.image.tobytes()).hexdigest() for frame in frames(code_frames.Series("some", (5,), 1))]

    first = digests()
    code_frames.taken.cache_clear()
    assert digests() == first and len(set(first)) == len(CONDITIONS)


@pytest.mark.parametrize("condition", (*CONDITIONS, *EXTRAS))
def test_every_condition_can_be_read(condition):
    text = "PIXELPASS" * 25
    assert read(frame_of(text, 10, condition)) == text
    assert read(frame_of(text, 10, condition, size=code_frames.HD)) == text


def test_a_card_as_it_is_held_in_the_tests_of_visits():
    text = cards.CardIssuer().card(photo(number=2))
    for octets in (printed(text), printed(text, on_a_screen), *held_by(text, (200, 60, 40))):
        assert read(Image.open(io.BytesIO(octets))) == text


def test_frames_without_a_code_have_none():
    assert [read(frame.image) for frame in empty_frames(count=6)] == [None] * 6


def test_the_table_has_as_many_frames_as_the_specification():
    """pixelpass.md section 4.2."""
    assert [len(series.versions) * series.copies * len(CONDITIONS) for series in SERIES] == [132, 352, 165]
