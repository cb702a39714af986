"""An operator's desk: what the commands for trust, orders, sites and audit logs are tried with."""
import hashlib
import json
import re
from pathlib import Path

from fixed import AT, Record, begin, key, run

import issuer
from cryptography.hazmat.primitives import serialization
from status_lists import token_jwt

# By the clock of the machine, which `--at` does not reach everywhere.
AGES = re.compile(r'"age":\d+|\b\d+ (?=seconds|minutes|hours|days|months|years)')
LIST = "https://list.example/1"
CONTEXT = b'{"@context":{"@version":1.1}}\n'


def ageless(text: str) -> str:
    return AGES.sub("<age> ", text)


class Desk:
    """A folder with everything an operator has: a trust folder, signers, orders, an audit log."""
    def __init__(self, record: Record, folder: Path) -> None:
        self.record, self.folder = record, folder
        begin("commands")
        self.issuer = issuer.Issuer("EdDSA", "https://issuer.example")
        self.signers()
        self.source("source")

    def add(self, name: str, *words, input: bytes = b"", made: str = "", named: str = "gatehouse") -> None:
        """What the program says, and the digest of the file it made."""
        text = run(self.folder, *words, input=input, named=named)
        if words[:1] == ("trust",) and "--help" not in words:
            text = ageless(text)
        if made:
            file = self.folder / made
            text += f"made {hashlib.sha256(file.read_bytes()).hexdigest() if file.is_file() else 'nothing'}\n"
        self.record.add(name, text)

    def write(self, name: str, content) -> None:
        file = self.folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content if isinstance(content, bytes) else (content if isinstance(content, str) else json.dumps(content)).encode())

    def signers(self) -> None:
        entries, plain = [], serialization.NoEncryption()
        for number, name in enumerate(("alice", "bob", "carol", "mallory")):
            private = key("EdDSA", 100 + number)
            self.write(f"{name}.pem", private.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, plain))
            public = private.public_key().public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
            entries.append({"kid": name, "pem": public.decode()})
        self.write("root.json", {"gatehouse-root": 1, "threshold": 2, "signers": entries[:3]})

    def source(self, name: str, statuses: dict = {}, **changes) -> None:
        year = 365 * issuer.DAY
        self.write(f"{name}/demo.json", issuer.trust_entry(self.issuer, status={"softAge": year, "hardAge": year}, **changes))
        self.write(f"{name}/contexts/v1.jsonld", CONTEXT)
        self.write(
            f"{name}/contexts.json", {
                "gatehouse-contexts": 1, "contexts": [{
                    "url": "https://context.example/v1", "file": "contexts/v1.jsonld", "sha256": hashlib.sha256(CONTEXT).hexdigest()
                }]
            })
        self.write(f"{name}/list", token_jwt(self.issuer, LIST, statuses, bits=2, expires=None))
        self.write(f"{name}/lists.json", {"gatehouse-lists": 1, "lists": [{"url": LIST, "file": "list", "fetched": AT}]})
        self.write(f"{name}/bundle.json", {
            "gatehouse-bundle": 1, "sequence": 7, "notBefore": "2026-01-01T00:00:00Z", "notAfter": "2031-01-01T00:00:00Z", "clock": "reject"
        })
