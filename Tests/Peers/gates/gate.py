"""A gate under test: starts the program, reads its QR code as a camera would, watches its lights and its audit log, ends it.

The program is $GATEHOUSE, or .build/release/gatehouse. `GATEHOUSE=reference` is the reference gate of this folder.
"""
import asyncio
import ctypes
import hashlib
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy
import zxingcpp

HERE = Path(__file__).resolve().parent
BUILT = HERE.parents[2] / ".build" / "release" / "gatehouse"
BLOCKS = {" ": (0, 0), "\u00a0": (0, 0), "▀": (1, 0), "▄": (0, 1), "█": (1, 1)}
ESCAPE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
# Seconds after which something will not come any more, on a machine that does a lot besides.
PATIENCE = 60
URI = re.compile(r"OPENID4VP://\S+")
LAMPS = re.compile(r"^lights ms=(\d+) lit=(\S+)(?: blinking=(\d+))?")


def command() -> list[str]:
    chosen = os.environ.get("GATEHOUSE", str(BUILT))
    return [sys.executable, str(HERE / "reference_gate.py")] if chosen == "reference" else shlex.split(chosen)


def verify(file, trust, *options) -> dict:
    """What `gatehouse verify --json` says of a file. `trust` may be a folder or options."""
    trust = trust if isinstance(trust, tuple) else ("--trust", trust)
    done = subprocess.run([*command(), "verify", "--json", *map(str, (file, *trust, *options))], capture_output=True, timeout=120)
    assert done.returncode in (0, 1), (done.returncode, done.stderr.decode())
    found = json.loads(done.stdout)
    assert found["verdict"] == ("reject" if done.returncode else "accept")
    # Every reject says what was seen.
    assert all(reason["saw"] for reason in found["reasons"]), found
    return found


def is_reference() -> bool:
    return os.environ.get("GATEHOUSE") == "reference"


def decode_qr(lines: list[str]) -> str | None:
    """The text of a QR code drawn with block characters, found by an ordinary barcode reader."""
    width = max(len(line) for line in lines)
    cells = [[BLOCKS[c] for c in line.ljust(width)] for line in lines]
    pixels = numpy.array([[cell[half] for cell in row] for row in cells for half in (0, 1)], dtype=numpy.uint8) * 255
    image = numpy.pad(numpy.kron(pixels, numpy.ones((4, 4), numpy.uint8)), 32, constant_values=int(pixels[0, 0]))
    found = zxingcpp.read_barcode(image, formats=zxingcpp.BarcodeFormat.QRCode)
    return found.text if found else None


def on_its_own() -> None:
    """Ctrl-C is for whoever runs the gate; and no gate outlives them."""
    os.setpgrp()
    ctypes.CDLL(None).prctl(1, signal.SIGTERM)


def link(air) -> str:
    """The moniker of an air's path: a socket, unless it is one of the kernel's controllers."""
    return str(air) if str(air).startswith("hci:") else f"unix:{air}"


