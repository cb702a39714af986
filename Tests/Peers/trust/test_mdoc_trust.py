"""Whom a gate believes about documents in phones: lists of roots, roots by hand, readers' keys, and what becomes of them in a bundle."""
import datetime
import hashlib
import json
import re
import stat
import subprocess
import zlib

import cbor2
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

import issuer
from gate import command, is_reference
from mdoc_lists import CURVES, DAY, MDL, PHOTO, Party, authority, contents, der, entry, fingerprint, name, provider, usage
from trust_bundle import Operators

pytestmark = pytest.mark.skipif(is_reference(), reason="the reference gate has no such commands")
TODAY = datetime.datetime.now(datetime.timezone.utc).replace(microsecond=0)
VALID = {"begin": TODAY - 30 * DAY, "end": TODAY + 90 * DAY}
READER = x509.ObjectIdentifier("1.0.18013.5.1.6")


def pem(certificate) -> bytes:
    return certificate.public_bytes(serialization.Encoding.PEM)


def stamp(moment) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


class Desk:
    def __init__(self, folder) -> None:
        self.folder, self.trust = folder, folder / "trust"
        self.trust.mkdir()
        self.root, self.signer = provider(**VALID)
        (folder / "provider.pem").write_bytes(pem(self.root.certificate))
        (folder / "provider.der").write_bytes(der(self.root.certificate))

    def run(self, *words) -> subprocess.CompletedProcess:
        return subprocess.run([*command(), "trust", *map(str, words)], capture_output=True, text=True, timeout=300, cwd=self.folder, umask=0o022)

    def done(self, *words) -> list[str]:
        result = self.run(*words)
        assert (result.returncode, result.stderr) == (0, ""), result
        return result.stdout.splitlines()

    def refused(self, *words, says: str, status: int = 1) -> None:
        """And nothing in the folder is another."""
        before = self.files()
        result = self.run(*words)
        assert (result.returncode, result.stdout) == (status, ""), result
        assert result.stderr.startswith("refused: " if status == 1 else "Error: ") and says in result.stderr, result
        assert self.files() == before

    def files(self) -> dict:
        return {file.relative_to(self.folder): file.read_bytes() for file in self.folder.rglob("*") if file.is_file()}

    @property
    def listing(self) -> dict:
        return json.loads((self.trust / "mdoc.json").read_text())

    def publish(self, *entries, file="vical.cbor", by=None, **others):
        found = {"date": x509_time(TODAY - DAY), "nextUpdate": x509_time(TODAY + DAY), **others}
        signer = by or self.signer
        (self.folder / file).write_bytes(signer.sign(contents(*entries, **found), [signer.certificate]))
        return file

    def take(self, *words) -> list[str]:
        return self.done("vical", "vical.cbor", "--provider", "provider.pem", "--folder", "trust", *words)

    def refuse(self, says, *words, **more):
        self.refused("vical", "vical.cbor", "--provider", "provider.pem", "--folder", "trust", *words, says=says, **more)


def x509_time(moment):
    return cbor2.CBORTag(0, stamp(moment))


@pytest.fixture
def desk(tmp_path):
    return Desk(tmp_path)


def iaca(common="Test IACA", country="UT", **options) -> Party:
    return authority(name(common, country), **{**VALID, **options})


# MARK: lists

def test_a_list_is_taken(desk):
    one, two = iaca(), iaca("Other IACA", "XX", curve="P-384")
    desk.publish(entry(one.certificate, MDL), entry(two.certificate, MDL, PHOTO))
    # To look at it, no folder is needed.
    looked = desk.done("vical", "vical.cbor", "--provider", "provider.der")
    assert looked[0] == f"list of Test, number 12 of {stamp(TODAY - DAY)}" and not (desk.trust / "mdoc.json").exists()
    said = desk.take()
    assert said[0] == looked[0] and f"  signed with the certificate SHA-256 {fingerprint(desk.signer.certificate)}" in said
    assert f"+ root UT Test IACA, SHA-256 {fingerprint(one.certificate)}: {MDL}" in said
    assert f"+ root XX Other IACA, SHA-256 {fingerprint(two.certificate)}: {MDL} {PHOTO}" in said
    assert said[-1] == "trust/mdoc.json: 2 roots of this list" and not any(row.startswith("!") for row in said)
    roots = desk.listing["roots"]
    assert [(row["sha256"], row["country"], row["docTypes"], row["vical"]) for row in roots] == [
        (fingerprint(one.certificate), "UT", [MDL], "Test"), (fingerprint(two.certificate), "XX", [MDL, PHOTO], "Test")]
    assert [(desk.trust / row["file"]).read_bytes() for row in roots] == [der(one.certificate), der(two.certificate)]
    vical, = desk.listing["vicals"]
    assert (vical["provider"], vical["issue"], vical["date"]) == ("Test", 12, stamp(TODAY - DAY))
    assert vical["signer"] == fingerprint(desk.signer.certificate)


