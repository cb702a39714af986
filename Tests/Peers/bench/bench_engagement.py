"""From a phone's code before the camera to the first command that scans or advertises for it, and whose the time is.

The parts follow one another without a gap, by one monotonic clock:

- camera      from the picture in its folder to the picture taken, the ones included in which the library saw no code
- hand-over   from there until the worker has it
- worker      from there until the code's text is handed to the gate (`vision_tap.py` stands between the two)
- gate        from there until LE Set (Extended) Scan Enable or Advertising Enable is on the wire, but for the next part
- controller  what it took to answer the commands before that one: here Bumble's, in Python

Of the last two together it is said for how long the gate was on a processor, and for how long it waited for one: that is what else the
machine does, this script included.

    bench_engagement.py [PATH OF gatehouse] [--rounds N]

The phone scans or advertises only once the gate does, so that the air has nothing else to do meanwhile.
"""
import argparse
import asyncio
import os
import shutil
import statistics
import struct
import sys
import tempfile
import time
from pathlib import Path

import air
from code_rig import nothing, shots
from gate import BUILT
from mdoc_phone import MdocPhone, MdocPlan
from mdoc_rig import MdocRig
from rig import LOOP
from vision_tap import scheduled

GOAL = 20
ROLES = {"scan": MdocPlan("peripheral", patience=60), "advertisement": MdocPlan("central", patience=60)}
ENABLES = {"scan": (0x200C, 0x2042), "advertisement": (0x200A, 0x2039)}
PARTS = ("camera", "hand-over", "worker", "gate", "controller")


class Wire:
    """Commands at the controller's end: when each came, and when it was answered."""

    def __init__(self) -> None:
        self.commands: list[list] = []  # [came, opcode, first octet of the parameters, answered]
        self.gate = 0                   # the process
        self.scheduled = (0, 0)         # of the gate, when it last turned something on
        self.came = asyncio.Event()
        take, put = air.H4Server.data_received, air.H4Server.on_packet

        def data_received(server, data):
            now = time.monotonic_ns()
            # One command is outstanding at most, and nothing is sent on a link before there is one.
            if data[:1] == b"\x01":
                opcode, first = struct.unpack_from("<H", data, 1)[0], data[4] if len(data) > 4 else 0
                if first and self.gate and any(opcode in opcodes for opcodes in ENABLES.values()):
                    self.scheduled = scheduled(self.gate)
                self.commands.append([now, opcode, first, None])
                self.came.set()
            take(server, data)

        def on_packet(server, packet):
            if packet[0] == 4 and packet[1] in (0x0E, 0x0F) and self.commands and self.commands[-1][3] is None:
                self.commands[-1][3] = time.monotonic_ns()
            put(server, packet)

        air.H4Server.data_received, air.H4Server.on_packet = data_received, on_packet

    async def enabled(self, what: str) -> None:
        """Waits until the command is there that turns it on."""
        while not any(opcode in ENABLES[what] and first for _, opcode, first, _ in self.commands):
            self.came.clear()
            await asyncio.wait_for(self.came.wait(), 60)


