"""What other verifiers say about documents that are made here, beside what the gate says: pymdoccbor, isomdoc, and the signatures and
certificates alone by `cryptography`. Every disagreement is a row of docs/specifications/mdoc-oracles.md, with who is right."""
import base64
import dataclasses
import datetime
import json
import logging
import os
import random
import shutil
import subprocess
from pathlib import Path
from typing import Callable

import cbor2
import pytest
from cryptography import x509
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, utils

from isomdoc.create.create_mdoc import create_mdoc
from isomdoc.verify.verify_mdoc import verify_device_response
from mdoc_documents import CURVES, DAY, MDL, NOW, SPACE, Document, Item, Party, Session, array, name, person, response, wrapped
from pymdoccbor.mdoc.issuer import MdocCborIssuer
from pymdoccbor.mdoc.verifier import MdocCbor

ROOT = Path(__file__).resolve().parents[3]
PROGRAM = os.environ.get("GATEHOUSE_MDOC_CHECK", str(ROOT / ".build" / "release" / "mdoc-check"))
TABLE = ROOT / "docs" / "specifications" / "mdoc-oracles.md"
INVALID, SIGNER, DEVICE = "MobileCredentialInvalid", "InvalidSignerCertificate", "DeviceKeyInvalid"
EXPIRED, EARLY = "MobileCredentialExpired", "MobileCredentialNotYetValid"
UNREADABLE = "unreadable"
# Two generated documents of each kind, and as many octets changed.
GENERATED = int(os.environ.get("GATEHOUSE_MDOC_GENERATED", "24"))


class World:
    """Whom the gate trusts, and who is somebody else."""

    def __init__(self):
        self.root = Party(name("Test IACA"))
        self.look_alike = Party(name("Test IACA"))
        self.signer = Party(name("Test DS"), self.root)
        self.device = ec.generate_private_key(ec.SECP256R1())
        self.session = Session()

    def document(self, **changes) -> Document:
        return Document(**{"signer": self.signer, "device": self.device, **changes})


def der(octets: bytes) -> bytes:
    half = len(octets) // 2
    return utils.encode_dss_signature(int.from_bytes(octets[:half], "big"), int.from_bytes(octets[half:], "big"))


# MARK: documents of other issuers' programs

def by_isomdoc(world: World) -> Document:
    made = create_mdoc(MDL, [world.signer.certificate], world.signer.key)
    for item in person():
        made.add_data_item(item.space, item.identifier, item.value)
    issued = made.generate_credential(world.device.public_key(), NOW - DAY, NOW - DAY, NOW + 30 * DAY)
    return world.document(issued=issued)


def by_pymdoccbor(world: World, device: ec.EllipticCurvePrivateKey) -> Document:
    pem = device.public_key().public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
    numbers = world.signer.key.private_numbers()
    key = {"KTY": "EC2", "CURVE": "P_256", "ALG": "ES256", "KID": b"signer", "D": numbers.private_value.to_bytes(32, "big"),
           "X": numbers.public_numbers.x.to_bytes(32, "big"), "Y": numbers.public_numbers.y.to_bytes(32, "big")}
    made = MdocCborIssuer(private_key=key, alg="ES256").new(
        data={SPACE: {"family_name": "Doe", "age_over_18": True, "birth_date": "1990-02-03"}}, doctype=MDL,
        validity={"issuance_date": f"{NOW - DAY:%Y-%m-%d}", "expiry_date": f"{NOW + 30 * DAY:%Y-%m-%d}"},
        devicekeyinfo=base64.urlsafe_b64encode(pem).decode(), x509_chain=[world.signer.der])
    return world.document(device=device, issued=cbor2.dumps(made["documents"][0]["issuerSigned"]))


def full_key(wanted: bool) -> ec.EllipticCurvePrivateKey:
    """A key with no coordinate that begins with zero, or with one: every 128th has."""
    while True:
        key = ec.generate_private_key(ec.SECP256R1())
        numbers = key.public_key().public_numbers()
        if (min(numbers.x, numbers.y) >> 248 > 0) == wanted:
            return key


# MARK: the verifiers

