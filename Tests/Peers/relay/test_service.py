"""The relay under a service manager that waits for its word (sd_notify(3)): what is said is said by the confined process."""
import socket
import time

import pytest

from gate import is_reference
from made_log import MadeLog
from relays import Relay

pytestmark = pytest.mark.skipif(is_reference(), reason="the reference gate has no relay")


class Words:
    """What comes at $NOTIFY_SOCKET."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(str(path))
        self.socket.settimeout(0.2)
        self.all: list[str] = []

    def wait_for(self, word: str, count: int = 1, seconds: float = 120) -> None:
        end = time.monotonic() + seconds
        while self.all.count(word) < count:
            assert time.monotonic() < end, self.all
            try:
                self.all += self.socket.recv(4096).decode().split("\n")
            except TimeoutError:
                pass


@pytest.mark.parametrize("kind, answers", [("metrics", True), ("mqtt", False)])
def test_a_confined_relay_says_that_it_is_ready_and_lives(tmp_path, kind, answers):
    log = MadeLog(tmp_path / "log")
    log.visits(20)
    (tmp_path / "password").write_text("right\n")
    (tmp_path / "password").chmod(0o600)
    # Where nobody answers it lives as well as where there is nothing to reach.
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        settings = {"gate": "east-1", "listen": "127.0.0.1", "port": nobody.getsockname()[1] if not answers else free_port()}
        if kind == "mqtt":
            settings = {"gate": "east-1", "host": "127.0.0.1", "port": settings["port"], "authorities": "/etc/ssl/openssl.cnf",
                        "passwordFile": str(tmp_path / "password")}
        words = Words(tmp_path / "notify")
        relay = Relay(tmp_path / "relay", kind, log.folder, settings)
        relay.start(environment={"NOTIFY_SOCKET": str(tmp_path / "notify"), "WATCHDOG_USEC": "500000"})
        words.wait_for("READY=1")
        words.wait_for("WATCHDOG=1", 10)
        assert relay.end() == 0
        words.wait_for("STOPPING=1")
        assert "not confined" not in relay.said()


def free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]
