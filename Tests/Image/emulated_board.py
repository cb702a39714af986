"""The emulated board: QEMU's `virt` with the image's U-Boot, a disk, the tools disk, a watchdog; driven over its serial line and a test shell.

The image is not changed for the test: its initramfs starts guest/tools.service from a disk that calls itself gatehouse-tools (board/qemu-virt/init).
"""
import base64
import json
import os
import re
import shutil
import socket
import subprocess
import tempfile
import threading
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
IMAGE = Path(os.environ.get("IMAGE", ROOT / ".build-image" / "qemu-virt"))
CACHE = Path(os.environ.get("IMAGE_TEST_CACHE", ROOT / ".build-image" / "test"))


class BoardError(Exception):
    """The board did not do what was waited for. Says what it printed last."""


def available() -> int:
    """Processors of the board."""
    return int(os.environ.get("IMAGE_TEST_PROCESSORS", min(2, os.cpu_count() or 1)))


def logged(disk: Path, log: Path) -> list[str]:
    """A disk whose every write and flush is recorded in the order the board made them."""
    return ["-blockdev", f"driver=file,node-name=disk-file,filename={disk}",
            "-blockdev", f"driver=file,node-name=log-file,filename={log}",
            "-blockdev", "driver=blklogwrites,node-name=disk,file=disk-file,log=log-file,log-sector-size=512"]


def plain(disk: Path, read_only: bool = False) -> list[str]:
    only = ",read-only=on" if read_only else ""
    return ["-blockdev", f"driver=file,node-name=disk-file,filename={disk}{only}", "-blockdev", f"driver=raw,node-name=disk,file=disk-file{only}"]