def pymdoccbor_accepts(world: World, octets: bytes) -> bool:
    try:
        reader = MdocCbor()
        reader.loads(octets)
        return reader.verify([world.root.certificate])
    except Exception:  # It has no errors of its own: whatever it throws is a refusal.
        return False


def isomdoc_accepts(world: World, octets: bytes) -> bool:
    try:
        verify_device_response(octets, world.session.decoded)
        return True
    except Exception:
        return False


def cryptography_accepts(world: World, octets: bytes, lists=()) -> bool:
    """The signer under the root, not revoked, and both signatures; nothing of what the document says."""
    try:
        document = cbor2.loads(octets)["documents"][0]
        auth = document["issuerSigned"]["issuerAuth"]
        protected, unprotected, payload, made = auth.value if isinstance(auth, cbor2.CBORTag) else auth
        first = unprotected[33] if isinstance(unprotected[33], bytes) else unprotected[33][0]
        signer, root = x509.load_der_x509_certificate(first), world.root.certificate
        signer.verify_directly_issued_by(root)
        if not signer.not_valid_before_utc <= NOW <= signer.not_valid_after_utc:
            return False
        for each in lists:
            listed = each.get_revoked_certificate_by_serial_number(signer.serial_number)
            if each.is_signature_valid(root.public_key()) and listed is not None:
                return False
        verify(signer.public_key(), protected, payload, made)
        return device_accepts(world, document, payload)
    except (InvalidSignature, ValueError, KeyError, TypeError, IndexError):
        return False


def verify(key, protected: bytes, payload: bytes, made: bytes):
    _, width, algorithm, digest = CURVES[key.curve.name]
    if cbor2.loads(protected)[1] != algorithm or len(made) != 2 * width:
        raise InvalidSignature
    key.verify(der(made), cbor2.dumps(["Signature1", protected, b"", payload]), ec.ECDSA(digest()))


def device_accepts(world: World, document, payload: bytes) -> bool:
    proof = document["deviceSigned"]["deviceAuth"]
    if "deviceSignature" not in proof:
        # A MAC needs no certificate and no signature.
        return "deviceMac" in proof
    stated = cbor2.loads(cbor2.loads(payload).value)["deviceKeyInfo"]["deviceKey"]
    group = {1: ec.SECP256R1, 2: ec.SECP384R1, 3: ec.SECP521R1}[stated[-1]]()
    numbers = ec.EllipticCurvePublicNumbers(int.from_bytes(stated[-2], "big"), int.from_bytes(stated[-3], "big"), group)
    spaces = document["deviceSigned"]["nameSpaces"]
    octets = array([cbor2.dumps("DeviceAuthentication"), world.session.transcript, cbor2.dumps(document["docType"]), cbor2.dumps(spaces)])
    protected, _, _, made = proof["deviceSignature"]
    verify(numbers.public_key(), protected, wrapped(octets), made)
    return True


# MARK: rows

@dataclasses.dataclass
class Row:
    title: str
    make: Callable[[World], Document]
    # Nil: accepted. Else the type, or `UNREADABLE`.
    gate: str | None
    pymdoccbor: bool
    isomdoc: bool
    # Nil: the fault is not one of certificates and signatures.
    cryptography: bool | None = None
    right: str = "Gatehouse"
    why: str = ""
    whole: Callable[[bytes], bytes] = lambda octets: octets
    lists: Callable[[World], list] = lambda world: []
    options: dict = dataclasses.field(default_factory=dict)

    @property
    def disagrees(self) -> bool:
        verdict = self.gate is None
        return any(other is not None and other != verdict for other in (self.pymdoccbor, self.isomdoc, self.cryptography))

    @property
    def line(self) -> str:
        words = {True: "yes", False: "no", None: "-"}
        gate = "yes" if self.gate is None else self.gate
        said = " | ".join([gate, *(words[each] for each in (self.pymdoccbor, self.isomdoc, self.cryptography))])
        return f"| {self.title} | {said} | {self.right}: {self.why} |"


def changed(**changes) -> Callable[[World], Document]:
    return lambda world: world.document(**changes)


def signed_by(subject=name("Test DS"), **how) -> Callable[[World], Document]:
    return lambda world: world.document(signer=Party(subject, world.root, **how))


