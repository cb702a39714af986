"""Engagements that offer several bearers of which the phone serves one: the gate goes on to the other (mdoc.md sections 1.2 and 2.4).

A channel that does not come about leaves GATT on the same link; a role in which nobody is met leaves the other one, and the two are
never on the air at once.
"""
import time
import uuid

import pytest

from gate import is_reference
from mdoc_elusive import RESULTS
from mdoc_phone import MdocPlan
from mdoc_rig import gate

pytestmark = pytest.mark.skipif(is_reference(), reason="the reference gate has no camera")
# mdoc.md section 5: engagement to link, of these by the first way where there is a second; how often a phone is connected to.
SEEKING, FIRST_WAY, ATTEMPTS = 30, 8, 3
SCANS, ADVERTISES = (True, False), (False, True)
# As multipaz writes both roles, as EUDI on iOS does, and as nobody known does but the standard allows.
OFFERS = {"one entry": {}, "two entries": {"split": True}, "two services": {"peripheral_uuid": uuid.uuid4().bytes}}


@pytest.fixture(scope="module")
def shared_mdoc_gate(tmp_path_factory):
    with gate(tmp_path_factory.mktemp("bearers"), "--codes-without-face", "*") as made:
        yield made


@pytest.fixture
def mdoc_gate(shared_mdoc_gate):
    shared_mdoc_gate.leaves()
    yield shared_mdoc_gate


def channel(mischief: str) -> MdocPlan:
    return MdocPlan("peripheral", "engagement", mischief=mischief, patience=60)


def both(mischief: str, l2cap: str = "none") -> MdocPlan:
    return MdocPlan("both", l2cap, mischief=mischief, patience=60)


def changes_over(phone) -> bool:
    """The gate looked for the phone, then advertised for it, never both at once; what it advertised before was its own offer."""
    seen = phone.on_air[phone.on_air.index(SCANS):]
    return (True, True) not in phone.on_air and ADVERTISES in seen and SCANS not in seen[seen.index(ADVERTISES):]


# MARK: from a channel to GATT


@pytest.mark.parametrize("mischief", (*RESULTS, pytest.param("channel_unanswered", marks=pytest.mark.slow)))
def test_a_channel_that_is_refused(mdoc_gate, mischief):
    """It is asked for once; the same link carries the visit."""
    assert mdoc_gate.accepts_phone(channel(mischief))["bearer"] == "gatt"
    assert (mdoc_gate.phone.channels_asked, mdoc_gate.phone.links) == (1, 1)


def test_a_channel_that_is_nobodys_to_offer(mdoc_gate):
    assert mdoc_gate.accepts_phone(channel("channel_foreign"))["bearer"] == "gatt"
    assert (mdoc_gate.phone.channels_asked, mdoc_gate.phone.links) == (0, 1)


@pytest.mark.slow
def test_a_channel_that_opens_late(mdoc_gate):
    """GATT is under way, and nothing is answered there: the phone has taken the channel for the session's."""
    assert mdoc_gate.accepts_phone(channel("channel_late"))["bearer"] == "channel" and mdoc_gate.phone.was_late
    assert (mdoc_gate.phone.channels_asked, mdoc_gate.phone.links) == (1, 1)


def test_a_channel_that_closes_is_an_end(mdoc_gate):
    """It was open: the person has given up, and is not asked again by GATT."""
    mdoc_gate.loses_phone("mdoc-phone-ended", "left", channel("channel_closed"))
    assert (mdoc_gate.phone.channels_asked, mdoc_gate.phone.links) == (1, 1)
    mdoc_gate.accepts_phone(MdocPlan("peripheral", "engagement"))


# MARK: from one role to the other


@pytest.mark.slow
@pytest.mark.parametrize("l2cap", ("none", "engagement"))
@pytest.mark.parametrize("offer", OFFERS)
def test_only_the_central_is_served(mdoc_gate, offer, l2cap):
    began = time.monotonic()
    record = mdoc_gate.accepts_phone(both("never_advertises", l2cap), **OFFERS[offer])
    assert (record["role"], record["bearer"]) == ("peripheral", "gatt") and time.monotonic() - began >= FIRST_WAY
    assert mdoc_gate.phone.attempts == 0 and changes_over(mdoc_gate.phone), mdoc_gate.phone.on_air


@pytest.mark.parametrize("l2cap, bearer", (("none", "gatt"), ("engagement", "channel")))
@pytest.mark.parametrize("offer", OFFERS)
def test_only_the_peripheral_is_served(mdoc_gate, offer, l2cap, bearer):
    record = mdoc_gate.accepts_phone(both("never_looks", l2cap), **OFFERS[offer])
    assert (record["role"], record["bearer"]) == ("central", bearer)
    # Once, where nobody was too slow for it.
    assert 1 <= mdoc_gate.phone.links <= mdoc_gate.phone.attempts <= ATTEMPTS


@pytest.mark.parametrize("mischief", ("gone_each_time", "drops_each_time", "drops_when_subscribed"))
def test_the_peripheral_is_never_held(mdoc_gate, mischief):
    """Three times, or as often as there is time for by the first way."""
    assert mdoc_gate.accepts_phone(both(mischief))["role"] == "peripheral"
    phone = mdoc_gate.phone
    assert 0 < phone.attempts <= ATTEMPTS and phone.links == (0 if mischief == "gone_each_time" else phone.attempts)
    assert changes_over(phone), phone.on_air


@pytest.mark.slow
def test_neither_is_served(mdoc_gate):
    """All of the time that there is, whatever of it went into the first way."""
    began = time.monotonic()
    mdoc_gate.loses_phone("mdoc-no-link", "timed-out", both("other_uuid"))
    assert time.monotonic() - began >= SEEKING and mdoc_gate.phone.attempts == 0
    assert changes_over(mdoc_gate.phone), mdoc_gate.phone.on_air
    mdoc_gate.accepts_phone(MdocPlan("both"))


@pytest.mark.parametrize("role", ("central", "peripheral"))
def test_a_code_that_is_read_before_the_controller_is_ready(tmp_path, role):
    """Which roles it has is not known yet: the phone is looked for when it is up, in whichever role its document comes."""
    with gate(tmp_path, "--codes-without-face", "*") as made:
        assert made.run(made.gate.stop()) == 0
        # The first command of the bring-up gets no answer: the gate waits for that, and begins again.
        made.rig.air.gate.unanswered = 1
        made.rig.start()
        made.accepts_phone(MdocPlan(role, patience=60))
        assert made.rig.air.gate.unanswered == 0
