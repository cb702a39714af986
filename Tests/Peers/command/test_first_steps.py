"""What an operator does before the first bundle: keys, a root file, contexts, times; and the page that says so, run as it stands."""
import hashlib
import json
import os
import re
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519

import issuer
from gate import command, is_reference
from swift_sources import ROOT

pytestmark = pytest.mark.skipif(is_reference(), reason="the reference gate has no such commands")
CONTEXT = b'{"@context":{"@version":1.1,"name":"https://schema.org/name"}}\n'
ON = b'{"@context":["https://context.example/v1",{"@version":1.1}]}\n'
KNOWN_V2 = "https://www.w3.org/ns/credentials/v2"


class Desk:
    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def run(self, *arguments, umask: int = 0o022) -> subprocess.CompletedProcess:
        program, *words = command()
        program = os.path.abspath(program) if "/" in program else program
        return subprocess.run([program, *words, "trust", *map(str, arguments)], capture_output=True, text=True, timeout=120, cwd=self.folder,
                              umask=umask)

    def done(self, *arguments, **more) -> str:
        result = self.run(*arguments, **more)
        assert (result.returncode, result.stderr) == (0, ""), result
        return result.stdout

    def refused(self, *arguments, words: str, status: int = 1) -> None:
        """And no file is there that was not, and none is another."""
        before = self.files()
        result = self.run(*arguments)
        assert (result.returncode, result.stdout) == (status, ""), result
        assert result.stderr.startswith("refused: " if status == 1 else "Error: ") and words in result.stderr, result
        assert self.files() == before

    def files(self) -> dict:
        return {file.relative_to(self.folder): file.read_bytes() for file in self.folder.rglob("*") if file.is_file()}

    def keys(self, *names: str) -> dict[str, dict]:
        for name in names:
            self.done("keygen", "--out", f"{name}.pem")
        return {name: json.loads((self.folder / f"{name}.pub").read_text()) for name in names}

    def root(self, out: str, threshold: int, *names: str, options: tuple = ()) -> str:
        return self.done("root", *[word for name in names for word in ("--signer", f"{name}.pub")], "--threshold", threshold, "--out", out, *options)


@pytest.fixture
def desk(tmp_path):
    return Desk(tmp_path)


def public_octets(key) -> bytes:
    return key.public_key().public_bytes(serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo)


# MARK: keys

@pytest.mark.parametrize("algorithm, kind, name", (("EdDSA", ed25519.Ed25519PrivateKey, "Ed25519"), ("ES256", ec.EllipticCurvePrivateKey, "P-256")))
def test_a_key_pair(desk, algorithm, kind, name):
    said = desk.done("keygen", "--out", "alice.pem", "--algorithm", algorithm, umask=0)
    pem, public = (desk.folder / "alice.pem").read_bytes(), json.loads((desk.folder / "alice.pub").read_text())
    # Another implementation reads both halves, and finds that they are.
    key = serialization.load_pem_private_key(pem, None)
    assert isinstance(key, kind) and pem.startswith(b"-----BEGIN PRIVATE KEY-----\n")
    assert public == {"kid": "alice", "jwk": issuer.Issuer(algorithm, key=key).jwk()}
    assert stat.S_IMODE((desk.folder / "alice.pem").stat().st_mode) == 0o600
    assert f"alice {name} SHA-256 {hashlib.sha256(public_octets(key)).hexdigest()}" in said.splitlines()
    assert not any(line in said for line in pem.decode().splitlines()), "nothing of the private key is said"
    assert subprocess.run(["openssl", "pkey", "-in", desk.folder / "alice.pem", "-noout"], capture_output=True).returncode == 0


def test_no_key_is_overwritten(desk):
    desk.keys("alice")
    desk.refused("keygen", "--out", "alice.pem", words="alice.pem: is there already", status=2)
    (desk.folder / "bob.pub").write_text("somebody's")
    desk.refused("keygen", "--out", "bob.pem", words="bob.pub: is there already", status=2)
    (desk.folder / "carol.pem").symlink_to("elsewhere")
    desk.refused("keygen", "--out", "carol.pem", words="carol.pem", status=2)
    assert not (desk.folder / "elsewhere").exists()
    desk.refused("keygen", "--out", "no/such/folder.pem", words="cannot be written", status=2)