def test_another_list_of_the_provider_takes_the_place_of_the_first(desk):
    stays, goes, changes, comes = (iaca(f"IACA {letter}") for letter in "ABCD")
    desk.publish(entry(stays.certificate), entry(goes.certificate), entry(changes.certificate))
    desk.take()
    by_hand = iaca("By Hand")
    (desk.folder / "hand.pem").write_bytes(pem(by_hand.certificate))
    desk.done("add-root", "hand.pem", "--country", "UT", "--doc-type", MDL, "--folder", "trust")
    desk.publish(entry(stays.certificate), entry(changes.certificate, MDL, PHOTO), entry(comes.certificate), vicalIssueID=13)
    said = desk.take()
    signs = {sign: [row for row in said if row.startswith(sign + " root")] for sign in "+-~"}
    assert fingerprint(comes.certificate) in signs["+"][0] and fingerprint(goes.certificate) in signs["-"][0]
    assert f"{fingerprint(changes.certificate)}: {MDL} {PHOTO}, was {MDL}" in signs["~"][0]
    assert all(len(rows) == 1 for rows in signs.values())
    assert {row["sha256"] for row in desk.listing["roots"]} == {fingerprint(one.certificate) for one in (stays, changes, comes, by_hand)}
    assert len(desk.listing["vicals"]) == 1 and desk.listing["vicals"][0]["issue"] == 13
    # What no row names any more is gone, and nothing else is.
    assert {file.name for file in (desk.trust / "mdoc").iterdir()} == {row["file"].removeprefix("mdoc/") for row in desk.listing["roots"]}


def test_an_older_list_is_refused(desk):
    desk.publish(entry(iaca().certificate))
    desk.take()
    # The same number may come again.
    assert desk.take()[-1] == "trust/mdoc.json: 1 root of this list"
    desk.publish(entry(iaca().certificate), vicalIssueID=11)
    desk.refuse(f"(rolled-back): its number is lower than that of the provider's list in force; found number 11 of {stamp(TODAY - DAY)}, in the folder number 12")
    desk.publish(entry(iaca().certificate), vicalIssueID=None)
    desk.refuse("(issue-missing)")
    # Another provider counts for itself.
    desk.publish(entry(iaca().certificate), vicalIssueID=1, vicalProvider="Other")
    desk.take()
    desk.publish(entry(iaca().certificate), vicalIssueID=None, vicalProvider="Without")
    assert any("it has no number" in row for row in desk.take())
    desk.publish(entry(iaca().certificate), vicalIssueID=None, vicalProvider="Without", date=x509_time(TODAY - 2 * DAY))
    desk.refuse("it was made before the one in force; found no number")


def test_an_older_list_is_known_by_its_date_where_numbers_say_nothing(desk):
    yesterday, before = x509_time(TODAY - DAY), x509_time(TODAY - 2 * DAY)
    # The first number that a provider gives takes no older list in.
    desk.publish(entry(iaca().certificate), vicalIssueID=None, date=yesterday)
    desk.take()
    desk.publish(entry(iaca().certificate), vicalIssueID=3, date=before)
    desk.refuse("it was made before the one in force; found number 3")
    desk.publish(entry(iaca().certificate), vicalIssueID=3, date=yesterday)
    desk.take()
    # Nor does the same number once more.
    desk.publish(entry(iaca().certificate), vicalIssueID=3, date=before)
    desk.refuse("it was made before the one in force; found number 3")
    desk.publish(entry(iaca().certificate), vicalIssueID=3, date=x509_time(TODAY))
    desk.take()
    # A higher number is a newer list, whatever its date says.
    desk.publish(entry(iaca().certificate), vicalIssueID=4, date=before)
    assert desk.take()[-1] == "trust/mdoc.json: 1 root of this list"


