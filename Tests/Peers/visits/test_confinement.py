"""The running gate gives up what it does not need. What it then cannot do is `confinement-check`'s to show; here, that it does it, and works."""
import asyncio
import ctypes
import errno
import os
import pwd
import re
import signal
import subprocess
import tempfile
import time
from pathlib import Path

import pytest

import issuer
from conftest import Rig
from gate import PATIENCE, Gate, command, is_reference
from phone import Phone, Plan
from status_lists import token_jwt, write_lists
from test_reload import STRANGER, reload, stranger
from trust_bundle import Operators

pytestmark = pytest.mark.skipif(is_reference(), reason="the reference gate is not confined")
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
NET_ADMIN = 1 << 12


def status(gate: Gate) -> dict[str, str]:
    lines = Path(f"/proc/{gate.process.pid}/status").read_text().splitlines()
    return {name: value.strip() for name, value in (line.split(":", 1) for line in lines)}


def capabilities(gate: Gate) -> dict[str, int]:
    """Of the inheritable, permitted, effective, bounding and ambient set."""
    return {name[3:]: int(value, 16) for name, value in status(gate).items() if name.startswith("Cap")}


def is_confined(gate: Gate) -> bool:
    found = status(gate)
    return (found["Seccomp"], found["NoNewPrivs"]) == ("2", "1") and capabilities(gate)["Eff"] == 0


def core_limit(gate: Gate) -> str:
    return re.search(r"^Max core file size\s+(\d+)\s+(\d+)", Path(f"/proc/{gate.process.pid}/limits").read_text(), re.M).group(1, 2)


@pytest.fixture
def nobody_rig():
    """A gate started by root that becomes nobody, in a folder nobody can reach."""
    with tempfile.TemporaryDirectory(prefix="gatehouse-") as name:
        folder, nobody = Path(name), pwd.getpwnam("nobody")
        folder.chmod(0o755)
        rig = Rig(folder, "--user", "nobody", algorithms=("ES256",))
        rig.run(rig.air.__aenter__())
        # To connect to a socket is to write to it.
        os.chmod(rig.air.path, 0o666)
        (folder / "data").mkdir()
        os.chown(folder / "data", nobody.pw_uid, nobody.pw_gid)
        rig.phone = rig.run(Phone.on(rig.air))
        rig.start()
        yield rig
        rig.close()


def goes_through_everything(rig: Rig) -> None:
    """A visit, trust read again, a controller that breaks and is opened anew: confined before, between and after."""
    gate = rig.gate
    assert rig.visit(Plan("android")).accepted and is_confined(gate)
    assert stranger(rig).rejected
    newcomer = issuer.write_trust(rig.folder / "newcomer", STRANGER)
    (file,) = newcomer.glob("*.json")
    file.rename(rig.folder / "trust" / "newcomer.json")
    reload(rig, "nobody signed")
    assert stranger(rig).accepted and is_confined(gate)
    rig.run(breaks(rig))
    assert rig.visit(Plan("ios")).accepted and is_confined(gate)
    assert gate.process.returncode is None and [record["outcome"] for record in gate.verdicts()].count("accepted") == 3


async def breaks(rig: Rig) -> None:
    """The far end of the link goes away, and comes back. Not while a verdict stands: a controller that is back before its light goes out
    has no light for what was wrong."""
    await rig.gate.until(lambda: rig.gate.lights and "ready" in rig.gate.lights[-1][1], what="the light after the verdict")
    before = len(rig.gate.lights)
    rig.air.gate.host.transport.close()
    await rig.gate.until(lambda: any("fault" in lamps for _, lamps in rig.gate.lights[before:]), what="the fault light")
    fault = len(rig.gate.lights)
    await rig.gate.until(lambda: any("ready" in lamps for _, lamps in rig.gate.lights[fault:]), what="the ready light")


def test_started_as_it_is(own_rig):
    own_rig.uri()
    gate, before = own_rig.gate, capabilities(own_rig.gate)
    assert is_confined(gate) and before["Prm"] == before["Inh"] == before["Amb"] == 0, status(gate)
    assert core_limit(gate) == ("0", "0") and status(gate)["Threads"] == "1"
    (said,) = [line for line in gate.errors if "confined: " in line]
    assert ("root" in said) == (os.geteuid() == 0) and "capabilities none" in said and "system calls by a list" in said
    goes_through_everything(own_rig)