def test_whose_key_it_is(desk):
    (desk.folder / "keys").mkdir()
    for out, file, options, name in (("keys/bob.pem", "keys/bob.pub", (), "bob"), ("keys/c", "keys/c.pub", (), "c"),
                                     ("d.pem", "d.pub", ("--id", 'Doris "D" 多'), 'Doris "D" 多')):
        desk.done("keygen", "--out", out, *options)
        assert json.loads((desk.folder / file).read_text())["kid"] == name
    for bad in ("", "x" * 65, "a\nb", "\u202ea"):
        desk.refused("keygen", "--out", "e.pem", f"--id={bad}", words="--id", status=2)
    desk.refused("keygen", "--out", "e.pem", "--algorithm", "RS256", words="--algorithm", status=2)
    keys = [desk.keys(name)[name]["jwk"]["x"] for name in ("f", "g")]
    assert keys[0] != keys[1]


# MARK: root files

def test_a_root_file_and_what_it_believes(desk):
    keys = desk.keys("alice", "bob", "carol")
    said = desk.root("root.json", 2, "alice", "bob", "carol")
    assert json.loads((desk.folder / "root.json").read_text()) == {"gatehouse-root": 1, "threshold": 2, "signers": list(keys.values())}
    assert said.startswith("root.json: 2 of 3 signers have to sign bundles") and "!" not in said
    for name in keys:
        digest = hashlib.sha256(public_octets(serialization.load_pem_private_key((desk.folder / f"{name}.pem").read_bytes(), None))).hexdigest()
        assert f"  {name} Ed25519 SHA-256 {digest}" in said.splitlines()
    issuer.write_trust(desk.folder / "trust", issuer.Issuer("EdDSA"))
    desk.done("build", "trust", "--sequence", 1, "--valid-for", 30, "--out", "bundle")
    for name in ("alice", "carol"):
        desk.done("sign", "bundle", "--key", f"{name}.pem", "--kid", name, "--root", "root.json", "--out", "bundle")
    assert "2 of the root's signers signed, 2 have to: the threshold is met" in desk.done("inspect", "bundle", "--root", "root.json")


def test_root_files_that_are_not_made(desk):
    desk.keys("alice", "bob")
    desk.done("keygen", "--out", "web.pem", "--algorithm", "ES256")
    root = lambda *options: ("root", "--out", "root.json", *options)
    alice = ("--signer", "alice.pub")
    for threshold in (0, 2, -1):
        desk.refused(*root(*alice, f"--threshold={threshold}"), words="threshold")
    desk.refused(*root("--threshold", 1), words="name the signers", status=2)
    desk.refused(*root(*alice, *alice, "--threshold", 1), words="signers[1]: occurs twice")
    desk.refused(*root("--signer", "web.pub", "--threshold", 1), words="web.pub: signers[0].jwk: has a value that this format does not allow.")
    desk.refused(*root("--signer", "alice.pem", "--threshold", 1), words="name the .pub file", status=2)
    desk.refused(*root("--signer", "nobody.pub", "--threshold", 1), words="--signer nobody.pub: cannot be read", status=2)
    for text, words, status in (("[]", "no JSON object", 2), ("{", "no JSON object", 2), ("{}", "signers[0].kid: is missing", 1),
                                ('{"kid":"a","jwk":{"kty":"OKP","crv":"Ed25519","x":"AA","d":"AA"}}', "holds a private key", 1)):
        (desk.folder / "other.pub").write_text(text)
        desk.refused(*root("--signer", "other.pub", "--threshold", 1), words=words, status=status)
    desk.refused(*root(*alice, "--keep", "bob", "--threshold", 1), words="--keep: only with --previous", status=2)
    desk.root("root.json", 1, "alice")
    desk.refused(*root("--signer", "bob.pub", "--threshold", 1), words="root.json: is there already", status=2)


def test_a_threshold_that_leaves_nothing_over_is_said(desk):
    desk.keys("alice", "bob")
    assert "! none of the 2 keys may be lost" in desk.root("all.json", 2, "alice", "bob")
    assert "! each of these keys alone decides" in desk.root("any.json", 1, "alice", "bob")
    assert "! this one key decides" in desk.root("one.json", 1, "alice")