def test_an_older_list_in_a_new_bundle_is_said(filled):
    def back(*, old: dict, new: dict) -> bool:
        for number, change in enumerate((old, new), 1):
            listing = filled.listing
            listing["vicals"][0] = {key: value for key, value in {**listing["vicals"][0], **change}.items() if value is not None}
            (filled.trust / "mdoc.json").write_text(json.dumps(listing))
            assert build(filled, f"bundle-{number}", number).returncode == 0
        return any(row.startswith("! it is older than the one before") for row in filled.done("diff", "bundle-1", "bundle-2"))
    yesterday, before = stamp(TODAY - DAY), stamp(TODAY - 2 * DAY)
    assert back(old={"issue": 3, "date": yesterday}, new={"issue": 3, "date": before})
    assert not back(old={"issue": 3, "date": before}, new={"issue": 3, "date": yesterday})
    assert not back(old={"issue": 3, "date": yesterday}, new={"issue": 4, "date": before})
    assert back(old={"issue": None, "date": yesterday}, new={"issue": 5, "date": before})
    assert back(old={"issue": 5, "date": before}, new={"issue": None, "date": yesterday})


def test_numbers_that_a_bundle_cannot_have_are_refused(desk):
    desk.publish(entry(iaca().certificate), vicalIssueID=2 ** 53)
    desk.refuse("its number is 9007199254740992")
    desk.publish(entry(iaca().certificate), vicalIssueID=2 ** 53 - 1)
    desk.take()
    desk.publish(entry(iaca().certificate), vicalIssueID=None, vicalProvider="Old", date=x509_time(datetime.datetime(1969, 1, 1)))
    desk.refuse("outside the years 1970 to 9999")


def test_no_command_writes_what_none_could_read(desk):
    kinds = [f"org.example.document.with.a.long.name.{number}" for number in range(64)]
    roots = [iaca(f"IACA {number}").certificate for number in range(3)]
    row = {"date": stamp(TODAY), "sha256": "00" * 32, "signer": "00" * 32}
    vicals = [{"provider": str(number), **row} for number in range(16)]
    (desk.trust / "mdoc.json").write_text(json.dumps({"gatehouse-mdoc": 1, "vicals": vicals}))
    desk.publish(*(entry(root, *kinds) for root in roots))
    desk.refuse("trust/mdoc.json: 17 lists are more than it may have, 16: take the row")
    (desk.trust / "mdoc.json").write_text(json.dumps({"gatehouse-mdoc": 1, "vicals": vicals[:15]}))
    desk.take()
    assert desk.take()[-1] == "trust/mdoc.json: 3 roots of this list", "it is read again"
    assert len(desk.listing["vicals"]) == 16 and [len(root["docTypes"]) for root in desk.listing["roots"]] == [64] * 3


def test_a_list_of_somebody_else_is_refused(desk):
    desk.publish(entry(iaca().certificate))
    other, _ = provider(**VALID)
    (desk.folder / "other.pem").write_bytes(pem(other.certificate))
    desk.refused("vical", "vical.cbor", "--provider", "other.pem", "--folder", "trust", says="(signer-not-trusted): no path leads")
    desk.done("vical", "vical.cbor", "--provider", "other.pem", "--provider", "provider.pem")
    octets = bytearray((desk.folder / "vical.cbor").read_bytes())
    octets[-1] ^= 1
    (desk.folder / "vical.cbor").write_bytes(octets)
    desk.refuse("(signature): its signature does not verify")
    desk.refuse("(signer-validity)", "--at", stamp(TODAY + 200 * DAY))
    (desk.folder / "vical.cbor").write_bytes(b"\x80")
    desk.refuse("(malformed)")
    desk.refused("vical", "vical.cbor", says="--provider: name a certificate", status=2)
    desk.refused("vical", "vical.cbor", "--provider", "vical.cbor", says="--provider vical.cbor: no certificate", status=2)
    desk.refused("vical", "nothing.cbor", "--provider", "provider.pem", says="nothing.cbor: cannot be read", status=2)
    desk.refused("vical", "vical.cbor", "--provider", "provider.pem", "--at", "noon", says="--at noon", status=2)


def test_a_list_in_the_name_of_another_provider_is_said(desk):
    first = iaca()
    desk.publish(entry(first.certificate))
    assert not any("another certificate" in row for row in desk.take() + desk.take())
    other, signer = provider(**VALID)
    (desk.folder / "other.pem").write_bytes(pem(other.certificate))
    desk.publish(entry(iaca("Other IACA").certificate), by=signer, vicalIssueID=13)
    said = desk.done("vical", "vical.cbor", "--provider", "other.pem", "--folder", "trust")
    was = fingerprint(desk.signer.certificate)
    assert f"! the list: that in the folder was signed with another certificate, SHA-256 {was}: is it the same provider?" in said
    assert f"- root UT, SHA-256 {fingerprint(first.certificate)}" in said


