"""Forms that signers in the field give a credential beside the plain one, each with a neighbour that nobody signed."""
from linked_issuer import LinkedIssuer, instant
from linked_refusals import Case, changed

APPENDED = "https://elsewhere.demo.gatehouse.example/appended"
SUITE_CONTEXT = "https://w3id.org/security/suites/jws-2020/v1"


def forms(issuer: LinkedIssuer) -> list[Case]:
    suite = issuer.suite
    cases = texts(issuer)
    if suite.is_canonical_json:
        cases += json_contexts(issuer)
    else:
        cases += language_tags(issuer)
    if not suite.is_data_integrity:
        cases += zones(issuer)
    if suite.name == "JsonWebSignature2020":
        cases += own_context(issuer)
    return cases


def json_contexts(issuer: LinkedIssuer) -> list[Case]:
    """EdDSA and ECDSA Cryptosuites section 3.3.2: the proof's context, where it has one, is what the document's has to begin with."""
    bare, good = issuer.secured(issuer.document(30), **{"@context": None}), issuer.credential(30)
    first, *others = good["@context"]
    member = "proof-malformed"
    return [
        Case("no context in the proof", bare, [issuer]),
        Case("no context in the proof, one appended", changed(bare, "@context", to=[*bare["@context"], APPENDED]), [issuer], "signature-invalid"),
        Case("no context in the proof, one put into it", changed(bare, "proof", "@context", to=bare["@context"]), [issuer], "signature-invalid"),
        Case("a context appended", changed(good, "@context", to=[first, *others, APPENDED]), [issuer]),
        Case("a context of the sender's appended", changed(good, "@context", to=[first, *others, {"givenName": "demo:familyName"}]), [issuer]),
        Case("a context appended and a claim changed", changed(changed(good, "@context", to=[first, *others, APPENDED]),
                                                               "credentialSubject", "givenName"), [issuer], "signature-invalid"),
        Case("a context between", changed(good, "@context", to=[first, APPENDED, *others]), [issuer], member),
        Case("a context less", changed(good, "@context", to=[first, *others[:-1]]), [issuer], member),
        Case("the proof's context shortened", changed(good, "proof", "@context", to=[first]), [issuer], "signature-invalid"),
        Case("the proof's context empty", changed(good, "proof", "@context", to=[]), [issuer], member),
    ]


def language_tags(issuer: LinkedIssuer) -> list[Case]:
    """PyLD signs tags in lower case, whatever the document has."""
    document = issuer.document(30, names={"en-US": "Asha", "pt-BR": "Asha", "hi": "Asha"}, fullName=[{"language": "en-GB", "value": "Asha Rao"}])
    good = issuer.secured(document)
    names = good["credentialSubject"]["names"]
    return [
        Case("language tags with capitals", good, [issuer]),
        Case("the same in lower case", changed(good, "credentialSubject", "names", to={tag.lower(): name for tag, name in names.items()}), [issuer]),
        Case("another language", changed(good, "credentialSubject", "names", to={**{tag: name for tag, name in names.items() if tag != "en-US"}, "en-GB": "Asha"}), [issuer],
             "signature-invalid"),
        Case("another name in a language", changed(good, "credentialSubject", "names", to={**names, "en-US": "Usha"}), [issuer], "signature-invalid"),
    ]


def zones(issuer: LinkedIssuer) -> list[Case]:
    """The suites before Data Integrity: `created` is an xsd:dateTime, whose zone may be left away."""
    good = issuer.secured(issuer.document(30), created=instant(-0.5).removesuffix("Z"))
    return [
        Case("created without a zone", good, [issuer]),
        Case("created, a zone added", changed(good, "proof", "created", to=lambda text: text + "Z"), [issuer], "signature-invalid"),
        Case("created without seconds", issuer.secured(issuer.document(30), created="2026-01-01T00:00"), [issuer], "proof-malformed"),
    ]


def own_context(issuer: LinkedIssuer) -> list[Case]:
    good = issuer.secured(issuer.document(30), **{"@context": SUITE_CONTEXT})
    return [
        Case("the suite's context in the proof", good, [issuer]),
        Case("any context in the proof", changed(good, "proof", "@context", to={"created": None}), [issuer]),
        Case("a context in the proof, and another time", changed(good, "proof", "created", to=instant(-0.25)), [issuer], "signature-invalid"),
    ]


def texts(issuer: LinkedIssuer) -> list[Case]:
    """Data model 2.0 section 11.1: language value objects. And hosts that Java cannot read."""
    cases = []
    for host in ("issuer_1.example", "\u0434\u043e\u043a\u0443\u043c\u0435\u043d\u0442.example"):
        document = {**issuer.document(30), "id": f"https://{host}/credentials/1"}
        cases.append(Case(f"host {host}", issuer.secured(document), [issuer]))
    cases.append(Case("a host that begins with a hyphen", issuer.secured({**issuer.document(30), "id": "https://-issuer.example/"}), [issuer], "credential-rule"))
    if not issuer.suite.is_data_integrity:
        return cases
    name = {"@value": "\u0645\u062b\u0627\u0644", "@language": "ar", "@direction": "rtl"}
    for text in (name, [name, {"@value": "Example", "@language": "en"}], {"@value": "Example"}):
        document = {**issuer.document(30), "name": text, "description": text}
        cases.append(Case(f"name {text}", issuer.secured(document), [issuer]))
    for text in ({"@value": 1}, {"@language": "en"}, [{"@value": "Example", "@type": "urn:demo:text"}]):
        document = {**issuer.document(30), "name": text}
        cases.append(Case(f"name {text}", issuer.secured(document), [issuer], "credential-rule"))
    return cases
