"""Devices that come late or hang, and slots that never get as far as systemd. One function each, as in scenarios.py."""
import random
import re
import shutil
import subprocess
import time

import zxingcpp
from PIL import Image

from closed import await_status
from damage import falls_back
from image_rig import IMAGE, copy, good_payload, partitions, shown
from scenarios import Stage, check, good_update, read_start


def late_monitor(stage: Stage) -> str:
    """No monitor at the start: the gate starts and says so. One is plugged in: the code is on it, and a visit by what a camera would read there is accepted."""
    stage.as_first()
    board = stage.power_on(more=["-device", "pcie-root-port,id=socket,chassis=1", "-chardev", "null,id=profile",
                                 "-device", "virtserialport,chardev=profile,name=profile-monitor"])
    start = board.await_start(400)
    check(not start.good and "no screen" in start.reason and start.slot == "A", f"{start}")
    board.open_shell()
    check(board.boot_state()["BOOT_A_LEFT"] == "3" and board.run("test -e /dev/fb0")[0] != 0, "the slot is given up, or there is a screen")
    before = board.output("systemctl show --value -p MainPID gatehouse")
    board.monitor(("device_add", {"driver": "bochs-display", "id": "gpu", "bus": "socket", "xres": 1280, "yres": 720}))
    begun = time.monotonic()
    await_status(board, lambda text: "screen up" in text)
    seconds = time.monotonic() - begun
    uri, picture = "", stage.folder / "screen.png"
    while not uri.startswith("OPENID4VP://"):
        check(time.monotonic() - begun < 120, "no code can be read on the screen")
        board.monitor(("screendump", {"filename": str(picture), "device": "gpu", "format": "png"}))
        with Image.open(picture) as image:
            uri = next((found.text for found in zxingcpp.read_barcodes(image.convert("L"))), "")
        time.sleep(0.5)
    check(board.output("systemctl show --value -p MainPID gatehouse") == before, "the gate was started anew")
    board.open_phone()
    answer = board.visit(good_payload(), uri=uri)
    check(answer["status"] == 0 and shown(answer) == {"GREEN"}, f"not accepted: {answer}")
    stage.power_off()
    return f"without: {start.reason[:60]}; plugged in: screen up after {seconds:.0f} s, the code is read from it, accepts a visit"


def wedged_controller(stage: Stage) -> str:
    """The controller stops answering: the gate says so and has its driver bound anew. Where there is none to bind, the board starts anew. One end of the
    gate does not do that, many do."""
    board = stage.board()
    before = board.output("systemctl show --value -p MainPID gatehouse")
    board.output(f"kill -9 {before}")
    # Its last words stay what systemd shows until there is another one.
    board.output("for n in $(seq 600); do p=$(systemctl show --value -p MainPID gatehouse); "
                 f"[ $p = 0 ] || [ $p = {before} ] || exit 0; usleep 100000; done; exit 1", 120)
    await_status(board, lambda text: text.startswith("controller up"), 120)
    board.output("for p in /proc/[0-9]*; do grep -qs '[b]tvirt' $p/cmdline && echo ${p#/proc/}; done >/run/emulators; kill -STOP $(cat /run/emulators)")
    begun = time.monotonic()
    board.expect(r"gatehouse-restart: the controller does not come back: the board starts anew [(]1 of 4[)]", 300)
    seconds = time.monotonic() - begun
    read_start(board)
    board.open_phone()
    board.accepts()
    board.begin("for i in 1 2 3 4 5 6 7 8 9 10; do p=$(systemctl show --value -p MainPID gatehouse); [ $p = 0 ] || kill -9 $p; "
                "until [ $(systemctl show --value -p MainPID gatehouse) != $p ]; do usleep 100000; done; "
                "until [ $(systemctl show --value -p MainPID gatehouse) != 0 ]; do usleep 100000; done; done")
    board.expect(r"gatehouse-restart: the gate has ended too often: the board starts anew [(]2 of 4[)]", 300)
    read_start(board)
    return f"given up after {seconds:.0f} s, the board starts anew and accepts a visit; a gate killed again and again: the same"