class Board:
    """Running from the moment it is made until `cut`. `serial` keeps everything it ever printed, over restarts."""

    def __init__(self, disk: Path, *, tools: bool = True, write_log: Path | None = None, server: list[str] | None = None, log: Path | None = None,
                 memory: int = 1024, processors: int | None = None, read_only: bool = False, more: list[str] = []) -> None:
        self.prepare(log)
        self.write_log, self.sticks = write_log, 0
        arguments = [
            "qemu-system-aarch64", "-M", "virt,gic-version=3", "-cpu", "cortex-a53", "-accel", "tcg,thread=multi,tb-size=512", "-smp", str(processors or available()),
            "-m", str(memory), "-bios", str(IMAGE / "firmware" / "u-boot.bin"), "-display", "none", "-nodefaults", "-no-user-config",
            "-chardev", "stdio,id=serial,signal=off", "-serial", "chardev:serial",
            *(logged(disk, write_log) if write_log else plain(disk, read_only)), "-device", "virtio-blk-pci,drive=disk,serial=disk,bootindex=0",
            "-device", "i6300esb", "-action", "watchdog=reset",
            "-object", "rng-random,id=random,filename=/dev/urandom", "-device", "virtio-rng-pci,rng=random",
            "-device", "qemu-xhci", "-qmp", f"unix:{self.folder}/monitor,server=on,wait=off",
            *(self.way_in() if tools else []), *more]
        if server:
            # Nothing but this one server can be reached from the board.
            arguments += ["-netdev", f"user,id=net,restrict=on,guestfwd=tcp:10.0.2.100:80-cmd:{' '.join(server)}", "-device", "virtio-net-pci,netdev=net,romfile="]
        self.launch(arguments)

    def prepare(self, log: Path | None = None) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="board."))
        self.serial, self.at, self.log = b"", 0, log
        self.changed = threading.Condition()
        self.shell: socket.socket | None = None

    def launch(self, arguments: list[str | Path]) -> None:
        """Switches the power on. The serial line is the program's standard output and input."""
        self.process = subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.started = time.monotonic()
        threading.Thread(target=self.read, daemon=True).start()

    def way_in(self) -> list[str]:
        return ["-blockdev", f"driver=file,node-name=tools,filename={CACHE / 'tools.img'},read-only=on",
                "-device", "virtio-blk-pci,drive=tools,serial=gatehouse-tools",
                "-device", "virtio-serial-pci", "-chardev", f"socket,id=shell,path={self.folder}/shell,server=on,wait=off",
                "-device", "virtserialport,chardev=shell,name=test"]

    def read(self) -> None:
        while octets := os.read(self.process.stdout.fileno(), 65536):
            with self.changed:
                self.serial += octets
                self.changed.notify_all()
            if self.log:
                with open(self.log, "ab") as log:
                    log.write(octets)
        with self.changed:
            self.changed.notify_all()

    def expect(self, pattern: str, patience: float = 240) -> re.Match:
        """The next match on the serial line after the last one, among whole lines: the end of one may be on its way still."""
        wanted, end = re.compile(pattern.encode()), time.monotonic() + patience
        with self.changed:
            while not (found := wanted.search(self.serial, self.at, self.serial.rfind(b"\n") + 1)):
                left = end - time.monotonic()
                if left <= 0 or self.process.poll() is not None:
                    raise BoardError(f"{pattern!r} did not come in {patience:.0f} s; the last words: {self.last_words()}")
                self.changed.wait(min(left, 1))
            self.at = found.end()
        return found

    def last_words(self, lines: int = 12) -> str:
        return "\n" + "\n".join(self.serial.decode(errors="replace").splitlines()[-lines:])

    def age(self) -> float:
        """Seconds since the power was switched on."""
        return time.monotonic() - self.started

    # MARK: the test's shell

    def open_shell(self, patience: float = 240) -> None:
        """Waits for the shell of this boot. Those of boots that came to nothing may have said that they are there; they give no answer."""
        end = time.monotonic() + patience
        if self.shell is None:
            while not (self.folder / "shell").exists() and time.monotonic() < end:
                time.sleep(0.05)
            self.shell = socket.socket(socket.AF_UNIX)
            self.shell.connect(str(self.folder / "shell"))
        asked = b""
        while (line := self.line(end)) != asked or not asked:
            if line == b"board-test shell":
                asked = f"answer {time.monotonic_ns()}".encode()
                self.begin(f"echo {asked.decode()}")

    def line(self, end: float) -> bytes:
        octets = b""
        while not octets.endswith(b"\n"):
            octets += self.receive(1, end)
        return octets[:-1]

    def receive(self, count: int, end: float) -> bytes:
        octets = b""
        while len(octets) < count:
            self.shell.settimeout(max(0.01, end - time.monotonic()))
            try:
                more = self.shell.recv(count - len(octets))
            except TimeoutError:
                raise BoardError("the shell does not answer; the last words: " + self.last_words()) from None
            if not more:
                raise BoardError("the board is off")
            octets += more
        return octets

    def run(self, command: str, patience: float = 120) -> tuple[int, str]:
        """A command's status and what it printed, as root in the image's own system."""
        self.begin(command)
        return self.finish(patience)

    def begin(self, command: str) -> None:
        self.shell.sendall(base64.b64encode(command.encode()) + b"\n")

    def finish(self, patience: float = 120) -> tuple[int, str]:
        end = time.monotonic() + patience
        status, size = self.line(end).split()
        return int(status), self.receive(int(size), end).decode(errors="replace")

    def output(self, command: str, patience: float = 120) -> str:
        status, printed = self.run(command, patience)
        if status:
            raise BoardError(f"{command!r} ended with {status}: {printed[-2000:]}")
        return printed.strip()

    def put(self, octets: bytes, path: str) -> None:
        self.output(f"echo {base64.b64encode(octets).decode()} | base64 -d >{path}")

    # MARK: what people do to it

    def put_stick_in(self, stick: Path, read_only: bool = True) -> None:
        """A USB stick, while the board runs."""
        self.sticks += 1
        self.monitor(("blockdev-add", {"driver": "file", "node-name": f"stick{self.sticks}", "filename": str(stick), "read-only": read_only}),
                     ("device_add", {"driver": "usb-storage", "id": f"stick{self.sticks}", "drive": f"stick{self.sticks}"}))

    def take_stick_out(self) -> None:
        self.monitor(("device_del", {"id": f"stick{self.sticks}"}))

    def monitor(self, *commands: tuple[str, dict]) -> object:
        """What QEMU says to the last of these commands."""
        with socket.socket(socket.AF_UNIX) as monitor:
            monitor.settimeout(20)
            monitor.connect(str(self.folder / "monitor"))
            lines = monitor.makefile("rw")
            lines.readline()
            for name, arguments in (("qmp_capabilities", {}), *commands):
                lines.write(json.dumps({"execute": name, "arguments": arguments}) + "\n")
                lines.flush()
                while not {"return", "error"} & (answer := json.loads(lines.readline())).keys():
                    pass  # an event
                if "error" in answer:
                    raise BoardError(f"{name}: {answer['error']}")
            return answer["return"]

    def cut(self) -> None:
        """As by pulling the plug."""
        self.process.kill()
        self.process.wait()
        if self.shell:
            self.shell.close()
            self.shell = None
        shutil.rmtree(self.folder, ignore_errors=True)

    def __enter__(self) -> "Board":
        return self

    def __exit__(self, *_) -> None:
        self.cut()
