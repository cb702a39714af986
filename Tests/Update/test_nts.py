"""The clock by a network that proves who it is (RFC 8915): the image's settings of chronyd, as `settings` writes them, and trixie's chronyd as client and as
server. The client may not set this machine's clock (-x); what it would set it by it says."""
import os
import random
import re
import shutil
import socket
import struct
import threading
import time
from collections.abc import Iterator

import pytest

from authority import Authority
from conftest import end
from lab import OVERLAY, PROGRAMS, Board

CONF = "usr/share/gatehouse/ntp.conf"
NAME, OTHER = "time.example", "other.example"
SELECTED = r"Selected source (\S+)"
UNTRUSTED = r"TLS handshake with .* failed : Error in the certificate verification"
# Longer than a client lets pass between its first four questions, in seconds.
PATIENCE = 90


class Network:
    """A board, and time servers at addresses of this machine's own that no other test has."""

    def __init__(self, board: Board) -> None:
        self.board, self.processes, self.said = board, [], {}
        self.net = f"127.{random.randint(16, 250)}.{random.randint(1, 250)}"
        upper = board.place / "upper"
        (upper / CONF).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(OVERLAY / CONF, upper / CONF)
        self.made = upper / "usr/lib/clock-epoch"
        self.made.touch()
        self.day(2026)
        (upper / "etc/hosts").write_text(f"127.0.0.1 localhost\n{self.address(1)} {NAME}\n{self.address(3)} {OTHER}\n")
        (board.place / "run/gatehouse-ntp").mkdir()
        (board.place / "run/gatehouse-ntp").chmod(0o777)

    def address(self, number: int) -> str:
        return f"{self.net}.{number}"

    def day(self, year: int) -> None:
        """When the image was made."""
        seconds = (year - 1970) * 31_556_952
        os.utime(self.made, (seconds, seconds))

    def begin(self, name: str, *command: str) -> None:
        # Not the first process of its name space: one that gives root up is not told when the space ends.
        process = self.board.start("sh", "-c", '"$@"; true', "sh", *command)
        self.processes.append(process)
        self.said[name] = ""

        def read() -> None:
            for line in process.stdout:
                self.said[name] += line

        threading.Thread(target=read, daemon=True).start()

    def serve(self, number: int, key: bytes, certificate: bytes, *more: str) -> None:
        """chronyd as a server with NTS."""
        run, name = self.board.place / "run", f"server{number}"
        (run / f"{name}.key").write_bytes(key)
        (run / f"{name}.crt").write_bytes(certificate)
        (run / f"{name}.conf").write_text("\n".join([
            "local stratum 1", f"bindaddress {self.address(number)}", "allow 127.0.0.0/8", "cmdport 0", "bindcmdaddress /", f"pidfile /run/{name}.pid", "user root",
            "ntsprocesses 0", f"ntsserverkey /run/{name}.key", f"ntsservercert /run/{name}.crt", *more, ""]))
        self.begin(name, "/usr/sbin/chronyd", "-x", "-d", "-f", f"/run/{name}.conf")

    def ask(self, *servers: str, authorities: list[Authority]) -> None:
        """A client with what a site file says, on the way that it takes on a board."""
        shown = ["timeSync true", *(f"timeServers {server}" for server in servers), *(f"timeAuthorities {one.line()}" for one in authorities)]
        (self.board.place / "run/gatehouse-settings.shown").write_text("\n".join(shown) + "\n")
        for program in (("settings", "apply"), ("ntp-begin",)):
            code, said = self.board.run(f"/{PROGRAMS}/{program[0]}", *program[1:])
            assert code == 0, said
        self.begin("client", "/usr/sbin/chronyd", "-x", "-d", "-f", f"/{CONF}")

    def hears(self, pattern: str) -> re.Match:
        deadline = time.monotonic() + PATIENCE
        while not (found := re.search(pattern, self.said["client"])):
            assert time.monotonic() < deadline, f"{pattern!r} was not said: {self.said}"
            time.sleep(0.1)
        return found

    def believes_nobody(self) -> None:
        assert "Selected source" not in self.said["client"], self.said


