"""An air, a gate on it, two phones, and whom the gate trusts: what tests of whole visits begin with."""
import asyncio
import time

import issuer
from air import Air
from gate import Gate
from phone import Phone, Plan, Visit

# One for all airs: a gate whose air is not served meets a controller that does not answer.
LOOP = asyncio.new_event_loop()


# A gate records 64 refused visits at once (docs/audit.md); one test makes fewer than what is left.
MOST_REFUSALS = 30


class Rig:
    """An air, a gate on it, two phones, and a trusted issuer for every algorithm."""

    def __init__(self, folder, *options: str, fragment: int = 251, algorithms=issuer.ALGORITHMS, air: Air | None = None) -> None:
        self.folder, self.options = folder, options
        self.issuers = {a: issuer.Issuer(a, f"https://{a.lower()}.demo.gatehouse.example") for a in algorithms}
        self.issuer = self.issuers["ES256"]
        self.trust = issuer.write_trust(folder / "trust", *self.issuers.values())
        self.air = air or Air(folder / "air", fragment)
        self.gate: Gate | None = None
        self.input = None      # the gate's standard input

    def run(self, coroutine):
        try:
            return LOOP.run_until_complete(coroutine)
        finally:
            self.served = time.monotonic()

    def restart_if_left_alone(self) -> None:
        """While tests without an air run, nobody answers the gate, and it takes its controller for broken: then a new one. Likewise one that has
        recorded so many refused visits that the next might only be counted."""
        if self.gate.process.returncode is None and (time.monotonic() - self.served > 1 or self.gate.refusals() > MOST_REFUSALS):
            self.run(self.gate.__aexit__())
        if self.gate.process.returncode is not None:
            self.start()

    def open(self) -> "Rig":
        self.run(self.air.__aenter__())
        self.phone, self.other = self.run(Phone.on(self.air)), self.run(Phone.on(self.air))
        self.start()
        return self

    def start(self) -> None:
        self.gate = Gate(self.air.path, self.trust, self.folder / "data", *self.options)
        self.gate.input = self.input
        self.run(self.gate.start())

    def close(self) -> None:
        self.run(self.gate.__aexit__())
        self.run(self.air.__aexit__())

    def uri(self) -> str:
        return self.run(self.gate.uri())

    def good(self, portrait: int = 3000, algorithm: str = "ES256") -> bytes:
        def make() -> bytes:
            return issuer.wrap(self.issuers[algorithm].credential(portrait))

        # A large one takes a while, and the gate's controller has to answer meanwhile.
        return make() if LOOP.is_running() else self.run(asyncio.to_thread(make))

    def visit(self, plan: Plan = Plan(), payload: bytes | None = None, uri: str | None = None) -> Visit:
        return self.run(self.gate.visit(self.phone, payload if payload is not None else self.good(), plan, uri=uri))

    def still_serves(self, profile: str = "ios") -> None:
        """What every accident is followed by: a complete visit."""
        visit = self.visit(Plan(profile))
        assert visit.accepted, f"the visit after: {visit}; gate: {self.gate.errors[-5:]}"

    def says(self, words: str) -> str:
        return self.run(self.gate.says(words))

    def light(self, state: str, since: float) -> float:
        return self.run(self.gate.light(state, since))
