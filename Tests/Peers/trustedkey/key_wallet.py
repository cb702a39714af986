"""A Trusted Key wallet (trustedkey.md sections 1 and 2): reads the code on a gate's screen and answers with a code of its own, as a phone would show it. No
wallet in a store does: the service has ended. Nothing here is shared with what reads it."""
import base64
import hashlib
import json
import random
import time
from urllib.parse import parse_qsl, quote, urlsplit

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, utils

from key_authority import ASSURANCE, CLASS, NAME, OF_AGE, POSTAL, TYPE, WALLET, KeyAuthority, address_of_key, coordinates, der

KIND = {TYPE: "Harbour pass", CLASS: "Access", ASSURANCE: "3.0"}
# As a claim's own issuer would make one for itself, to whom nobody has given leave.
STRANGER = KeyAuthority("Harbour")


def url_safe(octets: bytes) -> str:
    return base64.urlsafe_b64encode(octets).rstrip(b"=").decode()


def parsed(code: str) -> dict[str, str]:
    """What a request's code says."""
    parts = urlsplit(code)
    assert f"{parts.scheme}://{parts.netloc}{parts.path}" == WALLET, code
    members = dict(parse_qsl(parts.query, strict_parsing=True))
    assert len(base64.b64decode(members["nonce"], validate=True)) == 32, members
    return members


class KeyWallet:
    """A holder's phone, with the claims that an issuer made over its key."""

    def __init__(self, authority: KeyAuthority, client: str, name: str | None = None) -> None:
        self.authority, self.client = authority, client
        self.key = ec.generate_private_key(ec.SECP256R1())
        self.name = name or "Noor " + random.randbytes(4).hex()
        self.claims = [self.claim({NAME: self.name})]
        self.chain = [authority.issuer]
        # What is not as it should be, put into the next answer; a member that is None is left out.
        self.header: dict = {"alg": "ES256", "typ": "JWT"}
        self.payload: dict = {}
        self.parameters: dict = {}
        self.signer = self.key

    def claim(self, objects: dict, **more) -> x509.Certificate:
        """Of this kind, by the wallet's issuer, over its key, unless something else is said."""
        key, authority = more.pop("key", self.key), more.pop("authority", self.authority)
        return authority.claim(key, {**KIND, **objects, OF_AGE: objects.get(OF_AGE, "true")}, **more)

    @property
    def address(self) -> str:
        return address_of_key(self.key)

    def token(self, nonce: str) -> str:
        now, point = int(time.time()), coordinates(self.key)
        payload = {
            "iss": "https://self-issued.me", "sub": hashlib.sha256((self.client + self.address).encode()).hexdigest()[-40:], "aud": [self.client],
            "exp": now + 600, "iat": now, "nonce": nonce,
            "sub_jwk": {"kty": "EC", "crv": "P-256", "x": url_safe(point[:32]), "y": url_safe(point[32:])}, **self.payload}
        made = {name: value for name, value in payload.items() if value is not None}
        signed = ".".join(url_safe(json.dumps(part).encode()) for part in (self.header, made))
        r, s = utils.decode_dss_signature(self.signer.sign(signed.encode(), ec.ECDSA(hashes.SHA256())))
        return f"{signed}.{url_safe(r.to_bytes(32, 'big') + s.to_bytes(32, 'big'))}"

    def members(self, code: str) -> dict[str, str]:
        """The answer to a request's code, by its parameters."""
        request = parsed(code)
        return {"result": "success", "nonce": request["nonce"], "id_token": self.token(request["nonce"]), "certs": listed(self.claims),
                "chain": listed(self.chain), **self.parameters}

    def answer(self, code: str, callback: str | None = None) -> str:
        """The text of the code that the phone shows: the gate's address for answers with the answer behind it."""
        callback = callback or parsed(code)["callbackUrl"]
        query = "&".join(f"{name}={quote(value, safe='')}" for name, value in self.members(code).items() if value)
        return f"{callback}{'&' if '?' in callback else '?'}{query}"

    def filled(self, code: str, least: int, most: int) -> str:
        """An answer of so many octets: its claim has a long address. How long base64 becomes in a query is a matter of chance."""
        count = 10
        for _ in range(100):
            self.claims[0] = self.claim({NAME: self.name, POSTAL: "x" * count})
            text = self.answer(code)
            if least <= len(text) <= most:
                return text
            # base64 makes four characters of three.
            count = max(1, count + ((least + most) // 2 - len(text)) * 3 // 4)
        raise AssertionError(f"no answer of {least} to {most} octets: {len(text)}")


def listed(certificates) -> str:
    return ",".join(base64.b64encode(each if isinstance(each, bytes) else der(each)).decode() for each in certificates)
