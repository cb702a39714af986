"""Trust by pull: the newest bundle from a server of files, and what the gate's own installer says of what was laid for it."""
import json
import re
import subprocess
import time

import pytest

import issuer
from gate import command, is_reference
from list_server import Authority, endless, sent_on, silent, truncated
from outlet_rig import until
from ports import free_port
from pulls import Published, Pulling
from small_disk import SmallDisk
from trust_bundle import Operators
from wire import Wire

pytestmark = pytest.mark.skipif(is_reference(), reason="the reference gate has no such commands")
# As far as the relay looks into one.
BUNDLE = b"\xd8\x62\x84 and more"


@pytest.fixture
def setting(tmp_path, served):
    return Pulling("trust", tmp_path, *served)


def test_a_bundle_on_its_way_to_the_installer(setting):
    operators = Operators(setting.folder / "operators")
    trust = issuer.write_trust(setting.folder / "trust", issuer.Issuer("EdDSA", "https://issuer.example"))
    installed = setting.folder / "installed"
    installed.mkdir()

    def install() -> subprocess.CompletedProcess:
        # As the image's script for orders does it, as the gate's own user.
        words = ("trust", "install", setting.file, "--root", operators.root, "--into", installed)
        return subprocess.run([*command(), *map(str, words)], capture_output=True, text=True, timeout=60)
    first, second = (operators.sign(trust, sequence=number).read_bytes() for number in (1, 2))
    page = setting.server.pages["/newest.cose"] = Published(first)
    with setting.relay() as relay:
        setting.laid(first)
        assert install().returncode == 0
        # Nothing new is fetched: the server says so by the tag, and the installer is not woken.
        stamp = setting.file.stat().st_mtime_ns
        until(lambda: page.unchanged >= 1, "another look")
        assert page.given == 1 and setting.file.stat().st_mtime_ns == stamp
        newer = setting.server.pages["/newest.cose"] = Published(second)
        setting.laid(second)
        assert newer.given == 1 and install().returncode == 0
        # A server that goes back, or is somebody else's: laid there as it is, and refused by who knows.
        setting.server.pages["/newest.cose"] = Published(first)
        setting.laid(first)
        refused = install()
        assert refused.returncode == 1 and "refused" in refused.stdout + refused.stderr
        setting.server.pages["/newest.cose"] = Published(b"\x84 no bundle")
        setting.laid(b"\x84 no bundle")
        assert install().returncode == 1
        # What is not even signed takes the place of nothing.
        setting.server.pages["/newest.cose"] = Published(b"<html>log in</html>")
        relay.trouble("refused")
        assert setting.file.read_bytes() == b"\x84 no bundle" and "no signed file" in relay.said()


def test_the_tag_outlives_a_restart(setting):
    page = setting.server.pages["/newest.cose"] = Published(BUNDLE)
    relay = setting.relay()
    with relay:
        setting.laid(BUNDLE)
        until(lambda: (relay.state / "pulled").exists(), "the tag")
        relay.kill()
        relay.start()
        until(lambda: page.unchanged, "another look")
        assert page.given == 1
        relay.end()
        # What somebody took away is fetched again, and of another address the tag says nothing.
        setting.file.unlink()
        relay.start()
        until(lambda: page.given == 2, "the bundle again")
        relay.end()
    other = setting.server.pages["/other.cose"] = Published(BUNDLE)
    with setting.relay("/other.cose"):
        until(lambda: other.given == 1, "the other")


def test_without_a_tag_the_same_octets_wake_nobody(setting):
    page = setting.server.pages["/newest.cose"] = Published(BUNDLE, tag="")
    with setting.relay():
        setting.laid(BUNDLE)
        stamp = setting.file.stat().st_mtime_ns
        # It comes for the third time when it is done with what it got by the second.
        until(lambda: page.given >= 3, "two more looks")
        assert setting.file.stat().st_mtime_ns == stamp


def test_the_tag_of_what_is_no_bundle_is_not_kept(setting):
    """A page of some proxy with a tag: the bundle that the server then has under the same tag is fetched all the same."""
    setting.server.pages["/newest.cose"] = Published(b"<html>log in</html>", tag='"1"')
    with setting.relay() as relay:
        setting.laid(b"<html>log in</html>")
        until(lambda: (relay.state / "pulled").exists(), "what is remembered")
        page = setting.server.pages["/newest.cose"] = Published(BUNDLE, tag='"1"')
        setting.laid(BUNDLE)
        assert page.given == 1 and page.unchanged == 0


