"""A gate of which each visit is written down: what it said, lit, showed and recorded, and what the wallet was told."""
import asyncio
import re
import shutil
import tempfile
from pathlib import Path

from fixed import Record, begin, normal

from gate import audit_octets
from phone import Plan
from rig import Rig

# The lamps that are lit while somebody is there.
OF_A_VISIT = ("busy", "look", "accept", "reject")
# What depends on which of two packets comes first: the visit's own outcome is recorded, not how much of it there was.
RACES = re.compile(r',"(checksumFailures|drops|chunks)":\d+')
# Between two lamps there may be a moment without one.
DARK = re.compile(r"^lights ms=0 lit=none\n", re.M)


def settled(lines: list[str]) -> list[str]:
    """What was said in any order, and the lamp that is lit in the end."""
    lamps = [line for line in lines if line.startswith("lights ")]
    return sorted(set(lines) - set(lamps)) + lamps[-1:]


class Watched:
    """A gate in a folder of its own. Each visit's entry is all that came since the last."""
    def __init__(self, record: Record, group: str, *options: str, make=Rig, quiet: float = 0.25, **more) -> None:
        begin(group)
        self.record, self.group, self.seen, self.quiet = record, group, (0, 0, 0), quiet
        self.folder = Path(tempfile.mkdtemp(prefix="gatehouse-corpus-"))
        self.rig = make(self.folder, *options, **more)

    def __enter__(self):
        self.rig.open()
        self.settle()
        self.write("start", "")
        return self

    def __exit__(self, *_):
        if self.rig.gate.process.returncode is None:
            status = self.rig.run(self.rig.gate.stop())
            self.write("end", f"exit {status}\n")
        self.rig.close()
        shutil.rmtree(self.folder)

    def settle(self) -> None:
        """Until nobody is there and nothing more comes."""
        gate = self.rig.gate

        async def quiet():
            await gate.until(lambda: gate.lights and gate.lights[-1][1] not in OF_A_VISIT, what="the end of the visit")
            count = -1
            while count != (count := len(gate.errors) + len(gate.screen.lines)):
                await asyncio.sleep(self.quiet)

        self.rig.run(quiet())

    def write(self, name: str, wallet: str, is_race: bool = False) -> None:
        gate = self.rig.gate
        texts = (gate.errors, gate.screen.lines, audit_octets(gate.data).decode().splitlines())
        parts = [wallet]
        for title, lines, start in zip(("said and lit", "screen", "audit"), texts, self.seen):
            # What is said at the start comes from several processes.
            ordered = settled(lines) if name == "start" and title == "said and lit" else lines[start:]
            parts += [f"{title}:\n"] + [line + "\n" for line in ordered]
        self.seen = tuple(map(len, texts))
        text = DARK.sub("", normal("".join(parts), self.folder))
        self.record.add(f"{self.group}: {name}", RACES.sub("", text) if is_race else text)

    def visit(self, name: str, plan: Plan = Plan(), payload: bytes | None = None, is_race: bool = False) -> None:
        begin(f"{self.group}: {name}")
        visit = self.rig.visit(plan, payload() if callable(payload) else payload)
        self.settle()
        told = [f"{kind} {where} {value.hex()}" for kind, where, value in visit.pushes if where != "0a" or not is_race]
        rounds = "" if is_race else f"rounds {visit.rounds}, chunks {visit.chunk_count}, "
        wallet = f"wallet: status {visit.status}, error {visit.error!r}, {rounds}mtu {visit.att_mtu}, {' '.join(visit.events)}\n"
        self.write(name, wallet + f"told: {'; '.join(told)}\n", is_race)
