"""Lists of issuers' roots (VICAL, ISO/IEC 18013-5 Annex C) and revocation lists, made here and read by the gate's side."""
import json
import os
import shutil
import subprocess
from pathlib import Path

import cbor2
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec

from mdoc_lists import CURVES, DAY, LISTING, MDL, NOW, PHOTO, Party, authority, contents, der, entry, fingerprint, name, provider, usage

ROOT = Path(__file__).resolve().parents[3]
PROGRAM = os.environ.get("GATEHOUSE_MDOC_LIST", str(ROOT / ".build" / "release" / "mdoc-list-check"))


@pytest.fixture(scope="module")
def gate():
    if shutil.which(PROGRAM) is None:
        pytest.exit(f"no {PROGRAM}: build it (swift build -c release), or set GATEHOUSE_MDOC_LIST", 2)
    process = subprocess.Popen([PROGRAM], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(**line) -> dict:
        process.stdin.write(json.dumps(line) + "\n")
        process.stdin.flush()
        return json.loads(process.stdout.readline())

    yield ask
    process.stdin.close()
    process.wait(10)


def read(gate, octets, *pinned, **options):
    return gate(list=octets.hex(), pinned=[der(one).hex() for one in pinned], now=int(NOW.timestamp()), **options)


@pytest.mark.parametrize("tag", [False, True])
@pytest.mark.parametrize("curve", CURVES)
def test_a_list_on_every_curve(gate, curve, tag):
    root, signer = provider(curve)
    one, two = authority(), authority(name("Other IACA", "UT", state="UT-A"), curve=curve)
    octets = signer.sign(contents(entry(one.certificate, MDL), entry(two.certificate, MDL, PHOTO)), [signer.certificate], tag=tag)
    found = read(gate, octets, root.certificate, inForce=12)
    assert found["provider"] == "Test" and found["issue"] == 12 and found["skipped"] == [] and found["warnings"] == []
    assert found["date"] == "2026-05-31T12:00:00Z" and found["nextUpdate"] == "2026-06-02T12:00:00Z"
    assert found["signer"] == fingerprint(signer.certificate)
    assert [(one["fingerprint"], one["docTypes"]) for one in found["roots"]] == [
        (fingerprint(one.certificate), [MDL]), (fingerprint(two.certificate), [MDL, PHOTO])]
    # Neither has the extensions that say where to ask.
    assert all(one["warnings"] == ["issuer-alternative-name", "distribution-points"] for one in found["roots"])
    assert read(gate, octets, root.certificate, inForce=13) == {"error": "rolled-back"}


def test_a_chain_in_the_protected_header(gate):
    root, signer = provider()
    octets = signer.sign(contents(entry(authority().certificate)), [], protected={33: [der(signer.certificate), der(root.certificate)]})
    assert len(read(gate, octets, root.certificate)["roots"]) == 1
    assert read(gate, octets, authority().certificate) == {"error": "signer-not-trusted"}


def test_a_list_as_large_providers_write_it(gate):
    """With every optional member, names in capitals as one of them writes them, a bad root in eight, and every number its own."""
    root, signer = provider()
    roots = [authority(name(f"IACA {number}", "UT"), curve=list(CURVES)[number % 3],
                       group=ec.BrainpoolP256R1 if number % 8 == 7 else None) for number in range(40)]
    entries = [entry(one.certificate, MDL, PHOTO, CertificateProfile=["1.0.18013.5.1.2"], issuingAuthority="A", issuingCountry="XX",
                     stateOrProvinceName="UT-B", issuer=b"0", subject=b"0", notBefore=cbor2.CBORTag(0, "2026-01-01T00:00:00Z"),
                     notAfter=cbor2.CBORTag(0, "2036-01-01T00:00:00Z"), Extensions={"x": 1}) for one in roots]
    octets = signer.sign(contents(*entries, vicalURL="https://provider.example"), [signer.certificate, root.certificate])
    found = read(gate, octets, root.certificate)
    good = [one for number, one in enumerate(roots) if number % 8 != 7]
    assert [one["fingerprint"] for one in found["roots"]] == [fingerprint(one.certificate) for one in good]
    assert [(one["entry"], one["reason"]) for one in found["skipped"]] == [(number, "root-unsupported-curve") for number in range(7, 40, 8)]
    assert [one["fingerprint"] for one in found["skipped"]] == [fingerprint(roots[number].certificate) for number in range(7, 40, 8)]


ENTRIES = {
    "serial-number": lambda one: entry(one, serialNumber=cbor2.CBORTag(2, b"\1")), "key-identifier": lambda one: entry(one, ski=b"\1"),
    "doc-types": lambda one: entry(one, docType=[]), "malformed": lambda one: entry(one, certificate=None),
    "root-malformed": lambda one: entry(one, certificate=der(one)[:-1]), "root-not-an-authority": lambda one: entry(
        Party(name("No IACA", "UT"), usage("key_cert_sign")).certificate),
    "root-key-usage": lambda one: entry(Party(name("IACA", "UT"), (x509.BasicConstraints(True, 0), True), usage("crl_sign")).certificate),
    "root-country": lambda one: entry(authority(name("IACA")).certificate),
    "root-not-self-signed": lambda one: entry(authority(name("Below", "UT"), above=authority(length=1)).certificate),
}


@pytest.mark.parametrize("reason", ENTRIES)
def test_a_bad_entry_is_skipped(gate, reason):
    root, signer = provider()
    one = authority().certificate
    found = read(gate, signer.sign(contents(ENTRIES[reason](one), entry(one)), [signer.certificate]), root.certificate)
    assert [(skipped["entry"], skipped["reason"]) for skipped in found["skipped"]] == [(0, reason)]
    assert [good["fingerprint"] for good in found["roots"]] == [fingerprint(one)]


def test_small_serial_numbers(gate):
    """A bignum, or the integer that cbor2 writes for it by itself."""
    root, signer = provider()
    one, two = authority(serial=5), authority(serial=0x1_0000_0000)
    octets = signer.sign(contents(entry(one.certificate), entry(two.certificate, serialNumber=0x1_0000_0000)), [signer.certificate])
    assert len(read(gate, octets, root.certificate)["roots"]) == 2


LISTS = {
    "signer-not-trusted": lambda root, signer, text: Party(
        name("VICAL Signer"), usage("content_commitment"), (x509.ExtendedKeyUsage([LISTING]), True)),
    "signer-extended-key-usage": lambda root, signer, text: Party(name("VICAL Signer"), usage("content_commitment"), above=root),
    "signer-key-usage": lambda root, signer, text: Party(
        name("VICAL Signer"), usage("digital_signature"), (x509.ExtendedKeyUsage([LISTING]), True), above=root),
    "signer-validity": lambda root, signer, text: Party(
        name("VICAL Signer"), usage("content_commitment"), (x509.ExtendedKeyUsage([LISTING]), True), above=root, end=NOW - DAY),
    "unsupported-curve": lambda root, signer, text: Party(
        name("VICAL Signer"), usage("content_commitment"), (x509.ExtendedKeyUsage([LISTING]), True), above=root, group=ec.BrainpoolP256R1),
    "x5chain-missing": lambda root, signer, text: signer.sign(text, []),
    "signature": lambda root, signer, text: Party(name("Another")).sign(text, [signer.certificate]),
    "algorithm": lambda root, signer, text: signer.sign(text, [signer.certificate], algorithm=-36),
    "malformed": lambda root, signer, text: signer.sign(text, [signer.certificate], detached=True),
    "contents": lambda root, signer, text: signer.sign(contents(date=None), [signer.certificate]),
    "version": lambda root, signer, text: signer.sign(contents(version="2.0"), [signer.certificate]),
    "issue-missing": lambda root, signer, text: signer.sign(contents(vicalIssueID=None), [signer.certificate]),
    "too-many-entries": lambda root, signer, text: signer.sign(contents(*[None] * 1001), [signer.certificate]),
}


@pytest.mark.parametrize("reason", LISTS)
def test_a_list_that_is_refused(gate, reason):
    root, signer = provider()
    text = contents(entry(authority().certificate))
    octets = LISTS[reason](root, signer, text)
    if isinstance(octets, Party):
        octets = octets.sign(text, [octets.certificate])
    assert read(gate, octets, root.certificate, inForce=1) == {"error": reason}


def test_revocation_lists(gate):
    root, other = authority(), authority()
    signer = Party(name("DS", "UT"), above=root)
    for by, serials in ((root, [signer.certificate.serial_number]), (root, []), (other, [signer.certificate.serial_number])):
        builder = x509.CertificateRevocationListBuilder().issuer_name(root.certificate.subject).last_update(NOW).next_update(NOW + DAY)
        for serial in serials:
            builder = builder.add_revoked_certificate(
                x509.RevokedCertificateBuilder().serial_number(serial).revocation_date(NOW).build())
        octets = der(builder.sign(by.key, hashes.SHA256()))
        found = gate(revocations=octets.hex(), root=der(root.certificate).hex(), signer=der(signer.certificate).hex())
        assert found == {"isIssued": by is root, "isListed": bool(serials), "next": "2026-06-02T12:00:00Z"}
