"""A gate that would reject everybody says so before the first visitor comes: on its lamps, to the service manager, on standard error, in `self-test`."""
import asyncio
import json
import os
import shutil
import signal
import socket
import subprocess
import time

import pytest

from gate import PATIENCE, Gate, command, is_reference
from rig import Rig
from test_doctor import certificate
from test_orders import site
from trust_bundle import Operators

pytestmark = pytest.mark.skipif(is_reference(), reason="the reference gate tells no service manager")


class ServiceManager:
    """Hears what a unit's process says of itself."""

    def __init__(self, folder) -> None:
        self.path = folder / "notify"
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(str(self.path))
        self.socket.setblocking(False)
        self.texts: list[str] = []

    @property
    def text(self) -> str:
        """The newest status text."""
        while True:
            try:
                said = self.socket.recv(4096).decode()
            except BlockingIOError:
                return self.texts[-1] if self.texts else ""
            if said.startswith("STATUS="):
                self.texts.append(said.removeprefix("STATUS="))


@pytest.fixture
def manager(tmp_path, monkeypatch):
    manager = ServiceManager(tmp_path)
    monkeypatch.setenv("NOTIFY_SOCKET", str(manager.path))
    yield manager
    manager.socket.close()


class Gated(Rig):
    """A gate under a signed bundle of one issuer's, which may not be there yet."""

    def __init__(self, folder, *options: str, is_installed: bool = True, is_set_up: bool = True, **terms) -> None:
        super().__init__(folder, *options, algorithms=("ES256",))
        self.source, self.trust = self.trust, folder / "installed"
        self.operators = Operators(folder / "operators")
        self.options = (*options, "--root", str(self.operators.root))
        self.trust.mkdir()
        if is_installed:
            self.install(**terms)
        elif is_set_up:
            # With a site file it is a gate, and not a board whose number somebody wants to read.
            site(self, self.operators, 1, {})

    def install(self, **terms) -> None:
        self.operators.install(self.source, self.trust, **terms)

    def install_meanwhile(self, **terms) -> None:
        """While the gate runs: its air is served, or it takes its controller for broken."""
        self.run(asyncio.to_thread(self.install, **terms))

    def until(self, condition, what: str, patience: float = PATIENCE):
        return self.run(self.gate.until(condition, patience, what))


@pytest.fixture
def gated(tmp_path):
    made = []

    def make(*options: str, **terms) -> Gated:
        made.append(Gated(tmp_path, *options, **terms))
        return made[-1].open()

    yield make
    for rig in made:
        rig.close()


def lightings(rig, lamp: str, since: float) -> list[float]:
    """When this lamp, alone, was switched on."""
    return [at for at, lit in rig.gate.lights if lit == lamp and at >= since]


def is_closed_light(rig, since: float) -> bool:
    """The fault lamp, every four seconds: a fault of the controller blinks every second."""
    return any(lit == "fault" and period == 4000 and at >= since for (at, lit), period in zip(rig.gate.lights, rig.gate.periods))


def self_test(rig) -> dict:
    done = subprocess.run([*command(), "self-test", "--trust", str(rig.trust), "--root", str(rig.operators.root), "--deadline", "600", "--json"],
                          capture_output=True, timeout=700, env={name: value for name, value in os.environ.items() if name != "NOTIFY_SOCKET"})
    return {part["name"]: (part["state"], part["sentence"]) for part in json.loads(done.stdout)["parts"]} | {"code": done.returncode}


def test_a_gate_without_a_bundle_runs_says_so_and_takes_the_first_one(gated, manager):
    rig = gated(is_installed=False)
    rig.until(lambda: manager.text == "controller up; screen up; lamps up; closed: no-trust-bundle", "the status")
    rig.until(lambda: is_closed_light(rig, 0), "the light")
    rig.says("NOBODY CAN ENTER (no-trust-bundle)")
    visit = rig.visit()
    assert visit.rejected, visit
    assert rig.gate.verdicts()[-1]["reasons"] == ["issuer-unknown"]
    rig.install_meanwhile()
    rig.gate.process.send_signal(signal.SIGHUP)
    rig.until(lambda: manager.text == "controller up; screen up; lamps up", "open")
    assert rig.says("visitors can enter again").endswith("visitors can enter again")
    visit = rig.visit()
    assert visit.accepted
    rig.light("ready", visit.at["connect"])


def test_a_board_that_nobody_has_set_up_shows_its_number_until_somebody_does(gated, manager):
    rig = gated(is_installed=False, is_set_up=False)
    rig.until(lambda: manager.text == "controller up; screen up; lamps up; closed: no-trust-bundle", "the status")
    rig.until(lambda: rig.gate.screen.others, "a code")
    gate = (rig.trust / "gate-id").read_text().splitlines()[0]
    assert [text for text, _ in rig.gate.screen.others] == [gate] and gate in rig.gate.screen.lines
    assert not rig.gate.screen.codes, "there is nothing to be had for a wallet"
    rig.install_meanwhile()
    rig.gate.process.send_signal(signal.SIGHUP)
    rig.until(lambda: manager.text == "controller up; screen up; lamps up", "open")
    assert rig.visit().accepted


@pytest.mark.parametrize("days, words", [(100, None), (80, "the update root ends in 80 days"), (-1, "the update root has ended")])
def test_the_end_of_updates_is_told_and_closes_nothing(gated, manager, tmp_path, days, words):
    (tmp_path / "update.pem").write_bytes(certificate(days))
    rig = gated("--update-root", str(tmp_path / "update.pem"))
    rig.until(lambda: manager.text == "controller up; screen up; lamps up" + (f"; {words}" if words else ""), "the status")
    if words:
        rig.says("the certificate of updates")
    assert rig.visit().accepted
    assert any("the certificate of updates" in line for line in rig.gate.errors) == bool(words)


