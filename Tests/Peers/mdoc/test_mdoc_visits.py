"""Whole visits by a phone that shows an engagement to the camera and connects to the gate over a software air: mdoc central client mode."""
import asyncio

import pytest

import holder as wallet
from code_rig import shots
from gate import is_reference
from mdoc_phone import MISCHIEF, MUST_WORK, MdocPlan
from mdoc_rig import CODES, gate
from mischief import MISCHIEF as WALLETS, Mischief
from phone import Plan

pytestmark = pytest.mark.skipif(is_reference(), reason="the reference gate has no camera")

# Faults of an authority's certificates, with which the gate believes it all the same.
OF_CERTIFICATES = [("iaca_expired",), ("iaca_not_yet_valid",), ("ds_expired",), ("ds_wrong_eku",), ("ds_country",), ("wrong_curve",),
                   ("untrusted_iaca",), ("lookalike_iaca",)]


@pytest.fixture(scope="module")
def shared_mdoc_gate(tmp_path_factory):
    with gate(tmp_path_factory.mktemp("mdoc"), "--codes-without-face", "*", believed=OF_CERTIFICATES) as made:
        yield made


@pytest.fixture
def mdoc_gate(shared_mdoc_gate):
    shared_mdoc_gate.leaves()
    yield shared_mdoc_gate


# MARK: what lets somebody in


@pytest.mark.parametrize("profile", ("android", "ios"))
@pytest.mark.parametrize("mtu", (23, 185, 515))
@pytest.mark.parametrize("role", ("central", "peripheral"))
def test_a_good_document(mdoc_gate, role, profile, mtu):
    record = mdoc_gate.accepts_phone(MdocPlan(role, profile=profile, mtu=mtu))
    assert record["form"] == "mso_mdoc" and len(record["issuer"]) == 64 and record["holder"] == "not-bound", record
    mdoc_gate.says(f"visit {record['visit']} accepted by mdoc")


def test_a_channel(mdoc_gate):
    assert mdoc_gate.accepts_phone(MdocPlan("peripheral", "engagement"))["bearer"] == "channel"


def test_a_phone_that_offers_both_is_looked_for(mdoc_gate):
    assert mdoc_gate.accepts_phone(MdocPlan("both"))["role"] == "central"


@pytest.mark.parametrize("faults, more", (((), {"mac": True}), ((), {"session_curve": "P-384"}), ((), {"session_curve": "P-521", "device_curve": "P-521"}),
                                          (("fat_encoding",), {}), (("multi_chain",), {}), (("extra_keys",), {}), (("tagged_cose",), {}),
                                          (("short_random",), {}), ((), {"engagement_version": "1.1"})))
def test_documents_of_other_makes(mdoc_gate, faults, more):
    mdoc_gate.accepts_phone(faults=faults, **more)


@pytest.mark.parametrize("role", ("central", "peripheral"))
@pytest.mark.parametrize("end", ("reader", "status20", "state", "drop", "nothing"))
def test_every_end(mdoc_gate, end, role):
    mdoc_gate.accepts_phone(MdocPlan(role, end=end))


def test_only_what_is_needed_is_asked_for(mdoc_gate):
    mdoc_gate.accepts_phone()
    (request,) = mdoc_gate.phone.visit_.requests
    spaces = {wallet.MDL: wallet.NS, "eu.europa.ec.eudi.pid.1": "eu.europa.ec.eudi.pid.1", "org.iso.23220.photoid.1": "org.iso.23220.1"}
    assert request["documents"] == [{"docType": name, "nameSpaces": {space: {"issuing_country": False}}} for name, space in spaces.items()]
    assert request["reader_authentication"] == [None] * len(spaces)


def test_somebody_thinks_about_it(mdoc_gate):
    record = mdoc_gate.accepts_phone(MdocPlan(consent=4))
    assert record["receivedMs"] - record["identifiedMs"] >= 4000


# MARK: what does not


@pytest.mark.parametrize("fault", ("expired", "not_yet_valid", "issuer_sig", "missing_digest", "doctype_mismatch", "wrong_device_key", "wrong_transcript",
                                   "device_sig", "no_device_auth", "device_ns_unauthorised", "device_key_malformed", "ed25519_device", "no_x5chain",
                                   "wrong_digests", "no_validity", "status_ref"))
def test_a_bad_document(mdoc_gate, fault):
    word = "StatusUnknown" if fault == "status_ref" else wallet.FAULTS[fault][1]
    # The first element's digest is missing: it has to be the one that is asked for.
    more = {"namespaces": {wallet.NS: {"issuing_country": "UT"}}} if fault == "missing_digest" else {}
    record = mdoc_gate.refuses_phone(CODES[word], faults=(fault,), **more)
    assert record["results"] == [word] and record["docType"] == wallet.MDL, record
    mdoc_gate.accepts_phone()


@pytest.mark.parametrize("faults", OF_CERTIFICATES)
def test_an_authority_that_may_not(mdoc_gate, faults):
    mdoc_gate.refuses_phone(CODES[wallet.FAULTS[faults[0]][1]], faults=faults)
    mdoc_gate.accepts_phone()


@pytest.mark.parametrize("fault, reason", (("document_error", "document-missing"), ("empty_response", "document-missing"),
                                           ("response_status_10", "response-refused"), ("response_status_12", "response-refused"),
                                           ("duplicate_map_key", "response-malformed")))
def test_an_answer_without_a_document(mdoc_gate, fault, reason):
    mdoc_gate.refuses_phone(reason, faults=(fault,))
    mdoc_gate.accepts_phone()