@as_root
def test_started_by_root_to_become_nobody(nobody_rig):
    nobody_rig.uri()
    gate, nobody = nobody_rig.gate, pwd.getpwnam("nobody")
    found = status(gate)
    assert found["Uid"].split() == [str(nobody.pw_uid)] * 4 and found["Gid"].split() == [str(nobody.pw_gid)] * 4
    assert set(found["Groups"].split()) == {str(group) for group in os.getgrouplist("nobody", nobody.pw_gid)}
    assert set(capabilities(gate).values()) == {0}, found
    nobody_rig.says(f"confined: user {nobody.pw_uid};")
    goes_through_everything(nobody_rig)
    assert nobody_rig.run(gate.stop()) == 0
    assert (nobody_rig.folder / "data" / "audit.jsonl").stat().st_uid == nobody.pw_uid


def test_the_newest_signed_time_is_still_kept(tmp_path):
    """The one thing that is written beside the data folder: in a signed trust folder, on SIGHUP."""
    rig = Rig(tmp_path, algorithms=("ES256",))
    operators, installed, url = Operators(tmp_path / "operators"), tmp_path / "installed", "https://es256.demo.gatehouse.example/list"
    operators.install(rig.trust, installed, sequence=1, created=-10, begins=-11)
    rig.options = ("--root", str(operators.root))
    source, rig.trust = rig.trust, installed
    rig.open()
    try:
        assert rig.visit().accepted
        write_lists(source, {url: token_jwt(rig.issuer, url, {})}, int(time.time()) - 60)
        rig.run(asyncio.to_thread(operators.install, source, installed, sequence=2, created=-10, begins=-11))
        before = (installed / "highwater").read_bytes()
        reload(rig, "trust bundle 2")
        assert rig.visit().accepted and is_confined(rig.gate)
        assert (installed / "highwater").read_bytes() != before and not any("cannot be kept" in line for line in rig.gate.errors)
    finally:
        rig.close()


# MARK: without an air

class Started:
    """`gatehouse run` in a folder anybody may use, up to its first trouble with the controller."""

    def __init__(self, *options: str, link: str = "unix:/nowhere", data: str = "data", before=None) -> None:
        self.place = tempfile.TemporaryDirectory(prefix="gatehouse-")
        self.folder = Path(self.place.name)
        self.folder.chmod(0o777)
        self.data = self.folder / data
        trust = issuer.write_trust(self.folder / "trust", issuer.Issuer())
        self.process = subprocess.Popen(
            [*command(), "run", "--hci", link, "--screen", "none:", "--trust", str(trust), "--data", str(self.data), *options],
            stderr=subprocess.PIPE, text=True, preexec_fn=before)
        self.said: list[str] = []
        for line in self.process.stderr:
            self.said.append(line.rstrip())
            if "controller: " in line:
                break

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.process.stderr.close()
        self.place.cleanup()

    def ended(self) -> int:
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(PATIENCE)

    def refused(self, *words: str) -> None:
        assert self.process.wait(PATIENCE) == 2 and self.said[-1].startswith("Error: "), self.said
        assert all(word in self.said[-1] for word in words), self.said


@as_root
def test_of_the_user_channel_one_capability_is_left_to_be_raised():
    with Started("--user", "nobody", link="hci:65000") as gate:
        sets = capabilities(gate)
        assert (sets["Prm"], sets["Bnd"]) == (NET_ADMIN, NET_ADMIN) and sets["Eff"] == sets["Inh"] == sets["Amb"] == 0, sets
        assert is_confined(gate) and any("CAP_NET_ADMIN, only while the controller is opened" in line for line in gate.said), gate.said
        # Missing it may be, or unknown to the kernel: but it is not forbidden.
        assert re.search("no such controller|the kernel has no Bluetooth", gate.said[-1]), gate.said
        # The data folder was made for the user.
        assert gate.data.stat().st_uid == pwd.getpwnam("nobody").pw_uid
        assert gate.ended() == 0


