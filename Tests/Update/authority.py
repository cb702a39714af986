"""Certificates of time servers: an authority that is made anew for each test, and who it answers for."""
import base64
import datetime
import ipaddress

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

DAY = datetime.timedelta(days=1)


class Authority:
    def __init__(self, name: str = "Time") -> None:
        self.key = ec.generate_private_key(ec.SECP256R1())
        self.name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])
        now = datetime.datetime.now(datetime.timezone.utc)
        self.certificate = self.sign(self.name, self.key, now - 9 * DAY, now + 9 * DAY, x509.BasicConstraints(True, None))

    def sign(self, subject: x509.Name, key: ec.EllipticCurvePrivateKey, begin, end, *extensions: x509.ExtensionType) -> x509.Certificate:
        builder = (x509.CertificateBuilder().subject_name(subject).issuer_name(self.name).public_key(key.public_key())
                   .serial_number(x509.random_serial_number()).not_valid_before(begin).not_valid_after(end))
        for extension in extensions:
            builder = builder.add_extension(extension, isinstance(extension, x509.BasicConstraints))
        return builder.sign(self.key, hashes.SHA256())

    def line(self) -> str:
        """As `gatehouse site show --member timeAuthorities` prints it."""
        return base64.b64encode(self.certificate.public_bytes(serialization.Encoding.DER)).decode()

    def server(self, *names: str, days: int = 0) -> tuple[bytes, bytes]:
        """Key and certificate, PEM, of whoever has these names or addresses; good from a day before to a day after today, or so many days later."""
        key = ec.generate_private_key(ec.SECP256R1())
        now = datetime.datetime.now(datetime.timezone.utc) + days * DAY

        def general(name: str) -> x509.GeneralName:
            try:
                return x509.IPAddress(ipaddress.ip_address(name))
            except ValueError:
                return x509.DNSName(name)

        certificate = self.sign(x509.Name([]), key, now - DAY, now + DAY, x509.SubjectAlternativeName(map(general, names)))
        return (key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()),
                certificate.public_bytes(serialization.Encoding.PEM))
