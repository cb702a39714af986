"""Providers of lists of issuers' roots (VICAL, ISO/IEC 18013-5 Annex C), authorities and readers, made here. Nobody real signs anything."""
import datetime

import cbor2
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, utils
from cryptography.x509.oid import NameOID

DAY = datetime.timedelta(1)
NOW = datetime.datetime(2026, 6, 1, 12, tzinfo=datetime.timezone.utc)
MDL, PHOTO = "org.iso.18013.5.1.mDL", "org.iso.23220.photoid.1"
LISTING = x509.ObjectIdentifier("1.0.18013.5.1.8")
CURVES = {"P-256": (ec.SECP256R1, hashes.SHA256, -7), "P-384": (ec.SECP384R1, hashes.SHA384, -35),
          "P-521": (ec.SECP521R1, hashes.SHA512, -36)}
USAGES = ("digital_signature", "content_commitment", "key_encipherment", "data_encipherment", "key_agreement", "key_cert_sign", "crl_sign",
          "encipher_only", "decipher_only")


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


def provider(curve="P-256", **validity):
    """A root, and who signs its lists."""
    root = Party(name("VICAL Root"), (x509.BasicConstraints(True, 1), True), usage("key_cert_sign"), curve=curve, **validity)
    return root, Party(name("VICAL Signer"), usage("content_commitment"), (x509.ExtendedKeyUsage([LISTING]), True), curve=curve, above=root,
                       **validity)


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
