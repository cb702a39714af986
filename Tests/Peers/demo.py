"""`make run`: a gate, a phone and the air between them, on this machine. No radio, no camera, no real identity.

STAY=1 keeps visitors coming until Ctrl-C. GATEHOUSE chooses the gate's program.
"""
import asyncio
import os
import shutil
import sys
import tempfile
import time
from pathlib import Path

import issuer
from air import Air
from gate import Gate, command
from phone import Phone, Plan, Visit

COLOUR = sys.stdout.isatty()
WHITE_ON_BLACK, GREEN, RED, GREY, RESET = "38;2;255;255;255;48;2;0;0;0", "1;97;42", "1;97;41", "2", "0"
PHONES = {"android": "Android wallet", "ios": "iOS wallet"}


def paint(style: str, text: str) -> str:
    return f"\x1b[{style}m{text}\x1b[{RESET}m" if COLOUR else text


def say(text: str = "") -> None:
    print(text, flush=True)


def milliseconds(visit: Visit, start: str, end: str) -> str:
    return f"{visit.seconds(start, end) * 1000:.0f} ms" if start in visit.at and end in visit.at else "-"


class Demo:
    def __init__(self, gate: Gate, phone: Phone) -> None:
        self.gate, self.phone = gate, phone
        self.turn = 0

    async def show_code(self) -> None:
        uri = await self.gate.uri()
        for line in self.gate.screen.codes[-1][1]:
            say("  " + paint(WHITE_ON_BLACK, line))
        say(f"  {uri}")
        say(paint(GREY, "  The gate's screen. A barcode reader (zxing) read this address back from the drawing; the phone is given nothing else."))
        say()

    async def visit(self, what: str, payload: bytes, plan: Plan) -> Visit:
        self.turn += 1
        await self.gate.until(lambda: self.gate.lights and self.gate.lights[-1][1] == "ready", what="the ready light")
        before = len(self.gate.verdicts())
        began = time.monotonic()
        visit = await self.gate.visit(self.phone, payload, plan)
        record = (await self.gate.until(lambda: self.gate.verdicts()[before:], what="the audit record"))[-1]
        say(f"{self.turn}  {PHONES[plan.profile]}: {what}")
        if visit.status is None:
            gone = time.monotonic()
            busy = await self.gate.light("busy", began)
            ready = await self.gate.light("ready", busy)
            say(f"   {paint(GREY, ' no verdict ')}  {record['outcome']}; {visit.chunk_count // 2} of {visit.chunk_count} chunks had been sent")
            say(f"   connected for {(gone - busy) * 1000:.0f} ms; the gate was ready for the next visitor {max(0, ready - gone) * 1000:.0f} ms after the wallet was gone")
        else:
            # The lamp itself, from the gate's log of its lights.
            await self.gate.light("accept" if visit.accepted else "reject", began)
            style, word = (GREEN, " GREEN ") if visit.accepted else (RED, "  RED  ")
            reasons = ", ".join(record.get("reasons", [])) or ", ".join(record.get("notes", []))
            say(f"   {paint(style, word)}  {record['outcome']}{': ' + reasons if reasons else ''}")
            size = f"{visit.message_length / 1000:.1f} kB in {visit.chunk_count} chunks"
            again = f", {visit.rounds} rounds of sending lost ones again" if visit.rounds else ""
            say(f"   {size}{again}; found and connected {milliseconds(visit, 'scan', 'connect')}, "
                f"key agreement {milliseconds(visit, 'connect', 'identify')}, "
                f"transfer {milliseconds(visit, 'first chunk', 'success')} (50 of them a fixed wait), verdict {milliseconds(visit, 'success', 'status')}, "
                f"in all {milliseconds(visit, 'scan', 'status')}")
        say()
        return visit


async def main() -> int:
    if shutil.which(command()[0]) is None:
        say(f"There is no gate at {command()[0]}. Build it first: swift build -c release")
        return 1
    with tempfile.TemporaryDirectory(prefix="gatehouse-demo-") as temporary:
        folder = Path(temporary)
        trusted = issuer.Issuer("ES256")
        issuer.write_trust(folder / "trust", trusted)
        say("Gatehouse demo: the real gate program, a phone made with Google's Bumble, and a software air between two controllers.")
        say(paint(GREY, "No radio and no camera: the timings are of software. Nobody is matched to the portrait. The issuer's key was made just now."))
        say()
        async with Air(folder / "air.sock") as air, Gate(air.path, folder / "trust", folder / "data") as gate:
            demo = Demo(gate, await Phone.on(air))
            await demo.show_code()
            good = lambda: trusted.credential(portrait=20_000)
            first = await demo.visit("a valid credential", issuer.wrap(good()), Plan("android"))
            second = await demo.visit("the same, with a name changed after signing", issuer.wrap(issuer.with_disclosure_changed(good())), Plan("android"))
            third = await demo.visit("walks away half way through", issuer.wrap(good()), Plan("ios", leave_after="chunks", vanish=True))
            fourth = await demo.visit("the next visitor, 3 of 10 chunks lost on the way", issuer.wrap(good()), Plan("ios", loss=0.3))
            if os.environ.get("STAY", "0") not in ("", "0"):
                await stay(demo, trusted)
            records = len(gate.audit())
            status = await gate.stop()
            as_expected = first.accepted and second.rejected and third.error and fourth.accepted and status == 0
            say(f"The gate was asked to end and did, with exit code {status}. Its audit log has {records} records; each names the digest of the one before.")
            if not as_expected:
                say("This is not how the demo should go.")
            return 0 if as_expected else 1


async def stay(demo: Demo, trusted: issuer.Issuer) -> None:
    say("Visitors keep coming, one every three seconds. Ctrl-C ends the demo.")
    say()
    stop = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(2, stop.set)
    while not stop.is_set():
        profile = ("android", "ios")[demo.turn % 2]
        credential = trusted.credential(portrait=20_000)
        if demo.turn % 3:
            await demo.visit("a valid credential", issuer.wrap(credential), Plan(profile))
        else:
            await demo.visit("an expired credential", issuer.wrap(trusted.credential(20_000, issued=-60, expires=-1)), Plan(profile))
        try:
            await asyncio.wait_for(stop.wait(), 3)
        except asyncio.TimeoutError:
            pass


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