class PlainServer:
    """Answers every question of NTP at this address with the time, as anybody on the way could, without any proof."""

    def __init__(self, address: str) -> None:
        self.asked = 0
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind((address, 123))
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self) -> None:
        while True:
            try:
                query, whom = self.socket.recvfrom(2048)
            except OSError:
                return
            if len(query) < 48 or query[0] & 7 != 3:
                continue
            self.asked += 1
            seconds = time.time() + 2_208_988_800
            now = struct.pack(">II", int(seconds) % (1 << 32), int(seconds % 1 * (1 << 32)))
            self.socket.sendto(struct.pack(">BBbb", 0x24, 1, query[2], -20) + bytes(6) + b"\0\1" + b"TEST" + now + query[40:48] + now + now, whom)


@pytest.fixture
def network(board) -> Iterator[Network]:
    made = Network(board)
    yield made
    for process in made.processes:
        end(process)


@pytest.fixture
def plain(network) -> Iterator[PlainServer]:
    """At the address 3."""
    made = PlainServer(network.address(3))
    yield made
    made.socket.close()


def test_the_time_of_a_server_that_proves_who_it_is(network):
    authority, other = Authority(), Authority("Other")
    network.serve(1, *authority.server(NAME))
    network.ask(f"nts:{NAME}", authorities=[other, authority])
    assert network.hears(SELECTED).group(1) == network.address(1)
    assert (network.board.place / "run/gatehouse-ntp.conf").read_text() == f"server {NAME} iburst nts\n"


def test_by_an_address_that_the_certificate_has(network):
    authority = Authority()
    network.serve(1, *authority.server(network.address(1)))
    network.ask(f"nts:{network.address(1)}", authorities=[authority])
    network.hears(SELECTED)


@pytest.mark.parametrize("names, days, issuer", [(OTHER, 0, 0), (f"x.{NAME}", 0, 0), (NAME, 0, 1), (NAME, -2, 0), (NAME, 2, 0)],
                         ids=["another name", "a name inside", "another authority of that name", "ended yesterday", "begins tomorrow"])
def test_a_certificate_that_proves_nothing(network, names, days, issuer):
    authorities = [Authority(), Authority()]
    network.serve(1, *authorities[issuer].server(names, days=days))
    network.ask(f"nts:{NAME}", authorities=authorities[:1])
    network.hears(UNTRUSTED)
    network.believes_nobody()


@pytest.mark.parametrize("days", [-2, 2])
def test_a_board_without_a_clock_does_not_look_at_dates_at_first(network, days):
    network.day(2100)
    authority = Authority()
    network.serve(1, *authority.server(NAME, days=days))
    network.ask(f"nts:{NAME}", authorities=[authority])
    network.hears(SELECTED)


def test_a_board_without_a_clock_looks_at_all_else(network):
    network.day(2100)
    network.serve(1, *Authority().server(NAME))
    network.ask(f"nts:{NAME}", authorities=[Authority()])
    network.hears(UNTRUSTED)
    network.believes_nobody()


def test_an_answer_without_proof_is_none(network, plain):
    """The certificate is right, and who answers afterwards is somebody on the way."""
    authority = Authority()
    network.serve(1, *authority.server(NAME), f"ntsntpserver {network.address(3)}")
    network.ask(f"nts:{NAME}", authorities=[authority])
    deadline = time.monotonic() + PATIENCE
    # As many as a client needs of answers that it believes, and more.
    while plain.asked < 8:
        assert time.monotonic() < deadline, f"asked {plain.asked} times: {network.said}"
        time.sleep(0.1)
    network.believes_nobody()


def test_the_same_answers_where_no_proof_is_asked_for(network, plain):
    network.ask(OTHER, authorities=[])
    assert network.hears(SELECTED).group(1) == network.address(3) and plain.asked >= 3


def test_beside_a_server_that_proves_itself_no_other_decides(network, plain):
    network.serve(1, *Authority().server(NAME))
    network.ask(f"nts:{NAME}", OTHER, authorities=[Authority()])
    network.hears(UNTRUSTED)
    deadline = time.monotonic() + PATIENCE
    while plain.asked < 4:
        assert time.monotonic() < deadline, f"asked {plain.asked} times: {network.said}"
        time.sleep(0.1)
    # The last answer may be on its way.
    time.sleep(2)
    network.believes_nobody()
