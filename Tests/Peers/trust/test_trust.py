"""Trust bundles by the command, and by hand: what one side signs the other has to read, octet for octet."""
import base64
import hashlib
import json
import os
import re
import subprocess
import time
from dataclasses import dataclass

import cbor2
import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519

import issuer
from cwt_issuer import CWTIssuer
from gate import command, is_reference
from linked_issuer import LinkedIssuer
from status_lists import list_credential, token_jwt

pytestmark = pytest.mark.skipif(is_reference(), reason="the reference gate has no such commands")
AAD = b"gatehouse trust bundle 1"
TAG = 98
CREATED, WITHIN = "2026-06-01T00:00:00Z", "2026-07-01T00:00:00Z"
CREATED_SECONDS = 1780272000
LIST, YEAR = "https://list.example/1", 365 * 86_400
CONTEXT = b'{"@context":{"@version":1.1}}\n'
CONTROLS = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")


def run(*arguments) -> subprocess.CompletedProcess:
    return subprocess.run([*command(), "trust", *map(str, arguments)], capture_output=True, text=True, timeout=120)


def done(*arguments) -> str:
    result = run(*arguments)
    assert (result.returncode, result.stderr) == (0, ""), result
    return result.stdout


def refused(*arguments, words: str = "", status: int = 1) -> None:
    result = run(*arguments)
    assert (result.returncode, result.stdout) == (status, ""), result
    assert result.stderr.startswith("refused: " if status == 1 else "Error: ") and words in result.stderr, result


class Signer:
    def __init__(self, folder, name: str) -> None:
        self.name, self.key, self.path = name, ed25519.Ed25519PrivateKey.generate(), folder / f"{name}.pem"
        pem, pkcs8, plain = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        self.path.write_bytes(self.key.private_bytes(pem, pkcs8, plain))

    @property
    def jwk(self) -> dict:
        raw = self.key.public_key().public_bytes(serialization.Encoding.Raw, serialization.PublicFormat.Raw)
        return {"kty": "OKP", "crv": "Ed25519", "x": base64.urlsafe_b64encode(raw).rstrip(b"=").decode()}

    @property
    def pem(self) -> str:
        return self.key.public_key().public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo).decode()


@dataclass
class Desk:
    """An operator's desk: a trust folder, three signers of whom two have to agree, and a gate's folder."""
    folder: object

    def __post_init__(self) -> None:
        self.source, self.gate, self.root = self.folder / "source", self.folder / "gate", self.folder / "root.json"
        self.signers = {name: Signer(self.folder, name) for name in ("alice", "bob", "carol", "mallory")}
        self.issuer = issuer.Issuer("EdDSA", "https://issuer.example")
        self.gate.mkdir()
        issuer.write_trust(self.source, self.issuer)
        self.entry = next(self.source.glob("*.json"))
        alice, bob, carol = (self.signers[name] for name in ("alice", "bob", "carol"))
        self.root.write_text(json.dumps({"gatehouse-root": 1, "threshold": 2, "signers": [
            {"kid": "alice", "jwk": alice.jwk}, {"kid": "bob", "pem": bob.pem}, {"kid": "carol", "jwk": carol.jwk}]}))
        (self.source / "contexts").mkdir()
        (self.source / "contexts" / "v1.jsonld").write_bytes(CONTEXT)
        self.entry.write_text(json.dumps({**json.loads(self.entry.read_text()), "status": {"softAge": YEAR, "hardAge": YEAR}}))
        self.list({})
        self.write("contexts.json", {"gatehouse-contexts": 1, "contexts": [
            {"url": "https://context.example/v1", "file": "contexts/v1.jsonld", "sha256": hashlib.sha256(CONTEXT).hexdigest()}]})
        self.write("lists.json", {"gatehouse-lists": 1, "lists": [{"url": LIST, "file": "list", "fetched": CREATED}]})
        self.settings()

    def list(self, statuses: dict, url: str = LIST, by=None, expires=None, **claims) -> None:
        """Of the day before the bundle is made."""
        issued = (CREATED_SECONDS - time.time()) / issuer.DAY - 1
        (self.source / "list").write_text(token_jwt(by or self.issuer, url, statuses, bits=2, issued=issued, expires=expires, **claims))

    def write(self, name: str, value) -> None:
        (self.source / name).write_text(json.dumps(value))

    def settings(self, **changes) -> None:
        self.write("bundle.json", {"gatehouse-bundle": 1, "sequence": 7, "notBefore": "2026-01-01T00:00:00Z", "notAfter": "2027-01-01T00:00:00Z",
                                   "clock": "reject", **changes})

    def build(self, name: str = "payload", *options):
        done("build", self.source, "--out", self.folder / name, "--created", CREATED, *options)
        return self.folder / name

    def sign(self, file, *names: str):
        out = file.with_suffix(".cose")
        for name in names:
            root = () if name == "mallory" else ("--root", self.root)
            done("sign", file, "--key", self.signers[name].path, "--kid", name, *root, "--out", out)
            file = out
        return out

    def bundle(self, sequence: int, *names: str):
        return self.sign(self.build(f"bundle-{sequence}", "--sequence", sequence), *(names or ("alice", "bob")))

    def silent_bundle(self, sequence: int):
        """Whatever its lists say."""
        out, anyway = self.folder / f"bundle-{sequence}", "--allow-silent-lists"
        assert run("build", self.source, "--out", out, "--sequence", sequence, "--created", CREATED, anyway).returncode == 0
        for name in ("alice", "bob"):
            assert run("sign", out, "--key", self.signers[name].path, "--kid", name, "--root", self.root, "--out", out, anyway).returncode == 0
        return out

    def in_force(self) -> None:
        """Bundle 7 without lists: with nothing in force a gate takes what it gets."""
        payload, file = deterministic(payload_of(self)), self.folder / "in-force"
        file.write_bytes(envelope(payload, *(signature(self.signers[name], payload) for name in ("alice", "bob"))))
        assert done(*self.install(file)) == "bundle 7 installed\n"

    def install(self, file, *options):
        return ("install", file, "--root", self.root, "--into", self.gate, "--at", WITHIN, *options)

    def files(self) -> dict:
        return {file.name: file.read_bytes() for file in self.gate.iterdir()}


