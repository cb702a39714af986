"""What a judgement of AnonCreds, of a DIDComm envelope and of a Trusted Key answer takes, beside a peer or a floor on the same octets, by turns.

    bench_proofs.py [PATH OF proof-speed] [--rounds N]

AnonCreds: the package `anoncreds` (Rust, OpenSSL), from the presentation's JSON to its verdict, everything else loaded beforehand; so is ours.
Envelopes: libsodium by PyNaCl, the same boxes and cipher and nothing else. Trusted Key: libcrypto by `cryptography`, the same signature checks and
the same certificates read. All figures are processor time, of all threads: a busy machine adds less to it than to a clock's. Memory is what the
first judgement in a new process makes resident, or takes of the heap where that is more.
The vectors are outside the repository (GATEHOUSE_SUITES); where they are absent, this says so.
"""
import argparse
import base64
import json
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

from anoncreds import CredentialDefinition, Presentation, RevocationRegistryDefinition, RevocationStatusList, Schema, W3cPresentation
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, padding, utils
from nacl import bindings

ROOT = Path(__file__).resolve().parents[3]
SUITES = Path(os.environ.get("GATEHOUSE_SUITES", ROOT.parent / "shared/data"))
ANONCREDS = ["a01_revealed", "a02_revealed_unrevealed_ge", "a07_negative_thresholds", "a08_two_credentials", "a13_portrait", "a14_not_revoked",
             "a15_not_revoked_by_item", "w01_revealed_le", "w05_not_revoked"]
GOAL, STRETCH, MEMORY = 1.1, 0.4, 4 << 20


