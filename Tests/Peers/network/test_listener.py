"""`gatehouse-http` alone, with real clients on one side and the gate's end in Python on the other: each limit of aries.md section 6 and
trustedkey.md section 2B, and strangers of every kind."""
import errno
import http.client
import os
import shutil
import signal
import socket
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from listener_rig import (ACCEPTED, BOUND, ENDED, GONE, MALFORMED, MESSAGE, NOT_BOUND, REJECTED, TAKEN, Desk, Keeper, Listener, answer, ask,
                          connect, program, request)
from ports import free_port

LIMIT, ANSWER_LIMIT = 512 << 10, 64 << 10


@pytest.fixture(autouse=True)
def needs_program():
    if shutil.which(program()) is None:
        pytest.exit(f"no {program()}: build it (swift build -c release), or set GATEHOUSE_HTTP", 2)


@pytest.fixture
def keeper():
    made = Keeper()
    assert made.report()[0] == BOUND
    yield made
    assert made.close() == 0


@pytest.fixture
def listener(keeper) -> Listener:
    return keeper.start().ready()


def text(keeper, octets: bytes) -> int:
    return ask(keeper, octets)[0]


# MARK: what is served

def test_each_word_of_the_gate_is_its_answer(keeper, listener):
    words = [(MESSAGE, b'{"@type":"ack"}'), (ACCEPTED, b""), (REJECTED, b""), (TAKEN, b""), (MALFORMED, b""), (GONE, b"")]
    desk = Desk(listener, lambda _: words[len(desk.posts) - 1])
    got = [ask(keeper, request(body=b"e" * (n + 1))) for n in range(6)]
    assert [status for status, _, _ in got] == [200, 200, 200, 202, 400, 410]
    assert [body for _, _, body in got] == [b'{"@type":"ack"}', b'{"result":"accepted"}', b'{"result":"rejected"}', b"", b"", b""]
    assert [fields.get("Content-Type") for _, fields, _ in got] == [
        "application/didcomm-envelope-enc", "application/json", "application/json", None, None, None]
    assert all(fields["Cache-Control"] == "no-store" for _, fields, _ in got)
    assert [(post.kind, post.body) for post in desk.posts] == [("envelope", b"e" * (n + 1)) for n in range(6)]
    assert len({post.number for post in desk.posts}) == 6


def test_clients_that_others_wrote(keeper, listener):
    desk = Desk(listener, lambda post: (MESSAGE, post.body[:100]) if post.kind == "envelope" else (ACCEPTED, b""))
    client = http.client.HTTPConnection(keeper.host, keeper.port, timeout=60)
    client.request("POST", "/didcomm", b"{}" * 1000, {"Content-Type": "application/ssi-agent-wire; charset=utf-8"})
    assert (got := client.getresponse()).status == 200 and got.read() == b"{}" * 50
    # It makes another connection for the next.
    client.request("GET", "/tk/answer?lane=5&result=success")
    assert client.getresponse().read() == b'{"result":"accepted"}'
    client.request("POST", "/tk/answer?lane=5", "result=success", {"Content-Type": "application/x-www-form-urlencoded"})
    assert client.getresponse().read() == b'{"result":"accepted"}'
    client.close()
    assert [(post.kind, post.target, len(post.body)) for post in desk.posts] == [
        ("envelope", b"", 2000), ("query", b"/tk/answer?lane=5&result=success", 0), ("form", b"/tk/answer?lane=5", 14)]


@pytest.mark.skipif(shutil.which("curl") is None, reason="no curl here")
def test_curl_and_what_it_expects(keeper, listener, tmp_path):
    Desk(listener, lambda post: (MESSAGE, str(len(post.body)).encode()))
    body = tmp_path / "body"
    body.write_bytes(b"x" * LIMIT)
    arguments = ["curl", "-sS", "--max-time", "60", "--data-binary", f"@{body}", "-w", " %{http_code} %{http_version}",
                 "-H", "Content-Type: application/didcomm-envelope-enc", f"http://{keeper.host}:{keeper.port}/didcomm"]
    for more in ([], ["-H", "Expect: 100-continue"], ["--http1.0"]):
        done = subprocess.run([*arguments, *more], capture_output=True, text=True, check=False)
        assert done.stdout.startswith(f"{LIMIT} 200 1."), (done.stdout, done.stderr)
    done = subprocess.run([*arguments, "-H", "Transfer-Encoding: chunked"], capture_output=True, text=True, check=False)
    assert done.stdout.startswith(" 411"), (done.stdout, done.stderr)


