"""The gate with least privilege on the kernel's own devices: as an ordinary user, started in two ways, its confinement attacked from within."""
import os
import re
import signal
import stat
import subprocess
import tempfile
from pathlib import Path

import pytest

from board import BoardRig
from gate import command
from gpio import Chip, Watch
from screens import YELLOW, Cable, Photograph, framebuffers, photograph, shows, shows_code

NAME, USER, GPIO, VIDEO = "gatehouse", 990, 991, 44
LAMPS = ["READY", "BUSY", "GREEN", "RED", "FAULT"]
NET_ADMIN = 1 << 12
AS_A_SERVICE = ["setpriv", "--reuid", NAME, "--regid", NAME, "--init-groups", "--inh-caps", "-all,+net_admin", "--ambient-caps", "-all,+net_admin",
                "--bounding-set", "-all,+net_admin"]
WITHOUT_CAPABILITIES = ["setpriv", "--reuid", NAME, "--regid", NAME, "--init-groups", "--inh-caps", "-all", "--bounding-set", "-all"]


@pytest.fixture(scope="session", autouse=True)
def user():
    """What an installer does once. `/etc` is the machine's own, in memory."""
    with open("/etc/passwd", "a") as users, open("/etc/group", "a") as groups:
        users.write(f"{NAME}:x:{USER}:{USER}::/nonexistent:/usr/sbin/nologin\n")
        groups.write(f"{NAME}:x:{USER}:\ngpio:x:{GPIO}:{NAME}\n")
    subprocess.run(["usermod", "--append", "--groups", "video", NAME], check=True)


