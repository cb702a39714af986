"""A web server with TLS for one test, under an authority that was made on the spot: it gives out lists, and misbehaves in every way that
matters."""
import datetime
import ssl
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

MIB = 1 << 20


def name(text: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, text)])


class Authority:
    """Certifies servers of this machine."""

    def __init__(self, folder: Path, text: str = "Test authority") -> None:
        self.folder, self.text, self.key = Path(folder), text, ec.generate_private_key(ec.SECP256R1())
        self.file = self.folder / f"{text.replace(' ', '-')}.pem"
        self.file.write_bytes(self.certificate(text, self.key, is_authority=True).public_bytes(serialization.Encoding.PEM))

    def certificate(self, subject: str, key, hosts: tuple = (), is_authority: bool = False) -> x509.Certificate:
        now = datetime.datetime.now(datetime.timezone.utc)
        builder = x509.CertificateBuilder(name(self.text), name(subject), key.public_key(), x509.random_serial_number(),
                                          now - datetime.timedelta(days=1), now + datetime.timedelta(days=1))
        builder = builder.add_extension(x509.BasicConstraints(ca=is_authority, path_length=None), True)
        if hosts:
            builder = builder.add_extension(x509.SubjectAlternativeName([x509.DNSName(host) for host in hosts]), False)
        return builder.sign(self.key, hashes.SHA256())

    def context(self, *hosts: str) -> ssl.SSLContext:
        key, file = ec.generate_private_key(ec.SECP256R1()), self.folder / "server.pem"
        pem, pkcs8, plain = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        file.write_bytes(key.private_bytes(pem, pkcs8, plain) + self.certificate("server", key, hosts).public_bytes(pem))
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(file)
        return context


class Answer(BaseHTTPRequestHandler):
    """What a path answers is what the server has for it: octets, or a function that is given the request."""

    def do_GET(self):
        self.server.asked.append((self.path, dict(self.headers)))
        content = self.server.pages.get(self.path)
        if callable(content):
            content(self)
        elif content is None:
            self.whole(b"no such page", 404)
        else:
            self.whole(content)

    def do_CONNECT(self):
        self.server.asked.append((self.path, dict(self.headers)))
        self.whole(b"", 502)

    def whole(self, octets: bytes, code: int = 200, kind: str = "application/octet-stream") -> None:
        self.begin(code, kind, len(octets))
        self.wfile.write(octets)

    def begin(self, code: int, kind: str, length: int | None, **headers: str) -> None:
        self.send_response(code)
        self.send_header("Content-Type", kind)
        if length is not None:
            self.send_header("Content-Length", str(length))
        for header, value in headers.items():
            self.send_header(header, value)
        self.end_headers()

    def log_message(self, *_):
        pass


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, authority: Authority | None = None, host: str = "localhost") -> None:
        super().__init__(("127.0.0.1", 0), Answer)
        self.pages, self.asked, self.ended = {}, [], threading.Event()
        self.scheme, self.host = "https" if authority else "http", host
        if authority:
            # The handshake is each thread's own: one who never speaks keeps nobody else waiting.
            self.socket = authority.context(host).wrap_socket(self.socket, server_side=True, do_handshake_on_connect=False)

    def __enter__(self):
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.ended.set()
        self.shutdown()
        self.server_close()

    def handle_error(self, request, client_address):
        """A client that hangs up in the middle is what many tests are about."""

    def url(self, path: str, host: str | None = None) -> str:
        return f"{self.scheme}://{host or self.host}:{self.server_address[1]}{path}"


# MARK: ways to misbehave

def too_large(answer: Answer) -> None:
    """Says so beforehand."""
    answer.begin(200, "application/statuslist+jwt", 2 * MIB)
    answer.wfile.write(b"a" * 2 * MIB)


def endless(answer: Answer) -> None:
    """Never says how much it will be, and goes on for as long as somebody listens."""
    answer.begin(200, "application/statuslist+jwt", None)
    while not answer.server.ended.is_set():
        answer.wfile.write(b"a" * 65_536)


def too_slow(answer: Answer) -> None:
    """An octet now and then, for as long as somebody listens."""
    answer.begin(200, "application/statuslist+jwt", MIB)
    while not answer.server.ended.wait(0.05):
        answer.wfile.write(b"a")
        answer.wfile.flush()


def silent(answer: Answer) -> None:
    """Takes the request and says nothing."""
    answer.server.ended.wait()


def truncated(content: bytes):
    """Ends in the middle of what it announced."""
    def answer(answer: Answer) -> None:
        answer.begin(200, "application/statuslist+jwt", len(content))
        answer.wfile.write(content[:len(content) // 2])
        answer.close_connection = True
    return answer


def sent_on(to: str, code: int = 302):
    return lambda answer: answer.begin(code, "text/plain", 0, Location=to)


def of_type(content: bytes, kind: str):
    return lambda answer: answer.whole(content, 200, kind)