def test_who_expects_it_is_told_to_go_on_and_nobody_else_is(keeper, listener):
    Desk(listener)
    with connect(keeper) as connection:
        connection.sendall(request(body=b"", fields={"Expect": "100-continue", "Content-Length": "2"}))
        assert connection.recv(1000) == b"HTTP/1.1 100 Continue\r\n\r\n"
        connection.sendall(b"{}")
        assert answer(connection)[0] == 202
    # What is refused anyway is not sent first.
    assert text(keeper, request(body=b"", fields={"Expect": "100-continue", "Content-Length": str(LIMIT + 1)})) == 413


def test_a_request_in_pieces(keeper, listener):
    desk = Desk(listener)
    with connect(keeper) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for octet in request(body=b"abc"):
            connection.sendall(bytes([octet]))
        assert answer(connection)[0] == 202
    assert desk.posts[0].body == b"abc"


def test_one_request_a_connection(keeper, listener):
    desk = Desk(listener)
    with connect(keeper) as connection:
        connection.sendall(request(body=b"one") + request(body=b"two"))
        assert answer(connection)[0] == 202
    assert text(keeper, request(body=b"three")) == 202
    assert [post.body for post in desk.posts] == [b"one", b"three"]


@pytest.mark.skipif(not socket.has_ipv6 or not os.path.exists("/proc/net/if_inet6"), reason="no IPv6 here")
def test_ipv6():
    try:
        keeper = Keeper("::1")
    except OSError:
        pytest.skip("no IPv6 loopback here")
    kind, _, code, _ = keeper.report()
    if (kind, code) == (NOT_BOUND, errno.EADDRNOTAVAIL):
        keeper.close()
        pytest.skip("no IPv6 loopback here")
    assert kind == BOUND
    Desk(keeper.start().ready())
    assert text(keeper, request()) == 202
    assert keeper.close() == 0


# MARK: limits

def test_limits_from_both_sides(keeper, listener):
    desk = Desk(listener)
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    line = len(request("GET", "/tk/answer?").split(b"\r\n")[0])
    fields = len(b"Host: gate\r\nX: \r\n\r\n")
    cases = [
        (request(body=b"e" * LIMIT), 202), (request(body=b"", fields={"Content-Length": str(LIMIT + 1)}), 413),
        (request("POST", "/tk/answer", b"a" * ANSWER_LIMIT, form), 202),
        (request("POST", "/tk/answer", b"", form | {"Content-Length": str(ANSWER_LIMIT + 1)}), 413),
        (request("GET", "/tk/answer?" + "q" * (16384 - line)), 202), (request("GET", "/tk/answer?" + "q" * (16385 - line)), 414),
        (request("GET", "/tk/answer", fields={"X": "x" * (8192 - fields)}), 202),
        (request("GET", "/tk/answer", fields={"X": "x" * (8193 - fields)}), 431),
        (request("GET", "/tk/answer", fields={f"X{n}": "x" for n in range(63)}), 202),
        (request("GET", "/tk/answer", fields={f"X{n}": "x" for n in range(64)}), 431),
        (request(fields={"Content-Length": None}), 411), (request(fields={"Content-Length": None, "Transfer-Encoding": "chunked"}), 411),
        (request(fields={"Content-Type": "text/plain"}), 415), (request(fields={"Content-Encoding": "gzip"}), 415),
        (request(target="/"), 404), (request(target="/didcomm/"), 404), (request("GET", "/didcomm"), 405), (request("HEAD", "/tk/answer"), 405),
    ]
    assert [text(keeper, octets) for octets, _ in cases] == [status for _, status in cases]
    assert len(desk.posts) == sum(status == 202 for _, status in cases)
    # And the one after them all.
    assert text(keeper, request()) == 202