@pytest.fixture
def place():
    """A folder the user can reach, as pytest's are not; `data` in it is the user's."""
    with tempfile.TemporaryDirectory(prefix="gatehouse-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        folder.chmod(0o755)
        (folder / "data").mkdir()
        os.chown(folder / "data", USER, USER)
        yield folder


@pytest.fixture
def devices():
    """The lamps and the screen, with the groups a distribution gives them."""
    chip, screen = Chip("lamps", LAMPS), framebuffers()[0]
    for path, group in ((chip.path, GPIO), (screen.path, VIDEO)):
        os.chown(path, 0, group)
        os.chmod(path, 0o660)
    yield chip, screen
    chip.remove()


@pytest.fixture(params=["by root, with --user", "by a service manager"])
def way(request) -> tuple[list[str], list[str]]:
    """What stands before the command, and options."""
    return ([], ["--user", NAME]) if "root" in request.param else (AS_A_SERVICE, [])


def open_rig(place, devices, before, options) -> BoardRig:
    chip, screen = devices
    wiring = "ready=READY,busy=BUSY,accept=GREEN,reject=RED,fault=FAULT"
    return BoardRig(place, *options, before=before, lights=f"gpio:{chip.label}/{wiring}", screen=f"fb:{screen.path}").open()


def status(rig) -> dict[str, str]:
    lines = Path(f"/proc/{rig.gate.process.pid}/status").read_text().splitlines()
    return {name: value.strip() for name, value in (line.split(":", 1) for line in lines)}


def is_confined(rig) -> bool:
    found = status(rig)
    assert found["Uid"].split() == [str(USER)] * 4 and found["Gid"].split() == [str(USER)] * 4, found
    assert {int(group) for group in found["Groups"].split()} == {USER, GPIO, VIDEO}
    sets = {name: int(found[name], 16) for name in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb")}
    assert sets == {"CapInh": 0, "CapPrm": NET_ADMIN, "CapEff": 0, "CapBnd": NET_ADMIN, "CapAmb": 0}, sets
    return (found["NoNewPrivs"], found["Seccomp"], found["Threads"]) == ("1", "2", "1")


def written(rig) -> set[str]:
    """The files and devices the gate has open for writing."""
    folder = Path(f"/proc/{rig.gate.process.pid}")
    paths = set()
    for descriptor in (folder / "fd").iterdir():
        flags = int(re.search(r"flags:\s+([0-7]+)", (folder / "fdinfo" / descriptor.name).read_text()).group(1), 8)
        path = os.readlink(descriptor)
        if flags & os.O_ACCMODE != os.O_RDONLY and path.startswith("/") and not stat.S_ISFIFO(descriptor.stat().st_mode):
            paths.add(path)
    return paths


def visits_are_served(rig, chip, screen) -> None:
    with Watch(chip) as watch:
        rig.until(lambda: chip.high() == {"READY"}, "ready")
        # The lamp is lit before the screen is drawn.
        shown = photograph(rig, screen, shows_code, "a code").text
        visit = rig.run(rig.phone.visit(shown, rig.good()))
        assert visit.accepted, visit
        rig.until(lambda: {"GREEN"} in watch.sets() and chip.high() == {"READY"}, "green, then ready")
    photograph(rig, screen, lambda now: shows_code(now) and now.text != shown, "another code")


def test_an_ordinary_user_serves_visits_and_opens_the_controller_again(place, devices, way):
    chip, screen = devices
    rig = open_rig(place, devices, *way)
    try:
        visits_are_served(rig, chip, screen)
        assert is_confined(rig)
        (said,) = [line for line in rig.gate.errors if "confined: " in line]
        assert f"user {USER};" in said and "CAP_NET_ADMIN, only while the controller is opened" in said and "files by Landlock" in said, said
        assert written(rig) <= {str(place / "data" / "audit.jsonl"), str(place / "data" / "audit.lock"), chip.path, screen.path, "/dev/null"}, written(rig)
        rig.unplug()
        rig.until(lambda: chip.high() == {"FAULT"}, "the fault")
        rig.plug()
        visits_are_served(rig, chip, screen)
        assert is_confined(rig)
        assert rig.run(rig.gate.stop(signal.SIGTERM, 30)) == 0
        assert chip.high() == set() and Photograph(screen).is_dark
        assert (place / "data" / "audit.jsonl").stat().st_uid == USER
        assert [record["outcome"] for record in rig.gate.verdicts()] == ["accepted", "accepted"]
    finally:
        rig.close()


def test_without_the_capability_the_controller_is_not_opened(place, devices):
    rig = open_rig(place, devices, WITHOUT_CAPABILITIES, [])
    try:
        rig.until(lambda: devices[0].high() == {"FAULT"}, "the fault")
        rig.until(lambda: any("controller: not permitted" in line for line in rig.gate.errors), "why")
        assert photograph(rig, devices[1], lambda now: shows(now, YELLOW), "the fault's sign").text == ""
    finally:
        rig.close()


@pytest.mark.parametrize("path, words", [("gpio", "lights cannot be switched"), ("video", "no code can be shown")])
def test_a_device_that_is_not_the_users_yet_is_named_and_waited_for(place, devices, path, words):
    """A device file is there a moment before its rule has given it to the group."""
    chip, screen = devices
    device = chip.path if path == "gpio" else screen.path
    os.chmod(device, 0o600)
    rig = open_rig(place, devices, [], ["--user", NAME])
    try:
        rig.until(lambda: any(words in line and "not permitted" in line for line in rig.gate.errors), "what is not permitted")
        os.chmod(device, 0o660)
        rig.until(lambda: any(f"the {'lamps are' if path == 'gpio' else 'screen is'} there" in line for line in rig.gate.errors), "the device")
        visits_are_served(rig, chip, screen)
        assert is_confined(rig)
    finally:
        rig.close()


def test_the_confined_gate_takes_devices_again_that_went_away(place, devices, way):
    """Nobody can say beforehand which file a device will be: what the confinement leaves open has to hold for the next one."""
    chip, screen = devices
    cable = Cable(screen)
    rig = open_rig(place, devices, *way)
    try:
        visits_are_served(rig, chip, screen)
        assert is_confined(rig)
        chip.vanish()
        cable.pull()
        for words in ("lights cannot be switched", "no code can be shown"):
            rig.until(lambda: any(words in line for line in rig.gate.errors), words)
        cable.plug()
        chip.come_back()
        for device, group in ((chip.path, GPIO), (screen.path, VIDEO)):
            os.chown(device, 0, group)
            os.chmod(device, 0o660)
        for words in ("the lamps are there", "the screen is there"):
            rig.until(lambda: any(words in line for line in rig.gate.errors), words)
        visits_are_served(rig, chip, screen)
        assert is_confined(rig)
        assert rig.run(rig.gate.stop(signal.SIGTERM, 30)) == 0
        assert chip.high() == set() and Photograph(screen).is_dark
    finally:
        cable.plug()
        rig.close()


def test_what_is_forbidden_is_tried_and_fails():
    """With a kernel that has Landlock nothing is left out."""
    done = subprocess.run([str(Path(command()[0]).parent / "confinement-check")], capture_output=True, text=True, timeout=300)
    lines = done.stdout.splitlines()
    assert done.returncode == 0 and [line for line in lines if not line.startswith(("ok ", "confinement ok as "))] == [], done.stderr
    ends = [line for line in lines if line.startswith("confinement")]
    # As the ordinary user it becomes, and as root; the gate, the process that listens on its network, a relay.
    assert len(ends) == 6 and all(line.endswith("; Landlock 6, 0 skipped; 0 failures") for line in ends), ends
