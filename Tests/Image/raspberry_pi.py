"""The Raspberry Pi's image in QEMU's models of a Pi 3 and a Pi 4: what can be seen of it without a board. Prints each stage with its time.

    raspberry_pi.py [NAME ...]      cases whose names contain one of these words; all by default

The image on the card is the one that is delivered, but for two things of the test's own copy: the arguments of the kernel in the slot's script make
systemd and the journal speak on the serial line, and the device tree is the model's, not the board's (`tree` says how it differs, and why).
"""
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from emulated_board import ROOT, Board, BoardError
from image_rig import change_file, copy, partitions, with_arguments

IMAGE = Path(os.environ.get("IMAGE", ROOT / ".build-image" / "raspberry-pi"))
QEMU = Path(os.environ.get("QEMU_CACHE", ROOT / ".build-image" / "qemu")) / "root"
MISSING = [
    "the watchdog does not count: arming it resets at once, so its node is switched off but where that reset is what is looked for",
    "nobody answers for the firmware's GPIO expander: no Bluetooth, no Wi-Fi, on the Pi 4 no voltage of the card",
    "no screen: the HDMI's chips are not there, so vc4 does not come up",
    "Pi 4: no PCIe, so no USB-A sockets; no network",
    "the firmware before U-Boot does not run: config.txt, its overlays and U-Boot's place in memory are the board's to show",
    "no Zero 2 W, 3A+, 3B+ or 400, no real times",
]
WATCHDOG = "/soc/watchdog@7e100000"
# Nodes of the Pi 4's tree whose addresses the model does not have; the kernel stops there. And what would need the firmware's expander.
NOT_THERE = ["/soc/interrupt-controller@7ef00100", "/soc/i2c@7ef04500", "/soc/i2c@7ef09500", "/soc/hdmi@7ef00700", "/soc/hdmi@7ef05700",
             "/soc/clock@7ef00000", "/soc/mmc@7e300000", "/soc/serial@7e215040"]
# GPLEV0 of the chip with the header, as the processor sees it (BCM2835 ARM Peripherals, 6.1).
LEVELS = {"raspi3b": 0x3F200034, "raspi4b": 0xFE200034}
FAULT = 24
SPEAK = "cryptomgr.notests systemd.show_status=0 systemd.journald.forward_to_console=1 systemd.journald.max_level_console=info"
SLOT = r"gatehouse-uboot: slot A \(A 2, B 3 left\)"
NO_CONTROLLER = r"no such controller"


def tool(*words) -> str:
    return subprocess.run([str(word) for word in words], check=True, capture_output=True, text=True).stdout


def tree(model: str, folder: Path, *, watchdog: bool = False, overlay: str = "") -> Path:
    """The board's device tree, as the model can bear it."""
    name = {"raspi3b": "bcm2837-rpi-3-b", "raspi4b": "bcm2711-rpi-4-b"}[model]
    made = folder / f"{model}.dtb"
    if overlay:
        tool("fdtoverlay", "-i", IMAGE / "firmware" / f"{name}.dtb", "-o", made, IMAGE / "firmware" / "overlays" / f"{overlay}.dtbo")
    else:
        made.write_bytes((IMAGE / "firmware" / f"{name}.dtb").read_bytes())
    off = ([] if watchdog else [WATCHDOG]) + (NOT_THERE if model == "raspi4b" else [])
    for node in off:
        tool("fdtput", "-t", "s", made, node, "status", "disabled")
    if model == "raspi4b":
        # The mini UART stalls the model's processor in Linux; the good one has the Bluetooth chip on a board.
        tool("fdtput", "-r", made, "/soc/serial@7e201000/bluetooth")
        tool("fdtput", "-t", "s", made, "/chosen", "stdout-path", "serial0:115200n8")
        # The supply itself stays: without its driver there is no card.
        tool("fdtput", "-d", made, "/regulator-sd-vcc", "gpio")
        tool("fdtput", "-d", made, "/emmc2bus/mmc@7e340000", "vqmmc-supply")
    return made


def card(model: str, folder: Path, arguments: str = SPEAK) -> Path:
    """The delivered card, whose kernel gets these arguments more."""
    made = copy(IMAGE / "disk.img", folder / "card.img")
    os.truncate(made, 2 << 30)
    # The last one that is named is the console of the first process.
    change_file(made, "boot-a", "slot.scr", with_arguments(arguments if model == "raspi3b" else f"{arguments} console=ttyAMA0,115200"))
    return made


