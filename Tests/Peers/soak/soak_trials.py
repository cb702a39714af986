"""What happens in each visit of a soak, and what the gate owes it: drawn from a seed, known before the phone arrives."""
import random
from dataclasses import dataclass

from mischief import MISCHIEF
from phone import STEPS, Plan
from soak_credentials import CREDENTIAL_LIES, Credentials, Payload

SHARE = 0.05
PROFILES = ("android", "android14", "ios")
MTUS = (67, 100, 185, 247, 512, 517)
MOMENTS = ("connected", "identified", "sized", "half", "sent")

ACCIDENTS = ("chunks lost", "chunks damaged", "chunks doubled", "chunks out of order")
ENDINGS = ("leaves", "vanishes", "falls silent")
LIES = ("wrong key", "announces too much", *CREDENTIAL_LIES)
CONTROLLER = ("hardware error", "unanswered command", "unplugged")
KINDS = (*ACCIDENTS, *ENDINGS, *LIES, *CONTROLLER, "garbage", "reload", "race")

# Nonsense that a gate ignores, and nonsense without a rule: after that a visit may end either way.
IGNORED = tuple(name for name, mischief in MISCHIEF.items() if mischief.expect == "passes" and mischief.does)
NOISE = "noise"


@dataclass(frozen=True)
class Trial:
    """One visit, with everything that will go wrong in it."""
    number: int
    kinds: frozenset[str]
    plan: Plan
    payload: Payload
    rival: Payload | None     # of a second phone that saw the same code
    garbage: str = ""         # of IGNORED, or NOISE
    noise_at: str = ""        # of MOMENTS
    controller_at: str = ""   # of STEPS
    reload_at: str = ""       # of STEPS
    size: bytes = b""         # announced before the true one
    silence: float = 0.0      # seconds, before it leaves
    discovers: bool = True    # asks for the attributes, as a phone does that knows none

    def has(self, kinds) -> bool:
        return not self.kinds.isdisjoint(kinds)

    @property
    def is_genuine(self) -> bool:
        """Nothing that the visitor shows is wrong: he may be let in."""
        return not self.has(LIES)

    @property
    def is_undisturbed(self) -> bool:
        """Nothing keeps the gate from a verdict, and the phone from hearing it."""
        return not self.has(ENDINGS) and not self.has(CONTROLLER) and self.garbage != NOISE

    @property
    def duty(self) -> str:
        """What the gate owes the visitor: `accept`, `reject`, or, where the visit is cut short, `let in` at most or `keep out`."""
        if self.is_undisturbed:
            return "accept" if self.is_genuine else "reject"
        return "let in at most" if self.is_genuine else "keep out"

    def __str__(self) -> str:
        where = {"leaves after": self.plan.leave_after, "controller at": self.controller_at, "reload at": self.reload_at, "garbage": self.garbage}
        told = [", ".join(sorted(self.kinds)) or "nothing wrong", *(f"{name} {value}" for name, value in where.items() if value)]
        return f"visit {self.number} ({self.plan.profile}, MTU {self.plan.att_mtu}; {'; '.join(told)})"


def draw(number: int, seed: int, credentials: Credentials, share: float = SHARE) -> Trial:
    """The trial of this number: each kind of trouble by its own chance; of what excludes itself, one."""
    r = random.Random(f"{seed} {number}")
    kinds = {kind for kind in KINDS if r.random() < share}
    for group in (ENDINGS, LIES, CONTROLLER):
        if len(both := sorted(kinds.intersection(group))) > 1:
            kinds.difference_update(both)
            kinds.add(r.choice(both))
    lie = next((kind for kind in CREDENTIAL_LIES if kind in kinds), "")
    ending = next((kind for kind in ENDINGS if kind in kinds), "")
    plan = Plan(
        r.choice(PROFILES), att_mtu=r.choice(MTUS), seed=r.randrange(1 << 30), connecting=1.0, listens_after=0.0, patience=6.0,
        loss=0.3 * ("chunks lost" in kinds), corruption=0.3 * ("chunks damaged" in kinds), duplication=0.3 * ("chunks doubled" in kinds),
        reorder="chunks out of order" in kinds, mischief="random ciphertext" if "wrong key" in kinds else "",
        leave_after=r.choice(STEPS) if ending else "", vanish=ending == "vanishes")
    return Trial(
        number, frozenset(kinds), plan, r.choice(credentials.lies[lie] if lie else credentials.genuine),
        rival=r.choice(credentials.genuine) if "race" in kinds else None,
        garbage=r.choice((*IGNORED, *[NOISE] * 8)) if "garbage" in kinds else "", noise_at=r.choice(MOMENTS),
        controller_at=r.choice(STEPS) if kinds.intersection(CONTROLLER) else "", reload_at=r.choice(STEPS) if "reload" in kinds else "",
        size=r.choice((b"\xff\xff\xff\xff", b"\x7f\xff\xff\xff", b"\x01\x00\x00\x00", b"\x00\x40\x00\x01")) if "announces too much" in kinds else b"",
        silence=r.uniform(0.1, 0.6) if ending == "falls silent" else 0.0, discovers=r.random() < 0.1)