def device_on_p384(world: World) -> Document:
    return world.document(device=ec.generate_private_key(ec.SECP384R1()))


def other_value() -> dict:
    items = person()
    return {"signed_items": items, "items": [dataclasses.replace(items[0], value="Roe"), *items[1:]]}


def not_signed() -> dict:
    items = person()
    return {"signed_items": items, "items": items + [Item(0, "name", "Roe", "org.example")]}


def long_head(octets: bytes) -> bytes:
    return b"\xd9\x00\x18" + cbor2.dumps(octets)


def in_chunks(octets: bytes) -> bytes:
    return b"\xd8\x18\x5f" + cbor2.dumps(octets[:5]) + cbor2.dumps(octets[5:]) + b"\xff"


NO_TIME, NO_DEVICE = "dates of documents are not looked at by the others", "pymdoccbor does not look at what the device signed"
ONLY_256, AS_THEY_CAME = "isomdoc knows ES256 only", "a digest is of the octets as they came, not of an encoding made again"
NO_RULES, NO_TRUST = "the others have no rules for a signer's certificate", "isomdoc trusts every signer"
SHORT = "coordinates have the width of their curve (RFC 9053 section 7.1.1); pymdoccbor leaves zeros away"
TWICE = {"items": person() + [Item(9, "family_name", "Roe")]}
DEVICE_NAME = {"device_items": {"org.example": {"name": "x"}}}

ROWS = [
    Row("a good one", changed(), None, True, True, True),
    Row("issued by isomdoc", by_isomdoc, None, True, True, True),
    Row("issued by pymdoccbor", lambda world: by_pymdoccbor(world, full_key(True)), None, True, True, True),
    Row("issued by pymdoccbor, a coordinate of the device's key begins with zero", lambda world: by_pymdoccbor(world, full_key(False)),
        DEVICE, True, True, True, why=SHORT),
    Row("a MAC", changed(proof="mac"), None, True, False, True, why="isomdoc knows no MAC"),
    Row("digests by SHA-384", changed(digest="SHA-384"), None, False, True, True, why="pymdoccbor takes SHA-256 for every digest"),
    Row("digests by SHA-512", changed(digest="SHA-512"), None, False, True, True, why="pymdoccbor takes SHA-256 for every digest"),
    Row("a signer on P-384", signed_by(curve=ec.SECP384R1), None, False, False, True, why="neither knows the curve for signers"),
    Row("a device on P-384", device_on_p384, None, True, False, True, why=ONLY_256),
    Row("tag 18 on issuerAuth", changed(tagged=True), None, True, False, True, "both", "the standard has no tag; it changes nothing"),
    Row("signer and root in x5chain", lambda world: world.document(chain=[world.signer, world.root]), None, True, True, True),
    Row("the item's tag with a longer head", changed(write=long_head), None, False, False, True, why=AS_THEY_CAME),
    Row("an item in chunks", changed(write=in_chunks), None, False, False, True, why=AS_THEY_CAME),
    Row("security object of version 1.1", changed(version="1.1"), None, True, False, True, why="second editions count on"),
    Row("response of version 1.1", changed(), None, True, False, True, why="second editions count on", options={"version": "1.1"}),
    Row("another header in issuerAuth", changed(protected={3: 0}), None, True, False, True, why="what is not critical is ignored"),
    Row("a list that revokes somebody else", changed(), None, True, True, True,
        lists=lambda world: [world.root.revoking(world.look_alike.certificate)]),
    Row("a list of a look-alike of the root", changed(), None, True, True, True,
        lists=lambda world: [world.look_alike.revoking(world.signer.certificate)]),
    Row("a name that the device may sign", changed(**DEVICE_NAME, authorizations={"nameSpaces": ["org.example"]}), None, True, True, True),

    Row("another value", changed(**other_value()), INVALID, False, False),
    Row("an item of a namespace that has no digests", changed(**not_signed()), INVALID, True, False,
        why="pymdoccbor passes over namespaces that the issuer has not signed, and hands their items out"),
    Row("another docType than the issuer signed", changed(signed_type="org.example"), INVALID, True, False,
        why="pymdoccbor does not compare them"),
    Row("over", changed(begin=NOW - 9 * DAY, end=NOW - DAY), EXPIRED, True, True, why=NO_TIME),
    Row("not begun", changed(begin=NOW + DAY), EARLY, True, True, why=NO_TIME),
    Row("a signer under a look-alike of the root", lambda world: world.document(signer=Party(name("Test DS"), world.look_alike)), INVALID,
        False, True, False, why=NO_TRUST),
    Row("a signer that is over", signed_by(begin=NOW - 20 * DAY, end=NOW - DAY / 2), SIGNER, False, True, False,
        why="isomdoc looks at no date"),
    Row("a signer that is revoked", changed(), SIGNER, True, True, False, why="neither reads revocation lists",
        lists=lambda world: [world.root.revoking(world.signer.certificate)]),
    Row("a signer for anything", signed_by(purpose=False), SIGNER, True, True, why=NO_RULES),
    Row("a signer of another country", signed_by(subject=name("Test DS", "UX")), SIGNER, True, True, why=NO_RULES),
    Row("signed before its signer was", changed(signed=NOW - 40 * DAY), INVALID, True, True, why=NO_TIME),
    Row("security object of version 2.0", changed(version="2.0"), INVALID, True, False, why="nobody knows what it will mean"),
    Row("ES256 that says ES384", changed(algorithm=-35), INVALID, False, True, False, why="isomdoc does not look at the algorithm"),
    Row("a signature in DER", changed(sign=der), INVALID, False, False, False),
    Row("signed by the device in another session", lambda world: world.document(elsewhere=Session()), INVALID, True, False, False,
        why=NO_DEVICE),
    Row("not signed by a device", changed(proof=None), INVALID, True, False, False, why=NO_DEVICE),
    Row("the device's signature around another payload", changed(embedded=b"x"), INVALID, True, False, why=NO_DEVICE),
    Row("a name that the device may not sign", changed(**DEVICE_NAME), DEVICE, True, True,
        why="key authorizations are looked at by neither"),
    Row("an element twice, both signed", changed(**TWICE), INVALID, True, True, why="nobody can say which of them counts"),
    Row("docType twice", changed(more=[("docType", cbor2.dumps(MDL))]), UNREADABLE, True, True,
        why="a map with a key twice is not valid (RFC 8949 section 5.6)"),
    Row("octets behind the response", changed(), UNREADABLE, True, True, why="a response is one item", whole=lambda octets: octets + b"\0"),
]


