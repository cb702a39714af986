"""Verdicts on JSON-LD credentials: what PyLD and `cryptography` signed is accepted with exactly its claims, and all that is wrong has its reason."""
import collections
import json
import time

import pytest

import linked_contexts as c
from gate import is_reference, verify
from linked_claims import claims, comparable, faults, ordered
from linked_documents import Generator
from linked_issuer import KINDS, LinkedIssuer, write_trust
from linked_proof_sets import chains, proof_sets
from linked_forms import forms
from linked_refusals import acceptances, changed, context_attacks, refusals
from oracle import Oracle, gatehouse, verdicts
from test_oracle import mutants

pytestmark = pytest.mark.usefixtures("oracle_check")
SEED, DOCUMENTS = 2026, 560


@pytest.fixture(scope="module", params=KINDS, ids=" ".join)
def issuer(request):
    return LinkedIssuer(*request.param)


class Folders:
    """A trust folder for each set of issuers."""

    def __init__(self, path) -> None:
        self.path, self.made = path, {}

    def of(self, issuers):
        key = tuple(map(id, issuers))
        if key not in self.made:
            self.made[key] = write_trust(self.path / f"trust-{len(self.made)}", *issuers), issuers
        return self.made[key][0]


@pytest.fixture
def folders(tmp_path):
    return Folders(tmp_path)


def judged(folders: Folders, cases) -> list[dict]:
    """The verdicts in the order of the cases. One verifier sees all cases of its issuers: what it met before must change nothing."""
    parts = {}
    for index, case in enumerate(cases):
        parts.setdefault(folders.of(case.issuers), []).append(index)
    found = verdicts([(trust, [cases[index].wrapped.decode() for index in indices]) for trust, indices in parts.items()], int(time.time()))
    order = [index for indices in parts.values() for index in indices]
    return [answer for _, answer in sorted(zip(order, found), key=lambda pair: pair[0])]


def check_accepted(issuer: LinkedIssuer, case, answer: dict) -> None:
    assert answer["reasons"] == [], (case.name, answer["reasons"])
    assert (answer["issuer"], answer["form"]) == (issuer.name, "ldp_vc"), case.name
    assert [answer["type"]] == issuer.trust()["types"]
    # Older suites are tried with MOSIP's context first, and here both make the same statements.
    newer = "canonical-json" if issuer.suite.is_canonical_json else "document"
    assert answer["options"] == (newer if issuer.suite.is_data_integrity else "security-v3")
    assert comparable(issuer, answer["claims"]) == comparable(issuer, claims(issuer, case.document)), case.name
    subject, roles = case.document["credentialSubject"], answer["roles"]
    assert roles["portrait"] == subject["face"]
    for role, value in case.claims.items():
        found = roles[role]
        assert (found["@value"] if isinstance(found, dict) else found) == value, (case.name, role)
    assert answer["notes"] == case.notes, case.name


def check(issuer: LinkedIssuer, cases, answers) -> None:
    wrong = []
    for case, answer in zip(cases, answers, strict=True):
        if case.accepted and not answer["reasons"]:
            check_accepted(issuer, case, answer)
        elif case.accepted or answer["reasons"][:1] != [case.reason]:
            wrong.append((case.name, case.reason or "accept", answer["reasons"] or "accept"))
        else:
            assert set(answer) == {"reasons"}, case.name
    assert not wrong, wrong


def test_every_case_of_every_suite(issuer, folders):
    cases = [*acceptances(issuer), *forms(issuer), *(case for case in context_attacks(issuer) if case.accepted), *refusals(issuer)]
    # The good ones again, after all that was wrong.
    cases += cases[:3]
    check(issuer, cases, judged(folders, cases))


def test_member_twice(issuer, folders):
    """Two parsers may take different ones of two members."""
    case = acceptances(issuer)[0]
    twice = case.text.replace('"credentialSubject":{', '"credentialSubject":{"givenName":"Mallory",')
    also = case.text.replace('"issuer":', '"issuer":"did:web:elsewhere.demo.gatehouse.example","issuer":')
    answers = verdicts([(folders.of([issuer]), [case.text, twice, also])], int(time.time()))
    assert [answer["reasons"] for answer in answers] == [[], ["message-malformed"], ["message-malformed"]]


