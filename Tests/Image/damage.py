"""What breaks while the board runs or lies in a drawer: damage on its disk, kernels and programs that hang. One function each, as in scenarios.py."""
import random
import re
import time

from image_rig import HEALTH, IMAGE, UBOOT, ImageBoard, copy, partitions
from scenarios import Stage, check, good_update, read_start


def damaged_root(stage: Stage) -> str:
    """Octets of the running slot's root change on the disk: verity stops it, and the other slot takes over."""
    stage.as_first()
    good_update(stage)
    stage.power_off()
    at, _ = partitions(stage.disk)["root-b"]
    with open(stage.disk, "r+b") as disk:
        # Everything but the first octets, which the squashfs is recognised by.
        for block in range(64, 12000, 3):
            disk.seek(at + block * 4096)
            disk.write(random.randbytes(16))
    board = stage.power_on()
    tried = falls_back(board)
    # Of the slot that has failed, later starts would speak: the next scenario takes a disk of its own.
    stage.power_off()
    return f"slots tried: {' '.join(tried)}; slot A healthy"


def falls_back(board: ImageBoard) -> list[str]:
    """The slots that are tried, until slot A is found good."""
    tried = []
    while not tried or tried[-1] != "A":
        tried.append(board.expect(UBOOT, 300).group(1).decode())
        check(len(tried) < 6, f"{tried}")
    found = board.expect(HEALTH, 300)
    check(found.group(1) == b"good" and found.group(2) == b"A", f"{found.group(0)}")
    return tried


def comes_back(board: ImageBoard) -> str:
    """From now to U-Boot, which nobody told to, and to a good end."""
    start = read_start(board)
    return f"U-Boot again after {start.uboot:.0f} s, healthy after {start.health:.0f} s"


def kernel_panic(stage: Stage) -> str:
    board = stage.board()
    board.begin("echo c >/proc/sysrq-trigger")
    return comes_back(board)


def hung_system(stage: Stage) -> str:
    """The first process stops turning, so nobody feeds the hardware watchdog."""
    board = stage.board()
    board.begin("sync; echo 1 >/sys/fs/cgroup/init.scope/cgroup.freeze")
    return comes_back(board)


def hung_gate(stage: Stage) -> str:
    """The gate's loop stops turning: systemd ends it and starts another, which serves."""
    board = stage.board()
    before = board.output("systemctl show --value -p MainPID gatehouse")
    board.output(f"kill -STOP {before}")
    begun = time.monotonic()
    while (now := board.output("systemctl show --value -p MainPID gatehouse")) in (before, "0") or board.run("systemctl is-active -q gatehouse")[0]:
        check(time.monotonic() - begun < 150, "the gate still hangs")
        time.sleep(1)
    back = time.monotonic() - begun
    check(now != before, "the same process")
    board.open_phone()
    board.accepts()
    return f"another process after {back:.0f} s, it accepts a visit"


def damaged_data(stage: Stage) -> str:
    """The data partition's beginning is overwritten: the gate starts all the same."""
    stage.board()
    stage.current.output("sync")
    stage.power_off()
    at, _ = partitions(stage.disk)["data"]
    with open(stage.disk, "r+b") as disk:
        disk.seek(at)
        disk.write(random.randbytes(1 << 16))
    board = stage.power_on()
    start = read_start(board)
    said = re.findall(rb"gatehouse-data: ([^\r\n]*)", board.serial)
    board.open_phone()
    board.accepts()
    check(said, "nothing was said of the damage")
    return f"{said[-1].decode()}; healthy after {start.health:.0f} s, accepts a visit"


def another_disk(stage: Stage) -> str:
    """A disk with partitions of the same names is in the board: the gate keeps to its own data, slots and boot state."""
    stage.as_first()
    other = copy(IMAGE / "disk.img", stage.folder / "other.img")
    board = stage.power_on(more=["-blockdev", f"driver=file,node-name=other,filename={other}", "-device", "virtio-blk-pci,drive=other"])
    start = read_start(board)
    mounted = board.output("awk '$2 == \"/data\" { print $1 }' /proc/mounts")
    named = {line.split()[1] for line in board.output("cd /dev/gatehouse; for n in *; do echo $n $(readlink -f $n); done").splitlines()}
    others = board.output("grep -l '^PARTNAME=data$' /sys/class/block/*/uevent").splitlines()
    stage.power_off()
    other.unlink()
    check(len(others) == 2 and mounted == "/dev/vda7", f"data on {mounted}, of {others}")
    check(named == {f"/dev/vda{number}" for number in range(1, 8)}, f"slots on {named}")
    return f"data on {mounted}, healthy after {start.health:.0f} s"


ALL = {
    "damaged root": damaged_root,
    "kernel panic": kernel_panic,
    "hung system": hung_system,
    "hung gate": hung_gate,
    "another disk with the same names": another_disk,
    "damaged data": damaged_data,
}
