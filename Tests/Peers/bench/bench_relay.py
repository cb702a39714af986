"""What a relay costs the gate beside it, and what a relay does at full speed.

    bench_relay.py [PATH OF gatehouse] [--rounds N] [--rate EVENTS]

A gate has the same visit again and again: by turns with a relay (MQTT over TLS to Debian's Mosquitto, a collector behind it) and without one.
The relay that is measured reads the gate's own log, and a second one a log made beside it, in which RATE events a second (100) are written for as
long as the turn lasts: more than any gate writes, through the same disk, kernel and processors. In the turns without, the log is written all the
same; nobody reads it. Relays, brokers, collectors and the writer are no part of the process that plays the phone. What counts is the ratio of
the medians, from the report that the transfer is whole to the verdict, of turn against turn; the gate has waited before each visit, so that no
light of a visit before is in it.

At full speed: a log of 10,000 records, from the relay's start until the collector has the last; its processor time, and its memory at most.
"""
import argparse
import asyncio
import multiprocessing
import os
import signal
import statistics
import sys
import tempfile
import threading
import time
from pathlib import Path

import issuer
from air import Air
from broker import Broker
from collector import Collector
from gate import BUILT, Gate
from made_log import MadeLog
from phone import Phone, Plan
from relays import Relay

GOAL = 1.05
# Seconds: longer than the light of the visit before and the pause behind it.
REST = 0.3
RECORDS = 10_000


class Writer(threading.Thread):
    """Writes visits into a made log, so many a second, in steps of a tenth of one, while it is told to."""

    def __init__(self, log: MadeLog, rate: float) -> None:
        super().__init__(daemon=True)
        self.log, self.rate, self.written, self.writes, self.ended = log, rate, 0, threading.Event(), threading.Event()

    def run(self) -> None:
        due = time.monotonic()
        while not self.ended.is_set():
            self.writes.wait()
            due = max(due + 0.1, time.monotonic())
            self.log.visits(round(self.rate / 10))
            self.written += round(self.rate / 10)
            if self.log.sequence % 10_000 < self.rate / 10:
                self.log.seal()
            time.sleep(max(0, due - time.monotonic()))

    def end(self) -> None:
        self.ended.set()
        self.writes.set()
        self.join()


def settings(broker: Broker, folder: Path) -> dict:
    password = folder / "password"
    password.write_text("right\n")
    password.chmod(0o600)
    return {"gate": "east-1", "detail": "all", "host": "localhost", "port": broker.port, "authorities": str(broker.authority.path),
            "passwordFile": str(password)}


def relay(folder: Path, log: Path, broker: Broker, **more) -> Relay:
    folder.mkdir(exist_ok=True)
    return Relay(folder, "mqtt", log, {**settings(broker, folder), **more})


def full_speed(folder: Path) -> None:
    broker = Broker(folder / "broker").start()
    collector = Collector(broker, says_have=False).start()
    log = MadeLog(folder / "log")
    log.visits(RECORDS)
    running = relay(folder / "relay", log.folder, broker)
    began = time.monotonic()
    running.start()
    try:
        collector.wait(RECORDS, 600)
        seconds = time.monotonic() - began
        running.wait_for(lambda: running.cursor() == RECORDS)
        spent, resident = running.seconds(), running.resident()
        collector.check_order()
        print(f"relay: {RECORDS} records of {sum(map(len, log.lines)) / RECORDS:.0f} octets to Mosquitto and a collector in {seconds:.1f} s, "
              f"{RECORDS / seconds:.0f} a second with all on this machine; {spent / RECORDS * 1e6:.0f} us of its processor time each: "
              f"{RECORDS / spent:.0f} a second would fill one core; {resident / 1e6:.1f} MB resident at most; {collector.twice} twice")
    finally:
        running.end()
        collector.stop()
        broker.end()


