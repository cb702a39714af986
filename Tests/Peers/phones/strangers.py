"""Strangers within radio range: who comes and goes, and what somebody sends beside a transfer. For tests and the bench."""
import asyncio
import contextlib
import random
import time

from bumble import hci

import wallet as w
from air import Air, random_address
from phone import Link, Phone, Plan, Visit

PAIRING_REQUEST = bytes.fromhex("01030005100303")


class Stranger:
    """A central that wants the slot and nothing else."""

    def __init__(self, phone: Phone) -> None:
        self.phone, self.device, self.links = phone, phone.device, 0

    @staticmethod
    async def on(air: Air) -> "Stranger":
        return Stranger(await Phone.on(air))

    async def renew(self) -> None:
        """An address nobody has seen. Not under a link: the air finds its ends by their addresses."""
        while self.device.connections:
            await asyncio.sleep(0.01)
        self.device.random_address = random_address()
        await self.device.send_sync_command(hci.HCI_LE_Set_Random_Address_Command(random_address=self.device.random_address))

    async def find(self, uri: str):
        """Where the gate is: it keeps its address until somebody identifies."""
        link = Link(self.phone.air, self.device, Plan(patience=3))
        await link.connect(w.VerifierURI.parse(uri))
        address = link.connection.peer_address
        await link.leave()
        self.links += 1
        return address

    async def come_and_go(self, address, is_fresh: bool) -> bool:
        """Connects, and leaves as soon as it may. False where the gate was not to be had, or ended the link first.

        The air looks at each link 50 ms after it was asked for: whoever is back sooner can leave a link behind that only the gate knows of,
        which no radio does.
        """
        if is_fresh:
            await self.renew()
        try:
            connection = await self.device.connect(address, timeout=5)
        except Exception:
            return False
        self.links += 1
        try:
            await asyncio.wait_for(connection.disconnect(), 2)
            return True
        except Exception:
            return False
        finally:
            await asyncio.sleep(0.06)

    async def flood(self, address_of, is_fresh: bool, pause: float = 0.0) -> None:
        """Comes and goes until cancelled."""
        try:
            while True:
                await self.come_and_go(await address_of(), is_fresh)
                await asyncio.sleep(pause)
        finally:
            await self.leave_the_air()

    async def leave_the_air(self) -> None:
        """Takes back what a cancelled connect left behind: a controller initiates one connection at a time."""
        with contextlib.suppress(Exception):
            await self.device.send_sync_command(hci.HCI_LE_Create_Connection_Cancel_Command())
        await asyncio.sleep(0.06)
        for connection in list(self.device.connections.values()):
            with contextlib.suppress(Exception):
                await asyncio.wait_for(connection.disconnect(), 2)


@contextlib.asynccontextmanager
async def beside(*tasks):
    """Runs these while the body runs."""
    running = [asyncio.ensure_future(task) for task in tasks]
    try:
        yield
    finally:
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)


async def visits_until_served(gate, phone: Phone, payload: bytes, plan: Plan, patience: float = 180) -> tuple[Visit, int, float]:
    """What a person does whose phone found the gate taken: tries again with the code on the screen. The visit that had a verdict, how many
    tries it took, and the seconds altogether."""
    begin, tries = time.monotonic(), 0
    while True:
        tries += 1
        visit = await phone.visit(gate.screen.codes[-1][0], payload, plan)
        if visit.status is not None:
            return visit, tries, time.monotonic() - begin
        if time.monotonic() - begin > patience:
            raise TimeoutError(f"not served in {patience} s, {tries} tries; last {visit}")
        await asyncio.sleep(0.05)


class Beside:
    """Sends nonsense on a phone's own link while its transfer runs: `rate` PDUs a second of those `pdus()` yields.

    What a slow machine misses is not made up for: it would be more nonsense for each chunk, the slower the machine.
    """

    MOST_AT_ONCE = 2

    def __init__(self, phone: Phone, rate: float, pdus) -> None:
        self.phone, self.rate, self.pdus, self.sent = phone, rate, pdus, 0

    async def run(self) -> None:
        while not (self.phone.link and "first chunk" in self.phone.link.visit.at):
            await asyncio.sleep(0)
        link, due = self.phone.link, time.monotonic()
        while not link.gone.is_set() and "success" not in link.visit.at:
            for _ in range(self.MOST_AT_ONCE):
                if time.monotonic() >= due and not link.gone.is_set():
                    link.connection.send_l2cap_pdu(*next(self.pdus))
                    self.sent += 1
                    due += 1 / self.rate
            due = max(due, time.monotonic())
            await asyncio.sleep(0.0005)


def pairing():
    """Pairing Requests, and nothing else."""
    while True:
        yield 6, PAIRING_REQUEST


def pairing_and_garbage(seed: int = 5):
    """Pairing Requests between PDUs of every channel that nobody answers: unknown commands, cut chunks, channels nobody has."""
    r = random.Random(seed)
    while True:
        yield 6, PAIRING_REQUEST
        yield 4, bytes([r.choice((0x41, 0x5F, 0x77, 0xD2, 0xFF))]) + r.randbytes(r.randrange(0, 60))
        yield 6, r.randbytes(r.randrange(1, 70))
        yield 0x3A, r.randbytes(r.randrange(0, 40))
        yield 4, b"\x52" + r.randbytes(r.randrange(0, 2))
        yield 0x40, r.randbytes(r.randrange(0, 200))
