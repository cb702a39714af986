"""Issuers' keys out of certificate chains made by `cryptography`: what certificates are for, policies, and names in the place of an issuer."""
import json

import pytest

from authorities import ANY, DOCUMENTS, MDOCS, SERVER, Hierarchy, explicit_policy, hosts, policies, uris, usages, x5c
from cwt_issuer import CWTIssuer
from gate import is_reference, verify
from issuer import Issuer, trust_entry

pytestmark = pytest.mark.skipif(is_reference(), reason="the reference gate has no such command")
CHAIN = 33
REFUSED, NO_POLICY = "certificate-usage-refused", "certificate-policy-refused"


class Desk:
    """`verify` under a folder with the entries given."""

    def __init__(self, folder) -> None:
        self.folder, self.count = folder, 0

    def __call__(self, credential: str | bytes, *entries: dict) -> dict:
        self.count += 1
        trust = self.folder / f"trust-{self.count}"
        trust.mkdir()
        for index, entry in enumerate(entries):
            (trust / f"{index}.json").write_text(json.dumps(entry))
        (self.folder / "credential").write_bytes(credential if isinstance(credential, bytes) else credential.encode())
        return verify(self.folder / "credential", trust)


@pytest.fixture
def judge(tmp_path):
    return Desk(tmp_path)


def codes(found: dict) -> list[str]:
    return [reason["code"] for reason in found["reasons"]]


def entry(issuer: Issuer, hierarchy: Hierarchy, names: list[str] | None = None, allowed: list[str] | None = None, **changes) -> dict:
    x509 = {"roots": [hierarchy.pem()], **({"names": names} if names else {}), **({"extendedKeyUsages": allowed} if allowed else {})}
    make = issuer.trust if isinstance(issuer, CWTIssuer) else lambda **changes: trust_entry(issuer, **changes)
    return make(keys=None, x509=x509, **changes)


