"""Codes held before the camera, made by cbor2 and `cryptography`: claim 169 cards, PixelPass around every form, and their neighbours."""
import copy
import hashlib
import json
import os
import time
import zlib

import cbor2
import pytest

from authorities import Hierarchy
from cwt_issuer import (
    ALGORITHMS, ATTRIBUTES, BIOMETRICS, CWT, FACE, PHOTO, PHOTO_FORMAT, SHA256, X5CHAIN, X5T, CWTIssuer, base45, claim169_card, claim169_token,
    pixelpass, sealed, with_floats)
from issuer import DAY, Issuer, b64, compact, trust_entry, wrap
from linked_issuer import SUITES, LinkedIssuer, write_trust
from oracle import code_verdicts

pytestmark = pytest.mark.usefixtures("oracle_check")
KID = 4
PERSON = {"id": "3918592438", "version": "1.0", "language": "eng", "fullName": "Asha Rao", "firstName": "Asha", "middleName": "K", "lastName": "Rao",
          "dateOfBirth": "19900517", "gender": 2, "address": "New House\nBengaluru", "email": "asha@example.com", "phone": "+919876543210",
          "nationality": "IN", "maritalStatus": 2, "guardian": "Mira Rao", "photo": b"\xff\xd8\xff\xe0photo", "photoFormat": 1,
          "bestQualityFingers": [1, 2], "secondaryFullName": "\u0906\u0936\u093e", "secondaryLanguage": "hin", "locationCode": "849VCWC8+R9",
          "legalStatus": "Refugee", "countryOfIssuance": "IN"}


class Desk:
    """Verdicts on codes under the entries of one folder."""

    def __init__(self, folder) -> None:
        self.folder = folder

    def under(self, *entries: dict) -> "Desk":
        self.folder.mkdir(exist_ok=True)
        for file in self.folder.glob("*.json"):
            file.unlink()
        for index, entry in enumerate(entries):
            (self.folder / f"{index}.json").write_text(json.dumps(entry))
        return self

    def all(self, codes: list[str], **more) -> list[dict]:
        return code_verdicts(self.folder, codes, int(time.time()), **more)

    def one(self, code: str, **more) -> dict:
        return self.all([code], **more)[0]

    def reasons(self, code: str) -> list[str]:
        return self.one(code)["reasons"]


@pytest.fixture
def desk(tmp_path):
    return Desk(tmp_path / "trust")


@pytest.fixture(params=ALGORITHMS)
def issuer(request):
    return CWTIssuer(request.param)


# MARK: Claim 169

def test_every_attribute(issuer, desk):
    """Each alone and all together: claims by number, names beside them, and a role for whichever the entry gives one."""
    desk.under(issuer.trust())
    codes = [claim169_card({name: value}, issuer) for name, value in PERSON.items()] + [claim169_card(PERSON, issuer)]
    for (name, value), answer in zip(PERSON.items(), desk.all(codes)):
        label = str(ATTRIBUTES[name])
        assert answer["reasons"] == [], name
        assert answer["claims"] == {label: b64(value) if isinstance(value, bytes) else value}
        assert answer["labels"] == {label: name}
    whole = desk.one(codes[-1])
    assert whole["labels"] == {str(label): name for name, label in ATTRIBUTES.items()}
    assert whole["roles"] == {"portrait": b64(PERSON["photo"]), "fullName": "Asha Rao", "birthDate": "19900517"}
    named = {"portrait": ["photo"], "fullName": ["fullName"], "givenName": ["firstName"], "familyName": ["lastName"], "birthDate": ["dateOfBirth"],
             "documentNumber": ["id"]}
    desk.under(issuer.trust(claims=named))
    assert desk.one(codes[-1])["roles"] == {"portrait": b64(PERSON["photo"]), "fullName": "Asha Rao", "givenName": "Asha", "familyName": "Rao",
                                            "birthDate": "19900517", "documentNumber": "3918592438"}


