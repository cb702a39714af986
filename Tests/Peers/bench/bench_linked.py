"""Verifying JSON-LD credentials: this gate's program against PyLD, on the same documents, in the same run.

    bench_linked.py [PATH OF gatehouse-bench] [--rounds N]

Both start at the received octets, have their contexts loaded and processed beforehand, and end with the signature verified. PyLD's side is
RDFC-1.0 of document and proof options by PyLD, the rest by hashlib and cryptography (libcrypto); it does not look at what is covered.
The credentials are published ones outside the repository (GATEHOUSE_SUITES); where they are absent, this says so.
"""
import argparse
import base64
import hashlib
import json
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ed25519, padding
from cryptography.hazmat.primitives.serialization import load_pem_public_key
from pyld import jsonld

ROOT = Path(__file__).resolve().parents[3]
BUILT = ROOT / ".build/release/gatehouse-bench"
SUITES = Path(os.environ.get("GATEHOUSE_SUITES", ROOT.parent / "shared/data")) / "credentials"
CONTEXTS = {
    "https://www.w3.org/2018/credentials/v1": "w3c-credentials-v1.jsonld",
    "https://www.w3.org/ns/credentials/v2": "w3c-credentials-v2.jsonld",
    "https://www.w3.org/ns/odrl.jsonld": "odrl-context.json",
    "https://w3id.org/security/suites/jws-2020/v1": "suites-jws-2020.jsonld",
    "https://w3id.org/security/suites/ed25519-2020/v1": "suites-ed25519-2020.jsonld",
    "https://api.collab.mosip.net/.well-known/mosip-ida-context.json": "mosip-ida-context.json",
    "https://mosip.github.io/inji-config/contexts/mock-identity-context.json": "mock-identity-context.json",
    "https://holashchand.github.io/test_project/insurance-context.json": "insurance-context.json",
}
KEYS = {
    "PS256SignedMosipVC.json": "public_key/idaPublicKey.json",
    "Ed25519Signature2020SignedSunbirdVC.json": "public_key/didMosipKey.json",
    "mosipUnrevokedVC.json": "mockDid.json",
}
SECURITY = "https://w3id.org/security#"
DATE = "http://www.w3.org/2001/XMLSchema#dateTime"
# The terms of proof options, as https://w3id.org/security/v3 has them.
OPTIONS = "https://w3id.org/security/v3"
OPTIONS_CONTEXT = {"@context": {
    "@version": 1.1, "@protected": True, "id": "@id", "type": "@type",
    "RsaSignature2018": SECURITY + "RsaSignature2018", "Ed25519Signature2020": SECURITY + "Ed25519Signature2020",
    "created": {"@id": "http://purl.org/dc/terms/created", "@type": DATE}, "expires": {"@id": SECURITY + "expiration", "@type": DATE},
    "verificationMethod": {"@id": SECURITY + "verificationMethod", "@type": "@id"},
    "proofPurpose": {"@id": SECURITY + "proofPurpose", "@type": "@vocab"},
    "assertionMethod": {"@id": SECURITY + "assertionMethod", "@type": "@id", "@container": "@set"},
}}
ALPHABET = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"


def base58(text: str) -> bytes:
    number = 0
    for letter in text:
        number = number * 58 + ALPHABET.index(letter)
    return bytes(len(text) - len(text.lstrip("1"))) + number.to_bytes((number.bit_length() + 7) // 8, "big")


def unpadded(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def pinned() -> dict:
    documents = {OPTIONS: OPTIONS_CONTEXT}
    for url, name in CONTEXTS.items():
        documents[url] = json.loads((SUITES / "contexts" / name).read_bytes())
    return documents


def public_key(method: str, file: Path):
    document = json.loads(file.read_bytes())
    entry = next(entry for entry in [document, *document.get("verificationMethod", [])] if entry.get("id") == method and "type" in entry)
    if "publicKeyPem" in entry:
        return load_pem_public_key(entry["publicKeyPem"].encode())
    return ed25519.Ed25519PublicKey.from_public_bytes(base58(entry["publicKeyMultibase"][1:])[2:])


def verify(octets: bytes, key, options: dict) -> None:
    """Raises where the signature does not verify."""
    document = json.loads(octets)
    proof = document.pop("proof")
    signature = {name: proof.pop(name) for name in ("jws", "proofValue") if name in proof}
    proof["@context"] = OPTIONS
    message = b"".join(hashlib.sha256(jsonld.normalize(part, options).encode()).digest() for part in (proof, document))
    if "jws" in signature:
        header, _, octets = signature["jws"].split(".")
        pss = padding.PSS(mgf=padding.MGF1(hashes.SHA256()), salt_length=32)
        key.verify(unpadded(octets), header.encode() + b"." + message, pss, hashes.SHA256())
    else:
        key.verify(base58(signature["proofValue"][1:]), message)


def measure(path: Path, rounds: int, documents: dict) -> float:
    def load(url, options):
        return {"contentType": "application/ld+json", "contextUrl": None, "documentUrl": url, "document": documents[url]}

    options = {"algorithm": "URDNA2015", "format": "application/n-quads", "base": None, "documentLoader": load}
    octets = path.read_bytes()
    key = public_key(json.loads(octets)["proof"]["verificationMethod"], path.parent / KEYS[path.name])
    verify(octets, key, options)
    times = []
    for _ in range(rounds):
        began = time.perf_counter()
        verify(octets, key, options)
        times.append(time.perf_counter() - began)
    return statistics.median(times)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("bench", nargs="?", default=str(BUILT))
    parser.add_argument("--rounds", type=int, default=15)
    options = parser.parse_args()
    output = subprocess.run([options.bench, "--verification"], check=True, capture_output=True, text=True).stdout
    figures = [json.loads(line) for line in output.splitlines() if line.startswith("{")]
    if not figures:
        print("verification against PyLD: skipped, the published credentials are not here (GATEHOUSE_SUITES)")
        return
    documents = pinned()
    for figure in figures:
        ours = figure["nanoseconds"] / 1e9
        theirs = measure(Path(figure["path"]), options.rounds, documents)
        print(f"verification against PyLD, {figure['name']}: {theirs * 1000:.1f} ms, gatehouse {ours * 1000:.2f} ms, "
              f"{theirs / ours:.0f} times as fast; goal 20")


if __name__ == "__main__":
    sys.exit(main())
