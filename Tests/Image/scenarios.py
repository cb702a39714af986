"""What the image has to do on a board, one function each. A scenario returns the figure its line in the table shows; it fails by an exception."""
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

from bundles import Bundles
from emulated_board import BoardError, HERE
from image_rig import HEALTH, IMAGE, READY, UBOOT, ImageBoard, Start, copy, partitions
from serial_air import SerialAir

ADDRESS, SERVER = "10.0.2.15/24", "http://10.0.2.100/"


def check(condition, what: str) -> None:
    if not condition:
        raise BoardError(what)


def confined(board: ImageBoard, most: dict[str, float]) -> dict[str, float]:
    """What systemd itself says of units, each with the most that it may hold against one (0 to 10)."""
    found = {}
    for unit in most:
        said = board.output(f"systemd-analyze security --no-pager {unit} | tail -n 1")
        found[unit] = float(re.search(r"level for \S+: ([0-9.]+)", said).group(1))
    worse = {unit: level for unit, level in found.items() if level > most[unit]}
    check(not worse, f"less confined than they were: {worse}; all: {found}")
    return found


def read_start(board: ImageBoard, patience: float = 400) -> Start:
    """The start that is under way, to its good end, with the shell open."""
    start = board.await_start(patience)
    check(start.good, f"the health check says: {start.reason}")
    board.open_shell()
    return start


