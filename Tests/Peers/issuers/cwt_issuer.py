"""Demo issuers of CBOR web tokens with identity data in claim 169, the cards they print, and tokens that must not pass, made with cbor2. No
identity here is real."""
import hashlib
import os
import time
import zlib

import cbor2
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from issuer import DAY, Issuer
from status_lists import ALGORITHM, COSE_ALGORITHMS, KEY_ID

ALGORITHMS = ("EdDSA", "ES256", "ES384")
# RFC 8392 section 3.1 and 4; draft-ietf-oauth-status-list section 6.3; MOSIP's claim 169.
ISSUER, SUBJECT, EXPIRES, NOT_BEFORE, ISSUED, IDENTITY, STATUS = 1, 2, 4, 5, 6, 169, 65535
COSE_SIGN1, CWT, COSE_ENCRYPT0 = 18, 61, 16
FULL_NAME, BIRTH_DATE, GENDER, PHOTO, PHOTO_FORMAT, FACE = 4, 8, 9, 16, 17, 62
JPEG, JPEG2000, AVIF, WEBP = 1, 2, 3, 4
# RFC 9052 section 3.1, RFC 9360 section 2, RFC 9053 section 4.1.
IV, X5CHAIN, X5T, SHA256 = 5, 33, 34, -16
AES_GCM = {16: 1, 24: 2, 32: 3}
# MOSIP's 169-qr-code-specification 1.2.2, section 3.1, by the names this product has for them.
ATTRIBUTES = {name: label for label, name in enumerate((
    "id", "version", "language", "fullName", "firstName", "middleName", "lastName", "dateOfBirth", "gender", "address", "email", "phone",
    "nationality", "maritalStatus", "guardian", "photo", "photoFormat", "bestQualityFingers", "secondaryFullName", "secondaryLanguage",
    "locationCode", "legalStatus", "countryOfIssuance"), 1)}
BIOMETRICS = {name: label for label, name in enumerate((
    "rightThumb", "rightPointerFinger", "rightMiddleFinger", "rightRingFinger", "rightLittleFinger", "leftThumb", "leftPointerFinger",
    "leftMiddleFinger", "leftRingFinger", "leftLittleFinger", "rightIris", "leftIris", "face", "rightPalmPrint", "leftPalmPrint", "voice"), 50)}
BASE45 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ $%*+-./:"


class CWTIssuer(Issuer):
    """An issuer with one key."""

    def __init__(self, algorithm: str = "ES256", name: str = "https://tokens.demo.gatehouse.example", key=None) -> None:
        super().__init__(algorithm, name, key)

    def identity(self, portrait: int = 60) -> dict:
        """What the token says of a visitor. The photo is octets that mean nothing."""
        photo = hashlib.shake_128(b"photo").digest(portrait)
        return {1: "123456", FULL_NAME: "Asha Rao", BIRTH_DATE: "19900517", GENDER: 2, PHOTO: photo, PHOTO_FORMAT: 4}

    def claims(self, portrait: int = 60, issued: float = -1, expires: float = 30, **more) -> dict:
        """Times are in days from now; `more` is by label, as `c65535`. A claim of None is left out."""
        now = int(time.time())
        claims = {ISSUER: self.name, SUBJECT: "visitor", EXPIRES: now + int(expires * DAY), NOT_BEFORE: now + int(issued * DAY),
                  ISSUED: now + int(issued * DAY), IDENTITY: self.identity(portrait), **{int(name[1:]): value for name, value in more.items()}}
        return {label: value for label, value in claims.items() if value is not None}

    def signed(self, claims: dict, header: dict = {}, tagged: bool = False, unprotected: dict = {}) -> bytes:
        """A COSE_Sign1 (RFC 9052 section 4.2) over any claims; `tagged` puts the CWT tag around it. A header member of None is left out."""
        head = {ALGORITHM: COSE_ALGORITHMS[self.algorithm], KEY_ID: self.kid.encode(), **header}
        protected = cbor2.dumps({label: value for label, value in head.items() if value is not None}, canonical=True)
        payload = cbor2.dumps(claims, canonical=True)
        signature = self.sign(cbor2.dumps(["Signature1", protected, b"", payload]))
        return wrapped([protected, unprotected, payload, signature], tagged)

    def token(self, portrait: int = 60, tagged: bool = False, **changes) -> bytes:
        return self.signed(self.claims(portrait, **changes), tagged=tagged)

    def trust(self, **changes) -> dict:
        """What a trust file says of this issuer. A member changed to None is left out. The only place that knows the format."""
        entry = {
            "gatehouse-trust": 1, "ids": [self.name], "name": "Demo issuer", "keys": [{"kid": self.kid, "jwk": self.jwk()}], "forms": ["cwt"],
            "algorithms": [self.algorithm], "types": ["claim-169"],
            "claims": {"portrait": [str(PHOTO)], "fullName": [str(FULL_NAME)], "birthDate": [str(BIRTH_DATE)]}, **changes,
        }
        return {name: value for name, value in entry.items() if value is not None}


# MARK: Codes

def base45(octets: bytes) -> str:
    """RFC 9285."""
    text = ""
    for start in range(0, len(octets), 2):
        group = octets[start : start + 2]
        number = int.from_bytes(group, "big")
        for _ in range(len(group) + 1):
            number, digit = divmod(number, 45)
            text += BASE45[digit]
    return text


def pixelpass(content, level: int = 9) -> str:
    """What PixelPass puts into a code: octets and texts as they are, everything else as CBOR."""
    octets = content.encode() if isinstance(content, str) else content if isinstance(content, bytes) else cbor2.dumps(content)
    return base45(zlib.compress(octets, level))


