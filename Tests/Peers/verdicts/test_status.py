"""Revocation from end to end: lists that issuers signed, put into a trust folder, and what `gatehouse verify` says of credentials that name them."""
import json
import time
from dataclasses import dataclass
from typing import Callable

import pytest

import issuer as sd_jwt
import linked_contexts as c
from cwt_issuer import CWTIssuer
from gate import is_reference, verify
from issuer import Issuer, trust_entry
from linked_issuer import LinkedIssuer, write_trust
from status_lists import entry, list_credential, token_cwt, token_jwt, with_status, write_lists

pytestmark = pytest.mark.skipif(is_reference(), reason="the reference gate has no such command")
URL, SUSPENSIONS = "https://issuer.demo.gatehouse.example/status/1", "https://issuer.demo.gatehouse.example/status/2"
REVOKED, SUSPENDED, GOOD = 7, 8, 9
HOUR, DAY = 3600, 86400
LENIENT = {"unknown": "accept", "softAge": DAY, "hardAge": 7 * DAY}


@dataclass
class Scheme:
    """How one kind of issuer says that a credential is revoked."""
    issuer: Issuer
    entry: Callable[[], dict]
    credential: Callable[[int], bytes]
    # By URL; made by that issuer, with changes as in status_lists.py.
    lists: Callable[..., dict]
    # A list of that issuer's under another URL, with nobody on it.
    another: Callable[[Issuer], object]
    ttl: int | None = None


def bitstring(suite: str, is_2021: bool = False) -> Scheme:
    issuer = LinkedIssuer(suite)

    def credential(index: int) -> bytes:
        # A list has one purpose.
        url, purpose = (SUSPENSIONS, "suspension") if index == SUSPENDED else (URL, "revocation")
        return json.dumps(issuer.secured(with_status(issuer.document(30), entry(url, index, purpose, is_2021)))).encode()

    def lists(by: Issuer, **changes) -> dict:
        return {URL: list_credential(by, URL, [REVOKED], is_2021=is_2021, **changes),
                SUSPENSIONS: list_credential(by, SUSPENSIONS, [SUSPENDED], purpose="suspension", is_2021=is_2021, **changes)}

    def another(by: Issuer) -> dict:
        return list_credential(by, SUSPENSIONS, [], is_2021=is_2021)

    return Scheme(issuer, issuer.trust, credential, lists, another, None if is_2021 else HOUR * 1000 // 2)


def token(issuer: Issuer, make: Callable, as_text: bool = False) -> Scheme:
    def credential(index: int) -> bytes:
        status = {"status_list": {"idx": index, "uri": URL}}
        return issuer.token(c65535=status) if isinstance(issuer, CWTIssuer) else issuer.credential(30, status=status).encode()

    def made(by: Issuer, url: str, statuses: dict, **changes):
        content = make(by, url, statuses, bits=2, **changes)
        return content.hex() if as_text else content

    def lists(by: Issuer, **changes) -> dict:
        return {URL: made(by, URL, {REVOKED: 1, SUSPENDED: 2}, **changes)}

    trust = issuer.trust if isinstance(issuer, CWTIssuer) else lambda: trust_entry(issuer)
    return Scheme(issuer, trust, credential, lists, lambda by: made(by, SUSPENSIONS, {}), HOUR)


SCHEMES = {
    "Bitstring, statements": lambda: bitstring("ecdsa-rdfc-2019 ES256"), "Bitstring, JSON": lambda: bitstring("eddsa-jcs-2022 EdDSA"),
    "Bitstring, version 1": lambda: bitstring("RsaSignature2018 PS256"), "StatusList2021": lambda: bitstring("Ed25519Signature2020 EdDSA", True),
    "SD-JWT, JWT": lambda: token(Issuer("ES256"), token_jwt), "SD-JWT, CWT": lambda: token(Issuer("EdDSA"), token_cwt, True),
    "CWT, CWT": lambda: token(CWTIssuer("ES384"), token_cwt),
}


@pytest.fixture(params=SCHEMES)
def scheme(request):
    return SCHEMES[request.param]()


class Judge:
    """`verify` at one moment, so that ages are exact."""

    def __init__(self, folder, scheme: Scheme) -> None:
        self.folder, self.scheme, self.now, self.count = folder, scheme, int(time.time()), 0

    def __call__(self, index: int = GOOD, *, lists: dict | None = None, age: int = HOUR, policy=None, at: int | None = None, **changes) -> dict:
        self.count += 1
        trust = self.folder / f"trust-{self.count}"
        write_trust(trust)
        (trust / "issuer.json").write_text(json.dumps({**self.scheme.entry(), **({"status": policy} if policy else {})}))
        write_lists(trust, self.scheme.lists(self.scheme.issuer, **changes) if lists is None else lists, self.now - age)
        (self.folder / "credential").write_bytes(self.scheme.credential(index))
        moment = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(at or self.now))
        return verify(self.folder / "credential", trust, "--at", moment)