def crash_before_systemd(stage: Stage) -> str:
    """The slot that is first has a boot image that comes to nothing, in ways that end in a kernel's panic or in the first process giving up: each time the
    board comes back by itself, uses up the tries, and ends in the other slot."""
    stage.as_first()
    good_update(stage)
    stage.current.output("sync")
    stage.power_off()
    kept = copy(stage.disk, stage.folder / "both.img")
    offset = partitions(stage.disk)["boot-b"][0]
    found = []
    for what, damage in BOOT_DAMAGES.items():
        copy(kept, stage.disk)
        damage(stage, f"{stage.disk}@@{offset}")
        board = stage.power_on()
        tried = falls_back(board)
        check(re.search(BOOT_ENDS[what], board.serial.decode(errors="replace")), f"{what}: the board did not end as meant")
        found.append(f"{what}: {''.join(tried)}")
    stage.power_off()
    kept.unlink()
    return "; ".join(found)


def replace_initramfs(stage: Stage, boot: str, init: str | None) -> None:
    """Another initramfs in a slot's boot image: one with this first process, or what is none."""
    tree, initrd = stage.folder / "crash", stage.folder / "initrd.img"
    shutil.rmtree(tree, ignore_errors=True)
    (tree / "bin").mkdir(parents=True)
    if init is None:
        initrd.write_bytes(random.randbytes(1 << 20))
    else:
        shutil.copy(IMAGE / "root/usr/bin/busybox", tree / "bin/busybox")
        (tree / "init").write_text(init)
        (tree / "init").chmod(0o755)
        subprocess.run(f"find . | cpio --quiet -o -H newc -R 0:0 | zstd -q -3 >{initrd}", shell=True, check=True, cwd=tree)
    subprocess.run(["mcopy", "-o", "-i", boot, initrd, "::initrd.img"], check=True)


def no_root_hash(stage: Stage, boot: str) -> None:
    """The slot's own initramfs, whose first process is told a root hash that is none, and gives up."""
    tree, initrd = stage.folder / "crash", stage.folder / "initrd.img"
    shutil.rmtree(tree, ignore_errors=True)
    tree.mkdir()
    subprocess.run(["mcopy", "-o", "-i", boot, "::initrd.img", initrd], check=True)
    subprocess.run(f"lz4 -q -d -c {initrd} | cpio --quiet -i -d -m", shell=True, check=True, cwd=tree)
    slot = (tree / "etc/slot").read_text()
    (tree / "etc/slot").write_text(re.sub(r"ROOT_HASH=....", "ROOT_HASH=none", slot))
    subprocess.run(f"find . | cpio --quiet -o -H newc -R 0:0 | zstd -q -3 >{initrd}", shell=True, check=True, cwd=tree)
    subprocess.run(["mcopy", "-o", "-i", boot, initrd, "::initrd.img"], check=True)


BOOT_DAMAGES = {
    "no initramfs": lambda stage, boot: replace_initramfs(stage, boot, None),
    "first process ends": lambda stage, boot: replace_initramfs(stage, boot, "#!/bin/busybox sh\nexit 1\n"),
    "first process gives up": no_root_hash,
    "kernel missing": lambda stage, boot: subprocess.run(["mdel", "-i", boot, "::Image"], check=True),
}
BOOT_ENDS = {
    "no initramfs": r"Kernel panic - not syncing: VFS: Unable to mount root fs|Kernel panic - not syncing: .*[Nn]o working init",
    "first process ends": "Kernel panic - not syncing: Attempted to kill init!",
    "first process gives up": "gatehouse-boot: verity refused",
    "kernel missing": "gatehouse-uboot: slot B did not start",
}


ALL = {
    "monitor plugged in late": late_monitor,
    "wedged controller": wedged_controller,
    "crash before systemd": crash_before_systemd,
}