def with_floats(value):
    """The numbers of a document as PixelPass for Kotlin has them: every one a double."""
    if isinstance(value, dict):
        return {name: with_floats(member) for name, member in value.items()}
    if isinstance(value, list):
        return [with_floats(element) for element in value]
    return float(value) if isinstance(value, int) and not isinstance(value, bool) else value


def identity_data(attributes: dict) -> dict:
    """Attributes by name or label, as claim 169 has them."""
    return {name if isinstance(name, int) else {**ATTRIBUTES, **BIOMETRICS}[name]: value for name, value in attributes.items()}


def claim169_token(attributes: dict, issuer: CWTIssuer, *, header: dict = {}, unprotected: dict = {}, tagged: bool = True, tag: bool = True,
                   **claims) -> bytes:
    """A signed token about somebody. `attributes` are by name or label, `claims` as in `CWTIssuer.claims`; without `tag` there is none at all."""
    token = issuer.signed(issuer.claims(c169=identity_data(attributes), **claims), header, tagged and tag, unprotected)
    return token if tag else cbor2.dumps(cbor2.loads(token).value)


def claim169_card(attributes: dict, issuer: CWTIssuer, *, key: bytes | None = None, kid: bytes = b"content", **changes) -> str:
    """The text of the code on a printed card: the token, encrypted where there is a `key` of 16, 24 or 32 octets."""
    token = claim169_token(attributes, issuer, **changes)
    return pixelpass(token if key is None else sealed(token, key, kid))


def sealed(content: bytes, key: bytes, kid: bytes | None = b"content", *, algorithm: int | None = None, nonce: bytes | None = None,
           protected: dict = {}, tagged: bool = False) -> bytes:
    """A COSE_Encrypt0 (RFC 9052 section 5.2) by AES-GCM."""
    nonce = os.urandom(12) if nonce is None else nonce
    head = cbor2.dumps({ALGORITHM: AES_GCM[len(key)] if algorithm is None else algorithm, **protected}, canonical=True)
    opened = AESGCM(key).encrypt(nonce, content, cbor2.dumps(["Encrypt0", head, b""]))
    outside = {IV: nonce, **({} if kid is None else {KEY_ID: kid})}
    around = cbor2.CBORTag(COSE_ENCRYPT0, [head, outside, opened])
    return cbor2.dumps(cbor2.CBORTag(CWT, around) if tagged else around)


def wrapped(parts: list, tagged: bool = False) -> bytes:
    signed = cbor2.CBORTag(COSE_SIGN1, parts)
    return cbor2.dumps(cbor2.CBORTag(CWT, signed) if tagged else signed)


def altered(token: bytes, part: int, octet: int = -1, bit: int = 1) -> bytes:
    """One bit of the protected header (0), the payload (2) or the signature (3)."""
    parts = list(cbor2.loads(token).value)
    octets = bytearray(parts[part])
    octets[octet] ^= bit
    parts[part] = bytes(octets)
    return wrapped(parts)


def refusals(issuer: CWTIssuer) -> dict[str, tuple[bytes, str]]:
    """Tokens a gate that trusts `issuer` must reject, with the reason, by name."""
    good, claims = issuer.token(), issuer.claims()
    protected, _, payload, signature = cbor2.loads(good).value
    stranger = CWTIssuer(issuer.algorithm, issuer.name)
    forged = cbor2.dumps({**claims, IDENTITY: {**claims[IDENTITY], FULL_NAME: "Mallory"}}, canonical=True)
    another = next(number for name, number in COSE_ALGORITHMS.items() if name != issuer.algorithm)
    return {
        "signature flipped": (altered(good, 3, 5), "signature-invalid"),
        "signature cut off": (wrapped([protected, {}, payload, signature[:-1]]), "signature-invalid"),
        "no signature": (wrapped([protected, {}, payload, b""]), "signature-invalid"),
        "photo changed": (altered(good, 2, payload.index(issuer.identity()[PHOTO]) + 3), "signature-invalid"),
        "name changed": (wrapped([protected, {}, forged, signature]), "signature-invalid"),
        "known key's name, unknown key": (stranger.signed(claims, {KEY_ID: issuer.kid.encode()}), "signature-invalid"),
        "unknown key": (stranger.signed(claims), "key-unknown"),
        "unknown issuer": (CWTIssuer(issuer.algorithm, "https://stranger.demo.gatehouse.example").token(), "issuer-unknown"),
        "no issuer": (issuer.signed({label: value for label, value in claims.items() if label != ISSUER}), "issuer-missing"),
        "another algorithm": (issuer.signed(claims, {ALGORITHM: another}), "algorithm-not-trusted"),
        "HMAC": (issuer.signed(claims, {ALGORITHM: 5}), "algorithm-refused"),
        "no algorithm": (issuer.signed(claims, {ALGORITHM: None}), "algorithm-refused"),
        "critical header": (issuer.signed(claims, {2: [99], 99: 1}), "critical-header-refused"),
        "expired": (issuer.token(issued=-60, expires=-1), "expired"), "not yet valid": (issuer.token(issued=2, c6=None), "not-yet-valid"),
        "issued tomorrow": (issuer.token(c6=int(time.time()) + DAY), "issued-in-future"),
        "no identity": (issuer.token(c169=None), "type-missing"), "identity is a text": (issuer.token(c169="Asha"), "payload-malformed"),
        "time is a text": (issuer.token(c4="tomorrow"), "time-malformed"),
        "another COSE structure": (cbor2.dumps(cbor2.CBORTag(CWT, [protected, {}, payload, signature])), "payload-malformed"),
        "octets behind it": (good + b"\x00", "payload-malformed"), "cut off": (good[:-1], "payload-malformed"),
    }