@pytest.mark.parametrize("kind", ["fifo", "folder", "nothing", "text"])
def test_a_gate_runs_also_where_nobody_can_say_until_when_updates_come(gated, manager, tmp_path, kind):
    """And it waits for nobody who writes."""
    file = tmp_path / "update.pem"
    {"fifo": lambda: os.mkfifo(file), "folder": file.mkdir, "nothing": lambda: None, "text": lambda: file.write_text("update")}[kind]()
    rig = gated("--update-root", str(file))
    rig.until(lambda: manager.text == "controller up; screen up; lamps up", "the status")
    assert str(file) in rig.says("until when updates can come is not known")
    assert rig.visit().accepted


@pytest.mark.slow
def test_a_bundle_that_ends_while_the_gate_runs_closes_it_without_a_visitor(gated, manager):
    # Long enough for a visit before, on a machine that does a lot besides.
    rig = gated(ends=120 / 86400)
    rig.until(lambda: manager.text == "controller up; screen up; lamps up; trust ends within a day", "the warning")
    rig.says("the trust bundle ends within a day")
    assert rig.visit().accepted
    rig.until(lambda: "; closed: trust-expired" in manager.text, "closed", 300)
    closed = time.monotonic()
    rig.until(lambda: is_closed_light(rig, closed - 5), "the light")
    before = time.monotonic()
    assert rig.visit().rejected
    rig.light("reject", before)
    # The air is served meanwhile, or the gate takes its controller for broken.
    found = rig.run(asyncio.to_thread(self_test, rig))
    assert found["code"] == 1 and found["trust"][0] == "bad" and "trust-expired" in found["trust"][1], found
    rig.run(asyncio.to_thread(rig.install, sequence=2))
    rig.gate.process.send_signal(signal.SIGHUP)
    rig.until(lambda: "closed" not in manager.text, "open")
    assert rig.visit().accepted


def test_a_gate_whose_clock_is_behind_what_was_signed_is_closed_where_the_bundle_says_reject(gated, manager):
    # It begins tomorrow, and was installed: today is in doubt.
    rig = gated(begins=0.5, ends=30, at=0.6)
    rig.until(lambda: manager.text.endswith("closed: clock-in-doubt"), "closed")
    assert rig.visit().rejected
    found = self_test(rig)
    assert found["trust"][0] == "bad" and "clock-in-doubt" in found["trust"][1], found


def test_near_it_a_clock_in_doubt_leaves_the_gate_open_where_the_bundle_says_accept(gated, manager):
    rig = gated(begins=0.5, ends=30, clock="accept", at=0.6)
    rig.until(lambda: manager.text == "controller up; screen up; lamps up", "open")
    assert rig.visit().accepted


def test_a_gate_without_its_screen_is_closed_because_nobody_finds_it(gated, manager):
    rig = gated("--screen", "fb:/nowhere/fb0")
    rig.until(lambda: manager.text == "controller up; no screen; lamps up; closed: no-screen", "closed")


def test_faces_without_a_camera_close_the_gate(gated, manager):
    rig = gated("--face", "required")
    rig.until(lambda: manager.text.endswith("closed: no-camera"), "closed")
    assert rig.visit().rejected


def alone_in(rig, flag: str, words: str) -> None:
    """The image says so in a file; a /run of its own stands for the board's."""
    alone = ["unshare", "--mount", "sh", "-c", f'mount -t tmpfs none /run && echo "{words}" >/run/{flag} && exec "$@"', "sh"]
    if shutil.which("unshare") is None or subprocess.run([*alone, "true"], capture_output=True).returncode != 0:
        pytest.skip("no mount namespaces here")

    def start_alone() -> None:
        rig.gate = Gate(rig.air.path, rig.trust, rig.folder / "data", *rig.options)
        rig.gate.arguments[:0] = alone
        rig.run(rig.gate.start())

    rig.start = start_alone


def test_where_nothing_lasts_nobody_is_accepted(tmp_path, manager):
    rig = Gated(tmp_path)
    alone_in(rig, "gatehouse-data-not-lasting", "no partition")
    rig.open()
    try:
        rig.until(lambda: manager.text.endswith("closed: data-not-lasting"), "closed")
        assert rig.visit().rejected
        record = rig.gate.verdicts()[-1]
        assert record["outcome"] == "rejected" and "data-not-lasting" in record["notes"]
        assert not lightings(rig, "accept", 0)
    finally:
        rig.close()


def test_after_a_loss_of_the_data_somebody_has_to_bring_what_is_newer(tmp_path, manager):
    """The bundle of the image is not believed any more, and faces are compared until there is a site file again."""
    rig = Gated(tmp_path, sequence=1)
    alone_in(rig, "gatehouse-data-made-anew", "1")
    rig.open()
    try:
        rig.until(lambda: manager.text.endswith("closed: no-trust-bundle, data-made-anew, no-camera"), "closed")
        assert rig.visit().rejected and rig.says("bundle 1 is not believed, one above 1 is")
        rig.gate.process.send_signal(signal.SIGHUP)
        rig.until(lambda: any("nothing was reloaded" in line for line in rig.gate.errors), "still the same bundle")
        rig.install_meanwhile(sequence=2)
        rig.gate.process.send_signal(signal.SIGHUP)
        rig.until(lambda: manager.text.endswith("closed: no-camera"), "a newer bundle")
        assert rig.visit().rejected
        site(rig, rig.operators, 1, {})
        rig.run(rig.gate.__aexit__())
        rig.open()
        rig.until(lambda: (text := manager.text).startswith("controller up") and "closed" not in text, "open")
        assert rig.visit().accepted, rig.gate.verdicts()[-1]["reasons"]
    finally:
        rig.close()
