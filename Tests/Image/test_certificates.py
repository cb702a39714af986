"""Certificates of updates that a gate would refuse, or not believe for long, are found where an image or an update is made and not in the field."""
import datetime
import os
import subprocess
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

IMAGE = Path(__file__).resolve().parents[2] / "image"
LONG_AGO, LATE = datetime.datetime(2000, 1, 1), datetime.datetime(2090, 1, 1)
NEW_YEAR = datetime.datetime(2000, 1, 1, 0, 0, 1)


def soon(days: int) -> datetime.datetime:
    return datetime.datetime.now(datetime.timezone.utc).replace(tzinfo=None) + datetime.timedelta(days=days)


def certify(folder: Path, name: str, start, end, issuer=None):
    """A certificate and its key as files; without an issuer, a root."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, f"test {name}")])
    builder = (x509.CertificateBuilder().subject_name(subject).issuer_name(issuer[0].subject if issuer else subject).public_key(key.public_key())
               .serial_number(x509.random_serial_number()).not_valid_before(start).not_valid_after(end)
               .add_extension(x509.BasicConstraints(ca=issuer is None, path_length=None), critical=True))
    if issuer:
        builder = builder.add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.EMAIL_PROTECTION]), critical=True)
    certificate = builder.sign(issuer[1] if issuer else key, hashes.SHA256())
    (folder / f"{name}.crt").write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    (folder / f"{name}.key").write_bytes(key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.TraditionalOpenSSL, serialization.NoEncryption()))
    return certificate, key


@pytest.fixture
def make(tmp_path):
    """Makes a bundle of an empty slot under these certificates: the exit code and what was said."""
    slot = tmp_path / "slot"
    slot.mkdir()
    for name in ("boot.img", "root.img"):
        (slot / name).write_bytes(bytes(4096))

    def made(root=(LONG_AGO, LATE), signer=(LONG_AGO, LATE), **environment: str) -> tuple[int, str]:
        authority = certify(tmp_path, "ca", *root)
        certify(tmp_path, "signer", *signer, issuer=authority)
        (tmp_path / "out.swu").unlink(missing_ok=True)
        done = subprocess.run([IMAGE / "bundle.sh", slot, "2", tmp_path / "out.swu"], capture_output=True, text=True,
                              env={**os.environ, "BOARD": "test-board", "KEYS": str(tmp_path), **environment})
        assert (tmp_path / "out.swu").exists() == (done.returncode == 0)
        return done.returncode, done.stderr

    return made


def test_certificates_of_the_year_2000_that_end_late_make_a_bundle(make):
    assert make() == (0, "")


def test_the_demonstration_keys_are_such(tmp_path):
    subprocess.run([IMAGE / "keys.sh", tmp_path / "keys"], check=True, capture_output=True)
    for name in ("ca", "signer"):
        found = x509.load_pem_x509_certificate((tmp_path / "keys" / f"{name}.crt").read_bytes())
        assert found.not_valid_before_utc.year < 2000 and found.not_valid_after_utc.year == 2099


@pytest.mark.parametrize("terms, words", [
    ({"signer": (NEW_YEAR, LATE)}, "a gate without a clock begins in the year 2000"),
    ({"signer": (soon(-1), LATE)}, "a gate without a clock begins in the year 2000"),
    ({"root": (soon(-1), LATE)}, "the signature does not hold under"),
    ({"signer": (LONG_AGO, soon(364))}, "in less than 365 days"),
    ({"signer": (LONG_AGO, soon(-1))}, "in less than 365 days"),
])
def test_a_signature_that_a_gate_would_refuse_is_not_made(make, terms, words):
    code, said = make(**terms)
    assert code != 0 and words in said


def test_how_long_is_for_the_owner_to_say(make):
    assert make(signer=(LONG_AGO, soon(40)), CERTIFICATE_DAYS="30") == (0, "")
    assert make(signer=(LONG_AGO, soon(40)), CERTIFICATE_DAYS="41")[0] != 0


def test_a_signing_command_that_leaves_the_signers_certificate_out_is_found(make, tmp_path):
    sign = f"openssl cms -sign -signer {tmp_path}/signer.crt -inkey {tmp_path}/signer.key -nocerts -md sha256 -outform DER -nosmimecap -binary"
    code, said = make(SIGN=sign)
    assert code != 0 and "holds no certificate of its signer" in said


@pytest.mark.parametrize("start, end, words", [
    (NEW_YEAR, LATE, "a gate without a clock begins in the year 2000"), (LONG_AGO, soon(364), "in less than 365 days")])
def test_an_image_is_not_made_for_a_root_that_gates_would_refuse(tmp_path, start, end, words):
    certify(tmp_path, "ca", start, end)
    done = subprocess.run([IMAGE / "build.sh", "template"], capture_output=True, text=True,
                          env={**os.environ, "UPDATE_KEYS": str(tmp_path), "TRUST_ROOT": "root.json", "IMAGE_BUILD": str(tmp_path / "out")})
    assert done.returncode == 2 and words in done.stderr and not (tmp_path / "out").exists()


def build(tmp_path, **environment) -> tuple[int, str]:
    done = subprocess.run([IMAGE / "build.sh", "template"], capture_output=True, text=True, timeout=60,
                          env={**os.environ, "IMAGE_BUILD": str(tmp_path / "out"), **environment})
    assert not (tmp_path / "out").exists()
    return done.returncode, done.stderr


def test_a_file_that_is_not_there_is_named_before_anything_is_built(tmp_path):
    root, bundle = tmp_path / "root.json", tmp_path / "bundle.cose"
    keys = {"UPDATE_KEYS": str(tmp_path / "keys"), "TRUST_ROOT": str(root)}
    assert build(tmp_path, **keys) == (2, f"root of updates: there is no file {tmp_path / 'keys' / 'ca.crt'}\n")
    certify(tmp_path, "ca", LONG_AGO, LATE)
    keys["UPDATE_KEYS"] = str(tmp_path)
    assert build(tmp_path, **keys) == (2, f"TRUST_ROOT: there is no file {root}\n")
    root.write_text("{}")
    assert build(tmp_path, **keys, TRUST_BUNDLE=str(bundle)) == (2, f"TRUST_BUNDLE: there is no file {bundle}\n")
    assert build(tmp_path, TRUST_BUNDLE=str(root)) == (2, "TRUST_BUNDLE needs TRUST_ROOT, which says who signs it\n")


def test_a_root_that_lasts_is_good_for_an_image(tmp_path):
    certify(tmp_path, "ca", LONG_AGO, LATE)
    done = subprocess.run(["bash", "-c", '. "$0" && certificate_lasts "$1" "root of updates"', IMAGE / "certificates.sh", tmp_path / "ca.crt"],
                          capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def test_real_keys_of_updates_with_demonstration_trust_are_no_image(tmp_path):
    certify(tmp_path, "ca", LONG_AGO, LATE)
    done = subprocess.run([IMAGE / "build.sh", "template"], capture_output=True, text=True,
                          env={**os.environ, "UPDATE_KEYS": str(tmp_path), "TRUST_ROOT": "", "IMAGE_BUILD": str(tmp_path / "out")})
    assert done.returncode == 2 and "without TRUST_ROOT" in done.stderr and not (tmp_path / "out").exists()


def test_a_slot_of_another_version_is_no_bundle(make, tmp_path):
    version = tmp_path / "slot" / "version"
    version.write_text("5\n")
    code, said = make()
    assert code == 2 and "was made as version 5, not 2" in said
    version.write_text("2\n")
    assert make() == (0, "")
