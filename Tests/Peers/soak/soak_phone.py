"""The phones of a soak and the gate they visit: conduct and troubles of one trial, lights and verdicts in the order they are told."""
import asyncio
import contextlib
import json
import re
import signal
import time
from types import SimpleNamespace

import wallet as w
from air import Air
from gate import URI, Gate, Screen, audit_octets
from mischief import MISCHIEF, noise_of
from phone import Ended, Link, Plan
from soak_trials import NOISE, Trial

STALL = 20  # seconds without service
HARDWARE_ERROR = bytes((0x04, 0x10, 1, 0x42))
VISIT = re.compile(r"^gatehouse: visit \d+ (\S+)")


class NewestCode(Screen):
    """Only the newest code is kept, and no drawing is read."""

    def line(self, text: str) -> None:
        if found := URI.search(text):
            self.announced = [found.group()]


class WatchedGate(Gate):
    """Green is for somebody who was let in, and for nobody else."""

    def __init__(self, *arguments: str) -> None:
        super().__init__(*arguments)
        self.screen = NewestCode()
        self.told, self.is_green, self.greens, self.contradictions = "nothing", False, 0, []
        self.read_up_to = 0

    @property
    def code(self) -> str:
        """What the screen says now."""
        return self.screen.announced[-1]

    def said(self, line: str) -> None:
        lights = len(self.lights)
        super().said(line)
        if found := VISIT.match(line):
            self.told = found.group(1)
        elif len(self.lights) > lights:
            self.lit(self.lights[-1][1].split("+"))
        del self.errors[:-20], self.lights[:-20], self.periods[:-20]

    def lit(self, lamps: list[str]) -> None:
        is_green = "accept" in lamps
        # Green stays for a while after its visitor, but begins with nobody else and ends with the next rejection.
        if is_green and (self.told == "rejected" or not self.is_green and self.told != "accepted"):
            self.contradictions.append(f"green after a visit that was {self.told}")
        if is_green and "reject" in lamps:
            self.contradictions.append("green and red at once")
        self.greens += is_green and not self.is_green
        self.is_green = is_green

    def news(self) -> list[dict]:
        """The visits recorded since the last call."""
        *lines, _ = audit_octets(self.data, self.read_up_to).split(b"\n")
        self.read_up_to += sum(len(line) + 1 for line in lines)
        return [record for record in map(json.loads, lines) if record["event"] == "visit"]


class SoakLink(Link):
    """A wallet that looks at the screen until it has a link, knows the gate's attributes from before, and has its trial's troubles."""

    def __init__(self, air: Air, device, plan: Plan, soak, trial: Trial | None) -> None:
        super().__init__(air, device, plan)
        self.soak, self.trial = soak, trial

    @property
    def is_linked(self) -> bool:
        return self.device.random_address in self.air.gate.le_connections

    async def connect(self, uri: w.VerifierURI) -> None:
        while True:
            with contextlib.suppress(Ended, asyncio.TimeoutError):
                await super().connect(uri)
                if self.is_linked:
                    break
                # Somebody else was quicker: to the phone it looks like a link for an instant.
                await asyncio.wait_for(self.gone.wait(), 2)
            if time.monotonic() > self.visit.at["scan"] + STALL:
                self.soak.account.stalled(self.soak.own, f"{self.trial} not served")
                raise Ended("not served")
            self.gone.clear()
            self.pushes = asyncio.Queue()
        self.soak.account.served(self.soak.own)

    async def find(self, _):
        return await super().find(lambda: w.VerifierURI.parse(self.soak.gate.code))

    async def discover(self) -> None:
        """Handles are kept between visits, as phones keep them."""
        known = self.soak.handles.get(self.ios)
        if known is None or self.trial is None or self.trial.discovers:
            await super().discover()
            self.soak.handles[self.ios] = {name: c.handle for name, c in self.characteristics.items()}
            return
        self.characteristics = {name: SimpleNamespace(handle=handle) for name, handle in known.items()}
        for name in (w.REPORT, w.STATUS, w.DISCONNECT):
            self.listen(name)
            if self.ios:
                self.listening.add(name)
                await self.guard(self.client.write_value(known[name] + 1, b"\x02\x00", with_response=True))
        await self.step("discovery")

    async def step(self, name: str) -> None:
        if (trial := self.trial) and name not in self.visit.events:
            if name == trial.reload_at:
                self.soak.gate.process.send_signal(signal.SIGHUP)
            if name == trial.controller_at:
                self.trouble_controller(trial)
            if name == trial.plan.leave_after and trial.silence:
                with contextlib.suppress(asyncio.TimeoutError):
                    await asyncio.wait_for(self.gone.wait(), trial.silence)
        await super().step(name)

    def trouble_controller(self, trial: Trial) -> None:
        controller = self.air.gate
        if "unanswered command" in trial.kinds:
            controller.unanswered = 1
        elif controller.host is None:
            pass  # it is unplugged already
        elif "hardware error" in trial.kinds:
            controller.host.on_packet(HARDWARE_ERROR)
        else:
            controller.host.transport.close()

    async def mischief_at(self, moment: str) -> None:
        if (trial := self.trial) is not None:
            if trial.garbage == NOISE and moment == trial.noise_at:
                await noise_of(self.random)(self)
            elif (mischief := MISCHIEF.get(trial.garbage)) and mischief.at == moment:
                await mischief.does(self)
            if trial.size and moment == "identified":
                await self.write(w.SIZE, trial.size, request=False)
            await self.drain()
        await super().mischief_at(moment)


class RivalLink(SoakLink):
    """The second phone in a race: an honest one that saw the same code, and does not try for long."""

    async def connect(self, uri: w.VerifierURI) -> None:
        await Link.connect(self, uri)
        if not self.is_linked:
            raise Ended("too late")
        self.soak.account.served(self.soak.own)

    async def find(self, code):
        return await Link.find(self, code)
