"""A gate that listens on its own network: what it answers where nobody is asked, and that its visits by radio notice nothing of a listener
that is killed, lies, floods or is kept busy by strangers."""
import asyncio
import contextlib
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

import lying_listener
from conftest import Rig
from gate import PATIENCE, command, is_reference
from listener_rig import answer, request
from phone import Plan
from ports import free_port

pytestmark = pytest.mark.skipif(is_reference(), reason="the reference gate has no network")


@contextlib.contextmanager
def rig(folder, *options):
    made = Rig(folder, *options, algorithms=("ES256",)).open()
    try:
        yield made
    finally:
        made.close()


def post(port: int, octets: bytes, source: str | None = None) -> tuple[int, dict, bytes]:
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE, source_address=(source, 0) if source else None) as connection:
        connection.sendall(octets)
        return answer(connection)


def ask(made: Rig, port: int, octets: bytes, source: str | None = None) -> tuple[int, dict, bytes]:
    """While the air is served."""
    return made.run(asyncio.to_thread(post, port, octets, source))


def answered(made: Rig, port: int, octets: bytes, status: int) -> None:
    """Sooner or later, and not something else than refusals in between."""
    limit = time.monotonic() + PATIENCE
    while True:
        try:
            found = ask(made, port, octets)[0]
        except OSError:
            found = 0
        if found == status:
            return
        assert time.monotonic() < limit, found
        made.run(asyncio.sleep(0.05))


def children(process: int) -> list[int]:
    return list(map(int, Path(f"/proc/{process}/task/{process}/children").read_text().split()))


def name(process: int) -> str:
    return Path(f"/proc/{process}/comm").read_text().strip()


def keeper(made: Rig) -> int:
    found, = (child for child in children(made.gate.process.pid) if name(child).startswith("gatehouse-http"))
    return found


def accepts(made: Rig) -> None:
    mark = len(made.gate.verdicts())
    made.visit(Plan("ios"))
    made.run(made.gate.until(lambda: len(made.gate.verdicts()) > mark, what="a verdict"))
    assert made.gate.verdicts()[-1]["outcome"] == "accepted"


def test_where_nobody_is_asked_nothing_is_taken_and_visits_by_radio_go_on(tmp_path):
    port = free_port()
    with rig(tmp_path, "--http", f"127.0.0.1:{port}") as made:
        answered(made, port, request(body=b"{}"), 410)
        for octets, status in [(request("GET", "/tk/answer?result=success"), 410), (request(target="/"), 404), (b"nothing\r\n", 400),
                               (request(body=b"e" * (512 << 10)), 410)]:
            assert ask(made, port, octets)[0] == status
        accepts(made)
        assert ask(made, port, request())[0] == 410
        # What was refused is said, by status.
        made.says("http: requests refused: ")
        assert len(made.gate.verdicts()) == 1


def test_the_core_has_no_socket_of_the_network_and_the_listener_nothing_else(tmp_path):
    port = free_port()
    with rig(tmp_path, "--http", f"127.0.0.1:{port}") as made:
        answered(made, port, request(), 410)
        inodes = {line.split()[9] for line in Path("/proc/net/tcp").read_text().splitlines()[1:] if line.split()[1].endswith(f":{port:04X}")}
        owners = {}
        listener, = children(keeper(made))
        for process in (made.gate.process.pid, keeper(made), listener):
            found = [os.readlink(entry) for entry in Path(f"/proc/{process}/fd").iterdir()]
            owners[process] = sum(link == f"socket:[{inode}]" for link in found for inode in inodes)
        assert owners == {made.gate.process.pid: 0, keeper(made): 1, listener: 1}
        status = dict(line.split(":\t", 1) for line in Path(f"/proc/{listener}/status").read_text().splitlines())
        assert (status["Seccomp"], status["NoNewPrivs"]) == ("2", "1")
        assert all(int(status[kind], 16) == 0 for kind in ("CapInh", "CapPrm", "CapEff", "CapAmb"))
        files = {os.readlink(entry) for entry in Path(f"/proc/{listener}/fd").iterdir()}
        assert not {file for file in files if file.startswith("/") and file != "/dev/null" and not file.startswith("/dev/pts")}, files