def test_any_attribute_changed(issuer, desk):
    """The same card with one attribute another: signed by nobody."""
    desk.under(issuer.trust())
    protected, _, payload, signature = cbor2.loads(claim169_token(PERSON, issuer)).value.value
    claims, changed = cbor2.loads(payload), []
    for label, value in claims[169].items():
        other = value + (b"x" if isinstance(value, bytes) else "x") if isinstance(value, bytes | str) else 3 if isinstance(value, int) else [3]
        forged = cbor2.dumps({**claims, 169: {**claims[169], label: other}}, canonical=True)
        changed.append(pixelpass(cbor2.dumps(cbor2.CBORTag(18, [protected, {}, forged, signature]))))
    assert all(answer["reasons"] == ["signature-invalid"] for answer in desk.all(changed))


def test_biometrics_are_not_read(issuer, desk):
    print_of = [{0: b"template", 1: 1, 2: 100, 3: "VendorA"}, {0: b"image", 1: 0, 2: 6}]
    answer = desk.under(issuer.trust(claims={"portrait": [["16"], ["62"]]})).one(claim169_card(
        {"fullName": "Asha Rao", **{name: print_of for name in BIOMETRICS}}, issuer))
    assert answer["reasons"] == [] and answer["claims"] == {"4": "Asha Rao"} and answer["roles"] == {}


@pytest.mark.parametrize("form", ("array", "map"))
def test_the_face_in_the_place_of_the_photo(issuer, desk, form):
    """MOSIP's 1.2.2: 62 has an array of biometrics, in its example one."""
    picture = b"RIFF\x10\0\0\0WEBPVP8 "
    face = {0: picture, 1: 0, 2: 4}
    card = claim169_card({FACE: [{0: b"t", 1: 1, 2: 0}, face] if form == "array" else face}, issuer)
    answer = desk.under(issuer.trust(claims={"portrait": [["16"], ["face"]]})).one(card)
    assert answer["roles"] == {"portrait": "data:image/webp;base64,UklGRhAAAABXRUJQVlA4IA=="}


@pytest.mark.parametrize("data, portrait", ((b"\xff\xd8\xff\xe0".hex(), "data:image/jpeg;base64,/9j/4A=="),
                                            ("data:image/jpeg;base64,/9j/4A==",) * 2, ("/9j/4A==",) * 2))
def test_the_face_in_a_token_made_of_json(issuer, desk, data, portrait):
    """Inji Certify's tokens: claim 169 in a byte string, and in it no octets, because it was JSON before."""
    identity = cbor2.dumps({4: "Asha Rao", FACE: {0: data, 1: 0, 2: 1}, "hello": "world"})
    desk.under(issuer.trust(claims={"portrait": [["16"], ["62"]]}))
    answer = desk.one(pixelpass(issuer.signed(issuer.claims(c169=identity), tagged=True)))
    assert answer["reasons"] == [] and answer["claims"] == {"4": "Asha Rao", "hello": "world"}
    assert answer["roles"] == {"portrait": portrait}


def test_labels_as_texts(issuer, desk):
    """PixelPass for Kotlin had texts for numbers in `getMappedData`: the same claims, and no claim twice."""
    desk.under(issuer.trust(claims={"portrait": [["16"], ["62"]], "fullName": ["fullName"]}))
    hexadecimal = b"\xff\xd8\xff\xe0".hex()
    for photo in ({"16": hexadecimal, "17": 1}, {"62": {"0": hexadecimal, "1": 0, "2": 1}}):
        answer = desk.one(pixelpass(issuer.signed(issuer.claims(c169={"4": "Asha Rao", **photo}))))
        assert answer["reasons"] == [] and answer["labels"]["4"] == "fullName"
        assert answer["roles"] == {"portrait": "data:image/jpeg;base64,/9j/4A==", "fullName": "Asha Rao"}
    for label in (4, 16, 62):
        assert desk.reasons(pixelpass(issuer.signed(issuer.claims(c169={label: "a", str(label): "b"})))) == ["payload-malformed"]


