"""The test machine: boots it, runs one command in it as root, prints what that prints, returns its status.

    machine.py [--timeout SECONDS] [--display WxH ...] [--verbose] -- COMMAND...

The command sees this machine's files, read-only; what it writes goes to memory and is lost. 124: nothing was printed for so many seconds;
125: the machine did not come up. build.sh makes what is needed. Each --display is a virtual screen, /dev/fb0 and so on, of 32 bits a pixel;
1024x768x16 has 16 and this size alone. The guest asks for photographs of it by `control/ask`, see `Photographer`.
"""
import argparse
import json
import os
import shlex
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
CACHE = Path(os.environ.get("MACHINE_CACHE", HERE.parent.parent / ".build-machine"))
MODULES = "hci_vhci,algif_hash,algif_skcipher,cmac,gpio-sim,rfkill"
# Without checks nobody asked for: half the time to boot. The time is the emulator's: measured by a kernel on a busy host, the processor's
# own clock came out several times too fast.
KERNEL = ("console=ttyS0 quiet loglevel=6 panic=-1 mitigations=off nokaslr tsc=reliable clocksource=hpet no_timer_check rcupdate.rcu_expedited=1 "
          "random.trust_cpu=1 cryptomgr.notests=1 vt.global_cursor_default=0")
PASSED = ("PATH", "GATEHOUSE", "MACHINE_CACHE", "CODES")  # of this environment, for the command
TIMED_OUT, DID_NOT_COME_UP = 124, 125


class Photographer(threading.Thread):
    """Answers the guest: `ask/NAME` holds a display's number, `answer/NAME` gets what two barcode readers make of its picture."""

    def __init__(self, control: Path) -> None:
        super().__init__(daemon=True)
        self.control = control
        self.done = threading.Event()

    def run(self) -> None:
        while not self.done.wait(0.05):
            for question in (self.control / "ask").iterdir():
                if question.suffix == ".part":
                    continue
                answer = self.photograph(question.name, int(question.read_text()))
                question.unlink()
                unfinished = self.control / "answer" / (question.name + ".part")
                unfinished.write_text(json.dumps(answer))
                unfinished.rename(unfinished.with_suffix(""))

    def photograph(self, name: str, display: int) -> dict:
        picture = self.control / (name + ".ppm")
        self.command("screendump", filename=str(picture), device=f"display{display}")
        width, height = picture.read_bytes().split(maxsplit=3)[1:3]
        zbar = subprocess.run(["zbarimg", "--quiet", "--raw", "--set", "disable", "--set", "qrcode.enable", picture], capture_output=True)
        return {"width": int(width), "height": int(height), "zbar": zbar.stdout.decode().strip(), "zxing": self.zxing(picture)}

    @staticmethod
    def zxing(picture: Path) -> str:
        import numpy
        import zxingcpp

        _, width, height, _, pixels = picture.read_bytes().split(maxsplit=4)
        image = numpy.frombuffer(picture.read_bytes()[-int(width) * int(height) * 3:], numpy.uint8).reshape(int(height), int(width), 3)
        found = zxingcpp.read_barcode(image, formats=zxingcpp.BarcodeFormat.QRCode)
        return found.text if found else ""

    def command(self, name: str, **arguments) -> None:
        with socket.socket(socket.AF_UNIX) as monitor:
            monitor.settimeout(10)
            monitor.connect(str(self.control / "monitor"))
            lines = monitor.makefile("rw")
            lines.readline()
            for request in ({"execute": "qmp_capabilities"}, {"execute": name, "arguments": arguments}):
                lines.write(json.dumps(request) + "\n")
                lines.flush()
                while not ({"return", "error"} & (answer := json.loads(lines.readline())).keys()):
                    pass  # an event
                if "error" in answer:
                    raise RuntimeError(f"{name}: {answer['error']}")


def folder(tag: str, path: Path, writable: bool = False) -> list[str]:
    return ["-virtfs", f"local,path={path},mount_tag={tag},security_model=none,multidevs=remap,id={tag}" + ("" if writable else ",readonly=on")]


