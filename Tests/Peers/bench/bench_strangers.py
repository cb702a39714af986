"""What strangers cost an honest visit, in one run on one machine.

The same phone sends the same message with nothing beside it, with 1,000 Pairing Requests a second on its own link, and with as many of them
mixed with garbage on every channel; times run from the first chunk written to the success report, less the fixed wait before it. The sender of
the noise shares a Python process with the phone, so a part of the loss is the phone's own: the same number of PDUs on a channel that every host
ignores says how much. Then: how long a visitor takes to be served while strangers connect and leave as fast as they can.

    bench_strangers.py [PATH OF gatehouse] [--rounds N] [--size OCTETS]
"""
import argparse
import asyncio
import os
import statistics
import tempfile
from pathlib import Path

import issuer
from air import Air
from bench_air import WAIT, payload_for
from gate import BUILT, Gate
from phone import Phone, Plan
from strangers import Beside, Stranger, beside, pairing, pairing_and_garbage, visits_until_served


def ignored():
    """As many PDUs, on a channel nobody has."""
    while True:
        yield 0x3A, bytes(7)


NOISES = {"nothing": None, "ignored channel": ignored, "pairing": pairing, "pairing, garbage": pairing_and_garbage}


async def transfers(gate: Gate, phone: Phone, options) -> None:
    plain, packed = payload_for(options.size)
    plan = Plan("android", att_mtu=517, patience=60)
    times: dict[str, list[float]] = {name: [] for name in NOISES}
    rates: dict[str, list[float]] = {name: [] for name in NOISES}
    for turn in range(options.rounds + 1):
        for name, noise in NOISES.items():
            await gate.uri()
            phone.link = None
            flood = Beside(phone, 1000, noise()) if noise else None
            async with beside(*([flood.run()] if flood else [])):
                visit = await gate.visit(phone, plain, plan, packed)
            if "success" not in visit.at:
                raise SystemExit(f"{name}: {visit}")
            if turn:  # the first one warms up
                times[name].append(visit.seconds("first chunk", "success") - WAIT)
                rates[name].append(flood.sent / visit.seconds("first chunk", "success") if flood else 0)
    print(f"{options.size} octets beside noise on the same link, MTU {plan.att_mtu}, android, median of {options.rounds} (fixed {WAIT * 1000:.0f} ms taken off)")
    print(f"{'':17}{'ms':>8}{'PDU/s':>8}{'speed kept':>12}")
    for name, taken in times.items():
        kept = statistics.median(quiet / noisy for quiet, noisy in zip(times["nothing"], taken))
        print(f"{name:17}{statistics.median(taken) * 1000:8.1f}{statistics.median(rates[name]):8.0f}{kept * 100:11.0f} %")


async def turns(folder: Path, trust: Path, credential: str, options) -> None:
    print("a visitor among strangers who connect and leave without a pause: seconds to the verdict, tries, links of strangers meanwhile")
    payload = issuer.wrap(credential)
    for name, count, is_fresh in (("nobody", 0, True), ("one address", 1, False), ("fresh addresses", 1, True), ("two of those", 2, True)):
        air = Air(folder / name.replace(" ", "-"))
        await air.__aenter__()
        gate = Gate(air.path, trust, folder / (name + "-data"))
        await gate.start()
        phone, strangers = await Phone.on(air), [await Stranger.on(air) for _ in range(count)]
        seconds, tries, links = [], [], []
        for _ in range(options.rounds):
            await gate.uri()
            where = [await stranger.find(gate.screen.codes[-1][0]) for stranger in strangers]
            before = sum(stranger.links for stranger in strangers)

            async def address(index: int):
                return where[index]

            async with beside(*(s.flood(lambda i=i: address(i), is_fresh) for i, s in enumerate(strangers))):
                if strangers:
                    await asyncio.sleep(1)
                _, tried, taken = await visits_until_served(gate, phone, payload, Plan("android", patience=2))
            seconds.append(taken)
            tries.append(tried)
            links.append(sum(stranger.links for stranger in strangers) - before)
            await asyncio.sleep(1.2)
        print(f"{name:17}{statistics.median(seconds):8.2f} s (most {max(seconds):.2f}){statistics.median(tries):6.0f}{statistics.median(links):8.0f}")
        await gate.stop()
        await air.__aexit__()


async def main(options) -> None:
    os.environ["GATEHOUSE"] = options.gatehouse
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        trusted = issuer.Issuer()
        trust = issuer.write_trust(folder / "trust", trusted)
        air = Air(folder / "air")
        await air.__aenter__()
        gate = Gate(air.path, trust, folder / "data")
        await gate.start()
        await transfers(gate, await Phone.on(air), options)
        await gate.stop()
        await air.__aexit__()
        await turns(folder, trust, trusted.credential(3000), options)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("gatehouse", nargs="?", default=str(BUILT))
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--size", type=int, default=262144)
    asyncio.run(main(parser.parse_args()))
