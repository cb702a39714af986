"""Syslog over TLS against rsyslog with rsyslog-openssl. SYSLOG_RECORDS=10000 is the whole measure; less in `make test`."""
import contextlib
import json
import os
import re
import socket
import ssl
import threading
import time

import pytest

from list_server import Authority
from outlet_rig import PATIENCE, AuditWriter, Holder, Relay, until
from syslog_receiver import SEQUENCE, Rsyslog, Stranger, deaf, endless

RECORDS = int(os.environ.get("SYSLOG_RECORDS", "1000"))


class Setting:
    def __init__(self, tmp_path) -> None:
        self.folder, self.authority = tmp_path, Authority(tmp_path)
        self.log = AuditWriter(tmp_path / "log")
        self.holder = Holder(self.authority, "east-1", tmp_path)

    def relay(self, port: int, **more) -> Relay:
        return Relay("syslog", self.folder, self.log.folder, **{
            "host": "localhost", "port": port, "authorities": self.authority.file, "certificate": self.holder.certificate,
            "key": self.holder.key, "detail": "all", **more})


@pytest.fixture
def setting(tmp_path):
    return Setting(tmp_path)


@pytest.fixture
def receiver(setting):
    with Rsyslog(setting.folder / "rsyslog", setting.authority) as receiver:
        yield receiver


def arrived(receiver: Rsyslog, last: int) -> list[int]:
    """All of them up to a number. A file of megabytes is not read a hundred times a second beside the two that are measured."""
    until(lambda: set(receiver.numbers()) >= set(range(1, last + 1)), lambda: f"record {last} (of {len(set(receiver.numbers()))})",
          patience=300, pause=0.25)
    return receiver.numbers()


def in_order(numbers: list[int]) -> bool:
    """Each number comes for the first time after all that are smaller."""
    first = list(dict.fromkeys(numbers))
    return first == sorted(first)


def test_all_of_them_as_they_are_in_the_log(setting, receiver):
    setting.log.start()
    setting.log.visits(RECORDS - 1)
    with setting.relay(receiver.port) as relay:
        numbers = arrived(receiver, RECORDS)
        assert numbers == list(range(1, RECORDS + 1)), "none twice, none missing, in their order"
        lines = (setting.log.folder / "audit.jsonl").read_text().splitlines()
        found = [message.split("] ", 1)[1] for message in receiver.messages()]
        assert found == lines, "octet for octet: their chain can be checked"
        # Whoever ended after us has read everything. That is waited for during two seconds; a receiver that was slower is asked again.
        for _ in range(10):
            assert relay.end() == 0 and relay.status()["state"] == "stopped"
            if relay.cursor() == RECORDS:
                break
            relay.start()
            until(lambda: relay.status().get("state") == "connected", "the next connection")
        assert relay.cursor() == RECORDS
    # As rsyslog understands them: priority, time, host, program, event.
    parts = receiver.parts()
    assert parts[1].split("|")[:5] == ["110", "2027-01-15T08:00:02Z", "east-1", "gatehouse", "visit"] and parts[9].startswith("109|")
    assert parts[9].split("|")[5] == '[gatehouse@32473 seq="10" outcome="rejected" form="sd_jwt" reason="expired"]'


def test_a_quiet_log_is_settled(setting, receiver):
    """Nothing comes after the last record; the receiver is asked, by the end of a connection, whether it has it."""
    setting.log.start()
    setting.log.visits(9)
    with setting.relay(receiver.port, settle=1) as relay:
        until(lambda: relay.cursor() == 10, lambda: f"the cursor ({relay.status()}, {relay.said()})")
        setting.log.visits(5)
        until(lambda: relay.cursor() == 15, "the cursor of what came after")
        # It has read them; its file has them a little later.
        assert arrived(receiver, 15) == list(range(1, 16))
        until(lambda: relay.status().get("state") == "connected", "the next connection")


def test_a_receiver_without_an_end(setting):
    """It reads everything and goes with a plain FIN, which anybody on the way could send: twice it gets the same again, and no more."""
    came = []

    def body(connection, ended):
        while octets := connection.recv(65_536):
            came.append(octets)

    setting.log.start()
    setting.log.visits(9)
    with Stranger(setting.authority, body) as stranger, setting.relay(stranger.port, settle=1) as relay:
        until(lambda: "not asked for an hour" in relay.said(), lambda: f"the word ({relay.status()}, {relay.said()})")
        until(lambda: b"".join(came).count(b'seq="10"') == 3, "all of them once more")
        taken = stranger.taken
        # As long as two more ends would have taken.
        time.sleep(4)
        assert stranger.taken == taken and b"".join(came).count(b'seq="10"') == 3 and relay.cursor() == 0
        assert relay.said().count("not asked for an hour") == 1
        setting.log.visits(1)
        until(lambda: b'seq="11"' in b"".join(came), "what comes after")


