"""The part of `make run` without a phone: printed cards, and whom they let in."""
import asyncio
import time
from pathlib import Path

import cards
import faces
from air import Air
from code_rig import RATE, TYPE, nothing, photo, shots
from gate import Gate


class Reader:
    """Holds cards before a gate's camera, which is a folder of pictures, and tells what becomes of each."""

    def __init__(self, gate: Gate, frames: Path, demo) -> None:
        self.gate, self.frames, self.demo = gate, frames, demo

    async def show(self, what: str, text: str, *expected: str) -> None:
        self.demo.turn += 1
        await self.gate.until(lambda: self.gate.lights and self.gate.lights[-1][1] == "ready", what="the ready light")
        # The air is served while the card is drawn.
        card = await asyncio.to_thread(shots, text)
        before, began = len(self.gate.verdicts()), time.monotonic()
        faces.play(self.frames, list(card))
        record = (await self.gate.until(lambda: self.gate.verdicts()[before:], what="the audit record"))[-1]
        faces.play(self.frames, list(nothing()))
        judged = time.monotonic()
        self.demo.say(f"{self.demo.turn}  {what}")
        await self.gate.light("accept" if record["outcome"] == "accepted" else "reject", began)
        self.demo.tell(record, f"{len(text)} characters in the code, judged {(judged - began) * 1000:.0f} ms after it was held up")
        if (found := (record["outcome"], *record.get("reasons", []))) != expected or record.get("presentation") != "code":
            self.demo.is_as_expected = False
            self.demo.say(f"   This is not how the demo should go: {' '.join(expected)} was expected, not {' '.join(found)}.")
        self.demo.say()


async def show_codes(make_demo, trusted, folder: Path) -> bool:
    """Two cards. False where one went another way than it should."""
    frames = faces.play(folder / "cards", list(nothing()))
    options = ("--camera", f"dir:{frames},{RATE}", "--face", "off", "--codes", "always", "--codes-without-face", TYPE)
    async with (Air(folder / "air-codes.sock") as air,
                Gate(air.path, trusted.folder, folder / "data-codes", "--root", str(trusted.operators.root), *options) as gate):
        demo = make_demo(gate, None)
        await gate.until(lambda: any("codes are read by" in line for line in gate.errors), what="the reader of codes")
        reader = Reader(gate, frames, demo)
        card = trusted.cards.card(photo(number=1))
        await reader.show("a printed card with a signed claim 169, held before the camera", card, "accepted")
        await reader.show("the same card, with another name printed into its code", cards.tampered(card), "rejected", "signature-invalid")
        return await gate.stop() == 0 and demo.is_as_expected
