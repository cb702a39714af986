"""Contexts for demo credentials, in the place of the published ones: the same IRIs, and only what the demo says. Nothing is ever fetched."""
V1 = "https://www.w3.org/2018/credentials/v1"
V2 = "https://www.w3.org/ns/credentials/v2"
STATUS_2021 = "https://w3id.org/vc/status-list/2021/v1"
VISITOR = "https://issuer.demo.gatehouse.example/contexts/visitor.jsonld"
COMMON = "https://issuer.demo.gatehouse.example/contexts/common.jsonld"
# Not for documents: what MOSIP's libraries put the options of a proof under.
OPTIONS = "https://w3id.org/security/v3"

CREDENTIALS = "https://www.w3.org/2018/credentials#"
SECURITY = "https://w3id.org/security#"
STATUS = "https://www.w3.org/ns/credentials/status#"
LIST_2021 = "https://w3id.org/vc/status-list#"
VOCABULARY = "https://demo.gatehouse.example/vocabulary#"
XSD = "http://www.w3.org/2001/XMLSchema#"
LEGACY = ("RsaSignature2018", "Ed25519Signature2018", "Ed25519Signature2020", "EcdsaSecp256k1Signature2019", "EcdsaSecp256r1Signature2019",
          "JsonWebSignature2020")

ALIASES = {"id": "@id", "type": "@type"}


def link(iri: str) -> dict:
    return {"@id": iri, "@type": "@id"}


def moment(iri: str) -> dict:
    return {"@id": iri, "@type": XSD + "dateTime"}


def typed(iri: str, **terms) -> dict:
    """A type, and the terms that exist where it is."""
    return {"@id": iri, "@context": {"@protected": True, **ALIASES, **terms}}


def proof_terms() -> dict:
    purposes = {"assertionMethod": "assertionMethod", "authentication": "authenticationMethod"}
    return {
        "created": moment("http://purl.org/dc/terms/created"), "expires": moment(SECURITY + "expiration"),
        "challenge": SECURITY + "challenge", "domain": SECURITY + "domain", "nonce": SECURITY + "nonce",
        "verificationMethod": link(SECURITY + "verificationMethod"),
        "proofPurpose": {"@id": SECURITY + "proofPurpose", "@type": "@vocab", "@context": {
            "@protected": True, **ALIASES, **{name: {**link(SECURITY + iri), "@container": "@set"} for name, iri in purposes.items()}}},
    }


def credential_terms() -> dict:
    return {
        "credentialSubject": link(CREDENTIALS + "credentialSubject"), "issuer": link(CREDENTIALS + "issuer"),
        "holder": link(CREDENTIALS + "holder"), "credentialStatus": link(CREDENTIALS + "credentialStatus"),
        "evidence": link(CREDENTIALS + "evidence"), "termsOfUse": link(CREDENTIALS + "termsOfUse"),
        "validFrom": moment(CREDENTIALS + "validFrom"), "validUntil": moment(CREDENTIALS + "validUntil"),
        "proof": {**link(SECURITY + "proof"), "@container": "@graph"},
    }


def signature_types() -> dict:
    return {name: typed(SECURITY + name, **proof_terms()) for name in LEGACY}


CREDENTIALS_V1 = {"@context": {
    "@version": 1.1, "@protected": True, **ALIASES, **signature_types(),
    "VerifiableCredential": typed(
        CREDENTIALS + "VerifiableCredential", **credential_terms(), cred=CREDENTIALS,
        issuanceDate=moment(CREDENTIALS + "issuanceDate"), expirationDate=moment(CREDENTIALS + "expirationDate")),
}}

