"""Certificate authorities made on the spot with `cryptography`: a root, one below it, and certificates for issuers' keys, with any extensions."""
import base64
import datetime

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from issuer import NO_USE, Issuer

Extensions = tuple[tuple[x509.ExtensionType, bool], ...]
SERVER, DOCUMENTS, ANY, MDOCS = "1.3.6.1.5.5.7.3.1", "1.3.6.1.5.5.7.3.36", "2.5.29.37.0", "1.0.18013.5.1.2"


def usages(*identifiers: str) -> Extensions:
    return ((x509.ExtendedKeyUsage([x509.ObjectIdentifier(each) for each in identifiers]), False),)


def policies(*identifiers: str) -> Extensions:
    return ((x509.CertificatePolicies([x509.PolicyInformation(x509.ObjectIdentifier(each), None) for each in identifiers]), False),)


def explicit_policy(certificates: int = 0) -> Extensions:
    return ((x509.PolicyConstraints(certificates, None), True),)


def uris(*names: str) -> list[x509.GeneralName]:
    return [x509.UniformResourceIdentifier(name) for name in names]


def hosts(*names: str) -> list[x509.GeneralName]:
    return [x509.DNSName(name) for name in names]


class Hierarchy:
    """A root and an intermediate. The root is what trust files pin."""

    def __init__(self, root: Extensions = (), intermediate: Extensions = ()) -> None:
        self.root_key, self.key = ec.generate_private_key(ec.SECP384R1()), ec.generate_private_key(ec.SECP256R1())
        self.root = self.certificate("Root", self.root_key, "Root", self.root_key, AUTHORITY + root)
        self.intermediate = self.certificate("Intermediate", self.key, "Root", self.root_key, AUTHORITY + intermediate)

    @staticmethod
    def certificate(subject: str, key, issuer: str, signer, extensions: Extensions) -> x509.Certificate:
        def name(text: str) -> x509.Name:
            return x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, text)])

        now = datetime.datetime.now(datetime.timezone.utc)
        builder = x509.CertificateBuilder(name(issuer), name(subject), key.public_key(), x509.random_serial_number(),
                                          now - datetime.timedelta(days=30), now + datetime.timedelta(days=300))
        for extension, critical in extensions:
            builder = builder.add_extension(extension, critical)
        return builder.sign(signer, hashes.SHA256())

    def chain(self, issuer: Issuer, extensions: Extensions = (), names: list[x509.GeneralName] | None = None) -> list[bytes]:
        """DER of a certificate for the issuer's key, by its URI or by `names`, and of the intermediate."""
        own = ((x509.SubjectAlternativeName(names or uris(issuer.name)), False), (x509.BasicConstraints(False, None), True),
               (x509.KeyUsage(**{**NO_USE, "digital_signature": True}), True))
        leaf = self.certificate("Issuer", issuer.key, "Intermediate", self.key, own + extensions)
        return [der(leaf), der(self.intermediate)]

    def pem(self) -> str:
        return self.root.public_bytes(serialization.Encoding.PEM).decode()


AUTHORITY: Extensions = ((x509.BasicConstraints(True, None), True), (x509.KeyUsage(**{**NO_USE, "key_cert_sign": True, "crl_sign": True}), True))


def der(certificate: x509.Certificate) -> bytes:
    return certificate.public_bytes(serialization.Encoding.DER)


def x5c(chain: list[bytes]) -> list[str]:
    """As a JOSE header has it (RFC 7515 section 4.1.6)."""
    return [base64.b64encode(each).decode() for each in chain]