class Beside:
    """The relays of a turn: one at the gate's log, one at that with many events. Two brokers, since two clients of one name throw each other out."""

    def __init__(self, folder: Path, gate_log: Path, rate: float) -> None:
        self.made = MadeLog(folder / "made")
        self.made.visits(1)
        self.brokers = [Broker(folder / f"broker-{name}").start() for name in ("gate", "made")]
        self.collectors = [Collector(broker, says_have=False).start() for broker in self.brokers]
        self.relays = [relay(folder / f"relay-{name}", log, broker)
                       for name, log, broker in zip(("gate", "made"), (gate_log, self.made.folder), self.brokers)]
        self.writer = Writer(self.made, rate)
        self.writer.start()
        self.delivered = 0

    def begin(self, with_relay: bool) -> None:
        if with_relay:
            for one in self.relays:
                one.start()
            # What was written in the turn before is behind it.
            self.relays[1].wait_for(lambda: self.relays[1].cursor() == self.made.sequence)
        self.writer.writes.set()

    def finish(self) -> None:
        self.writer.writes.clear()
        time.sleep(0.2)
        if self.relays[0].process:
            wanted = self.made.sequence
            self.relays[1].wait_for(lambda: self.relays[1].cursor() >= wanted)
            self.delivered = wanted
        for one in self.relays:
            one.end()

    def close(self) -> None:
        self.writer.end()
        for one in self.relays:
            one.end(signal.SIGKILL)
        for one in self.collectors:
            one.stop()
        for one in self.brokers:
            one.end()


def serve_beside(folder: Path, gate_log: Path, rate: float, pipe) -> None:
    """A process of its own: True and False begin a turn, None ends one, and so does the end of the pipe with everything. Answers each."""
    beside = Beside(folder, gate_log, rate)
    try:
        while True:
            pipe.send(beside.delivered)
            word = pipe.recv()
            if word is None:
                beside.finish()
            else:
                beside.begin(word)
    except EOFError:
        pass
    finally:
        beside.close()


async def visits(folder: Path, options) -> None:
    trusted = issuer.Issuer()
    issuer.write_trust(folder / "trust", trusted)
    payload, plan = issuer.wrap(trusted.credential(3000)), Plan("ios", patience=30)
    os.environ["GATEHOUSE"] = options.gatehouse
    pipe, theirs = multiprocessing.Pipe()
    process = multiprocessing.get_context("spawn").Process(target=serve_beside, args=(folder, folder / "data", options.rate, theirs))
    process.start()
    theirs.close()

    async def beside(word) -> int:
        # The air is served meanwhile: a gate whose controller does not answer takes it for broken.
        pipe.send(word)
        return await asyncio.to_thread(pipe.recv)

    pipe.recv()
    times: dict[bool, list[tuple[float, float]]] = {True: [], False: []}
    try:
        async with Air(folder / "air") as air, Gate(air.path, folder / "trust", folder / "data") as gate:
            phone = await Phone.on(air)

            async def verdict() -> tuple[float, float]:
                await gate.uri()
                await asyncio.sleep(REST)
                visit = await gate.visit(phone, payload, plan)
                if not visit.accepted:
                    raise SystemExit(f"bench_relay: a visit failed: {visit}")
                return visit.seconds("success", "status"), visit.seconds("first chunk", "status")

            for turn in range(options.rounds + 1):
                for with_relay in ((False, True), (True, False))[turn % 2]:
                    await beside(with_relay)
                    taken = [await verdict() for _ in range(options.visits)]
                    delivered = await beside(None)
                    if turn:  # the first one warms up
                        times[with_relay] += taken
            assert await gate.stop() == 0
    finally:
        pipe.close()
        process.join(60)
    count = len(times[True])
    for index, name in enumerate(("verdict, from the whole credential on", "transfer and verdict, from the first chunk on")):
        without, beside_it = ([one[index] for one in times[key]] for key in (False, True))
        ratios = [x / y for x, y in zip(quarters(beside_it), quarters(without))]
        print(f"{name}, with a relay at {options.rate:.0f} events a second ({delivered} delivered): {statistics.median(beside_it) * 1000:.2f} ms, "
              f"without {statistics.median(without) * 1000:.2f} ms, {count} visits each in {options.rounds} turns; ratio of the medians "
              f"{ratios[1]:.3f}, of the quicker quarters {ratios[0]:.3f}; goal at most {GOAL}")


def quarters(values: list[float]) -> list[float]:
    """What a quarter, half, and three quarters of them do not exceed. On a machine that has others to serve the first says most."""
    return statistics.quantiles(values, n=4)


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("gatehouse", nargs="?", default=str(BUILT))
    parser.add_argument("--rounds", type=int, default=25)
    parser.add_argument("--visits", type=int, default=8, help="of a turn, with and without each")
    parser.add_argument("--rate", type=float, default=100)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        full_speed(Path(temporary))
    with tempfile.TemporaryDirectory() as temporary:
        asyncio.run(visits(Path(temporary), options))
    return 0


if __name__ == "__main__":
    sys.exit(main())
