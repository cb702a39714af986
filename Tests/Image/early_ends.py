"""A kernel or an initramfs that ends, or hangs, before systemd is there: the case that tries and watchdogs are for."""
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from image_rig import UBOOT, change_file, with_arguments
from scenarios import Stage, check


def early_end(file: str, change: Callable[[bytes], bytes], sign: str):
    """A slot that ends before systemd is there, each time: three tries, and no hand of anybody."""

    def scenario(stage: Stage) -> str:
        stage.as_first()
        change_file(stage.disk, "boot-a", file, change)
        board = stage.power_on()
        for left in (2, 1):
            found = board.expect(UBOOT, 300)
            check(found.groups() == (b"A", str(left).encode(), b"3"), f"U-Boot: {found.group(0)}")
            board.expect(sign, 120)
            begun = time.monotonic()
        board.expect(UBOOT, 300)
        seconds = time.monotonic() - begun
        stage.power_off()
        return f"U-Boot again {seconds:.0f} s after it, a try less each time"

    return scenario


def with_file(name: str, content: str) -> Callable[[bytes], bytes]:
    """Of an initramfs: the same, with another content of this file. The kernel reads one archive after the other."""

    def change(octets: bytes) -> bytes:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / name
            path.parent.mkdir(parents=True)
            path.write_text(content)
            more = subprocess.run(["cpio", "--quiet", "--create", "--format=newc", "--owner=0:0"], cwd=folder, input=name.encode(), check=True, capture_output=True)
        # Within one stream: lz4's has no end that a second one could come after.
        both = subprocess.run(["lz4", "-q", "-d", "-c"], input=octets, check=True, capture_output=True).stdout + more.stdout
        return subprocess.run(["lz4", "-q", "-c", "-l", "-1"], input=both, check=True, capture_output=True).stdout

    return change


ALL = {
    "panic before the first process": early_end("slot.scr", with_arguments("rdinit=/no-such-program"), r"Kernel panic"),
    "initramfs gives up": early_end("initrd.img", with_file("etc/slot", "WATCHDOG=i6300esb ROOT_MODULES= DATA_MODULES=\n"), r"gatehouse-boot: slot A"),
    "initramfs hangs": early_end("initrd.img", with_file("etc/data", "sleep 100000\n"), r"gatehouse-boot: slot A"),
}