@pytest.mark.parametrize("fault, error, outcome", (("aead_tamper", "mdoc-not-authentic", "failed"), ("wrong_counter", "mdoc-not-authentic", "failed"),
                                                   ("wrong_iv_id", "mdoc-not-authentic", "failed"), ("garbage", "mdoc-undecodable", "failed"),
                                                   ("terminate_only", "mdoc-session-ended", "left"), ("session_status_10", "mdoc-session-ended", "left")))
def test_a_session_that_breaks(mdoc_gate, fault, error, outcome):
    mdoc_gate.loses_phone(error, outcome, MdocPlan(), faults=(fault,))
    mdoc_gate.accepts_phone()


# MARK: mischief

ENDS = {
    "drop_on_request": ("mdoc-link-lost", "left"), "drop_before_answer": ("mdoc-link-lost", "left"), "drop_in_answer": ("mdoc-link-lost", "left"),
    "wrong_state": ("mdoc-wrong-state", "failed"), "empty_state": ("mdoc-wrong-state", "failed"), "state_end_early": ("mdoc-phone-ended", "left"),
    "bad_header": ("mdoc-message-malformed", "failed"), "empty_fragment": ("mdoc-message-malformed", "failed"),
    "endless": ("mdoc-message-malformed", "failed"), "junk_message": ("mdoc-undecodable", "failed"),
}
ENDS_OF_PERIPHERALS = {name: ENDS[name] for name in ENDS if "p" in MISCHIEF[name][0]} | {
    "no_service": ("mdoc-step-refused", "failed"), "no_characteristic": ("mdoc-step-refused", "failed"),
}
# They wait for a deadline of the protocol.
SLOW_ENDS = {
    "drop_connected": ("mdoc-link-lost", "left"),
    "drop_before_start": ("mdoc-link-lost", "left"), "never_start": ("mdoc-no-start", "timed-out"),
    "never_subscribe": ("mdoc-no-start", "timed-out"), "no_last": ("mdoc-too-slow", "timed-out"), "other_uuid": ("mdoc-no-link", "timed-out"),
}


WORKS = [(role, name) for name in sorted(MUST_WORK) for letter, role in (("c", "central"), ("p", "peripheral")) if letter in MISCHIEF[name][0]]


@pytest.mark.parametrize("role, mischief", [each for each in WORKS if "l2cap" not in each[1]])
def test_mischief_that_must_work(mdoc_gate, role, mischief):
    mdoc_gate.accepts_phone(MdocPlan(role, mischief=mischief))


def test_a_length_in_two_pieces(mdoc_gate):
    mdoc_gate.accepts_phone(MdocPlan("peripheral", "engagement", mischief="l2cap_split"))


@pytest.mark.parametrize("mischief", sorted(ENDS))
def test_mischief_of_a_central(mdoc_gate, mischief):
    mdoc_gate.loses_phone(*ENDS[mischief], MdocPlan(mischief=mischief))
    mdoc_gate.accepts_phone()


@pytest.mark.parametrize("mischief", sorted(ENDS_OF_PERIPHERALS))
def test_mischief_of_a_peripheral(mdoc_gate, mischief):
    mdoc_gate.loses_phone(*ENDS_OF_PERIPHERALS[mischief], MdocPlan("peripheral", mischief=mischief))
    mdoc_gate.accepts_phone()


def test_a_length_that_lies(mdoc_gate):
    mdoc_gate.loses_phone("mdoc-message-malformed", "failed", MdocPlan("peripheral", "engagement", mischief="l2cap_huge"))
    mdoc_gate.accepts_phone()


@pytest.mark.slow
@pytest.mark.parametrize("mischief", sorted(SLOW_ENDS))
def test_slow_mischief(mdoc_gate, mischief):
    mdoc_gate.loses_phone(*SLOW_ENDS[mischief], MdocPlan(mischief=mischief, patience=45))
    mdoc_gate.accepts_phone()


# MARK: beside the others


def test_a_card_and_a_wallet_after_a_phone(mdoc_gate):
    mdoc_gate.accepts_phone()
    mdoc_gate.still_serves()


def test_a_wallet_that_has_identified_is_not_disturbed(mdoc_gate, monkeypatch):
    """First commit wins."""
    mark = mdoc_gate.mark()

    async def holds_up_a_phone(_):
        mdoc_gate.shows(await asyncio.to_thread(shots, mdoc_gate.holder().qr()))
        await asyncio.sleep(1)
        mdoc_gate.leaves()

    monkeypatch.setitem(WALLETS, "accident", Mischief("either", at="identified", does=holds_up_a_phone))
    assert mdoc_gate.rig.visit(Plan("ios", mischief="accident")).accepted
    assert [record.get("presentation") for record in mdoc_gate.gate.verdicts()[mark:]] == [None]
    mdoc_gate.accepts_phone()


def test_a_wallet_that_comes_meanwhile_is_sent_away(mdoc_gate):
    """Nothing but the engagement is on the air while it is answered."""
    mark, holder, uri = mdoc_gate.mark(), mdoc_gate.holder(), mdoc_gate.rig.uri()

    async def both():
        visit = asyncio.ensure_future(mdoc_gate.shown(holder, MdocPlan(consent=5), mark))
        await mdoc_gate.gate.until(lambda: mdoc_gate.gate.lights and mdoc_gate.gate.lights[-1][1] == "busy", what="the phone to be asked")
        wallet_visit = await mdoc_gate.gate.visit(mdoc_gate.rig.phone, mdoc_gate.rig.good(2000), Plan("ios", patience=3), uri=uri)
        return wallet_visit, await visit

    seen, (_, record) = mdoc_gate.run(both())
    assert not seen.accepted and record["outcome"] == "accepted", (seen, record)
    mdoc_gate.still_serves()