@pytest.fixture
def judge(tmp_path, scheme):
    return Judge(tmp_path, scheme)


def codes(found: dict) -> list[str]:
    return [reason["code"] for reason in found["reasons"]]


def test_good(judge):
    found = judge()
    assert (codes(found), found["notes"], found["status"]) == ([], [], {"value": "good", "age": HOUR, "stale": False})


@pytest.mark.parametrize("index, code", ((REVOKED, "revoked"), (SUSPENDED, "suspended")))
def test_revoked_and_suspended(judge, index, code):
    assert codes(judge(index)) == codes(judge(index, age=2 * DAY)) == codes(judge(index, policy=LENIENT)) == [code]
    # Nobody looks.
    found = judge(index, policy="ignore")
    assert (codes(found), found["notes"]) == ([], ["status-ignored"])


def test_stale(judge, scheme):
    """Used, and the verdict says so: by the operator's policy, or because the issuer wanted it asked again."""
    found = judge(age=2 * DAY)
    assert (codes(found), found["notes"], found["status"]) == ([], ["status-stale"], {"value": "good", "age": 2 * DAY, "stale": True})
    if scheme.ttl:
        found = judge(ttl=scheme.ttl)
        assert (codes(found), found["notes"], found["status"]) == ([], ["status-stale"], {"value": "good", "age": HOUR, "stale": True})


@pytest.mark.parametrize("policy", (None, LENIENT))
def test_revoked_by_an_old_list(judge, policy):
    """What is revoked stays revoked; of everybody else a list that is over says nothing."""
    for old in ({"age": 8 * DAY}, {"expires": -0.5}):
        assert codes(judge(REVOKED, policy=policy, **old)) == ["revoked"]
        assert codes(judge(SUSPENDED, policy=policy, **old)) == codes(judge(GOOD, policy=policy, **old)) == ([] if policy else ["status-unknown"])


def test_revoked_by_a_list_whose_key_has_ended(judge, scheme):
    """The list's own key, and not the credential's, which is believed still."""
    other = stranger(scheme.issuer)
    entry, more = scheme.entry(), trust_of(other)["keys"][0]
    ended = {**more, "notAfter": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(judge.now - 60))}
    assert ended["kid"] != entry["keys"][0]["kid"]
    for policy in (None, {"unknown": "accept"}):
        scheme.entry = lambda: {**entry, "keys": [*entry["keys"], ended], **({"status": policy} if policy else {})}
        lists = scheme.lists(other)
        assert codes(judge(REVOKED, lists=lists)) == ["revoked"]
        assert codes(judge(GOOD, lists=lists)) == ([] if policy else ["status-unknown"])
    # A key that was never trusted says nothing, then or now.
    scheme.entry = lambda: entry
    assert codes(judge(REVOKED, lists=scheme.lists(other))) == ["status-unknown"]


def trust_of(issuer) -> dict:
    return issuer.trust() if isinstance(issuer, (LinkedIssuer, CWTIssuer)) else trust_entry(issuer)


def test_list_by_another_name(judge, scheme):
    """As 1EdTech's lists have it: fetched from one URL, calling themselves by another."""
    lists = {URL: scheme.another(scheme.issuer)}
    assert codes(judge(lists=lists)) == ["status-unknown"]
    mapped = {"lists": [{"url": URL, "name": SUSPENSIONS}]}
    assert codes(judge(lists=lists, policy=mapped)) == []
    assert codes(judge(lists=lists, policy={"lists": [{"url": URL, "name": SUSPENSIONS + "0"}]})) == ["status-unknown"]
    # The map takes the place of the URL.
    assert codes(judge(policy=mapped)) == ["status-unknown"]


def stranger(issuer: Issuer) -> Issuer:
    """Another key under the same name."""
    if isinstance(issuer, LinkedIssuer):
        return LinkedIssuer(f"{issuer.suite.name} {issuer.algorithm}", issuer.context_of_options)
    return type(issuer)(issuer.algorithm, issuer.name)


