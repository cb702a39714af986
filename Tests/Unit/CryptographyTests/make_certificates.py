"""Writes CertificateFixtures.swift: the certificates CertificateChainTests reads. Needs PyPI `cryptography`.

The private keys are thrown away, so running it again changes every fixture.
"""
import base64
import datetime
import pathlib
import textwrap

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, padding, rsa
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID, ObjectIdentifier


def day(year):
    return datetime.datetime(year, 1, 1)


def name(common):
    return x509.Name([
        x509.NameAttribute(NameOID.COUNTRY_NAME, "UT"),
        x509.NameAttribute(NameOID.COMMON_NAME, common),
    ])


def usage(sign=False, certify=False):
    return x509.KeyUsage(sign, False, False, False, False, certify, certify, False, False)


def certificate(subject, key, issuer, signer, start=2024, end=2034, extensions=(), digest=hashes.SHA256()):
    builder = (
        x509.CertificateBuilder().subject_name(name(subject)).issuer_name(name(issuer)).public_key(key.public_key())
        .serial_number(x509.random_serial_number()).not_valid_before(day(start)).not_valid_after(day(end)))
    for extension, critical in extensions:
        builder = builder.add_extension(extension, critical)
    if isinstance(signer, ed25519.Ed25519PrivateKey):
        digest = None
    return builder.sign(signer, digest)


def authority(length=None):
    return [(x509.BasicConstraints(True, length), True), (usage(certify=True), True)]


def p256():
    return ec.generate_private_key(ec.SECP256R1())


names = x509.SubjectAlternativeName([
    x509.DNSName("issuer.example"), x509.UniformResourceIdentifier("https://issuer.example/vct"),
    x509.RFC822Name("desk@issuer.example"), x509.DNSName("*.issuer.example"),
])
leaf_extensions = [(x509.BasicConstraints(False, None), True), (usage(sign=True), True), (names, False)]

root_key, middle_key, lower_key, leaf_key, stranger_key = p256(), p256(), p256(), p256(), p256()
weak_key = rsa.generate_private_key(65537, 1024)
rsa_key = rsa.generate_private_key(65537, 2048)
edwards_key = ed25519.Ed25519PrivateKey.generate()
brainpool_key = ec.generate_private_key(ec.BrainpoolP256R1())



def with_sha1(der, key):
    """The certificate signed again with SHA-1, which the library no longer does. The two identifiers differ in one
    byte, and an RSA signature keeps its length."""
    sha256, sha1 = bytes.fromhex("2a864886f70d01010b"), bytes.fromhex("2a864886f70d010105")
    body = x509.load_der_x509_certificate(der).tbs_certificate_bytes.replace(sha256, sha1)
    signature = key.sign(body, padding.PKCS1v15(), hashes.SHA1())
    return der.replace(sha256, sha1)[:-len(signature)] + signature


rsa_root = certificate("RSA Root", rsa_key, "RSA Root", rsa_key, 2020, 2050, authority())
rsa_signed = certificate("Leaf", leaf_key, "RSA Root", rsa_key)
root = certificate("Root", root_key, "Root", root_key, 2020, 2050, authority())
made = {
    "root": root,
    "lookalikeRoot": certificate("Root", stranger_key, "Root", stranger_key, 2020, 2050, authority()),
    "middle": certificate("Middle", middle_key, "Root", root_key, 2022, 2045, authority(0)),
    "lower": certificate("Lower", lower_key, "Middle", middle_key, 2022, 2045, authority()),
    "expiredMiddle": certificate("Middle", middle_key, "Root", root_key, 2010, 2023, authority(0)),
    "middleWithoutConstraints": certificate(
        "Middle", middle_key, "Root", root_key, 2022, 2045, [(usage(certify=True), True)]),
    "middleThatIsNoAuthority": certificate(
        "Middle", middle_key, "Root", root_key, 2022, 2045, [(x509.BasicConstraints(False, None), True)]),
    "middleThatMayNotSign": certificate(
        "Middle", middle_key, "Root", root_key, 2022, 2045,
        [(x509.BasicConstraints(True, None), True), (usage(sign=True), True)]),
    "middleForOthers": certificate(
        "Middle", middle_key, "Root", root_key, 2022, 2045,
        authority() + [(x509.NameConstraints([x509.DNSName("elsewhere.example")], None), True)]),
    "rsaRoot": rsa_root,
    "rsaSignedLeaf": rsa_signed,
    "leaf": certificate("Leaf", leaf_key, "Middle", middle_key, extensions=leaf_extensions),
    "directLeaf": certificate("Leaf", leaf_key, "Root", root_key, extensions=leaf_extensions + [
        (x509.ExtendedKeyUsage([ObjectIdentifier("1.0.18013.5.1.2")]), True)]),
    "lowerLeaf": certificate("Leaf", leaf_key, "Lower", lower_key, extensions=leaf_extensions),
    "forgedLeaf": certificate("Leaf", leaf_key, "Middle", stranger_key, extensions=leaf_extensions),
    "leafOfLeaf": certificate("Leaf of leaf", stranger_key, "Leaf", leaf_key, extensions=leaf_extensions),
    "selfSigned": certificate("Self", leaf_key, "Self", leaf_key, extensions=leaf_extensions),
    "bareLeaf": certificate("Leaf", leaf_key, "Root", root_key),
    "edwardsLeaf": certificate("Leaf", edwards_key, "Root", root_key),
    "rsaLeaf": certificate("Leaf", rsa_key, "Root", root_key),
    "weakLeaf": certificate("Leaf", weak_key, "Root", root_key),
    "brainpoolLeaf": certificate("Leaf", brainpool_key, "Root", root_key),
    "strangeLeaf": certificate("Leaf", leaf_key, "Root", root_key, extensions=[
        (x509.UnrecognizedExtension(ObjectIdentifier("1.3.6.1.4.1.55555.1"), b"\x05\x00"), True)]),
    "leafWithHiddenName": certificate("Leaf", leaf_key, "Root", root_key, extensions=[
        (x509.UnrecognizedExtension(
            ObjectIdentifier("2.5.29.17"), bytes([0x30, 12, 0x82, 10]) + b"good\0.evil"), False)]),
    "leafWithBrokenNames": certificate("Leaf", leaf_key, "Root", root_key, extensions=[
        (x509.UnrecognizedExtension(ObjectIdentifier("2.5.29.17"), b"\x30\x7f\x82"), False)]),
}
made["sha1Leaf"] = with_sha1(rsa_signed.public_bytes(serialization.Encoding.DER), rsa_key)

out = ["// Made by make_certificates.py. Base64 of DER.", "enum CertificateFixtures {"]
for label, made_certificate in made.items():
    if not isinstance(made_certificate, bytes):
        made_certificate = made_certificate.public_bytes(serialization.Encoding.DER)
    text = base64.b64encode(made_certificate).decode()
    out.append(f'    static let {label} = """')
    out += ["        " + line + "\\" for line in textwrap.wrap(text, 104)]
    out[-1] = out[-1].rstrip("\\")
    out.append('        """')
out.append("}")
pathlib.Path(__file__).with_name("CertificateFixtures.swift").write_text("\n".join(out) + "\n")
