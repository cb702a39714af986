"""Tokens by `cryptography` and cbor2 with what came later or is rarely used: audiences, fully specified algorithms, SHA-3, dates without a zone."""
import json
import time

import pytest

from cwt_issuer import CWTIssuer
from gate import is_reference, verify
from issuer import Issuer, trust_entry

pytestmark = pytest.mark.skipif(is_reference(), reason="the reference gate has no such command")
GATE, BANK = "https://gate.demo.gatehouse.example", "https://bank.example"


@pytest.fixture
def judge(tmp_path):
    def verdict(credential: str | bytes, entry: dict) -> dict:
        (trust := tmp_path / "trust").mkdir(exist_ok=True)
        (trust / "issuer.json").write_text(json.dumps(entry))
        (tmp_path / "credential").write_bytes(credential if isinstance(credential, bytes) else credential.encode())
        return verify(tmp_path / "credential", trust)

    return verdict


def codes(found: dict) -> list[str]:
    return [reason["code"] for reason in found["reasons"]]


@pytest.mark.parametrize("aud, audiences, code", (
    (None, None, None), (None, [GATE], None), (GATE, [GATE], None), ([BANK, GATE], [GATE], None), (GATE, [BANK, GATE], None),
    (BANK, [GATE], "audience-mismatch"), ([BANK], [GATE], "audience-mismatch"), (GATE, None, "audience-mismatch"), ([], [GATE], "audience-mismatch"),
    (GATE + "/", [GATE], "audience-mismatch"), (7, [GATE], "payload-malformed"), ([GATE, 7], [GATE], "payload-malformed")))
def test_audiences(judge, aud, audiences, code):
    issuer, tokens = Issuer("ES256"), CWTIssuer("ES256")
    assert codes(judge(issuer.credential(30, aud=aud), trust_entry(issuer, audiences=audiences))) == ([code] if code else [])
    assert codes(judge(tokens.signed(tokens.claims(c3=aud)), tokens.trust(audiences=audiences))) == ([code] if code else [])


@pytest.mark.parametrize("listed", ("EdDSA", "Ed25519"))
def test_ed25519_by_its_own_name(judge, listed):
    issuer, stranger = Issuer("EdDSA"), Issuer("EdDSA")
    entry = trust_entry(issuer, algorithms=[listed])
    for name in ("EdDSA", "Ed25519"):
        assert codes(judge(issuer.credential(30, header={"alg": name}), entry)) == []
        assert codes(judge(stranger.credential(30, header={"alg": name, "kid": issuer.kid}), entry)) == ["signature-invalid"]
    assert codes(judge(issuer.credential(30, header={"alg": "Ed448"}), entry)) == ["algorithm-refused"]


@pytest.mark.parametrize("algorithm, number, wrong", (("EdDSA", -19, -9), ("ES256", -9, -51), ("ES384", -51, -19)))
def test_numbers_that_name_the_curve(judge, algorithm, number, wrong):
    issuer = CWTIssuer(algorithm)
    entry = issuer.trust(algorithms=["EdDSA", "ES256", "ES384"])
    assert codes(judge(issuer.signed(issuer.claims(), {1: number}), entry)) == []
    assert codes(judge(issuer.signed(issuer.claims(), {1: wrong}), entry)) == ["key-mismatch"]
    assert codes(judge(issuer.signed(issuer.claims(), {1: -53}), entry)) == ["algorithm-refused"]


@pytest.mark.parametrize("name", ("sha3-256", "sha3-384", "sha3-512", "sha-384"))
def test_disclosures_by_other_digests(judge, name):
    issuer = Issuer("ES256")
    good = issuer.credential(30, digest=name)
    found = judge(good, trust_entry(issuer))
    assert (codes(found), found["claims"]["given_name"]) == ([], "Asha")
    # Says one and used another, of the same length.
    other = name.replace("sha3-", "sha-") if "sha3" in name else name.replace("sha-", "sha3-")
    assert codes(judge(issuer.credential(30, digest=name, _sd_alg=other), trust_entry(issuer))) == ["disclosure-unreferenced"]
    assert codes(judge(issuer.credential(30, digest=name, _sd_alg="sha3-224"), trust_entry(issuer))) == ["digest-algorithm-refused"]


def test_dates_without_a_zone(judge):
    issuer = Issuer("ES256")

    def verdict(seconds: int, zone: str) -> dict:
        date = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(time.time() + seconds)) + zone
        return judge(issuer.credential(30, exp=None, validUntil=date), trust_entry(issuer))

    assert (codes(found := verdict(3600, "")), found["notes"]) == ([], ["time-zone-assumed"])
    assert (codes(found := verdict(3600, "Z")), found["notes"]) == ([], [])
    assert codes(verdict(-3600, "")) == codes(verdict(-3600, "Z")) == ["expired"]
    assert codes(verdict(3600, " UTC")) == ["time-malformed"]
