"""Credentials with a known verdict: the good ones, and each way of being wrong with the reason a gate must give."""
import json
from dataclasses import dataclass, field
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric import utils

import linked_contexts as c
from issuer import b64, compact, unb64, wrap
from linked_issuer import BASE58, LinkedIssuer, base58, from_base58, instant, photo, without, write_trust
from oracle import Oracle

# A type that no context defines: real issuers have one, and nothing signs it.
LOOSE = "UndefinedCredential"
UNPINNED = "https://elsewhere.demo.gatehouse.example/context"


@dataclass
class Case:
    """A credential as JSON, whom the gate believes, and the verdict: accepted, or rejected with that reason."""
    name: str
    document: dict
    issuers: list[LinkedIssuer]
    reason: str = ""
    claims: dict = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    @property
    def accepted(self) -> bool:
        return not self.reason

    @property
    def text(self) -> str:
        return compact(self.document)

    @property
    def wrapped(self) -> bytes:
        """What a wallet sends."""
        return wrap(self.document, "ldp_vc")


def write_case(folder, case: Case) -> tuple[bool, str]:
    """Writes `trust/` and `credential.json`; returns whether the credential is to be accepted, and if not the reason."""
    folder = Path(folder)
    write_trust(folder / "trust", *case.issuers)
    (folder / "credential.json").write_text(case.text)
    return case.accepted, case.reason


# MARK: Changes

def leaves(value, path=()) -> list[tuple]:
    """The paths to everything that is neither object nor array."""
    if isinstance(value, dict):
        return [leaf for name, member in value.items() for leaf in leaves(member, (*path, name))]
    if isinstance(value, list):
        return [leaf for index, element in enumerate(value) for leaf in leaves(element, (*path, index))]
    return [path]


