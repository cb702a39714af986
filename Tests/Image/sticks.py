"""What a USB stick brings: trust bundles, orders, updates. One function each, as in scenarios.py."""
import datetime
import json
import re
import subprocess
import time
from pathlib import Path

from image_rig import DEMO_KID, IMAGE, KEYS, partitions
from power_cuts import make_bundles
from scenarios import Stage, check, confined, read_start, try_bad_update

# Units that read what a stranger brings, and the most systemd may hold against them (systemd-analyze security, 0 to 10).
CONFINED = {"gatehouse-stick@x.service": 3.0, "gatehouse-orders@x.service": 1.5, "gatehouse-export@x.service": 3.0, "gatehouse-reset@x.service": 1.5,
            "gatehouse-update@x.service": 3.0, "gatehouse-hawkbit.service": 2.5, "gatehouse-ntp.service": 2.5, "gatehouse-relay@x.service": 3.0, "gatehouse-settings.service": 3.0,
            "gatehouse-trust.service": 1.5}


def stick_with(stage: Stage, files: dict[str, bytes], name: str = "stick") -> Path:
    """A USB stick with these files in its top folder."""
    stick, folder = stage.folder / f"{name}.img", stage.folder / f"{name}.files"
    folder.mkdir(exist_ok=True)
    stick.unlink(missing_ok=True)
    with open(stick, "wb") as file:
        file.truncate((sum(map(len, files.values())) + (16 << 20)) // 512 * 512)
    subprocess.run(["mkfs.vfat", "-n", "STICK", stick], check=True, capture_output=True)
    for called, octets in files.items():
        (folder / called).write_bytes(octets)
        subprocess.run(["mcopy", "-i", stick, folder / called, f"::{called}"], check=True)
    return stick


def confinement(stage: Stage) -> str:
    """What systemd itself says of the units that read a stick, a bundle or the network."""
    found = confined(stage.board(), CONFINED)
    return ", ".join(f"{unit.split('.')[0].removeprefix('gatehouse-')} {level}" for unit, level in found.items())


def trust_by_stick(stage: Stage) -> str:
    """A newer trust bundle on a stick is taken by the running gate; an older one and garbage are refused, and all is said on the console."""
    folder = stage.folder / "stick-bundles"
    third, second = [bundle.read_bytes() for bundle in make_bundles(folder, range(3, 1, -1))]
    board = stage.board()
    before = board.output("systemctl show --value -p MainPID gatehouse")
    board.put_stick_in(stick_with(stage, {"trust-new.cose": third}))
    board.expect("gatehouse-trust: bundle 3 installed", 60)
    check(board.sequence() == 3, f"bundle {board.sequence()} is in force")
    board.take_stick_out()
    board.put_stick_in(stick_with(stage, {"trust-old.cose": second, "trust-x.cose": b"\0" * 5000, "other.cose": third}, "other"))
    said = [board.expect(r"gatehouse-trust: ([^\r\n]*)", 60).group(1).decode() for _ in range(2)]
    check(not any("installed" in line for line in said) and board.sequence() == 3, f"{said}")
    check(board.output("ls -d /run/gatehouse-stick-* 2>/dev/null || true") == "", "something of the stick is left")
    check(board.output("systemctl show --value -p MainPID gatehouse") == before, "the gate was started anew")
    failed = board.output("systemctl --failed --no-legend --no-pager || true")
    check(failed == "", f"failed units: {failed}")
    board.take_stick_out()
    board.open_phone()
    board.accepts()
    return f"bundle 3 installed; refused: {'; '.join(said)}"


def order(stage: Stage, kind: str, number: int, content: dict, *gates: str) -> bytes:
    """A signed order of the demonstration's signer, by the image's own program."""
    folder = stage.folder / "orders"
    folder.mkdir(exist_ok=True)
    (folder / "content.json").write_text(json.dumps(content))
    end = (datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(days=1)).strftime("%Y-%m-%dT%H:%M:%SZ")
    whom = [word for gate in gates for word in ("--gate", gate)] or ["--all-gates"]
    for words in (["build", "--kind", kind, "--number", str(number), *whom, "--content", folder / "content.json", "--not-after", end, "--out", folder / "order"],
                  ["sign", folder / "order", "--key", KEYS / "trust.pem", "--kid", DEMO_KID, "--root", KEYS / "root.json", "--out", folder / "order"]):
        subprocess.run(["qemu-aarch64-static", "-L", IMAGE / "root", IMAGE / "root/usr/bin/gatehouse", "order", *words], check=True, capture_output=True)
    return (folder / "order").read_bytes()


def time_by_stick(stage: Stage) -> str:
    """A board whose clock knows nothing takes the time from a signed order on a stick, once; its clock with a battery keeps it."""
    stage.as_first()
    board = stage.power_on(more=["-rtc", "base=1999-12-31T00:00:00"])
    read_start(board)
    check(b"gatehouse-clock: no clock" in board.serial, "the board believes its clock")
    year = board.output("date -u +%Y")
    check(year == "2000", f"the board begins in {year}")
    stick = stick_with(stage, {"time-1.cose": order(stage, "time", 1, {})})
    made = time.time()
    board.put_stick_in(stick)
    said = board.expect("gatehouse-trust: (clock [0-9]+|[^\r\n]*)", 120).group(1).decode()
    check(said.startswith("clock "), said)
    off = abs(int(board.output("date -u +%s")) - time.time())
    check(off < time.time() - made + 120, f"the clock is {off:.0f} s off")
    battery = int(board.output("cat /sys/class/rtc/rtc0/since_epoch"))
    board.take_stick_out()
    board.output("date -u -s '2000-01-01 00:00:00'")
    board.put_stick_in(stick)
    again = board.expect("gatehouse-trust: ([^\r\n]*)", 120).group(1).decode()
    check(not again.startswith("clock") and board.output("date -u +%Y") == "2000", f"taken twice: {again}")
    board.take_stick_out()
    stage.power_off()
    return f"year 2000, then {off:.0f} s off; battery's clock {abs(battery - made):.0f} s off; a second time: {again[:90]}"


def site_by_stick(stage: Stage) -> str:
    """A site file for this gate by its id gives it another name, which the next visitor sees; one for another gate is refused."""
    stage.as_first()
    board = stage.power_on()
    read_start(board)
    board.open_phone()
    gate = board.output("head -n 1 /var/lib/gatehouse/trust/gate-id")
    board.put_stick_in(stick_with(stage, {"site.cose": order(stage, "site", 1, {"name": "NOTMINE"}, "another-gate")}))
    refused = board.expect("gatehouse-trust: ([^\r\n]*)", 120).group(1).decode()
    check("installed" not in refused, refused)
    board.take_stick_out()
    content = {"perGate": {gate: {"name": "SIDEDOOR", "update": {"url": "http://10.0.2.100", "targetToken": "abc"}}}}
    board.put_stick_in(stick_with(stage, {"site.cose": order(stage, "site", 2, content, gate)}, "other"))
    board.expect("gatehouse-trust: site file 2 installed", 120)
    end = time.monotonic() + 120
    while "SIDEDOOR" not in (uri := board.uri()):
        check(time.monotonic() < end, f"the gate still calls itself as in {uri}")
        time.sleep(1)
    board.accepts()
    status, server = board.run("for _ in $(seq 60); do [ -s /run/gatehouse-hawkbit.conf ] && break; sleep 1; done; cat /run/gatehouse-hawkbit.conf", 180)
    check(status == 0, "no update server: " + board.run("ls -l /run/gatehouse-settings*; cat /run/gatehouse-settings.shown; "
                                                        "systemctl status --no-pager gatehouse-settings; journalctl --no-pager -n 20 -u gatehouse-settings")[1])
    check("URL=http://10.0.2.100" in server and f"ID={gate}" in server, f"update server: {server}")
    board.take_stick_out()
    start = stage.restart()
    check("SIDEDOOR" in board.uri(), "forgotten at the restart")
    stage.power_off()
    return f"gate {gate} is called SIDEDOOR, also after a restart ({start.health:.0f} s); for another gate: {refused[:80]}"


def put_on_cfg(stage: Stage, name: str, octets: bytes) -> None:
    """As whoever makes the card does, with the board switched off."""
    (stage.folder / name).write_bytes(octets)
    at = f"{stage.disk}@@{partitions(stage.disk)['cfg'][0]}"
    subprocess.run(["mcopy", "-o", "-i", at, stage.folder / name, f"::{name}"], check=True)


def site_on_cfg(stage: Stage) -> str:
    """The first start of one gate among many: the site file that lies on its card's partition cfg is taken, and nothing there is looked at any more once there is one."""
    stage.as_first()
    put_on_cfg(stage, "site.cose", order(stage, "site", 7, {"name": "FRONTDOOR"}))
    put_on_cfg(stage, "site-2.cose", order(stage, "site", 2, {"name": "BACKDOOR"}))
    board = stage.power_on()
    read_start(board)
    board.expect("gatehouse-trust: site file 7 installed", 120)
    board.open_phone()
    end = time.monotonic() + 120
    while "FRONTDOOR" not in (uri := board.uri()):
        check(time.monotonic() < end, f"the gate calls itself as in {uri}")
        time.sleep(1)
    board.accepts()
    board.output("sync")
    stage.power_off()
    # One that a stick could bring.
    newer = order(stage, "site", 9, {"name": "SIDEDOOR"})
    put_on_cfg(stage, "site-9.cose", newer)
    board = stage.power_on()
    read_start(board)
    # What looks there waits for the health check, and begins when that has ended.
    board.output("for n in $(seq 60); do systemctl list-jobs --no-legend --no-pager | grep -qE 'gatehouse-(cfg|stick@)' || exit 0; sleep 1; done; exit 1", 120)
    looked = board.output("systemctl show --value -p ConditionResult gatehouse-cfg.service; "
                          "systemctl show --value -p ExecMainStartTimestampMonotonic gatehouse-stick@$(basename $(readlink /dev/gatehouse/cfg)).service")
    check(looked.split() == ["no", "0"], f"the partition was looked at again though there is a site file: {looked}")
    uri = board.uri()
    check(b"site file 9" not in board.serial and "FRONTDOOR" in uri, f"taken from the partition a second time: {uri}")
    board.put_stick_in(stick_with(stage, {"site.cose": newer}))
    board.expect("gatehouse-trust: site file 9 installed", 120)
    stage.power_off()
    return "taken at the first start, of two the one with the higher number; in force after the next, which does not look there again, where a newer one lies"


def export_by_stick(stage: Stage) -> str:
    """The audit log leaves the gate on a stick that brings a signed order for it; the same order, and one that nobody signed, get nothing."""
    stage.as_first()
    board = stage.power_on()
    read_start(board)
    board.open_phone()
    board.accepts()
    gate = board.output("head -n 1 /var/lib/gatehouse/trust/gate-id")
    asked = order(stage, "export", 1, {}, gate)
    stick = stick_with(stage, {"export.cose": asked}, "export")
    board.put_stick_in(stick, read_only=False)
    board.expect("gatehouse-trust: audit log: ([^\r\n]*)the stick can be pulled out", 240)
    board.take_stick_out()
    folder = stage.folder / "exported"
    subprocess.run(["mcopy", "-s", "-n", "-i", stick, f"::gatehouse-{gate}", folder], check=True, capture_output=True)
    done = subprocess.run(["qemu-aarch64-static", "-L", IMAGE / "root", IMAGE / "root/usr/bin/gatehouse", "audit", "verify", folder], capture_output=True, text=True)
    check(done.returncode == 0, done.stdout + done.stderr)
    outcomes = [json.loads(line).get("outcome") for file in folder.glob("audit-*.jsonl") for line in file.read_text().splitlines()]
    check(outcomes.count("accepted") == 1, f"{outcomes}")
    for name, again in (("export", asked), ("export-bare", b"\x84" + bytes(400))):
        used = stick_with(stage, {f"{name}.cose": again}, f"{name}-again")
        octets = used.read_bytes()
        board.put_stick_in(used, read_only=False)
        refused = board.expect("gatehouse-trust: ([^\r\n]*)", 240).group(1).decode()
        board.take_stick_out()
        check("audit log" not in refused and used.read_bytes() == octets, f"{refused}")
    board.accepts()
    failed = board.output("systemctl --failed --no-legend --no-pager || true")
    check(failed == "", f"failed units: {failed}")
    stage.power_off()
    return f"{len(outcomes)} records in {folder.name}, verified; the order again: {refused[:80]}"


def fatal_stick(stage: Stage) -> str:
    """A stick whose file system is damaged and asks for the kernel's end at the first error, left in from before the start: the board comes up, and a
    sound stick is read after it."""
    stick = stage.folder / "fatal.img"
    with open(stick, "wb") as file:
        file.truncate(32 << 20)
    subprocess.run(["mkfs.ext4", "-q", "-F", stick], check=True, capture_output=True)
    listed = subprocess.run(["debugfs", "-R", "blocks <2>", stick], check=True, capture_output=True, text=True).stdout.split()
    size = int(re.search(r"Block size: +([0-9]+)", subprocess.run(["tune2fs", "-e", "panic", "-l", stick], check=True, capture_output=True, text=True).stdout).group(1))
    with open(stick, "r+b") as file:
        file.seek(int(listed[0]) * size)
        file.write(bytes(size))
    octets = stick.read_bytes()
    stage.as_first()
    board = stage.power_on(more=["-blockdev", f"driver=file,node-name=fatal,filename={stick}", "-device", "usb-storage,id=fatal,drive=fatal"])
    start = read_start(board)
    error = board.output("for n in $(seq 60); do dmesg | grep -m 1 'EXT4-fs error' && break; sleep 1; done; true", 120)
    check(error, "nobody has read the stick")
    check(board.serial.count(b"gatehouse-boot: slot A") == 1 and board.boot_state()["BOOT_A_LEFT"] == "3", "the board has started anew")
    check(stick.read_bytes() == octets, "the stick was written on")
    board.monitor(("device_del", {"id": "fatal"}))
    board.put_stick_in(stick_with(stage, {"trust.cose": make_bundles(stage.folder / "after-fatal", range(2, 3))[0].read_bytes()}))
    board.expect("gatehouse-trust: bundle 2 installed", 120)
    stage.power_off()
    return f"healthy after {start.health:.0f} s with it in; {error[error.index('EXT4-fs'):][:60]}; a sound one is read"


def hasty_stick(stage: Stage) -> str:
    """A stick that is pulled out as soon as it has been copied: the running gate has its bundle."""
    stage.as_first()
    board = stage.power_on()
    read_start(board)
    board.put_stick_in(stick_with(stage, {"trust.cose": make_bundles(stage.folder / "hasty", range(2, 3))[0].read_bytes()}, "hasty"))
    board.output("for n in $(seq 600); do [ -e /run/gatehouse-stick-*/trust-1.cose ] && [ ! -e /run/gatehouse-stick-*/stick ] && break; usleep 50000; done")
    board.take_stick_out()
    board.expect("gatehouse-trust: bundle 2 installed", 120)
    board.output("for n in $(seq 60); do journalctl -u gatehouse -o cat --no-pager | grep 'gatehouse: trust bundle 2' && exit; sleep 1; done; exit 1", 120)
    stage.power_off()
    return "bundle 2 in force"


def forgotten_stick(stage: Stage) -> str:
    """A bad update on a stick that nobody takes out: it is tried once, and never again."""
    seen = try_bad_update(stage)
    board, slot, version = stage.current, seen[-1].slot, seen[-1].version
    check(b"gatehouse-update: version 3 was tried in slot" in board.serial, "nothing was said of the failure")
    board.expect("gatehouse-update: refused: failed-before", 300)
    board.open_shell()
    again = stage.restart()
    check((again.slot, again.version) == (slot, version), f"{again}")
    board.expect("gatehouse-update: refused: failed-before", 300)
    board.take_stick_out()
    return f"tried {len(seen) - 1} times, then slot {slot} version {version}; after two starts with the stick still in: failed-before"


ALL = {
    "confined units": confinement,
    "trust bundle by stick": trust_by_stick,
    "time file by stick": time_by_stick,
    "site file by stick": site_by_stick,
    "site file on cfg": site_on_cfg,
    "audit log to a stick": export_by_stick,
    "a stick that asks for the kernel's end": fatal_stick,
    "a stick pulled out early": hasty_stick,
    "a bad update on a stick left in": forgotten_stick,
}
