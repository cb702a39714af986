"""A receiver of webhooks over HTTPS, whose verifier is PyPI's `standardwebhooks`, and that misbehaves as it is told."""
import base64
import contextlib
import os
import socket
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from standardwebhooks.webhooks import Webhook, WebhookVerificationError

from list_server import Authority


def new_secret() -> str:
    return "whsec_" + base64.b64encode(os.urandom(32)).decode()


class Post:
    """What came: headers with small letters, and the body."""

    def __init__(self, headers: dict[str, str], body: bytes) -> None:
        self.headers, self.body, self.at = headers, body, time.monotonic()

    @property
    def number(self) -> int:
        return int(self.headers["webhook-id"].rsplit("-", 2)[1])

    def verify(self, secret: str) -> dict:
        return Webhook(secret).verify(self.body, self.headers)

    def is_refused(self, secret: str, **headers: str) -> bool:
        try:
            Webhook(secret).verify(self.body, {**self.headers, **headers})
            return False
        except WebhookVerificationError:
            return True


class Receiving(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def setup(self):
        super().setup()
        self.server.connections.append(self.connection)

    def do_POST(self):
        if self.server.ended.is_set():
            # A connection that outlives its server is nobody's.
            self.close_connection = True
            return
        post = Post({name.lower(): value for name, value in self.headers.items()}, self.rfile.read(int(self.headers["Content-Length"])))
        self.server.posts.append(post)
        answer = self.server.answer(post)
        if callable(answer):
            answer(self)
        else:
            self.say(answer)

    def do_GET(self):
        self.server.got.append(self.path)
        self.say(200)

    def say(self, status: int, **headers: str) -> None:
        self.send_response(status)
        for header, value in {"Content-Length": "0", **headers}.items():
            self.send_header(header, value)
        self.end_headers()

    def log_message(self, *_):
        pass


class Receiver(ThreadingHTTPServer):
    daemon_threads = True
    allow_reuse_address = True

    def __init__(self, authority: Authority, port: int = 0, answer=204) -> None:
        super().__init__(("127.0.0.1", port), Receiving)
        self.posts: list[Post] = []
        self.got: list[str] = []
        self.connections: list[socket.socket] = []
        self.ended = threading.Event()
        self.answer = lambda post: answer
        self.port = self.server_address[1]
        self.socket = authority.context("localhost").wrap_socket(self.socket, server_side=True, do_handshake_on_connect=False)

    def __enter__(self):
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.ended.set()
        self.shutdown()
        self.server_close()
        # The threads of connections that are open go on otherwise, and answer.
        for connection in self.connections:
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def handle_error(self, request, client_address):
        """A client that hangs up in the middle is what many tests are about."""

    def numbers(self) -> list[int]:
        return [post.number for post in list(self.posts)]


# MARK: ways to misbehave

def endless(receiving: Receiving, status: int = 200) -> None:
    receiving.send_response(status)
    receiving.end_headers()
    while not receiving.server.ended.is_set():
        receiving.wfile.write(b"a" * 65_536)


def no_http(receiving: Receiving) -> None:
    receiving.close_connection = True
    receiving.wfile.write(b"SSH-2.0-none\r\n\r\n")


def busy(after: str):
    return lambda receiving: receiving.say(503, **{"Retry-After": after})


def silent(receiving: Receiving) -> None:
    receiving.server.ended.wait()


def dribbling(receiving: Receiving) -> None:
    receiving.send_response(200)
    receiving.send_header("Content-Length", "60000")
    receiving.end_headers()
    while not receiving.server.ended.wait(0.05):
        receiving.wfile.write(b"a")
        receiving.wfile.flush()


def hanging_up(receiving: Receiving) -> None:
    receiving.close_connection = True
    receiving.connection.close()


def sent_on(to: str):
    return lambda receiving: receiving.say(307, Location=to)