def test_what_nobody_has_read_does_not_count(setting):
    """Sockets take megabytes that a receiver does not read, and that go with it: however little is to be sent again, and however often it
    was asked, it was not delivered."""
    setting.log.start()
    setting.log.visits(5000)
    with Stranger(setting.authority, deaf) as stranger, setting.relay(stranger.port, rewind=64) as relay:
        # Each is asked for its end, the third too: that none came is no reason to believe its system instead.
        until(lambda: stranger.taken == 4 or relay.cursor(), lambda: f"a fourth connection ({relay.status()}, {relay.said()})")
        assert relay.cursor() == 0 and "not asked" not in relay.said()
        assert relay.end() == 0 and relay.cursor() == 0, relay.status()


def numbers(octets: list[bytes]) -> set[int]:
    return {int(found) for found in SEQUENCE.findall(b"".join(octets).decode())}


def answering(connection: ssl.SSLSocket, came: list[bytes], after: float = 0) -> None:
    """Reads to the end, and ends as TLS wants it."""
    while octets := connection.recv(65_536):
        came.append(octets)
    time.sleep(after)
    connection.unwrap()


def test_a_receiver_that_ends_by_itself(setting):
    """As one that is reloaded: in the middle of what is under way to it, and after our end was said, but not read. It is none of its answers."""
    came = []

    def body(connection, ended):
        # The first one is asked after a few records; the second gets more than a socket takes that is not read.
        if stranger.taken != 2:
            return answering(connection, came)
        came.append(connection.recv(1024))
        # All of it is written now, and lies on both sides. Where it is not yet, an end in the middle is none either.
        time.sleep(5)
        with contextlib.suppress(ssl.SSLError):
            connection.unwrap()
        connection.shutdown(socket.SHUT_WR)
        # It takes nothing more, and what was sent is lost.
        until(lambda: stranger.taken > 2, "the next connection")

    setting.log.start()
    setting.log.visits(999)
    with Stranger(setting.authority, body) as stranger, setting.relay(stranger.port, rewind=1000, settle=1) as relay:
        until(lambda: numbers(came) == set(range(1, 1001)), lambda: f"all ({len(numbers(came))}, {relay.cursor()}, {relay.said()})")
        until(lambda: relay.cursor() == 1000, lambda: f"the cursor ({relay.status()}, {relay.said()})")


def test_a_late_answer(setting):
    """It says that all was read, and nothing of whether it was kept: that is asked once more, and not heard here."""
    came = []

    def body(connection, ended):
        if stranger.taken > 1:
            return hearing(connection, ended)
        answering(connection, came, after=3)

    setting.log.start()
    setting.log.visits(9)
    with Stranger(setting.authority, body) as stranger, setting.relay(stranger.port, settle=1) as relay:
        relay.trouble("timed-out")
        assert numbers(came) == set(range(1, 11)) and relay.cursor() == 0, relay.said()


def test_a_receiver_without_an_end_and_a_relay_that_ends(setting):
    """What its system acknowledged is not what it read: the last ones do not count when the relay ends."""
    came = []

    def body(connection, ended):
        while octets := connection.recv(65_536):
            came.append(octets)

    setting.log.start()
    setting.log.visits(199)
    with Stranger(setting.authority, body) as stranger, setting.relay(stranger.port, rewind=64, settle=1) as relay:
        until(lambda: relay.cursor() and 200 in numbers(came), lambda: f"a cursor ({relay.status()}, {relay.said()})")
        assert "not asked for an hour" in relay.said()
        time.sleep(1)
        assert relay.end() == 0 and 0 < relay.cursor() <= 200 - 64


