"""An emulated board with the image on its disk: its starts, its health, visits by a phone inside it, and what it keeps."""
import json
import os
import re
import struct
import subprocess
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import issuer as peers
from cryptography.hazmat.primitives import serialization
from emulated_board import IMAGE, Board, BoardError

KEYS = Path(os.environ.get("IMAGE_KEYS", IMAGE.parent / "keys"))
DEMO_TYPE, DEMO_KID = "urn:gatehouse:demo:1", "demo"
UBOOT = r"gatehouse-uboot: slot ([AB]) \(A (\d+), B (\d+) left\)"
HEALTH = r"gatehouse-health: (good|bad) slot ([AB]) version (\d+)([^\r\n]*)"
READY = r"board-test: ready"


def copy(source: Path, target: Path) -> Path:
    """Holes stay holes."""
    subprocess.run(["cp", "--sparse=always", "--reflink=auto", source, target], check=True)
    return target


def partitions(disk: Path) -> dict[str, tuple[int, int]]:
    """Each partition's first octet and size, by its name, from the disk's GPT (UEFI 5.3)."""
    with open(disk, "rb") as file:
        file.seek(512)
        header = file.read(92)
        table, count, size = struct.unpack_from("<QII", header, 72)
        file.seek(table * 512)
        entries = [file.read(size) for _ in range(count)]
    found = {}
    for entry in entries:
        first, last = struct.unpack_from("<QQ", entry, 32)
        if first:
            found[entry[56:128].decode("utf-16-le").rstrip("\0")] = (first * 512, (last - first + 1) * 512)
    return found


def change_file(disk: Path, partition: str, name: str, change: Callable[[bytes], bytes]) -> None:
    """Another content of a file in one of the disk's FAT partitions, made of the one it has."""
    with tempfile.TemporaryDirectory() as folder:
        file, at = Path(folder) / name, f"{disk}@@{partitions(disk)[partition][0]}"
        subprocess.run(["mcopy", "-n", "-i", at, f"::{name}", file], check=True)
        file.write_bytes(change(file.read_bytes()))
        subprocess.run(["mcopy", "-o", "-i", at, file, f"::{name}"], check=True)


def with_arguments(arguments: str) -> Callable[[bytes], bytes]:
    """Of a slot's script: the same, with more arguments for the kernel."""

    def change(script: bytes) -> bytes:
        # Behind the image's header and its table of lengths.
        text = script[72:].decode()
        if "quiet loglevel=4" not in text:
            raise BoardError("the slot's script has no arguments to add to")
        with tempfile.TemporaryDirectory() as folder:
            source, made = Path(folder) / "slot.cmd", Path(folder) / "slot.scr"
            source.write_text(text.replace("quiet loglevel=4", f"quiet loglevel=4 {arguments}"))
            subprocess.run(["mkimage", "-A", "arm64", "-T", "script", "-C", "none", "-n", "gatehouse", "-d", source, made], check=True, capture_output=True)
            return made.read_bytes()

    return change


def good_payload(portrait: int = 2000, **claims) -> bytes:
    """A credential of the issuer that a demonstration image trusts; `claims` beside the usual ones or instead."""
    key = serialization.load_pem_private_key((KEYS / "issuer.pem").read_bytes(), None)
    return peers.wrap(peers.Issuer("EdDSA", key=key).credential(portrait, header={"kid": DEMO_KID}, **{"vct": DEMO_TYPE, **claims}))


def strangers_payload() -> bytes:
    return peers.wrap(peers.Issuer("ES256", "https://stranger.example").credential(500))


def shown(answer: dict) -> set[str]:
    """The verdict's lamps, from where the gate was busy with this visit: those of the visit before may have been lit until then."""
    lamps = answer["lamps"]
    busy = next((number for number, lit in enumerate(lamps) if "BUSY" in lit), len(lamps))
    return {lamp for lit in lamps[busy:] for lamp in lit} & {"GREEN", "RED"}


@dataclass
class Start:
    """One start of the board, in seconds since it began."""

    slot: str
    version: int
    good: bool
    reason: str
    uboot: float
    health: float


