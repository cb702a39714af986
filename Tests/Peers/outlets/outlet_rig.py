"""One outlet under test: an audit log as a gate writes it, and `gatehouse-relay` beside it. The program is $GATEHOUSE_RELAY, or the one beside
the gate.
"""
import fcntl
import hashlib
import json
import os
import signal
import subprocess
import time
from pathlib import Path

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec

from gate import command
from list_server import Authority

# Seconds after which something will not come any more, on a machine that does a lot besides.
PATIENCE = 120
GATE = "east-1"
BEGIN = 1_800_000_000


def program() -> str:
    return os.environ.get("GATEHOUSE_RELAY") or str(Path(command()[0]).with_name("gatehouse-relay"))


def until(condition, what="it", patience: float = PATIENCE, pause: float = 0.02):
    """What `condition` says as soon as that is something; waits no longer than somebody's patience."""
    deadline = time.monotonic() + patience
    while time.monotonic() < deadline:
        if found := condition():
            return found
        time.sleep(pause)
    raise AssertionError(f"{what() if callable(what) else what} did not come in {patience} s")


class AuditWriter:
    """A gate's log of one segment, with its lock."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self.file = open(folder / "audit.jsonl", "ab")
        self.sequence, self.previous = 0, "0" * 64
        self.lock = open(folder / "audit.lock", "w")
        self.hold(True)

    def hold(self, holds: bool) -> None:
        fcntl.flock(self.lock, fcntl.LOCK_EX if holds else fcntl.LOCK_UN)

    def append(self, event: str, **members) -> str:
        self.sequence += 1
        record = {"seq": self.sequence, "prev": self.previous, "at": BEGIN + self.sequence, "up": 1000 * self.sequence, "event": event}
        record |= members
        line = json.dumps(record, separators=(",", ":"))
        self.previous = hashlib.sha256(line.encode()).hexdigest()
        self.file.write(line.encode() + b"\n")
        return line

    def start(self, **members) -> None:
        self.append("started", **{"version": "1.2.3", "slot": "A", "name": "EAST", "gate": "10000000abcdef01", "clock": "sure",
                                  "face": "off", "bundle": 41, "bundleNotAfter": BEGIN + 86_400 * 90, **members})
        self.file.flush()

    def visits(self, count: int) -> None:
        """Every tenth is rejected; each has what a record of a visit by radio has."""
        for _ in range(count):
            number = self.sequence + 1
            verdict = {"outcome": "rejected", "reasons": ["expired"]} if number % 10 == 0 else {"outcome": "accepted"}
            self.append("visit", visit=number, **verdict, form="sd_jwt", issuer="https://issuer.example", bundle=41, mtu=517, chunks=41,
                        checksumFailures=0, sizeClass=14, identifiedMs=9, receivedMs=74, openedMs=74, decidedMs=76)
        self.file.flush()


class Relay:
    """The process, its settings and its folder. It may be ended, killed and started again."""

    def __init__(self, kind: str, folder: Path, log: Path, /, **settings) -> None:
        self.kind, self.folder, self.log = kind, folder, log
        self.state = folder / kind
        self.state.mkdir(parents=True, exist_ok=True)
        self.settings = folder / f"{kind}.json"
        self.process: subprocess.Popen | None = None
        self.errors = folder / f"{kind}.errors"
        # What the command begins with, where the process is to see another disk; then `state` is where we see it.
        self.prefix: list[str] = []
        self.set(**{"gate": GATE, **settings})

    def set(self, **settings) -> None:
        self.settings.write_text(json.dumps({name: str(value) if isinstance(value, Path) else value for name, value in settings.items()}))

    def command(self, *more: str) -> list[str]:
        words = ("--settings", str(self.settings), "--log", str(self.log), "--state", str(self.folder / self.kind))
        return [*self.prefix, program(), self.kind, *words, *more]

    def check(self) -> subprocess.CompletedProcess:
        return subprocess.run(self.command("--check"), capture_output=True, text=True, timeout=PATIENCE)

    def start(self, *more: str, environment: dict[str, str] = {}) -> "Relay":
        # What is read from now on is this process's.
        (self.state / "status").unlink(missing_ok=True)
        with open(self.errors, "ab") as errors:
            self.process = subprocess.Popen(self.command("--confine", os.environ.get("CONFINE", "required"), *more), stderr=errors,
                                            env=os.environ | environment)
        return self

    def end(self) -> int:
        return self._end(signal.SIGTERM)

    def kill(self) -> None:
        self._end(signal.SIGKILL)

    def _end(self, by: int) -> int:
        if self.process is None:
            return 0
        self.process.send_signal(by)
        code = self.process.wait(PATIENCE)
        self.process = None
        return code

    def said(self) -> str:
        return self.errors.read_text() if self.errors.exists() else ""

    def cursor(self) -> int:
        return self._state("cursor").get("seq", 0)

    def status(self) -> dict:
        return self._state("status")

    def _state(self, name: str) -> dict:
        try:
            return json.loads((self.state / name).read_text())
        except FileNotFoundError:
            return {}

    def trouble(self, code: str, state: str = "waiting") -> None:
        until(lambda: (self.status().get("trouble"), self.status().get("state")) == (code, state),
              lambda: f"{code} ({self.status()}, {self.said()})")

    def says(self, words: str) -> None:
        """Waits for it to have said this, however soon it went on."""
        until(lambda: words in self.said(), lambda: f"{words} ({self.status()}, {self.said()})")

    def __enter__(self) -> "Relay":
        return self.start()

    def __exit__(self, *_) -> None:
        if self.process is not None:
            self.kill()


class Holder:
    """A certificate with its key, in files."""

    def __init__(self, authority: Authority, name: str, folder: Path) -> None:
        key = ec.generate_private_key(ec.SECP256R1())
        self.certificate, self.key = folder / f"{name}.crt", folder / f"{name}.key"
        pem = serialization.Encoding.PEM
        self.certificate.write_bytes(authority.certificate(name, key, (name,)).public_bytes(pem))
        self.key.write_bytes(key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()))
        self.key.chmod(0o600)
