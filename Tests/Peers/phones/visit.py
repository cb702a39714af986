"""What a visit is made of for every phone, whatever radio it has: a `Plan` says what the phone is and what goes wrong, a `Visit` what happened
and when. Imports no radio: in an emulated board that takes half a minute."""
import asyncio
import time
from dataclasses import dataclass, field

import wallet as w

STEPS = ("connect", "mtu", "discovery", "identify", "size", "chunks", "report", "success")


@dataclass(frozen=True)
class Plan:
    profile: str = "android"
    wire: str = "0.5"           # or 0.4, for wallets before Inji 0.13
    att_mtu: int = 517          # the most this phone's stack takes
    strict: bool = False        # apply the wallet's own MTU rules; else take what `att_mtu` gives
    loss: float = 0.0           # this share of every pass is lost (rounded down, chosen by `seed`)
    corruption: float = 0.0     # this share of every pass has a bit flipped
    duplication: float = 0.0    # this share is sent twice
    reorder: bool = False       # every pass is shuffled
    always_lost: int = 0        # this chunk never arrives
    seed: int = 1
    mischief: str = ""          # a name from mischief.py
    leave_after: str = ""       # a name from STEPS
    vanish: bool = False        # leave by walking away: the link times out. Else by disconnecting
    halts_after: str = ""       # a name from STEPS, after which the phone only listens
    stays: bool = False         # ignores the status and the request to disconnect: the gate has to end the link
    confirms: bool = True       # confirms indications
    pace: float = 0.0           # seconds after each chunk (iOS wallets: 0.02)
    settle: float = 0.0         # seconds after each MTU request (Android wallets: 0.5)
    listens_after: float = 0.0  # seconds after Android's first report request in which it does not listen to 0A and 2037 yet; 0: it does at once
    patience: float = 60.0      # seconds to wait for any one thing: longer than the slowest machine needs
    connecting: float = 60.0    # seconds to wait for the link
    others: int = 0             # the search is given up when so many advertisements of others were heard; 0: when patience ends


@dataclass
class Visit:
    plan: Plan
    events: list[str] = field(default_factory=list)
    at: dict[str, float] = field(default_factory=dict)
    status: int | None = None
    error: str = ""
    key: bytes = b""
    address: str = ""
    att_mtu: int = 0
    message_length: int = 0
    chunk_count: int = 0
    rounds: int = 0
    pushes: list[tuple[str, str, bytes]] = field(default_factory=list)  # kind, characteristic, value
    lost_pushes: int = 0           # of those, the ones that came before the wallet listened
    link_lost: int | None = None   # the reason, if the gate or the air ended the link

    @property
    def accepted(self) -> bool:
        return self.status == 0 and not self.error

    @property
    def rejected(self) -> bool:
        return self.status == 1 and not self.error

    @property
    def refused(self) -> bool:
        """The gate did not accept, and said so by status 01, by asking for the disconnect or by ending the link."""
        return self.status != 0 and (self.status == 1 or self.error in ("asked to disconnect", "link lost"))

    def seconds(self, start: str, end: str) -> float:
        return self.at[end] - self.at[start]

    def __str__(self) -> str:
        return f"status={self.status} error={self.error!r} rounds={self.rounds} mtu={self.att_mtu} events={self.events}"


class Ended(Exception):
    """The visit cannot go on."""


class Conduct:
    """What every wallet does with what the gate pushes: `pushes` holds the characteristic and its value, or an empty name for a lost link."""

    plan: Plan
    visit: Visit
    pushes: asyncio.Queue

    def mark(self, name: str, again: bool = False) -> None:
        if again or name not in self.visit.at:
            self.visit.at[name] = time.monotonic()

    async def pushed(self) -> tuple[str, bytes]:
        try:
            name, value = await asyncio.wait_for(self.pushes.get(), self.plan.patience)
        except asyncio.TimeoutError:
            raise Ended("the gate says nothing") from None
        if not name:
            raise Ended("link lost")
        if name == w.DISCONNECT and value[:1] == b"\x01":
            self.visit.events.append("asked to disconnect")
            self.mark("asked")
            raise Ended("asked to disconnect")
        return name, value
