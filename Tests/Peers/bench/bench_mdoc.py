"""How long a phone's document takes in each bearer, and how much of a processor: Gatehouse beside a reader on Bumble, on the same air.

The same phone sends the same document. Times run from the phone's having the request to the end of the session from the reader, when the response has
been opened (and, by Gatehouse, verified). CPU is what the reader's own process used for the whole visit, the phone's code and its keys included.

    bench_mdoc.py [PATH OF gatehouse] [--rounds N]
"""
import argparse
import asyncio
import json
import os
import statistics
import sys
import tempfile
from pathlib import Path

import holder as wallet
from bench_air import cpu_seconds
from code_rig import shots
from air import Air
from gate import BUILT
from mdoc_phone import MdocPhone, MdocPlan
from mdoc_rig import MdocRig
from rig import LOOP

BEARERS = {"central, GATT": MdocPlan("central", patience=60), "peripheral, GATT": MdocPlan("peripheral", patience=60),
           "peripheral, channel": MdocPlan("peripheral", "engagement", patience=60)}
SIZES = (30_000, 200_000)


def document(issuer: wallet.Issuer, size: int) -> wallet.Holder:
    """The responses are a little longer than the portrait."""
    claims = {"portrait": b"\xff\xd8\xff" + os.urandom(size - 3), "issuing_country": "UT", "family_name": "Mustermann"}
    return wallet.Holder(issuer=issuer, namespaces={wallet.NS: claims})


def seconds(seen) -> float:
    at = {event["event"]: event["t"] for event in seen.events}
    if "status from reader" not in at:
        raise SystemExit(f"the visit did not end well: {seen}")
    return at["status from reader"] - at["request"]


async def phone_on(air: Air, holder: wallet.Holder, plan: MdocPlan, show):
    device = await air.new_phone()
    phone = MdocPhone(device, holder, plan)
    try:
        await show(await phone.prepare())
        return await phone.visit()
    finally:
        await device.power_off()
        air.phones.remove(device)


class Gatehouse:
    words = "Gatehouse, with verification"

    def __init__(self, folder: Path, program: str) -> None:
        os.environ["GATEHOUSE"] = program
        (folder / "gatehouse").mkdir()
        asked = folder / "documents.json"
        asked.write_text(json.dumps({"gatehouse-documents": 1, "ask": [{"docType": wallet.MDL, "required": {wallet.NS: ["portrait"]}}]}))
        self.rig = MdocRig(folder / "gatehouse", "--codes-without-face", "*", "--documents", str(asked))
        self.issuer = self.rig.authority
        self.rig.open()

    async def once(self, holder: wallet.Holder, plan: MdocPlan) -> tuple[float, float]:
        gate, mark = self.rig.gate, len(self.rig.gate.verdicts())

        async def show(text):
            self.rig.shows(await asyncio.to_thread(shots, text))

        before = cpu_seconds(gate.process.pid)
        seen = await phone_on(self.rig.rig.air, holder, plan, show)
        self.rig.leaves()
        [record] = await gate.until(lambda: gate.verdicts()[mark:], what="the record")
        if record["outcome"] != "accepted":
            raise SystemExit(f"{record}, {seen}")
        return seconds(seen), cpu_seconds(gate.process.pid) - before

    async def end(self) -> None:
        assert await self.rig.gate.stop() == 0, self.rig.gate.errors


class Bumble:
    words = "a reader on Bumble, without verification"

    def __init__(self, folder: Path) -> None:
        self.air = Air(folder / "bumble")

    async def start(self) -> None:
        await self.air.__aenter__()
        script = str(Path(__file__).with_name("mdoc_reader.py"))
        self.process = await asyncio.create_subprocess_exec(sys.executable, script, f"unix:{self.air.path}", stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE)

    async def once(self, holder: wallet.Holder, plan: MdocPlan) -> tuple[float, float]:
        async def show(text):
            self.process.stdin.write(text.encode() + b"\n")

        before = cpu_seconds(self.process.pid)
        seen = await phone_on(self.air, holder, plan, show)
        answer = await self.process.stdout.readline()
        if json.loads(answer or "{}").get("documents") != 1:
            raise SystemExit(f"the reader says {answer}, {seen}")
        return seconds(seen), cpu_seconds(self.process.pid) - before

    async def end(self) -> None:
        self.process.kill()
        await self.process.wait()
        await self.air.__aexit__()


def median_of(values: list[tuple[float, float]], which: int) -> float:
    return statistics.median(value[which] for value in values)


def main(options) -> None:
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        ours, theirs = Gatehouse(folder, options.gatehouse), Bumble(folder)
        LOOP.run_until_complete(theirs.start())
        print(f"a document by ISO/IEC 18013-5, MTU 515, data length 251, median of {options.rounds}: {ours.words}; {theirs.words}")
        print(f"{'':30}{'ms':>8}{'Bumble':>8}{'ratio':>7}{'CPU ms':>9}{'Bumble':>8}{'ratio':>7}")
        for size in SIZES:
            for name, plan in BEARERS.items():
                results: dict[object, list] = {ours: [], theirs: []}
                for turn in range(options.rounds + 1):
                    for reader, taken in results.items():
                        result = LOOP.run_until_complete(reader.once(document(ours.issuer, size), plan))
                        if turn:  # the first one warms up
                            taken.append(result)
                (time, cpu), (their_time, their_cpu) = ([median_of(taken, which) for which in (0, 1)] for taken in results.values())
                print(f"{size // 1000:4} kB, {name:21}{time * 1000:8.0f}{their_time * 1000:8.0f}{time / their_time:7.2f}"
                      f"{cpu * 1000:9.1f}{their_cpu * 1000:8.1f}{cpu / their_cpu:7.2f}")
        for reader in (ours, theirs):
            LOOP.run_until_complete(reader.end())
        ours.rig.close()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("gatehouse", nargs="?", default=str(BUILT))
    parser.add_argument("--rounds", type=int, default=5)
    main(parser.parse_args())