class Stage:
    """The disk and the board that the scenarios hand on to each other. `facts` are the figures for the README."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.facts = folder, {}
        self.disk, self.first = folder / "disk.img", folder / "first.img"
        self.log = folder / "serial.log"
        self.current: ImageBoard | None = None
        self.bundles: Bundles | None = None

    def updates(self) -> Bundles:
        self.bundles = self.bundles or Bundles(IMAGE.parent / "test" / "bundles")
        return self.bundles

    def power_on(self, **options) -> ImageBoard:
        self.power_off()
        bundles = [sys.executable, str(HERE / "serve.py"), str(IMAGE.parent / "test" / "bundles")]
        self.current = ImageBoard(self.disk, log=self.log, **{"server": bundles, **options})
        return self.current

    def power_off(self) -> None:
        if self.current:
            self.current.cut()
        self.current = None

    def as_first(self) -> None:
        """The disk as it was when the first start had been found good."""
        self.power_off()
        copy(self.first, self.disk)

    def delivered(self, number: int, change) -> None:
        """The disk as it is delivered, with an image that `change` made another of."""
        slot = self.updates().slot(number, change)
        self.power_off()
        copy(IMAGE / "disk.img", self.disk)
        parts = partitions(self.disk)
        for image in ("boot", "root"):
            subprocess.run(["dd", f"if={slot / image}.img", f"of={self.disk}", "bs=1M", f"seek={parts[f'{image}-a'][0]}", "oflag=seek_bytes", "conv=notrunc"],
                           check=True, capture_output=True)
        shutil.rmtree(slot)

    def board(self) -> ImageBoard:
        """One that is up, healthy and in slot A, whatever became of the one before."""
        if self.current is None:
            self.as_first()
            read_start(self.power_on())
        return self.current

    def restart(self) -> Start:
        self.current.begin("systemctl --no-block reboot")
        return read_start(self.current)


# MARK: starts and visits

def first_boot(stage: Stage) -> str:
    copy(IMAGE / "disk.img", stage.disk)
    board = stage.power_on()
    uboot = board.expect(UBOOT, 120)
    check(uboot.groups() == (b"A", b"2", b"3"), f"U-Boot: {uboot.group(0)}")
    at_uboot = board.age()
    board.expect(READY, 400)
    ready = board.age()
    found = board.expect(HEALTH, 400)
    healthy = board.age()
    check(found.group(1) == b"good" and found.group(2) == b"A", f"{found.group(0)}")
    check(b"/init:" not in board.serial, "the first process complains: " + board.last_words(200))
    board.open_shell()
    state = board.boot_state()
    check(state.get("BOOT_A_LEFT") == "3", f"slot A is not confirmed: {state}")
    board.output("sync")
    copy(stage.disk, stage.first)
    stage.facts |= {"first_start_uboot_seconds": round(at_uboot, 1), "first_start_advertising_seconds": round(ready, 1),
                    "first_start_healthy_seconds": round(healthy, 1)}
    return f"U-Boot {at_uboot:.1f} s, advertising {ready:.1f} s, healthy {healthy:.1f} s"


def start_against_bare_kernel(stage: Stage) -> str:
    """Power-on to advertising, as a multiple of the same kernel's start with nothing to do, by the same U-Boot in the same emulator. The image is alone
    in its board; its controller is outside."""
    stage.power_off()
    bare = []
    disk = copy(IMAGE / "disk.img", stage.folder / "bare.img")
    offset = partitions(disk)["boot-a"][0]
    tree = stage.folder / "bare"
    shutil.rmtree(tree, ignore_errors=True)
    (tree / "bin").mkdir(parents=True)
    shutil.copy(IMAGE / "root/usr/bin/busybox", tree / "bin/busybox")
    (tree / "init").write_text("#!/bin/busybox sh\necho board-test: bare\n/bin/busybox poweroff -f\n")
    (tree / "init").chmod(0o755)
    subprocess.run(f"find . | cpio --quiet -o -H newc -R 0:0 | zstd -q -15 >{stage.folder}/initrd.img", shell=True, check=True, cwd=tree)
    subprocess.run(["mcopy", "-o", "-i", f"{disk}@@{offset}", stage.folder / "initrd.img", "::initrd.img"], check=True)
    advertising = []
    for _ in range(3):  # in turn, so that a busy machine slows both
        with SerialAir(stage.folder) as air:
            with ImageBoard(disk, tools=False, log=stage.folder / "bare.log", more=air.arguments) as board:
                board.expect("board-test: bare", 120)
                bare.append(board.age())
            copy(stage.first, stage.disk)
            with ImageBoard(stage.disk, tools=False, log=stage.log, more=air.arguments) as board:
                advertising.append(air.await_advertising() - board.started)
                board.expect("gatehouse-health: good", 120)
    disk.unlink()
    ratio = min(advertising) / min(bare)
    stage.facts |= {"bare_start_seconds": round(min(bare), 1), "advertising_seconds": round(min(advertising), 1), "start_ratio": round(ratio, 2)}
    return f"advertising {min(advertising):.1f} s, bare kernel {min(bare):.1f} s: {ratio:.2f} times"


def visits(stage: Stage) -> str:
    board = stage.board()
    board.open_phone()
    accepted = board.accepts()
    rejected = board.rejects()
    records = [record["outcome"] for record in board.verdicts()]
    check(records == ["accepted", "rejected"], f"audit log: {records}")
    stage.facts |= {"visit_seconds": accepted["seconds"], "visit_mtu": accepted["mtu"]}
    return f"accepted {accepted['seconds']:.1f} s, rejected {rejected['seconds']:.1f} s, MTU {accepted['mtu']}, green and red read back"


def accepted_visit(stage: Stage) -> str:
    board = stage.board()
    board.open_phone()
    accepted = board.accepts()
    return f"{accepted['seconds']:.1f} s, MTU {accepted['mtu']}, green read back"


def production(stage: Stage) -> str:
    """Nothing for a stranger: no login, no listener, no D-Bus; the gate's process as it is meant."""
    board = stage.board()
    processes = board.output("for p in /proc/[0-9]*; do tr '\\0' ' ' <$p/cmdline 2>/dev/null; echo; done")
    # The test's own come from /run/t.
    ours = re.compile(r"/run/t|/gatehouse/shell|/bin/busybox sh|btvirt|visitor|bluetoothd|dbus-daemon --system --nofork|/tmp/|^sh -c|usleep|env PATH|base64")
    found = [line for line in processes.splitlines() if line.strip() and not ours.search(line)]
    check(not [line for line in found if re.search(r"getty|login|sshd|dbus|bluetoothd|busybox sh", line)], f"processes: {found}")
    units = board.run("systemctl list-unit-files --no-legend --no-pager --type=service,socket | grep -iE 'getty|ssh|dbus|login'")[1].strip()
    check(not units, f"units: {units}")
    listeners = board.output("cat /proc/net/tcp /proc/net/tcp6 /proc/net/udp /proc/net/udp6 /proc/net/raw 2>/dev/null | grep -v local_address || true")
    check(listeners == "", f"sockets: {listeners}")
    check(board.run("test -e /run/dbus/system_bus_socket")[0] != 0, "a D-Bus socket")
    shadow = board.output("cat /etc/shadow")
    check(all(line.split(":")[1][:1] in "*!" and line.split(":")[1] for line in shadow.splitlines()), "an account with a password or without any")
    check(board.run("touch /etc/x /usr/x")[0] != 0, "the root can be written")
    pid = board.output("systemctl show --value -p MainPID gatehouse")
    status = dict(line.split(":", 1) for line in board.output(f"cat /proc/{pid}/status").splitlines())
    user = board.output("id -u gatehouse")
    net_admin = f"{1 << 12:016x}"
    wanted = {"Uid": "\t".join([user] * 4), "CapEff": "0" * 16, "CapPrm": net_admin, "CapBnd": net_admin, "NoNewPrivs": "1", "Seccomp": "2"}
    wrong = {name: status[name].strip() for name, value in wanted.items() if status[name].strip() != value}
    check(not wrong and user != "0", f"the gate's process: {wrong}")
    memory = {line.split(":")[0]: int(line.split()[1]) for line in board.output("cat /proc/meminfo").splitlines()}
    resident = {line.split(":")[0]: line.split()[1] for line in board.output(f"grep -E '^(VmRSS|VmHWM|RssAnon|RssFile)' /proc/{pid}/status").splitlines()}
    stage.facts |= {"gate_rss_kib": int(resident["VmRSS"]), "gate_rss_most_kib": int(resident["VmHWM"]), "gate_rss_anonymous_kib": int(resident["RssAnon"]),
                    "ram_used_with_test_tools_mib": (memory["MemTotal"] - memory["MemAvailable"]) // 1024}
    return f"gate: user {user}, {int(resident['VmRSS']) / 1024:.1f} MiB resident"


def memory(stage: Stage) -> str:
    """RAM in use on a board of 512 MiB, without the phone."""
    stage.as_first()
    board = stage.power_on(memory=512)
    read_start(board)
    found = {line.split(":")[0]: int(line.split()[1]) for line in board.output("cat /proc/meminfo").splitlines()}
    pid = board.output("systemctl show --value -p MainPID gatehouse")
    resident = int(re.search(r"VmRSS:\s+(\d+)", board.output(f"cat /proc/{pid}/status")).group(1))
    buffers = board.doctor()
    used = (found["MemTotal"] - found["MemAvailable"]) // 1024
    stage.facts |= {"ram_used_mib": used, "gate_rss_idle_kib": resident,
                    "gate_buffers_octets": sum(int(octets) for octets in re.findall(r"^  (?:message|session|host|visitors|frame|inflater): (\d+) octets", buffers, re.M))}
    return f"{used} MiB in use, the gate has {resident / 1024:.1f} MiB"


# MARK: updates

def refused(name: str, *reasons: str):
    def scenario(stage: Stage) -> str:
        updates, board = stage.updates(), stage.board()
        before = board.boot_state()
        connect(board)
        status, said = board.run(f"wget -q -O /tmp/{name}.swu {SERVER}{name}.swu && /usr/lib/gatehouse/update /tmp/{name}.swu; s=$?; rm -f /tmp/{name}.swu; exit $s", 300)
        check(status == 1, f"{updates.path(name)}: status {status}: {said[-500:]}")
        reason = re.findall(r"gatehouse-update: refused: (.*)", said)
        check(reason and reason[-1].strip() in reasons, f"refused for another reason: {said[-500:]}")
        after = board.boot_state()
        check(after["BOOT_ORDER"].split()[0] == before["BOOT_ORDER"].split()[0], f"the boot order is another: {after}")
        return reason[-1].strip()
    scenario.__doc__ = f"refused: {name}"
    return scenario


def connect(board: ImageBoard) -> None:
    """A network for this one server; the image configures none."""
    board.output(f"insmod /run/t/modules/failover.ko 2>/dev/null; insmod /run/t/modules/net_failover.ko 2>/dev/null; insmod /run/t/modules/virtio_net.ko 2>/dev/null; "
                 f"for n in /sys/class/net/e*; do n=${{n##*/}}; done; ip link set $n up && (ip addr add {ADDRESS} dev $n 2>/dev/null || true)")


def after_refusals(stage: Stage) -> str:
    """Nothing that was refused can be booted: a start ends where it was."""
    board = stage.board()
    start = stage.restart()
    check((start.slot, start.version) == ("A", 1), f"{start}")
    board.open_phone()
    board.accepts()
    return f"slot A version 1, healthy after {start.health:.0f} s"


def good_update(stage: Stage) -> str:
    stage.updates()
    board = stage.board()
    sequence = board.sequence()
    verdicts = len(board.verdicts())
    connect(board)
    begun = time.monotonic()
    status, said = board.run(f"/usr/lib/gatehouse/update {SERVER}good.swu", 600)
    installed = time.monotonic() - begun
    check(status == 0, f"status {status}: {said[-800:]}")
    start = stage.restart()
    check((start.slot, start.version) == ("B", 2), f"{start}")
    state = board.boot_state()
    check(state["BOOT_B_LEFT"] == "3" and state["BOOT_ORDER"].startswith("B"), f"not confirmed: {state}")
    check(board.sequence() == sequence and len(board.verdicts()) == verdicts, "the data did not survive the update")
    board.open_phone()
    board.accepts()
    stage.facts |= {"bundle_octets": stage.updates().path("good").stat().st_size, "root_octets": (IMAGE / "slot-a" / "root.img").stat().st_size,
                    "boot_octets": (IMAGE / "slot-a" / "boot.img").stat().st_size, "update_seconds": round(installed, 1), "update_to_healthy_seconds": round(time.monotonic() - begun, 1)}
    return f"by HTTP in {installed:.0f} s, slot B version 2 healthy after {start.health:.0f} s more"


def try_bad_update(stage: Stage) -> list[Start]:
    """From a USB stick that is put in, and stays. Signed, but its visits fail: three tries, then the slot from before."""
    updates, board = stage.updates(), stage.board()
    slot, version = board.running()
    board.put_stick_in(updates.stick({"unhealthy": "gatehouse-3.swu"}))
    board.expect(r"gatehouse-update: slot [AB] is next", 600)
    seen = []
    while not seen or not seen[-1].good:
        check(len(seen) < 5, f"{seen}")
        seen.append(board.await_start())
    check([start.version for start in seen[:-1]] == [3, 3, 3] and (seen[-1].slot, seen[-1].version) == (slot, version), f"{seen}")
    return seen


def unhealthy_update(stage: Stage) -> str:
    seen = try_bad_update(stage)
    stage.current.take_stick_out()
    stage.current.open_shell()
    slot, version = seen[-1].slot, seen[-1].version
    return f"{len(seen) - 1} tries of version 3 ({seen[0].reason[:40]}), then slot {slot} version {version}"


def interrupted_update(stage: Stage) -> str:
    """The power goes while a bundle is written."""
    stage.updates()
    board = stage.board()
    slot, version = board.running()
    connect(board)
    board.begin(f"/usr/lib/gatehouse/update {SERVER}good.swu")
    board.expect("gatehouse-update: installing", 60)
    time.sleep(6)
    stage.power_off()
    start = read_start(stage.power_on())
    check((start.slot, start.version) == (slot, version), f"{start}")
    return f"slot {slot} version {version}, healthy after {start.health:.0f} s"


SHORT = {
    "first boot": first_boot,
    "visit inside the board": accepted_visit,
    "refused: tampered payload": refused("tampered-payload", "tampered"),
    "unhealthy update rolls back": unhealthy_update,
}
ALL = {
    "first boot": first_boot,
    "visits inside the board": visits,
    "nothing for a stranger": production,
    "refused: tampered payload": refused("tampered-payload", "tampered"),
    "refused: tampered description": refused("tampered-description", "tampered"),
    "refused: wrong key": refused("wrong-key", "wrong-key"),
    "refused: no signature": refused("unsigned", "not-signed"),
    "refused: older version": refused("older", "older-version"),
    "refused: wrong board": refused("wrong-board", "wrong-board"),
    "a start after refusals": after_refusals,
    "good update": good_update,
    "unhealthy update rolls back": unhealthy_update,
    "power cut while installing": interrupted_update,
    "memory": memory,
    "start against the bare kernel": start_against_bare_kernel,
}