def test_bad_entries_are_passed_over_and_said(desk):
    good, over = iaca(), iaca("Old IACA", begin=TODAY - 90 * DAY, end=TODAY - DAY)
    brainpool = iaca("Brainpool IACA", group=ec.BrainpoolP256R1)
    desk.publish(entry(brainpool.certificate), entry(good.certificate, ski=b"\1"), entry(good.certificate), entry(over.certificate))
    said = desk.take()
    assert f"! entry 0 is passed over (root-unsupported-curve): its certificate cannot be a root: its key is on another curve than P-256, P-384 and P-521, SHA-256 {fingerprint(brainpool.certificate)}" in said
    assert any(row.startswith("! entry 1 is passed over (key-identifier)") for row in said)
    assert any(row.startswith("! the root UT Old IACA") and "it ended at" in row for row in said)
    assert len(desk.listing["roots"]) == 2
    desk.publish(entry(brainpool.certificate), vicalIssueID=13)
    before = desk.files()
    result = desk.run("vical", "vical.cbor", "--provider", "provider.pem", "--folder", "trust")
    assert result.returncode == 1 and result.stderr.startswith("refused: vical.cbor: the list gives no root\n") and desk.files() == before
    assert result.stderr.endswith("! trust/mdoc.json: still has 2 roots of its earlier list: take the rows out where they are to go\n")


def test_a_part_of_a_list(desk):
    desk.publish(entry(iaca("A").certificate, MDL, PHOTO), entry(iaca("B", "XX").certificate, MDL), entry(iaca("C", "XX").certificate, PHOTO))
    desk.take("--doc-type", PHOTO, "--country", "XX", "--country", "UT")
    assert [row["docTypes"] for row in desk.listing["roots"]] == [[PHOTO], [PHOTO]]
    desk.take("--country", "XX")
    assert [row["country"] for row in desk.listing["roots"]] == ["XX", "XX"]
    desk.refuse("gives no root of those that are wanted", "--country", "YY")


def test_an_old_list_is_said_to_be_old(desk):
    desk.publish(entry(iaca().certificate), date=x509_time(TODAY - 100 * DAY), nextUpdate=x509_time(TODAY - 99 * DAY))
    said = desk.take()
    assert "! the list: it is 100 days old: ask the provider for a newer one" in said
    assert "! the list: the provider meant to have a newer one 99 days ago" in said


# MARK: roots by hand

def test_a_root_by_hand(desk):
    root = iaca()
    (desk.folder / "root.pem").write_bytes(pem(root.certificate))
    (desk.folder / "root.der").write_bytes(der(root.certificate))
    words = ("--country", "UT", "--doc-type", MDL)
    said = desk.done("add-root", "root.der", *words)
    assert said[0] == f"root UT Test IACA, SHA-256 {fingerprint(root.certificate)}" and not (desk.trust / "mdoc.json").exists()
    assert any(row.startswith("! ") and "revocation list" in row for row in said), "soft rules are told"
    assert desk.done("add-root", "root.pem", *words, "--folder", "trust")[-1] == "trust/mdoc.json: 1 root"
    assert desk.listing["roots"] == [{"file": f"mdoc/{fingerprint(root.certificate)}.der", "sha256": fingerprint(root.certificate),
                                      "country": "UT", "docTypes": [MDL]}]
    assert "pinned already, for the same documents" in desk.done("add-root", "root.der", *words, "--folder", "trust")[-1]
    more = (*words, "--doc-type", PHOTO, "--signer-usage", "1.3.130.2.0.0.1.2", "--folder", "trust")
    desk.refused("add-root", "root.der", *more, says="with --replace that is changed")
    desk.done("add-root", "root.der", *more, "--replace")
    assert desk.listing["roots"][0]["docTypes"] == [MDL, PHOTO] and desk.listing["roots"][0]["signerUsage"] == "1.3.130.2.0.0.1.2"
    assert any("is it spelled right?" in row for row in desk.done("add-root", "root.der", "--country", "UT", "--doc-type", MDL.lower()))


