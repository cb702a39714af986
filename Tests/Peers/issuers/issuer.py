"""Demo issuers: keys made on the spot, trust folders, SD-JWT VCs, and Inji's wrapper around them. Nothing here is a real identity."""
import base64
import datetime
import hashlib
import hmac
import json
import random
import time
from dataclasses import dataclass, field
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, padding, rsa, utils

import wallet as w

ALGORITHMS = ("ES256", "EdDSA", "ES256K", "PS256", "RS256")
CURVES = {"ES256": ec.SECP256R1, "ES384": ec.SECP384R1, "ES256K": ec.SECP256K1}
VCT = "https://demo.gatehouse.example/visitor"
DAY = 86400


def b64(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def unb64(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def compact(value) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def big(number: int, octets: int) -> str:
    return b64(number.to_bytes(octets, "big"))


@dataclass
class Issuer:
    algorithm: str = "ES256"
    name: str = "https://issuer.demo.gatehouse.example"
    key: object = field(default=None, repr=False)

    def __post_init__(self):
        if self.key is None:
            self.key = (
                ec.generate_private_key(CURVES[self.algorithm]()) if self.algorithm in CURVES
                else ed25519.Ed25519PrivateKey.generate() if self.algorithm == "EdDSA" else rsa.generate_private_key(65537, 2048))

    @property
    def kid(self) -> str:
        public = self.key.public_key().public_bytes(serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo)
        return hashlib.sha256(public).hexdigest()[:16]

    @property
    def digest(self):
        return hashes.SHA384() if self.algorithm == "ES384" else hashes.SHA256()

    @property
    def octets(self) -> int:
        """How long a coordinate is, and a half of a signature, where the key is on a curve."""
        return 48 if self.algorithm == "ES384" else 32

    def jwk(self) -> dict:
        public = self.key.public_key()
        if self.algorithm == "EdDSA":
            raw = public.public_bytes(serialization.Encoding.Raw, serialization.PublicFormat.Raw)
            return {"kty": "OKP", "crv": "Ed25519", "x": b64(raw)}
        numbers = public.public_numbers()
        if self.algorithm.startswith("ES"):
            curve = {"ES256": "P-256", "ES384": "P-384", "ES256K": "secp256k1"}[self.algorithm]
            return {"kty": "EC", "crv": curve, "x": big(numbers.x, self.octets), "y": big(numbers.y, self.octets)}
        return {"kty": "RSA", "n": big(numbers.n, 256), "e": b64(b"\x01\x00\x01")}

    def sign(self, data: bytes) -> bytes:
        match self.algorithm:
            case "EdDSA":
                return self.key.sign(data)
            case "PS256":
                return self.key.sign(data, padding.PSS(padding.MGF1(hashes.SHA256()), 32), hashes.SHA256())
            case "RS256":
                return self.key.sign(data, padding.PKCS1v15(), hashes.SHA256())
        r, s = utils.decode_dss_signature(self.key.sign(data, ec.ECDSA(self.digest)))
        return r.to_bytes(self.octets, "big") + s.to_bytes(self.octets, "big")

    def verifies(self, data: bytes, signature: bytes) -> bool:
        public = self.key.public_key()
        try:
            match self.algorithm:
                case "EdDSA":
                    public.verify(signature, data)
                case "PS256":
                    public.verify(signature, data, padding.PSS(padding.MGF1(hashes.SHA256()), 32), hashes.SHA256())
                case "RS256":
                    public.verify(signature, data, padding.PKCS1v15(), hashes.SHA256())
                case _:
                    if len(signature) != 2 * self.octets:
                        return False
                    pair = int.from_bytes(signature[: self.octets], "big"), int.from_bytes(signature[self.octets :], "big")
                    public.verify(utils.encode_dss_signature(*pair), data, ec.ECDSA(self.digest))
        except Exception:
            return False
        return True

    def credential(self, portrait: int | bytes = 2000, issued: int = -1, expires: int = 30, header: dict = {}, digest: str = "sha-256", **claims) -> str:
        """An SD-JWT VC: the visitor's names, birth date and portrait are disclosures. Times are in days from now.

        A portrait is a JPEG, or a length of random octets that are none. Header members and claims of None are left out.
        """
        photo = base64.b64encode(portrait).decode() if isinstance(portrait, bytes) else w.prng_text(portrait, random.randrange(1 << 30))
        now = int(time.time())
        disclosures = [
            b64(compact([b64(random.randbytes(16)), name, value]).encode())
            for name, value in {
                "given_name": "Asha", "family_name": "Rao", "birthdate": "1990-05-17",
                "portrait": "data:image/jpeg;base64," + photo,
            }.items()
        ]
        hashed = digest.replace("sha-", "sha").replace("sha3-", "sha3_")
        digests = sorted(b64(hashlib.new(hashed, d.encode()).digest()) for d in disclosures)
        payload = {"iss": self.name, "vct": VCT, "iat": now + issued * DAY, "nbf": now + issued * DAY, "exp": now + expires * DAY,
                   "_sd_alg": digest, "_sd": digests, **claims}
        head = {"alg": self.algorithm, "typ": "dc+sd-jwt", "kid": self.kid, **header}
        head, payload = ({name: value for name, value in each.items() if value is not None} for each in (head, payload))
        signed = b64(compact(head).encode()) + "." + b64(compact(payload).encode())
        return "~".join([signed + "." + b64(self.sign(signed.encode())), *disclosures, ""])


def trust_entry(issuer: Issuer, **changes) -> dict:
    """What a trust file says of an issuer. A member changed to None is left out. The only place that knows the format."""
    entry = {
        "gatehouse-trust": 1,
        "ids": [issuer.name],
        "name": "Demo issuer",
        "keys": [{"kid": issuer.kid, "jwk": issuer.jwk()}],
        "forms": ["sd_jwt"],
        "algorithms": [issuer.algorithm],
        "types": [VCT],
        "claims": {"portrait": ["portrait"], "givenName": ["given_name"], "familyName": ["family_name"], "birthDate": ["birthdate"]},
        **changes,
    }
    return {name: value for name, value in entry.items() if value is not None}


def write_trust(folder, *issuers: Issuer) -> Path:
    """A trust folder: one file per issuer."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for index, issuer in enumerate(issuers):
        (folder / f"demo-{index}.json").write_text(json.dumps(trust_entry(issuer, name=f"Demo issuer {index}"), indent=2) + "\n")
    return folder


NO_USE = dict.fromkeys(("digital_signature", "content_commitment", "key_encipherment", "data_encipherment", "key_agreement", "key_cert_sign",
                        "crl_sign", "encipher_only", "decipher_only"), False)


class Authority:
    """A root that certifies issuers' keys."""

    def __init__(self) -> None:
        self.key = ec.generate_private_key(ec.SECP256R1())
        self.name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "Demo root")])
        self.certificate = self.certified(self.key.public_key(), self.name, -400, 4000, [
            (x509.BasicConstraints(ca=True, path_length=1), True),
            (x509.KeyUsage(**{**NO_USE, "key_cert_sign": True, "crl_sign": True}), True)])

    def certified(self, key, subject, begins: int, ends: int, extensions) -> x509.Certificate:
        now = datetime.datetime.now(datetime.timezone.utc)
        builder = x509.CertificateBuilder(
            self.name, subject, key, x509.random_serial_number(),
            now + datetime.timedelta(days=begins), now + datetime.timedelta(days=ends))
        for extension, critical in extensions:
            builder = builder.add_extension(extension, critical)
        return builder.sign(self.key, hashes.SHA256())

    def pem(self) -> str:
        return self.certificate.public_bytes(serialization.Encoding.PEM).decode()

    def x5c(self, issuer: Issuer, named: str | None = None, begins: int = -30, ends: int = 300) -> list[str]:
        """The header's chain: a certificate for the issuer's key, made for the issuer's URI or for `named`. Times are in days from now."""
        leaf = self.certified(issuer.key.public_key(), x509.Name([]), begins, ends, [
            (x509.SubjectAlternativeName([x509.UniformResourceIdentifier(named or issuer.name)]), True),
            (x509.BasicConstraints(ca=False, path_length=None), True),
            (x509.KeyUsage(**{**NO_USE, "digital_signature": True}), True)])
        return [base64.b64encode(leaf.public_bytes(serialization.Encoding.DER)).decode()]

    def x5c_of_root(self) -> list[str]:
        return [base64.b64encode(self.certificate.public_bytes(serialization.Encoding.DER)).decode()]