def test_the_photo_of_older_issuers(issuer, desk):
    desk.under(issuer.trust())
    for number, kind in ((1, "jpeg"), (2, "jp2"), (3, "avif"), (4, "webp")):
        found = desk.one(claim169_card({PHOTO: b"\xff\xd8\xff\xe0".hex().upper(), PHOTO_FORMAT: number}, issuer))
        assert found["roles"]["portrait"] == f"data:image/{kind};base64,/9j/4A=="
        assert found["claims"]["16"] == "FFD8FFE0"


def test_wrappings(issuer, desk):
    desk.under(issuer.trust())
    token = claim169_token(PERSON, issuer)
    for tagged, tag in ((True, True), (False, True), (False, False)):
        assert desk.reasons(claim169_card(PERSON, issuer, tagged=tagged, tag=tag)) == []
    assert desk.reasons(token.hex()) == desk.reasons(token.hex().upper()) == []
    for level in range(10):
        assert desk.reasons(pixelpass(token, level)) == []
    assert desk.one("SITE:" + pixelpass(token), prefix="SITE:")["reasons"] == []
    for spoiled in ("SITE:" + pixelpass(token), pixelpass(token) + "0", pixelpass(token).lower(), pixelpass(token)[:-3], pixelpass(token + b"\0"),
                    base45(zlib.compress(token)[:-1] + b"\0"), base45(token), base45(zlib.compress(token) + b"\0")):
        assert "ignored" in desk.one(spoiled), spoiled[:20]


def test_headers_of_both_kinds(issuer, desk):
    desk.under(issuer.trust())
    kid = issuer.kid.encode()
    assert desk.reasons(claim169_card(PERSON, issuer, header={KID: None}, unprotected={KID: kid})) == []
    assert desk.reasons(claim169_card(PERSON, issuer, header={KID: None})) == [], "the only key there is"
    for unprotected, reason in (({KID: kid}, "header-malformed"), ({KID: b"another"}, "header-malformed"), ({1: -7}, "header-malformed"),
                                ({2: [1]}, "critical-header-refused")):
        assert desk.reasons(claim169_card(PERSON, issuer, unprotected=unprotected)) == [reason], unprotected
    assert desk.reasons(claim169_card(PERSON, issuer, header={1: None}, unprotected={1: -7})) == ["algorithm-refused"]
    assert desk.reasons(claim169_card(PERSON, issuer, header={KID: None}, unprotected={KID: b"another"})) == ["key-unknown"]


def test_times(issuer, desk):
    desk.under(issuer.trust())
    now = int(time.time())
    for changes, reasons in (({"c4": now - 1}, ["expired"]), ({"c4": now + 100}, []), ({"c4": None}, []), ({"c5": now + DAY}, ["not-yet-valid"]),
                             ({"c5": now + 60}, []), ({"c6": now + DAY}, ["issued-in-future"]), ({"c4": "soon"}, ["time-malformed"])):
        assert desk.reasons(claim169_card(PERSON, issuer, **changes)) == reasons, changes


def test_chain_and_thumbprint(desk):
    issuer, hierarchy = CWTIssuer("ES256"), Hierarchy()
    chain = hierarchy.chain(issuer)
    desk.under(issuer.trust(keys=None, x509={"roots": [hierarchy.pem()]}))

    def card(protected: dict, unprotected: dict) -> list[str]:
        return desk.reasons(claim169_card(PERSON, issuer, header={KID: None, **protected}, unprotected=unprotected))

    digest = [SHA256, hashlib.sha256(chain[0]).digest()]
    assert card({}, {X5CHAIN: chain}) == card({X5CHAIN: chain}, {}) == card({}, {X5CHAIN: chain, X5T: digest}) == card({X5T: digest}, {X5CHAIN: chain}) == []
    assert card({X5T: [SHA256, hashlib.sha256(chain[1]).digest()]}, {X5CHAIN: chain}) == ["certificate-thumbprint-mismatch"]
    assert card({X5T: [-15, digest[1][:8]]}, {X5CHAIN: chain}) == ["header-malformed"]
    assert card({X5T: digest}, {}) == ["key-unknown"]
    assert card({}, {X5CHAIN: Hierarchy().chain(issuer)}) == ["certificate-untrusted"]