CREDENTIALS_V2 = {"@context": {
    "@version": 1.1, "@protected": True, **ALIASES, **credential_terms(), "VerifiableCredential": CREDENTIALS + "VerifiableCredential",
    "name": "https://schema.org/name", "description": "https://schema.org/description",
    "DataIntegrityProof": typed(
        SECURITY + "DataIntegrityProof", **proof_terms(),
        cryptosuite={"@id": SECURITY + "cryptosuite", "@type": SECURITY + "cryptosuiteString"},
        # What a proof that is made after this one is made over.
        proofValue={"@id": SECURITY + "proofValue", "@type": SECURITY + "multibase"}, previousProof=link(SECURITY + "previousProof")),
    "BitstringStatusListCredential": STATUS + "BitstringStatusListCredential",
    "BitstringStatusList": typed(
        STATUS + "BitstringStatusList", encodedList={"@id": STATUS + "encodedList", "@type": SECURITY + "multibase"},
        statusPurpose=STATUS + "statusPurpose", ttl=STATUS + "ttl"),
    "BitstringStatusListEntry": typed(
        STATUS + "BitstringStatusListEntry", statusListCredential=link(STATUS + "statusListCredential"),
        statusListIndex=STATUS + "statusListIndex", statusPurpose=STATUS + "statusPurpose",
        statusSize={"@id": STATUS + "statusSize", "@type": XSD + "integer"}),
}}

STATUS_LIST_2021 = {"@context": {
    "@protected": True,
    "StatusList2021Credential": LIST_2021 + "StatusList2021Credential",
    "StatusList2021": typed(LIST_2021 + "StatusList2021", encodedList=LIST_2021 + "encodedList", statusPurpose=LIST_2021 + "statusPurpose"),
    "StatusList2021Entry": typed(
        LIST_2021 + "StatusList2021Entry", statusListCredential=link(LIST_2021 + "statusListCredential"),
        statusListIndex=LIST_2021 + "statusListIndex", statusPurpose=LIST_2021 + "statusPurpose"),
}}

# What the issuer's own context imports: two ways for a context to reach another one.
COMMON_TERMS = {"@context": {"demo": VOCABULARY, "xsd": XSD, "language": "@language", "value": "@value"}}

VISITOR_TERMS = {"@context": [COMMON, {
    "@version": 1.1,
    "VisitorCredential": "demo:VisitorCredential", "Person": "demo:Person",
    **{name: "demo:" + name for name in (
        "face", "givenName", "familyName", "gender", "UIN", "email", "phone", "postalCode", "LegalReserveArea", "isResident", "note")},
    "fullName": {"@id": "demo:fullName"},
    "names": {"@id": "demo:names", "@container": "@language"},
    "dateOfBirth": {"@id": "demo:dateOfBirth", "@type": "xsd:date"},
    "lastSeen": {"@id": "demo:lastSeen", "@type": "xsd:dateTime"},
    "weight": {"@id": "demo:weight", "@type": "xsd:decimal"},
    "height": {"@id": "demo:height", "@type": "xsd:double"},
    "motto": {"@id": "demo:motto", "@language": "en"},
    "raw": {"@id": "demo:raw", "@type": "@json"},
    "stops": {"@id": "demo:stops", "@container": "@list"},
    "tags": {"@id": "demo:tags", "@container": "@set"},
    "knows": {"@id": "demo:knows", "@type": "@id"},
    "role": {"@id": "demo:role", "@type": "@vocab"},
    "relatives": {"@id": "demo:relatives", "@container": "@index"},
    "documents": {"@id": "demo:documents", "@container": "@id"},
    "vehicles": {"@id": "demo:vehicles", "@container": "@type"},
    "claims": {"@id": "demo:claims", "@container": "@graph"},
    "invitedBy": {"@reverse": "demo:invites"},
    "contact": "@nest",
    "address": {"@id": "demo:address", "@context": {
        "street": "demo:street", "city": {"@id": "demo:city", "@language": "en"}, "position": {"@id": "demo:position", "@container": "@list"}}},
    "Guest": "demo:Guest", "Host": "demo:Host", "Car": "demo:Car", "Passport": typed("demo:Passport", number="demo:number"),
}]}

PROOF_OPTIONS = {"@context": {"@version": 1.1, "@protected": True, **ALIASES, **signature_types()}}

PINNED = {V1: CREDENTIALS_V1, V2: CREDENTIALS_V2, STATUS_2021: STATUS_LIST_2021, COMMON: COMMON_TERMS, VISITOR: VISITOR_TERMS}