def test_roots_that_are_refused(desk):
    def put(party) -> str:
        (desk.folder / "bad.pem").write_bytes(pem(party.certificate))
        return "bad.pem"
    words = ("--country", "UT", "--doc-type", MDL, "--folder", "trust")
    desk.refused("add-root", put(iaca(country="XX")), *words, says="--country UT: the certificate in bad.pem is of XX")
    desk.refused("add-root", put(iaca(group=ec.BrainpoolP256R1)), *words, says="(unsupported-curve): its key is on another curve")
    desk.refused("add-root", put(Party(name("No IACA", "UT"), usage("key_cert_sign"), **VALID)), *words, says="(not-an-authority)")
    desk.refused("add-root", put(authority(name("Below", "UT"), above=authority(length=1), **VALID)), *words, says="(not-self-signed)")
    (desk.folder / "bad.pem").write_bytes(pem(iaca().certificate) * 2)
    desk.refused("add-root", "bad.pem", *words, says="is not the one certificate in PEM")
    put(iaca())
    desk.refused("add-root", "bad.pem", "--country", "UT", says="--doc-type: name the documents", status=2)
    desk.refused("add-root", "bad.pem", "--country", "UT", "--doc-type", "a", "--doc-type", "a", says="named twice", status=2)
    desk.refused("add-root", "bad.pem", *words, "--signer-usage", "1.02", says="--signer-usage 1.02: not a dotted identifier", status=2)
    (desk.trust / "mdoc.json").write_text('{"gatehouse-mdoc":1,"root":[]}')
    desk.refused("add-root", "bad.pem", *words, says="mdoc.json: root: is not a member of this format. (allowed: ")


# MARK: readers

@pytest.mark.parametrize("curve", CURVES)
def test_a_readers_key_and_its_request(desk, curve):
    said = desk.done("reader-key", "--out", "gate.pem", "--common-name", "Porte nord", "--organization", "Musée", "--country", "UT", "--curve", curve)
    text = (desk.folder / "gate.pem").read_bytes()
    key, request = serialization.load_pem_private_key(text, None), x509.load_pem_x509_csr((desk.folder / "gate.csr").read_bytes())
    assert isinstance(key.curve, CURVES[curve][0]) and request.is_signature_valid and request.public_key() == key.public_key()
    assert isinstance(request.signature_hash_algorithm, CURVES[curve][1])
    parts = [(part.oid, part.value) for part in request.subject]
    assert parts == [(NameOID.COUNTRY_NAME, "UT"), (NameOID.ORGANIZATION_NAME, "Musée"), (NameOID.COMMON_NAME, "Porte nord")]
    assert list(request.extensions.get_extension_for_class(x509.ExtendedKeyUsage).value) == [READER]
    assert request.extensions.get_extension_for_class(x509.KeyUsage).value.digital_signature
    assert stat.S_IMODE((desk.folder / "gate.pem").stat().st_mode) == 0o600
    assert not any(line in "".join(said) for line in text.decode().splitlines()), "nothing of the private key is said"
    checked = subprocess.run(["openssl", "req", "-verify", "-noout", "-in", desk.folder / "gate.csr"], capture_output=True, text=True)
    assert checked.returncode == 0, checked


def test_no_readers_key_is_overwritten(desk):
    words = ("--common-name", "Gate")
    desk.done("reader-key", "--out", "a.pem", *words)
    desk.refused("reader-key", "--out", "a.pem", *words, says="a.pem: is there already", status=2)
    (desk.folder / "b.csr").write_text("somebody's")
    desk.refused("reader-key", "--out", "b.pem", *words, says="b.csr: is there already", status=2)
    desk.refused("reader-key", "--out", "c.pem", "--csr", "c.pem", *words, says="--csr c.pem: is the private key's file too", status=2)
    for option, bad in (("--common-name", ""), ("--common-name", "a" * 65), ("--organization", "a\nb"), ("--country", "uk"), ("--country", "UTO")):
        desk.refused("reader-key", "--out", "d.pem", *(words if option != "--common-name" else ()), option, bad, says=option, status=2)


# MARK: bundles

def reader(ca, key, **options):
    """What an authority for readers makes of a request."""
    now = TODAY
    return (x509.CertificateBuilder().subject_name(name("Gate")).issuer_name(ca.certificate.subject).public_key(key)
            .serial_number(x509.random_serial_number()).not_valid_before(now - DAY).not_valid_after(options.get("end", now + 300 * DAY))
            .add_extension(x509.SubjectKeyIdentifier.from_public_key(key), False)
            .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(ca.key.public_key()), False)
            .add_extension(*usage("digital_signature")).add_extension(x509.ExtendedKeyUsage([READER]), True).sign(ca.key, hashes.SHA256()))


def crl(root, *serials, next=TODAY + 10 * DAY, made=TODAY - DAY):
    builder = x509.CertificateRevocationListBuilder().issuer_name(root.certificate.subject).last_update(made).next_update(next)
    for serial in serials:
        builder = builder.add_revoked_certificate(x509.RevokedCertificateBuilder().serial_number(serial).revocation_date(TODAY - DAY).build())
    return builder.sign(root.key, hashes.SHA256())