SMUGGLED = {
    "two lengths": request(fields={"content-length": "2"}),
    "a length and a coding": request(fields={"Transfer-Encoding": "chunked"}),
    "a coding in disguise": request(fields={"Transfer-Encoding": "xchunked"}),
    "a list of lengths": request(fields={"Content-Length": "2, 2"}),
    "a folded line": request(fields={"X": "a\r\n b"}),
    "a blank before the colon": request(fields={"X ": "a"}),
    "a line that ends with LF": request().replace(b"gate\r\n", b"gate\n"),
    "a CR alone": request().replace(b"gate", b"ga\rte"),
    "an empty line first": b"\r\n" + request(),
    "NUL in a value": request(fields={"X": "a\0b"}),
    "two hosts": request(fields={"host": "other"}),
    "no host": request(fields={"Host": None}),
    "a body for GET": request("GET", "/tk/answer", fields={"Content-Length": "2"}) + b"{}",
    "HTTP/2": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "TLS": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
    "SSH": b"SSH-2.0-OpenSSH_10.0\r\n",
    "something else expected": request(fields={"Expect": "a-miracle"}),
    "no body": request(body=b""),
}


@pytest.mark.parametrize("name", SMUGGLED)
def test_what_may_be_read_in_two_ways_is_refused(keeper, listener, name):
    desk = Desk(listener)
    assert text(keeper, SMUGGLED[name]) == 400
    assert text(keeper, request(body=b"good")) == 202
    assert [post.body for post in desk.posts] == [b"good"]


def test_a_refusal_arrives_although_the_body_is_still_sent(keeper, listener):
    Desk(listener)
    for _ in range(5):
        assert text(keeper, request(body=b"e" * (4 << 20))) == 413


def test_refusals_are_counted(keeper, listener):
    assert text(keeper, request(target="/")) == 404
    desk = Desk(listener)
    assert text(keeper, request("GET", "/")) == 404
    limit = time.monotonic() + 60
    while listener.refused.get(404) != 2 and time.monotonic() < limit:
        time.sleep(0.05)
    assert {status: count for status, count in listener.refused.items() if count} == {404: 2} and not desk.posts


# MARK: strangers

def test_somebody_who_says_nothing_is_told_so_after_ten_seconds(keeper, listener):
    Desk(listener)
    start = time.monotonic()
    with connect(keeper) as silent, connect(keeper, "127.0.0.2") as slow:
        slow.sendall(b"POST /didcomm HTTP/1.1\r\nHost: ")
        assert answer(silent)[0] == 408
        assert answer(slow)[0] == 408
    assert time.monotonic() - start >= 9.9


@pytest.mark.slow
def test_a_body_that_never_ends_is_told_so_after_a_minute(keeper, listener):
    desk = Desk(listener)
    start = time.monotonic()
    with connect(keeper) as slow:
        slow.sendall(request(body=b"", fields={"Content-Length": "100"}))
        slow.settimeout(1)
        while True:
            try:
                slow.sendall(b"x")
                octets = slow.recv(1000)
                break
            except TimeoutError:
                continue
    assert octets.startswith(b"HTTP/1.1 408 ") and time.monotonic() - start >= 59
    assert not desk.posts


def holding(keeper, *sources: str) -> list[socket.socket]:
    """Connections of those who begin a request and do not go on with it."""
    held = [connect(keeper, source) for source in sources]
    for connection in held:
        connection.sendall(b"POST /didcomm HTTP/1.1\r\n")
    return held


def leave(keeper, held: list[socket.socket]) -> None:
    """Until others are served again."""
    for connection in held:
        connection.close()
    limit = time.monotonic() + 60
    while ask(keeper, request(), "127.0.0.50")[0] != 202:
        assert time.monotonic() < limit, "the places stay taken"
        time.sleep(0.05)


def test_one_stranger_holds_two_places_and_keeps_nobody_out(keeper, listener):
    Desk(listener)
    for _ in range(10):
        start = time.monotonic()
        held = holding(keeper, "127.0.0.9", "127.0.0.9")
        # The third is told so while it says nothing.
        with connect(keeper, "127.0.0.9") as third:
            statuses = [answer(third)[0]]
        held += holding(keeper, "127.0.0.11", "127.0.0.12")
        # All four are taken, two by one stranger: the second of them is only lent.
        statuses += [ask(keeper, request(), "127.0.0.20")[0], answer(held[1])[0]]
        took = time.monotonic() - start
        leave(keeper, held)
        # After ten seconds whoever does not go on is ended in any case: a machine that took as long has shown nothing.
        if took < 9:
            break
    assert statuses == [503, 202, 503]