def bound(credential: str, holder: Issuer) -> str:
    """The credential with a key binding JWT of the holder's, perfect but for a challenge: Tuvali has none."""
    head = {"alg": holder.algorithm, "typ": "kb+jwt"}
    body = {"iat": int(time.time()), "aud": "https://gate.demo.gatehouse.example", "nonce": "none was given",
            "sd_hash": b64(hashlib.sha256(credential.encode()).digest())}
    signed = b64(compact(head).encode()) + "." + b64(compact(body).encode())
    return credential + signed + "." + b64(holder.sign(signed.encode()))


def wrap(credential, form: str = "vc+sd-jwt") -> bytes:
    """What Inji sends: the wallet's whole record of the credential, of which a verifier wants one value."""
    return compact({
        "vcMetadata": {"id": "demo", "issuer": "Demo", "format": form, "credentialType": ["Visitor"], "isVerified": True,
                       "timestamp": "", "mosipIndividualId": "", "downloadKeyType": "ES256", "issuerHost": "demo.gatehouse.example"},
        "verifiableCredential": {"credential": credential, "issuerLogo": {"url": "", "alt_text": "demo"},
                                 "wellKnown": "https://demo.gatehouse.example/.well-known/openid-credential-issuer",
                                 "credentialConfigurationId": "Visitor"},
        "generatedOn": "2026-01-01T00:00:00.000Z", "credential": None, "hashedId": "", "publicKey": "", "privateKey": "", "OTP": "",
        "error": "", "bindingTransactionId": "", "requestId": "", "downloadCounter": 0, "walletBindingResponse": None,
        "communicationDetails": None, "verificationStatus": None,
    }).encode()


