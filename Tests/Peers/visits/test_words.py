"""A gate whose words nobody reads: standard error and standard output are pipes that are full, as a journal or a pager that hangs leaves them."""
import asyncio
import fcntl
import os
import signal
import subprocess
import time

import pytest

from gate import PATIENCE, command, is_reference, link
from rig import LOOP, Rig

pytestmark = pytest.mark.skipif(is_reference(), reason="the reference gate waits for its readers")


class FullPipe:
    """A pipe of 4096 octets, full, that nobody reads before `read`."""

    def __init__(self) -> None:
        self.reader, self.writer = os.pipe()
        fcntl.fcntl(self.writer, fcntl.F_SETPIPE_SZ, 4096)
        os.set_blocking(self.reader, False)
        self.fill()

    def fill(self) -> None:
        os.set_blocking(self.writer, False)
        try:
            while True:
                os.write(self.writer, b"#" * 4096)
        except BlockingIOError:
            pass
        # As others have it: a gate that waits would wait for good.
        os.set_blocking(self.writer, True)

    def read(self) -> str:
        try:
            return os.read(self.reader, 1 << 20).decode(errors="replace")
        except BlockingIOError:
            return ""

    def close(self) -> None:
        os.close(self.reader)
        os.close(self.writer)


@pytest.fixture
def pipes():
    pipes = FullPipe(), FullPipe()
    yield pipes
    for pipe in pipes:
        pipe.close()


def until(condition, what: str, patience: float = PATIENCE):
    end = time.monotonic() + patience
    while not (found := condition()):
        assert time.monotonic() < end, what
        LOOP.run_until_complete(asyncio.sleep(0.01))
    return found


def is_advertising(rig) -> bool:
    controller = rig.air.gate
    return controller is not None and (controller.le_legacy_advertiser.enabled or any(s.enabled for s in controller.advertising_sets.values()))


def reloaded(folder) -> int:
    """How often the gate in `folder` has read its trust again, by its log."""
    return sum(log.read_text().count('"event":"trust"') for log in (folder / "unread").glob("audit*.jsonl"))


def start(rig, folder, out, errors, *options: str) -> subprocess.Popen:
    arguments = [*command(), "run", "--hci", link(rig.air.path), "--lights", "log:", "--screen", "terminal:", "--trust", str(rig.trust),
                 "--data", str(folder / "unread"), *options]
    return subprocess.Popen(arguments, stdout=out.writer, stderr=errors.writer, start_new_session=True)


def test_a_gate_that_nobody_reads_is_at_work_and_ends_when_asked(tmp_path, pipes):
    out, errors = pipes
    rig = Rig(tmp_path, algorithms=("ES256",))
    rig.run(rig.air.__aenter__())
    process = start(rig, tmp_path, out, errors)
    try:
        until(lambda: is_advertising(rig), "it does not advertise")
        # Each reload has words: more than this pipe holds. A signal that comes before the one before it was handled is none.
        for count in range(1, 101):
            process.send_signal(signal.SIGHUP)
            until(lambda: reloaded(tmp_path) >= count, "the trust folder is not read again")
        assert process.poll() is None
        # A reader that comes back gets them, whole lines.
        text = ""

        def reloads() -> int:
            nonlocal text
            text += errors.read()
            out.read()
            return text.count("nobody signed the trust folder")

        until(lambda: reloads() >= 20, "what was said meanwhile is lost")
        until(lambda: text.endswith("\n"), "the last line")
        lines = [line for line in text.lstrip("#").splitlines() if line]
        assert all(line.startswith(("gatehouse: ", "lights ")) for line in lines), [line for line in lines if not line.startswith(("gatehouse: ", "lights "))]
        for pipe in pipes:
            pipe.fill()
        process.send_signal(signal.SIGTERM)
        until(lambda: process.poll() is not None, "it does not end")
        assert process.returncode == 0
    finally:
        process.kill()
        process.wait()
        rig.run(rig.air.__aexit__())


def test_a_start_that_fails_ends_although_nobody_reads_why(pipes):
    out, errors = pipes
    done = subprocess.run([*command(), "run", "--hci", "usb:0"], stdout=out.writer, stderr=errors.writer, timeout=120)
    assert done.returncode == 2