@pytest.fixture
def desk(tmp_path):
    return Desk(tmp_path)


# MARK: by hand

def sig_structure(body: bytes, signer: bytes, payload: bytes, aad: bytes = AAD) -> bytes:
    return cbor2.dumps(["Signature", body, signer, aad, payload])


def signature(signer: Signer, payload: bytes, kid: str | None = None, protect_kid: bool = True, aad: bytes = AAD) -> list:
    """A COSE_Signature, made without Gatehouse."""
    kid = (kid or signer.name).encode()
    protected = cbor2.dumps({1: -8, 4: kid} if protect_kid else {1: -8}, canonical=True)
    return [protected, {} if protect_kid else {4: kid}, signer.key.sign(sig_structure(b"", protected, payload, aad))]


def envelope(payload: bytes, *signatures: list) -> bytes:
    return cbor2.dumps(cbor2.CBORTag(TAG, [b"", {}, payload, list(signatures)]), canonical=True)


def payload_of(desk: Desk, sequence: int = 7, **changes) -> dict:
    entry = json.loads(desk.entry.read_text())
    canonical = json.dumps(entry, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
    return {"gatehouse-trust-bundle": 1, "sequence": sequence, "created": CREATED_SECONDS, "notBefore": CREATED_SECONDS - 100,
            "notAfter": CREATED_SECONDS + 86400 * 100, "clock": "reject", "issuers": [{"name": desk.entry.name, "entry": canonical}],
            "contexts": [{"url": "https://context.example/v1", "bytes": CONTEXT}], "lists": [], **changes}


def deterministic(value) -> bytes:
    """RFC 8949 section 4.2.1. cbor2 sorts as RFC 7049 did, shorter keys first: for short texts that is the same order."""
    return cbor2.dumps(value, canonical=True)


def with_first_twice(value: dict) -> bytes:
    octets, first = deterministic(value), next(iter(cbor2.loads(deterministic(value)).items()))
    return bytes([octets[0] + 1]) + cbor2.dumps(first[0]) + deterministic(first[1]) + octets[1:]


def test_what_it_signs_verifies_by_hand(desk):
    octets = desk.bundle(7).read_bytes()
    message = cbor2.loads(octets)
    assert message.tag == TAG
    body, unprotected, payload, signatures = message.value
    assert (body, unprotected) == (b"", {}) and payload == (desk.folder / "bundle-7").read_bytes()
    for (protected, outside, octets), name in zip(signatures, ("alice", "bob"), strict=True):
        assert cbor2.loads(protected) == {1: -8, 4: name.encode()} and outside == {}
        public = desk.signers[name].key.public_key()
        public.verify(octets, sig_structure(body, protected, payload))
        for other in (sig_structure(body, protected, payload, b""), sig_structure(body, protected, payload + b"\0"), payload):
            with pytest.raises(InvalidSignature):
                public.verify(octets, other)
    content = cbor2.loads(payload)
    assert deterministic(content) == payload
    assert content["sequence"] == 7 and content["created"] == content["lists"][0]["fetched"] == CREATED_SECONDS
    assert [context["bytes"] for context in content["contexts"]] == [CONTEXT] and content["lists"][0]["bytes"] == (desk.source / "list").read_bytes()
    assert json.loads(content["issuers"][0]["entry"]) == json.loads(desk.entry.read_text())


def test_what_is_made_by_hand_is_installed(desk):
    payload = deterministic(payload_of(desk))
    alice, bob = desk.signers["alice"], desk.signers["bob"]
    file = desk.folder / "by-hand"
    file.write_bytes(envelope(payload, signature(alice, payload), signature(bob, payload, protect_kid=False)))
    assert done(*desk.install(file)) == "bundle 7 installed\n"
    assert (desk.gate / "bundle.cose").read_bytes() == file.read_bytes()
    shown = json.loads(done("inspect", file, "--root", desk.root, "--json"))
    assert shown["thresholdMet"] and shown["sha256"] == hashlib.sha256(payload).hexdigest()


WRONG = {
    "one signer": lambda desk, payload, sign: envelope(payload, sign("alice")),
    "one signer twice": lambda desk, payload, sign: envelope(payload, sign("alice"), sign("alice")),
    "one signer under two names": lambda desk, payload, sign: envelope(payload, sign("alice"), sign("alice", kid="bob")),
    "a stranger": lambda desk, payload, sign: envelope(payload, sign("alice"), sign("mallory")),
    "a stranger under a known name": lambda desk, payload, sign: envelope(payload, sign("alice"), sign("mallory", kid="bob")),
    "other words signed along": lambda desk, payload, sign: envelope(payload, sign("alice"), sign("bob", aad=b"")),
    "another payload": lambda desk, payload, sign: envelope(deterministic(payload_of(desk, 8)), sign("alice"), sign("bob")),
    "no signature": lambda desk, payload, sign: envelope(payload),
    "no tag": lambda desk, payload, sign: envelope(payload, sign("alice"), sign("bob"))[2:],
    "the payload alone": lambda desk, payload, sign: payload,
    "one octet more": lambda desk, payload, sign: envelope(payload, sign("alice"), sign("bob")) + b"\0",
    "nothing": lambda desk, payload, sign: b"",
}


REFUSALS = {"no signature": "signatures are not well-formed", "no tag": "not a signed trust bundle", "the payload alone": "not a signed trust bundle",
            "one octet more": "trailingBytes", "nothing": "truncated"}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_signed_wrongly_is_refused(desk, name):
    payload = deterministic(payload_of(desk))
    file = desk.folder / "wrong"
    file.write_bytes(WRONG[name](desk, payload, lambda name, **how: signature(desk.signers[name], payload, **how)))
    refused(*desk.install(file), words=REFUSALS.get(name, "not signed by as many"))
    assert desk.files() == {}


BAD = {
    "in another order": ("unsortedKeys", lambda good: cbor2.dumps(dict(reversed(good.items())))),
    "with a key twice": ("duplicateKey", with_first_twice),
    "of indefinite length": ("indefiniteLength", lambda good: b"\xbf" + deterministic(good)[1:] + b"\xff"),
    "with a float": ("sequence number", lambda good: deterministic({**good, "sequence": 7.0})),
    "of another version": ("another version", lambda good: deterministic({**good, "gatehouse-trust-bundle": 2})),
    "with an unknown member": ("leftover", lambda good: deterministic({**good, "zzzzzzzzzzzzzzzzzzzzzzz": 1})),
    "without an end": ("missing", lambda good: deterministic({name: value for name, value in good.items() if name != "notAfter"})),
    "that ends before it begins": ("ends before", lambda good: deterministic({**good, "notAfter": good["notBefore"]})),
    "that has ended": ("expired", lambda good: deterministic({**good, "notAfter": CREATED_SECONDS + 60})),
    "that has not begun": ("not valid yet", lambda good: deterministic({**good, "notBefore": CREATED_SECONDS + 86400 * 99})),
    "with sequence 0": ("sequence number", lambda good: deterministic({**good, "sequence": 0})),
    "without issuers": ("no trust file", lambda good: deterministic({**good, "issuers": []})),
    "with an entry that is not canonical": ("RFC 8785", lambda good: deterministic({**good, "issuers": [{**good["issuers"][0], "entry": good["issuers"][0]["entry"] + b" "}]})),
    "with an entry no gate reads": ("gatehouse-trust: is missing", lambda good: deterministic({**good, "issuers": [{"name": "x", "entry": b"{}"}]})),
    "with a context twice": ("twice", lambda good: deterministic({**good, "contexts": good["contexts"] * 2})),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_payload_is_refused_however_well_it_is_signed(desk, name):
    good = payload_of(desk)
    words, make = BAD[name]
    payload = make(good)
    assert payload != deterministic(good)
    file = desk.folder / "bad"
    file.write_bytes(envelope(payload, signature(desk.signers["alice"], payload), signature(desk.signers["bob"], payload)))
    refused(*desk.install(file), words=words)
    assert desk.files() == {}


# MARK: status lists that say nothing

def damage(desk) -> None:
    """One octet of the list's signature."""
    token = (desk.source / "list").read_text()
    (desk.source / "list").write_text(token[:-10] + ("A" if token[-10] != "A" else "B") + token[-9:])


def policy(desk, status) -> None:
    desk.entry.write_text(json.dumps({**json.loads(desk.entry.read_text()), "status": status}))


def second_issuer(desk, status) -> None:
    entry = issuer.trust_entry(issuer.Issuer("EdDSA", "https://second.example"))
    (desk.source / "second.json").write_text(json.dumps({**entry, "status": status}))


def strangers(desk, **claims) -> None:
    """A token that says whose it is, and whoever that is, is not in the bundle."""
    desk.list({}, by=issuer.Issuer("EdDSA", "https://moved.example"), iss="https://moved.example", **claims)


def w3c(desk, by: LinkedIssuer, change=lambda text: text) -> None:
    (desk.source / "list").write_text(change(json.dumps(list_credential(by, LIST, {3}))))


def accepting(change):
    """The same where an unknown status is accepted: then it lets in who was revoked."""
    def changed(desk) -> None:
        change(desk)
        policy(desk, {"unknown": "accept", "softAge": YEAR, "hardAge": YEAR})
    return changed


def ignoring_beside(change):
    """The same where its stated issuer ignores status and another does not: nothing vouches for the statement."""
    def changed(desk) -> None:
        change(desk)
        policy(desk, "ignore")
        second_issuer(desk, "reject")
    return changed


def nobodys(desk) -> None:
    desk.entry.write_text(json.dumps(issuer.trust_entry(issuer.Issuer("EdDSA", "https://other.example"))))


AWAY, IN = "is turned away.", "is let in, though it may have been revoked."
EITHER = "is turned away, or let in though it may have been revoked: as its issuer's entry says of an unknown status."
SILENT = {
    "one octet": (damage, "list-unsigned", AWAY),
    "one octet, unknown accepted": (accepting(damage), "list-unsigned", IN),
    "one octet, by one who ignores status": (ignoring_beside(damage), "list-unsigned", AWAY),
    "one octet, read by both": (lambda desk: (accepting(damage)(desk), second_issuer(desk, "reject")), "list-unsigned", EITHER),
    "a key that was rotated": (lambda desk: desk.list({}, by=issuer.Issuer("EdDSA", desk.issuer.name)), "list-unsigned", AWAY),
    "no list": (lambda desk: (desk.source / "list").write_text("a status list"), "list-malformed", AWAY),
    "another URL": (lambda desk: desk.list({}, url="https://list.example/2"), "name-mismatch", AWAY),
    "another URL, unknown accepted": (accepting(lambda desk: desk.list({}, url="https://list.example/2")), "name-mismatch", IN),
    "nobody's": (nobodys, "list-unsigned", AWAY),
    "a stranger's token": (strangers, "issuer-mismatch", AWAY),
    "a stranger's token, unknown accepted": (accepting(strangers), "issuer-mismatch", IN),
    "a stranger's credential": (lambda desk: w3c(desk, LinkedIssuer("eddsa-rdfc-2022 EdDSA", "document", "did:web:moved.example")), "issuer-mismatch", AWAY),
    "a stranger's credential, unknown accepted": (
        accepting(lambda desk: w3c(desk, LinkedIssuer("eddsa-rdfc-2022 EdDSA", "document", "did:web:moved.example"))), "issuer-mismatch", IN),
    "a credential whose issuer was changed": (
        lambda desk: w3c(desk, LinkedIssuer("eddsa-rdfc-2022 EdDSA", "document", desk.issuer.name), lambda text: text.replace(
            f'"issuer": "{desk.issuer.name}"', '"issuer": "https://garbage.example"')), "issuer-mismatch", AWAY),
}


@pytest.mark.parametrize("name", SILENT)
def test_a_list_that_says_nothing_is_refused_at_every_step_unless_told_otherwise(desk, name):
    change, fault, fate = SILENT[name]
    change(desk)
    desk.in_force()
    out, anyway = desk.folder / "bundle", "--allow-silent-lists"
    sentence = re.compile(f"the status list https://list.example/1 says nothing: {fault}\\. [^\n]*\\. Whose credential names it {re.escape(fate)}\n")

    def twice(advice, *arguments):
        words = run(*arguments)
        # Where one line is shown, it is the refusal, with the list and what is wrong with it.
        first, rest = words.stderr.split("\n", 1)
        assert (words.returncode, words.stdout, first) == (1, "", f"refused: the status list https://list.example/1 says nothing ({fault}): {advice}"), words
        assert sentence.search(rest), words
        assert run(*arguments, anyway).returncode == 0
    at_desk = "replace it, leave it out, or say --allow-silent-lists"
    twice(at_desk, "build", desk.source, "--out", out, "--sequence", 8, "--created", CREATED)
    for signer in ("alice", "bob"):
        twice(at_desk, "sign", out, "--key", desk.signers[signer].path, "--kid", signer, "--root", desk.root, "--out", out)
    assert f"! the status list https://list.example/1 says nothing: {fault}. " in run("inspect", out).stdout
    assert json.loads(run("inspect", out, "--json").stdout)["lists"][0]["fault"] == fault
    assert f"! list https://list.example/1 says nothing: {fault}\n" in run("diff", out, out).stdout
    twice("replace it or leave it out, at the desk", *desk.install(out))


def test_several_lists_that_say_nothing_are_all_named(desk):
    damage(desk)
    desk.write("lists.json", {"gatehouse-lists": 1, "lists": [
        {"url": f"https://list.example/{number}", "file": "list", "fetched": CREATED} for number in (1, 2, 3)]})
    result = run("build", desk.source, "--out", desk.folder / "bundle", "--created", CREATED)
    assert result.returncode == 1
    assert result.stderr.startswith("refused: 3 status lists say nothing, the first is https://list.example/1 (list-unsigned): replace them, leave them out, or say --allow-silent-lists\n")
    assert [f"https://list.example/{number} says nothing: list-unsigned. " in result.stderr for number in (1, 2, 3)] == [True] * 3


def make_expired(desk) -> None:
    file = desk.gate / "bundle.cose"
    payload = deterministic(payload_of(desk, 7, notAfter=CREATED_SECONDS + 60))
    file.write_bytes(envelope(payload, *(signature(desk.signers[name], payload) for name in ("alice", "bob"))))


@pytest.mark.parametrize("before", (None, make_expired, lambda desk: (desk.gate / "bundle.cose").write_bytes(b"worn out")))
def test_a_gate_without_a_bundle_in_force_takes_one_with_a_silent_list(desk, before):
    """With no bundle nobody at all is let in."""
    if before:
        desk.in_force()
        before(desk)
    damage(desk)
    file = desk.silent_bundle(8)
    result = run(*desk.install(file))
    assert (result.returncode, result.stdout) == (0, "bundle 8 installed\n") and "https://list.example/1 says nothing: list-unsigned. " in result.stderr
    # Now one is in force.
    newer = run(*desk.install(desk.silent_bundle(9)))
    assert newer.returncode == 1 and newer.stderr.startswith("refused: the status list https://list.example/1 says nothing (list-unsigned): ")
    assert (desk.gate / "bundle.cose").read_bytes() == file.read_bytes()


def test_a_list_that_is_too_old_is_refused_at_the_desk_and_named_at_the_gate(desk):
    """A gate that took no newer bundle for it would be worse off."""
    policy(desk, "reject")
    desk.in_force()
    file = desk.bundle(8)
    result = run(*desk.install(file))
    assert result.returncode == 0 and "https://list.example/1 says nothing: list-too-old. " in result.stderr
    assert result.stdout == "bundle 8 installed\n"
    refused_at = run("build", desk.source, "--out", desk.folder / "late", "--created", "2026-06-20T00:00:00Z")
    assert refused_at.returncode == 1 and "list-too-old" in refused_at.stderr


def test_a_list_whose_key_has_ended_since_is_a_matter_of_time(desk):
    """The rest of the bundle, other issuers' revocations for one, must not stay out for it."""
    desk.in_force()
    entry = json.loads(desk.entry.read_text())
    desk.entry.write_text(json.dumps({**entry, "keys": [{**entry["keys"][0], "notAfter": "2026-06-10T00:00:00Z"}]}))
    result = run(*desk.install(desk.bundle(8)))
    assert (result.returncode, result.stdout) == (0, "bundle 8 installed\n") and "https://list.example/1 says nothing: list-unsigned. " in result.stderr


def test_a_list_that_was_over_when_it_was_fetched_is_a_matter_of_time(desk):
    desk.in_force()
    desk.list({}, expires=(CREATED_SECONDS - time.time()) / issuer.DAY - 0.5)
    late = run("build", desk.source, "--out", desk.folder / "late", "--created", CREATED)
    assert late.returncode == 1 and "says nothing (list-not-current)" in late.stderr
    result = run(*desk.install(desk.silent_bundle(8)))
    assert (result.returncode, result.stdout) == (0, "bundle 8 installed\n") and "https://list.example/1 says nothing: list-not-current. " in result.stderr


@pytest.mark.parametrize("change", (damage, strangers))
def test_a_list_that_nobody_looks_at_is_named_and_taken(desk, change):
    change(desk)
    policy(desk, "ignore")
    desk.in_force()
    out = desk.folder / "bundle"
    results = [run("build", desk.source, "--out", out, "--sequence", 8, "--created", CREATED)]
    results += [run("sign", out, "--key", desk.signers[name].path, "--kid", name, "--root", desk.root, "--out", out) for name in ("alice", "bob")]
    for result in (*results, run(*desk.install(out))):
        assert result.returncode == 0 and "https://list.example/1 says nothing: " in result.stderr and "No issuer's entry looks at it." in result.stderr, result


def test_signers_see_what_certificates_are_for(desk):
    authority = issuer.Authority()
    pem = authority.certificate.public_bytes(serialization.Encoding.PEM).decode()
    entry = json.loads(desk.entry.read_text())
    def built(name: str, number: int, **x509):
        desk.entry.write_text(json.dumps({**entry, "x509": x509}))
        return desk.build(name, "--sequence", number)
    old = built("old", 7, roots=[pem])
    new = built("new", 8, roots=[pem], extendedKeyUsages=["1.3.6.1.5.5.7.3.1"])
    usual = "under 1 roots, for its ids, with the extended key usages 1.3.6.1.5.5.7.3.36 2.5.29.37.0"
    root = authority.certificate.fingerprint(hashes.SHA256()).hex()
    assert f"  certificates {usual}\n    root SHA-256 {root}\n" in done("inspect", old)
    assert f"  ~ certificates {usual} -> under 1 roots, for its ids, with the extended key usages 1.3.6.1.5.5.7.3.1\n" in done("diff", old, new)
    second = issuer.Authority().certificate
    # One certificate is one root, however its lines are broken.
    other, other_root = second.public_bytes(serialization.Encoding.PEM).decode(), second.fingerprint(hashes.SHA256()).hex()
    changed = done("diff", old, built("other", 9, roots=[other, pem.replace("\n", "\n\n")]))
    assert f"  + root SHA-256 {other_root}\n" in changed and "- root" not in changed
    assert f"  + root SHA-256 {other_root}\n  - root SHA-256 {root}\n" in done("diff", old, built("other alone", 10, roots=[other]))
    # A whole member that comes or goes is shown like one that changes, and never as it is written.
    desk.entry.write_text(json.dumps(entry))
    without = desk.build("without", "--sequence", 11)
    for first, last, sign in ((without, old, "+"), (old, without, "-")):
        shown = done("diff", first, last)
        assert f"  {sign} certificates {usual}\n  {sign} root SHA-256 {root}\n" in shown and "x509" not in shown and "BEGIN" not in shown and "octets)" not in shown, shown


def test_one_algorithm_under_both_of_its_names(desk):
    entry = json.loads(desk.entry.read_text())
    desk.entry.write_text(json.dumps({**entry, "algorithms": ["EdDSA", "Ed25519"]}))
    desk.build()
    desk.entry.write_text(json.dumps({**entry, "algorithms": ["EdDSA", "EdDSA"]}))
    refused("build", desk.source, "--out", desk.folder / "twice", words="algorithms[1]: occurs twice")
    desk.entry.write_text(json.dumps({**entry, "algorithms": ["EDDSA"]}))
    refused("build", desk.source, "--out", desk.folder / "wrong", words='algorithms[0]: has a value that this format does not allow. (found: "EDDSA"; allowed: ES256, ')


def test_a_signer_is_who_the_root_file_says(desk):
    """What is signed under another's name counts for nothing, and it would be the gate that finds out."""
    file, out = desk.build(), desk.folder / "signed"
    def sign(key, kid):
        return "sign", file, "--key", desk.signers[key].path, "--kid", kid, "--root", desk.root, "--out", out
    refused(*sign("alice", "bob"), words="not the key that the root file")
    refused(*sign("alice", "bob"), words="has for bob; it is alice's")
    refused(*sign("mallory", "bob"), words="has for bob\n")
    refused(*sign("mallory", "mallory"), words="has no such signer; it has alice, bob, carol")
    assert not out.exists()
    assert done(*sign("bob", "bob")) == "bundle 7: signed by bob\n"
    plain = done("sign", file, "--key", desk.signers["bob"].path, "--kid", "bob", "--out", out)
    assert plain == "not compared with a root file: name one with --root\nbundle 7: signed by bob\n"


def test_diff_says_how_many_people_are_turned_away(desk):
    desk.list({3: 1, 4: 1, 5: 2, 9: 3})
    old = desk.build("old")
    # 3 stays, 4 is good again, 5 was suspended and is revoked, 9 has no meaning before and is good, 100 to 102 are new.
    desk.list({3: 1, 5: 1, 100: 1, 101: 2, 102: 1})
    new = desk.build("new", "--sequence", 8)
    assert "  list https://list.example/1: 3 newly revoked, 1 newly suspended, 1 good again\n" in done("diff", old, new)
    assert json.loads(done("diff", old, new, "--json"))["statusChanges"] == [
        {"url": LIST, "revoked": 3, "suspended": 1, "restored": 1, "comparable": True}]
    assert "newly" not in done("diff", old, old)
    desk.write("lists.json", {"gatehouse-lists": 1, "lists": []})
    none = desk.build("none", "--sequence", 9)
    assert "  list https://list.example/1: 4 newly revoked, 1 newly suspended, 0 good again\n" in done("diff", none, new)


# MARK: by the command

@pytest.mark.parametrize("name, options", (
    ("keygen", {"--out", "--id", "--algorithm"}), ("root", {"--signer", "--threshold", "--previous", "--keep", "--out"}),
    ("add-context", {"--url", "--folder", "--replace"}), ("fetch-list", {"--folder", "--out", "--for", "--cacert", "--timeout"}),
    ("build", {"--out", "--sequence", "--created", "--valid-for", "--until", "--allow-silent-lists"}), ("sign", {"--key", "--kid", "--root", "--out", "--allow-silent-lists"}),
    ("inspect", {"--root", "--json"}), ("diff", {"--json"}),
    ("install", {"--root", "--into", "--at", "--lowest-bundle", "--allow-silent-lists"})))
def test_help_names_every_option(name, options):
    # Every command has the program's own --version.
    assert set(re.findall(r"^  (--[a-z-]+)", done(name, "--help"), re.M)) == options | {"--version"}


def test_building_twice_gives_the_same_octets(desk):
    first = desk.build("one").read_bytes()
    entry = json.loads(desk.entry.read_text())
    desk.entry.write_text(json.dumps(dict(reversed(entry.items())), indent=4))
    assert desk.build("two").read_bytes() == first
    assert desk.build("three", "--sequence", 8).read_bytes() != first
    assert run("build", desk.source, "--out", desk.folder / "four").returncode == 0


def test_building_refuses_a_folder_with_a_fault(desk):
    out = desk.folder / "payload"
    (desk.source / "contexts" / "v1.jsonld").write_bytes(CONTEXT + b" ")
    found = hashlib.sha256(CONTEXT + b" ").hexdigest()
    refused("build", desk.source, "--out", out, words=f"allowed: the SHA-256 of contexts/v1.jsonld: {found})\n")
    refused("build", desk.source, "--out", out, words="contexts.json: contexts[0].sha256")
    contexts = json.loads((desk.source / "contexts.json").read_text())
    desk.write("contexts.json", {**contexts, "contexts": [{**contexts["contexts"][0], "file": "../v1.jsonld"}]})
    refused("build", desk.source, "--out", out, words='(found: "../v1.jsonld"; allowed: the path of a file in the trust folder, without . and ..)')
    desk.write("contexts.json", contexts)
    (desk.source / "contexts" / "v1.jsonld").write_bytes(CONTEXT)
    desk.settings(notAfter="2025-01-01T00:00:00Z")
    refused("build", desk.source, "--out", out, words="ends before it begins")
    desk.settings(clock="maybe")
    refused("build", desk.source, "--out", out, words="bundle.json: clock")
    desk.settings()
    desk.entry.write_text("{}")
    refused("build", desk.source, "--out", out, words=desk.entry.name)
    (desk.source / "bundle.json").unlink()
    refused("build", desk.source, "--out", out, words="bundle.json", status=2)
    refused("build", desk.source, "--out", out, "--created", "yesterday", words="--created", status=2)
    assert not out.exists()


def test_signing(desk):
    payload = desk.build()
    signed = desk.sign(payload, "alice")
    before = signed.read_bytes()
    def sign(file, name="bob", key=None, status=1, words=""):
        path = key or desk.signers[name].path
        refused("sign", file, "--key", path, "--kid", name, "--root", desk.root, "--out", signed, status=status, words=words)
    sign(signed, "alice", words="already")
    sign(desk.root, words="encoding")
    sign(payload, key=desk.root, status=2, words="Ed25519")
    desk.settings(notAfter="2999-01-01T00:00:00Z")
    assert run("build", desk.source, "--out", desk.folder / "future", "--created", "2998-01-01T00:00:00Z", "--allow-silent-lists").returncode == 0
    sign(desk.folder / "future", words="in the future")
    other = desk.folder / "ec.pem"
    pem, pkcs8 = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8
    other.write_bytes(ec.generate_private_key(ec.SECP256R1()).private_bytes(pem, pkcs8, serialization.NoEncryption()))
    sign(payload, key=other, status=2, words="Ed25519")
    # An encrypted key is refused; nobody is asked for its password.
    other.write_bytes(desk.signers["bob"].key.private_bytes(pem, pkcs8, serialization.BestAvailableEncryption(b"secret")))
    sign(payload, key=other, status=2, words="unencrypted")
    assert signed.read_bytes() == before and "secret" not in run("inspect", signed).stdout


def test_inspect_says_what_is_in_it_and_who_signed(desk):
    unsigned, signed = desk.build(), desk.sign(desk.build(), "alice", "mallory")
    lines = done("inspect", unsigned).splitlines()
    assert lines[0] == "bundle 7" and lines[-1] == "not signed"
    key = hashlib.sha256(desk.issuer.key.public_key().public_bytes(
        serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo)).hexdigest()
    assert f"  key {desk.issuer.kid} Ed25519 SHA-256 {key}" in lines
    assert f"context https://context.example/v1 {len(CONTEXT)} octets SHA-256 {hashlib.sha256(CONTEXT).hexdigest()}" in lines
    assert f"  ids {desk.issuer.name}" in lines and "  forms sd_jwt" in lines and f"  types {issuer.VCT}" in lines
    assert any(line.startswith(f"list https://list.example/1 {(desk.source / 'list').stat().st_size} octets") and f"fetched {CREATED}" in line for line in lines)
    assert done("inspect", signed).splitlines()[-1].startswith("signatures not checked")
    result = run("inspect", signed, "--root", desk.root)
    assert result.returncode == 1
    assert result.stdout.splitlines()[-3:] == [
        "valid signature by alice", "unknown signature by mallory", "1 of the root's signers signed, 2 have to: the threshold is NOT met"]
    done("sign", signed, "--key", desk.signers["mallory"].path, "--kid", "carol", "--out", signed)
    shown = json.loads(run("inspect", signed, "--root", desk.root, "--json").stdout)
    assert shown["signatures"] == [{"kid": "alice", "standing": "valid"}, {"kid": "mallory", "standing": "unknown"}, {"kid": "carol", "standing": "invalid"}]
    assert (shown["threshold"], shown["thresholdMet"]) == (2, False) and shown["sequence"] == 7
    assert shown["issuers"][0]["entry"] == json.loads(desk.entry.read_text())
    done("sign", signed, "--key", desk.signers["bob"].path, "--kid", "bob", "--root", desk.root, "--out", signed)
    assert done("inspect", signed, "--root", desk.root).splitlines()[-1] == "2 of the root's signers signed, 2 have to: the threshold is met"


def test_nothing_in_a_bundle_moves_the_cursor(desk):
    nasty = "name\x1b[2J\u202e\n\x9b"
    entry = json.loads(desk.entry.read_text())
    entry["name"], entry["types"] = nasty, [nasty]
    payload = deterministic(payload_of(desk, issuers=[{"name": nasty, "entry": json.dumps(
        entry, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()}], contexts=[{"url": nasty, "bytes": b"{}"}]))
    file, old = desk.folder / "nasty", desk.build()
    file.write_bytes(envelope(payload, signature(desk.signers["alice"], payload, kid=nasty)))
    for arguments in (("inspect", file), ("inspect", file, "--json"), ("diff", old, file), ("diff", file, old, "--json"), desk.install(file)):
        result = run(*arguments)
        assert not CONTROLS.search(result.stdout + result.stderr), (arguments, result)
    # With a cursor, a signer's name could write this line.
    assert done("inspect", file).count("signature by") == 1


def test_install_takes_newer_bundles_and_never_an_older_one(desk):
    five, six, seven = (desk.bundle(number) for number in (5, 6, 7))
    assert done(*desk.install(six)) == "bundle 6 installed\n"
    assert done(*desk.install(six)) == "bundle 6 was installed already\n"
    before = desk.files()
    refused(*desk.install(five), words="sequence number 5")
    desk.settings(clock="accept")
    refused(*desk.install(desk.bundle(6)), words="another bundle with the sequence number 6")
    refused(*desk.install(desk.bundle(8, "carol")), words="not signed by as many")
    refused(*desk.install(seven, "--at", "2027-01-01T00:00:00Z"), words="expired")
    assert desk.files() == before
    # A clock that was never set.
    assert done(*desk.install(seven, "--at", "1970-01-01T00:00:00Z")) == "bundle 7 installed\n"
    (desk.gate / "bundle.cose").write_bytes(six.read_bytes())
    refused(*desk.install(six), words="sequence number 6")
    assert done(*desk.install(seven)) == "bundle 7 installed\n"


def test_a_lost_mark_lets_no_older_bundle_in(desk):
    six, seven, eight = desk.bundle(6), desk.bundle(7), desk.bundle(8)
    done(*desk.install(seven))
    (desk.gate / "highwater").write_bytes(b"\0" * 100)
    refused(*desk.install(six), words="sequence number 6")
    for name in ("highwater", "highwater.copy"):
        (desk.gate / name).unlink()
    refused(*desk.install(six), words="sequence number 6")
    (desk.gate / "bundle.cose").unlink()
    # All that is left is what the image says.
    (desk.folder / "lowest").write_text("8\n")
    refused(*desk.install(seven, "--lowest-bundle", desk.folder / "lowest"), words="none below 8")
    assert done(*desk.install(eight, "--lowest-bundle", 8)) == "bundle 8 installed\n"
    refused(*desk.install(eight, "--lowest-bundle", desk.folder / "none"), words="cannot be read", status=2)
    refused(*desk.install(eight, "--lowest-bundle", desk.root), words="not a number", status=2)


def test_a_gate_believes_what_is_installed_and_nothing_beside_it(desk):
    desk.settings(notAfter="2099-01-01T00:00:00Z")
    done(*desk.install(desk.bundle(7)))
    stranger = issuer.Issuer("EdDSA", "https://stranger.example")
    (desk.gate / "stranger.json").write_text(json.dumps(issuer.trust_entry(stranger)))

    def verdict(who: issuer.Issuer) -> str:
        return subprocess.run([*command(), "verify", "-", "--trust", desk.gate, "--root", desk.root], input=who.credential(), capture_output=True,
                              text=True, timeout=120).stdout.splitlines()[0]

    assert verdict(desk.issuer) == "accept"
    assert verdict(stranger) == "reject issuer-unknown"


def test_nobody_signs_for_a_list_of_the_future(desk):
    """It would look new for as long as that, and what its issuer signed in it would be taken for a time that has passed."""
    desk.write("lists.json", {"gatehouse-lists": 1, "lists": [{"url": "https://list.example/1", "file": "list", "fetched": "2998-01-01T00:00:00Z"}]})
    refused("sign", desk.build(), "--key", desk.signers["alice"].path, "--kid", "alice", "--root", desk.root, "--out", desk.folder / "signed",
            words="https://list.example/1 was fetched at 2998-01-01T00:00:00Z: a time in the future")
    assert not (desk.folder / "signed").exists()


def test_a_bundle_that_is_a_broken_link_is_not_overlooked(desk):
    """A disk that is not there must not turn a gate with a bundle into one that believes whatever lies in the folder."""
    def answer() -> tuple[int, str]:
        result = subprocess.run([*command(), "verify", "-", "--trust", folder], input=desk.issuer.credential(), capture_output=True, text=True, timeout=120)
        return result.returncode, result.stderr

    folder = desk.folder / "unsigned"
    issuer.write_trust(folder, desk.issuer)
    assert answer()[0] == 0
    (folder / "bundle.cose").symlink_to(desk.folder / "not there")
    code, words = answer()
    assert code == 2 and "there is a bundle" in words


def test_diff_says_what_changes(desk):
    old = desk.bundle(6)
    entry = json.loads(desk.entry.read_text())
    other = issuer.Issuer("EdDSA", "https://other.example")
    entry["keys"].append({"kid": "second", "jwk": other.jwk()})
    entry["skew"] = 60
    desk.entry.write_text(json.dumps(entry))
    (desk.source / "other.json").write_text(json.dumps(issuer.trust_entry(other)))
    changed = CONTEXT + b"\n"
    (desk.source / "contexts" / "v1.jsonld").write_bytes(changed)
    desk.write("contexts.json", {"gatehouse-contexts": 1, "contexts": [
        {"url": "https://context.example/v1", "file": "contexts/v1.jsonld", "sha256": hashlib.sha256(changed).hexdigest()}]})
    (desk.source / "lists.json").unlink()
    desk.settings(clock="accept")
    new = desk.build("new", "--sequence", 7)
    difference = json.loads(done("diff", old, new, "--json"))
    assert difference["sequence"] == [6, 7] and difference["clock"] == ["reject", "accept"]
    assert difference["issuers"] == {"added": ["other.json"], "removed": [], "changed": [desk.entry.name]}
    assert difference["issuerChanges"] == [{"name": desk.entry.name, "members": {"added": ["skew"], "removed": [], "changed": ["keys"]},
                                            "keys": {"added": ["second"], "removed": [], "changed": []}}]
    assert difference["contexts"] == {"added": [], "removed": [], "changed": ["https://context.example/v1"]}
    assert difference["lists"] == {"added": [], "removed": ["https://list.example/1"], "changed": []}
    text = done("diff", old, new)
    for line in ("~ sequence 6 -> 7", "~ while the clock is unsure reject -> accept", "  + skew 60", "- list https://list.example/1"):
        assert line in text.splitlines(), text
    assert "+ issuer other.json" in text and "  + key second Ed25519" in text and hashlib.sha256(changed).hexdigest() in text
    assert "no gate that has the old bundle will take" in done("diff", new, old)
    assert not [line for line in done("diff", old, old).splitlines() if line[0] != " "]


def test_a_root_with_a_fault_is_unusable(desk):
    signed, good = desk.bundle(6), json.loads(desk.root.read_text())
    for change, word in ((lambda r: r.update(threshold=0), "threshold"), (lambda r: r.update(threshold=4), "threshold"),
                         (lambda r: r["signers"].append({**r["signers"][0], "kid": "again"}), "signers[3]"), (lambda r: r.update(extra=1), "extra")):
        root = json.loads(json.dumps(good))
        change(root)
        desk.root.write_text(json.dumps(root))
        refused(*desk.install(signed), status=2, words=word)
    assert desk.files() == {}
    refused("inspect", desk.folder / "none", status=2, words="cannot be read")
    refused("install", signed, "--root", desk.root, "--into", desk.folder / "none", status=2)


def test_a_folder_that_is_not_there(desk):
    refused("install", desk.bundle(6), "--root", desk.root, "--into", desk.folder / "none", "--at", WITHIN, words="does not exist")
    os.chmod(desk.gate, 0o755)
    assert done(*desk.install(desk.bundle(7))) == "bundle 7 installed\n"


def test_a_key_that_is_a_secret_is_not_shown(tmp_path):
    """`contentKeys` of an entry: their ids and lengths, and nothing of them, wherever a bundle is shown or refused."""
    secrets = [issuer.b64(os.urandom(length)) for length in (16, 32)]
    for index, secret in enumerate(secrets):
        folder = tmp_path / str(index)
        folder.mkdir()
        (folder / "a.json").write_text(json.dumps(CWTIssuer("ES256").trust(contentKeys=[{"kid": "cards", "k": secret}])))
        done("build", folder, "--sequence", index + 1, "--valid-for", 90, "--out", tmp_path / f"bundle-{index}")
    first, second = tmp_path / "bundle-0", tmp_path / "bundle-1"
    shown = [done("inspect", first), done("inspect", first, "--json"), done("diff", first, second), done("diff", first, second, "--json")]
    assert all(secret not in text for secret in secrets for text in shown)
    assert "content key cards AES-128" in shown[0] and "cards AES-128 -> cards AES-256" in shown[2]
    assert json.loads(shown[1])["issuers"][0]["entry"]["contentKeys"] == [{"kid": "cards"}]
    (tmp_path / "0" / "a.json").write_text(json.dumps(CWTIssuer("ES256").trust(contentKeys=[{"kid": "cards", "k": secrets[0] + "AAAA"}])))
    assert secrets[0] not in run("build", tmp_path / "0", "--sequence", 3, "--valid-for", 90, "--out", tmp_path / "bundle-2").stderr
