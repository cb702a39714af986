"""The demo issuers of JSON-LD credentials, checked by themselves: a credential made for a verdict must deserve it."""
import gzip
import hashlib
import json
import zlib

import cbor2
import pytest

import linked_contexts as c
from issuer import Issuer, b64, unb64
from linked_issuer import KINDS, SUITES, LinkedIssuer, base58, from_base58, write_trust
from linked_forms import forms
from linked_refusals import acceptances, coverage_attacks, leaf_changes, proof_attacks, refusals, write_case
from status_lists import LIST, TYPE, entry, least_significant_first, list_credential, most_significant_first, token_cwt, token_jwt, with_status

URL = "https://issuer.demo.gatehouse.example/status/1"
# Verdicts that come from something else than the signature.
GOOD_SIGNATURE = {"claims-uncovered", "expired", "not-yet-valid", "issued-in-future", "type-not-trusted", "proof-purpose-refused", "proof-expired",
                  "algorithm-refused", "critical-header-refused", "key-mismatch", "context-unknown"}


@pytest.fixture(scope="module", params=KINDS, ids=" ".join)
def issuer(request):
    return LinkedIssuer(*request.param)


def test_good_credentials_are_signed(issuer):
    for case in acceptances(issuer):
        assert issuer.is_secured(case.document), case.name
        assert set(case.document["proof"]) & {"jws", "proofValue"} == {"jws" if issuer.suite.notation == "jws" else "proofValue"}


def test_forms_are_signed_and_their_neighbours_not(issuer):
    cases = forms(issuer)
    assert any(case.accepted for case in cases) and not all(case.accepted for case in cases)
    for case in cases:
        # A rule or a form is refused before anybody looks at the signature, or whatever it says.
        if case.accepted or case.reason == "signature-invalid":
            assert issuer.is_secured(case.document) == case.accepted, case.name


def test_changed_values_are_not_signed(issuer):
    """Every value: nothing that the demo says is outside its signature."""
    cases = leaf_changes(issuer)
    assert len(cases) > 20
    for case in cases:
        assert not issuer.is_secured(case.document), case.name


def test_attacks_are_what_they_say(issuer):
    for case in coverage_attacks(issuer):
        assert issuer.is_secured(case.document) == (case.reason == "claims-uncovered"), case.name
    for case in proof_attacks(issuer):
        if case.reason == "signature-invalid":
            assert not issuer.is_secured(case.document), case.name
        elif case.reason in GOOD_SIGNATURE - {"context-unknown"} and case.name != "purpose changed":
            assert issuer.is_secured(case.document), case.name


def test_refusals_are_many():
    cases = refusals(LinkedIssuer("ecdsa-rdfc-2019 ES256"))
    assert len(cases) > 50 and len({case.name for case in cases}) == len(cases)
    assert not any(case.accepted for case in cases)


def test_two_ways_to_sign_options():
    """The statements of a proof are the same under both contexts; where they were not, a signature would tell them apart."""
    key = LinkedIssuer("Ed25519Signature2018 EdDSA").key
    one, other = (LinkedIssuer("Ed25519Signature2018 EdDSA", options, key=key) for options in ("v3", "document"))
    document = one.document(10)
    assert other.is_secured(one.secured(document))
    # Not so where the document gives a member of the proof no meaning.
    document["@context"] = [c.V2, c.VISITOR]
    assert not other.is_secured(one.secured(document))


def test_every_suite_has_a_kind():
    assert {suite.name for suite in SUITES.values()} == {
        "RsaSignature2018", "Ed25519Signature2018", "Ed25519Signature2020", "EcdsaSecp256k1Signature2019", "EcdsaSecp256r1Signature2019",
        "JsonWebSignature2020", "eddsa-rdfc-2022", "ecdsa-rdfc-2019", "eddsa-jcs-2022", "ecdsa-jcs-2019"}


@pytest.mark.parametrize("octets, text", [(b"Hello World!", "2NEpo7TZRRrLZSi2U"), (b"\x00\x00\x28\x7f\xb4\xcd", "11233QC4"), (b"", "")])
def test_base58(octets, text):
    """draft-msporny-base58-03 section 5."""
    assert base58(octets) == text and from_base58(text) == octets


