"""A site file by pull: what a server has for this gate, and what the gate's own installer says of what was laid for it."""
import json
import re
import subprocess
import time
from pathlib import Path

import pytest

from gate import command, is_reference
from list_server import Authority, endless, sent_on, silent, truncated
from outlet_rig import until
from pulls import Published, Pulling
from trust_bundle import Operators, rfc3339

pytestmark = pytest.mark.skipif(is_reference(), reason="the reference gate has no such commands")
UNIT = Path(__file__).resolve().parents[3] / "board/generic/gatehouse-pulled-site.service"
GATE, OTHER = "10000000abcdef01", "10000000abcdef02"


@pytest.fixture
def setting(tmp_path, served):
    return Pulling("site", tmp_path, *served)


class Desk:
    """Who signs site files, and the gate's folder with the installer that judges them."""

    def __init__(self, setting: Pulling) -> None:
        self.setting, self.operators, self.trust = setting, Operators(setting.folder / "operators"), setting.folder / "trust"
        self.trust.mkdir()

    def order(self, number: int, gate: str = GATE, name: str = "NORTH", kind: str = "site", by: int = 2) -> bytes:
        file, content = self.operators.folder / f"{kind}-{number}", self.operators.folder / "content.json"
        content.write_text(json.dumps({"name": name} if kind == "site" else {}))
        run("order", "build", "--kind", kind, "--number", number, "--gate", gate, "--not-after", rfc3339(time.time() + 86_400), "--content", content,
            "--out", file)
        for signer in self.operators.names[:by]:
            run("order", "sign", file, "--key", self.operators.key_file(signer), "--kid", signer, "--root", self.operators.root, "--out", file)
        return file.read_bytes()

    def where(self) -> tuple:
        return "--root", self.operators.root, "--into", self.trust, "--gate-id", GATE

    def install(self) -> str:
        """What the unit does with what was laid, as the gate's own user."""
        done = run("site", "install", "--fetched", self.setting.file, *self.where(), status=None)
        return done.stdout + done.stderr if done.returncode == 0 else f"refused: {done.stderr}"

    def shown(self) -> dict:
        return json.loads(run("site", "show", *self.where()).stdout)


def run(*words, status: int | None = 0) -> subprocess.CompletedProcess:
    done = subprocess.run([*command(), *map(str, words)], capture_output=True, text=True, timeout=60)
    assert status is None or done.returncode == status, done
    return done


def test_a_site_file_on_its_way_to_the_installer(setting):
    desk = Desk(setting)
    first, second = desk.order(1), desk.order(2, name="SOUTH")
    # By these words the unit knows that the gate has to start anew; by any others it does not.
    restarts = re.compile(re.search(r'grep -qE "([^"]+)"', UNIT.read_text()).group(1)).match
    setting.server.pages["/newest.cose"] = Published(first)
    with setting.relay():
        setting.laid(first)
        assert restarts(desk.install()) and desk.shown() == {"name": "NORTH"}
        # It is offered again each hour: nothing happens.
        again = desk.install()
        assert again == "site file 1 is there already\n" and not restarts(again) and desk.shown() == {"name": "NORTH"}
        setting.server.pages["/newest.cose"] = Published(second)
        setting.laid(second)
        assert desk.install().startswith("site file 2 installed") and desk.shown() == {"name": "SOUTH"}
        # A server that goes back.
        setting.server.pages["/newest.cose"] = Published(first)
        setting.laid(first)
        assert desk.install().startswith("refused") and desk.shown() == {"name": "SOUTH"}


def test_what_is_not_for_this_gate_is_laid_there_and_refused(setting):
    """Another gate's, another kind of order, one signer too few, no order at all; and then what is for it."""
    desk = Desk(setting)
    files = [desk.order(1, gate=OTHER), desk.order(1, kind="time"), desk.order(1, kind="export"), desk.order(2, by=1), b"\x84 no order",
             desk.order(3)[:-1]]
    good = desk.order(3)
    with setting.relay() as relay:
        for octets in files:
            # The next look is at once, as after a start.
            relay.kill()
            setting.server.pages["/newest.cose"] = Published(octets)
            relay.start()
            setting.laid(octets)
            assert desk.install().startswith("refused") and desk.shown() == {}
        relay.kill()
        setting.server.pages["/newest.cose"] = Published(good)
        relay.start()
        setting.laid(good)
        assert desk.install().startswith("site file 3 installed")


@pytest.mark.parametrize("tag", (None, ""), ids=("with a tag", "without"))
def test_a_refused_one_that_comes_again_and_again_wakes_nobody(setting, tag):
    """systemd looks at the file's change; it is written once."""
    octets = Desk(setting).order(1, gate=OTHER)
    page = setting.server.pages["/newest.cose"] = Published(octets, tag=tag)
    with setting.relay():
        setting.laid(octets)
        facts = setting.file.stat()
        until(lambda: page.given + page.unchanged >= 3, "two more looks")
        assert (setting.file.stat().st_mtime_ns, setting.file.stat().st_ino) == (facts.st_mtime_ns, facts.st_ino)


def test_a_server_that_has_nothing_for_this_gate_is_well(setting):
    """404, which for a bundle would be trouble; what was there before stays, and what comes later is taken."""
    setting.file.write_bytes(b"the one before")
    with setting.relay() as relay:
        until(lambda: relay.status().get("state") == "connected", lambda: f"a look ({relay.status()})")
        assert "trouble" not in relay.status() and setting.file.read_bytes() == b"the one before"
        octets = Desk(setting).order(1)
        setting.server.pages["/newest.cose"] = Published(octets)
        setting.laid(octets)


@pytest.mark.parametrize("content, code", [
    (b"", "refused"), (Published(b"<html>log in</html>"), "refused"),
    (endless, "protocol-broken"), (silent, "timed-out"), (truncated(b"a" * 1000), "closed"),
    (sent_on("https://localhost:1/"), "refused"), (lambda answer: answer.begin(410, "text/plain", 0), "gone"),
    (lambda answer: answer.begin(500, "text/plain", 0), "refused"), (b"a" * ((1 << 20) + 1), "protocol-broken"),
], ids=("empty", "a page", "endless", "silent", "cut off", "sent on", "gone", "in trouble", "too long"))
def test_servers_that_misbehave(setting, content, code):
    setting.refuses(content, code)


def test_the_largest_is_taken(setting):
    octets = b"\xd8\x62\x84" + bytes((1 << 20) - 3)
    setting.server.pages["/newest.cose"] = Published(octets)
    with setting.relay():
        setting.laid(octets)


def test_a_server_that_is_another(setting, tmp_path):
    (tmp_path / "other").mkdir()
    setting.server.pages["/newest.cose"] = Published(b"site file")
    for change in ({"authorities": Authority(tmp_path / "other", "Other authority").file},
                   {"url": setting.server.url("/newest.cose", "127.0.0.1")}):
        with setting.relay(**change) as relay:
            relay.trouble("certificate")
    assert not setting.file.exists()
