"""Debian's mosquitto as the broker: TLS, a password for each gate, the access list of docs/relay.md; to be killed, stopped and restarted."""
import datetime
import ipaddress
import shutil
import signal
import socket
import subprocess
import time
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from ports import free_port

PROGRAM = shutil.which("mosquitto") or "/usr/sbin/mosquitto"
ACCESS = """\
pattern write gatehouse/1/%u/log
pattern write gatehouse/1/%u/state
pattern write gatehouse/1/%u/health
pattern write gatehouse/1/%u/visit
pattern read gatehouse/1/%u/have
pattern write homeassistant/device/gatehouse-%u/config
pattern read homeassistant/status

user collector
topic readwrite #
"""


class Authority:
    """A certificate authority, and the certificates it makes."""

    def __init__(self, folder: Path, name: str):
        self.folder, self.name, self.key = folder, name, ec.generate_private_key(ec.SECP256R1())
        self.subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
        self.certificate = self._made(self.subject, self.key, None, 0)
        self.path = folder / f"{name}.pem"
        self.path.write_bytes(self.certificate.public_bytes(serialization.Encoding.PEM))

    def _made(self, subject, key, host, days):
        now = datetime.datetime.now(datetime.timezone.utc)
        made = (x509.CertificateBuilder().subject_name(subject).issuer_name(self.subject).public_key(key.public_key())
                .serial_number(x509.random_serial_number()).not_valid_before(now - datetime.timedelta(days=30))
                .not_valid_after(now + datetime.timedelta(days=days or 365))
                .add_extension(x509.BasicConstraints(host is None, None), True))
        if host:
            names = [x509.IPAddress(ipaddress.ip_address(one)) if one[0].isdigit() else x509.DNSName(one) for one in host.split(",")]
            made = made.add_extension(x509.SubjectAlternativeName(names), False)
        return made.sign(self.key, hashes.SHA256())

    def make(self, name: str, host: str = "localhost", days: int = 30) -> tuple[Path, Path]:
        """A certificate of a host, or of several with commas between, and its key, as files; expired where the days are negative."""
        key = ec.generate_private_key(ec.SECP256R1())
        made = self._made(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)]), key, host, days)
        certificate, private = self.folder / f"{name}.crt", self.folder / f"{name}.key"
        certificate.write_bytes(made.public_bytes(serialization.Encoding.PEM))
        private.write_bytes(key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()))
        private.chmod(0o600)
        return certificate, private


class Broker:
    """A broker with one gate, `east-1`, and a collector."""

    def __init__(self, folder: Path, *settings: str, access: str = ACCESS, certificate: tuple[Path, Path] | None = None):
        folder.mkdir(parents=True, exist_ok=True)
        self.folder, self.port, self.process = folder, free_port(), None
        self.authority = Authority(folder, "authority")
        self.certificate = certificate or self.authority.make("broker")
        self.passwords = folder / "passwords"
        self.passwords.write_text("east-1:right\ncollector:right\n")
        self.passwords.chmod(0o600)
        subprocess.run(["mosquitto_passwd", "-U", str(self.passwords)], check=True)
        (folder / "access").write_text(access)
        (folder / "access").chmod(0o600)
        self.settings = settings
        self.write()

    def write(self) -> None:
        certificate, key = self.certificate
        (self.folder / "broker.conf").write_text("\n".join([
            "user root", f"listener {self.port} 127.0.0.1", f"cafile {self.authority.path}", f"certfile {certificate}", f"keyfile {key}",
            f"password_file {self.passwords}", f"acl_file {self.folder / 'access'}", "allow_anonymous false", "persistence true",
            f"persistence_location {self.folder}/", "max_queued_messages 0", "log_dest file " + str(self.folder / "broker.log"),
            "log_type all", *self.settings, ""]))

    def start(self) -> "Broker":
        self.process = subprocess.Popen([PROGRAM, "-c", str(self.folder / "broker.conf")])
        for _ in range(2400):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", self.port)) == 0:
                    return self
            assert self.process.poll() is None, (self.folder / "broker.log").read_text()
            time.sleep(0.05)
        raise AssertionError("the broker does not listen")

    def send(self, number: int) -> None:
        self.process.send_signal(number)

    def end(self, number: int = signal.SIGTERM) -> None:
        if self.process is None:
            return
        self.process.send_signal(signal.SIGCONT)
        self.process.send_signal(number)
        self.process.wait(120)
        self.process = None

    def restart(self, number: int) -> None:
        self.end(number)
        self.start()
