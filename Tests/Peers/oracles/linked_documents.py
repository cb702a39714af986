"""Generated JSON-LD: credentials, options of proofs, and graphs of look-alikes, every feature at random. The same seed gives the same documents."""
import base64
import random
import struct

import linked_contexts as c

WORDS = (
    "Asha", "Rao", "Gate 7", "", " ", "José", "Jose\u0301", "नमस्ते", "\u05e9\u05dc\u05d5\u05dd", "日本",
    "\U0001f469\u200d\U0001f467", "\U0001f1ee\U0001f1f3", "\u212b", "A\u030a", "\ufb01",
    "a\u0323\u0307", "a\u0307\u0323", 'say "no"', "back\\slash", "tab\there", "line\nbreak", "return\r",
    "\b\f\x00\x01\x1f\x7f", "\x80\x85\x9f", "\u2028\u2029", "\ufeff", "\ufffe\uffff", "\U00010000\U0010ffff", "ends with a slash/\u0338",
    "</script>", "%41", "_:b0", "@id", "@type", "urn:x", "null", "1.0", "\\u0041",
)
NUMBERS = (
    0, -0.0, 1, -1, 7, 1.0, -1.0, 400.3, 123456, 0.1, 0.1 + 0.2, 1 / 3, 1e20, 1e21, 10**20, 10**21, -(10**21), 123456789012345678901,
    2**53, 2**53 + 1, -(2**53) - 1, 5e-324, 2.2250738585072014e-308, 1.7976931348623157e308, 1e-7, 1e-6, 123e-20, 1e15, 1e16,
    9007199254740993.0, 999999999999999.9, 4.35, 1e23,
)
LANGUAGES = ("en", "fr", "hi", "ar", "zh-hant", "x-demo")


