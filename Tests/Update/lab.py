"""A board without a kernel of its own: the update and health scripts of the image in a root of Debian packages for this machine's processor, with
loop devices for the partitions and a regular file for /dev/kmsg. What systemd would do is a script that writes down what it was asked."""
import contextlib
import os
import shutil
import struct
import subprocess
import zlib
from pathlib import Path

HERE = Path(__file__).resolve().parent
REPOSITORY = HERE.parent.parent
OVERLAY = REPOSITORY / "image/overlay"
PROGRAMS = "usr/lib/gatehouse"
BOARD = "test-board"
PARTITIONS = {"bootstate": 1 << 20, "boot-a": 4 << 20, "root-a": 8 << 20, "boot-b": 4 << 20, "root-b": 8 << 20}

SYSTEMCTL = """#!/bin/sh
echo "$*" >> /run/systemctl
[ ! -e /run/gate/mute ] || exit 1
case "$*" in
    'show --value -p ActiveState gatehouse.service') cat /run/gate/state 2>/dev/null || echo failed ;;
    'show --value -p StatusText gatehouse.service') cat /run/gate/text 2>/dev/null ;;
    'show --value -p ActiveEnterTimestampMonotonic gatehouse.service') cat /run/gate/since 2>/dev/null || echo 0 ;;
    'start gatehouse-self-test.service') cp /run/gate/parts /run/gatehouse/self-test 2>/dev/null; exit "$(cat /run/gate/code 2>/dev/null || echo 0)" ;;
    *gatehouse-orders@*) . /run/orders ;;
    'show --value -p ActiveState gatehouse-'*)
        sed -i 1d /run/gate/resetting 2>/dev/null
        if [ -s /run/gate/resetting ] && [ "$5" = gatehouse-controller-reset.service ]; then echo activating
        elif grep -qxF "$5" /run/gate/failed 2>/dev/null; then echo failed
        else echo inactive
        fi ;;
    *gatehouse-set-clock@*) [ ! -e /run/no-clock ] ;;
    *gatehouse-export@*) [ ! -e /run/no-export ] ;;
    *gatehouse-reset@*) . /run/reset ;;
esac
"""

MOUNTS = """
set -e
mount -t overlay overlay -o "lowerdir=$LAB,upperdir=$PLACE/upper,workdir=$PLACE/work" "$PLACE/root"
cd "$PLACE/root"
mount -t proc proc proc
mount --bind "$PLACE/cmdline" proc/cmdline
mount -t tmpfs tmpfs dev
for name in null zero random urandom $LOOPS; do : > dev/$name; mount --bind /dev/$name dev/$name; done
ln -s /proc/self/fd dev/fd
: > dev/kmsg
mount --bind "$PLACE/kmsg" dev/kmsg
mkdir -p dev/gatehouse
for pair in $LABELS; do ln -s "/dev/${pair#*=}" "dev/gatehouse/${pair%%=*}"; done
mount --bind "$PLACE/data" data
mount --bind "$PLACE/run" run
mount --bind "$PLACE/outside" mnt
exec chroot . env -i PATH=/applets:/usr/sbin:/usr/bin:/sbin:/bin "$@"
"""


