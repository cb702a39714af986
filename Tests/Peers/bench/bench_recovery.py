"""How soon the gate serves again: after a visit, and after its controller was unplugged and plugged.

    bench_recovery.py [PATH OF gatehouse] [--rounds N]

The floor is a process that sends the controller the very same commands, each when the one before is answered, and does nothing else. The next
verdict waits for the light of the last and the pause behind it: its floor is the longer of that and of a visit to a gate that had been waiting. A
controller that was well for a second before it went is opened again at once; one that comes and goes is not, which is no part of this.
"""
import argparse
import asyncio
import os
import socket
import statistics
import sys
import tempfile
import time
from pathlib import Path

import issuer
from air import Air
from gate import BUILT, Gate
from phone import Phone, Plan

WELL = 1.1
ENABLE = 0x200A
# The gate's `--verdict-time` here, and as much behind it.
LIGHT = 0.1


class Watch:
    """Notes when the gate's controller was told what."""

    def __init__(self, controller) -> None:
        self.commands: list[bytes] = []
        self.link_ended = self.on_air = 0.0
        take, end = controller.on_hci_command_packet, controller.on_le_disconnected

        def taken(command) -> None:
            self.commands.append(bytes(command))
            take(command)
            if command.op_code == ENABLE and command.parameters == b"\x01":
                self.on_air = time.monotonic()

        def ended(connection, reason) -> None:
            self.commands.clear()
            self.link_ended = time.monotonic()
            end(connection, reason)

        controller.on_hci_command_packet, controller.on_le_disconnected = taken, ended

    async def advertising(self, since: float) -> float:
        """When advertising was next turned on after `since`."""
        while self.on_air < since:
            await asyncio.sleep(0)
        return self.on_air


def replay(path: str) -> None:
    """The floor, a process of its own: commands come in hexadecimal, a line a round; seconds go out."""
    print("ready", flush=True)
    for line in sys.stdin:
        with socket.socket(socket.AF_UNIX) as link:
            link.connect(path)
            held = bytearray()
            began = time.perf_counter()
            for command in map(bytes.fromhex, line.split()):
                link.sendall(command)
                while True:
                    if len(held) >= 3 and len(held) >= 3 + held[2]:
                        event = bytes(held[: 3 + held[2]])
                        del held[: 3 + held[2]]
                        if event[4 if event[1] == 0x0E else 5 :][:2] == command[1:3]:
                            break
                    else:
                        held.extend(link.recv(4096))
            print(time.perf_counter() - began, flush=True)


class Floor:
    """An air of its own with that process on it."""

    async def __aenter__(self):
        self.folder = tempfile.TemporaryDirectory()
        self.air = await Air(Path(self.folder.name) / "floor").__aenter__()
        self.process = await asyncio.create_subprocess_exec(
            sys.executable, __file__, "--replay", str(self.air.path), stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE)
        await self.process.stdout.readline()
        return self

    async def __aexit__(self, *_):
        self.process.kill()
        await self.process.wait()
        await self.air.__aexit__()
        self.folder.cleanup()

    async def seconds(self, commands: list[bytes]) -> float:
        self.process.stdin.write((" ".join(command.hex() for command in commands) + "\n").encode())
        return float(await self.process.stdout.readline())


def told(name: str, seconds: list[float], floors: list[float], floor: str) -> None:
    ratio = statistics.median(s / f for s, f in zip(seconds, floors))
    print(f"{name}: {statistics.median(seconds) * 1000:.1f} ms ({min(seconds) * 1000:.1f} to {max(seconds) * 1000:.1f}), "
          f"{ratio:.2f} times {floor} ({statistics.median(floors) * 1000:.1f} ms)")


async def main(options) -> None:
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        trusted = issuer.Issuer()
        issuer.write_trust(folder / "trust", trusted)
        payload = issuer.wrap(trusted.credential(2000))
        os.environ["GATEHOUSE"] = options.gatehouse
        plan = Plan("ios", patience=15)
        async with Air(folder / "air") as air, Floor() as floor:
            gate = Gate(air.path, folder / "trust", folder / "data", "--verdict-time", str(LIGHT))
            await gate.start()
            watch, phone = Watch(air.gate), await Phone.on(air)
            on_air, verdicts, earliest, replugged = [], [], [], []
            floors, floors_of_plug = [], []
            plugged_at = time.monotonic()

            async def visit():
                visit = await gate.visit(phone, payload, plan)
                if not visit.accepted:
                    raise SystemExit(f"a visit failed: {visit}")
                return visit

            for turn in range(options.rounds + 1):
                # A gate that has waited, then one that has just had a visitor.
                await gate.uri()
                await asyncio.sleep(0.1)
                began = time.monotonic()
                waited = (await visit()).at["status"] - began
                ended = watch.link_ended
                again = await watch.advertising(ended) - ended
                commands = list(watch.commands)
                green = await gate.light("accept", began)
                await gate.uri()
                next_verdict = (await visit()).at["status"] - ended
                bare = await floor.seconds(commands)

                await gate.uri()
                await watch.advertising(watch.link_ended)
                await asyncio.sleep(max(0, plugged_at + WELL - time.monotonic()))
                watch.commands.clear()
                seen, unplugged = len(gate.screen.codes), time.monotonic()
                air.gate.host.transport.close()
                plugged_at = await watch.advertising(unplugged)
                bare_plug = await floor.seconds(watch.commands)
                await gate.until(lambda: len(gate.screen.codes) > seen, what="a code after the controller came back")
                if turn:  # the first one warms up
                    for values, value in zip((earliest, on_air, verdicts, floors, replugged, floors_of_plug),
                                             (max(waited, green + 2 * LIGHT - ended), again, next_verdict, bare, plugged_at - unplugged, bare_plug)):
                        values.append(value)
            assert await gate.stop() == 0
        told("from a wallet's leave to the next advertisement on the air", on_air, floors, f"the same {len(commands)} commands alone")
        told("from a wallet's leave to the next wallet's verdict", verdicts, earliest, "the light, its pause or such a visit to a gate that had been waiting")
        told("from a controller that was unplugged and plugged to on the air again", replugged, floors_of_plug, "the bring-up's commands alone")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("gatehouse", nargs="?", default=str(BUILT))
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--replay", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.replay:
        replay(options.replay)
    else:
        asyncio.run(main(options))
