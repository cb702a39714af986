"""Issuers of claims for Trusted Key wallets (trustedkey.md sections 0 and 4), with a root made on the spot: the published one has expired. Nothing here is
shared with what reads it. No identity here is real."""
import datetime
import json
import time
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

ARC = "1.3.6.1.4.1.51341."
NAME, TYPE, CLASS, THUMBNAIL, PUBLIC_KEY, ASSURANCE, OF_AGE, ENDPOINT = "2.5.4.3", ARC + "1", ARC + "6", ARC + "11", ARC + "15", ARC + "16", ARC + "21", ARC + "24"
POSTAL = "2.5.4.16"
CLIENT, WALLET = "harbour-gate-2", "https://wallet.example/request"
LIST = "https://claims.demo.gatehouse.example/revoked"
AUTHORITY = ((x509.BasicConstraints(True, 2), True),
             (x509.KeyUsage(False, False, False, False, False, True, True, False, False), True))
CLAIM = ((x509.BasicConstraints(False, None), True),)


def named(parts) -> x509.Name:
    return x509.Name([x509.NameAttribute(x509.ObjectIdentifier(oid), text) for oid, text in parts])


def der(certificate: x509.Certificate) -> bytes:
    return certificate.public_bytes(serialization.Encoding.DER)


def address_of_key(key) -> str:
    """The name of a key in a list of what is revoked: the end of SHA-256 over X and Y."""
    digest = hashes.Hash(hashes.SHA256())
    digest.update(coordinates(key))
    return "0x" + digest.finalize()[-20:].hex()


def address_of(certificate: x509.Certificate) -> str:
    return f"0x{certificate.serial_number:040x}"


def coordinates(key) -> bytes:
    numbers = key.public_key().public_numbers()
    return numbers.x.to_bytes(32, "big") + numbers.y.to_bytes(32, "big")


class KeyAuthority:
    """A root, and an issuer of claims below it."""

    def __init__(self, name: str = "Harbour") -> None:
        self.name = name
        self.root_key, self.key = ec.generate_private_key(ec.SECP256R1()), ec.generate_private_key(ec.SECP256R1())
        self.root = self.certificate([(NAME, f"{name} Root")], self.root_key, f"{name} Root", self.root_key, AUTHORITY)
        self.issuer = self.certificate([(NAME, f"{name} Issuer")], self.key, f"{name} Root", self.root_key, AUTHORITY)
        self.revoked: list[str] = []

    @staticmethod
    def certificate(subject, key, issuer: str, signer, extensions, *, begins: float = -30, ends: float = 300, serial: int | None = None):
        """`begins` and `ends` are in days from now."""
        now = datetime.datetime.now(datetime.timezone.utc)
        builder = x509.CertificateBuilder(named([(NAME, issuer)]), named(subject), key.public_key(), serial or x509.random_serial_number(),
                                          now + datetime.timedelta(days=begins), now + datetime.timedelta(days=ends))
        for extension, critical in extensions:
            builder = builder.add_extension(extension, critical)
        return builder.sign(signer, hashes.SHA256())

    def claim(self, key, objects: dict[str, str], extensions=CLAIM, **more) -> x509.Certificate:
        """A claim over the holder's key; a value may be several, for an object that is said more than once."""
        parts = [(oid, text) for oid, value in objects.items() for text in ([value] if isinstance(value, str) else value)]
        return self.certificate(parts, key, f"{self.name} Issuer", self.key, extensions, **more)

    # MARK: what a gate is told

    def entry(self, *, objects=(NAME, OF_AGE), types=("Access",), claims=None, requires=("fullName",), **changes) -> dict:
        """The issuer's file in a trust folder."""
        return {"gatehouse-trust": 1, "ids": [f"https://{self.name.lower()}.claims.demo.gatehouse.example"], "name": self.name, "forms": ["trustedkey"],
                "trustedkey": {"clientId": CLIENT, "wallet": WALLET, "objects": list(objects), "revoked": LIST}, "types": list(types),
                "x509": {"roots": [self.root.public_bytes(serialization.Encoding.PEM).decode()]}, "claims": claims or {"fullName": [[NAME]]},
                **({"requires": list(requires)} if requires else {}), **changes}

    def write(self, folder: Path, *, fetched: float = -60, has_list: bool = True, **more) -> None:
        """The entry, and the list of what is revoked as it was `fetched` seconds from now."""
        (folder / f"claims-{self.name.lower()}.json").write_text(json.dumps(self.entry(**more), indent=2) + "\n")
        if not has_list:
            return
        (folder / "revoked.txt").write_text("".join(f"{each}\n" for each in sorted(self.revoked)))
        file = folder / "lists.json"
        lists = json.loads(file.read_text()) if file.exists() else {"gatehouse-lists": 1, "lists": []}
        at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + fetched))
        lists["lists"] = [each for each in lists["lists"] if each["url"] != LIST]
        lists["lists"].append({"kind": "trustedkey-addresses", "url": LIST, "file": "revoked.txt", "fetched": at})
        file.write_text(json.dumps(lists, indent=2) + "\n")
