"""Documents of an issuer and a phone that are made here, whole or with one fault (ISO/IEC 18013-5), and the session they come in.

The octets are put together piece by piece, so that each piece can be another one, or be written in another way.
"""
import base64
import dataclasses
import datetime
import hashlib
import hmac
import os
from typing import Callable

import cbor2
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, utils
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.x509.oid import NameOID

DAY = datetime.timedelta(1)
# Of today: there are verifiers that ask the machine for the time.
NOW = datetime.datetime.now(datetime.timezone.utc).replace(microsecond=0)
MDL, SPACE = "org.iso.18013.5.1.mDL", "org.iso.18013.5.1"
SIGNING = x509.ObjectIdentifier("1.0.18013.5.1.2")
CURVES = {"secp256r1": (1, 32, -7, hashes.SHA256), "secp384r1": (2, 48, -35, hashes.SHA384), "secp521r1": (3, 66, -36, hashes.SHA512)}
USAGES = ("digital_signature", "content_commitment", "key_encipherment", "data_encipherment", "key_agreement", "key_cert_sign", "crl_sign",
          "encipher_only", "decipher_only")


def head(major: int, number: int) -> bytes:
    octets = bytearray(cbor2.dumps(number))
    octets[0] |= major << 5
    return bytes(octets)


def array(items: list[bytes]) -> bytes:
    return head(4, len(items)) + b"".join(items)


def mapping(pairs: list[tuple[object, bytes]]) -> bytes:
    return head(5, len(pairs)) + b"".join(cbor2.dumps(key) + value for key, value in pairs)


def wrapped(octets: bytes) -> bytes:
    """`#6.24(bstr item)`."""
    return head(6, 24) + cbor2.dumps(octets)


def cose_key(key) -> dict:
    numbers = (key.public_key() if hasattr(key, "public_key") else key).public_numbers()
    identifier, width, _, _ = CURVES[numbers.curve.name]
    return {1: 2, -1: identifier, -2: numbers.x.to_bytes(width, "big"), -3: numbers.y.to_bytes(width, "big")}


def signature(key, octets: bytes) -> bytes:
    """r and s, each as long as a coordinate."""
    _, width, _, digest = CURVES[key.curve.name]
    r, s = utils.decode_dss_signature(key.sign(octets, ec.ECDSA(digest())))
    return r.to_bytes(width, "big") + s.to_bytes(width, "big")


def date(time: datetime.datetime) -> cbor2.CBORTag:
    return cbor2.CBORTag(0, time.strftime("%Y-%m-%dT%H:%M:%SZ"))


def name(common: str, country: str = "UT") -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COUNTRY_NAME, country), x509.NameAttribute(NameOID.COMMON_NAME, common)])


def usage(*names: str) -> x509.KeyUsage:
    return x509.KeyUsage(**{one: one in names for one in USAGES})


class Party:
    """A key and its certificate: a root, or with `above` a document signer."""

    def __init__(self, subject: x509.Name, above: "Party | None" = None, *, curve=ec.SECP256R1, begin=NOW - 30 * DAY, end=NOW + 300 * DAY,
                 purpose: bool = True):
        self.key = ec.generate_private_key(curve())
        by, public = above or self, self.key.public_key()
        builder = (x509.CertificateBuilder().subject_name(subject).issuer_name(above.certificate.subject if above else subject)
                   .public_key(public).serial_number(x509.random_serial_number()).not_valid_before(begin).not_valid_after(end)
                   .add_extension(x509.SubjectKeyIdentifier.from_public_key(public), False)
                   .add_extension(usage(*(("digital_signature",) if above else ("key_cert_sign", "crl_sign"))), True))
        if above:
            builder = builder.add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(above.key.public_key()), False)
            if purpose:
                builder = builder.add_extension(x509.ExtendedKeyUsage([SIGNING]), True)
        else:
            builder = builder.add_extension(x509.BasicConstraints(True, 0), True)
        self.certificate = builder.sign(by.key, CURVES[by.key.curve.name][3]())

    @property
    def der(self) -> bytes:
        return self.certificate.public_bytes(serialization.Encoding.DER)

    def revoking(self, *certificates: x509.Certificate) -> x509.CertificateRevocationList:
        builder = (x509.CertificateRevocationListBuilder().issuer_name(self.certificate.subject).last_update(NOW - DAY)
                   .next_update(NOW + 30 * DAY))
        for certificate in certificates:
            builder = builder.add_revoked_certificate(
                x509.RevokedCertificateBuilder().serial_number(certificate.serial_number).revocation_date(NOW - DAY).build())
        return builder.sign(self.key, hashes.SHA256())


class Session:
    """Both sides of a session by a code: the phone's key and the gate's, and what is derived from them."""

    def __init__(self):
        self.phone, self.reader = (ec.generate_private_key(ec.SECP256R1()) for _ in range(2))
        engagement = cbor2.dumps({0: "1.0", 1: [1, cbor2.CBORTag(24, cbor2.dumps(cose_key(self.phone)))],
                                  2: [[2, 1, {0: False, 1: True, 11: bytes(range(16))}]]})
        self.qr = "mdoc:" + base64.urlsafe_b64encode(engagement).rstrip(b"=").decode()
        parts = [engagement, cbor2.dumps(cose_key(self.reader))]
        self.transcript = array([wrapped(part) for part in parts] + [cbor2.dumps(None)])
        # As a library that encodes it itself wants it.
        self.decoded = [cbor2.CBORTag(24, part) for part in parts] + [None]

    def derive(self, public, purpose: bytes) -> bytes:
        salt = hashlib.sha256(wrapped(self.transcript)).digest()
        return HKDF(hashes.SHA256(), 32, salt, purpose).derive(self.reader.exchange(ec.ECDH(), public))

    def sealed(self, response: bytes) -> bytes:
        nonce = bytes(7) + b"\1" + (1).to_bytes(4, "big")
        return cbor2.dumps({"data": AESGCM(self.derive(self.phone.public_key(), b"SKDevice")).encrypt(nonce, response, None)})


