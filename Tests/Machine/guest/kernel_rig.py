"""A gate on the user channel of a controller whose other side is Bumble's, and what may happen to the controller."""
import asyncio
import subprocess
import time

from gate import command
from kernel_air import KernelAir
from mischief import MISCHIEF, Mischief
from phone import Phone, Plan, Visit
from rig import Rig

PATIENCE = 60  # seconds: the machine is emulated, and may share its processor


def unconfined() -> tuple[str, ...]:
    """The option of a gate that may look at other processes."""
    options = subprocess.run([*command(), "run", "--help"], capture_output=True, text=True).stdout
    return ("--confine", "off") if "--confine" in options else ()


class KernelRig(Rig):
    def __init__(self, folder, *options: str, fragment: int = 251, starts: bool = True, **air) -> None:
        super().__init__(folder, *options, algorithms=("ES256",), air=KernelAir(fragment, **air))
        self.starts = starts

    def open(self) -> "KernelRig":
        self.run(self.air.__aenter__())
        self.phone, self.other = self.run(Phone.on(self.air)), self.run(Phone.on(self.air))
        if self.starts:
            self.start()
            self.until_ready(0)
        return self

    def start(self) -> None:
        super().start()
        self.started = self.gate.process

    def close(self) -> None:
        if self.gate is not None:
            return super().close()
        self.run(self.air.__aexit__())

    def repair(self) -> None:
        """After a case that failed, whatever it left behind."""
        if self.gate.process.returncode is not None:
            self.start()
        if self.air.plugged is None or not self.gate.lights or self.gate.lights[-1][1] in ("fault", "none"):
            self.air.unplug()
            self.run(asyncio.sleep(1))
            self.plug()

    # MARK: what happens to the controller

    def unplug(self) -> None:
        """Pulls the controller out; returns when the gate shows it."""
        since = time.monotonic()
        self.air.unplug()
        self.until_faulty(since)

    def plug(self, controller=None) -> None:
        """Plugs the same or another kind in; returns when the gate is to be found again."""
        since = time.monotonic()
        self.run(self.air.plug(controller))
        # An index is free again once nobody has a channel of it open.
        assert self.air.path in self.gate.arguments, "the gate still has the controller that was unplugged"
        self.until_ready(since)

    def during_transfer(self, action) -> Visit:
        """A visit in the middle of whose chunks `action()` happens."""
        async def happens(link) -> None:
            action()

        MISCHIEF["accident"] = Mischief("either", at="half", does=happens)
        return self.visit(Plan("ios", mischief="accident", patience=PATIENCE), self.good(8000))

    # MARK: what the gate does about it

    def until_faulty(self, since: float) -> float:
        """When the fault light came on."""
        return self.run(self.gate.light("fault", since, PATIENCE))

    def until_ready(self, since: float) -> None:
        """Until the ready light is on, and came on after `since`: then the code to visit by is on the screen."""
        self.until(lambda: self.gate.lights and self.gate.lights[-1][1] == "ready" and self.gate.lights[-1][0] >= since - 0.002, "the ready light")
        # It was there before the light, but in another pipe.
        self.run(asyncio.sleep(0.1))

    def until_said(self, words: str, after: int = 0) -> str:
        """The first line with these words on standard error, not counting the first `after`."""
        return self.until(lambda: next((line for line in self.gate.errors[after:] if words in line), None), words)

    def until(self, condition, what: str):
        return self.run(self.gate.until(condition, PATIENCE, what))

    def still_serves(self, profile: str = "ios") -> None:
        super().still_serves(profile)
        # A fault is shown only when the verdict's light is over, and one that is cured by then never is.
        self.until_ready(0)
        assert self.gate.process is self.started and self.gate.process.returncode is None, "the gate was started anew"
