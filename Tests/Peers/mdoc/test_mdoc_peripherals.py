"""Phones in mdoc peripheral server mode that the gate looks for in vain, or that leave or fall silent before they have answered.

What test_mdoc_visits.py has of phones as centrals. The deadlines are the gate's (mdoc.md section 5): that one is not cut short is all that
is measured of them, and how often the gate tries is counted at its controller.
"""
import time

import pytest

from gate import is_reference
from mdoc_phone import MdocPlan
from mdoc_rig import gate

pytestmark = pytest.mark.skipif(is_reference(), reason="the reference gate has no camera")
# mdoc.md section 5: engagement to link, and how often a phone that was found is connected to.
SEEKING, ATTEMPTS = 30, 3
NOBODY, LOST = ("mdoc-no-link", "timed-out"), ("mdoc-link-lost", "left")


@pytest.fixture(scope="module")
def shared_mdoc_gate(tmp_path_factory):
    with gate(tmp_path_factory.mktemp("peripherals"), "--codes-without-face", "*") as made:
        yield made


@pytest.fixture
def mdoc_gate(shared_mdoc_gate):
    shared_mdoc_gate.leaves()
    yield shared_mdoc_gate


def peripheral(mischief: str, l2cap: str = "none") -> MdocPlan:
    return MdocPlan("peripheral", l2cap, mischief=mischief, patience=60)


# MARK: it is not found


@pytest.mark.slow
@pytest.mark.parametrize("mischief", ("never_advertises", "other_uuid"))
def test_nobody_advertises_the_service(mdoc_gate, mischief):
    """The gate looks for as long as it says, and connects to nobody else."""
    began = time.monotonic()
    mdoc_gate.loses_phone(*NOBODY, peripheral(mischief))
    assert time.monotonic() - began >= SEEKING
    assert (mdoc_gate.phone.attempts, mdoc_gate.phone.links) == (0, 0)
    mdoc_gate.accepts_phone(MdocPlan("peripheral"))


@pytest.mark.slow
def test_it_is_gone_when_it_is_connected_to(mdoc_gate):
    """The connection is given up, and the gate looks again, for what is left of its time."""
    began = time.monotonic()
    mdoc_gate.loses_phone(*NOBODY, peripheral("gone_when_found"))
    assert time.monotonic() - began >= SEEKING
    assert (mdoc_gate.phone.attempts, mdoc_gate.phone.links) == (1, 0)
    mdoc_gate.accepts_phone(MdocPlan("peripheral"))


def test_it_is_gone_each_time(mdoc_gate):
    mdoc_gate.loses_phone(*NOBODY, peripheral("gone_each_time"))
    assert (mdoc_gate.phone.attempts, mdoc_gate.phone.links) == (ATTEMPTS, 0)
    mdoc_gate.accepts_phone(MdocPlan("peripheral"))


def test_it_is_there_the_last_time(mdoc_gate):
    mdoc_gate.accepts_phone(peripheral("gone_twice"))
    assert (mdoc_gate.phone.attempts, mdoc_gate.phone.links) == (ATTEMPTS, 1)


# MARK: it leaves


@pytest.mark.parametrize("mischief", ("drops_each_time", "drops_when_subscribed"))
def test_it_leaves_before_start_each_time(mdoc_gate, mischief):
    mdoc_gate.loses_phone(*LOST, peripheral(mischief))
    assert (mdoc_gate.phone.attempts, mdoc_gate.phone.links) == (ATTEMPTS, ATTEMPTS)
    mdoc_gate.accepts_phone(MdocPlan("peripheral"))


@pytest.mark.slow
def test_it_leaves_for_good(mdoc_gate):
    """It does not advertise any more."""
    began = time.monotonic()
    mdoc_gate.loses_phone(*LOST, peripheral("drop_connected"))
    assert time.monotonic() - began >= SEEKING
    mdoc_gate.accepts_phone(MdocPlan("peripheral"))


@pytest.mark.parametrize("mischief", ("drop_on_request", "drop_before_answer", "drop_in_answer"))
def test_it_leaves_a_channel(mdoc_gate, mischief):
    mdoc_gate.loses_phone(*LOST, peripheral(mischief, "engagement"))
    mdoc_gate.accepts_phone(MdocPlan("peripheral", "engagement"))


# MARK: it falls silent


@pytest.mark.slow
@pytest.mark.parametrize("mischief, l2cap, error", (
    ("mute_server", "none", "mdoc-no-start"), ("subscription_unanswered", "none", "mdoc-no-start"), ("no_last", "none", "mdoc-too-slow"),
    ("stalls_in_channel", "engagement", "mdoc-too-slow")))
def test_it_falls_silent(mdoc_gate, mischief, l2cap, error):
    mdoc_gate.loses_phone(error, "timed-out", peripheral(mischief, l2cap))
    mdoc_gate.accepts_phone(MdocPlan("peripheral", l2cap))
