"""What `gatehouse verify` says, in text and as JSON: of the published samples under several trusts and times, of every file of the suites,
and of what the tests' own issuers sign."""
import json
import os
import shutil
import time
from pathlib import Path

from fixed import NOW, ROOT, Record, begin, run

import issuer
from cwt_issuer import CWTIssuer
from linked_forms import forms
from linked_issuer import LinkedIssuer, write_trust
from linked_proof_sets import chains, proof_sets
from linked_refusals import acceptances, context_attacks, refusals
from status_lists import entry, list_credential, token_cwt, token_jwt, with_status, write_lists
from trust_bundle import Operators

YEAR = 366 * 86_400
LARGEST = 2 << 20
# What an accepted credential is asked about most: each suite once, and both ways to read the options of an older one.
KINDS = (("RsaSignature2018 PS256", "v3"), ("Ed25519Signature2018 EdDSA", "document"), ("EcdsaSecp256k1Signature2019 ES256K", "v3"),
         ("JsonWebSignature2020 ES256", "v3"), ("Ed25519Signature2020 EdDSA", "document"), ("eddsa-rdfc-2022 EdDSA", "document"),
         ("ecdsa-rdfc-2019 ES384", "document"), ("eddsa-jcs-2022 EdDSA", "document"), ("ecdsa-jcs-2019 ES256", "document"))


def moment(seconds: int) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))


class Verification:
    """Verifies files in a folder of its own, and writes down what was said."""
    def __init__(self, record: Record, folder: Path) -> None:
        self.record, self.folder = record, folder
        self.file = folder / "credential"

    def both(self, name: str, octets: bytes, trust, at: int = NOW, *options) -> None:
        self.one(name, octets, trust, at, *options)
        self.one(name + ", JSON", octets, trust, at, "--json", *options)

    def one(self, name: str, octets: bytes, trust, at: int = NOW, *options) -> None:
        self.file.write_bytes(octets)
        self.record.add(name, run(self.folder, "verify", "credential", "--trust", trust, "--at", moment(at), *options))


