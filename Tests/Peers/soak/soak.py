"""Visit after visit over the software air, each with its own troubles, and what the gate made of them.

    SOAK_VISITS=10000 soak.py        or SOAK_SECONDS=3600; SOAK_SEED repeats the troubles of an earlier run, SOAK_SHARE is the chance of each
                                     kind; SOAK_GATES work side by side, as most of a visit is waiting

Each kind of trouble happens in five of a hundred visits, independently of the others: see soak_trials.py. What a visit may come to is known
beforehand. A wrong verdict is a visitor let in who must not be, or kept out with nothing wrong; a stall is a gate that serves nobody for
20 seconds. Every phone has an address of its own, as strangers have. Ends with status 1 after any wrong verdict, any stall, a light or an
audit log that says otherwise than the verdicts, or a gate that grew.
"""
import asyncio
import itertools
import os
import secrets
import sys
import tempfile
import time
from pathlib import Path

from air import Air
from phone import Phone, Plan
from soak_account import WARM_UP, Account
from soak_credentials import Credentials
from soak_phone import STALL, RivalLink, SoakLink, WatchedGate
from soak_trials import SHARE, Trial, draw

MOST_STALLS = 3


class Soak:
    """One gate on an air of its own, and the phones that visit it."""

    make_air = Air

    def __init__(self, folder: Path, seed: int, share: float, credentials: Credentials, account: Account) -> None:
        folder.mkdir()
        self.seed, self.share, self.credentials, self.account = seed, share, credentials, account
        self.air = self.make_air(folder / "air")
        self.gate = WatchedGate(self.air.path, credentials.trust, folder / "data")
        self.own = account.opened(self.gate)
        self.handles: dict[bool, dict[str, int]] = {}  # of the gate's attributes, for iOS and for Android

    async def visit(self, trial: Trial) -> None:
        uri = self.gate.code
        main = self.phone.visit(uri, b"", trial.plan, trial.payload.packed, lambda *of: SoakLink(*of, self, trial))
        # The second phone of a race saw the same code, and does not try for long.
        plan = Plan("android14", patience=0.5, connecting=0.5, listens_after=0.0)
        rival = trial.rival and self.rival.visit(uri, b"", plan, trial.rival.packed, lambda *of: RivalLink(*of, self, None))
        results = await asyncio.gather(main, *filter(None, [rival]), return_exceptions=True)
        for result, name in zip(results, ("phone", "rival")):
            if isinstance(result, Exception):
                # The phone's own stack stumbled over what this visit did to it: another phone comes instead.
                self.account.replaced(trial, result)
                setattr(self, name, await self.new_phone(getattr(self, name)))
        self.account.ended(self.own, trial)
        await self.settled()
        self.account.judge(self.own, trial, *[None if isinstance(result, Exception) else result for result in results])

    async def new_phone(self, old: Phone) -> Phone:
        self.air.link.controllers -= {c for c in self.air.link.controllers if c.random_address == old.device.random_address}
        self.air.phones.remove(old.device)
        return await Phone.on(self.air)

    async def settled(self) -> None:
        """The gate has seen the end of the link, and is on the air again."""
        end = time.monotonic() + STALL
        while time.monotonic() < end:
            controller = self.air.gate  # another one, where it was plugged in anew
            if not controller.le_connections and controller.le_legacy_advertiser.enabled and controller.host:
                return
            await asyncio.sleep(0.002)

    async def run(self, numbers) -> None:
        async with self.air:
            self.phone, self.rival = await Phone.on(self.air), await Phone.on(self.air)
            async with self.gate:
                await self.gate.until(lambda: self.gate.screen.announced, what="the first code")
                for number in numbers:
                    await self.visit(draw(number, self.seed, self.credentials, self.share))
                    if self.gate.process.returncode is not None:
                        self.account.stalls.append(f"the gate ended with {self.gate.process.returncode}: {self.gate.errors[-5:]}")
                        break
                    self.account.measure(self.own)
                await self.account.close(self.own, self.air.path, self.credentials.trust)


async def run(folder: Path, seed: int, share: float, gates: int, visits: int, seconds: float) -> Account:
    """Ends after so many visits or seconds, whichever is given, or when nobody is served any more."""
    credentials, account = Credentials(folder / "trust"), Account()

    def numbers():
        for number in itertools.count():
            if visits and number >= visits or seconds and account.passed >= seconds or len(account.stalls) >= MOST_STALLS:
                return
            yield number

    shared = numbers()
    await asyncio.gather(*(Soak(folder / str(gate), seed, share, credentials, account).run(shared) for gate in range(gates)))
    return account


def main() -> int:
    seed = int(os.environ.get("SOAK_SEED") or secrets.randbelow(1 << 32))
    share = float(os.environ.get("SOAK_SHARE") or SHARE)
    gates = int(os.environ.get("SOAK_GATES") or 2)
    seconds = float(os.environ.get("SOAK_SECONDS") or 0)
    visits = int(os.environ.get("SOAK_VISITS") or (0 if seconds else 10 * WARM_UP))
    print(f"soak: seed {seed}, chance of each kind of trouble {share}, {gates} gates", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        account = asyncio.run(run(Path(folder), seed, share, gates, visits, seconds))
        violations = account.violations()
        account.report()
    for text in violations[:20]:
        print("VIOLATION " + text)
    return 1 if violations else 0


if __name__ == "__main__":
    sys.exit(main())