def unpadded(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


class Package:
    """`anoncreds` with the objects of a vector's bundle; called, it judges the octets once."""
    context = None

    def __init__(self, name: str):
        folder = SUITES / "anoncreds"
        if Package.context is None:
            Package.context = json.loads((folder / "context.json").read_text())
        vector = json.loads((folder / "vectors" / f"{name}.json").read_text())
        self.schemas = {key: Schema.load(json.dumps(value)) for key, value in self.context["schemas"].items()}
        self.definitions = {key: CredentialDefinition.load(json.dumps(value)) for key, value in self.context["cred_defs"].items()}
        self.registries = {key: RevocationRegistryDefinition.load(json.dumps(value)) for key, value in vector["rev_reg_defs"].items()} or None
        self.lists = [RevocationStatusList.load(json.dumps(value)) for value in vector["rev_status_lists"]] or None
        self.form = W3cPresentation if vector["form"] == "w3c" else Presentation
        self.request, self.presentation = json.dumps(vector["pres_req"]), json.dumps(vector["presentation"])

    def __call__(self):
        presentation = self.form.load(self.presentation)
        assert presentation.verify(self.request, self.schemas, self.definitions, self.registries, self.lists)


class Boxes:
    """The opening of `packed_v2` of messages.json, by libsodium."""

    def __init__(self, name: str):
        keys = json.loads((SUITES / "aries/envelopes.json").read_text())
        self.text = json.dumps(json.loads((SUITES / "aries/messages.json").read_text())[name])
        self.seed, self.kid = bytes.fromhex(keys["gate"]["ed25519_seed"]), keys["gate"]["kid"]
        self.senders = {keys[who]["kid"]: bytes.fromhex(keys[who]["ed25519_public"]) for who in ("gate", "wallet", "other")}

    def __call__(self):
        public, secret = bindings.crypto_sign_seed_keypair(self.seed)
        public, secret = bindings.crypto_sign_ed25519_pk_to_curve25519(public), bindings.crypto_sign_ed25519_sk_to_curve25519(secret)
        envelope = json.loads(self.text)
        protected = json.loads(unpadded(envelope["protected"]))
        entry = next(entry for entry in protected["recipients"] if entry["header"]["kid"] == self.kid)
        sender = bindings.crypto_box_seal_open(unpadded(entry["header"]["sender"]), public, secret).decode()
        other = bindings.crypto_sign_ed25519_pk_to_curve25519(self.senders[sender])
        key = bindings.crypto_box_open(unpadded(entry["encrypted_key"]), unpadded(entry["header"]["iv"]), other, secret)
        assert bindings.crypto_aead_chacha20poly1305_ietf_decrypt(
            unpadded(envelope["ciphertext"]) + unpadded(envelope["tag"]), envelope["protected"].encode(), unpadded(envelope["iv"]), key)


class Signatures:
    """The signature checks of a Trusted Key answer by URL, by libcrypto, and its certificates read."""

    def __init__(self, name: str):
        vector = json.loads((SUITES / "trustedkey/vectors" / f"{name}.json").read_text())
        parameters = parse_qs(urlsplit(vector["callback"]).query)
        self.token = parameters["id_token"][0]
        self.claims = [base64.b64decode(text) for text in parameters["certs"][0].split(",")]
        self.chain = [base64.b64decode(text) for text in parameters.get("chain", [""])[0].split(",") if text]
        self.roots = [x509.load_der_x509_certificate(base64.b64decode(text)) for text in vector["trusted_roots"]]

    def __call__(self):
        signed, _, signature = self.token.rpartition(".")
        octets, key = unpadded(signature), json.loads(unpadded(signed.split(".")[1]))["sub_jwk"]
        numbers = ec.EllipticCurvePublicNumbers(*(int.from_bytes(unpadded(key[name])) for name in "xy"), ec.SECP256R1())
        pair = utils.encode_dss_signature(int.from_bytes(octets[:32]), int.from_bytes(octets[32:]))
        numbers.public_key().verify(pair, signed.encode(), ec.ECDSA(hashes.SHA256()))
        chain = [x509.load_der_x509_certificate(der) for der in self.chain]
        for certificate in [x509.load_der_x509_certificate(der) for der in self.claims] + chain:
            issuer = next(other for other in chain + self.roots if other.subject == certificate.issuer)
            how = [ec.ECDSA(certificate.signature_hash_algorithm)] if isinstance(issuer.public_key(), ec.EllipticCurvePublicKey) else [
                padding.PKCS1v15(), certificate.signature_hash_algorithm]
            issuer.public_key().verify(certificate.signature, certificate.tbs_certificate_bytes, *how)


class Gate:
    """The gate's program, which measures itself."""

    def __init__(self, program: str):
        self.program = program
        self.process = subprocess.Popen([program, "serve", str(SUITES)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def seconds(self, name: str) -> float:
        self.process.stdin.write(name + "\n")
        self.process.stdin.flush()
        return int(self.process.stdout.readline()) / 1e9

    def memory(self, name: str) -> int:
        return int(subprocess.run([self.program, "memory", str(SUITES), name], check=True, capture_output=True, text=True).stdout)


def by_turns(gate: Gate, name: str, peer, rounds: int) -> tuple:
    """Medians of processor time, in seconds: ours and the peer's, and the median of the ratios of one turn."""
    gate.seconds(name)
    peer()
    ours, theirs = [], []
    for _ in range(rounds):
        ours.append(gate.seconds(name))
        began = time.process_time()
        peer()
        theirs.append(time.process_time() - began)
    return statistics.median(ours), statistics.median(theirs), statistics.median(a / b for a, b in zip(ours, theirs))


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("program", nargs="?", default=str(ROOT / ".build/release/proof-speed"))
    parser.add_argument("--rounds", type=int, default=15)
    options = parser.parse_args()
    if not (SUITES / "anoncreds/context.json").exists():
        print("proofs: skipped, the vectors are not here (GATEHOUSE_SUITES)")
        return 0
    gate = Gate(options.program)
    for name in ANONCREDS:
        ours, theirs, ratio = by_turns(gate, f"anoncreds/{name}", Package(name), options.rounds)
        memory = gate.memory(f"anoncreds/{name}")
        print(f"AnonCreds {name}: {ours * 1e3:.1f} ms, {ratio:.2f} times the package anoncreds ({theirs * 1e3:.1f} ms); goal {GOAL}, stretch "
              f"{STRETCH}; {memory / 1024:.0f} kB, goal {MEMORY // 1024}", flush=True)
    for name, peer, what in (("aries/packed_v2", Boxes("packed_v2"), "libsodium's boxes and cipher alone, by PyNaCl"),
                             ("trustedkey/a03_two_claims", Signatures("a03_two_claims"), "libcrypto's signature checks alone, by cryptography")):
        ours, theirs, ratio = by_turns(gate, name, peer, 10 * options.rounds)
        print(f"{name}: {ours * 1e3:.2f} ms, {ratio:.2f} times {what} ({theirs * 1e3:.2f} ms); {gate.memory(name) / 1024:.0f} kB", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
