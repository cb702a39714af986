"""One gate that everybody may come to: a wallet that sends its credential (Tuvali), a phone with a document (mdoc), whose code the camera reads,
and a wallet of DIDComm that proves something. They come in turn, in every order, and after accidents of each other."""
import itertools
from dataclasses import dataclass
from typing import Callable

import pytest

from aries_phone import AriesPlan
from aries_rig import AriesRig
from gate import is_reference
from mdoc_phone import MdocPlan
from mdoc_rig import MdocRig
from phone import Plan

pytestmark = pytest.mark.skipif(is_reference(), reason="the reference gate has neither a camera nor questions")
PROFILES = ("android", "ios")


@dataclass
class Square:
    """Everybody's gate."""
    phones: MdocRig
    wallets: AriesRig

    def __post_init__(self) -> None:
        self.rig = self.phones.rig

    def records(self, mark: int, count: int) -> list[dict]:
        return self.rig.run(self.rig.gate.until(lambda: len(self.rig.gate.verdicts()) >= mark + count and self.rig.gate.verdicts()[mark:],
                                                what=f"{count} records"))

    def looks_again(self) -> None:
        """The gate may have made its offer anew: what is on the screen now counts, and the codes take turns."""
        self.rig.gate.screen.outdated = len(self.rig.gate.screen.turns)

    # MARK: those who are let in

    def tuvali(self, profile: str) -> None:
        mark = len(self.rig.gate.verdicts())
        self.rig.still_serves(profile)
        record = self.records(mark, 1)[0]
        # The kind that was there first is in no record by name.
        assert record["outcome"] == "accepted" and "presentation" not in record, record

    def mdoc(self, profile: str) -> None:
        # Either role, by either phone.
        self.phones.accepts_phone(MdocPlan({"android": "central", "ios": "peripheral"}[profile], profile=profile))
        self.looks_again()

    def didcomm(self, profile: str) -> None:
        assert self.wallets.accepts(AriesPlan(profile))["form"] == "anoncreds"

    # MARK: those who are not

    def tuvali_leaves(self, profile: str) -> None:
        assert not self.rig.visit(Plan(profile, leave_after="discovery")).accepted

    def tuvali_breaks_off(self, profile: str) -> None:
        mark = len(self.rig.gate.verdicts())
        assert not self.rig.visit(Plan(profile, leave_after="size")).accepted
        assert self.records(mark, 1)[0]["outcome"] == "left"

    def mdoc_breaks_off(self, profile: str) -> None:
        self.phones.loses_phone("mdoc-link-lost", "left", MdocPlan(profile=profile, mischief="drop_in_answer"))
        self.looks_again()

    def mdoc_forges(self, profile: str) -> None:
        self.phones.refuses_phone("mdoc-invalid", MdocPlan(profile=profile), faults=("issuer_sig",))
        self.looks_again()

    def didcomm_breaks_off(self, profile: str) -> None:
        self.wallets.meets("vanish", profile)

    def didcomm_forges(self, profile: str) -> None:
        self.wallets.meets("raw", profile)

    def didcomm_never_listens(self, profile: str) -> None:
        self.wallets.meets("deaf", profile)


GOOD: dict[str, Callable] = {"tuvali": Square.tuvali, "mdoc": Square.mdoc, "didcomm": Square.didcomm}
BAD: dict[str, Callable] = {
    name: getattr(Square, name) for name in ("tuvali_leaves", "tuvali_breaks_off", "mdoc_breaks_off", "mdoc_forges", "didcomm_breaks_off",
                                             "didcomm_forges", "didcomm_never_listens")}


@pytest.fixture(scope="module")
def shared_square(tmp_path_factory):
    folder = tmp_path_factory.mktemp("square")
    phones = MdocRig(folder, *AriesRig.options_for(folder, offers="tuvali,aries"), "--codes-without-face", "*")
    wallets = AriesRig(folder, rig=phones.rig)
    phones.open()
    try:
        yield Square(phones, wallets.comes())
    finally:
        phones.close()


@pytest.fixture
def square(shared_square):
    shared_square.phones.leaves()
    shared_square.rig.restart_if_left_alone()
    yield shared_square


@pytest.mark.parametrize("order", list(itertools.permutations(GOOD)), ids="-".join)
def test_in_every_order(square, order):
    mark = len(square.rig.gate.verdicts())
    for profile in PROFILES:
        for name in order:
            GOOD[name](square, profile)
    kinds = [record.get("presentation", "tuvali") for record in square.records(mark, 2 * len(order))]
    assert kinds == 2 * [{"didcomm": "aries"}.get(name, name) for name in order]


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("bad", BAD)
def test_after_an_accident(square, bad, profile):
    """Whichever kind comes next, it is let in."""
    for name in GOOD:
        BAD[bad](square, profile)
        GOOD[name](square, profile)