def test_places_against_a_crowd_are_safe_for_five_seconds_and_no_longer(keeper, listener):
    Desk(listener)
    for _ in range(10):
        start = time.monotonic()
        held = holding(keeper, *(f"127.0.0.{n}" for n in range(31, 35)))
        statuses, first = [], time.monotonic()
        while 202 not in statuses and time.monotonic() < start + 60:
            statuses.append(ask(keeper, request(), "127.0.0.40")[0])
            time.sleep(0.1)
        assert time.monotonic() - start >= 4.9 and answer(held[0])[0] in (503, 408)
        leave(keeper, held)
        # Asked for the first time when the five seconds were over, it has shown nothing.
        if first - start < 4:
            break
    assert set(statuses) == {503, 202}


def test_a_hundred_strangers_at_once(keeper, listener):
    Desk(listener, lambda post: (MESSAGE, post.body))

    def stranger(number: int) -> tuple[int, bytes]:
        body = b"%d" % number * 1000
        try:
            status, _, got = ask(keeper, request(body=body), f"127.0.{1 + number // 50}.{1 + number % 50}")
        except OSError:
            return 0, b""
        assert got == (body[:8192] if status == 200 else b"")
        return status, got

    with ThreadPoolExecutor(100) as crowd:
        statuses = [status for status, _ in crowd.map(stranger, range(100))]
    # Everybody is answered: served, or told that there is no place.
    assert set(statuses) <= {200, 503} and 200 in statuses, statuses
    # And somebody who comes again is served.
    limit = time.monotonic() + 60
    while (status := ask(keeper, request(), "127.0.0.50")[0]) != 200 and time.monotonic() < limit:
        time.sleep(0.05)
    assert status == 200


def test_senders_that_go_away_leave_nothing_behind(keeper, listener):
    desk = Desk(listener)
    octets = request(body=b"e" * 5000)
    for cut in list(range(1, 200, 7)) + [len(octets) - 1]:
        with connect(keeper) as connection:
            connection.sendall(octets[:cut])
            if cut % 2:
                # Gone without a word: the kernel sends a reset.
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\0\0\0\0\0\0\0")
    limit = time.monotonic() + 60
    while (status := text(keeper, octets)) != 202 and time.monotonic() < limit:
        time.sleep(0.05)
    assert status == 202 and [post.body for post in desk.posts] == [b"e" * 5000]


# MARK: the gate

def test_a_gate_that_takes_its_time(keeper, listener):
    start = time.monotonic()
    with connect(keeper) as connection:
        connection.sendall(request(body=b"slow"))
        late = listener.posted()
        assert answer(connection)[0] == 202
    assert time.monotonic() - start >= 9.9
    # Its word comes too late, and is nobody's.
    listener.answer(late.number, MESSAGE, b"late")
    with connect(keeper) as connection:
        connection.sendall(request(body=b"next"))
        listener.answer(listener.posted().number, MESSAGE, b"in time")
        assert answer(connection)[::2] == (200, b"in time")


def test_a_gate_that_reads_nothing(keeper):
    silent = keeper.start()
    # More than the channel takes.
    held = [connect(keeper, f"127.0.0.{n}") for n in range(61, 65)]
    for connection in held:
        connection.sendall(request(body=b"e" * LIMIT))
    statuses = sorted(answer(connection)[0] for connection in held)
    # Those that it did not take are told so; of the first nobody knows.
    assert set(statuses) <= {202, 503} and 503 in statuses, statuses
    assert silent.channel.fileno() >= 0
    for connection in held:
        connection.close()


@pytest.mark.parametrize("octets", [b"\0" * 12, b"\x01\0\0\0\x05\x80\x01\0\x01\0\0\0x", b"\0\0\0\0\x05\x80\x02\0\x01\0\0\0", b"\xff" * 12])
def test_a_word_that_is_none_ends_the_listener(keeper, listener, octets):
    listener.channel.sendall(octets)
    with pytest.raises((EOFError, ConnectionResetError)):
        listener.posted()
    kind, serial, status, _ = keeper.report()
    assert (kind, serial, os.waitstatus_to_exitcode(status)) == (ENDED, listener.serial, 68)


def test_a_listener_is_replaced_and_the_socket_stays(keeper, listener):
    with connect(keeper) as connection:
        connection.sendall(request())
        listener.posted()
        second = keeper.start().ready()
        assert second.serial != listener.serial
        assert answer(connection)[0] == 0
    with pytest.raises((EOFError, ConnectionResetError)):
        listener.posted()
    Desk(second)
    assert text(keeper, request()) == 202