@pytest.fixture
def filled(desk):
    """A folder with everything, and no issuer of other credentials."""
    desk.iaca = iaca()
    desk.publish(entry(desk.iaca.certificate, MDL))
    desk.take()
    desk.done("reader-key", "--out", "gate.pem", "--common-name", "Gate")
    ca = authority(name("Readers", "UT"), **VALID)
    request = x509.load_pem_x509_csr((desk.folder / "gate.csr").read_bytes())
    (desk.trust / "mdoc" / "reader.pem").write_bytes(pem(reader(ca, request.public_key())) + pem(ca.certificate))
    (desk.trust / "mdoc" / "ut.crl").write_bytes(der(crl(desk.iaca, 5)))
    listing = desk.listing
    listing["revocationLists"] = [{"file": "mdoc/ut.crl", "fetched": stamp(TODAY - DAY)}]
    listing["readers"] = [{"file": "mdoc/reader.pem"}]
    (desk.trust / "mdoc.json").write_text(json.dumps(listing))
    return desk


def build(desk, out="bundle", number=1):
    return desk.run("build", "trust", "--sequence", number, "--valid-for", 30, "--out", out)


def test_a_bundle_of_documents_alone(filled, tmp_path):
    assert build(filled).returncode == 0
    found = json.loads(filled.done("inspect", "bundle", "--json")[0])["mdoc"]
    root, = found["roots"]
    assert (root["sha256"], root["country"], root["docTypes"], root["vical"], root["name"]) == (
        fingerprint(filled.iaca.certificate), "UT", [MDL], "Test", "Test IACA")
    assert [(row["provider"], row["issue"]) for row in found["vicals"]] == [("Test", 12)]
    assert len(found["revocationLists"]) == 1 and found["statusTokens"] == []
    assert [(row["name"], row["warnings"]) for row in found["readers"]] == [("Gate", [])]
    said = filled.done("inspect", "bundle")
    assert any(row.startswith(f"document root UT Test IACA, SHA-256 {root['sha256']} for {MDL}, from the list of Test") for row in said)
    operators = Operators(tmp_path / "operators")
    assert "installed" in operators.install(filled.trust, tmp_path / "gate")


def test_what_a_new_bundle_changes(filled):
    assert build(filled).returncode == 0
    other = iaca("New IACA")
    filled.publish(entry(other.certificate, MDL), entry(filled.iaca.certificate, MDL, PHOTO), vicalIssueID=13)
    filled.take()
    assert build(filled, "bundle-2", 2).returncode == 0
    said = filled.done("diff", "bundle", "bundle-2")
    assert any(row.startswith("+ document root UT New IACA") for row in said)
    assert any(row.startswith("~ document root UT Test IACA") and row.endswith(f"was for {MDL}") for row in said)
    assert any(row.startswith("~ list of document roots of Test number 13") for row in said)
    back = filled.done("diff", "bundle-2", "bundle")
    assert "! it is older than the one before: a root that was taken off since is believed again" in back
    changes = json.loads(filled.done("diff", "bundle", "bundle-2", "--json")[0])["mdoc"]
    assert changes["vicals"] == {"added": [], "removed": [], "changed": ["Test"]} and len(changes["roots"]["added"]) == 1
    # Without documents there is no word of them.
    issuer.write_trust(filled.trust, issuer.Issuer("EdDSA"))
    (filled.trust / "mdoc.json").unlink()
    assert build(filled, "bundle-3", 3).returncode == 0
    assert "mdoc" not in json.loads(filled.done("inspect", "bundle-3", "--json")[0])


def test_another_usage_of_a_roots_signers_is_shown(filled):
    """Whoever looks at a bundle before signing it sees by which certificates documents may be signed."""
    assert build(filled).returncode == 0
    listing = filled.listing
    listing["roots"][0]["signerUsage"] = "1.3.130.2.0.0.1.2"
    (filled.trust / "mdoc.json").write_text(json.dumps(listing))
    assert build(filled, "bundle-2", 2).returncode == 0
    row, = (row for row in filled.done("diff", "bundle", "bundle-2") if row.startswith("~ document root"))
    assert row.endswith(f", its signers have 1.3.130.2.0.0.1.2, was for {MDL}, its signers had 1.0.18013.5.1.2")
    row, = (row for row in filled.done("diff", "bundle-2", "bundle") if row.startswith("~ document root"))
    assert "its signers have" not in row and row.endswith(f"was for {MDL}, its signers had 1.3.130.2.0.0.1.2")
    row, = (row for row in filled.done("inspect", "bundle-2") if row.startswith("document root"))
    assert row.endswith(", its signers have 1.3.130.2.0.0.1.2") and row.count("signers") == 1
    del listing["roots"], listing["revocationLists"]
    (filled.trust / "mdoc.json").write_text(json.dumps({**listing, "roots": []}))
    issuer.write_trust(filled.trust, issuer.Issuer("EdDSA"))
    assert build(filled, "bundle-3", 3).returncode == 0
    row, = (row for row in filled.done("diff", "bundle-3", "bundle-2") if row.startswith("+ document root"))
    assert row.endswith(", its signers have 1.3.130.2.0.0.1.2"), "a root that comes too"