def test_a_receiver_that_is_killed(setting, receiver):
    """Twice, in the middle, without a word. With `rewind` none is missing in the end."""
    setting.log.start()
    with setting.relay(receiver.port, rewind=2000) as relay:
        for part in range(4):
            setting.log.visits(RECORDS // 4)
            if part in (1, 2):
                until(lambda: len(receiver.numbers()) > RECORDS // 8 * part, "some")
                receiver.kill()
                setting.log.visits(20)
                relay.trouble("not-reachable")
                receiver.start()
        numbers = arrived(receiver, setting.log.sequence)
        assert in_order(numbers)
        assert len(numbers) - len(set(numbers)) <= 2 * (2000 + 1000 + 64), "no more are sent twice than promised"


def test_a_relay_that_is_killed(setting, receiver):
    setting.log.start()
    relay = setting.relay(receiver.port, rewind=100)
    for _ in range(3):
        relay.start()
        setting.log.visits(RECORDS // 4)
        until(lambda: len(set(receiver.numbers())) > setting.log.sequence - RECORDS // 8, "most")
        relay.kill()
    with relay:
        assert in_order(arrived(receiver, setting.log.sequence))


def test_a_slow_receiver(setting, receiver):
    """It stands still: memory does not grow, nothing is lost, and it goes on where it was."""
    setting.log.start()
    with setting.relay(receiver.port) as relay:
        setting.log.visits(50)
        arrived(receiver, 51)
        receiver.stand_still()
        before = memory(relay)
        setting.log.visits(6000)
        # When the sockets are full, all that waits is in the log, and nothing spins until there is room.
        until(lambda: load(relay) < 0.1, "rest")
        assert memory(relay) - before < 8 << 20
        receiver.go_on()
        assert in_order(arrived(receiver, 6051))


def memory(relay: Relay) -> int:
    text = open(f"/proc/{relay.process.pid}/status").read()
    return int(re.search(r"VmRSS:\s*(\d+) kB", text).group(1)) * 1024


def load(relay: Relay) -> float:
    """Seconds of processor time within one second."""
    before = cpu(relay)
    time.sleep(1)
    return cpu(relay) - before


def cpu(relay: Relay) -> float:
    fields = open(f"/proc/{relay.process.pid}/stat").read().rsplit(") ", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


# MARK: whom it believes, and who believes it

def test_a_receiver_that_is_another(setting, tmp_path):
    setting.log.start()
    (tmp_path / "other").mkdir()
    other = Authority(tmp_path / "other", "Other authority")
    with Stranger(other, deaf) as stranger, setting.relay(stranger.port) as relay:
        relay.trouble("certificate")
        assert relay.cursor() == 0 and "certificate" in relay.said()
    with Stranger(setting.authority, deaf) as stranger:
        for host, name in (("127.0.0.1", None), ("localhost", "syslog.example")):
            with setting.relay(stranger.port, host=host, **({"name": name} if name else {})) as relay:
                relay.trouble("certificate")
        # Its near neighbour: the same address, called by its name.
        with setting.relay(stranger.port, host="127.0.0.1", name="localhost") as relay:
            until(lambda: relay.status().get("state") == "connected", "the connection")


@pytest.mark.parametrize("who", ("nobody", "another"))
def test_a_gate_the_receiver_does_not_know(setting, receiver, who):
    setting.log.start()
    # By another authority. The name alone is no test: rsyslog 8.2302 does not always compare it.
    setting.folder.joinpath("other").mkdir()
    other = Holder(Authority(setting.folder / "other", "Other authority"), "east-1", setting.folder / "other")
    relay = setting.relay(receiver.port, rewind=0, settle=1, certificate=other.certificate, key=other.key)
    if who == "nobody":
        settings = {"gate": "east-1", "host": "localhost", "port": receiver.port, "authorities": setting.authority.file, "settle": 1}
        relay.set(**settings)
    with relay:
        until(lambda: relay.status().get("trouble") in ("credentials", "closed", "tls", "timed-out"),
              lambda: f"a refusal ({relay.status()})")
        assert relay.cursor() == 0, relay.said()
        assert receiver.numbers() == []


def test_an_endless_answer(setting):
    setting.log.start()
    with Stranger(setting.authority, endless) as stranger, setting.relay(stranger.port) as relay:
        relay.trouble("protocol-broken")
        assert memory(relay) < 64 << 20
        taken = stranger.taken
        time.sleep(2)
        assert stranger.taken == taken, "it is not asked again at once"


def hearing(connection: ssl.SSLSocket, ended: threading.Event) -> None:
    """Reads for ever, and says nothing: not even that it heard the end."""
    plain = socket.socket(fileno=os.dup(connection.fileno()))
    while not ended.wait(0.05) and plain.recv(65_536):
        pass
    ended.wait(PATIENCE)


def test_a_receiver_that_does_not_end(setting):
    """The end is waited for, but not for ever: it is named, and nothing counts."""
    setting.log.start()
    setting.log.visits(9)
    with Stranger(setting.authority, hearing) as stranger, setting.relay(stranger.port, settle=1) as relay:
        relay.trouble("timed-out")
        assert relay.cursor() == 0 and relay.process.poll() is None


def test_nobody_there_and_then_somebody(setting):
    setting.log.start()
    setting.log.visits(10)
    receiver = Rsyslog(setting.folder / "rsyslog", setting.authority)
    with setting.relay(receiver.port) as relay:
        relay.trouble("not-reachable")
        with receiver:
            arrived(receiver, 11)


@pytest.mark.parametrize("change, words", [
    ({"host": "a b"}, "host is not"), ({"port": 0}, "port is not"), ({"key": None}, "certificate and key"), ({"key": "/etc/passwd"}, "others may read it"),
    ({"rewind": -1}, "rewind is not"), ({"rewind": 20_001}, "rewind is not"),
    ({"enterprise": 0}, "enterprise is not"), ({"gate": "East 1"}, "gate is not"), ({"authority": "/x"}, "authority"),
])
def test_settings_that_are_refused(setting, change, words):
    relay = setting.relay(6514)
    settings = {**json.loads(relay.settings.read_text()), **change}
    relay.set(**{name: value for name, value in settings.items() if value is not None})
    done = relay.check()
    assert done.returncode == 2 and words in done.stderr, done