def test_everything_ends_with_the_gate():
    keeper = Keeper()
    assert keeper.report()[0] == BOUND
    listener = keeper.start().ready()
    assert keeper.close() == 0
    with pytest.raises((EOFError, ConnectionResetError)):
        listener.posted()
    with pytest.raises(ConnectionRefusedError):
        connect(keeper)


def test_a_listener_ends_with_its_keeper(keeper, listener):
    other = Keeper()
    assert other.report()[0] == BOUND
    orphan = other.start().ready()
    os.kill(other.process, signal.SIGKILL)
    with pytest.raises((EOFError, ConnectionResetError)):
        orphan.posted()
    other.close()


def test_an_address_that_cannot_be_had(keeper):
    for host, port, code in [("192.0.2.7", 8080, errno.EADDRNOTAVAIL), (keeper.host, keeper.port, errno.EADDRINUSE),
                             ("gate.local", 8080, errno.EINVAL)]:
        other = Keeper(host, port)
        assert other.report() == (NOT_BOUND, 0, code, None)
        assert os.waitstatus_to_exitcode(other.close()) == 71


def test_nobody_but_a_gate_starts_it():
    for arguments in ([], ["keeper", "--port", "http"], ["listener", "--parent"], ["something"], ["keeper", "--what", "1"]):
        done = subprocess.run([program(), *arguments], capture_output=True, text=True, check=False)
        assert done.returncode == 64 and "--help" in done.stderr
    done = subprocess.run([program(), "--help"], capture_output=True, text=True, check=False)
    assert done.returncode == 0 and done.stdout.startswith("gatehouse-http:")
    done = subprocess.run([program(), "listener", "--parent", "1"], capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
    assert done.returncode == 71


# MARK: what is left

def memory(process: int, wanted: bytes) -> bool:
    with open(f"/proc/{process}/maps", encoding="ascii") as maps, open(f"/proc/{process}/mem", "rb") as octets:
        for line in maps:
            place, rights, *_ = line.split()
            if "w" not in rights:
                continue
            start, end = (int(number, 16) for number in place.split("-"))
            octets.seek(start)
            if wanted in octets.read(end - start):
                return True
    return False


def only_child(process: int) -> int:
    with open(f"/proc/{process}/task/{process}/children", encoding="ascii") as children:
        child, = children.read().split()
    return int(child)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root looks into the listener's memory")
def test_nothing_of_a_body_is_kept_once_the_gate_has_it(keeper, listener):
    process, canary = only_child(keeper.process), os.urandom(16).hex().encode()
    try:
        memory(process, canary)
    except PermissionError:
        pytest.skip("this system does not let root look")
    with connect(keeper) as connection:
        octets = request(body=canary * 100)
        connection.sendall(octets[:-1])
        limit = time.monotonic() + 60
        while not memory(process, canary) and time.monotonic() < limit:
            time.sleep(0.01)
        # It is seen while it is there, so that its absence means something.
        assert memory(process, canary)
        connection.sendall(octets[-1:])
        post = listener.posted()
        assert post.body == canary * 100
        limit = time.monotonic() + 60
        while memory(process, canary) and time.monotonic() < limit:
            time.sleep(0.01)
        assert not memory(process, canary)
        listener.answer(post.number, TAKEN)
        assert answer(connection)[0] == 202


def test_five_hundred_requests_leave_it_as_large_as_it_was(keeper, listener):
    Desk(listener)

    def resident() -> int:
        with open(f"/proc/{only_child(keeper.process)}/statm", encoding="ascii") as facts:
            return int(facts.read().split()[1])

    def some() -> None:
        for number in range(250):
            octets = [request(body=b"e" * 20000), request(target="/"), request("GET", "/tk/answer?" + "q" * 5000), b"nothing\r\n"][number % 4]
            assert text(keeper, octets) in (202, 404, 400)
    some()
    first = resident()
    some()
    assert resident() <= first + 64


def test_the_port_of_a_gate_that_ended_is_free_at_once():
    port = free_port()
    for _ in range(3):
        keeper = Keeper("127.0.0.1", port)
        assert keeper.report()[0] == BOUND
        Desk(keeper.start().ready())
        assert text(keeper, request()) == 202
        assert keeper.close() == 0
