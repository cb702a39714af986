"""A line (a pty pair), `gatehouse-osdp` at one end, a panel of PyPI's libosdp or hand-made packets at the other, and a gate that sends
verdicts."""
import contextlib
import os
import socket
import struct
import subprocess
import time
import tty
from pathlib import Path

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from osdp import Channel, ControlPanel, LogLevel, PDInfo

ROOT = Path(__file__).resolve().parents[3]
KEY = bytes(range(0x41, 0x51))
OTHER_KEY = bytes(range(0x61, 0x71))
RATE = 115200
ACCEPTED, REJECTED = 1, 2
# Seconds after which something will not come any more, on a machine that does a lot besides.
PATIENCE = 60
HOLDER_UNKNOWN, HOLDER_NOT_BOUND, HOLDER_BOUND = 0, 1, 2


def program() -> str:
    return os.environ.get("GATEHOUSE_OSDP", str(ROOT / ".build/osdp/gatehouse-osdp"))


def record(outcome=ACCEPTED, holder=HOLDER_UNKNOWN, age=0.0, number=1, lost=0) -> bytes:
    """What a gate sends of one verdict (docs/osdp.md)."""
    return struct.pack("<4sBBBBQqQQQQQ", b"GLF1", outcome, 0, holder, 0, number, int(time.time() * 1000), time.monotonic_ns() - int(age * 1e9),
                       number, number, lost, 0)