class ImageBoard(Board):
    """A board whose disk has the image."""

    last_uri = ""

    def await_start(self, patience: float = 300) -> Start:
        """From U-Boot's choice to the word of the health check."""
        begun = time.monotonic()
        self.expect(UBOOT, patience)
        uboot = time.monotonic() - begun
        found = self.expect(HEALTH, patience)
        word, slot, version, reason = (part.decode() for part in found.groups())
        return Start(slot, int(version), word == "good", reason.strip(": "), uboot, time.monotonic() - begun)

    def running(self) -> tuple[str, int]:
        """The slot that runs and its version; the boot order may name another one first, whose tries are used up."""
        slot = re.search(r"gatehouse[.]slot=([AB])", self.output("cat /proc/cmdline")).group(1)
        return slot, int(self.output("cat /etc/gatehouse-version"))

    def boot_state(self) -> dict[str, str]:
        return dict(line.split("=", 1) for line in self.output("fw_printenv").splitlines() if "=" in line)

    def explain(self) -> str:
        """For whoever looks into a failure: what the board has to say, if it still answers."""
        try:
            if self.shell is None:
                self.open_shell(20)
            return self.run("journalctl --no-pager -o short-monotonic -u gatehouse -u gatehouse-health -u tools | grep -v █ | tail -n 40; "
                            "systemctl --failed --no-legend --no-pager; cat /run/t/run/btvirt.log /run/t/run/visitor.log; ls /sys/class/bluetooth", 60)[1]
        except (BoardError, OSError, ValueError) as error:
            return f"no answer: {error}"

    # MARK: visits

    def open_phone(self, patience: float = 300) -> None:
        """The phone's programs start, unless they have since the board did."""
        if self.run("test -p /run/t/run/visitor.answers")[0] == 0:
            return
        self.last_uri = ""
        self.output("chroot /run/t /bin/sh -c 'cd /gatehouse && exec python3 visitor.py' >/run/t/run/visitor.log 2>&1 & "
                    f"tries=0; until [ -p /run/t/run/visitor.answers ]; do sleep 0.5; tries=$((tries + 1)); "
                    f"if [ $tries -gt {int(patience * 2)} ] || ! [ -d /proc/$! ]; then cat /run/t/run/visitor.log; exit 1; fi; done", patience + 10)

    def uri(self, patience: float = 90) -> str:
        """What is on the gate's screen: a new code after a visit."""
        end = time.monotonic() + patience
        while time.monotonic() < end:
            found = self.run("journalctl -u gatehouse -o cat --no-pager -n 400")[1]
            uris = re.findall(r"OPENID4VP://[^\s\x1b]+", found)
            if uris and uris[-1] != self.last_uri:
                return uris[-1]
            time.sleep(0.5)
        raise BoardError("the gate shows no new code: " + self.run("journalctl -u gatehouse -o cat --no-pager | tail -n 15")[1])

    def visit(self, payload: bytes, leave_after: str = "", patience: float = 240, uri: str = "", tones: int = 0) -> dict:
        """A visit by the code on the screen, or by `uri`, which somebody read there. With `tones` the answer has every line's switchings until so many are
        over and the lock is closed."""
        uri = uri or self.uri()
        self.put(payload, "/run/t/run/payload")
        order = json.dumps({"uri": uri, "payload": "/run/payload", "leave_after": leave_after, "tones": tones})
        answer = json.loads(self.output(f"echo '{order}' >/run/t/run/visitor.orders; cat /run/t/run/visitor.answers", patience))
        if "identify" in answer["events"]:
            self.last_uri = uri
        return answer

    def accepts(self) -> dict:
        """A whole visit that ends with the green lamp."""
        answer = self.visit(good_payload())
        if answer["status"] != 0 or shown(answer) != {"GREEN"}:
            raise BoardError(f"not accepted: {answer}")
        return answer

    def rejects(self) -> dict:
        answer = self.visit(strangers_payload())
        if answer["status"] != 1 or shown(answer) != {"RED"}:
            raise BoardError(f"not rejected: {answer}")
        return answer

    # MARK: what it keeps

    def verdicts(self) -> list[dict]:
        lines = self.output("cat /data/gatehouse/audit*.jsonl 2>/dev/null || true").splitlines()
        return [record for record in map(json.loads, lines) if record.get("event") == "visit"]

    def sequence(self) -> int:
        """Of the trust bundle in force."""
        found = self.output("gatehouse trust inspect /data/gatehouse/trust/bundle.cose")
        return int(re.match(r"bundle (\d+)", found).group(1))

    def doctor(self) -> str:
        """The audit chain as the program itself sees it; what is said of devices is not asked, since the gate has them."""
        return self.run("gatehouse doctor --data /data/gatehouse --trust /data/gatehouse/trust --root /etc/gatehouse/root.json "
                        "--hci hci:99 --lights log: --screen none:", 180)[1]
