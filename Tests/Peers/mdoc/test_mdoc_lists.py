"""Lists of issuers' roots (VICAL, ISO/IEC 18013-5 Annex C) and revocation lists, made here and read by the gate's side."""
import datetime
import json
import os
import shutil
import subprocess
from pathlib import Path

import cbor2
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, utils
from cryptography.x509.oid import NameOID

ROOT = Path(__file__).resolve().parents[3]
PROGRAM = os.environ.get("GATEHOUSE_MDOC_LIST", str(ROOT / ".build" / "release" / "mdoc-list-check"))
DAY = datetime.timedelta(1)
NOW = datetime.datetime(2026, 6, 1, 12, tzinfo=datetime.timezone.utc)
MDL, PHOTO = "org.iso.18013.5.1.mDL", "org.iso.23220.photoid.1"
LISTING = x509.ObjectIdentifier("1.0.18013.5.1.8")
CURVES = {"P-256": (ec.SECP256R1, hashes.SHA256, -7), "P-384": (ec.SECP384R1, hashes.SHA384, -35),
          "P-521": (ec.SECP521R1, hashes.SHA512, -36)}
USAGES = ("digital_signature", "content_commitment", "key_encipherment", "data_encipherment", "key_agreement", "key_cert_sign", "crl_sign",
          "encipher_only", "decipher_only")


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


def name(common, *countries, state=None):
    parts = [x509.NameAttribute(NameOID.COUNTRY_NAME, country) for country in countries]
    if state:
        parts.append(x509.NameAttribute(NameOID.STATE_OR_PROVINCE_NAME, state))
    return x509.Name(parts + [x509.NameAttribute(NameOID.COMMON_NAME, common)])


def der(value):
    return value.public_bytes(serialization.Encoding.DER)


def fingerprint(certificate):
    return certificate.fingerprint(hashes.SHA256()).hex()


class Party:
    """A key and its certificate."""

    def __init__(self, subject, *extensions, curve="P-256", above=None, begin=NOW - 30 * DAY, end=NOW + 90 * DAY, serial=None, group=None):
        group, self.digest, self.algorithm = (group or CURVES[curve][0]), CURVES[curve][1], CURVES[curve][2]
        self.key = ec.generate_private_key(group())
        by = above or self
        builder = (x509.CertificateBuilder().subject_name(subject).issuer_name(above.certificate.subject if above else subject)
                   .public_key(self.key.public_key()).serial_number(serial or x509.random_serial_number())
                   .not_valid_before(begin).not_valid_after(end))
        for extension, critical in extensions + ((x509.SubjectKeyIdentifier.from_public_key(self.key.public_key()), False),):
            builder = builder.add_extension(extension, critical)
        self.certificate = builder.sign(by.key, by.digest())

    def sign(self, payload, chain, *, algorithm=None, protected=None, tag=False, detached=False):
        """COSE_Sign1 (RFC 9052 section 4.4)."""
        protected = cbor2.dumps({1: algorithm or self.algorithm, **(protected or {})})
        octets = cbor2.dumps(["Signature1", protected, b"", payload])
        r, s = utils.decode_dss_signature(self.key.sign(octets, ec.ECDSA(self.digest())))
        width = (self.key.key_size + 7) // 8
        signature = r.to_bytes(width, "big") + s.to_bytes(width, "big")
        certificates = [der(one) for one in chain]
        outside = {33: certificates if len(certificates) != 1 else certificates[0]} if certificates else {}
        message = [protected, outside, None if detached else payload, signature]
        return cbor2.dumps(cbor2.CBORTag(18, message) if tag else message)


def usage(*names):
    return x509.KeyUsage(**{one: one in names for one in USAGES}), True


def authority(subject=name("Test IACA", "UT"), length=0, **options):
    return Party(subject, (x509.BasicConstraints(True, length), True), usage("key_cert_sign", "crl_sign"), **options)


def provider(curve="P-256"):
    """A root, and who signs its lists."""
    root = Party(name("VICAL Root"), (x509.BasicConstraints(True, 1), True), usage("key_cert_sign"), curve=curve)
    return root, Party(name("VICAL Signer"), usage("content_commitment"), (x509.ExtendedKeyUsage([LISTING]), True), curve=curve, above=root)


def entry(of, *kinds, **others):
    identifier = of.extensions.get_extension_for_class(x509.SubjectKeyIdentifier).value.digest
    serial = of.serial_number
    octets = serial.to_bytes((serial.bit_length() + 7) // 8, "big")
    found = {"certificate": der(of), "serialNumber": cbor2.CBORTag(2, octets), "ski": identifier, "docType": list(kinds) or [MDL]}
    return {key: value for key, value in {**found, **others}.items() if value is not None}


def contents(*entries, **others):
    def time(moment):
        return cbor2.CBORTag(0, moment.strftime("%Y-%m-%dT%H:%M:%SZ"))
    found = {"version": "1.0", "vicalProvider": "Test", "date": time(NOW - DAY), "vicalIssueID": 12, "nextUpdate": time(NOW + DAY),
             "certificateInfos": list(entries)}
    return cbor2.dumps({key: value for key, value in {**found, **others}.items() if value is not None})


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