def test_the_largest_bundle_needs_it_once(setting):
    """16 MiB, twice: what comes is held once, and what lies there is compared in pieces."""
    octets = BUNDLE + bytes((16 << 20) - len(BUNDLE))
    page = setting.server.pages["/newest.cose"] = Published(octets, tag="")
    with setting.relay(timeout=60) as relay:
        setting.laid(octets)
        until(lambda: page.given >= 2, "another look")
        time.sleep(1)
        held = int(re.search(r"VmHWM:\s*(\d+) kB", open(f"/proc/{relay.process.pid}/status").read()).group(1)) * 1024
        print(f"{held >> 20} MiB at most")
        assert held < 48 << 20, held


@pytest.mark.parametrize("content, code", [
    (None, "refused"), (b"", "refused"), (Published(b"<html>log in</html>"), "refused"),
    (endless, "protocol-broken"), (silent, "timed-out"), (truncated(b"a" * 1000), "closed"),
    (sent_on("https://localhost:1/"), "refused"), (lambda answer: answer.begin(410, "text/plain", 0), "gone"),
    (b"a" * ((16 << 20) + 1), "protocol-broken"), (lambda answer: answer.begin(304, "text/plain", 0), "refused"),
], ids=("missing", "empty", "a page", "endless", "silent", "cut off", "sent on", "gone", "too long", "unchanged, unasked"))
def test_servers_that_misbehave(setting, content, code):
    setting.refuses(content, code)


def test_a_server_that_is_another(setting, tmp_path):
    (tmp_path / "other").mkdir()
    setting.server.pages["/newest.cose"] = Published(BUNDLE)
    for change in ({"authorities": Authority(tmp_path / "other", "Other authority").file},
                   {"url": setting.server.url("/newest.cose", "127.0.0.1")}):
        with setting.relay(**change) as relay:
            relay.trouble("certificate")
    assert not setting.file.exists()


@pytest.mark.parametrize("change, words", [
    ({"url": "http://localhost/newest.cose"}, "url is not"), ({"folder": "pulled"}, "folder is not"),
    ({"folder": None}, "folder is missing"),
    ({"interval": 0}, "interval is not"), ({"install": True}, "install"),
])
def test_settings_that_are_refused(setting, change, words):
    relay = setting.relay()
    settings = {**json.loads(relay.settings.read_text()), **change}
    relay.set(**{name: value for name, value in settings.items() if value is not None})
    done = relay.check()
    assert done.returncode == 2 and words in done.stderr, done


# MARK: accidents

LARGE = BUNDLE[:3] + bytes(range(256)) * 1024


def test_a_slow_server_and_a_kill_in_the_middle(setting):
    """A quarter of a megabyte comes slowly: until all of it is there the one before lies there, also when the relay is killed meanwhile."""
    setting.file.write_bytes(b"the one before")
    setting.server.pages["/newest.cose"] = Published(LARGE)
    with Wire(setting.server.server_address[1], rate=100_000) as wire:
        relay = setting.relay(url=f"https://localhost:{wire.port}/newest.cose", timeout=60)
        with relay:
            until(lambda: setting.server.asked, "a request")
            time.sleep(0.5)
            relay.kill()
            assert setting.file.read_bytes() == b"the one before" and [file.name for file in setting.pulled.iterdir()] == [setting.file.name]
            relay.start()
            until(lambda: len(setting.server.asked) >= 2, "another request")
            # Cut off in the middle: named, and the one before is there still.
            time.sleep(0.5)
            wire.cut()
            relay.trouble("closed")
            assert setting.file.read_bytes() == b"the one before"
            wire.rate = None
            relay.kill()
            relay.start()
            setting.laid(LARGE)


def test_the_disk_is_full(setting):
    with SmallDisk(setting.pulled) as disk:
        file = disk.path(setting.pulled) / setting.file.name
        file.write_bytes(b"the one before")
        disk.fill()
        setting.server.pages["/newest.cose"] = Published(LARGE)
        relay = setting.relay()
        relay.prefix = disk.inside
        with relay:
            relay.trouble("system")
            assert file.read_bytes() == b"the one before" and not list(file.parent.glob(".*.new")) and "cannot be kept" in relay.said()
            disk.free()
            # It would look again within a minute.
            relay.kill()
            relay.start()
            until(lambda: file.read_bytes() == LARGE, "the bundle")


def test_a_server_that_is_away_for_a_while(setting):
    setting.server.pages["/newest.cose"] = Published(b"bundle")
    with Wire(free_port()) as wire:
        relay = setting.relay(url=f"https://localhost:{wire.port}/newest.cose")
        with relay:
            until(lambda: relay.status().get("trouble") in ("closed", "tls", "not-reachable"), lambda: f"a trouble ({relay.status()})")
            wire.target = setting.server.server_address[1]
            relay.kill()
            relay.start()
            setting.laid(b"bundle")