# MARK: Encryption

@pytest.mark.parametrize("length", (16, 24, 32))
def test_encrypted(issuer, desk, length):
    key = os.urandom(length)
    entry = issuer.trust(contentKeys=[{"kid": "content", "k": b64(key)}])
    card = claim169_card(PERSON, issuer, key=key)
    assert desk.under(issuer.trust()).reasons(card) == ["encrypted"]
    assert desk.under(entry).one(card)["claims"]["4"] == "Asha Rao"
    assert desk.reasons(pixelpass(sealed(claim169_token(PERSON, issuer), key, tagged=True))) == []
    for content, reason in (
            (sealed(claim169_token(PERSON, issuer), os.urandom(length)), "decryption-failed"),
            (sealed(claim169_token(PERSON, issuer), key, b"another"), "encrypted"),
            (sealed(claim169_token(PERSON, issuer), key, algorithm=24), "algorithm-refused"),
            (sealed(cbor2.dumps(issuer.claims()), key), "signature-missing"),
            (sealed(cbor2.dumps(cbor2.CBORTag(CWT, issuer.claims())), key), "signature-missing"),
            (sealed(claim169_token(PERSON, CWTIssuer(issuer.algorithm, issuer.name), header={KID: issuer.kid.encode()}), key), "signature-invalid"),
            (sealed(claim169_token(PERSON, issuer, expires=-1, issued=-9), key), "expired")):
        assert desk.reasons(pixelpass(content)) == [reason]
    good = sealed(claim169_token(PERSON, issuer), key)
    spoiled = [pixelpass(good[:place] + bytes([good[place] ^ 1]) + good[place + 1:]) for place in range(len(good))]
    assert all(answer.get("reasons", ["ignored"]) != [] for answer in desk.all(spoiled))


# MARK: PixelPass around the other forms

@pytest.mark.parametrize("suite", SUITES)
def test_documents_through_cbor(tmp_path, suite):
    """What is made of CBOR again is the JSON that was signed: it verifies, and with any number changed it does not."""
    issuer = LinkedIssuer(suite)
    desk = Desk(write_trust(tmp_path / "trust", issuer))
    numbers = {"UIN": 2**53 - 1, "LegalReserveArea": -400.325, "position": [18.5, -73.0000001]}
    document = issuer.credential(30, UIN=numbers["UIN"], LegalReserveArea=numbers["LegalReserveArea"],
                                 address={"street": "1 \"Example\" \\ Way\n", "city": "P\u00fcn\u00e9 \U0001f600", "position": numbers["position"]})
    plain = desk.one(compact(document))
    assert plain["reasons"] == []
    for name, form in (("text", compact(document)), ("CBOR", document), ("floats", with_floats(document)), ("sorted", cbor2.dumps(document, canonical=True)),
                       ("wrapper", wrap(document, "ldp_vc").decode()), ("wrapper in CBOR", json.loads(wrap(document, "ldp_vc")))):
        answer = desk.one(pixelpass(form))
        # RFC 8785 claims are the JSON as it came: the same values.
        assert {**answer, "claims": None} == {**plain, "claims": None}, name
        assert answer["claims"] == plain["claims"], name
    neighbours = []
    for path, value in ((("UIN",), 2**53 - 2), (("UIN",), float(2**53)), (("UIN",), -(2**53 - 1)), (("LegalReserveArea",), -400.3250000000001),
                        (("LegalReserveArea",), 400.325), (("LegalReserveArea",), -400), (("address", "position"), [18.5, -73]),
                        (("address", "position"), [18.25, -73.0000001]), (("UIN",), str(2**53 - 1)), (("isResident",), 1), (("isResident",), None)):
        changed = copy.deepcopy(document)
        place = changed["credentialSubject"]
        for step in path[:-1]:
            place = place[step]
        place[path[-1]] = value
        neighbours.append(pixelpass(changed))
    for answer in desk.all(neighbours):
        assert answer["reasons"] and set(answer["reasons"]) <= {"signature-invalid", "claims-uncovered"}, answer["reasons"]