class Pi(Board):
    """A model with a card, from U-Boot on."""

    def __init__(self, model: str, tree: Path, card: Path, more: list[str] = []) -> None:
        self.model = model
        self.prepare()
        port = ["-serial", "chardev:serial"]
        drive = ["-drive", f"if=none,id=card,format=raw,file={card}", "-device", "sd-card,drive=card,bus=/generic-sdhci/sd-bus"]
        if model == "raspi3b":
            port = ["-serial", "null", *port]
            drive = ["-drive", f"if=sd,format=raw,file={card}"]
        self.launch([QEMU / "usr/lib64/ld-linux-x86-64.so.2", "--library-path", QEMU / "usr/lib/x86_64-linux-gnu", QEMU / "usr/bin/qemu-system-aarch64",
                     "-L", QEMU / "usr/share/qemu", "-M", model, "-kernel", IMAGE / "firmware/u-boot.bin", "-dtb", tree, *drive, "-display", "none",
                     "-chardev", "stdio,id=serial,signal=off", *port, "-qmp", f"unix:{self.folder}/monitor,server=on,wait=off", *more])

    def type(self, octets: bytes) -> None:
        self.process.stdin.write(octets)
        self.process.stdin.flush()

    def lit(self, line: int) -> bool:
        """Whether a line of the header is high, by the chip's own register."""
        said = self.monitor(("human-monitor-command", {"command-line": f"xp /1wx {LEVELS[self.model]:#x}"}))
        return bool(int(re.search(r": (0x[0-9a-f]+)", said)[1], 16) >> line & 1)


class Stages:
    """What came when, in seconds since the power was switched on."""

    def __init__(self, board: Pi) -> None:
        self.board, self.seen = board, []

    def expect(self, name: str, pattern: str, patience: float) -> None:
        self.board.expect(pattern, patience)
        self.seen.append(f"{name} {self.board.age():.0f}")

    def __str__(self) -> str:
        return "seconds: " + ", ".join(self.seen)


def up_to_the_gate(board: Pi) -> Stages:
    stages = Stages(board)
    stages.expect("slot", SLOT, 300)
    stages.expect("kernel", r"Starting kernel", 900)
    stages.expect("initramfs", r"gatehouse-boot: slot A version \d+", 900)
    stages.expect("data", r"gatehouse-data: made", 900)
    stages.expect("systemd", r"gatehouse-clock: no clock", 900)
    stages.expect("gate: its clock is behind", r"the clock is behind", 1800)
    stages.expect("no such controller", NO_CONTROLLER, 1800)
    said = board.serial.decode(errors="replace")
    for wrong in ("can't open '/dev/null'", "U-Boot>", "EFI stub", "Kernel panic"):
        if wrong in said:
            raise BoardError(f"{wrong!r} on the console")
    return stages


def fault_light(board: Pi, patience: float = 240) -> str:
    """The light that a gate without its controller shows: it blinks."""
    seen, end = set(), time.monotonic() + patience
    while seen != {False, True}:
        if time.monotonic() > end:
            raise BoardError(f"the fault light was only ever {'lit' if True in seen else 'dark'}")
        seen.add(board.lit(FAULT))
        time.sleep(0.05)
    return "the fault light blinks on GPIO24"


# MARK: the cases


def pi_3(folder: Path) -> str:
    """Through U-Boot, with somebody at the board: keys all the time, noise on the serial line, and a stick that other boards start from."""
    stick = folder / "stick.img"
    with open(stick, "wb") as file:
        file.truncate(64 << 20)
    tool("mkfs.vfat", stick)
    offset = partitions(IMAGE / "disk.img")["boot-a"][0]
    tool("mcopy", "-n", "-i", f"{IMAGE / 'disk.img'}@@{offset}", "::Image", folder / "BOOTAA64.EFI")
    tool("mmd", "-i", stick, "::EFI", "::EFI/BOOT")
    tool("mcopy", "-i", stick, folder / "BOOTAA64.EFI", "::EFI/BOOT/BOOTAA64.EFI")
    more = ["-drive", f"if=none,id=stick,format=raw,file={stick},readonly=on", "-device", "usb-storage,drive=stick", "-device", "usb-kbd"]
    with Pi("raspi3b", tree("raspi3b", folder), card("raspi3b", folder), more) as board:
        board.expect(r"Core: ", 60)
        while board.age() < 20 and not re.search(rb"Starting kernel", board.serial):
            board.type(b" \x03\r\n\x1b" + os.urandom(8))
            board.monitor(("send-key", {"keys": [{"type": "qcode", "data": "spc"}], "hold-time": 500}))
            time.sleep(0.1)
        stages = up_to_the_gate(board)
        return f"{stages}; {fault_light(board)}; keys, noise and a stick changed nothing"


