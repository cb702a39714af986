"""The phone in the emulated board: BlueZ on a controller of its own, ready when it says so. Takes visits as lines of JSON from one pipe, says in
another what became of them and which lamps were lit meanwhile.

    {"uri": what is on the gate's screen, "payload": a file, "leave_after": a step or empty, "tones": so many are waited for, and every switching told}
"""
import asyncio
import json
import os
import sys
import time
from pathlib import Path

sys.path.insert(0, "/gatehouse/packages")

from bluez import BlueZ, BlueZPhone  # noqa: E402
from emulator import Bridge  # noqa: E402
from gpio import CONFIGURATION, Chip, Switchings, Watch  # noqa: E402
from visit import Plan  # noqa: E402

LAMPS = ["READY", "BUSY", "GREEN", "RED", "FAULT"]
DOOR = ["LOCK", "CONTACT", "EXIT", "EMERGENCY", "BUZZER"]
ORDERS, ANSWERS = Path("/run/visitor.orders"), Path("/run/visitor.answers")


class Placed(Chip):
    """A chip that guest/start put into the board, before the gate took its lines."""

    def __init__(self, label: str, names: list[str]) -> None:
        self.label, self.names, self.folder = label, names, CONFIGURATION / label
        self.name = (self.folder / "bank0" / "chip_name").read_text().strip()
        self.lines = Path("/sys/devices/platform", (self.folder / "dev_name").read_text().strip(), self.name)


class Door:
    """Every switching of lamps, lock and buzzer from now on, by the kernel's own record."""

    def __init__(self, *chips: Chip) -> None:
        self.switchings = [Switchings(chip) for chip in chips]

    def __enter__(self):
        for switchings in self.switchings:
            switchings.__enter__()
        return self

    def __exit__(self, *_) -> None:
        for switchings in self.switchings:
            switchings.__exit__()

    def all(self) -> list[tuple[float, str, bool]]:
        """A line that stays as it is has nothing to tell."""
        found, before = [], {}
        for at, name, is_high in sorted(entry for switchings in self.switchings for entry in switchings.all()):
            if before.get(name, name == "READY") != is_high:
                found.append((at, name, is_high))
            before[name] = is_high
        return found

    async def settle(self, tones: int) -> None:
        """Until the tones are over and the lock is closed."""
        end = time.monotonic() + 60
        while time.monotonic() < end:
            last = {name: is_high for _, name, is_high in self.all()}
            ended = sum(name == "BUZZER" and not is_high for _, name, is_high in self.all())
            if ended >= tones and not last.get("LOCK") and not last.get("BUZZER"):
                return
            await asyncio.sleep(0.2)


async def visited(phone: BlueZPhone, lamps: Chip, door: Door, order: dict) -> dict:
    if not (tones := order.get("tones")):
        return await seen(phone, lamps, order)
    with door:
        answer = await seen(phone, lamps, order)
        await door.settle(tones)
        return answer | {"switched": door.all()}


async def seen(phone: BlueZPhone, lamps: Chip, order: dict) -> dict:
    plan = Plan(leave_after=order.get("leave_after", ""), patience=60)
    # A visitor who waits for the verdict on the one before: a lamp that is lit from then on is for this visit.
    end = time.monotonic() + 20
    while {"GREEN", "RED"} & lamps.high() and time.monotonic() < end:
        await asyncio.sleep(0.1)
    begun = time.monotonic()
    with Watch(lamps) as watch:
        visit = await phone.visit(order["uri"], Path(order["payload"]).read_bytes(), plan)
        end = time.monotonic() + 20
        while visit.status is not None and not verdict_is_shown(watch) and time.monotonic() < end:
            await asyncio.sleep(0.1)
    shown = [sorted(lines) for lines in watch.sets()]
    return {"status": visit.status, "error": visit.error, "mtu": visit.att_mtu, "events": visit.events, "lamps": shown,
            "seconds": round(time.monotonic() - begun, 2)}


def verdict_is_shown(watch: Watch) -> bool:
    """After the lamp for this visit: the one of the visit before may still be lit."""
    sets = watch.sets()
    busy = next((number for number, lines in enumerate(sets) if "BUSY" in lines), len(sets))
    return any({"GREEN", "RED"} & lines for lines in sets[busy:])


async def main() -> None:
    bridge = await Bridge().plug()
    bluez = await BlueZ(bridge.index).start()
    phone, lamps = BlueZPhone(bluez), Placed("lamps", LAMPS)
    door = Door(lamps, Placed("door", DOOR))
    for pipe in (ORDERS, ANSWERS):
        os.mkfifo(pipe)
    loop = asyncio.get_running_loop()
    while True:
        with open(await loop.run_in_executor(None, open_orders)) as orders:
            text = await loop.run_in_executor(None, orders.read)
        try:
            answer = await visited(phone, lamps, door, json.loads(text))
        except Exception as error:
            answer = {"status": None, "error": f"{type(error).__name__}: {error}", "lamps": [], "events": []}
        await loop.run_in_executor(None, ANSWERS.write_text, json.dumps(answer) + "\n")


def open_orders() -> int:
    return os.open(ORDERS, os.O_RDONLY)


if __name__ == "__main__":
    asyncio.run(main())