# MARK: the gate

def case(world: World, title: str, document: Document, octets: bytes, gate: str | None, lists=()) -> dict:
    """A case of mdoc-check's format."""
    proven = gate in (None, EXPIRED, EARLY) or gate == DEVICE and document.device_items
    items: dict = {}
    for item in document.items:
        items.setdefault(item.space, []).append(item.identifier)
    verdict = {"docType": document.doc_type, "type": gate, "deviceAuth": document.proof if proven else None,
               "claims": items if gate in (None, EXPIRED, EARLY) else {}, "errors": {}}
    expect = {"session": "response-undecodable"} if gate == UNREADABLE else {
        "session": "ok", "session_status": None, "response_status": 0, "document_errors": [], "documents": [verdict]}
    # Later than `NOW`: pymdoccbor's documents begin when they are made.
    now = datetime.datetime.now(datetime.timezone.utc)
    return {
        "name": title, "now": f"{now:%Y-%m-%dT%H:%M:%SZ}", "qr": world.session.qr, "requested": [MDL], "skip_status": False,
        "reader_key": {"curve": "P-256", "d": world.session.reader.private_numbers().private_value.to_bytes(32, "big").hex()},
        "trust": {"anchors": [world.root.der.hex()], "crls": [each.public_bytes(serialization.Encoding.DER).hex() for each in lists],
                  "status_tokens": {}},
        "session_data": [world.session.sealed(octets).hex()], "derived": {"session_transcript": world.session.transcript.hex()},
        "expect": expect}


