"""Demo issuers of JSON-LD credentials: every proof suite, the trust folder that goes with them, and credentials that must not pass.

Statements and canonical forms are those of oracle.py; nothing here is shared with the gate. Nothing here is a real identity.
"""
import base64
import datetime
import hashlib
import json
import random
import time
from dataclasses import dataclass
from pathlib import Path

import linked_contexts as c
from issuer import DAY, Issuer, b64, compact, unb64
from oracle import Oracle, canonical_json

BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
NAME = "did:web:issuer.demo.gatehouse.example"
# Where the claims with a meaning for the gate are.
ROLES = {"portrait": "face", "fullName": "fullName", "givenName": "givenName", "familyName": "familyName", "birthDate": "dateOfBirth"}


@dataclass(frozen=True)
class Suite:
    """One way of signing. `name` is the word of the trust folder: the cryptosuite where there is one, else the type."""
    name: str
    algorithm: str
    notation: str = "jws"
    is_canonical_json: bool = False

    @property
    def is_data_integrity(self) -> bool:
        return self.name.endswith(("-2019", "-2022"))

    @property
    def type(self) -> str:
        return "DataIntegrityProof" if self.is_data_integrity else self.name

    @property
    def digest(self) -> str:
        return "sha384" if self.algorithm == "ES384" and self.is_data_integrity else "sha256"


SUITES = {f"{suite.name} {suite.algorithm}": suite for suite in (
    Suite("RsaSignature2018", "PS256"), Suite("RsaSignature2018", "RS256"), Suite("Ed25519Signature2018", "EdDSA"),
    Suite("Ed25519Signature2020", "EdDSA", "multibase"), Suite("EcdsaSecp256k1Signature2019", "ES256K"),
    Suite("EcdsaSecp256r1Signature2019", "ES256", "multibase"),
    *(Suite("JsonWebSignature2020", algorithm) for algorithm in ("EdDSA", "ES256", "ES384", "ES256K", "PS256")),
    Suite("eddsa-rdfc-2022", "EdDSA", "multibase"), Suite("ecdsa-rdfc-2019", "ES256", "multibase"), Suite("ecdsa-rdfc-2019", "ES384", "multibase"),
    Suite("eddsa-jcs-2022", "EdDSA", "multibase", True), Suite("ecdsa-jcs-2019", "ES256", "multibase", True),
    Suite("ecdsa-jcs-2019", "ES384", "multibase", True),
)}
# Which context gives the options of a proof their meaning: MOSIP's libraries take one of their own, others the document's.
OPTIONS = ("v3", "document")
KINDS = [(name, options) for name, suite in SUITES.items() for options in (("document",) if suite.is_data_integrity else OPTIONS)]


def base58(octets: bytes) -> str:
    number, text = int.from_bytes(octets, "big"), ""
    while number:
        number, digit = divmod(number, 58)
        text = BASE58[digit] + text
    return "1" * (len(octets) - len(octets.lstrip(b"\0"))) + text