def test_another_root_file_for_gates_that_have_one(desk):
    desk.keys("alice", "bob", "carol", "dave", "erin")
    desk.root("1.json", 2, "alice", "bob", "carol")
    previous = ("--previous", "1.json")
    # A signer is replaced: the others stand in the old file, and need not be found again.
    said = desk.root("2.json", 2, "dave", options=(*previous, "--keep", "alice", "--keep", "carol"))
    made, old = (json.loads((desk.folder / name).read_text())["signers"] for name in ("2.json", "1.json"))
    assert made[:2] == [old[0], old[2]] and [signer["kid"] for signer in made] == ["alice", "carol", "dave"]
    for line in ("  stay: alice, carol", "+ come: dave", "- go: bob",
                 "! A gate that gets this root file goes on with its bundle only if 2 of alice, carol signed it: install such a bundle first.",
                 "! A gate that has the old root file still takes a bundle only if 2 of alice, carol signed it."):
        assert line in said.splitlines(), said
    said = desk.root("3.json", 2, "dave", options=(*previous, "--keep", "alice", "--keep", "bob", "--keep", "carol"))
    assert "A gate that gets this root file goes on with the bundle it has." in said.splitlines()
    desk.refused("root", "--signer", "dave.pub", "--signer", "erin.pub", "--threshold", 2, "--out", "4.json", *previous,
                 words="leave --previous out")
    desk.refused("root", "--keep", "erin", "--threshold", 1, "--out", "4.json", *previous, words="1.json has no such signer; it has alice, bob, carol",
                 status=2)
    (desk.folder / "5.json").write_text("{}")
    desk.refused("root", "--signer", "dave.pub", "--threshold", 1, "--out", "4.json", "--previous", "5.json", words="--previous 5.json", status=2)


# MARK: times

def times(said: str) -> tuple[str, str]:
    return re.search(r"^valid (\S+) until (\S+)$", said, re.M).groups()


def test_nobody_writes_a_time(desk):
    issuer.write_trust(desk.folder / "trust", issuer.Issuer())
    build = lambda *options: ("build", "trust", "--out", "bundle", "--created", "2026-06-01T12:00:00Z", *options)
    one = ("--sequence", 1)
    assert times(desk.done(*build(*one, "--valid-for", 90))) == ("2026-06-01T12:00:00Z", "2026-08-30T12:00:00Z")
    assert times(desk.done(*build(*one, "--until", "2026-09-01"))) == ("2026-06-01T12:00:00Z", "2026-09-01T00:00:00Z")
    assert times(desk.done(*build(*one, "--until", "2026-09-01T12:00:00+02:00")))[1] == "2026-09-01T10:00:00Z"
    shown = json.loads(desk.done("inspect", "bundle", "--json"))
    assert (shown["sequence"], shown["clock"]) == (1, "reject")
    # The folder's own number and clock stay, its times do not count.
    (desk.folder / "trust" / "bundle.json").write_text(json.dumps(
        {"gatehouse-bundle": 1, "sequence": 7, "notBefore": "2020-01-01T00:00:00Z", "notAfter": "2021-01-01T00:00:00Z", "clock": "accept"}))
    assert times(desk.done(*build("--valid-for", 1)))[1] == "2026-06-02T12:00:00Z"
    shown = json.loads(desk.done("inspect", "bundle", "--json"))
    assert (shown["sequence"], shown["clock"]) == (7, "accept")
    desk.refused(*build(), words="made after its end")


@pytest.mark.parametrize("options, words", (
    (("--valid-for", "0"), "--valid-for"), (("--valid-for", "3651"), "--valid-for"), (("--valid-for", "a week"), "--valid-for"),
    (("--until", "2026-02-30"), "--until"), (("--until", "soon"), "--until"), (("--until", "2026-06-01"), "that is over"),
    (("--until", "2026-09-01", "--valid-for", "1"), "one of them")))
def test_times_that_are_none(desk, options, words):
    issuer.write_trust(desk.folder / "trust", issuer.Issuer())
    desk.refused("build", "trust", "--out", "bundle", "--created", "2026-06-01T12:00:00Z", "--sequence", "1", *options, words=words, status=2)


def test_a_number_is_still_wanted(desk):
    issuer.write_trust(desk.folder / "trust", issuer.Issuer())
    desk.refused("build", "trust", "--out", "bundle", "--valid-for", "1", words="--sequence", status=2)


# MARK: contexts

def pinned(desk) -> list:
    return json.loads((desk.folder / "trust" / "contexts.json").read_text())["contexts"]


def add(name: str, *options, folder: str = "trust") -> tuple:
    return ("add-context", name, "--folder", folder, *options)


