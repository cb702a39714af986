"""What makes two recordings alike: keys from a number instead of from chance, a clock that stands, and texts without the folder of the run.

Import this before any issuer: it changes how `issuer.Issuer` makes its keys and signs.
"""
import functools
import hashlib
import itertools
import os
import random
import re
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
PEERS = ROOT / "Tests" / "Peers"
for place in (PEERS, *(folder for folder in PEERS.rglob("*") if folder.is_dir() and folder.name != "__pycache__")):
    sys.path.append(str(place))

import issuer  # noqa: E402
import wallet  # noqa: E402
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa  # noqa: E402

# 2026-06-01, when everything but a visit happens.
NOW = 1_780_272_000
AT = "2026-06-01T00:00:00Z"
# How long things took, when they were, and how many pictures a camera had given by then.
SECONDS = re.compile(r'"(at|up|\w+Ms|faceFrames)":-?\d+')
PREVIOUS = re.compile(r'"prev":"[0-9a-f]{64}"')
DURATIONS = re.compile(r"\b(ms=|identified |received |opened |in (?=\d+ m?s\b))\d+")
# Long values, such as a portrait, by their digest.
LONG = re.compile(r"[A-Za-z0-9+/=_-]{300,}")
FRAMES = re.compile(r"\b\d+ frames, \d+ ms")
GATE = re.compile(r'"gate":"[0-9a-f]{16}"')
CODE = re.compile(r"(key=)[0-9a-f]{64}")


def stand_still() -> None:
    """The clock of this process; a program that is started has its own."""
    time.time = lambda: float(NOW)


# MARK: Keys

_numbers = itertools.count(1)


def prime(source: random.Random) -> int:
    """Of 1024 bits, fit for RSA with 65537. A composite that passes Miller-Rabin with eight random bases is not met in practice."""
    while True:
        found = source.getrandbits(1024) | 3 << 1022 | 1
        if any(found % small == 0 for small in (3, 5, 7, 11, 13, 17, 19, 23, 29, 31)) or found % 65537 == 1:
            continue
        odd = found - 1
        twos = (odd & -odd).bit_length() - 1
        odd >>= twos
        powers = (pow(source.randrange(2, found - 1), odd, found) for _ in range(8))
        if all(power in (1, found - 1) or any(pow(power, 1 << i, found) == found - 1 for i in range(1, twos)) for power in powers):
            return found


@functools.cache
def key(algorithm: str, number: int):
    if algorithm in issuer.CURVES:
        return ec.derive_private_key(number + 1000, issuer.CURVES[algorithm]())
    if algorithm == "EdDSA":
        return ed25519.Ed25519PrivateKey.from_private_bytes(number.to_bytes(32, "big"))
    # One key for all: it takes a second to find.
    source = random.Random(7)
    p, q, e = prime(source), prime(source), 65537
    d = pow(e, -1, (p - 1) * (q - 1))
    public = rsa.RSAPublicNumbers(e, p * q)
    return rsa.RSAPrivateNumbers(p, q, d, rsa.rsa_crt_dmp1(d, p), rsa.rsa_crt_dmq1(d, q), rsa.rsa_crt_iqmp(p, q), public).private_key()


def numbered_key(self) -> None:
    if self.key is None:
        self.key = key(self.algorithm, next(_numbers))


class RepeatableECDSA(ec.ECDSA):
    """RFC 6979: the same signature of the same octets."""

    def __init__(self, digest) -> None:
        super().__init__(digest, deterministic_signing=True)


def begin(name: str) -> None:
    """The same keys and the same choices for what has this name, whatever was recorded before."""
    global _numbers
    _numbers = itertools.count(1)
    random.seed(name)


issuer.Issuer.__post_init__ = numbered_key
issuer.ec = type("FixedCurves", (), {**vars(ec), "ECDSA": RepeatableECDSA})
compressed = wallet.gzip
# Times and digests in a credential compress to one octet more or less; a bomb has to be compressed.
wallet.gzip = lambda plain: wallet.stored_gzip(plain) if len(plain) < 1 << 20 else compressed(plain)


# MARK: Programs and texts

def program(name: str) -> str:
    return str(Path(os.environ["GATEHOUSE"]).with_name(name))


def normal(text: str, folder) -> str:
    """Without the times and places of this run."""
    text = text.replace(str(folder), "<folder>").replace(str(ROOT), "<package>")
    text = SECONDS.sub(r'"\1":0', PREVIOUS.sub('"prev":""', text))
    text = LONG.sub(lambda long: f"<{len(long[0])} characters, {hashlib.sha256(long[0].encode()).hexdigest()}>", text)
    text = GATE.sub('"gate":"<id>"', FRAMES.sub("some frames", text))
    return CODE.sub(r"\1<key>", DURATIONS.sub(r"\g<1>0", text))


def run(folder, *words, input: bytes = b"", named: str = "gatehouse") -> str:
    """What a program said and how it ended; one that goes on is ended, which is worth an entry too."""
    try:
        done = subprocess.run([program(named), *map(str, words)], input=input, capture_output=True, timeout=30, cwd=folder,
                              env={**os.environ, "COLUMNS": "100", "NO_COLOR": "1"})
    except subprocess.TimeoutExpired:
        return "goes on\n"
    parts = [f"exit {done.returncode}\n"]
    for stream, octets in (("out", done.stdout), ("errors", done.stderr)):
        if octets:
            text = normal(octets.decode(errors="backslashreplace"), folder)
            parts.append(f"{stream}:\n" + text + ("" if text.endswith("\n") else "\n(no line end)\n"))
    return "".join(parts)


class Record:
    """A file of entries; each has a name that no other has."""

    def __init__(self, path: Path) -> None:
        self.file, self.names = open(path, "w"), set()

    def add(self, name: str, text: str) -> None:
        assert name not in self.names, name
        self.names.add(name)
        self.file.write(f"=== {name}\n{text}" + ("" if text.endswith("\n") else "\n"))
        self.file.flush()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.file.close()