def wiegand(facility: int, number: int, bits: int) -> bytes:
    """Bits of a card, each counted by hand: none of the program's arithmetic."""
    half = (bits - 2) // 2
    data = f"{facility:0{bits - 18}b}{number:016b}"
    even = str(data[:half].count("1") % 2)
    odd = str((data[half:].count("1") + 1) % 2)
    text = even + data + odd
    assert len(text) == bits and (even + data[:half]).count("1") % 2 == 0 and (data[half:] + odd).count("1") % 2 == 1
    text = text.ljust((bits + 7) // 8 * 8, "0")
    return bytes(int(text[place:place + 8], 2) for place in range(0, len(text), 8))


class Line(Channel):
    """The panel's end of the line."""

    def __init__(self):
        super().__init__()
        self.id = 7
        self.master, self.slave = os.openpty()
        tty.setraw(self.master)
        tty.setraw(self.slave)
        self.path = os.ttyname(self.slave)
        os.set_blocking(self.master, False)
        self.losing = 0         # so many of the device's answers are lost on the wire

    def read(self, max_bytes: int) -> bytes:
        # libosdp flushes the line when it gets rid of a panel, which may be later than this.
        if self.master < 0:
            return b""
        try:
            octets = os.read(self.master, max_bytes)
        except BlockingIOError:
            return b""
        if octets and self.losing:
            self.losing -= 1
            return b""
        return octets

    def write(self, buf) -> int:
        octets, end = bytes(buf), time.monotonic() + PATIENCE
        sent = 0
        while sent < len(octets) and self.master >= 0:
            try:
                sent += os.write(self.master, octets[sent:])
            except BlockingIOError:
                assert time.monotonic() < end, "nobody reads the line"
                time.sleep(0.001)
        return sent

    def flush(self) -> None:
        while self.read(4096):
            pass

    def heard(self, seconds: float, code: int | None = None) -> bytes:
        """What comes in that time; no longer than until there is an answer with this code."""
        end, octets = time.monotonic() + seconds, b""
        while time.monotonic() < end and not any(reply[0] == code for reply in replies(octets)):
            octets += self.read(4096)
            time.sleep(0.002)
        # However long it slept.
        return octets + self.read(4096)

    def answer(self) -> bytes:
        """What comes until there is a whole answer."""
        end, octets = time.monotonic() + PATIENCE, b""
        while not replies(octets):
            assert time.monotonic() < end, f"no answer: {octets.hex()}"
            time.sleep(0.002)
            octets += self.read(4096)
        return octets

    def close(self) -> None:
        master, self.master = self.master, -1
        os.close(master)
        os.close(self.slave)


class Device:
    """The program, what it says of itself, and the gate's end of its feed."""

    def __init__(self, folder: Path, line: Line, *options: str, key: bytes | None = KEY):
        self.folder, self.line = folder, line
        self.state = folder / "state"
        self.state.mkdir(exist_ok=True)
        if key:
            self.write_key(key.hex() + "\n")
        self.feed_path = folder / "feed"
        self.options = ["--card", "accepted=17:4711", "--rate", str(RATE), *options]
        self.manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.manager.bind(str(folder / "notify"))
        self.manager.settimeout(0.02)
        self.status: dict[str, str] = {}
        self.process: subprocess.Popen | None = None
        self.errors = folder / "errors"

    def write_key(self, text: str, mode: int = 0o600) -> None:
        path = self.state / "key"
        path.write_text(text)
        path.chmod(mode)

    def start(self, *more: str, held: socket.socket | None = None) -> "Device":
        """`held`: the socket of a service manager, which passes it as systemd does."""
        # Nothing that the one before said of itself.
        self.look()
        self.status = {}
        words = [program(), "--line", self.line.path, "--state", str(self.state), *self.options, *more]
        environment = {"NOTIFY_SOCKET": str(self.folder / "notify"), "PATH": os.environ["PATH"]}
        if held is None:
            words += ["--feed", str(self.feed_path)]
        else:
            words = ["/bin/sh", "-c", 'exec env LISTEN_PID=$$ LISTEN_FDS=1 "$@"', "sh", *words]
        with self.errors.open("ab") as errors:
            self.process = subprocess.Popen(words, stderr=errors, env=environment, close_fds=held is None,
                                            preexec_fn=None if held is None else lambda: os.dup2(held.fileno(), 3))
        self.until(lambda: self.status)
        self.feed = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.feed.connect(str(self.feed_path))
        return self

    def said(self) -> str:
        return self.errors.read_text()

    def look(self) -> dict[str, str]:
        """The newest that it said of itself."""
        while True:
            try:
                text = self.manager.recv(4096).decode()
            except TimeoutError:
                return self.status
            for line in text.split("\n"):
                if line.startswith("STATUS="):
                    self.status = dict(part.split("=", 1) for part in line.removeprefix("STATUS=").split())

    def until(self, condition, seconds: float = PATIENCE) -> None:
        end = time.monotonic() + seconds
        while not condition():
            # What it said before it ended counts too.
            has_ended = self.process.poll() is not None
            self.look()
            if condition():
                return
            assert not has_ended, f"it ended: {self.process.returncode}: {self.said()}"
            assert time.monotonic() < end, f"it did not come to that: {self.status}: {self.said()}"

    def is_up(self) -> bool:
        return self.look().get("channel") == "up"

    def count(self, name: str) -> int:
        return int(self.look()[name])

    def forgotten(self) -> int:
        """Verdicts that were no news when the panel asked, or met no channel: for some this machine was too slow."""
        return self.count("stale") + self.count("away")

    def tell(self, octets: bytes) -> None:
        self.feed.send(octets)

    def end(self) -> int:
        if self.process.poll() is None:
            self.process.terminate()
        code = self.process.wait(PATIENCE)
        self.feed.close()
        return code

    def close(self) -> None:
        if self.process and self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self.manager.close()


class Panel:
    """The control panel of libosdp."""

    def __init__(self, line: Line, key: bytes | None = KEY, address: int = 0):
        self.address, self.done = address, []
        self.panel = ControlPanel([PDInfo(address, line, scbk=key)], log_level=LogLevel.Critical,
                                  command_completion_handler=lambda _, command, status: self.done.append((command, status)))

    def __enter__(self) -> "Panel":
        # It waits 200 ms for an answer and gives the device up after three, which is the panel's own clock: nothing else that this machine
        # does may keep its thread, or this one, waiting so long. Where that is not allowed a machine that does a lot besides shows it.
        with contextlib.suppress(PermissionError):
            os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1))
        self.panel.start()
        return self

    def __exit__(self, *_) -> None:
        self.panel.teardown()
        os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))

    def is_secure(self) -> bool:
        return self.panel.is_sc_active(self.address)

    def until_secure(self, seconds: float = PATIENCE) -> None:
        end = time.monotonic() + seconds
        while not self.is_secure():
            assert time.monotonic() < end, "no secure channel"
            time.sleep(0.02)

    def do(self, **command) -> int:
        """Has the device do something: the completion's status, 0 for done."""
        before = len(self.done)
        assert self.panel.submit_command(self.address, command)
        end = time.monotonic() + PATIENCE
        while len(self.done) == before:
            assert time.monotonic() < end, f"never completed: {command}"
            time.sleep(0.01)
        return self.done[before][1]

    def card(self, seconds: float = PATIENCE):
        return self.panel.get_event(self.address, timeout=seconds)

    def no_card(self, seconds: float) -> bool:
        return self.panel.get_event(self.address, timeout=seconds) is None


def shown(device: Device, panel: Panel, *verdict, **more):
    """The event of a verdict's card. A verdict is news for two seconds: one that was not shown in that time is told anew."""
    forgotten, end = device.forgotten(), time.monotonic() + PATIENCE
    device.tell(record(*verdict, **more))
    while not (event := panel.card(0.2)):
        assert time.monotonic() < end, f"no card: {device.status}"
        if device.forgotten() > forgotten:
            forgotten = device.forgotten()
            device.tell(record(*verdict, **more))
    return event


# MARK: packets by hand

def crc(octets: bytes) -> int:
    value = 0x1D0F
    for octet in octets:
        value ^= octet << 8
        for _ in range(8):
            value = (value << 1 ^ 0x1021 if value & 0x8000 else value << 1) & 0xFFFF
    return value


def packet(body: bytes, address=0, sequence=0, block=b"", mark=True) -> bytes:
    """A packet from a panel: a command and its data, with the security block before it."""
    control = sequence | 0x04 | (0x08 if block else 0)
    octets = bytes([0x53, address]) + struct.pack("<H", 5 + len(block) + len(body) + 2) + bytes([control]) + block + body
    return (b"\xff" if mark else b"") + octets + struct.pack("<H", crc(octets))