# What is wrong, and the fault; `lists` gets the scheme.
DOUBTS = {
    "missing": ("list-missing", lambda s: {"lists": {}}), "too old": ("list-too-old", lambda s: {"age": 8 * DAY}),
    "expired": ("list-not-current", lambda s: {"expires": -0.5}), "not valid yet": ("list-not-current", lambda s: {"issued": 0.5}),
    "signed by a stranger": ("list-unsigned", lambda s: {"lists": s.lists(stranger(s.issuer))}),
    "under another URL": ("name-mismatch", lambda s: {"lists": {URL: s.another(s.issuer)}}),
    "noise": ("list-malformed", lambda s: {"lists": {URL: "noise"}}), "too short": ("entry-missing", lambda s: {"index": 1 << 20}),
}


@pytest.mark.parametrize("doubt", DOUBTS)
def test_unknown(judge, scheme, doubt):
    """A list in doubt says nothing: rejected, or accepted with a note where the operator says so."""
    fault, make = DOUBTS[doubt]
    changes = make(scheme)
    assert codes(judge(**changes)) == ["status-unknown"]
    found = judge(**changes, policy=LENIENT)
    assert (codes(found), found["notes"]) == ([], ["status-unknown"])
    assert (found["status"]["value"], found["status"]["fault"]) == ("unknown", fault)
    assert ("age" in found["status"]) == (fault not in ("list-missing", "list-malformed", "list-unsigned", "name-mismatch"))


def test_spoiled_list(judge, scheme):
    """A revocation taken back by someone on the way."""
    content = scheme.lists(scheme.issuer)[URL]
    if isinstance(content, dict):
        good = scheme.another(scheme.issuer)
        content["credentialSubject"]["encodedList"] = good["credentialSubject"]["encodedList"]
    elif isinstance(content, bytes):
        content = content[:-3] + bytes([content[-3] ^ 1]) + content[-2:]
    else:
        content = content[:-6] + ("0" if content[-6] != "0" else "1") + content[-5:]
    assert codes(judge(REVOKED, lists={URL: content})) == ["status-unknown"]


def test_list_for_another_purpose(tmp_path):
    scheme = bitstring("eddsa-rdfc-2022 EdDSA")
    lists = {URL: list_credential(scheme.issuer, URL, [REVOKED], purpose="suspension")}
    found = Judge(tmp_path, scheme)(REVOKED, lists=lists, policy=LENIENT)
    assert (found["status"]["fault"], found["notes"]) == ("purpose-mismatch", ["status-unknown"])


@pytest.mark.parametrize("suite", ("RsaSignature2018 PS256", "eddsa-rdfc-2022 EdDSA"))
def test_status_under_another_name(tmp_path, suite):
    """A context of the sender's may rename the member: the signed statement is still there."""
    scheme = bitstring(suite)
    plain = scheme.credential

    def credential(index: int) -> bytes:
        document = json.loads(plain(index))
        document["@context"].append({"standing": {"@id": c.CREDENTIALS + "credentialStatus", "@type": "@id"}})
        document["standing"] = document.pop("credentialStatus")
        return json.dumps(document).encode()

    scheme.credential = credential
    judge = Judge(tmp_path, scheme)
    assert codes(judge(REVOKED)) == ["revoked"] and codes(judge(GOOD)) == []
    assert codes(judge(GOOD, lists={})) == ["status-unknown"]


def test_list_is_no_visitor(tmp_path):
    """A status list is anybody's to fetch, and its issuer signed it."""
    for name in ("eddsa-rdfc-2022 EdDSA", "eddsa-jcs-2022 EdDSA"):
        scheme = bitstring(name)
        vocabulary = "" if scheme.issuer.suite.is_canonical_json else "https://www.w3.org/2018/credentials#"
        scheme.entry = lambda: scheme.issuer.trust(types=[vocabulary + "VerifiableCredential"], requires=["portrait"])
        scheme.credential = lambda index: json.dumps(list_credential(scheme.issuer, URL, [])).encode()
        folder = tmp_path / name
        folder.mkdir()
        assert codes(Judge(folder, scheme)())[0] == "type-not-trusted"


def test_unrevocable_credentials_need_no_list(tmp_path):
    scheme = token(Issuer("ES256"), token_jwt)
    scheme.credential = lambda index: scheme.issuer.credential(30).encode()
    found = Judge(tmp_path, scheme)(lists={})
    assert codes(found) == [] and "status" not in found and sd_jwt.VCT == found["type"]
