"""Trust bundles as their operators make them: keys made on the spot, a root file, and the program's own commands. Nobody real signs anything here."""
import json
import subprocess
import time
from pathlib import Path

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ed25519

from gate import command
from issuer import DAY

NAMES = ("first", "second", "third")


def rfc3339(seconds: float) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))


def trust_command(*words) -> str:
    """Runs `gatehouse trust ...` and returns what it says."""
    done = subprocess.run([*command(), "trust", *map(str, words)], capture_output=True, timeout=60)
    if done.returncode:
        raise RuntimeError(f"gatehouse trust {words[0]}: {done.returncode}: {done.stderr.decode().strip()}")
    return done.stdout.decode()


class Operators:
    """Some people with a key each, of whom `threshold` have to sign."""

    def __init__(self, folder, threshold: int = 2, names: tuple[str, ...] = NAMES) -> None:
        self.folder, self.threshold, self.names = Path(folder), threshold, names
        self.folder.mkdir(parents=True, exist_ok=True)
        signers = []
        for name in names:
            key = ed25519.Ed25519PrivateKey.generate()
            self.key_file(name).write_bytes(key.private_bytes(
                serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()))
            signers.append({"kid": name, "pem": key.public_key().public_bytes(
                serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo).decode()})
        self.root = self.folder / "root.json"
        self.root.write_text(json.dumps({"gatehouse-root": 1, "threshold": threshold, "signers": signers}, indent=2) + "\n")

    def key_file(self, name: str) -> Path:
        return self.folder / f"{name}.pem"

    def sign(self, source, *, sequence: int = 1, begins: float = -1, ends: float = 365, created: float = -0.01, clock: str = "reject",
             by: int | None = None) -> Path:
        """The bundle of a trust folder, signed by the first `by` of them, whatever its lists say. Times are in days from now."""
        now = time.time()
        (Path(source) / "bundle.json").write_text(json.dumps({
            "gatehouse-bundle": 1, "sequence": sequence, "notBefore": rfc3339(now + begins * DAY), "notAfter": rfc3339(now + ends * DAY),
            "clock": clock}))
        file = self.folder / f"bundle-{sequence}"
        trust_command("build", source, "--out", file, "--created", rfc3339(now + created * DAY), "--allow-silent-lists")
        for name in self.names[: self.threshold if by is None else by]:
            trust_command("sign", file, "--key", self.key_file(name), "--kid", name, "--root", self.root, "--out", file, "--allow-silent-lists")
        return file

    def install(self, source, into, *, at: float = 0, **options) -> str:
        """The same, put where a gate takes it from; `at` is in days from now."""
        Path(into).mkdir(parents=True, exist_ok=True)
        file = self.sign(source, **options)
        return trust_command("install", file, "--root", self.root, "--into", into, "--at", rfc3339(time.time() + at * DAY), "--allow-silent-lists")