def other(value):
    """Another value of the same kind."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return 987654.25 if value != 987654.25 else 1
    return value + "x" if isinstance(value, str) else "x"


def changed(document: dict, *path, to=other) -> dict:
    """A copy with the value at `path` replaced: by `to`, or by what `to` makes of it."""
    # Not a deep copy: two places may hold one object, and only one of them is meant.
    document = json.loads(compact(document))
    place = document
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = to(place.get(path[-1]) if isinstance(place, dict) else place[path[-1]]) if callable(to) else to
    return document


def flipped(signature: str) -> str:
    """One bit of the signature's value."""
    if signature.startswith("z"):
        octets = bytearray(from_base58(signature[1:]))
        octets[len(octets) // 2] ^= 1
        return "z" + base58(bytes(octets))
    head, _, tail = signature.rpartition(".")
    octets = bytearray(unb64(tail))
    octets[len(octets) // 2] ^= 1
    return f"{head}.{b64(bytes(octets))}"


def der(signature: str) -> str:
    """An ECDSA signature as ASN.1 instead of R and S."""
    head, dot, tail = ("z", "", signature[1:]) if signature.startswith("z") else signature.rpartition(".")
    octets = from_base58(tail) if head == "z" else unb64(tail)
    half = len(octets) // 2
    encoded = utils.encode_dss_signature(int.from_bytes(octets[:half], "big"), int.from_bytes(octets[half:], "big"))
    return head + dot + (base58(encoded) if head == "z" else b64(encoded))


# MARK: Cases

def acceptances(issuer: LinkedIssuer) -> list[Case]:
    """Credentials a gate that trusts `issuer` must accept."""
    claims = {"givenName": "Asha", "familyName": "Rao", "birthDate": "1990-05-17"}
    document = issuer.document(
        100, note=["e\u0301 \u00e9", "\U0001f3ab \"quoted\" \\ \n", "\u2028"], motto="go", tags=["b", "a", "b"],
        names={"en": "Asha", "hi": ["\u0906\u0936"]}, knows=[{"note": "one"}, {"note": "one"}, {"id": "urn:demo:friend"}],
        stops=[1, -0.0, 1e21, 0.1, {"note": "in a list"}], raw={"b": [1.0, None], "a": "\u20ac"})
    cases = [
        Case("plain", issuer.credential(), [issuer], claims=claims),
        Case("many kinds of values", issuer.secured(document), [issuer], claims=claims),
        Case("portrait of 100 kB", issuer.credential(100_000), [issuer], claims=claims),
    ]
    if issuer.suite.is_canonical_json:
        # JSON was signed, and is read as JSON: no context plays a part.
        cases.append(Case("context nobody pinned", issuer_with(issuer, UNPINNED, issuer.document(100)), [issuer], claims=claims))
    else:
        loose = issuer.document(100)
        loose["type"].append(LOOSE)
        loose = issuer.secured(loose)
        cases += [Case("undefined type", loose, [issuer], claims=claims, notes=["type-not-signed"]),
                  # Nothing signs such a type, so nothing rests on it.
                  Case("undefined type taken away", changed(loose, "type", to=loose["type"][:-1]), [issuer], claims=claims)]
    return cases


def leaf_changes(issuer: LinkedIssuer) -> list[Case]:
    """Every value of a credential, its context apart, and of its proof's options, changed after signing."""
    secured = issuer.credential(30)
    reasons = {("issuer",): "issuer-unknown", ("proof", "verificationMethod"): "key-unknown", ("proof", "proofPurpose"): "proof-purpose-refused",
               ("proof", "type"): "proof-type-refused", ("proof", "cryptosuite"): "proof-type-refused", ("proof", "created"): "proof-malformed",
               ("proof", "@context"): "proof-malformed"}
    cases = []
    for path in leaves(secured):
        if path[0] == "@context" or path[-1] in ("jws", "proofValue"):
            continue
        reason = reasons.get(path[:2], reasons.get(path[:1], "signature-invalid"))
        cases.append(Case("changed: " + "/".join(map(str, path)), changed(secured, *path), [issuer], reason))
    return cases


def coverage_attacks(issuer: LinkedIssuer) -> list[Case]:
    """What is added to a signed credential. Where statements are signed, an undefined term makes none: the signature still verifies."""
    faceless = issuer.secured(issuer.document(face=None))
    reason = "signature-invalid" if issuer.suite.is_canonical_json else "claims-uncovered"
    narrow = issuer.document(face=None)
    # A context under which the portrait has no name: adding one makes no statement.
    narrow["@context"].append({"face": None})
    narrow = issuer.secured(narrow)
    return [
        Case("undefined claim added", changed(faceless, "credentialSubject", "clearance", to="all doors"), [issuer], reason),
        Case("undefined claim added inside", changed(faceless, "credentialSubject", "address", "clearance", to="all doors"), [issuer], reason),
        Case("face added", changed(faceless, "credentialSubject", "face", to=photo(50)), [issuer], "signature-invalid"),
        Case("face added that makes no statement", changed(narrow, "credentialSubject", "face", to=photo(50)), [issuer], reason),
        Case("empty list added", changed(faceless, "credentialSubject", "note", to=[]), [issuer], reason),
        Case("null added", changed(faceless, "credentialSubject", "note", to=None), [issuer], reason),
    ]


def renamed(members: dict, names: dict[str, str]) -> dict:
    return {names.get(name, name): value for name, value in members.items()}


def context_attacks(issuer: LinkedIssuer) -> list[Case]:
    """What a sender can do with a context of his own behind the signed ones. Statements are what they were, or the signature breaks."""
    good, is_json = issuer.credential(30), issuer.suite.is_canonical_json
    expired = issuer.credential(30, -60, -1)
    end = "validUntil" if issuer.suite.is_data_integrity else "expirationDate"
    subject = good["credentialSubject"]

    def case(name: str, context: dict, document: dict, reason: str, **more) -> Case:
        document = {**document, "@context": [*document["@context"], context]}
        if is_json:
            # It has to be the proof's too, and is signed twice.
            document["proof"] = {**document["proof"], "@context": document["@context"]}
        return Case(name, document, [issuer], "signature-invalid" if is_json and reason != "credential-rule" else reason, **more)

    # In version 1 these terms exist only where the type is, and there what stands outside plays no part.
    protected = "linked-data-invalid" if issuer.suite.is_data_integrity else ""
    swapped = renamed(subject, {"givenName": "familyName", "familyName": "givenName"})
    meanings = {"givenName": "demo:familyName", "familyName": "demo:givenName"}
    more = changed(good, "credentialSubject", "clearance", to="all doors")
    end_elsewhere = {"end": {"@id": c.CREDENTIALS + end, "@type": c.XSD + "dateTime"}}
    return [
        case("two names swapped, and what they mean", meanings, {**good, "credentialSubject": swapped}, "",
             claims={"givenName": "Asha", "familyName": "Rao"}),
        case("two names' meaning swapped", meanings, good, "signature-invalid"),
        case("the end of validity under another name", end_elsewhere, renamed(expired, {end: "end"}), "expired"),
        case("a claim without a meaning", {"familyName": None}, good, "signature-invalid"),
        case("a claim more, with a meaning", {"clearance": "demo:clearance"}, more, "signature-invalid"),
        case("a claim more, where all names mean something", {"@vocab": c.VOCABULARY}, more, "signature-invalid"),
        case("a claim more that looks like a keyword", {}, changed(good, "credentialSubject", "@clearance", to="all doors"), "claims-uncovered"),
        case("a claim more in a nest", {}, changed(good, "credentialSubject", "contact", to={"clearance": "all doors"}), "claims-uncovered"),
        case("another meaning for a protected term", {"issuer": "demo:issuer"}, good, protected),
        case("a protected term without a meaning", {end: None}, expired, protected or "expired"),
        case("no context any more", {}, {**good, "@context": [good["@context"][0], None]}, "linked-data-invalid"),
        case("the subject under another name", {"who": {"@id": c.CREDENTIALS + "credentialSubject", "@type": "@id"}},
             renamed(good, {"credentialSubject": "who"}), "credential-rule"),
    ]


def proof_attacks(issuer: LinkedIssuer) -> list[Case]:
    """Proofs that are wrong though the rest is as the issuer made it."""
    document = issuer.document(30)
    good = issuer.secured(document)
    member = "jws" if issuer.suite.notation == "jws" else "proofValue"
    stranger = LinkedIssuer(f"{issuer.suite.name} {issuer.algorithm}", issuer.context_of_options)
    forged = stranger.secured(document, verificationMethod=issuer.method)
    elsewhere = LinkedIssuer(f"{issuer.suite.name} {issuer.algorithm}", issuer.context_of_options, "did:web:elsewhere.demo.gatehouse.example")
    cases = [
        Case("signature flipped", changed(good, "proof", member, to=flipped), [issuer], "signature-invalid"),
        Case("created changed", changed(good, "proof", "created", to=instant(-0.25)), [issuer], "signature-invalid"),
        Case("known key's name, unknown key", forged, [issuer], "signature-invalid"),
        Case("unknown key", stranger.secured(document), [issuer], "key-unknown"),
        Case("unknown issuer", good, [elsewhere], "issuer-unknown"),
        Case("another trusted issuer's name", changed(good, "issuer", to=elsewhere.name), [issuer, elsewhere], "key-unknown"),
        Case("signed by another trusted issuer", elsewhere.secured(document), [issuer, elsewhere], "key-unknown"),
        Case("signed for authentication", issuer.secured(document, proofPurpose="authentication"), [issuer], "proof-purpose-refused"),
        Case("purpose changed", changed(good, "proof", "proofPurpose", to="authentication"), [issuer], "proof-purpose-refused"),
        Case("proof expired", issuer.secured(document, expires=instant(-0.1)), [issuer], "proof-expired"),
        Case("unknown member of the proof", changed(good, "proof", "previousProof", to="urn:demo:proof"), [issuer], "proof-malformed"),
        Case("no proof", document, [issuer], "credential-rule"), Case("empty proof", {**document, "proof": {}}, [issuer], "proof-type-refused"),
        Case("expired", issuer.credential(30, -60, -1), [issuer], "expired"),
        Case("not yet valid", issuer.credential(30, 2), [issuer], "not-yet-valid" if issuer.suite.is_data_integrity else "issued-in-future"),
        Case("another type", issuer.secured(changed(document, "type", 1, to="sec:Other")), [issuer], "type-not-trusted"),
        Case("trusted type taken away", changed(good, "type", to=["VerifiableCredential"]), [issuer], "signature-invalid"),
    ]
    if not issuer.suite.is_canonical_json:
        cases.append(Case("context nobody pinned", issuer_with(issuer, UNPINNED, document), [issuer], "context-unknown"))
    if issuer.algorithm.startswith("ES"):
        cases.append(Case("signature in DER", changed(good, "proof", member, to=der), [issuer], "signature-invalid"))
    return cases + (jws_attacks if member == "jws" else multibase_attacks)(issuer, document, good)


def issuer_with(issuer: LinkedIssuer, url: str, document: dict) -> dict:
    """Signed under one more context than the gate knows."""
    known = issuer.oracle
    issuer.oracle = Oracle({**known.contexts, url: {"@context": {"extra": "urn:demo:extra"}}})
    try:
        return issuer.secured(changed(document, "@context", to=[*document["@context"], url]))
    finally:
        issuer.oracle = known


def jws_attacks(issuer: LinkedIssuer, document: dict, good: dict) -> list[Case]:
    def headed(name: str, reason: str, **changes) -> Case:
        return Case(name, issuer.secured(document, issuer.header(**changes)), [issuer], reason)

    def written(name: str, reason: str, to) -> Case:
        return Case(name, changed(good, "proof", "jws", to=to), [issuer], reason)

    another = "ES256" if issuer.algorithm == "EdDSA" else "EdDSA"
    return [
        headed("another algorithm", "key-mismatch" if issuer.suite.name == "JsonWebSignature2020" else "algorithm-refused", alg=another),
        headed("algorithm none", "algorithm-refused", alg="none"), headed("algorithm HS256", "algorithm-refused", alg="HS256"),
        headed("no algorithm", "algorithm-refused", alg=None), headed("payload encoded", "critical-header-refused", b64=True),
        headed("b64 missing", "critical-header-refused", b64=None), headed("crit missing", "critical-header-refused", crit=None),
        headed("crit empty", "critical-header-refused", crit=[]), headed("crit with another name", "critical-header-refused", crit=["b64", "exp"]),
        written("header changed", "signature-invalid", lambda jws: issuer.header(kid="x") + ".." + jws.split(".")[2]),
        written("payload attached", "payload-not-detached", lambda jws: jws.replace("..", ".e30.")),
        written("two parts", "proof-malformed", lambda jws: jws.replace("..", ".")),
        Case("signature twice", changed(good, "proof", "proofValue", to="z2"), [issuer], "proof-malformed"),
    ]


def multibase_attacks(issuer: LinkedIssuer, document: dict, good: dict) -> list[Case]:
    def with_value(name: str, to, reason: str = "proof-malformed") -> Case:
        return Case(name, changed(good, "proof", "proofValue", to=to), [issuer], reason)

    return [
        with_value("another multibase prefix", lambda value: "Z" + value[1:]), with_value("base64url", lambda value: "u" + b64(from_base58(value[1:]))),
        with_value("a character of no alphabet", lambda value: value[:-1] + "0"), with_value("empty", ""),
        with_value("shortened", lambda value: "z" + base58(from_base58(value[1:])[:-1]), "signature-invalid"),
        with_value("lengthened", lambda value: "z" + BASE58[0] + value[1:], "signature-invalid"),
        Case("signature twice", changed(good, "proof", "jws", to="a..b"), [issuer], "proof-malformed"),
    ]


def refusals(issuer: LinkedIssuer) -> list[Case]:
    """Everything a gate that trusts `issuer` must reject."""
    by_context = [case for case in context_attacks(issuer) if not case.accepted]
    return [*leaf_changes(issuer), *coverage_attacks(issuer), *by_context, *proof_attacks(issuer)]