def differences(cases: list[dict], folder: Path) -> dict[str, str]:
    """What mdoc-check prints of the cases in which the gate says something else, by their names."""
    if shutil.which(PROGRAM) is None:
        pytest.exit(f"no {PROGRAM}: build it (swift build -c release), or set GATEHOUSE_MDOC_CHECK", 2)
    file = folder / "cases.json"
    file.write_text(json.dumps({"format": "gatehouse-mdoc-cases-2", "cases": cases}))
    done = subprocess.run([PROGRAM, file], capture_output=True, text=True)
    *lines, last = done.stdout.splitlines()
    found = dict(line.split(": ", 1) for line in lines)
    assert last == f"{len(cases) - len(found)} of {len(cases)}", done.stdout
    return found


@pytest.fixture(scope="module")
def world() -> World:
    logging.getLogger("pymdoccbor").setLevel(logging.CRITICAL)
    return World()


@pytest.fixture(scope="module")
def made(world, tmp_path_factory) -> dict[str, tuple]:
    documents = {}
    for row in ROWS:
        document = row.make(world)
        documents[row.title] = (document, row.whole(response([document.octets(world.session)], **row.options)), row.lists(world))
    cases = [case(world, row.title, *documents[row.title][:2], row.gate, documents[row.title][2]) for row in ROWS]
    found = differences(cases, tmp_path_factory.mktemp("oracles"))
    return {title: (octets, lists, found.get(title)) for title, (_, octets, lists) in documents.items()}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.title)
def test_what_each_of_them_says(world, made, row):
    octets, lists, difference = made[row.title]
    assert difference is None
    assert pymdoccbor_accepts(world, octets) == row.pymdoccbor
    assert isomdoc_accepts(world, octets) == row.isomdoc
    if row.cryptography is not None:
        assert cryptography_accepts(world, octets, lists) == row.cryptography


def test_every_disagreement_is_a_row_of_the_table():
    wanted = [row.line for row in ROWS if row.disagrees]
    table = [line for line in TABLE.read_text().splitlines() if line.startswith("| ") and not line.startswith("| document ")]
    assert table == wanted
    assert all(row.why for row in ROWS if row.disagrees)


# MARK: generated documents

def generated(world: World, chance: random.Random) -> Document:
    spaces, items = [SPACE, "org.iso.18013.5.1.aamva", "org.example"][:chance.randint(1, 3)], []
    for space in spaces:
        for number in chance.sample(range(2000), chance.randint(1, 12)):
            value = chance.choice([True, chance.randint(-9, 1 << 40), "é" * chance.randint(0, 40),
                                   chance.randbytes(chance.randint(0, 400)),
                                   [1, {"a": None}], cbor2.CBORTag(1004, "2001-02-03"), 1.5])
            items.append(Item(number, f"element_{number}", value, space, chance.randbytes(chance.choice([16, 24, 32]))))
    return world.document(items=items, proof=chance.choice(["signature", "mac"]), begin=NOW - chance.randint(0, 20) * DAY)


def test_generated_documents_are_good_for_all(world, tmp_path):
    chance, cases, refused = random.Random(1), [], []
    for number in range(GENERATED):
        document = generated(world, chance)
        octets = response([document.octets(world.session)])
        cases.append(case(world, f"generated {number}", document, octets, None))
        others = [pymdoccbor_accepts(world, octets), cryptography_accepts(world, octets)]
        # It knows no MAC.
        others.append(document.proof == "mac" or isomdoc_accepts(world, octets))
        refused += [] if all(others) else [f"generated {number}"]
    assert differences(cases, tmp_path) == {} and refused == []


def test_nobody_refuses_a_changed_document_that_the_gate_accepts(world, tmp_path):
    chance, cases, octets = random.Random(2), [], {}
    for number in range(GENERATED):
        document = dataclasses.replace(generated(world, chance), proof="signature")
        changed = bytearray(response([document.octets(world.session)]))
        changed[chance.randrange(len(changed))] ^= 1 << chance.randrange(8)
        title = f"changed {number}"
        octets[title] = bytes(changed)
        cases.append(case(world, title, document, octets[title], None))
    refused = differences(cases, tmp_path)
    accepted = [title for title in octets if title not in refused]
    assert [title for title in accepted if not pymdoccbor_accepts(world, octets[title]) or not isomdoc_accepts(world, octets[title])] == []
