"""Visit after visit over the software air, each with its own troubles, and what the gate made of them.

    SOAK_VISITS=10000 soak.py        or SOAK_SECONDS=3600; SOAK_SEED repeats the troubles of an earlier run, SOAK_SHARE is the chance of each kind

Each kind of trouble happens in five of a hundred visits, independently of the others: see soak_trials.py. What a visit may come to is known
beforehand. A wrong verdict is a visitor let in who must not be, or kept out with nothing wrong; a stall is a gate that serves nobody for
20 seconds. Every phone has an address of its own, as strangers have. Ends with status 1 after any wrong verdict, any stall, a light or an
audit log that says otherwise than the verdicts, or a gate that grew.
"""
import asyncio
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
    def __init__(self, folder: Path, seed: int, share: float) -> None:
        self.seed, self.share = seed, share
        self.credentials = Credentials(folder / "trust")
        self.air = Air(folder / "air")
        self.gate = WatchedGate(self.air.path, self.credentials.trust, folder / "data")
        self.account = Account(self.gate)
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
        self.account.ended(trial)
        await self.settled()
        self.account.judge(trial, *[None if isinstance(result, Exception) else result for result in results])

    async def new_phone(self, old: Phone) -> Phone:
        self.air.link.controllers -= {c for c in self.air.link.controllers if c.random_address == old.device.random_address}
        self.air.phones.remove(old.device)
        return await Phone.on(self.air)

    async def settled(self) -> None:
        """The gate has seen the end of the link, and is on the air again."""
        controller, end = self.air.gate, time.monotonic() + STALL
        while time.monotonic() < end:
            if not controller.le_connections and controller.le_legacy_advertiser.enabled and controller.host:
                return
            await asyncio.sleep(0.002)

    async def run(self, is_over) -> None:
        async with self.air:
            self.phone, self.rival = await Phone.on(self.air), await Phone.on(self.air)
            async with self.gate:
                await self.gate.until(lambda: self.gate.screen.announced, what="the first code")
                self.account.begin()
                while not is_over(self.account.visits, self.account.passed) and len(self.account.stalls) < MOST_STALLS:
                    await self.visit(draw(self.account.visits, self.seed, self.credentials, self.share))
                    if self.gate.process.returncode is not None:
                        self.account.stalls.append(f"the gate ended with {self.gate.process.returncode}: {self.gate.errors[-5:]}")
                        break
                    self.account.measure()
                await self.account.close(self.air.path, self.credentials.trust)


def main() -> int:
    seed = int(os.environ.get("SOAK_SEED") or secrets.randbelow(1 << 32))
    share = float(os.environ.get("SOAK_SHARE") or SHARE)
    seconds = float(os.environ.get("SOAK_SECONDS") or 0)
    most = int(os.environ.get("SOAK_VISITS") or (0 if seconds else 10 * WARM_UP))
    print(f"soak: seed {seed}, chance of each kind of trouble {share}", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        soak = Soak(Path(folder), seed, share)
        asyncio.run(soak.run(lambda visits, passed: bool(most and visits >= most or seconds and passed >= seconds)))
        violations = soak.account.violations()
        soak.account.report()
    for text in violations[:20]:
        print("VIOLATION " + text)
    return 1 if violations else 0


if __name__ == "__main__":
    sys.exit(main())