def test_revocations_that_go_back_are_said(filled):
    """A bundle with an older list of its author's choice believes whoever was revoked since."""
    first = (filled.trust / "mdoc" / "ut.crl").read_bytes()
    digest = hashlib.sha256(first).hexdigest()
    warning = f"! revocation list SHA-256 {digest}: no later one of its authority is there: whoever it lists is believed again"
    assert build(filled).returncode == 0
    full = filled.listing

    def said(number: int, **change) -> list[str]:
        (filled.trust / "mdoc.json").write_text(json.dumps({**full, **change}))
        assert build(filled, f"bundle-{number}", number).returncode == 0
        return filled.done("diff", "bundle", f"bundle-{number}")

    assert warning in said(2, revocationLists=[])
    (filled.trust / "mdoc" / "ut.crl").write_bytes(der(crl(filled.iaca, 5, 6, made=TODAY - 2 * DAY)))
    assert warning in said(3), "an older one in its place"
    (filled.trust / "mdoc" / "ut.crl").write_bytes(der(crl(filled.iaca, 5, 6, made=TODAY)))
    assert not any(row.startswith("!") for row in said(4)), "a newer one"
    # With its root the list has nobody to revoke.
    issuer.write_trust(filled.trust, issuer.Issuer("EdDSA"))
    assert warning not in said(5, roots=[], revocationLists=[])


def test_a_document_status_that_goes_back_is_said(filled):
    uri, signer = "https://utopia.example/status/1", Party(name("Status", "UT"), usage("digital_signature"), above=filled.iaca, **VALID)
    row = {"uri": uri, "file": "mdoc/status.cwt", "fetched": stamp(TODAY - DAY)}
    (filled.trust / "mdoc.json").write_text(json.dumps({**filled.listing, "statusTokens": [row]}))
    for number, made in enumerate((TODAY - 2 * DAY, TODAY - DAY), 1):
        claims = {2: uri, 6: int(made.timestamp()), 65533: {"bits": 1, "lst": zlib.compress(bytes(8))}}
        token = signer.sign(cbor2.dumps(claims), [signer.certificate], protected={16: "application/statuslist+cwt"})
        (filled.trust / "mdoc" / "status.cwt").write_bytes(token)
        assert build(filled, f"bundle-{number}", number).returncode == 0
    warning = f"! document status {uri}: made before the one so far: what was withdrawn since is good again"
    assert warning in filled.done("diff", "bundle-2", "bundle-1")
    forth = filled.done("diff", "bundle-1", "bundle-2")
    assert f"~ document status {uri}" in forth and warning not in forth


FAULTS = {
    "roots[0].country: has a value that this format does not allow. (found: XX; allowed: that of the certificate, UT)":
        lambda listing: listing["roots"][0].update(country="XX"),
    "roots[0].sha256: has a value": lambda listing: listing["roots"][0].update(sha256="00" * 32),
    "roots[0].docTypes: has the wrong type, or is empty": lambda listing: listing["roots"][0].update(docTypes=[]),
    "roots[0].vical: has a value": lambda listing: listing["roots"][0].update(vical="Nobody"),
    "roots[0].file: has a value": lambda listing: listing["roots"][0].update(file="../root.pem"),
    "mdoc/none.der: cannot be read": lambda listing: listing["roots"][0].update(file="mdoc/none.der"),
    "revocationLists[0]: is a revocation list of none of the roots": lambda listing: listing.update(
        revocationLists=[{"file": "mdoc/foreign.crl", "fetched": stamp(TODAY)}]),
    "revocationLists[0]: is not a revocation list": lambda listing: listing.update(
        revocationLists=[{"file": "mdoc/reader.pem", "fetched": stamp(TODAY)}]),
    "statusTokens[0]: is not a status list token": lambda listing: listing.update(
        statusTokens=[{"uri": "https://a.example", "file": "mdoc/ut.crl", "fetched": stamp(TODAY)}]),
    "readers[0]: cannot be a reader's certificates: there is no certificate": lambda listing: listing.update(readers=[{"file": "mdoc/ut.crl"}]),
    "readers[0]: cannot be a reader's certificates: one of them was not issued by the next": lambda listing: listing.update(
        readers=[{"file": "mdoc/backwards.pem"}]),
    "gatehouse-mdoc: is not a version this gate reads": lambda listing: listing.update({"gatehouse-mdoc": 2}),
}