def test_a_context_comes_into_the_folder_with_its_digest(desk):
    issuer.write_trust(desk.folder / "trust", issuer.Issuer())
    (desk.folder / "visitor 1.jsonld").write_bytes(CONTEXT)
    url, digest = "https://context.example/v1", hashlib.sha256(CONTEXT).hexdigest()
    said = desk.done(*add("visitor 1.jsonld", "--url", url))
    assert pinned(desk) == [{"url": url, "file": "contexts/visitor-1.jsonld", "sha256": digest}] and digest in said
    assert (desk.folder / "trust/contexts/visitor-1.jsonld").read_bytes() == CONTEXT
    before = desk.files()
    assert "pinned already" in desk.done(*add("visitor 1.jsonld", "--url", url)) and desk.files() == before
    # One that leans on it, and lies in the folder already.
    (desk.folder / "trust/contexts/on.jsonld").write_bytes(ON)
    desk.done(*add("trust/contexts/on.jsonld", "--url", "https://context.example/on"))
    assert pinned(desk)[1] == {"url": "https://context.example/on", "file": "contexts/on.jsonld", "sha256": hashlib.sha256(ON).hexdigest()}
    assert len(list((desk.folder / "trust/contexts").iterdir())) == 2
    desk.done("build", "trust", "--sequence", 1, "--valid-for", 30, "--out", "bundle")
    assert f"context {url} {len(CONTEXT)} octets SHA-256 {digest}" in desk.done("inspect", "bundle")


def test_another_document_under_the_same_url(desk):
    issuer.write_trust(desk.folder / "trust", issuer.Issuer())
    newer, url = CONTEXT + b" ", "https://context.example/v1"
    (desk.folder / "a.jsonld").write_bytes(CONTEXT)
    desk.done(*add("a.jsonld", "--url", url))
    # What somebody wrote around it stays.
    listing = desk.folder / "trust" / "contexts.json"
    listing.write_text(listing.read_text().replace('{"url"', '{  "url"') + "\n\n")
    before = listing.read_text()
    (desk.folder / "a.jsonld").write_bytes(newer)
    desk.refused(*add("a.jsonld", "--url", url), words="with --replace this one takes its place")
    desk.done(*add("a.jsonld", "--url", url, "--replace"))
    row, = pinned(desk)
    assert row == {"url": url, "file": "contexts/a-2.jsonld", "sha256": hashlib.sha256(newer).hexdigest()}
    # Until the row changed, the folder was whole: the old document is still there.
    assert (desk.folder / "trust/contexts/a.jsonld").read_bytes() == CONTEXT and (desk.folder / "trust/contexts/a-2.jsonld").read_bytes() == newer
    old = hashlib.sha256(CONTEXT).hexdigest()
    assert listing.read_text() == before.replace("contexts/a.jsonld", "contexts/a-2.jsonld").replace(old, row["sha256"])


def test_contexts_that_nobody_could_read_under(desk):
    issuer.write_trust(desk.folder / "trust", issuer.Issuer())
    url = ("--url", "https://context.example/bad")
    for content, words in ((b"{", "is not well-formed JSON"), (b'{"@context":7}', "is not a context that a credential can be read under"),
                           (b'{"@context":["https://context.example/v1"]}', "names another one, which is not in contexts.json. "
                                                                            "(found: https://context.example/v1)"),
                           (b'{"@context":{"a":{"@id":"urn:a","@context":"urn:b"}}}', "(found: urn:b)"),
                           (b'{"@context":"https://context.example/bad"}', "names itself")):
        (desk.folder / "bad.jsonld").write_bytes(content)
        desk.refused(*add("bad.jsonld", *url), words=words)
        desk.refused("add-context", "bad.jsonld", *url, words=words)
    desk.refused(*add("bad.jsonld", "--url", "no-url"), words="--url", status=2)
    desk.refused(*add("bad.jsonld"), words="--url: say what credentials call this context", status=2)
    desk.refused(*add("nothing.jsonld", *url), words="cannot be read", status=2)
    (desk.folder / "trust" / "contexts.json").write_text('{"gatehouse-contexts":2}')
    (desk.folder / "bad.jsonld").write_bytes(CONTEXT)
    desk.refused(*add("bad.jsonld", *url), words="gatehouse-contexts: is not a version")


def test_a_context_without_a_folder(desk):
    (desk.folder / "a.jsonld").write_bytes(CONTEXT)
    row = json.loads(desk.done("add-context", "a.jsonld", "--url", "urn:a").splitlines()[-1])
    assert row == {"url": "urn:a", "file": "a.jsonld", "sha256": hashlib.sha256(CONTEXT).hexdigest()}