@dataclasses.dataclass
class Item:
    id: int
    identifier: str
    value: object
    space: str = SPACE
    random: bytes = b""

    def __post_init__(self):
        self.random = self.random or os.urandom(16)

    def octets(self) -> bytes:
        return cbor2.dumps({"digestID": self.id, "random": self.random, "elementIdentifier": self.identifier, "elementValue": self.value})


def person() -> list[Item]:
    return [Item(0, "family_name", "Doe"), Item(7, "age_over_18", True), Item(300, "birth_date", cbor2.CBORTag(1004, "1990-02-03"))]


@dataclasses.dataclass
class Document:
    """What the issuer and the phone write. With the values that it has from the start it is a good one."""

    signer: Party
    device: ec.EllipticCurvePrivateKey
    doc_type: str = MDL
    signed_type: str = MDL
    version: str = "1.0"
    digest: str = "SHA-256"
    items: list[Item] = dataclasses.field(default_factory=person)
    # What the digests are of, where it is something else.
    signed_items: list[Item] | None = None
    signed: datetime.datetime = NOW - DAY
    begin: datetime.datetime = NOW - DAY
    end: datetime.datetime = NOW + 30 * DAY
    chain: list[Party] | None = None
    device_key: dict | None = None
    authorizations: dict | None = None
    device_items: dict = dataclasses.field(default_factory=dict)
    proof: str | None = "signature"
    algorithm: int | None = None
    protected: dict = dataclasses.field(default_factory=dict)
    tagged: bool = False
    embedded: bytes | None = None
    # How an item is written; both what is sent and what is signed.
    write: Callable[[bytes], bytes] = wrapped
    # Changes issuerAuth's signature.
    sign: Callable[[bytes], bytes] = lambda value: value
    # The session that the phone takes part in, where it is another one.
    elsewhere: Session | None = None
    # IssuerSigned of another issuer's program.
    issued: bytes | None = None
    more: list = dataclasses.field(default_factory=list)

    def security_object(self) -> bytes:
        spaces: dict = {}
        for item in self.signed_items or self.items:
            made = hashlib.new(self.digest.replace("-", "").lower(), self.write(item.octets())).digest()
            spaces.setdefault(item.space, {})[item.id] = made
        key_info = {"deviceKey": self.device_key or cose_key(self.device)}
        if self.authorizations:
            key_info["keyAuthorizations"] = self.authorizations
        return wrapped(cbor2.dumps({
            "version": self.version, "digestAlgorithm": self.digest, "valueDigests": spaces, "deviceKeyInfo": key_info,
            "docType": self.signed_type,
            "validityInfo": {"signed": date(self.signed), "validFrom": date(self.begin), "validUntil": date(self.end)}}))

    def issuer_signed(self) -> bytes:
        payload, chain = self.security_object(), [party.der for party in self.chain or [self.signer]]
        protected = cbor2.dumps({1: self.algorithm or CURVES[self.signer.key.curve.name][2], **self.protected})
        made = self.sign(signature(self.signer.key, cbor2.dumps(["Signature1", protected, b"", payload])))
        auth = cbor2.dumps([protected, {33: chain[0] if len(chain) == 1 else chain}, payload, made])
        spaces: dict = {}
        for item in self.items:
            spaces.setdefault(item.space, []).append(self.write(item.octets()))
        return mapping([("nameSpaces", mapping([(space, array(items)) for space, items in spaces.items()])),
                        ("issuerAuth", (head(6, 18) if self.tagged else b"") + auth)])

    def device_auth(self, session: Session, spaces: bytes) -> bytes:
        transcript = (self.elsewhere or session).transcript
        payload = wrapped(array([cbor2.dumps("DeviceAuthentication"), transcript, cbor2.dumps(self.doc_type), spaces]))
        if self.proof == "signature":
            protected = cbor2.dumps({1: CURVES[self.device.curve.name][2]})
            made = signature(self.device, cbor2.dumps(["Signature1", protected, b"", payload]))
            return cbor2.dumps({"deviceSignature": [protected, {}, self.embedded, made]})
        if self.proof == "mac":
            protected = cbor2.dumps({1: 5})
            key = (self.elsewhere or session).derive(self.device.public_key(), b"EMacKey")
            made = hmac.digest(key, cbor2.dumps(["MAC0", protected, b"", payload]), "sha256")
            return cbor2.dumps({"deviceMac": [protected, {}, self.embedded, made]})
        return cbor2.dumps({})

    def octets(self, session: Session) -> bytes:
        spaces = wrapped(cbor2.dumps(self.device_items))
        return mapping([("docType", cbor2.dumps(self.doc_type)), ("issuerSigned", self.issued or self.issuer_signed()),
                        ("deviceSigned", mapping([("nameSpaces", spaces), ("deviceAuth", self.device_auth(session, spaces))]))] + self.more)


def response(documents: list[bytes], version: str = "1.0", status: int = 0) -> bytes:
    return mapping([("version", cbor2.dumps(version)), ("documents", array(documents)), ("status", cbor2.dumps(status))])
