"""The part of `make run` with documents in phones (ISO/IEC 18013-5): each bearer, and whom it lets in."""
import asyncio
import time
from pathlib import Path

import faces
import holder as wallet
from air import Air
from code_rig import RATE, nothing, shots
from gate import Gate
from mdoc_phone import MdocPhone, MdocPlan

# Bearer, plan; what is wrong with the second phone's document, and the reason.
VISITS = (
    ("the gate as server", MdocPlan("central", profile="android"), "copied to another phone, which lacks its key", "wrong_device_key", "mdoc-invalid"),
    ("the gate as client", MdocPlan("peripheral", profile="ios"), "that has expired", "expired", "mdoc-expired"),
    ("an L2CAP channel", MdocPlan("peripheral", "engagement"), "that somebody else has signed", "issuer_sig", "mdoc-invalid"),
)


class Holders:
    """Visitors whose phones show a code to a gate's camera, which is a folder of pictures, and what becomes of each."""

    def __init__(self, gate: Gate, air: Air, frames: Path, demo) -> None:
        self.gate, self.air, self.frames, self.demo = gate, air, frames, demo

    async def show(self, what: str, holder: wallet.Holder, plan: MdocPlan, *expected: str) -> None:
        self.demo.turn += 1
        await self.gate.until(lambda: self.gate.lights and self.gate.lights[-1][1] == "ready", what="the ready light")
        before, device = len(self.gate.verdicts()), await self.air.new_phone()
        phone = MdocPhone(device, holder, plan)
        code = await phone.prepare()
        film = await asyncio.to_thread(shots, code)
        began = time.monotonic()
        faces.play(self.frames, list(film))
        seen = await phone.visit()
        faces.play(self.frames, list(nothing()))
        record = (await self.gate.until(lambda: self.gate.verdicts()[before:], what="the audit record"))[-1]
        judged = time.monotonic()
        await device.power_off()
        self.air.phones.remove(device)
        self.demo.say(f"{self.demo.turn}  {what}")
        await self.gate.light("accept" if record["outcome"] == "accepted" else "reject", began)
        asked = [space for each in seen.requests for document in each["documents"][:1] for space in document["nameSpaces"].values()]
        names = ", ".join(sorted({name for space in asked for name in space}))
        self.demo.tell(record, f"asked for: {names}; {seen.sent / 1000:.1f} kB in return, judged {(judged - began) * 1000:.0f} ms after the code was shown")
        found = (record["outcome"], *record.get("reasons", []), record.get("presentation"), record.get("role"), record.get("bearer"))
        if found != (*expected, "mdoc", "peripheral" if plan.role == "central" else "central", "gatt" if plan.l2cap == "none" else "channel"):
            self.demo.is_as_expected = False
            self.demo.say(f"   This is not how the demo should go: {' '.join(expected)} was expected, not {' '.join(map(str, found))}.")
        self.demo.say()


async def show_documents(make_demo, trusted, folder: Path) -> bool:
    """Two phones for each bearer. False where one went another way than it should."""
    frames = faces.play(folder / "documents", list(nothing()))
    options = ("--camera", f"dir:{frames},{RATE}", "--face", "off", "--codes", "always")
    async with (Air(folder / "air-documents.sock") as air,
                Gate(air.path, trusted.folder, folder / "data-documents", "--root", str(trusted.operators.root), *options) as gate):
        demo = make_demo(gate, None)
        await gate.until(lambda: any("codes are read by" in line for line in gate.errors), what="the reader of codes")
        holders = Holders(gate, air, frames, demo)
        for bearer, plan, trouble, fault, reason in VISITS:
            good = wallet.Holder(issuer=trusted.authority)
            await holders.show(f"a driving licence in a phone that shows its code to the camera; {bearer}", good, plan, "accepted")
            # The authority makes the document as it is wanted for this phone, and the next one as it should be.
            trusted.authority.faults = {wallet.ALIASES.get(fault, fault)}
            bad = wallet.Holder(issuer=trusted.authority, faults=(fault,))
            trusted.authority.faults = set()
            await holders.show(f"a driving licence {trouble}; {bearer}", bad, plan, "rejected", reason)
        return await gate.stop() == 0 and demo.is_as_expected
