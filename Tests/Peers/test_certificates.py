"""Issuers' keys out of certificate chains made by `cryptography`: what certificates are for, policies, and names in the place of an issuer."""
import json

import pytest

from authorities import ANY, DOCUMENTS, MDOCS, SERVER, Hierarchy, explicit_policy, hosts, policies, usages, x5c
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