def test_a_listener_killed_again_and_again_during_visits(tmp_path):
    port = free_port()
    with rig(tmp_path, "--http", f"127.0.0.1:{port}") as made:
        answered(made, port, request(), 410)

        async def killing():
            killed = 0
            while True:
                for child in children(keeper(made)):
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(child, signal.SIGKILL)
                        killed += 1
                await asyncio.sleep(0.02)

        async def visits():
            task = asyncio.ensure_future(killing())
            try:
                for _ in range(3):
                    await made.gate.visit(made.phone, await asyncio.to_thread(made.good), Plan("ios"))
            finally:
                task.cancel()

        made.run(visits())
        made.run(made.gate.until(lambda: len(made.gate.verdicts()) >= 3, what="three verdicts"))
        assert [record["outcome"] for record in made.gate.verdicts()] == ["accepted"] * 3
        # The end of the channel and that of the process are told in either order.
        made.says("; another listener is started")
        answered(made, port, request(), 410)


def test_a_keeper_that_is_killed_leaves_the_radio_as_it_was(tmp_path):
    port = free_port()
    with rig(tmp_path, "--http", f"127.0.0.1:{port}") as made:
        answered(made, port, request(), 410)
        os.kill(keeper(made), signal.SIGKILL)
        made.says("http: gatehouse-http is gone: nothing is taken by network until the gate is started anew")
        accepts(made)
        with pytest.raises(OSError):
            ask(made, port, request())
        accepts(made)


@pytest.fixture
def liar(tmp_path, monkeypatch):
    """A gate's program with another `gatehouse-http` beside it."""
    folder = tmp_path / "programs"
    folder.mkdir()
    shutil.copy2(command()[0], folder / "gatehouse")

    def make(lie: str) -> Path:
        program = folder / "gatehouse-http"
        program.write_text(f"#!{sys.executable}\n" + Path(lying_listener.__file__).read_text())
        program.chmod(0o755)
        (folder / "LIE").write_text(lie)
        monkeypatch.setenv("GATEHOUSE", str(folder / "gatehouse"))
        return folder / "STARTS"
    return make


@pytest.mark.parametrize("lie", lying_listener.LIES)
def test_a_listener_that_lies_touches_no_visit(tmp_path, liar, lie):
    starts = liar(lie)
    with rig(tmp_path, "--http", f"127.0.0.1:{free_port()}") as made:
        for _ in range(2):
            accepts(made)
        assert [record["outcome"] for record in made.gate.verdicts()] == ["accepted"] * 2
        # What breaks a rule ends the liar, and another is tried.
        if lie not in ("flood", "half", "kinds", "mute", "many"):
            made.run(made.gate.until(lambda: starts.exists() and int(starts.read_text()) > 1, what="another listener"))
        assert made.gate.resident() < 200 << 20


def test_strangers_on_the_network_keep_no_visit_waiting(tmp_path):
    port = free_port()
    with rig(tmp_path, "--http", f"127.0.0.1:{port}") as made:
        answered(made, port, request(), 410)

        def crowd() -> list[socket.socket]:
            place, body = ("127.0.0.1", port), request(body=b"e" * (512 << 10))
            found = [socket.create_connection(place, timeout=PATIENCE, source_address=(f"127.0.0.{n}", 0)) for n in range(9, 60)]
            for number, stranger in enumerate(found):
                with contextlib.suppress(OSError):
                    stranger.sendall(body[: 20 + 5000 * number])
            return found

        strangers = made.run(asyncio.to_thread(crowd))
        for _ in range(2):
            accepts(made)
        for stranger in strangers:
            stranger.close()
        answered(made, port, request(), 410)


def refused(*options: str) -> str:
    done = subprocess.run([*command(), "run", "--hci", "unix:/nowhere", "--lights", "log:", "--screen", "none:", *options],
                          capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.returncode == 2, (done.returncode, done.stderr)
    return done.stderr


def test_an_address_that_cannot_be_had_ends_the_start(tmp_path):
    (tmp_path / "trust").mkdir()
    more = ("--trust", str(tmp_path / "trust"), "--data", str(tmp_path / "data"))
    assert "this board has no such address now" in refused("--http", "192.0.2.7:8080", *more)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        assert "another program listens there already" in refused("--http", f"127.0.0.1:{taken.getsockname()[1]}", *more)
    for text in ("gate.local:80", "127.0.0.1", "0.0.0.0:80", "[::]:80", "127.0.0.1:0", ":80"):
        assert f"--http {text}: " in refused("--http", text, *more)