class Screen:
    """What the gate's terminal showed: text lines, and each QR code with what a reader makes of it."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.drawing: list[str] = []
        self.codes: list[tuple[str, list[str]]] = []
        # Those that are not Tuvali's, which take turns with them.
        self.others: list[tuple[str, list[str]]] = []
        # All of them, each as often as its turn came; and how many had when the last visit by Tuvali took them from the screen.
        self.turns: list[str] = []
        self.outdated = 0
        self.announced: list[str] = []

    def line(self, text: str) -> None:
        text = ESCAPE.sub("", text.rstrip("\r\n"))
        if len(text) >= 20 and all(c in BLOCKS for c in text):
            self.drawing.append(text)
            if len(self.drawing) * 2 >= len(text):
                self.finish()
            return
        self.finish()
        self.lines.append(text)
        if found := URI.search(text):
            self.announced.append(found.group())

    def finish(self) -> None:
        if self.drawing and (uri := decode_qr(self.drawing)):
            codes = self.codes if URI.match(uri) else self.others
            if not codes or codes[-1][0] != uri:
                codes.append((uri, self.drawing))
            if codes is self.others:
                self.turns.append(uri)
        self.drawing = []


def audit_octets(data: Path, start: int = 0) -> bytes:
    """The whole audit log from an octet on, its segments in the order of their names. One that is sealed meanwhile changes its name."""
    for _ in range(100):
        names, skip, octets = sorted(data.glob("audit*.jsonl")), start, b""
        try:
            for name in names:
                with open(name, "rb") as segment:
                    segment.seek(skip)
                    octets += segment.read()
                    skip = max(0, skip - os.fstat(segment.fileno()).st_size)
        except FileNotFoundError:
            continue
        if names == sorted(data.glob("audit*.jsonl")):
            return octets
    raise AssertionError(f"the segments in {data} never stay as they are")


class Gate:
    """`async with Gate(air_path, trust, data) as gate:`"""

    def __init__(self, air_path: str, trust, data, *options: str) -> None:
        # The next visitor's verdict waits for the light of the last: short, so that visits follow one another.
        self.arguments = command() + ["run", "--hci", link(air_path), "--lights", "log:", "--screen", "terminal:", "--verdict-time", "0.1",
                                      "--trust", str(trust), "--data", str(data), *options]
        self.data = Path(data)
        self.input = None      # what the gate reads from, where it does
        self.screen = Screen()
        self.lights: list[tuple[float, str]] = []
        # Milliseconds with which they blink, 0 where they are steady; as many as lights.
        self.periods: list[int] = []
        self.errors: list[str] = []
        self.changed = asyncio.Event()
        self.status: int | None = None
        self.seen = 0          # codes shown up to the last visit
        self.used = False      # there was a visit
        self.used_up = False   # and it came as far as the key agreement

    async def __aenter__(self):
        await self.start()
        return self

    async def __aexit__(self, *_):
        if self.process.returncode is None:
            self.process.kill()
        await self.process.wait()

    async def start(self) -> None:
        self.data.mkdir(parents=True, exist_ok=True)
        self.process = await asyncio.create_subprocess_exec(
            *self.arguments, stdin=self.input, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE, limit=1 << 20, preexec_fn=on_its_own)
        self.readers = [asyncio.ensure_future(self.read(self.process.stdout, self.screen.line)),
                        asyncio.ensure_future(self.read(self.process.stderr, self.said))]

    async def read(self, stream, take) -> None:
        while line := await stream.readline():
            take(line.decode(errors="replace"))
            self.changed.set()
        self.changed.set()

    def said(self, line: str) -> None:
        self.errors.append(line.rstrip("\n"))
        if found := LAMPS.match(line):
            self.lights.append((int(found.group(1)) / 1000, found.group(2)))
            self.periods.append(int(found.group(3) or 0))

    async def until(self, condition, patience: float = PATIENCE, what: str = "the gate"):
        """Waits for `condition()` to be true and returns it."""
        end = time.monotonic() + patience
        while not (result := condition()):
            if self.process.returncode is not None:
                raise AssertionError(f"{what}: the gate ended with {self.process.returncode}: {self.errors[-5:]}")
            if time.monotonic() > end:
                raise TimeoutError(f"{what}: nothing after {patience} s; last words {self.errors[-5:]}")
            self.changed.clear()
            try:
                await asyncio.wait_for(self.changed.wait(), 0.1)
            except asyncio.TimeoutError:
                pass
        return result

    async def says(self, words: str) -> str:
        """The line on standard error with these words. What came by another way, the light or the record, may be here before it."""
        return await self.until(lambda: next((line for line in self.errors if words in line), None), what=words)

    async def uri(self, patience: float = PATIENCE) -> str:
        """The QR code to visit now, as read from the screen: a new one after a visit that came as far as the key agreement."""
        if self.seen < len(self.screen.codes) or not self.used:
            await self.until(lambda: self.screen.codes, patience, "a QR code")
        elif self.used_up:
            await self.until(lambda: len(self.screen.codes) > self.seen, patience, "a new QR code")
        else:  # the gate may keep its key or make a new one
            try:
                await self.until(lambda: len(self.screen.codes) > self.seen, 0.5)
            except asyncio.TimeoutError:
                pass
        uri = self.screen.codes[-1][0]
        await self.until(lambda: uri in self.screen.announced, what="the line beside the QR code")
        return uri

    async def visit(self, phone, payload: bytes, plan, message: bytes | None = None, uri: str | None = None):
        """One visit of `phone` by the code on the screen, or by another one."""
        uri = uri or await self.uri()
        visit = await phone.visit(uri, payload, plan, message)
        self.used = True
        # A link that the gate ends before Identify, which counts for nothing then, uses no code up.
        is_early = (visit.att_mtu or 67) < 67 or plan.mischief == "report request before identify"
        self.used_up = "identify" in visit.events and not is_early
        if self.used_up:
            self.screen.outdated = len(self.screen.turns)
        self.seen = 1 + max(i for i, (shown, _) in enumerate(self.screen.codes) if shown == uri)
        return visit

    async def light(self, state: str, since: float = 0, patience: float = PATIENCE) -> float:
        """When the lamp of this state was first lit after `since`. The gate's stamps are whole milliseconds of the same clock."""
        def lit():
            found = next((t for t, lamps in self.lights if state in lamps.split("+") and t >= since - 0.002), None)
            # One that blinks is one line, and goes on until the next.
            is_blinking = self.lights and self.periods[-1] > 0 and state in self.lights[-1][1].split("+")
            return since if found is None and is_blinking else found

        return await self.until(lit, patience, f"light {state}")

    def audit(self) -> list[dict]:
        """The audit log, its chain checked: each line holds the SHA-256 of the one before."""
        # A line that is being written is none yet.
        lines = audit_octets(self.data).rpartition(b"\n")[0].splitlines()
        records = [json.loads(line) for line in lines]
        for before, record in zip(lines, records[1:]):
            assert record["prev"] == hashlib.sha256(before).hexdigest(), "the audit chain is broken"
        return records

    def verdicts(self) -> list[dict]:
        """The audit records of visits."""
        return [record for record in self.audit() if record["event"] == "visit"]

    def refusals(self) -> int:
        """How many visits this process has recorded that did not let anybody in."""
        records = self.audit()
        started = max((index for index, record in enumerate(records) if record["event"] == "started"), default=0)
        return sum(record["event"] == "visit" and record["outcome"] != "accepted" for record in records[started:])

    def resident(self) -> int:
        """Memory of the gate in kB."""
        text = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+)", text).group(1))

    def descriptors(self) -> int | None:
        """Files the gate has open; None where only root may look, because a confined process is not dumpable."""
        try:
            return len(os.listdir(f"/proc/{self.process.pid}/fd"))
        except PermissionError:
            return None

    async def stop(self, number: int = signal.SIGTERM, patience: float = PATIENCE) -> int:
        if self.process.returncode is None:
            self.process.send_signal(number)
        await asyncio.wait_for(self.process.wait(), patience)
        await asyncio.gather(*self.readers)
        self.status = self.process.returncode
        return self.status
