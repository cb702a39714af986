"""The phone in the emulated board: BlueZ on a controller of its own, ready when it says so. Takes visits as lines of JSON from one pipe, says in
another what became of them and which lamps were lit meanwhile.

    {"uri": what is on the gate's screen, "payload": a file, "leave_after": a step or empty}
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
from gpio import CONFIGURATION, Chip, Watch  # noqa: E402
from visit import Plan  # noqa: E402

LAMPS = ["READY", "BUSY", "GREEN", "RED", "FAULT"]
ORDERS, ANSWERS = Path("/run/visitor.orders"), Path("/run/visitor.answers")


class Lamps(Chip):
    """The lamps that guest/start put into the board, before the gate took them."""

    def __init__(self) -> None:
        self.label, self.names, self.folder = "lamps", LAMPS, CONFIGURATION / "lamps"
        self.name = (self.folder / "bank0" / "chip_name").read_text().strip()
        self.lines = Path("/sys/devices/platform", (self.folder / "dev_name").read_text().strip(), self.name)


async def visited(phone: BlueZPhone, lamps: Lamps, order: dict) -> dict:
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
    phone, lamps = BlueZPhone(bluez), Lamps()
    for pipe in (ORDERS, ANSWERS):
        os.mkfifo(pipe)
    loop = asyncio.get_running_loop()
    while True:
        with open(await loop.run_in_executor(None, open_orders)) as orders:
            text = await loop.run_in_executor(None, orders.read)
        try:
            answer = await visited(phone, lamps, json.loads(text))
        except Exception as error:
            answer = {"status": None, "error": f"{type(error).__name__}: {error}", "lamps": [], "events": []}
        await loop.run_in_executor(None, ANSWERS.write_text, json.dumps(answer) + "\n")


def open_orders() -> int:
    return os.open(ORDERS, os.O_RDONLY)


if __name__ == "__main__":
    asyncio.run(main())
