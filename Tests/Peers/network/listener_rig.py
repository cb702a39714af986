"""The gate's end of `gatehouse-http`, in Python: starts the keeper of the socket, asks it for listeners, reads what strangers posted, and
answers as a gate would. The program is $GATEHOUSE_HTTP, or .build/release/gatehouse-http.
"""
import os
import socket
import struct
import threading
import time
from pathlib import Path
from typing import Callable, NamedTuple

from ports import free_port

BUILT = Path(__file__).resolve().parents[3] / ".build" / "release" / "gatehouse-http"
KINDS = ("envelope", "query", "form", "json")
STATUSES = (400, 404, 405, 408, 411, 413, 414, 415, 431, 503)
HEAD = struct.Struct("<IHHI")
# What a keeper says: kind, serial, status.
BOUND, NOT_BOUND, STARTED, ENDED, NOT_STARTED = range(1, 6)
MESSAGE, ACCEPTED, REJECTED, TAKEN, MALFORMED, GONE = range(0x8000, 0x8006)
# Seconds after which something will not come any more, on a machine that does a lot besides.
PATIENCE = 60


def program() -> str:
    return os.environ.get("GATEHOUSE_HTTP", str(BUILT))


class Posted(NamedTuple):
    kind: str
    number: int
    target: bytes
    body: bytes


class Keeper:
    """The process that has the socket."""

    def __init__(self, host: str = "127.0.0.1", port: int | None = None, *options: str) -> None:
        self.host, self.port = host, port or free_port(host)
        self.here, there = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.here.settimeout(PATIENCE)
        arguments = [program(), "keeper", "--address", host, "--port", str(self.port), *options]
        self.process = os.posix_spawn(program(), arguments, {}, file_actions=[(os.POSIX_SPAWN_DUP2, there.fileno(), 3)])
        there.close()
        self.status: int | None = None

    def report(self) -> tuple[int, int, int, int | None]:
        """The next report: kind, serial, status, and the descriptor that came with it."""
        octets, descriptors, _, _ = socket.recv_fds(self.here, 64, 2)
        if not octets:
            raise EOFError
        kind, zero, serial, status = struct.unpack("<B3sIi", octets)
        assert zero == b"\0\0\0"
        return kind, serial, status, descriptors[0] if descriptors else None

    def start(self) -> "Listener":
        self.here.send(b"\x01")
        while True:
            kind, serial, _, descriptor = self.report()
            if kind == STARTED:
                assert descriptor is not None
                return Listener(socket.socket(fileno=descriptor), serial)
            assert kind == ENDED, kind

    def wait(self) -> int:
        """How it ended, as wait(2) has it."""
        if self.status is None:
            limit = time.monotonic() + PATIENCE
            while not (found := os.waitpid(self.process, os.WNOHANG))[0]:
                assert time.monotonic() < limit, "the keeper does not end"
                time.sleep(0.01)
            self.status = found[1]
        return self.status

    def close(self) -> int:
        self.here.close()
        return self.wait()


class Listener:
    """The gate's end of a listener's channel."""

    def __init__(self, channel: socket.socket, serial: int) -> None:
        self.channel, self.serial = channel, serial
        self.channel.settimeout(PATIENCE)
        self.refused: dict[int, int] = {}

    def word(self) -> tuple[int, int, bytes]:
        """The next message: type, number, payload."""
        length, kind, version, number = HEAD.unpack(self._exactly(HEAD.size))
        assert version == 1 and length <= 4 + (512 << 10)
        return kind, number, self._exactly(length)

    def ready(self) -> "Listener":
        assert self.word() == (1, 0, b"")
        return self

    def posted(self) -> Posted:
        """What is posted next; what was refused is counted."""
        while True:
            kind, number, payload = self.word()
            if kind == 2:
                for status, count in zip(STATUSES, struct.unpack("<10I", payload), strict=True):
                    self.refused[status] = self.refused.get(status, 0) + count
                continue
            target = struct.unpack_from("<I", payload)[0]
            return Posted(KINDS[kind - 0x10], number, payload[4:4 + target], payload[4 + target:])

    def answer(self, number: int, kind: int, payload: bytes = b"") -> None:
        self.channel.sendall(HEAD.pack(len(payload), kind, 1, number) + payload)

    def _exactly(self, count: int) -> bytes:
        octets = bytearray()
        while len(octets) < count:
            part = self.channel.recv(count - len(octets))
            if not part:
                raise EOFError
            octets += part
        return bytes(octets)


class Desk(threading.Thread):
    """A gate that answers each post at once, by `choose`; None answers nothing. What it got is in `posts`."""

    def __init__(self, listener: Listener, choose: Callable[[Posted], tuple[int, bytes] | None] = lambda _: (TAKEN, b"")) -> None:
        super().__init__(daemon=True)
        self.listener, self.choose, self.posts = listener, choose, []
        self.start()

    def run(self) -> None:
        try:
            while True:
                posted = self.listener.posted()
                self.posts.append(posted)
                if chosen := self.choose(posted):
                    self.listener.answer(posted.number, *chosen)
        except (EOFError, OSError, TimeoutError):
            pass


# MARK: clients

def request(method: str = "POST", target: str = "/didcomm", body: bytes = b"{}", fields: dict[str, str] | None = None, version: str = "1.1") -> bytes:
    """A request as octets. A field of None is left out."""
    usual = {"Host": "gate"}
    if method == "POST":
        usual |= {"Content-Type": "application/didcomm-envelope-enc", "Content-Length": str(len(body))}
    lines = [f"{name}: {value}" for name, value in (usual | (fields or {})).items() if value is not None]
    return "\r\n".join([f"{method} {target} HTTP/{version}", *lines, "", ""]).encode("latin-1") + (body if method == "POST" else b"")


def connect(keeper: Keeper, source: str | None = None) -> socket.socket:
    place = (source, 0) if source else None
    return socket.create_connection((keeper.host, keeper.port), timeout=PATIENCE, source_address=place)


def answer(connection: socket.socket) -> tuple[int, dict[str, str], bytes]:
    """Status, fields and body of what comes until the end; 0 where nothing does."""
    octets = b""
    try:
        while part := connection.recv(65536):
            octets += part
    except ConnectionResetError:
        pass
    if not octets:
        return 0, {}, b""
    head, _, body = octets.partition(b"\r\n\r\n")
    first, *lines = head.decode().split("\r\n")
    fields = dict(line.split(": ", 1) for line in lines)
    assert int(fields["Content-Length"]) == len(body) and fields["Connection"] == "close"
    return int(first.split(" ")[1]), fields, body


def ask(keeper: Keeper, octets: bytes, source: str | None = None) -> tuple[int, dict[str, str], bytes]:
    with connect(keeper, source) as connection:
        try:
            connection.sendall(octets)
        except (ConnectionResetError, BrokenPipeError):
            pass
        return answer(connection)