def pi_4(folder: Path) -> str:
    with Pi("raspi4b", tree("raspi4b", folder), card("raspi4b", folder)) as board:
        stages = up_to_the_gate(board)
        return f"{stages}; {fault_light(board)}"


def armed_by_u_boot(folder: Path) -> str:
    """The model's watchdog resets as soon as it is armed: U-Boot does that before it reads the card."""
    with Pi("raspi3b", tree("raspi3b", folder, watchdog=True), card("raspi3b", folder)) as board:
        for _ in range(3):
            board.expect(r"Core: ", 120)
        if b"gatehouse-uboot" in board.serial:
            raise BoardError("the card was read before the watchdog was armed")
    return "armed before the card is read"


def no_way_out(folder: Path) -> str:
    """Where neither slot starts, U-Boot restarts and does not ask."""
    made = card("raspi3b", folder)
    with open(made, "r+b") as file:
        file.seek(partitions(made)["boot-a"][0])
        file.write(bytes(1 << 20))
    with Pi("raspi3b", tree("raspi3b", folder), made) as board:
        for left in (2, 1, 0):
            board.type(b" \x03\r\n" * 20)
            board.expect(rf"slot A \(A {left}, B 3 left\)" if left == 2 else r"Core: ", 120)
        board.expect(r"gatehouse-uboot: no slot left, all tries again", 240)
        board.expect(r"Core: ", 120)
        if b"U-Boot>" in board.serial:
            raise BoardError("a prompt")
    return "restarts, and asks nobody"


def battery_clock(folder: Path) -> str:
    """A clock on the header's I2C by our overlay: DS1338, whose registers of the time are those of the DS3231."""
    more = ["-device", "ds1338,bus=i2c-bus.1,address=0x68"]
    with Pi("raspi3b", tree("raspi3b", folder, overlay="ds3231"), card("raspi3b", folder), more) as board:
        board.expect(NO_CONTROLLER, 1800)
        for wrong in (b"gatehouse-clock: no clock", b"the clock is behind"):
            if wrong in board.serial:
                raise BoardError(f"the clock was not taken: {wrong.decode()}")
    return "the gate has the time; without the chip it says that its clock is behind"


def device_trees(folder: Path) -> str:
    said = subprocess.run([sys.executable, ROOT / "image/devicetree.py", "raspberry-pi", f"{IMAGE / 'firmware'}.trees", IMAGE / "root.kernel", IMAGE / "root",
                           IMAGE / "slot-a/initramfs.modules"], capture_output=True, text=True)
    if said.returncode or " 0 missing" not in said.stdout:
        raise BoardError(said.stderr or "the image has no device trees")
    return said.stdout.strip()


CASES = {
    "device trees": device_trees,
    "watchdog from U-Boot on": armed_by_u_boot,
    "no slot starts": no_way_out,
    "Pi 3 to the gate": pi_3,
    "Pi 4 to the gate": pi_4,
    "battery clock": battery_clock,
}


def main() -> int:
    if not (IMAGE / "disk.img").exists():
        print(f"image-test: nothing in {IMAGE}; make image BOARD=raspberry-pi", file=sys.stderr)
        return 2
    words = sys.argv[1:]
    chosen = {name: run for name, run in CASES.items() if not words or any(word in name for word in words)}
    failed = 0
    for name, run in chosen.items():
        begun = time.monotonic()
        with tempfile.TemporaryDirectory(prefix="image-test.", dir=os.environ.get("IMAGE_TEST_WORK")) as folder:
            try:
                word, figure = "ok", run(Path(folder))
            except (BoardError, OSError, subprocess.CalledProcessError) as error:
                word, figure = "FAILED", str(error)
                failed += 1
        print(f"{name:32} {word:6} {time.monotonic() - begun:5.0f} s  {figure}", flush=True)
    print("what the models cannot show:\n" + "\n".join(f"  {line}" for line in MISSING))
    print(f"{len(chosen) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