@pytest.mark.parametrize("words", FAULTS)
def test_a_folder_with_a_fault_is_refused(filled, words):
    (filled.trust / "mdoc" / "foreign.crl").write_bytes(der(crl(iaca())))
    text = (filled.trust / "mdoc" / "reader.pem").read_text()
    first, second = re.findall(r"-----BEGIN.*?END CERTIFICATE-----\n", text, re.S)
    (filled.trust / "mdoc" / "backwards.pem").write_text(second + first)
    listing = filled.listing
    FAULTS[words](listing)
    (filled.trust / "mdoc.json").write_text(json.dumps(listing))
    result = build(filled)
    assert result.returncode == 1 and result.stderr.startswith("refused: ") and words in result.stderr, result


# MARK: doctor

def doctor(filled, *words) -> dict:
    done = subprocess.run([*command(), "doctor", "--json", "--trust", str(filled.trust), "--data", str(filled.folder), "--hci",
                           f"unix:{filled.folder}/none", *map(str, words)], capture_output=True, text=True, timeout=300)
    section, = (section for section in json.loads(done.stdout)["sections"] if section["name"] == "documents")
    return {"summary": section["summary"], **{row["name"]: (row["state"], row["value"]) for row in section["rows"]}}


def test_doctor_says_whom_it_believes_about_documents(filled):
    found = doctor(filled)
    assert found["summary"] == "1 root for 1 kind of documents" and found[MDL] == ("ok", "1 root of UT")
    assert found["list of Test"][0] == "ok" and found["revocation lists"] == ("ok", "1, of 1 of 1 root")
    assert found["reader key"] == ("ok", "none: phones are asked without a name, though the bundle has certificates for 1 reader")
    named = doctor(filled, "--reader-key", filled.folder / "gate.pem")
    assert named["reader key"][0] == "ok" and named["reader key"][1].startswith("Gate, SHA-256 ")
    filled.done("reader-key", "--out", "other.pem", "--common-name", "Other")
    assert doctor(filled, "--reader-key", filled.folder / "other.pem")["reader key"][0] == "trouble"
    # A file that cannot be used is said to be that, with the system's words.
    (filled.folder / "long.pem").write_bytes(b"-" * (1 << 15))
    bad = {"none.pem": "cannot be read (", "long.pem": "longer than 16 KiB", "gate.csr": "the key is no private key in PEM"}
    for file, says in bad.items():
        state, value = doctor(filled, "--reader-key", filled.folder / file)["reader key"]
        assert state == "trouble" and says in value and "phones are asked without a name" in value
    # What is over, and what is past its time.
    over = iaca("Old IACA", begin=TODAY - 90 * DAY, end=TODAY - DAY)
    filled.publish(entry(over.certificate, PHOTO), entry(filled.iaca.certificate, MDL), entry(iaca("Gone", begin=TODAY - 9 * DAY, end=TODAY - DAY).certificate, MDL),
                vicalIssueID=13, date=x509_time(TODAY - 100 * DAY))
    filled.take()
    (filled.trust / "mdoc" / "ut.crl").write_bytes(der(crl(filled.iaca, next=TODAY - datetime.timedelta(hours=1))))
    found = doctor(filled)
    assert found[PHOTO][0] == "trouble" and "no such document is accepted" in found[PHOTO][1]
    assert found[MDL] == ("note", "1 root of UT; 1 more not valid at this time")
    assert found["list of Test"][0] == "note" and "100 days old" in found["list of Test"][1]
    assert found["revocation lists"][0] == "note"


def test_doctor_of_a_gate_without_documents(tmp_path):
    issuer.write_trust(tmp_path / "trust", issuer.Issuer("EdDSA"))
    done = subprocess.run([*command(), "doctor", "--json", "--trust", str(tmp_path / "trust"), "--data", str(tmp_path), "--hci", f"unix:{tmp_path}/none"],
                          capture_output=True, text=True, timeout=300)
    section, = (section for section in json.loads(done.stdout)["sections"] if section["name"] == "documents")
    assert section["summary"] == "nobody is believed about documents in phones"
