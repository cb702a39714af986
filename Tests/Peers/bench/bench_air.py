"""How long a transfer takes, against a peer and against the floor, in one run on one machine.

The same phone sends the same 64 kB to Gatehouse, to the reference gate (Bumble's GATT server) and to a peripheral that throws everything away.
Times run from the first chunk written to the success report. The fixed wait of both gates before a session's first report, which real
Android wallets need, is taken off and stated. CPU is what the gate's own process used from the connection to the end of the visit.

    bench_air.py [PATH OF gatehouse] [--rounds N] [--size OCTETS] [--profile android|ios] [--fragment 251|27]
"""
import argparse
import asyncio
import os
import statistics
import sys
import tempfile
from pathlib import Path
from types import SimpleNamespace

import issuer
import wallet as w
from air import Air
from gate import BUILT, Gate
from phone import Link, Phone, Plan

WAIT = 0.05


def payload_for(ciphertext: int) -> tuple[bytes, bytes]:
    """A payload and its gzip, such that the sealed message has exactly this many octets."""
    blocks, room = 1, 0
    while True:
        room = ciphertext - 16 - 18 - 5 * blocks
        if -(-room // 65535) <= blocks:
            break
        blocks += 1
    plain = w.prng_text(room, 3).encode()
    packed = w.stored_gzip(plain)
    assert len(packed) + 16 == ciphertext
    return plain, packed


def cpu_seconds(pid: int) -> float:
    """Time on a processor, of a process with one thread."""
    return int(Path(f"/proc/{pid}/schedstat").read_text().split()[0]) / 1e9


class FloorLink(Link):
    """The same phone, with handles it was told: the floor has no attribute table."""

    async def exchange_mtu(self) -> None:
        self.client.mtu = self.plan.att_mtu

    async def discover(self) -> None:
        handles = {w.IDENTIFY: 6, w.SIZE: 7, w.SUBMIT: 8, w.REPORT_REQUEST: 9, w.REPORT: 10, w.STATUS: 11, w.DISCONNECT: 12}
        self.characteristics = {name: SimpleNamespace(handle=handle) for name, handle in handles.items()}
        for name in (w.REPORT, w.STATUS, w.DISCONNECT):
            self.listen(name)
        self.listening |= {w.REPORT, w.STATUS}

    async def verdict(self) -> None:
        """The floor has none."""


async def floor(folder: Path, fragment: int):
    air = Air(folder / "floor", fragment)
    await air.__aenter__()
    process = await asyncio.create_subprocess_exec(sys.executable, str(Path(__file__).with_name("floor.py")), f"unix:{air.path}", stdout=asyncio.subprocess.PIPE)
    uri = w.VerifierURI.parse((await process.stdout.readline()).decode().split()[1])
    phone = await Phone.on(air)

    async def once(plan: Plan, plain: bytes, packed: bytes) -> tuple[float, float]:
        before = cpu_seconds(process.pid)
        link = FloorLink(air, phone.device, plan)
        await link.run(uri, plain, packed)
        await link.leave()
        await asyncio.sleep(0.05)
        return link.visit.seconds("first chunk", "success"), cpu_seconds(process.pid) - before

    async def end() -> None:
        process.kill()
        await process.wait()
        await air.__aexit__()

    return once, end


async def gate_under(folder: Path, fragment: int, name: str, program: str):
    air = Air(folder / name, fragment)
    await air.__aenter__()
    os.environ["GATEHOUSE"] = program
    gate = Gate(air.path, folder / "trust", folder / (name + "-data"))
    await gate.start()
    phone = await Phone.on(air)

    async def once(plan: Plan, plain: bytes, packed: bytes) -> tuple[float, float]:
        await gate.uri()
        before = cpu_seconds(gate.process.pid)
        visit = await gate.visit(phone, plain, plan, packed)
        if "success" not in visit.at:
            raise SystemExit(f"{name}: {visit}")
        taken = visit.seconds("first chunk", "success") - WAIT
        await gate.uri()
        return taken, cpu_seconds(gate.process.pid) - before

    async def end() -> None:
        status = await gate.stop()
        await air.__aexit__()
        assert status == 0, f"{name} ended with {status}"

    return once, end


async def main(options) -> None:
    plain, packed = payload_for(options.size)
    plan = Plan(options.profile, att_mtu=517, patience=30)
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        issuer.write_trust(folder / "trust", issuer.Issuer())
        peers = {"floor": await floor(folder, options.fragment), "reference": await gate_under(folder, options.fragment, "reference", "reference")}
        if options.gatehouse:
            peers["gatehouse"] = await gate_under(folder, options.fragment, "gatehouse", options.gatehouse)
        times = {name: [] for name in peers}
        for turn in range(options.rounds + 1):
            for name, (once, _) in peers.items():
                result = await once(plan, plain, packed)
                if turn:  # the first one warms up
                    times[name].append(result)
        for _, end in peers.values():
            await end()

    chunks = -(-options.size // (w.max_data(plan.att_mtu) - w.CHUNK_HEADER))
    print(f"{options.size} octets in {chunks} chunks, MTU {plan.att_mtu}, data length {options.fragment}, {options.profile}, median of {options.rounds} (fixed {WAIT * 1000:.0f} ms taken off)")
    median = {name: statistics.median(t for t, _ in values) for name, values in times.items()}
    words = {"floor": "discards everything: the air and the phone alone", "reference": "Bumble's GATT server, Python", "gatehouse": "Gatehouse"}
    print(f"{'':11}{'ms':>8}{'least':>8}{'most':>8}{'kB/s':>8}{'of floor':>10}{'CPU ms':>8}")
    for name, values in times.items():
        taken = [t for t, _ in values]
        of_floor = statistics.median(t / f for t, (f, _) in zip(taken, times["floor"]))
        print(f"{name:11}{median[name] * 1000:8.1f}{min(taken) * 1000:8.1f}{max(taken) * 1000:8.1f}{options.size / 1000 / median[name]:8.0f}"
              f"{of_floor:10.2f}{statistics.median(c for _, c in values) * 1000:8.1f}  {words[name]}")
    if "gatehouse" in median:
        ratio = statistics.median(g / r for (g, _), (r, _) in zip(times["gatehouse"], times["reference"]))
        print(f"gatehouse / reference = {ratio:.2f} (below 1: Gatehouse is faster). Ratios are medians of round by round; near 1.00 the air is the limit.")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("gatehouse", nargs="?", default=str(BUILT) if BUILT.exists() else None)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--size", type=int, default=65536)
    parser.add_argument("--profile", default="android")
    parser.add_argument("--fragment", type=int, default=251, help="data length of both controllers")
    asyncio.run(main(parser.parse_args()))