# MARK: what must not pass

def with_claim_changed(credential: str) -> str:
    """A claim in the signed part, changed after signing."""
    signed, rest = credential.split("~", 1)
    head, payload, signature = signed.split(".")
    changed = {**json.loads(unb64(payload)), "exp": int(time.time()) + 3650 * DAY}
    return ".".join([head, b64(compact(changed).encode()), signature]) + "~" + rest


def with_disclosure_changed(credential: str) -> str:
    """Another name in a disclosure: its digest is no longer the one that was signed."""
    parts = credential.split("~")
    salt, name, _ = json.loads(unb64(parts[1]))
    return "~".join([parts[0], b64(compact([salt, name, "Mallory"]).encode()), *parts[2:]])


def with_signature_flipped(credential: str) -> str:
    signed, rest = credential.split("~", 1)
    head, payload, signature = signed.split(".")
    octets = bytearray(unb64(signature))
    octets[len(octets) // 2] ^= 1
    return ".".join([head, payload, b64(bytes(octets))]) + "~" + rest


def with_extra_disclosure(credential: str) -> str:
    """A disclosure that nothing in the signed part references."""
    extra = b64(compact([b64(random.randbytes(16)), "clearance", "all doors"]).encode())
    return credential + extra + "~"


def with_algorithm(credential: str, algorithm: str, key: bytes = b"") -> str:
    """The header says `none`, or a symmetric algorithm keyed with what everybody knows."""
    signed, rest = credential.split("~", 1)
    head, payload, signature = signed.split(".")
    signed = b64(compact({**json.loads(unb64(head)), "alg": algorithm}).encode()) + "." + payload
    if algorithm == "HS256":
        signature = b64(hmac.digest(key, signed.encode(), "sha256"))
    return signed + "." + signature + "~" + rest


def json_ld(name: str) -> dict:
    """A JSON-LD credential whose proof proves nothing."""
    return {"@context": ["https://www.w3.org/2018/credentials/v1"], "id": "https://demo.gatehouse.example/1",
            "type": ["VerifiableCredential", "VisitorCredential"], "issuer": name,
            "issuanceDate": "2026-01-01T00:00:00Z", "credentialSubject": {"fullName": "Asha Rao"},
            "proof": {"type": "RsaSignature2018", "created": "2026-01-01T00:00:00Z", "proofPurpose": "assertionMethod",
                      "verificationMethod": "https://demo.gatehouse.example/key", "jws": w.prng_text(342, 2)}}


# The reason Gatehouse gives for each of `refusals`.
REASONS = {
    "another type": "type-not-trusted", "claim changed": "signature-invalid", "disclosure changed": "disclosure-unreferenced",
    "signature flipped": "signature-invalid", "unknown issuer": "issuer-unknown", "known issuer, unknown key": "key-unknown",
    "expired": "expired", "not yet valid": "not-yet-valid", "unreferenced disclosure": "disclosure-unreferenced",
    "algorithm none": "algorithm-refused", "algorithm HS256": "algorithm-refused", "JSON-LD with an empty proof": "form-not-trusted",
    "text that is no credential": "unsupported-form", "empty object": "credential-missing", "not UTF-8": "unsupported-form",
    "deep nesting": "too-complex",
}


def refusals(issuer: Issuer, portrait: int = 2000) -> dict[str, bytes]:
    """Payloads a gate that trusts `issuer` must reject, by name."""
    good = issuer.credential(portrait)
    return {
        "another type": wrap(issuer.credential(portrait, vct="https://demo.gatehouse.example/other")),
        "claim changed": wrap(with_claim_changed(good)),
        "disclosure changed": wrap(with_disclosure_changed(good)),
        "signature flipped": wrap(with_signature_flipped(good)),
        "unknown issuer": wrap(Issuer(issuer.algorithm, "https://stranger.demo.gatehouse.example").credential(portrait)),
        "known issuer, unknown key": wrap(Issuer(issuer.algorithm, issuer.name).credential(portrait)),
        "expired": wrap(issuer.credential(portrait, issued=-60, expires=-1)),
        "not yet valid": wrap(issuer.credential(portrait, issued=2)),
        "unreferenced disclosure": wrap(with_extra_disclosure(good)),
        "algorithm none": wrap(with_algorithm(good, "none")),
        "algorithm HS256": wrap(with_algorithm(good, "HS256", compact(issuer.jwk()).encode())),
        "JSON-LD with an empty proof": wrap(json_ld(issuer.name), "ldp_vc"),
        "text that is no credential": b"good morning",
        "empty object": b"{}",
        "not UTF-8": b"\xff\xfe" * 40,
        "deep nesting": b'{"verifiableCredential":' + b"[" * 50000 + b"]" * 50000 + b"}",
    }


# MARK: a second opinion

def judge(payload: bytes, issuers: list[Issuer]) -> str:
    """Why this payload is rejected, or an empty string. Used by the reference gate; shares no code with the real one."""
    try:
        text = json.loads(payload)["verifiableCredential"]["credential"]
        signed, *disclosures, last = text.split("~")
        head, body, signature = signed.split(".")
        header, claims = json.loads(unb64(head)), json.loads(unb64(body))
    except Exception:
        return "not a credential"
    issuer = next((i for i in issuers if i.name == claims.get("iss") and i.kid == header.get("kid")), None)
    if issuer is None or header.get("alg") != issuer.algorithm:
        return "unknown issuer"
    if not issuer.verifies((head + "." + body).encode(), unb64(signature)):
        return "signature"
    if any(b64(hashlib.sha256(d.encode()).digest()) not in claims["_sd"] for d in disclosures) or last:
        return "disclosure nobody signed"
    if claims["vct"] != VCT:
        return "type"
    if not claims["nbf"] <= time.time() < claims["exp"]:
        return "not valid now"
    return ""


def from_jwk(name: str, algorithm: str, jwk: dict) -> Issuer:
    """The verifying half of an issuer, out of a trust folder."""
    number = lambda k: int.from_bytes(unb64(jwk[k]), "big")
    if jwk["kty"] == "OKP":
        public = ed25519.Ed25519PublicKey.from_public_bytes(unb64(jwk["x"]))
    elif jwk["kty"] == "EC":
        curve = {"P-256": ec.SECP256R1, "secp256k1": ec.SECP256K1}[jwk["crv"]]()
        public = ec.EllipticCurvePublicNumbers(number("x"), number("y"), curve).public_key()
    else:
        public = rsa.RSAPublicNumbers(number("e"), number("n")).public_key()
    return Issuer(algorithm, name, type("PublicHalf", (), {"public_key": lambda self: public})())


def read_trust(folder) -> list[Issuer]:
    entries = [json.loads(file.read_text()) for file in sorted(Path(folder).glob("*.json"))]
    return [from_jwk(e["ids"][0], e["algorithms"][0], key["jwk"]) for e in entries for key in e["keys"]]
