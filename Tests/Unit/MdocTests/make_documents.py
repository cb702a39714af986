#!/usr/bin/env python3
"""Writes DocumentFixtures.swift: roots, signers and revocation lists for the tests of Mdoc, and the keys that tests sign with.

    python Tests/Unit/MdocTests/make_documents.py > Tests/Unit/MdocTests/DocumentFixtures.swift

Needs PyPI `cryptography`. Every run makes new keys. What breaks a rule of mdoc.md section 6.1 is named by the rule; suites of others have many more.
"""
import datetime as dt

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

DAY = dt.timedelta(days=1)
# The tests' clock.
NOW = dt.datetime(2026, 6, 1, 12, tzinfo=dt.timezone.utc)
SIGNING = x509.ObjectIdentifier("1.0.18013.5.1.2")
USAGES = ("digital_signature", "content_commitment", "key_encipherment", "data_encipherment", "key_agreement", "key_cert_sign", "crl_sign",
          "encipher_only", "decipher_only")


def name(common, countries=("UT",), state=None):
    attributes = [x509.NameAttribute(NameOID.COUNTRY_NAME, country) for country in countries]
    if state:
        attributes.append(x509.NameAttribute(NameOID.STATE_OR_PROVINCE_NAME, state))
    return x509.Name(attributes + [x509.NameAttribute(NameOID.COMMON_NAME, common)])


def usage(*names):
    return x509.KeyUsage(**{one: one in names for one in USAGES})


def certificate(subject, issuer, key, signer, begin, end, extensions, digest=hashes.SHA256(), serial=None):
    builder = (x509.CertificateBuilder().subject_name(subject).issuer_name(issuer).public_key(key.public_key())
               .serial_number(serial or x509.random_serial_number()).not_valid_before(begin).not_valid_after(end))
    for extension, critical in extensions:
        builder = builder.add_extension(extension, critical)
    return builder.sign(signer, digest)


def authority(key, subject=name("Test IACA"), ca=True, use=("key_cert_sign", "crl_sign"), signer=None, begin=NOW - 900 * DAY,
              end=NOW + 3000 * DAY):
    return certificate(subject, subject, key, signer or key, begin, end, [
        (x509.BasicConstraints(ca, 0 if ca else None), True), (usage(*use), True),
        (x509.SubjectKeyIdentifier.from_public_key(key.public_key()), False),
        (x509.IssuerAlternativeName([x509.UniformResourceIdentifier("https://issuer.example")]), False),
        (x509.CRLDistributionPoints([x509.DistributionPoint([x509.UniformResourceIdentifier("https://issuer.example/crl")],
                                                            None, None, None)]), False)])


def document_signer(key, root, root_key, subject=name("Test DS"), begin=NOW - 90 * DAY, end=NOW + 300 * DAY, serial=77):
    return certificate(subject, root.subject, key, root_key, begin, end, [
        (x509.AuthorityKeyIdentifier.from_issuer_public_key(root_key.public_key()), False),
        (x509.SubjectKeyIdentifier.from_public_key(key.public_key()), False), (usage("digital_signature"), True),
        (x509.IssuerAlternativeName([x509.UniformResourceIdentifier("https://issuer.example")]), False),
        (x509.CRLDistributionPoints([x509.DistributionPoint([x509.UniformResourceIdentifier("https://issuer.example/crl")],
                                                            None, None, None)]), False),
        (x509.ExtendedKeyUsage([SIGNING]), True)], serial=serial)


def revocations(root, key, serials, begin=NOW - DAY, end=NOW + 30 * DAY):
    builder = x509.CertificateRevocationListBuilder().issuer_name(root.subject).last_update(begin).next_update(end)
    for serial in serials:
        builder = builder.add_revoked_certificate(
            x509.RevokedCertificateBuilder().serial_number(serial).revocation_date(begin).build())
    return builder.sign(key, hashes.SHA256())


def der(value):
    return value.public_bytes(serialization.Encoding.DER)


def pem(key):
    return key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()).decode()


def point(key):
    return key.public_key().public_bytes(serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint)


def main():
    p256, brainpool = ec.SECP256R1(), ec.BrainpoolP256R1()
    root_key, other_key, signer_key, device_key, status_key = (ec.generate_private_key(p256) for _ in range(5))
    root, signer = authority(root_key), None
    signer = document_signer(signer_key, root, root_key)
    brain_key = ec.generate_private_key(brainpool)
    octets = {
        "root": der(root),
        "rootRenewed": der(authority(root_key, begin=NOW + 10 * DAY, end=NOW + 4000 * DAY)),
        "rootOver": der(authority(root_key, end=NOW - DAY)),
        "rootOfSameName": der(authority(other_key)),
        "rootNotAnAuthority": der(authority(root_key, ca=False)),
        "rootWithoutSigning": der(authority(root_key, use=("crl_sign",))),
        "rootOfTwoCountries": der(authority(root_key, name("Test IACA", ("UT", "UX")))),
        "rootNotSelfSigned": der(authority(root_key, signer=other_key)),
        "rootOnBrainpool": der(authority(brain_key)),
        "signer": der(signer),
        "statusSigner": der(document_signer(status_key, root, root_key, name("Test Status"), serial=78)),
        "signerOfOtherState": der(document_signer(signer_key, root, root_key, name("Test DS", state="UT-A"))),
        "revokingNobody": der(revocations(root, root_key, [])),
        "revokingSigner": der(revocations(root, root_key, [77])),
        "revokingStatusSigner": der(revocations(root, root_key, [78])),
        "revokingSignerLongAgo": der(revocations(root, root_key, [77], NOW - 100 * DAY, NOW - 70 * DAY)),
        "revokingNobodyLongAgo": der(revocations(root, root_key, [], NOW - 100 * DAY, NOW - 70 * DAY)),
        "revokingSignerByAnother": der(revocations(authority(other_key), other_key, [77])),
        "readerOver": der(certificate(name("Gate"), name("Gate"), signer_key, signer_key, NOW - 400 * DAY, NOW - 10 * DAY, [])),
        "devicePoint": point(device_key),
    }
    print("/// Made by make_documents.py: nothing here is a secret, and nobody trusts it.")
    print("enum DocumentFixtures {")
    print("    /// 2026-06-01T12:00:00Z, at which everything is valid that does not say otherwise.")
    print(f"    static let now: Int64 = {int(NOW.timestamp())}")
    for label, key in (("signerKey", signer_key), ("deviceKey", device_key), ("statusKey", status_key)):
        print(f'    static let {label} = """\n        ' + pem(key).strip().replace("\n", "\n        ") + '\n        """')
    for label, value in octets.items():
        text = value.hex()
        lines = [text[start:start + 120] for start in range(0, len(text), 120)]
        print(f'    static let {label} = """\n        ' + "\n        ".join(lines) + '\n        """')
    print("}")


if __name__ == "__main__":
    main()