def challenge(random: bytes, sequence=0, default_key=False, address=0, mark=True) -> bytes:
    return packet(b"\x76" + random, address, sequence, bytes([3, 0x11, 0 if default_key else 1]), mark)


def replies(octets: bytes) -> list[bytes]:
    """What a device answered: code and data of each packet whose check holds."""
    found, place = [], 0
    while (place := octets.find(b"\x53", place)) >= 0 and place + 5 <= len(octets):
        count = struct.unpack_from("<H", octets, place + 2)[0]
        whole = octets[place:place + count]
        if 8 <= count == len(whole) and crc(whole[:-2]) == struct.unpack("<H", whole[-2:])[0]:
            start = 5 + (whole[5] if whole[4] & 8 else 0)
            found.append(whole[start:-2])
            place += count
        else:
            place += 1
    return found


# MARK: a secure channel by hand (IEC 60839-11-5, annex D)

def encrypted(key: bytes, block: bytes) -> bytes:
    encryptor = Cipher(algorithms.AES(key), modes.ECB()).encryptor()
    return encryptor.update(block) + encryptor.finalize()


def scrypt(cryptogram: bytes, sequence: int, address=0, mark=True) -> bytes:
    return packet(b"\x77" + cryptogram, address, sequence, bytes([3, 0x13, 1]), mark)


class Session:
    """A panel that does what a test says, and nothing by itself."""

    def __init__(self, line: Line, key: bytes = KEY, default_key=False, address=0, mark=True):
        self.line, self.address, self.mark, mine = line, address, mark, os.urandom(8)
        line.flush()
        line.write(challenge(mine, 0, default_key, address, mark))
        answer = [reply for reply in replies(line.answer()) if reply[0] == 0x76][0]
        self.encryption, self.first, self.second = (encrypted(key, bytes([1, kind]) + mine[:6] + bytes(8)) for kind in (0x82, 1, 2))
        self.is_the_device = answer[17:33] == encrypted(self.encryption, mine + answer[9:17])
        cryptogram = encrypted(self.encryption, answer[9:17] + mine)
        line.write(scrypt(cryptogram, 1, address, mark))
        self.codes = [reply[0] for reply in replies(line.answer())]
        self.last = encrypted(self.second, encrypted(self.first, cryptogram))   # the other side's last code
        self.sequence = 1

    @property
    def is_open(self) -> bool:
        return self.codes == [0x78]

    def code(self, octets: bytes, before: bytes) -> bytes:
        if len(octets) % 16:
            octets += b"\x80"
            octets += bytes(-len(octets) % 16)
        value = before
        for place in range(0, len(octets), 16):
            key = self.second if place + 16 == len(octets) else self.first
            value = encrypted(key, bytes(a ^ b for a, b in zip(value, octets[place:place + 16])))
        return value

    def command(self, body: bytes) -> bytes:
        """The next command with its code, as plain as it is."""
        self.sequence = self.sequence % 3 + 1
        whole = packet(body + bytes(4), self.address, self.sequence, b"\2\x15", mark=False)
        head = whole[:-6]
        self.mine = self.code(head, self.last)
        octets = head + self.mine[:4]
        return (b"\xff" if self.mark else b"") + octets + struct.pack("<H", crc(octets))

    def ask(self, octets: bytes) -> bytes:
        """What is answered, whole."""
        self.line.write(octets)
        return self.line.answer()

    def fetch(self, device: Device, tell=None) -> tuple[bytes, bytes, float]:
        """Has a verdict told and asks until a card is shown: what was asked at last, the answer, which is not accepted yet, and the moment
        the verdict was made. One that was not asked for in time is told anew."""
        tell, end = tell or device.tell, time.monotonic() + PATIENCE
        forgotten, told = device.forgotten(), time.monotonic()
        tell(record())
        while True:
            asked = self.command(b"\x60")
            answer = self.ask(asked)
            # A card is longer than "nothing", whatever it is encrypted with.
            if len(answer) > 20:
                return asked, answer, told
            assert self.accept(answer) == b"\x40" and time.monotonic() < end, device.status
            if device.forgotten() > forgotten:
                forgotten, told = device.forgotten(), time.monotonic()
                tell(record())

    def card(self, device: Device, tell=None) -> bytes:
        """The code and data of a verdict's card."""
        return self.accept(self.fetch(device, tell)[1])

    def accept(self, answer: bytes) -> bytes:
        """The code of an answer holds: its own code and data, without padding."""
        whole = answer[answer.index(b"\x53"):]
        signed, code = whole[:-6], whole[-6:-2]
        value = self.code(signed, self.mine)
        assert value[:4] == code, answer.hex()
        start = 5 + whole[5]
        data = signed[start + 1:]
        if data:
            vector = bytes(~octet & 0xFF for octet in self.mine)
            decryptor = Cipher(algorithms.AES(self.encryption), modes.CBC(vector)).decryptor()
            data = (decryptor.update(data) + decryptor.finalize()).rstrip(b"\0")[:-1]
        self.last = value
        return signed[start:start + 1] + data