class Board:
    """`with Board(lab, folder) as board:`; slot A runs version 1, confirmed."""

    def __init__(self, lab: Path, place: Path, authority: Path, version: int = 1, slot: str = "A") -> None:
        self.lab, self.place, self.slot = lab, place, slot
        for name in ("root", "upper", "work", "data", "run", "outside", "disk"):
            (place / name).mkdir(parents=True)
        (place / "kmsg").touch()
        upper = place / "upper"
        shutil.copytree(OVERLAY / PROGRAMS, upper / PROGRAMS)
        self.boots(version, slot)
        for name, content in {
            "etc/gatehouse/update.pem": authority.read_text(),
            "etc/u-boot-initial-env": (OVERLAY / "etc/u-boot-initial-env").read_text(),
            "etc/fw_env.config": "/dev/gatehouse/bootstate 0x0 0x200\n",
            "etc/os-release": f"ID=gatehouse\nVARIANT_ID={BOARD}\n",
            "applets/systemctl": SYSTEMCTL,
        }.items():
            (upper / name).parent.mkdir(parents=True, exist_ok=True)
            (upper / name).write_text(content)
        (upper / "applets/systemctl").chmod(0o755)
        (upper / "data").mkdir()
        self.loops: dict[str, str] = {}

    def boots(self, version: int, slot: str) -> None:
        """Another start: what was in memory is gone. The kernel is this machine's, and the number of its start stays the same."""
        self.slot = slot
        (self.place / "cmdline").write_text(f"quiet gatehouse.slot={slot} panic=10\n")
        (self.place / "upper/etc").mkdir(parents=True, exist_ok=True)
        (self.place / "upper/etc/gatehouse-version").write_text(f"{version}\n")
        run = self.place / "run"
        shutil.rmtree(run, ignore_errors=True)
        for name in ("lock", "gate"):
            (run / name).mkdir(parents=True)
        (self.place / "kmsg").write_text("")

    def __enter__(self) -> "Board":
        for name, size in PARTITIONS.items():
            disk = self.place / "disk" / name
            with disk.open("wb") as file:
                file.truncate(size)
            done = subprocess.run(["losetup", "--find", "--show", str(disk)], capture_output=True, text=True, check=True)
            self.loops[name] = done.stdout.strip().removeprefix("/dev/")
        self.write_state(BOOT_ORDER="A B", BOOT_A_LEFT="3", BOOT_B_LEFT="3")
        return self

    def __exit__(self, *_) -> None:
        for loop in self.loops.values():
            # What was a stick was made one that can only be read, and whoever gets this device next finds it so.
            subprocess.run(["blockdev", "--setrw", f"/dev/{loop}"], check=False)
            subprocess.run(["losetup", "--detach", f"/dev/{loop}"], check=False)

    # MARK: programs

    def start(self, *command: str, **options) -> subprocess.Popen:
        """Starts it as root of the board, in a process name space of its own: who kills it kills all it started."""
        environment = {
            "PATH": os.environ["PATH"], "LAB": str(self.lab), "PLACE": str(self.place), "LOOPS": " ".join(self.loops.values()),
            "LABELS": " ".join(f"{name}={loop}" for name, loop in self.loops.items()),
        }
        return subprocess.Popen(
            ["unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-c", MOUNTS, "sh", *command],
            env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)

    def run(self, *command: str, patience: float = 60) -> tuple[int, str]:
        process = self.start(*command)
        try:
            said, _ = process.communicate(timeout=patience)
        except subprocess.TimeoutExpired:
            process.kill()
            said, _ = process.communicate()
            raise AssertionError(f"{command}: still there after {patience} s: {said[-2000:]}") from None
        return process.returncode, said

    def install(self, bundle, *options: str) -> tuple[int, str]:
        """`update`'s exit code and its last words."""
        if not str(bundle).startswith("http"):
            shutil.copy(bundle, self.place / "outside" / "bundle.swu")
            bundle = "/mnt/bundle.swu"
        code, said = self.run("/usr/lib/gatehouse/update", *options, str(bundle))
        return code, said.strip().splitlines()[-1] if said.strip() else ""

    # MARK: what is there

    def read(self, partition: str, count: int | None = None) -> bytes:
        subprocess.run(["blockdev", "--flushbufs", f"/dev/{self.loops[partition]}"], check=True)
        with (self.place / "disk" / partition).open("rb") as file:
            return file.read(count if count is not None else -1)

    def write(self, partition: str, octets: bytes) -> None:
        with open(f"/dev/{self.loops[partition]}", "wb") as file:
            file.write(octets)
            file.flush()
            os.fsync(file.fileno())

    def state(self) -> dict[str, str]:
        """The boot state, as the boot loader reads it: nothing of it counts when its sum is wrong."""
        sector = self.read("bootstate", 512)
        assert struct.unpack("<I", sector[:4])[0] == zlib.crc32(sector[4:]), "the boot state is torn"
        return dict(part.decode().split("=", 1) for part in sector[4:].split(b"\0\0")[0].split(b"\0") if part)

    def write_state(self, **variables: str) -> None:
        content = b"".join(f"{name}={value}".encode() + b"\0" for name, value in sorted(variables.items())) + b"\0"
        content = content.ljust(508, b"\0")
        self.write("bootstate", struct.pack("<I", zlib.crc32(content)) + content)

    def change_state(self, **variables: str) -> None:
        self.write_state(**{**self.state(), **variables})

    def kept(self, name: str) -> str | None:
        path = self.place / "data" / "update" / name
        return path.read_text().strip() if path.exists() else None

    def keep(self, name: str, content: str) -> None:
        path = self.place / "data" / "update" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(content + "\n")

    def console(self) -> list[str]:
        return [line.split(">", 1)[-1] for line in (self.place / "kmsg").read_text().splitlines()]

    def asked(self) -> list[str]:
        """What systemd was asked."""
        with contextlib.suppress(FileNotFoundError):
            return (self.place / "run" / "systemctl").read_text().splitlines()
        return []

    def gate(self, state: str = "active", text: str = "controller up; screen up; lamps up", parts: str = "well trust: 1 issuer\nwell visit: ok\n", code: int = 0,
             since: int = 0) -> None:
        """What the running gate and its self-test say of themselves."""
        for name, content in {"state": state, "text": text, "parts": parts, "code": str(code), "since": str(since)}.items():
            (self.place / "run" / "gate" / name).write_text(content)
