"""A kernel module without its signature (image/unsigned.py)."""
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent / "image"))

from unsigned import MARK, unsigned  # noqa: E402

MODULE = b"\x7fELF" + bytes(range(256)) * 8


def signed(module: bytes, signature: bytes) -> bytes:
    return module + signature + bytes([0, 0, 2, 0, 0, 0, 0, 0]) + len(signature).to_bytes(4, "big") + MARK


@pytest.mark.parametrize("length", [0, 1, 263, 5000])
def test_the_signature_goes_and_nothing_else(length):
    assert unsigned(signed(MODULE, b"s" * length)) == MODULE


def test_a_module_without_one_stays_as_it_is():
    assert unsigned(MODULE) == MODULE
    # The words somewhere else are no signature.
    assert unsigned(MARK + MODULE) == MARK + MODULE


def test_one_that_was_signed_twice_loses_both():
    assert unsigned(signed(signed(MODULE, b"a" * 263), b"b" * 10)) == MODULE


@pytest.mark.parametrize("length", [len(MODULE), len(MODULE) + 1, 0xFFFF_FFFF])
def test_a_length_beyond_the_module_is_refused(length):
    with pytest.raises(ValueError):
        unsigned(MODULE + bytes(8) + length.to_bytes(4, "big") + MARK)


def test_a_mark_alone_is_refused():
    with pytest.raises(ValueError):
        unsigned(MARK)