FORMS = {
    "SD-JWT": (lambda: Issuer("ES256"), lambda issuer, chain: issuer.credential(30, header={"x5c": x5c(chain), "kid": "none"})),
    "CWT": (lambda: CWTIssuer("ES256"), lambda issuer, chain: issuer.signed(issuer.claims(), {4: None, CHAIN: chain})),
}
# Extensions of the signing certificate, of the intermediate, of the root; what the entry lists; the reason.
USAGES = {
    "none": ((), (), (), None, None), "documents": (usages(DOCUMENTS), (), (), None, None), "any": (usages(ANY), (), (), None, None),
    "a web server's": (usages(SERVER), (), (), None, REFUSED), "a web server's that signs documents": (usages(SERVER, DOCUMENTS), (), (), None, None),
    "an authority for web servers": ((), usages(SERVER), (), None, REFUSED), "an authority for documents": (usages(ANY), usages(DOCUMENTS), (), None, None),
    "documents under an authority for web servers": (usages(DOCUMENTS), usages(SERVER), (), None, REFUSED), "a root for web servers": ((), (), usages(SERVER), None, None),
    "mdocs": (usages(MDOCS), (), (), None, REFUSED), "mdocs as listed": (usages(MDOCS), (), (), [MDOCS], None),
    "documents where mdocs are listed": (usages(DOCUMENTS), (), (), [MDOCS], REFUSED), "any where mdocs are listed": (usages(ANY), (), (), [MDOCS], REFUSED),
    "no usage where mdocs are listed": ((), (), (), [MDOCS], None),
    "policy required and there": (policies("1.2.3.4"), policies("1.2.3.4") + explicit_policy(), (), None, None),
    "policy required and not there": ((), policies("1.2.3.4") + explicit_policy(), (), None, NO_POLICY),
    "another policy than is required": (policies("1.2.3.5"), policies("1.2.3.4") + explicit_policy(), (), None, NO_POLICY),
    "policy not required": (policies("1.2.3.5"), policies("1.2.3.4"), (), None, None),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", USAGES)
def test_what_certificates_are_for(judge, form, name):
    leaf, intermediate, root, allowed, reason = USAGES[name]
    make, signed = FORMS[form]
    issuer, hierarchy = make(), Hierarchy(root, intermediate)
    found = judge(signed(issuer, hierarchy.chain(issuer, leaf)), entry(issuer, hierarchy, allowed=allowed))
    assert codes(found) == ([reason] if reason else [])
    if not reason:
        assert found["issuer"] == issuer.name and "key-from-certificate" in found["notes"]


def test_a_web_server_of_the_issuer(judge):
    """The weakness itself: whoever runs the issuer's host has a certificate with that name, under the same root."""
    issuer, server, hierarchy = Issuer("ES256"), Issuer("ES256"), Hierarchy()
    name = hosts(issuer.name.removeprefix("https://"))
    good = issuer.credential(30, header={"x5c": x5c(hierarchy.chain(issuer, usages(DOCUMENTS), name)), "kid": "none"})
    forged = server.credential(30, header={"x5c": x5c(hierarchy.chain(server, usages(SERVER), name)), "kid": "none"})
    assert codes(judge(good, entry(issuer, hierarchy))) == []
    assert codes(judge(forged, entry(issuer, hierarchy))) == [REFUSED]


# MARK: Names in the place of `iss`

def unnamed(issuer: Issuer, chain: list[bytes]) -> str:
    """An SD-JWT VC without `iss`, as draft 16 allows it."""
    return issuer.credential(30, header={"x5c": x5c(chain), "kid": None}, iss=None)


def test_the_issuer_is_whom_the_certificate_names(judge):
    issuer, other, hierarchy = Issuer("ES256"), Issuer("ES256", "https://other.demo.gatehouse.example"), Hierarchy()
    entries = entry(issuer, hierarchy), entry(other, hierarchy)
    host = issuer.name.removeprefix("https://")
    for names in (uris(issuer.name), hosts(host), hosts("elsewhere.example") + hosts(host)):
        found = judge(unnamed(issuer, hierarchy.chain(issuer, names=names)), *entries)
        assert (codes(found), found["issuer"], found["notes"]) == ([], issuer.name, ["key-from-certificate"])
    for names, code in ((uris("https://stranger.example"), "issuer-unknown"), (uris(issuer.name, other.name), "issuer-ambiguous")):
        assert codes(judge(unnamed(issuer, hierarchy.chain(issuer, names=names)), *entries)) == [code]
    assert codes(judge(unnamed(issuer, Hierarchy().chain(issuer)), *entries)) == ["certificate-untrusted"]
    assert codes(judge(unnamed(issuer, hierarchy.chain(other, names=uris(issuer.name))), *entries)) == ["signature-invalid"]
    assert codes(judge(unnamed(issuer, hierarchy.chain(issuer, usages(SERVER))), *entries)) == [REFUSED]


# MARK: Key ids

def pinned(*keys: Issuer, kids: list[str] | None = None, issuer: Issuer, **changes) -> dict:
    make = issuer.trust if isinstance(issuer, CWTIssuer) else lambda **changes: trust_entry(issuer, **changes)
    return make(keys=[{"kid": kid, "jwk": key.jwk()} for kid, key in zip(kids or [key.kid for key in keys], keys)], **changes)


def without_kid(issuer: Issuer) -> str | bytes:
    return issuer.signed(issuer.claims(), {4: None}) if isinstance(issuer, CWTIssuer) else issuer.credential(30, header={"kid": None})


@pytest.mark.parametrize("make", (Issuer, CWTIssuer))
def test_without_a_key_id(judge, make):
    issuer, twin, edwards = make("ES256"), make("ES256"), make("EdDSA")
    algorithms = ["ES256", "EdDSA"]
    good = judge(without_kid(issuer), pinned(edwards, issuer, issuer=issuer, algorithms=algorithms))
    assert (codes(good), good["key"]) == ([], issuer.kid)
    assert codes(judge(without_kid(issuer), pinned(edwards, issuer, twin, issuer=issuer, algorithms=algorithms))) == ["key-id-missing"]
    assert codes(judge(without_kid(twin), pinned(edwards, issuer, issuer=issuer, algorithms=algorithms))) == ["signature-invalid"]
    assert codes(judge(without_kid(issuer), pinned(edwards, issuer=issuer, algorithms=algorithms))) == ["key-unknown"]


@pytest.mark.parametrize("text, octets", (("hex:00ff10", b"\x00\xff\x10"), ("base64url:AP8Q", b"\x00\xff\x10"), ("hex:6b6579", b"key"), ("key", b"key")))
def test_key_ids_of_octets(judge, text, octets):
    issuer, twin = CWTIssuer("ES256"), CWTIssuer("ES256")
    trust = pinned(issuer, twin, kids=[text, "another"], issuer=issuer)
    found = judge(issuer.signed(issuer.claims(), {4: octets}), trust)
    assert (codes(found), found["key"]) == ([], text)
    for wrong in (octets[:-1], octets + b"\0", text.encode() + b"!", b""):
        assert codes(judge(issuer.signed(issuer.claims(), {4: wrong}), trust)) == ["key-unknown"]
    assert codes(judge(twin.signed(issuer.claims(), {4: octets}), trust)) == ["signature-invalid"]


def test_certificates_beside_a_pinned_key_are_not_looked_at(judge):
    issuer, tokens = Issuer("ES256"), CWTIssuer("ES256")
    for chain in ("noise", [], ["bm9pc2U="], 1):
        assert codes(judge(issuer.credential(30, header={"x5c": chain}), trust_entry(issuer))) == []
        assert codes(judge(issuer.credential(30, header={"x5c": chain, "kid": "another"}), trust_entry(issuer))) == ["key-unknown"]
    for chain in (b"noise", [], 1, [1]):
        assert codes(judge(tokens.signed(tokens.claims(), {CHAIN: chain}), tokens.trust())) == []