class Bench:
    def __init__(self, folder: Path, program: Path) -> None:
        self.wire = Wire()
        self.stamps = folder / "stamps"
        gatehouse = folder / "gatehouse"
        shutil.copy2(program, gatehouse)
        # A gate starts what lies beside it.
        tap = folder / "gatehouse-vision"
        script = Path(__file__).with_name("vision_tap.py")
        tap.write_text(f'#!/bin/sh\nexec {sys.executable} {script} {program.with_name("gatehouse-vision")} {self.stamps} "$@"\n')
        tap.chmod(0o755)
        os.environ["GATEHOUSE"] = str(gatehouse)
        (folder / "rig").mkdir()
        self.rig = MdocRig(folder / "rig", "--codes-without-face", "*")
        self.rig.open()
        self.wire.gate = self.rig.gate.process.pid

    def shows(self, pictures) -> None:
        """Puts each in the place of another: where one is missing even for a moment, the camera is opened anew two seconds later."""
        for number, place in enumerate(sorted(self.rig.frames.glob("*.jpg"))):
            new = place.with_suffix(".new")
            new.write_bytes(pictures[number % len(pictures)])
            new.replace(place)

    async def once(self, what: str) -> dict[str, float]:
        """The parts of one visit, in milliseconds."""
        gate, mark, simulated = self.rig.gate, len(self.rig.gate.verdicts()), self.rig.rig.air
        device = await simulated.new_phone()
        phone = MdocPhone(device, self.rig.holder(), ROLES[what])
        try:
            pictures = await asyncio.to_thread(shots, await phone.prepare())
            # What the gate offers by itself is on the air again, and stays there: the next command is the code's.
            await gate.until(lambda: simulated.gate.is_advertising and gate.lights and gate.lights[-1][1] == "ready", what="its own offer")
            self.wire.commands.clear()
            shown = time.monotonic_ns()
            self.shows(pictures)
            await self.wire.enabled(what)
            commands, scheduled_then = list(self.wire.commands), self.wire.scheduled
            seen = await phone.visit()
            self.shows(nothing())
            [record] = await gate.until(lambda: gate.verdicts()[mark:], what="the record")
            if record["outcome"] != "accepted":
                raise SystemExit(f"{record}, {seen}")
        finally:
            await device.power_off()
            simulated.phones.remove(device)
        return self.parts(shown, commands, scheduled_then, what)

    def parts(self, shown: int, commands: list[list], then: tuple[int, int], what: str) -> dict[str, float]:
        # The first text is the one that began the visit.
        read = ([*map(int, line.split())] for line in self.stamps.read_text().splitlines())
        taken, handed, text, on, waiting = next(stamps for stamps in read if stamps[0] > shown)
        ours = [each for each in commands if each[0] > text]
        last = next(index for index, (_, opcode, first, _) in enumerate(ours) if opcode in ENABLES[what] and first)
        controller = sum(answered - came for came, _, _, answered in ours[:last])
        found = (taken - shown, handed - taken, text - handed, ours[last][0] - text - controller, controller)
        parts = dict(zip(PARTS, found)) | {"on": then[0] - on, "waiting": then[1] - waiting}
        return {part: nanoseconds / 1e6 for part, nanoseconds in parts.items()} | {"commands": last}

    def end(self) -> None:
        self.rig.run(self.rig.gate.stop())
        self.rig.close()


def row(name: str, values: list[float], more: str = "") -> None:
    print(f"  {name:44}{statistics.median(values):8.2f}{max(values):8.2f}{more}")


def main(options) -> None:
    with tempfile.TemporaryDirectory() as temporary:
        bench = Bench(Path(temporary), Path(options.gatehouse).resolve())
        for what in ROLES:
            rounds = [LOOP.run_until_complete(bench.once(what)) for _ in range(options.rounds + 1)][1:]  # the first one warms up
            print(f"a phone's code to the first {what}, {options.rounds} rounds, ms:{'median':>13}{'worst':>8}")
            row("picture in the folder to command on the wire", [sum(each[part] for part in PARTS) for each in rounds])
            row("of these the camera", [each["camera"] for each in rounds])
            row("the picture's way to the worker", [each["hand-over"] for each in rounds])
            row("the worker: decoding and looking", [each["worker"] for each in rounds])
            row("the controller's answers before", [each["controller"] for each in rounds], f"  {rounds[0]['commands']} commands")
            within = sum(each["gate"] < GOAL for each in rounds)
            row("the gate: text to command", [each["gate"] for each in rounds], f"  goal: under {GOAL}; {within} of {len(rounds)} are")
            row("in the last two the gate was on a processor", [each["on"] for each in rounds])
            row("and waited for one", [each["waiting"] for each in rounds])
        bench.end()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("gatehouse", nargs="?", default=str(BUILT))
    parser.add_argument("--rounds", type=int, default=50)
    main(parser.parse_args())