class Generator:
    """Documents from one seed."""

    def __init__(self, seed) -> None:
        self.random = random.Random(seed)

    def chance(self, share: float) -> bool:
        return self.random.random() < share

    # MARK: Values

    def text(self) -> str:
        words = self.random.choices(WORDS, k=self.random.choice((1, 1, 1, 2, 3)))
        return "".join(words)

    def number(self):
        match self.random.randrange(4):
            case 0:
                return self.random.randrange(-(10**6), 10**6)
            case 1:
                value = struct.unpack("<d", self.random.randbytes(8))[0]
                return value if value - value == 0 else 1.5
            case _:
                return self.random.choice(NUMBERS)

    def scalar(self):
        return self.random.choice((self.text, self.text, self.number, lambda: self.chance(0.5)))()

    def iri(self) -> str:
        site = "https://demo.gatehouse.example"
        return self.random.choice(("urn:demo:{}", site + "/things/{}", "did:example:{}#key", site + "/é/{}?a=b&c")).format(self.random.randrange(8))

    def json(self, depth: int = 3):
        match self.random.randrange(6 if depth else 4):
            case 0:
                return None
            case 4:
                return [self.json(depth - 1) for _ in range(self.random.randrange(4))]
            case 5:
                return {self.text(): self.json(depth - 1) for _ in range(self.random.randrange(5))}
            case _:
                return self.scalar()

    def some(self, make, most: int = 3):
        """One, or an array of some."""
        return make() if self.chance(0.6) else [make() for _ in range(self.random.randrange(most + 1))]

    def tagged(self) -> dict:
        return {"language": self.random.choice(LANGUAGES), "value": self.text()}

    def literal(self) -> dict:
        return self.random.choice((
            lambda: {"@value": self.scalar()}, lambda: {"@value": self.text(), "@language": self.random.choice(LANGUAGES)},
            lambda: {"@value": self.text(), "@type": c.XSD + "date"}, lambda: {"@value": self.number(), "@type": c.XSD + "double"},
            lambda: {"@value": self.number(), "@type": "xsd:decimal"}, lambda: {"@value": self.json(), "@type": "@json"},
            lambda: {"@value": None}, lambda: {"@language": "en"}, lambda: {"@value": self.chance(0.5), "@type": "urn:demo:flag"}))()

    def photo(self, octets: int) -> str:
        return "data:image/jpeg;base64," + base64.b64encode(b"\xff\xd8\xff\xe0" + self.random.randbytes(octets)).decode()

    # MARK: Nodes

    def members(self) -> dict:
        """What may stand in a person, each with a way to make it."""
        return {
            "face": lambda: self.photo(self.random.randrange(60)), "givenName": lambda: self.some(self.scalar), "familyName": self.text,
            "gender": lambda: self.some(self.tagged), "UIN": lambda: self.some(self.number), "email": lambda: None, "phone": self.literal,
            "postalCode": lambda: [], "LegalReserveArea": self.number, "isResident": lambda: self.chance(0.5),
            "note": lambda: self.some(lambda: self.random.choice((self.scalar, self.literal, self.tagged))()),
            "fullName": lambda: self.some(self.tagged), "names": self.language_map, "dateOfBirth": lambda: "1991/01/01",
            "lastSeen": lambda: self.some(lambda: "2026-01-01T00:00:00Z"), "weight": self.number, "height": self.number,
            "motto": lambda: self.some(self.text), "raw": self.json, "stops": lambda: self.some(self.scalar, 4),
            "tags": lambda: {"@set": [self.text()]} if self.chance(0.3) else self.some(self.text), "knows": lambda: self.some(self.reference),
            "role": lambda: self.random.choice(("Guest", "Host", "demo:Other", "unknown role")), "demo:prefixed": self.scalar,
            "https://demo.gatehouse.example/absolute": self.scalar, "@index": self.text, "undefined": self.scalar,
            "@reserved": self.scalar, "_:property": lambda: self.some(self.scalar),
        }

    def reference(self):
        return self.iri() if self.chance(0.7) else {"id": self.iri()} if self.chance(0.5) else "relative"

    def language_map(self) -> dict:
        values = {tag: self.some(self.text) for tag in self.random.sample((*LANGUAGES, "@none"), k=self.random.randrange(4))}
        return {tag: [v for v in value if v is not None] if isinstance(value, list) else value for tag, value in values.items()}

    def nested(self, depth: int) -> dict:
        """Members that hold nodes."""
        def node():
            return self.person(depth - 1)

        return {
            "address": lambda: self.some(lambda: {"street": self.scalar(), "city": self.text(), "position": [self.number(), self.number()]}),
            "relatives": lambda: {self.text(): self.some(node, 2) for _ in range(2)}, "documents": lambda: {self.iri(): node(), "@none": node()},
            "vehicles": lambda: {"Car": node(), "Passport": {"number": self.scalar(), "note": self.text()}},
            "claims": lambda: self.some(self.random.choice((
                node, node, self.scalar, lambda: {"id": self.iri()}, lambda: {"@list": [self.scalar(), node()]})), 2),
            "invitedBy": lambda: self.some(node, 2), "contact": lambda: {"phone": self.text(), "demo:nested": self.scalar()},
            "knows": lambda: self.some(node), "stops": lambda: [self.scalar(), node(), [self.number(), node()]], "note": node,
            "demo:graph": lambda: {**self.random.choice(({}, {"@id": "relative"}, {"@id": "urn:demo:graph"})),
                                   "@graph": [node(), *self.random.choice(((), ("free",)))]},
            "_:property": lambda: {"@list": [node()]},
            "https://demo.gatehouse.example/list": lambda: {"@list": [node(), self.scalar()]},
        }

    def person(self, depth: int = 2) -> dict:
        made = {"id": self.iri()} if self.chance(0.4) else {"id": self.random.choice(("_:a", "_:b", "relative#1"))} if self.chance(0.15) else {}
        if self.chance(0.3):
            made["type"] = self.some(lambda: self.random.choice(("Person", "Guest", "Car", "demo:Any", "Undefined")))
        plain = self.members()
        for name in self.random.sample(sorted(plain), k=self.random.randrange(6)):
            made[name] = plain[name]()
        if depth > 0:
            deep = self.nested(depth)
            for name in self.random.sample(sorted(deep), k=self.random.choice((0, 1, 1, 2))):
                made[name] = deep[name]()
        return self.shuffled(made)

    def shuffled(self, members: dict) -> dict:
        names = list(members)
        self.random.shuffle(names)
        return {name: members[name] for name in names}

    # MARK: Documents

    def inline(self) -> dict:
        """A context of the sender's own."""
        return self.random.choice((
            lambda: {"sec": c.SECURITY}, lambda: {"@vocab": "https://demo.gatehouse.example/any#"}, lambda: {"note": "urn:demo:note"},
            lambda: {"note": None}, lambda: {"@language": "fr"}, lambda: {"@base": "https://demo.gatehouse.example/base/path"},
            lambda: {"undefined": {"@id": "demo:defined", "@container": ["@set", "@index"]}}, lambda: {"@import": c.COMMON, "more": "demo:more"},
            lambda: {"@propagate": False, "undefined": "urn:demo:undefined"}, lambda: {"@direction": "rtl"}, lambda: {"email": {"@id": "@type"}}))()

    def context(self, version: str) -> list:
        return [version, c.VISITOR, *([self.inline()] if self.chance(0.5) else [])]

    def credential(self) -> dict:
        version = self.random.choice((c.V1, c.V2))
        issuer = "https://issuer.demo.gatehouse.example"
        made = {
            "@context": self.context(version), "type": ["VerifiableCredential", *(["VisitorCredential"] if self.chance(0.8) else ["Unknown"])],
            "issuer": issuer if self.chance(0.6) else {"id": issuer, "note": self.text()}, "credentialSubject": self.some(self.person, 2),
        }
        if self.chance(0.7):
            made["id"] = self.iri()
        names = ("issuanceDate", "expirationDate") if version == c.V1 else ("validFrom", "validUntil")
        made.update({name: self.random.choice(("2026-01-01T00:00:00Z", "2026-02-30", "")) for name in names})
        if version == c.V2 and self.chance(0.4):
            made["credentialStatus"] = {"type": "BitstringStatusListEntry", "statusPurpose": "revocation", "statusListIndex": str(self.number()),
                                        "statusListCredential": self.iri(), "statusSize": 1}
        if self.chance(0.3):
            made["evidence"] = self.some(self.person)
        return self.shuffled(made)

    def visitor(self, version: str, issuer: str) -> dict:
        """A credential an issuer might sign for a visitor: what is wrong with some of them a gate has to find."""
        made = self.credential()
        while made["@context"][0] != version:
            made = self.credential()
        begins, ends = ("issuanceDate", "expirationDate") if version == c.V1 else ("validFrom", "validUntil")
        for name, share in (("credentialStatus", 0.9), ("evidence", 0.8)):
            if self.chance(share):
                made.pop(name, None)
        made.update({
            "issuer": issuer if self.chance(0.6) else {"id": issuer, "note": self.text()},
            "type": ["VerifiableCredential", *(("VisitorCredential",) if self.chance(0.95) else ()), *(("Unknown",) if self.chance(0.2) else ())],
            begins: "2026-01-01T00:00:00Z" if self.chance(0.9) else self.random.choice(("2026-02-30", "", "2199-01-01T00:00:00Z")),
            ends: "2199-01-01T00:00:00Z" if self.chance(0.9) else self.random.choice(("2026-02-30", "", "2026-01-02T00:00:00Z")),
            "credentialSubject": self.person(2) if self.chance(0.95) else [self.person(1), self.person(0)]})
        return self.shuffled(made)

    def options(self) -> dict:
        """The options of a proof, as a document."""
        made = {"type": self.random.choice(c.LEGACY), "created": "2026-01-01T00:00:00Z", "verificationMethod": self.iri(),
                "proofPurpose": self.random.choice(("assertionMethod", "authentication", "other"))}
        context = c.PROOF_OPTIONS["@context"] if self.chance(0.5) else self.context(c.V1)
        if self.chance(0.4):
            made.update(type="DataIntegrityProof", cryptosuite="eddsa-rdfc-2022")
            context = self.context(c.V2)
        for name in self.random.sample(("expires", "challenge", "domain", "nonce", "id"), k=self.random.randrange(3)):
            made[name] = self.iri() if name == "id" else self.text()
        return self.shuffled({"@context": context, **made})

    def look_alikes(self) -> dict:
        """Blank nodes that only their neighbours tell apart, in some graphs, named any way."""
        names = [f"_:{self.random.choice('abcxyz')}{index}" for index in range(self.random.randrange(2, 7))]
        nodes = [{"@id": self.random.choice(names), self.random.choice(("urn:p", "urn:q")): {"@id": self.random.choice(names)}}
                 for _ in range(self.random.randrange(1, 9))]
        if self.chance(0.3):
            nodes.append({"@id": self.random.choice(names), "urn:r": self.scalar()})
        if self.chance(0.4):
            nodes.append({"@id": self.random.choice((*names, "urn:graph")), "@graph": nodes[: len(nodes) // 2]})
        if self.chance(0.3):
            nodes.append({"@id": self.random.choice(names), "urn:list": {"@list": [{"@id": name} for name in names[:2]]}})
        self.random.shuffle(nodes)
        return {"@graph": nodes}

    def any(self):
        return self.random.choices((self.credential, self.options, self.look_alikes, lambda: {"@context": self.context(c.V2), **self.person(3)}),
                                   (6, 2, 2, 2))[0]()


def documents(count: int, seed) -> list:
    made = Generator(seed)
    return [made.any() for _ in range(count)]
