"""What a gate meets in the field: sticks, cards that wear out, time that passes, devices that come and go. One function each, as in scenarios.py."""
import re
import subprocess
from pathlib import Path

from emulated_board import BoardError
from image_rig import IMAGE, KEYS, ImageBoard
from power_cuts import make_bundles
from scenarios import Stage, check, read_start

# Units that read what a stranger brings, and the most systemd may hold against them (systemd-analyze security, 0 to 10).
CONFINED = {"gatehouse-stick@x.service": 3.0, "gatehouse-orders@x.service": 1.5, "gatehouse-update@x.service": 3.0, "gatehouse-hawkbit.service": 2.5,
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
    board = stage.board()
    found = {}
    for unit in CONFINED:
        said = board.output(f"systemd-analyze security --no-pager {unit} | tail -n 1")
        found[unit] = float(re.search(r"level for \S+: ([0-9.]+)", said).group(1))
    worse = {unit: level for unit, level in found.items() if level > CONFINED[unit]}
    check(not worse, f"less confined than they were: {worse}; all: {found}")
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


def forgotten_stick(stage: Stage) -> str:
    """A bad update on a stick that nobody takes out: it is tried once, and never again."""
    updates, board = stage.updates(), stage.board()
    slot, version = board.running()
    board.put_stick_in(updates.stick({"unhealthy": "gatehouse-3.swu"}))
    board.expect(r"gatehouse-update: slot [AB] is next", 600)
    seen = []
    while not seen or not seen[-1].good:
        check(len(seen) < 5, f"{seen}")
        seen.append(board.await_start())
    check([start.version for start in seen[:-1]] == [3, 3, 3] and (seen[-1].slot, seen[-1].version) == (slot, version), f"{seen}")
    check(b"gatehouse-update: version 3 was tried in slot" in board.serial, "nothing was said of the failure")
    board.expect("gatehouse-update: refused: failed-before", 300)
    board.open_shell()
    again = stage.restart()
    check((again.slot, again.version) == (slot, version), f"{again}")
    board.expect("gatehouse-update: refused: failed-before", 300)
    board.take_stick_out()
    return f"tried {len(seen) - 1} times, then slot {slot} version {version}; after two starts with the stick still in: failed-before"


def read_only_card(stage: Stage) -> str:
    """The whole card can only be read: the gate starts, and says that it lets nobody in."""
    stage.board()
    stage.current.output("sync")
    stage.power_off()
    board = stage.power_on(read_only=True)
    board.expect("gatehouse-data: in memory: nothing will be kept", 300)
    board.open_shell()
    reason = board.output("cat /run/gatehouse-data-not-lasting")
    stage.power_off()
    return f"{reason}"


ALL = {
    "confined units": confinement,
    "trust bundle by stick": trust_by_stick,
    "a bad update on a stick left in": forgotten_stick,
    "read-only card": read_only_card,
}