def test_written_case(tmp_path):
    """A folder a gate can be pointed at."""
    issuer = LinkedIssuer("eddsa-rdfc-2022 EdDSA")
    for case in (*acceptances(issuer)[:1], *coverage_attacks(issuer)[:1]):
        folder = tmp_path / case.name
        assert write_case(folder, case) == (case.accepted, case.reason)
        assert issuer.is_secured(json.loads((folder / "credential.json").read_text()))
        assert json.loads(case.wrapped)["verifiableCredential"]["credential"] == case.document
        pinned = json.loads((folder / "trust" / "contexts.json").read_text())["contexts"]
        assert {one["url"] for one in pinned} == set(c.PINNED)
        for one in pinned:
            octets = (folder / "trust" / one["file"]).read_bytes()
            assert hashlib.sha256(octets).hexdigest() == one["sha256"]
            assert json.loads(octets) == c.PINNED[one["url"]]
        trusted = json.loads((folder / "trust" / "linked-0.json").read_text())
        assert trusted["keys"][0]["kid"] == case.document["proof"]["verificationMethod"]
        assert trusted["claims"]["portrait"] == [c.VOCABULARY + "face"]


def test_trust_leaves_out(tmp_path):
    issuer = LinkedIssuer()
    assert "suites" not in issuer.trust(suites=None) and issuer.trust(forms=["sd_jwt"])["forms"] == ["sd_jwt"]
    assert len(list(write_trust(tmp_path, issuer, issuer).glob("linked-*.json"))) == 2


# MARK: Status lists

def test_order_of_bits():
    """Bitstring Status List section 2.2; draft-ietf-oauth-status-list section 4.1."""
    assert most_significant_first([0, 9], 16) == b"\x80\x40"
    assert least_significant_first(dict(enumerate([1, 0, 0, 1, 1, 1, 0, 1, 1, 1, 0, 0, 0, 1, 0, 1])), 1, 16) == b"\xb9\xa3"
    assert least_significant_first(dict(enumerate([1, 2, 0, 3, 0, 1, 0, 1, 1, 2, 3, 3])), 2, 12) == b"\xc9\x44\xf9"


@pytest.mark.parametrize("is_2021", [False, True])
@pytest.mark.parametrize("suite", ["RsaSignature2018 RS256", "Ed25519Signature2020 EdDSA", "ecdsa-rdfc-2019 ES256", "eddsa-jcs-2022 EdDSA"])
def test_list_credential(suite, is_2021):
    issuer = LinkedIssuer(suite)
    listed = list_credential(issuer, URL, [7, 131_071], is_2021=is_2021, ttl=None if is_2021 else 86_400_000)
    assert issuer.is_secured(listed)
    encoded = listed["credentialSubject"]["encodedList"]
    bits = gzip.decompress(unb64(encoded if is_2021 else encoded.removeprefix("u")))
    assert (len(bits), bits[0], bits[-1], sum(bits)) == (16_384, 1, 1, 2)
    revocable = issuer.secured(with_status(issuer.document(10), entry(URL, 7, is_2021=is_2021)))
    assert issuer.is_secured(revocable)
    revocable["credentialStatus"]["statusListIndex"] = "8"
    assert not issuer.is_secured(revocable)


@pytest.mark.parametrize("algorithm", ["ES256", "EdDSA", "ES256K", "PS256"])
def test_tokens(algorithm):
    issuer = Issuer(algorithm)
    head, body, signature = token_jwt(issuer, URL, {3: 1}, ttl=60).split(".")
    assert issuer.verifies((head + "." + body).encode(), unb64(signature))
    claims = json.loads(unb64(body))
    assert json.loads(unb64(head))["typ"] == "statuslist+jwt" and claims["sub"] == URL and claims["ttl"] == 60
    assert zlib.decompress(unb64(claims["status_list"]["lst"]))[0] == 8
    protected, _, payload, signature = cbor2.loads(token_cwt(issuer, URL, {3: 2}, bits=2)).value
    assert issuer.verifies(cbor2.dumps(["Signature1", protected, b"", payload]), signature)
    assert cbor2.loads(protected)[TYPE] == "application/statuslist+cwt"
    assert zlib.decompress(cbor2.loads(payload)[LIST]["lst"])[0] == 2 << 6
    assert b64(b"\xff") == "_w"
