"""Credentials beyond the plain one, over the air: certificate chains, key binding, and more than a gate takes."""
import json

import pytest

import issuer
from rig import Rig
from gate import is_reference
from phone import Plan

pytestmark = pytest.mark.skipif(is_reference(), reason="the reference gate knows the plain credential only")
CERTIFIED = "https://certified.demo.gatehouse.example"


@pytest.fixture(scope="module")
def certified(tmp_path_factory):
    """A gate that also believes one issuer by certificate."""
    rig = Rig(tmp_path_factory.mktemp("certified"), algorithms=("ES256",))
    rig.authority, rig.certified = issuer.Authority(), issuer.Issuer("ES256", CERTIFIED)
    entry = issuer.trust_entry(rig.certified, keys=None, x509={"roots": [rig.authority.pem()]})
    (rig.trust / "certified.json").write_text(json.dumps(entry))
    rig.open()
    yield rig
    rig.close()


def with_chain(rig: Rig, chain: list[str]) -> bytes:
    return issuer.wrap(rig.certified.credential(header={"x5c": chain}))


@pytest.mark.parametrize("root_too", (False, True))
def test_certificate_under_the_pinned_root(certified, root_too):
    chain = certified.authority.x5c(certified.certified) + (certified.authority.x5c_of_root() if root_too else [])
    visit = certified.visit(payload=with_chain(certified, chain))
    assert visit.accepted, visit
    record = certified.gate.verdicts()[-1]
    assert record["issuer"] == CERTIFIED and "key-from-certificate" in record["notes"]


CHAINS = {
    "another root": (lambda rig: issuer.Authority().x5c(rig.certified), "certificate-untrusted"),
    "another root, sent along": (lambda rig: (other := issuer.Authority()).x5c(rig.certified) + other.x5c_of_root(), "certificate-untrusted"),
    "expired": (lambda rig: rig.authority.x5c(rig.certified, begins=-30, ends=-1), "certificate-untrusted"),
    "not valid yet": (lambda rig: rig.authority.x5c(rig.certified, begins=1), "certificate-untrusted"),
    "another issuer's": (lambda rig: rig.authority.x5c(rig.certified, named=rig.issuer.name), "certificate-name-mismatch"),
    "a name that begins alike": (lambda rig: rig.authority.x5c(rig.certified, named=CERTIFIED + ".evil.example"), "certificate-name-mismatch"),
    "another key": (lambda rig: rig.authority.x5c(issuer.Issuer("ES256", CERTIFIED)), "signature-invalid"),
    "noise": (lambda rig: ["bm9pc2U="], "certificate-malformed"),
    "noise behind it": (lambda rig: rig.authority.x5c(rig.certified) + ["bm9pc2U="], "certificate-malformed"),
    "none": (lambda rig: None, "key-unknown"),
}


@pytest.mark.parametrize("name", CHAINS)
def test_certificate_that_proves_nothing(certified, name):
    make, code = CHAINS[name]
    chain = make(certified)
    payload = with_chain(certified, chain) if chain else issuer.wrap(certified.certified.credential())
    visit = certified.visit(payload=payload)
    assert visit.rejected, visit
    assert certified.gate.verdicts()[-1]["reasons"] == [code]


def test_certificate_does_not_help_an_issuer_with_pinned_keys(certified):
    stranger = issuer.Issuer("ES256", certified.issuer.name)
    payload = issuer.wrap(stranger.credential(header={"x5c": certified.authority.x5c(stranger)}))
    assert certified.visit(payload=payload).rejected
    assert certified.gate.verdicts()[-1]["reasons"] == ["key-unknown"]


# MARK: key binding

def test_key_binding_is_accepted_and_noted_as_no_proof(rig):
    holder = issuer.Issuer("ES256")
    payload = issuer.wrap(issuer.bound(rig.issuer.credential(cnf={"jwk": holder.jwk()}), holder))
    visit = rig.visit(payload=payload)
    assert visit.accepted, visit
    assert rig.gate.verdicts()[-1]["notes"] == ["key-binding-not-fresh", "holder-not-bound"]


@pytest.mark.parametrize("name, code", (
    ("another key", "key-binding-signature-invalid"), ("another presentation", "key-binding-hash-mismatch"),
    ("no key in the credential", "key-binding-key-missing"), ("cut off", "key-binding-malformed")))
def test_key_binding_that_is_broken(rig, name, code):
    holder, other = issuer.Issuer("ES256"), issuer.Issuer("ES256")
    credential = rig.issuer.credential(**({} if name == "no key in the credential" else {"cnf": {"jwk": holder.jwk()}}))
    text = issuer.bound(credential, other if name == "another key" else holder)
    if name == "another presentation":
        parts = text.split("~")
        text = "~".join([parts[0], *parts[2:]])  # a disclosure less
    if name == "cut off":
        text = text.rsplit(".", 1)[0]
    visit = rig.visit(payload=issuer.wrap(text))
    assert visit.rejected, visit
    assert rig.gate.verdicts()[-1]["reasons"] == [code]


# MARK: limits

def test_ciphertext_larger_than_4_MiB_is_refused_before_it_is_sent(rig):
    visit = rig.visit(Plan("ios"), rig.good(5_700_000))
    assert visit.message_length > 4 << 20 and visit.refused and visit.status is None, visit
    assert rig.gate.verdicts()[-1]["outcome"] == "failed"
    rig.still_serves()


@pytest.mark.parametrize("size, reason", ((16 << 20, None), ((16 << 20) + 1, "message-inflates-too-large")))
def test_genuine_message_of_16_MiB(rig, size, reason):
    payload = rig.good()
    visit = rig.visit(Plan("ios", patience=20), payload + b" " * (size - len(payload)))
    assert visit.accepted == (reason is None), visit
    assert rig.gate.verdicts()[-1].get("reasons") == (reason and [reason])
    rig.still_serves()


@pytest.mark.parametrize("claims, reason", (
    ({"list": [0] * 25_000}, "too-complex"), ({"deep": json.loads("[" * 40 + "]" * 40)}, "too-complex"), ({"number": 10**300}, "payload-malformed")),
    ids=("25000 values", "40 levels", "a number of 300 digits"))
def test_genuine_credential_beyond_the_limits(rig, claims, reason):
    visit = rig.visit(payload=issuer.wrap(rig.issuer.credential(**claims)))
    assert visit.rejected, visit
    assert rig.gate.verdicts()[-1]["reasons"] == [reason]
    rig.still_serves()