def test_contexts_that_everybody_knows(desk):
    """By the pins of `make contexts`: the program and the script say the same."""
    script = (ROOT / "tools/contexts.sh").read_text()
    swift = (ROOT / "Sources/Programs/gatehouse/Trust/TrustAddContext.swift").read_text()
    known = dict(re.findall(r'\("(https://[^"]+)", "([0-9a-f]{64})", (?:true|false)\)', swift))
    pins = dict(re.findall(r"^(https://\S+) \S+ \S+ ([0-9a-f]{64})$", script, re.M))
    assert len(pins) == 5 and known == {**pins, KNOWN_V2: re.search(r"prints, ([0-9a-f]{64})", script).group(1)}
    (desk.folder / "v2.jsonld").write_bytes(CONTEXT)
    desk.refused("add-context", "v2.jsonld", "--url", KNOWN_V2, words="known by everybody with the SHA-256 59955ced")
    said = desk.run("add-context", "v2.jsonld", "--url", "https://w3id.org/security/v2")
    assert said.returncode == 0 and "known by everybody with the SHA-256 611bd811" in said.stderr


# MARK: the page

def commands(page: str, heading: str) -> str:
    """Every block of commands under a heading of a page, in its order."""
    text = (ROOT / "docs" / page).read_text()
    section = re.search(rf"^## {re.escape(heading)}\n(.*?)(?=^## |\Z)", text, re.M | re.S).group(1)
    blocks = re.findall(r"^```sh\n(.*?)^```$", section, re.M | re.S)
    assert blocks, heading
    return "".join(blocks)


def shell(desk, script: str) -> subprocess.CompletedProcess:
    """As a reader pastes it, in an empty folder, with the program on the path."""
    program, *words = command()
    assert not words
    (desk.folder / "bin").mkdir()
    (desk.folder / "bin" / "gatehouse").symlink_to(os.path.abspath(program))
    (desk.folder / "empty").mkdir()
    path = f"{desk.folder / 'bin'}:{os.environ['PATH']}"
    return subprocess.run(["bash", "-euo", "pipefail", "-c", script], capture_output=True, text=True, timeout=300, cwd=desk.folder / "empty",
                          env={**os.environ, "PATH": path})


def test_my_first_credential_in_ten_minutes(desk):
    result = shell(desk, commands("trust.md", "My first credential in ten minutes") + "\ntrue\n")
    assert result.returncode == 0, result
    verdicts = [line for line in result.stdout.splitlines() if re.match(r"(accept|reject)\b", line)]
    assert verdicts == ["accept", "reject signature-invalid"], result.stdout
    for words in ("root.json: 2 of 3 signers", "bundle 1 installed", "the threshold is met", "valid 20"):
        assert words in result.stdout, words
    made = {path.name: stat.S_IMODE(path.stat().st_mode) for path in (desk.folder / "empty").rglob("*.pem")}
    assert made and set(made.values()) == {0o600}


def test_my_first_card(desk):
    """With the Python that this test runs with, which has the packages."""
    python = f"export PATH={Path(sys.executable).parent}:$PATH\n"
    result = shell(desk, python + commands("trust.md", "My first card") + "gatehouse verify --code card.png --trust cards\n")
    assert result.returncode == 0, result
    verdicts = [line for line in result.stdout.splitlines() if re.match(r"(accept|reject)\b", line)]
    assert verdicts == ["accept", "reject signature-invalid", "accept"], result.stdout
    assert 'fullName: "Asha Rao"' in result.stdout.splitlines() and "Mallory" not in result.stdout


def test_a_signer_is_replaced_as_the_page_says(desk):
    first = commands("trust.md", "My first credential in ten minutes")
    result = shell(desk, first + "\n" + commands("trust.md", "Replacing a signer") + "\n")
    assert result.returncode == 0, result
    for words in ("  stay: alice, carol", "+ come: dave", "- go: bob", "bundle 2 installed", "bundle 3 installed"):
        assert words in result.stdout, result.stdout


def test_lost_signers_are_replaced_by_hand_as_the_page_says(desk):
    """With a root file that has nothing of the old one, and a number above the last."""
    desk.keys("alice", "bob")
    desk.root("1.json", 1, "alice")
    desk.root("2.json", 1, "bob")
    (desk.folder / "gate").mkdir()
    issuer.write_trust(desk.folder / "trust", issuer.Issuer("EdDSA"))

    def bundle(number: int, name: str, root: str) -> tuple:
        desk.done("build", "trust", "--sequence", number, "--valid-for", 30, "--out", "bundle")
        desk.done("sign", "bundle", "--key", f"{name}.pem", "--kid", name, "--root", root, "--out", "bundle")
        return "install", "bundle", "--root", root, "--into", "gate"

    assert desk.done(*bundle(5, "alice", "1.json")) == "bundle 5 installed\n"
    desk.refused(*bundle(4, "bob", "2.json"), words="sequence number 4")
    assert desk.done(*bundle(6, "bob", "2.json")) == "bundle 6 installed\n"