def emulator(control: Path, displays: list[str], memory: int, processors: int) -> list[str]:
    arguments = [
        "qemu-system-x86_64", "-accel", "tcg,thread=multi,tb-size=256", "-M", "pc,usb=off,vmport=off", "-cpu", "max,-la57",
        "-m", str(memory), "-smp", str(processors), "-display", "none", "-nodefaults", "-no-reboot", "-no-user-config",
        "-kernel", str(CACHE / "kernel" / "vmlinux"), "-initrd", str(CACHE / "initramfs.cpio"),
        "-append", f"{KERNEL} machine.modules={MODULES}" + (",bochs,cirrus" if displays else ""),
        "-qmp", f"unix:{control}/monitor,server=on,wait=off",
        "-serial", f"file:{control}/console",
        "-device", "virtio-serial-pci", "-chardev", f"file,id=out,path={control}/out,append=on", "-device", "virtserialport,chardev=out,name=out",
        "-object", "rng-random,id=random,filename=/dev/urandom", "-device", "virtio-rng-pci,rng=random",
        *folder("host", Path("/")), *folder("tools", CACHE / "tools"), *folder("control", control, writable=True),
    ]
    for number, size in enumerate(displays):
        width, height, *bits = size.split("x")
        arguments += ["-device", f"cirrus-vga,id=display{number}" if bits else f"bochs-display,id=display{number},xres={width},yres={height}"]
    return arguments


def boot(command: list[str], timeout: float = 120, displays: list[str] = [], memory: int = 1536, processors: int = 1, verbose: bool = False,
         out=sys.stdout.buffer) -> int:
    if not (CACHE / "initramfs.cpio").exists():
        print(f"machine: nothing in {CACHE}; run Tests/Machine/build.sh", file=sys.stderr)
        return DID_NOT_COME_UP
    control = Path(tempfile.mkdtemp(prefix="machine."))
    try:
        (control / "ask").mkdir()
        (control / "answer").mkdir()
        passed = "".join(f" {name}={shlex.quote(os.environ[name])}" for name in PASSED if name in os.environ)
        environment = "export HOME=/root LANG=C.UTF-8" + passed
        (control / "command.sh").write_text(f"{environment}\ncd {shlex.quote(os.getcwd())}\nexec {shlex.join(command)}\n")
        os.mkfifo(control / "out")
        relay = Relay(control / "out", out)
        reader = threading.Thread(target=relay.run, daemon=True)
        reader.start()
        # Held open here, so that the reader does not end before the machine has begun.
        hold = os.open(control / "out", os.O_WRONLY)
        photographer = Photographer(control)
        photographer.start()
        started = time.monotonic()
        process = subprocess.Popen(emulator(control, displays, memory, processors), stdin=subprocess.DEVNULL, stderr=subprocess.PIPE)
        try:
            errors, late = ended(process, relay, timeout)
        finally:
            process.kill()
        photographer.done.set()
        os.close(hold)
        reader.join(5)
        status = control / "status"
        if verbose:
            sys.stderr.write((control / "console").read_text(errors="replace"))
        if status.exists() and status.read_text().strip():
            return int(status.read_text())
        silence = f", silent for {timeout:.0f} s" if late else ""
        print(f"machine: no result after {time.monotonic() - started:.0f} s{silence}", file=sys.stderr)
        console = control / "console"
        sys.stderr.write(errors.decode(errors="replace") + "\n".join(console.read_text(errors="replace").splitlines()[-25:]) + "\n" if console.exists() else "")
        return TIMED_OUT if late else DID_NOT_COME_UP
    finally:
        shutil.rmtree(control, ignore_errors=True)


class Relay:
    """Hands on what the machine prints, and knows when that was last."""

    def __init__(self, source: Path, out) -> None:
        self.source, self.out, self.heard = source, out, time.monotonic()

    def run(self) -> None:
        with open(self.source, "rb", buffering=0) as stream:
            while data := stream.read(65536):
                self.heard = time.monotonic()
                self.out.write(data)
                self.out.flush()


def ended(process: subprocess.Popen, relay: Relay, patience: float) -> tuple[bytes, bool]:
    """What the emulator said of errors, and whether it was stopped because nothing came out of the machine for so many seconds. However slow
    it is: a machine that goes on from test to test is not late."""
    while True:
        try:
            return process.communicate(timeout=5)[1], False
        except subprocess.TimeoutExpired:
            if time.monotonic() - relay.heard > patience:
                process.kill()
                return process.communicate()[1], True


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--timeout", type=float, default=120)
    parser.add_argument("--display", action="append", default=[], metavar="WxH[x16]")
    parser.add_argument("--memory", type=int, default=1536, help="MiB")
    parser.add_argument("--verbose", action="store_true", help="the machine's console afterwards")
    parser.add_argument("command", nargs="+")
    options = parser.parse_args()
    return boot(options.command, options.timeout, options.display, options.memory, verbose=options.verbose)


if __name__ == "__main__":
    sys.exit(main())