def samples(verification: Verification, made: Path) -> None:
    """Those mutation-check accepts, with the trust under which it does."""
    index = json.loads((made / "index.json").read_text())
    for number, sample in enumerate(index):
        own, at = made / sample["folder"], sample["at"]
        octets, trust = (own / "message").read_bytes(), own / "trust"
        name = f"sample {sample['name']}: "
        verification.both(name + "as it is", octets, trust, at)
        for years in (-30, -1, 1, 30):
            verification.both(f"{name}{years:+} years", octets, trust, at + years * YEAR)
        for second in (-1, 1):
            verification.one(f"{name}{second:+} s", octets, trust, at + second)
        verification.both(name + "in a wallet's message", issuer.wrap(octets.decode(), "other"), trust, at)
        verification.both(name + "cut", octets[:len(octets) * 2 // 3], trust, at)
        changed = shutil.copytree(trust, verification.folder / "changed", dirs_exist_ok=True)
        (changed / "lists.json").unlink()
        verification.both(name + "no status list", octets, changed, at)
        (changed / "contexts.json").unlink()
        verification.both(name + "no context", octets, changed, at)
        (changed / "issuer-00.json").unlink()
        (changed / "issuer-01.json").unlink()
        verification.both(name + "nobody trusts its issuer", octets, changed, at)
        shutil.rmtree(changed)
        for what, change in (("another algorithm", {"algorithms": ["ES384"]}), ("another form", {"forms": ["jwt_vc"]}),
                             ("another type", {"types": ["urn:other"]}), ("no key", {"keys": []}),
                             ("more is required", {"requires": ["documentNumber"]}), ("status ignored", {"status": {"unknown": "ignore"}}),
                             ("status counts", {"status": {"unknown": "reject", "softAge": 1, "hardAge": 2}})):
            changed = shutil.copytree(trust, verification.folder / "changed", dirs_exist_ok=True)
            file = changed / "issuer-00.json"
            file.write_text(json.dumps({**json.loads(file.read_text()), **change}))
            verification.both(name + what, octets, changed, at)
            shutil.rmtree(changed)


def everybody(made: Path, folder: Path) -> Path:
    """A trust folder with every issuer of a sample."""
    trust = shutil.copytree(made / "1" / "trust", folder / "everybody")
    (trust / "issuer-01.json").unlink()
    return trust


def files(verification: Verification, trust: Path) -> None:
    """Every file of the suites, whatever it is."""
    suites = Path(os.environ.get("GATEHOUSE_SUITES", ROOT.parent / "shared" / "data"))
    for file in sorted(path for path in suites.rglob("*") if path.is_file() and 0 < path.stat().st_size <= LARGEST):
        name, octets = f"file {file.relative_to(suites)}", file.read_bytes()
        # Tests of JSON-LD alone have no credential in them: once is enough.
        (verification.one if "tests" in file.parts else verification.both)(name, octets, trust)
        if file.suffix == ".json" and b"credentialSubject" in octets or "sd-jwt" in str(file):
            verification.one(name + ", as before it", octets, trust, NOW - 12 * YEAR, "--json")


def sd_jwt(verification: Verification) -> None:
    """The refusals of the tests' SD-JWT issuer, and what else a wallet may bring of its."""
    for algorithm in issuer.ALGORITHMS:
        begin(algorithm)
        signer = issuer.Issuer(algorithm)
        trust = issuer.write_trust(verification.folder / f"trust-{algorithm}", signer)
        name = f"SD-JWT {algorithm}: "
        verification.both(name + "good", signer.credential().encode(), trust)
        if algorithm in ("RS256", "PS256"):
            continue
        for what, payload in issuer.refusals(signer).items():
            verification.both(name + what, payload, trust)
        for digest in ("sha-384", "sha-512", "sha3-256", "md5"):
            verification.both(name + digest, signer.credential(digest=digest).encode(), trust)
        for what, header in (("no kid", {"kid": None}), ("another typ", {"typ": "JWT"}), ("crit", {"crit": ["b64"]}), ("x5c",
                                                                                                                       {"x5c": ["AAAA"]})):
            verification.both(name + what, signer.credential(header=header).encode(), trust)
        for what, claims in (("no iss", {"iss": None}), ("no vct", {"vct": None}), ("aud", {"aud": "https://elsewhere.example"}),
                             ("exp of text", {"exp": "soon"}), ("iat to come", {"iat": NOW + YEAR}), ("no exp", {"exp": None}),
                             ("status", {"status": {"status_list": {"idx": 1, "uri": "https://list.example"}}}), ("everything", {
                                 "exp": NOW - 1, "nbf": NOW + YEAR, "iat": NOW + YEAR, "vct": "urn:other", "aud": "urn:other",
                                 "status": {"status_list": {"idx": 1, "uri": "https://list.example"}}
                             })):
            verification.both(name + what, signer.credential(**claims).encode(), trust)
        holder = issuer.Issuer("ES256")
        for what, confirmed in (("a key binding", {"cnf": {"jwk": holder.jwk()}}), ("a key binding without a key", {})):
            verification.both(name + what, issuer.bound(signer.credential(**confirmed), holder).encode(), trust)
            verification.both(name + what + " of others",
                              issuer.bound(signer.credential(**confirmed), issuer.Issuer("ES256")).encode(), trust)


def linked(verification: Verification) -> None:
    """JSON-LD: all that the tests know to be right or wrong."""
    for suite, options in KINDS:
        begin(suite)
        signer = LinkedIssuer(suite, options)
        cases = [*acceptances(signer), *forms(signer), *context_attacks(signer), *refusals(signer), *proof_sets(signer)]
        if signer.suite.is_data_integrity:
            cases += chains(signer)
        trusts: list[tuple] = []
        for number, case in enumerate(cases):
            trust = next((folder for issuers, folder in trusts if issuers == case.issuers), None)
            if trust is None:
                trust = write_trust(verification.folder / f"linked {suite} {len(trusts)}", *case.issuers)
                trusts.append((case.issuers, trust))
            verification.one(f"JSON-LD {suite} {number}: {case.name}", case.wrapped, trust, NOW, "--json")


def statuses(verification: Verification) -> None:
    """Lists of each kind, at every age, and a bundle with a first day and a last."""
    begin("statuses")
    base, fetched = "https://issuer.demo.gatehouse.example/status/", NOW - 3600
    token, other = issuer.Issuer("EdDSA"), issuer.Issuer("EdDSA", "https://other.demo.gatehouse.example")
    web, cwt = LinkedIssuer("eddsa-rdfc-2022 EdDSA", "document"), CWTIssuer("EdDSA")
    source = verification.folder / "status"
    write_trust(source, web)
    policy = {"status": {"unknown": "reject", "softAge": 86_400, "hardAge": 864_000}}
    (source / "token.json").write_text(json.dumps(issuer.trust_entry(token, **policy)))
    (source / "cwt.json").write_text(json.dumps(cwt.trust(**policy)))
    (source / "linked-0.json").write_text(json.dumps(web.trust(**policy)))
    lists = {
        "jwt": token_jwt(token, base + "jwt", {1: 1, 2: 2, 3: 3}, bits=2), "short": token_jwt(token, base + "short", {}, expires=1),
        "of others": token_jwt(other, base + "of others", {}), "misnamed": token_jwt(token, base + "another", {}),
        "cwt": token_cwt(cwt, base + "cwt", {1: 1}), "web": list_credential(web, base + "web",
                                                                            [1]), "suspension": list_credential(web,
                                                                                                                base + "suspension", [1],
                                                                                                                purpose="suspension"),
        "noise": b"noise", "to come": token_jwt(token, base + "to come", {}, issued=3)
    }
    write_lists(source, {base + name: content for name, content in lists.items()}, fetched)
    sd = lambda name, index: token.credential(status={"status_list": {"idx": index, "uri": base + name}}).encode()
    cases = {
        f"{name} {index}": sd(name, index)
        for name in ("jwt", "cwt", "short", "of others", "misnamed", "noise", "to come", "absent")
        for index in (0, 1, 2, 3, 9_999_999)
    }
    for name, purpose in (("web", "revocation"), ("suspension", "suspension"), ("web", "suspension")):
        for index in (0, 1):
            document = with_status(web.document(30), entry(base + name, index, purpose))
            cases[f"JSON-LD {name} {purpose} {index}"] = issuer.wrap(web.secured(document), "ldp_vc")
    for index in (0, 1):
        cases[f"CWT {index}"] = cwt.token(c65535={"status_list": {"idx": index, "uri": base + "cwt"}})
    cases["CWT without"], cases["CWT cut"] = cwt.token(), cwt.token()[:-20]
    cases["CWT expired"] = cwt.token(issued=-60, expires=-1)
    for name, octets in cases.items():
        verification.both(f"status {name}", octets, source)
        for days in (2, 20):
            verification.one(f"status {name}, {days} days on", octets, source, NOW + days * issuer.DAY, "--json")
    bundles(verification, source, {"good": sd("jwt", 0), "revoked": sd("jwt", 1), "noise": b"noise"})


def bundles(verification: Verification, source: Path, cases: dict[str, bytes]) -> None:
    operators = Operators(verification.folder / "operators")
    for clock in ("reject", "accept"):
        into = verification.folder / f"installed-{clock}"
        operators.install(source, into, clock=clock, begins=-1, ends=10)
        for name, octets in cases.items():
            for days in (-5, 0, 20):
                verification.both(f"bundle, clock {clock}, {name}, {days} days on", octets, into, NOW + days * issuer.DAY, "--root",
                                  operators.root)


def record(out: Path, folder: Path, made: Path) -> None:
    """Writes `samples.txt`; `made` is what `mutation-check --samples` wrote."""
    with Record(out / "samples.txt") as written:
        verification = Verification(written, folder)
        samples(verification, made)
        sd_jwt(verification)
        statuses(verification)
        linked(verification)
        files(verification, everybody(made, folder))