@pytest.mark.parametrize("suite", sorted({name for name, options in KINDS if options == "v3"}))
def test_options_under_either_context(suite, tmp_path):
    """Where the two contexts do not make the same statements: each is tried, and the verdict says which it was."""
    contexts = json.loads(json.dumps(c.PINNED))
    for name in c.LEGACY:
        contexts[c.V1]["@context"][name]["@context"]["nonce"] = c.link(c.SECURITY + "nonce")
    for options, word in (("v3", "security-v3"), ("document", "document")):
        issuer = LinkedIssuer(suite, options)
        issuer.oracle = Oracle(contexts)
        trust = write_trust(tmp_path / options, issuer, contexts=contexts)
        good = issuer.secured(issuer.document(30), nonce="urn:demo:nonce")
        bad = changed(good, "proof", "nonce", to="urn:demo:other")
        answers = verdicts([(trust, [json.dumps(good), json.dumps(bad)])], int(time.time()))
        assert (answers[0].get("options"), answers[1]["reasons"]) == (word, ["signature-invalid"]), answers


def test_proof_sets(issuer, folders):
    cases = proof_sets(issuer)
    check(issuer, cases, judged(folders, cases))


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind[0].split()[0].endswith(("-2019", "-2022"))], ids=" ".join)
def test_proof_chains(kind, folders):
    issuer = LinkedIssuer(*kind)
    cases = chains(issuer)
    check(issuer, cases, judged(folders, cases))


def test_claims_of_a_plain_credential(issuer, folders):
    """By hand: what stands in the document, under IRIs where statements are signed."""
    case = acceptances(issuer)[0]
    subject = case.document["credentialSubject"]
    found = judged(folders, [case])[0]["claims"]
    if issuer.suite.is_canonical_json:
        assert found == subject
        return
    term, double = c.VOCABULARY.__add__, lambda text: {"@value": text, "@type": c.XSD + "double"}
    # JSON-LD 1.1 API section 8.2.2: a double has fifteen digits behind the point, so 73.9 is not written as anybody would.
    assert ordered(found) == ordered({
        "@id": "did:example:visitor", "@type": [term("Person")], term("face"): subject["face"], term("givenName"): "Asha", term("familyName"): "Rao",
        term("fullName"): {"@value": "Asha Rao", "@language": "en"}, term("dateOfBirth"): {"@value": "1990-05-17", "@type": c.XSD + "date"},
        term("UIN"): 123456, term("LegalReserveArea"): double("4.003E2"), term("isResident"): True,
        term("address"): {term("street"): "1 Example Way", term("city"): {"@value": "Pune", "@language": "en"},
                          term("position"): {"@list": [double("1.85E1"), double(f"{73.9:.15e}".replace("e+0", "E"))]}}})


# MARK: The program itself

@pytest.mark.skipif(is_reference(), reason="the reference gate has no such command")
def test_program_says_the_same(issuer, folders, tmp_path):
    """`gatehouse verify --json` on a file, for some of each kind."""
    bad = {case.name: case for case in refusals(issuer)}
    cases = [acceptances(issuer)[1], bad["signature flipped"], bad["undefined claim added"], bad["expired"]]
    answers = judged(folders, cases)
    check(issuer, cases, answers)
    for case, answer in zip(cases, answers):
        file = tmp_path / "credential.json"
        file.write_text(case.text)
        found = verify(file, folders.of(case.issuers))
        assert found["verdict"] == ("accept" if case.accepted else "reject")
        assert [reason["code"] for reason in found["reasons"]] == answer["reasons"]
        assert all(reason["sentence"].endswith(".") and reason["inji"] for reason in found["reasons"])
        if case.accepted:
            assert {name: found[name] for name in ("issuer", "form", "type", "notes", "roles", "claims")} == {
                name: answer[name] for name in ("issuer", "form", "type", "notes", "roles", "claims")}
            assert found["proof"] | {"created": 0} == {
                "suite": issuer.suite.name, "algorithm": issuer.algorithm, "options": answer["options"], "created": 0}
            assert (found["key"], found["unsigned"]) == (issuer.method, [])
        else:
            assert not {"claims", "roles", "proof"} & set(found)
            assert found["issuerSigned"] == (case.name == "expired")


