"""Credentials with more than one proof, sets and chains of them, and the verdict they deserve."""
from linked_issuer import LinkedIssuer, instant, without
from linked_refusals import Case, changed, flipped


def with_proofs(document: dict, *proofs: dict) -> dict:
    return {**document, "proof": list(proofs)}


def proof_sets(issuer: LinkedIssuer) -> list[Case]:
    """Proofs beside each other (Data Integrity 1.0 section 2.1.1): each by a known key must be good, and others count for nothing."""
    document = issuer.document(30)
    member = "jws" if issuer.suite.notation == "jws" else "proofValue"
    one, two = (issuer.secured(document, created=instant(-days))["proof"] for days in (0.5, 0.25))
    stranger = LinkedIssuer(f"{issuer.suite.name} {issuer.algorithm}", issuer.context_of_options)
    strange = stranger.secured(document)["proof"]
    bad = changed(one, member, to=flipped)
    authentication = issuer.secured(document, proofPurpose="authentication")["proof"]
    expired = issuer.secured(document, expires=instant(-0.1))["proof"]
    unknown = {**one, "type": "DataIntegrityProof", "cryptosuite": "unknown-2030"}
    ignored = ["proofs-ignored"]

    def case(name: str, *proofs: dict, reason: str = "", notes: list[str] = []) -> Case:
        return Case(name, with_proofs(document, *proofs), [issuer], reason, notes=notes)

    return [
        case("a set of one", one), case("two good proofs", one, two), case("the same proof twice", one, one),
        case("a stranger's behind a good one", one, strange, notes=ignored), case("a stranger's before a good one", strange, one, notes=ignored),
        case("a broken one of a stranger's", one, changed(strange, member, to=flipped), notes=ignored),
        case("a good one and one of a kind nobody knows", one, unknown, notes=ignored),
        case("a bad one behind a good one", one, bad, reason="signature-invalid"),
        case("a bad one before a good one", bad, one, reason="signature-invalid"),
        case("for another purpose beside a good one", one, authentication, reason="proof-purpose-refused"),
        case("an expired one beside a good one", one, expired, reason="proof-expired"),
        case("a stranger's alone", strange, reason="key-unknown"), case("of a kind nobody knows, alone", unknown, reason="proof-type-refused"),
        case("another document's", issuer.secured(issuer.document(30))["proof"], reason="signature-invalid"),
        case("nine", *[one] * 9, reason="too-complex"), case("none", reason="proof-missing"),
    ]


def chained(issuer: LinkedIssuer, document: dict, *before: dict, **options) -> dict:
    """A proof that is made after others, over the document and them (Data Integrity 1.0 section 2.1.2)."""
    return issuer.secured(with_proofs(document, *before), previousProof=[proof["id"] for proof in before], **options)["proof"]


def chains(issuer: LinkedIssuer) -> list[Case]:
    """Proofs one after the other."""
    document = issuer.document(30)
    first, other = "urn:uuid:0f4e2b52-0001-4000-8000-000000000001", "urn:uuid:0f4e2b52-0002-4000-8000-000000000002"
    one = issuer.secured(document, id=first)["proof"]
    again = issuer.secured(document, id=first, created=instant(-0.25))["proof"]
    beside = issuer.secured(document, id=other)["proof"]
    two = chained(issuer, document, one, id="urn:demo:second")
    stranger = LinkedIssuer(f"{issuer.suite.name} {issuer.algorithm}")
    strange = stranger.secured(document, id=first)["proof"]

    def case(name: str, *proofs: dict, reason: str = "", notes: list[str] = []) -> Case:
        return Case(name, with_proofs(document, *proofs), [issuer], reason, notes=notes)

    return [
        case("a chain of two", one, two), case("a chain, the last one first", two, one),
        case("a chain of three", one, two, chained(issuer, document, two)),
        case("after two at once", one, beside, chained(issuer, document, one, beside)),
        case("a stranger's after a good one", one, chained(stranger, document, one), notes=["proofs-ignored"]),
        case("the first is not there", two, reason="proof-malformed"),
        case("the first is another one by the issuer", again, two, reason="signature-invalid"),
        case("the first is broken", changed(one, "proofValue", to=flipped), two, reason="signature-invalid"),
        case("the second is broken", one, changed(two, "proofValue", to=flipped), reason="signature-invalid"),
        case("the second says it was not after any", one, without(two, "previousProof"), reason="signature-invalid"),
        case("a plain proof says it was after one", one, {**beside, "previousProof": first}, reason="signature-invalid"),
        case("after a stranger's", strange, chained(issuer, document, strange), reason="proof-malformed"),
        case("two of one name", one, again, two, reason="proof-malformed"),
        case("after itself", {**one, "previousProof": first}, reason="proof-malformed"),
        case("after each other", {**one, "previousProof": other}, {**beside, "previousProof": first}, reason="proof-malformed"),
    ]