def test_large_numbers(tmp_path):
    """Integers that are exact in CBOR stay so; those that an encoder made doubles of have lost digits, and their proof with them."""
    issuer = LinkedIssuer("eddsa-rdfc-2022 EdDSA")
    desk = Desk(write_trust(tmp_path / "trust", issuer))
    for number in (2**53 + 1, 2**63 - 1, 2**63, 2**64 - 1, -(2**63), -(2**64), 0, -1):
        document = issuer.credential(30, UIN=number)
        assert desk.one(compact(document))["reasons"] == desk.one(pixelpass(document))["reasons"] == [], number
        exact = int(float(number)) == number
        assert desk.one(pixelpass(with_floats(document)))["reasons"] == ([] if exact else ["signature-invalid"]), number
    # Beyond that CBOR needs a tag for it.
    assert desk.one(pixelpass(issuer.credential(30, UIN=2**64))) == {"ignored": "damaged"}


def test_tokens_as_text(desk):
    issuer = Issuer("ES256")
    desk.under(trust_entry(issuer))
    credential = issuer.credential(30)
    for code in (credential, pixelpass(credential), compact({"verifiableCredential": {"credential": credential}}), pixelpass(wrap(credential).decode()),
                 pixelpass(json.loads(wrap(credential)))):
        assert desk.reasons(code) == []
    head, rest = credential.split("~", 1)
    assert desk.reasons(head) == ["unsupported-form"]
    assert desk.reasons(pixelpass(head[:-5] + ("AAAAA" if head[-5:] != "AAAAA" else "BBBBB") + "~" + rest)) == ["signature-invalid"]


def test_somebody_elses(issuer, desk):
    desk.under(issuer.trust())
    for code, answer in (("mdoc:owBj", {"engagement": True}), ("MDOC:OWBJ", {"engagement": True}), ("https://example.org", {"ignored": "foreign"}),
                         ("OPENID4VP://AUTHORIZE", {"ignored": "foreign"}), ("HC1:NCFKVPV0QSIP600GP5L0", {"reasons": ["unsupported-code"]}),
                         ("NCFKVPV0QSIP600GP5L0", {"ignored": "nothing"}), ("good morning", {"ignored": "nothing"}), ("{}", {"ignored": "nothing"}),
                         (pixelpass({"fullName": "Asha"}), {"ignored": "nothing"}), (pixelpass({4: "Asha"}), {"ignored": "damaged"}),
                         (pixelpass("https://example.org"), {"ignored": "nothing"}), (pixelpass(b"PK\x03\x04"), {"ignored": "nothing"})):
        assert desk.one(code) == answer, code


def test_any_character_of_a_card(issuer, desk):
    """Another of the 45 in each place: rejected, passed over, or the very same token."""
    desk.under(issuer.trust())
    card = claim169_card({"fullName": "Asha Rao"}, issuer)
    good = desk.one(card)["claims"]
    spoiled = [card[:place] + ("0" if card[place] != "0" else "1") + card[place + 1:] for place in range(len(card))]
    spoiled += [card[:place] + card[place + 1:] for place in range(len(card))]
    for answer in desk.all(spoiled):
        assert answer.get("reasons") != [] or answer["claims"] == good