@as_root
def test_as_a_service_manager_starts_it():
    """An ordinary user from the start, with the capability in the ambient set: `User=` and `AmbientCapabilities=`."""
    setpriv = ["setpriv", "--reuid", "nobody", "--regid", "nogroup", "--clear-groups", "--inh-caps", "-all,+net_admin", "--ambient-caps", "-all,+net_admin",
               "--bounding-set", "-all,+net_admin"]
    if subprocess.run([*setpriv, "true"], capture_output=True).returncode:
        pytest.skip("setpriv cannot do this here")
    with tempfile.TemporaryDirectory(prefix="gatehouse-") as name:
        os.chmod(name, 0o777)
        program = Path(name) / "gatehouse"
        program.write_bytes(Path(command()[0]).read_bytes())
        program.chmod(0o755)
        environment = os.environ.get("GATEHOUSE")
        os.environ["GATEHOUSE"] = " ".join([*setpriv, str(program)])
        try:
            with Started(link="hci:65000") as gate:
                sets = capabilities(gate)
                assert (sets["Prm"], sets["Bnd"]) == (NET_ADMIN, NET_ADMIN) and sets["Eff"] == sets["Inh"] == sets["Amb"] == 0, (sets, gate.said)
                assert is_confined(gate) and gate.ended() == 0
            with Started() as gate:
                assert capabilities(gate)["Prm"] == 0 and is_confined(gate) and gate.ended() == 0
            with Started("--user", "daemon") as gate:
                gate.refused("--user", "only root")
            with Started("--user", "nobody") as gate:
                assert is_confined(gate), "it is nobody already"
        finally:
            if environment is None:
                del os.environ["GATEHOUSE"]
            else:
                os.environ["GATEHOUSE"] = environment


@as_root
def test_what_the_user_cannot_open_is_refused_at_the_start():
    with tempfile.TemporaryDirectory(prefix="gatehouse-") as name:
        with Started("--user", "nobody", data=name) as gate:
            gate.refused("--data", "not permitted")


@pytest.mark.parametrize("options, words", (
    (("--user", "no-such-user"), ("--user", "no such user")), (("--user", "root"), ("--user", "no ordinary user")), (("--confine", "somewhat"), ("--confine", "required"))))
def test_options_that_are_refused(options, words):
    if options[-1] != "root" or os.geteuid() == 0:
        with Started(*options) as gate:
            gate.refused(*words)
            assert not gate.data.exists()


def test_confinement_off():
    with Started("--confine", "off") as gate:
        assert status(gate)["Seccomp"] == status(Parent)["Seccomp"] and any("not confined" in line for line in gate.said)


class Parent:
    class process:
        pid = os.getpid()


def without(*calls: bytes, code: int):
    """As on a kernel that has not, or in a container that forbids, these calls. Only root may do that to a process that still wants to change."""
    def before() -> None:
        library = ctypes.CDLL("libseccomp.so.2")
        library.seccomp_init.restype = ctypes.c_void_p
        context = ctypes.c_void_p(library.seccomp_init(0x7FFF0000))
        for call in calls:
            library.seccomp_rule_add(context, 0x00050000 | code, library.seccomp_syscall_resolve_name(call), 0)
        if library.seccomp_load(context):
            os._exit(99)

    return before


@as_root
def test_where_system_calls_cannot_be_filtered():
    forbidden = without(b"seccomp", code=errno.EPERM)
    with Started(before=forbidden) as gate:
        gate.refused("--confine required", "system calls cannot be filtered")
    with Started("--confine", "as-possible", before=forbidden) as gate:
        assert any("not confined in this: system calls" in line for line in gate.said) and any("any system call" in line for line in gate.said), gate.said
        assert capabilities(gate)["Eff"] == 0 and gate.ended() == 0


@as_root
def test_where_the_kernel_has_no_landlock():
    calls = b"landlock_create_ruleset", b"landlock_add_rule", b"landlock_restrict_self"
    with Started(before=without(*calls, code=errno.ENOSYS)) as gate:
        assert any("no Landlock: files by their modes, and none to be made; system calls by a list" in line for line in gate.said), gate.said
        assert is_confined(gate) and gate.ended() == 0