# MARK: Generated documents

SIGNERS = ("RsaSignature2018 PS256", "Ed25519Signature2018 EdDSA", "EcdsaSecp256k1Signature2019 ES256K", "JsonWebSignature2020 ES256",
           "Ed25519Signature2020 EdDSA", "eddsa-rdfc-2022 EdDSA", "ecdsa-rdfc-2019 ES256", "ecdsa-rdfc-2019 ES384")


def pruned(document: dict, dropped: list[dict]) -> dict:
    """The document without what makes no statement."""
    document = json.loads(json.dumps(document))
    for entry in sorted(dropped, key=lambda entry: entry["pointer"], reverse=True):
        *path, last = [step.replace("~1", "/").replace("~0", "~") for step in entry["pointer"].split("/")[1:]] or [""]
        place = document
        for step in path:
            place = place[int(step)] if isinstance(place, list) else place.get(step) if isinstance(place, dict) else None
        if isinstance(place, dict):
            place.pop(last, None)
        elif isinstance(place, list):
            # Not taken out: those behind it would move.
            place[int(last)] = "pruned"
    return document


def generated(issuer: LinkedIssuer, count: int, made: Generator) -> list[tuple[dict, set[str]]]:
    """Documents and what speaks against each: as many good ones as others; of the good those that say most, of the others the rarest."""
    version = c.V2 if issuer.suite.is_data_integrity else c.V1
    good, bad = [], []
    while len(good) < count:
        documents = [made.visitor(version, issuer.name) for _ in range(200)]
        ask = lambda: zip(documents, gatehouse(c.PINNED, [{"document": document} for document in documents]))
        documents += [pruned(document, answer["dropped"]) for document, answer in ask() if "error" not in answer]
        for document, answer in ask():
            if "error" not in answer:
                against = faults(issuer, document, answer["dropped"], int(time.time()))
                (bad if against else good).append((document, against))
    good.sort(key=lambda pair: len(json.dumps(pair[0]["credentialSubject"])), reverse=True)
    frequency = collections.Counter(frozenset(against) for _, against in bad)
    bad.sort(key=lambda pair: frequency[frozenset(pair[1])])
    return good[: count // 2] + bad[: count - count // 2]


@pytest.mark.parametrize("index", range(len(SIGNERS)), ids=SIGNERS.__getitem__)
def test_generated_documents(index, folders):
    """Signed by their issuer with any content: accepted with the claims PyLD finds, or rejected for a reason that there is."""
    issuer = LinkedIssuer(SIGNERS[index], name="https://issuer.demo.gatehouse.example")
    trust = folders.of([issuer])
    samples = generated(issuer, DOCUMENTS // len(SIGNERS), Generator(SEED + index))
    secured = [issuer.secured(document) for document, _ in samples]
    answers = verdicts([(trust, [json.dumps(document) for document in secured])], int(time.time()))
    accepted = []
    for document, (_, against), answer in zip(secured, samples, answers):
        if against:
            assert answer["reasons"][:1] and answer["reasons"][0] in against, (answer, against, document)
        else:
            assert not answer["reasons"], (answer["reasons"], document)
            assert comparable(issuer, answer["claims"]) == comparable(issuer, claims(issuer, document)), document
            accepted.append((document, answer))
    assert len(accepted) > 0.4 * len(samples)
    assert len({answer["reasons"][0] for answer in answers if answer["reasons"]}) >= 5
    # Whatever a sender changes, nothing else is believed: rejected, or accepted with what was signed.
    changes = [(mutant, answer) for document, answer in accepted[:8] for mutant, path in mutants(document) if path[:1] != ("proof",)]
    found = verdicts([(trust, [json.dumps(mutant) for mutant, _ in changes])], int(time.time()))
    for (mutant, before), after in zip(changes, found):
        if not after["reasons"]:
            assert ordered(after["claims"]) == ordered(before["claims"]), mutant
    assert len(changes) > 100 and sum(bool(answer["reasons"]) for answer in found) > len(changes) * 0.8