def from_base58(text: str) -> bytes:
    number = 0
    for digit in text:
        number = number * 58 + BASE58.index(digit)
    return b"\0" * (len(text) - len(text.lstrip("1"))) + number.to_bytes((number.bit_length() + 7) // 8, "big")


def instant(days: float = 0) -> str:
    moment = datetime.datetime.fromtimestamp(int(time.time() + days * DAY), datetime.timezone.utc)
    return moment.isoformat().replace("+00:00", "Z")


def photo(portrait: int | bytes) -> str:
    """The octets given, or that many which only begin like a JPEG."""
    octets = portrait if isinstance(portrait, bytes) else b"\xff\xd8\xff\xe0" + random.randbytes(portrait)
    return "data:image/jpeg;base64," + base64.b64encode(octets).decode()


def without(members: dict, *names: str) -> dict:
    return {name: value for name, value in members.items() if name not in names}


class LinkedIssuer(Issuer):
    """An issuer with one key, one suite and one way to put proof options into statements."""

    def __init__(self, suite: str = "RsaSignature2018 PS256", options: str = "v3", name: str = NAME, key=None) -> None:
        self.suite = SUITES[suite]
        self.context_of_options = "document" if self.suite.is_data_integrity else options
        self.oracle = Oracle(c.PINNED)
        super().__init__(self.suite.algorithm, name, key)

    @property
    def method(self) -> str:
        return f"{self.name}#{self.kid}"

    # MARK: Documents

    def document(self, portrait: int | bytes = 2000, issued: float = -1, expires: float = 30, **changes) -> dict:
        """What the issuer signs. Times are in days from now; a member of the subject changed to None is left out."""
        is_second = self.suite.is_data_integrity
        begins, ends = ("validFrom", "validUntil") if is_second else ("issuanceDate", "expirationDate")
        subject = {
            "id": "did:example:visitor", "type": "Person", "face": photo(portrait), "fullName": [{"language": "en", "value": "Asha Rao"}],
            "givenName": "Asha", "familyName": "Rao", "dateOfBirth": "1990-05-17", "UIN": 123456, "LegalReserveArea": 400.3, "isResident": True,
            "address": {"street": "1 Example Way", "city": "Pune", "position": [18.5, 73.9]}, **changes,
        }
        return {
            "@context": [c.V2 if is_second else c.V1, c.VISITOR, {"sec": c.SECURITY}], "id": f"urn:uuid:{random.randbytes(16).hex()}",
            "type": ["VerifiableCredential", "VisitorCredential"], "issuer": self.name, begins: instant(issued), ends: instant(expires),
            "credentialSubject": {name: value for name, value in subject.items() if value is not None},
        }

    def credential(self, portrait: int | bytes = 2000, issued: float = -1, expires: float = 30, **changes) -> dict:
        return self.secured(self.document(portrait, issued, expires, **changes))

    # MARK: Proofs

    def options(self, document: dict, **changes) -> dict:
        """All of a proof but its signature. A member changed to None is left out."""
        options = {"type": self.suite.type, "created": instant(-0.5), "verificationMethod": self.method, "proofPurpose": "assertionMethod"}
        if self.suite.is_data_integrity:
            options["cryptosuite"] = self.suite.name
        if self.suite.is_canonical_json:
            options["@context"] = document["@context"]
        return {name: value for name, value in {**options, **changes}.items() if value is not None}

    def options_document(self, document: dict, options: dict) -> dict:
        """The options as a document of their own."""
        context = c.PROOF_OPTIONS["@context"] if self.context_of_options == "v3" else document["@context"]
        return {"@context": context, **without(options, "@context", "jws", "proofValue")}

    def hash_data(self, document: dict, options: dict) -> bytes:
        """The hash of the options, then that of the document."""
        if self.suite.is_canonical_json:
            # EdDSA Cryptosuites section 3.3.2 step 4; there is no other order in the document of a signer.
            own = options.get("@context")
            if own is not None:
                if not own or document["@context"][:len(own)] != own:
                    raise ValueError("the document's context does not begin with the proof's")
                document = {**document, "@context": own}
            texts = canonical_json(without(options, "jws", "proofValue")), canonical_json(document)
        else:
            texts = [self.oracle.canonical(part, self.suite.digest) for part in (self.options_document(document, options), document)]
        return b"".join(hashlib.new(self.suite.digest, text.encode()).digest() for text in texts)

    def header(self, **changes) -> str:
        header = {"b64": False, "crit": ["b64"], "alg": self.algorithm, "kid": self.kid, **changes}
        return b64(compact({name: value for name, value in header.items() if value is not None}).encode())

    def signature(self, data: bytes, header: str | None = None) -> dict:
        """The member of a proof that carries the signature."""
        if self.suite.notation == "multibase":
            return {"proofValue": "z" + base58(self.sign(data))}
        header = header or self.header()
        return {"jws": header + ".." + b64(self.sign(header.encode() + b"." + data))}

    def secured(self, document: dict, header: str | None = None, **changes) -> dict:
        """The document with a proof; `changes` are to its options, before signing."""
        options = self.options(document, **changes)
        return {**document, "proof": {**options, **self.signature(self.hash_data(document, options), header)}}

    def is_secured(self, secured: dict) -> bool:
        """Whether the proof's signature is over this document and these options, by this key."""
        document, proof = without(secured, "proof"), secured["proof"]
        try:
            data = self.hash_data(document, without(proof, "jws", "proofValue"))
            if self.suite.notation == "multibase":
                return self.verifies(data, from_base58(proof["proofValue"].removeprefix("z")))
            header, middle, signature = proof["jws"].split(".")
            return not middle and self.verifies(header.encode() + b"." + data, unb64(signature))
        except Exception:
            return False

    def trust(self, **changes) -> dict:
        """What a trust file says of this issuer. A member changed to None is left out. The only place that knows the format."""
        # Where JSON is signed, names are: elsewhere they are the sender's, and IRIs count.
        vocabulary = "" if self.suite.is_canonical_json else c.VOCABULARY
        entry = {
            "gatehouse-trust": 1, "ids": [self.name], "name": "Demo issuer", "keys": [{"kid": self.method, "jwk": self.jwk()}],
            "forms": ["ldp_vc"], "suites": [self.suite.name], "algorithms": [self.algorithm], "types": [vocabulary + "VisitorCredential"],
            "claims": {role: [vocabulary + term] for role, term in ROLES.items()},
            **changes,
        }
        return {name: value for name, value in entry.items() if value is not None}


def write_trust(folder, *issuers: LinkedIssuer, contexts: dict = c.PINNED) -> Path:
    """A trust folder: one file per issuer, and the contexts they write under, pinned by digest."""
    folder = Path(folder)
    (folder / "contexts").mkdir(parents=True, exist_ok=True)
    for index, issuer in enumerate(issuers):
        (folder / f"linked-{index}.json").write_text(json.dumps(issuer.trust(name=f"Demo issuer {index}"), indent=2) + "\n")
    listed = []
    for index, (url, context) in enumerate(contexts.items()):
        octets, file = (json.dumps(context, indent=1) + "\n").encode(), f"contexts/{index}.jsonld"
        (folder / file).write_bytes(octets)
        listed.append({"url": url, "file": file, "sha256": hashlib.sha256(octets).hexdigest()})
    (folder / "contexts.json").write_text(json.dumps({"gatehouse-contexts": 1, "contexts": listed}, indent=2) + "\n")
    return folder
