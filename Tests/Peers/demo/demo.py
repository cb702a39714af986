"""`make run`: a gate, a phone and the air between them, on this machine. No radio, pictures in the place of a camera, no real identity.

STAY=1 keeps visitors coming until Ctrl-C, before the rest. GATEHOUSE chooses the gate's program. FACES=1: not without the visits in which
faces are compared; FACES=0: never with them, as for tests on a busy machine: a real matcher has to be in time for its visitor.
"""
import asyncio
import os
import shutil
import signal
import sys
import tempfile
import time
from pathlib import Path

import faces
import issuer
from air import Air
from cards import CardIssuer, write_card_trust
from demo_codes import show_codes
from demo_documents import show_documents
from demo_faces import show_faces
from demo_keys import show_keys
from demo_proofs import show_proofs
from gate import Gate, command, is_reference
from holder import Issuer as Authority
from linked_issuer import LinkedIssuer, write_trust
from linked_refusals import changed
from mdoc_rig import write_roots
from phone import Phone, Plan, Visit
from status_lists import entry, list_credential, with_status, write_lists
from trust_bundle import Operators

COLOUR = sys.stdout.isatty()
WHITE_ON_BLACK, GREEN, RED, GREY, RESET = "38;2;255;255;255;48;2;0;0;0", "1;97;42", "1;97;41", "2", "0"
PHOTO = 100_000
STATUS_LIST = "https://issuer.demo.gatehouse.example/status/1"
GOOD, REVOKED = 94_567, 54_321
PHONES = {"android": "Android wallet", "ios": "iOS wallet"}


def paint(style: str, text: str) -> str:
    return f"\x1b[{style}m{text}\x1b[{RESET}m" if COLOUR else text


def say(text: str = "") -> None:
    print(text, flush=True)


def milliseconds(visit: Visit, start: str, end: str) -> str:
    return f"{visit.seconds(start, end) * 1000:.0f} ms" if start in visit.at and end in visit.at else "-"


class Demo:
    def __init__(self, gate: Gate, phone: Phone, turn: int = 0) -> None:
        self.gate, self.phone, self.turn = gate, phone, turn
        self.is_as_expected = True
        self.say = say

    async def show_code(self) -> None:
        uri = await self.gate.uri()
        for line in self.gate.screen.codes[-1][1]:
            say("  " + paint(WHITE_ON_BLACK, line))
        say(f"  {uri}")
        say(paint(GREY, "  The gate's screen. A barcode reader (zxing) read this address back from the drawing; the phone is given nothing else."))
        say()

    async def visit(self, what: str, payload: bytes, plan: Plan, *expected: str) -> None:
        """One visit; `expected` is the outcome of its record, and the reason of a rejected one."""
        self.turn += 1
        await self.gate.until(lambda: self.gate.lights and self.gate.lights[-1][1] == "ready", what="the ready light")
        before = len(self.gate.verdicts())
        began = time.monotonic()
        visit = await self.gate.visit(self.phone, payload, plan)
        record = (await self.gate.until(lambda: self.gate.verdicts()[before:], what="the audit record"))[-1]
        say(f"{self.turn}  {PHONES[plan.profile]}: {what}")
        if visit.status is None:
            await self.tell_of_leaving(visit, record, began)
        else:
            await self.tell_of_verdict(visit, record, began)
        found = (record["outcome"], *record.get("reasons", []))
        if found != expected or (visit.accepted, visit.rejected) != (expected[0] == "accepted", expected[0] == "rejected"):
            self.is_as_expected = False
            say(f"   This is not how the demo should go: {' '.join(expected)} was expected.")
        say()

    async def tell_of_leaving(self, visit: Visit, record: dict, began: float) -> None:
        gone = time.monotonic()
        busy = await self.gate.light("busy", began)
        ready = await self.gate.light("ready", busy)
        say(f"   {paint(GREY, ' no verdict ')}  {record['outcome']}; {visit.chunk_count // 2} of {visit.chunk_count} chunks had been sent")
        say(f"   connected for {(gone - busy) * 1000:.0f} ms; the gate was ready for the next visitor {max(0, ready - gone) * 1000:.0f} ms "
            "after the wallet was gone")

    def tell(self, record: dict, *more: str) -> None:
        """The light and why."""
        style, word = (GREEN, " GREEN ") if record["outcome"] == "accepted" else (RED, "  RED  ")
        known = [record[name] for name in ("proof", "status") if name in record]
        if "face" in record:
            known.append(f"face {record['face']}")
        reasons = ", ".join(record.get("reasons", [])) or ", ".join(known + record.get("notes", []))
        say(f"   {paint(style, word)}  {record['outcome']}{': ' + reasons if reasons else ''}")
        for line in more:
            say(f"   {line}")

    async def tell_of_verdict(self, visit: Visit, record: dict, began: float) -> None:
        # The lamp itself, from the gate's log of its lights.
        await self.gate.light("accept" if visit.accepted else "reject", began)
        self.tell(record)
        size = f"{visit.message_length / 1000:.1f} kB in {visit.chunk_count} chunks"
        again = f", {visit.rounds} rounds of sending lost ones again" if visit.rounds else ""
        # The first report waits for a wallet that has not subscribed; one that has, and one that was told what is missing, do not wait.
        is_timed = visit.plan.profile == "android" and {"first chunk", "success"} <= visit.at.keys()
        waited = " (50 of them a fixed wait)" if is_timed and visit.seconds("first chunk", "success") >= 0.05 else ""
        say(f"   {size}{again}; found and connected {milliseconds(visit, 'scan', 'connect')}, "
            f"key agreement {milliseconds(visit, 'connect', 'identify')}, "
            f"transfer {milliseconds(visit, 'first chunk', 'success')}{waited}, "
            f"verdict {milliseconds(visit, 'success', 'status')}, in all {milliseconds(visit, 'scan', 'status')}")
        if "face" in record:
            say(f"   face: {record['face']}, {record.get('faceBin', 'nothing compared')}, {record['faceFrames']} frames, {record['faceMs']} ms")


class Trusted:
    """Three issuers and an authority whom the gate believes, and the bundle that says so."""

    def __init__(self, folder: Path) -> None:
        self.sd_jwt, self.json_ld, self.cards = issuer.Issuer("ES256"), LinkedIssuer("RsaSignature2018 PS256"), CardIssuer()
        source, self.folder = folder / "source", folder / "trust"
        issuer.write_trust(source, self.sd_jwt)
        write_trust(source, self.json_ld)
        write_card_trust(source, self.cards)
        self.authority = Authority()
        write_roots(source, self.authority)
        write_lists(source, {STATUS_LIST: list_credential(self.json_ld, STATUS_LIST, [REVOKED])}, int(time.time()))
        self.operators = Operators(folder / "operators")
        self.operators.install(source, self.folder)

    def good(self, **changes) -> bytes:
        return issuer.wrap(self.sd_jwt.credential(portrait=20_000, **changes))

    def tampered(self) -> bytes:
        return issuer.wrap(issuer.with_disclosure_changed(self.sd_jwt.credential(portrait=20_000)))

    def linked(self, index: int = GOOD) -> dict:
        """A JSON-LD credential, number `index` of its issuer's status list."""
        return self.json_ld.secured(with_status(self.json_ld.document(PHOTO), entry(STATUS_LIST, index)))


def wrapped(credential: dict) -> bytes:
    return issuer.wrap(credential, "ldp_vc")


async def show(demo: Demo, trusted: Trusted) -> None:
    """What the demo is about."""
    await demo.visit("a valid credential", trusted.good(), Plan("android"), "accepted")
    await demo.visit("the same, with a name changed after signing", trusted.tampered(), Plan("android"), "rejected", "disclosure-unreferenced")
    await demo.visit("walks away half way through", trusted.good(), Plan("ios", leave_after="chunks", vanish=True), "left")
    await demo.visit("the next visitor, 3 of 10 chunks lost on the way", trusted.good(), Plan("ios", loss=0.3), "accepted")
    say(paint(GREY, f"Now JSON-LD credentials that can be revoked. Their photo is {PHOTO // 1000} kB of random octets "
                    "behind the first four of a JPEG: nobody is in it."))
    say()
    linked = trusted.linked()
    await demo.visit(f"a JSON-LD credential with a photo of {PHOTO // 1000} kB", wrapped(linked), Plan("android"), "accepted")
    await demo.visit("the same with one claim more, of which no signature knows: \"clearance\": \"all doors\"",
                     wrapped(changed(linked, "credentialSubject", "clearance", to="all doors")), Plan("ios"), "rejected", "claims-uncovered")
    await demo.visit("one like the first, which its issuer has revoked since", wrapped(trusted.linked(REVOKED)), Plan("ios"), "rejected", "revoked")


async def main() -> int:
    if is_reference():
        say("The reference gate has no trust bundles.")
        return 1
    if shutil.which(command()[0]) is None:
        say(f"There is no gate at {command()[0]}. Build it first: swift build -c release")
        return 1
    absent = "by FACES=0" if os.environ.get("FACES") == "0" else faces.missing()
    if absent and os.environ.get("FACES") == "1":
        say(absent)
        return 1
    with tempfile.TemporaryDirectory(prefix="gatehouse-demo-") as temporary:
        folder = Path(temporary)
        trusted = Trusted(folder)
        operators = trusted.operators
        say("Gatehouse demo: the real gate program, a phone made with Google's Bumble, and a software air between two controllers.")
        say(paint(GREY, "No radio: the timings are of software. No face is compared in the first nineteen visits. All keys were made just now."))
        async with (Air(folder / "air.sock") as air,
                    Gate(air.path, trusted.folder, folder / "data", "--root", str(operators.root)) as gate):
            demo = Demo(gate, await Phone.on(air))
            await gate.until(lambda: any("trust bundle 1, 3 issuers" in line for line in gate.errors), what="the trust bundle")
            say(f"trust bundle 1, signed by {operators.threshold} of {len(operators.names)}: "
                "3 issuers, the contexts of their credentials, a status list, and an authority for driving licences")
            say()
            await demo.show_code()
            await show(demo, trusted)
            if os.environ.get("STAY", "0") not in ("", "0"):
                await stay(demo, trusted)
            records = len(gate.audit())
            status = await gate.stop()
            say(f"The gate was asked to end and did, with exit code {status}. Its audit log has {records} records; "
                "each names the digest of the one before.")
        is_as_expected = demo.is_as_expected and status == 0
        say()
        say(paint(GREY, "Now a gate with a camera, played by a folder of pictures, and visitors without a phone. This gate takes a card without a face."))
        say()
        is_as_expected &= await show_codes(lambda gate, phone: Demo(gate, phone, demo.turn), trusted, folder)
        say(paint(GREY, "Now driving licences in phones (ISO/IEC 18013-5): the phone shows a code to the gate's camera, and signs for this very visit."))
        say()
        is_as_expected &= await show_documents(lambda gate, phone: Demo(gate, phone, demo.turn + 2), trusted, folder)
        say(paint(GREY, "Now Trusted Key wallets, of which no store has one: the request is a code on the gate's screen, the answer a code before its camera."))
        say()
        is_as_expected &= await show_keys(lambda gate, phone: Demo(gate, phone, demo.turn + 8), folder)
        say(paint(GREY, "Now wallets of AnonCreds over Bluetooth, of which no store has one: the gate asks whether somebody is 18, and for nothing else."))
        say()
        is_as_expected &= await show_proofs(lambda gate, phone: Demo(gate, phone, demo.turn + 10), folder)
        if absent:
            say(f"The visits in which faces are compared are left out: {absent}")
            return 0 if is_as_expected else 1
        say(paint(GREY, "Now a gate that compares faces. The photographs are published examples of two well-known people."))
        say()
        return 0 if await show_faces(lambda gate, phone: Demo(gate, phone, demo.turn + 12), trusted, folder) and is_as_expected else 1


async def stay(demo: Demo, trusted: Trusted) -> None:
    say("Visitors keep coming, one every three seconds, until Ctrl-C; then come cards, driving licences, other wallets and faces. A second Ctrl-C ends the demo.")
    say()
    stop, loop = asyncio.Event(), asyncio.get_running_loop()

    def go_on() -> None:
        loop.remove_signal_handler(signal.SIGINT)
        stop.set()

    loop.add_signal_handler(signal.SIGINT, go_on)
    while not stop.is_set():
        plan = Plan(("android", "ios")[demo.turn % 2])
        match demo.turn % 5:
            case 0:
                await demo.visit("an expired credential", trusted.good(issued=-60, expires=-1), plan, "rejected", "expired")
            case 2:
                await demo.visit("a JSON-LD credential", wrapped(trusted.linked()), plan, "accepted")
            case 4 if demo.turn % 2:
                await demo.visit("a JSON-LD credential that was revoked", wrapped(trusted.linked(REVOKED)), plan, "rejected", "revoked")
            case _:
                await demo.visit("a valid credential", trusted.good(), plan, "accepted")
        try:
            await asyncio.wait_for(stop.wait(), 3)
        except asyncio.TimeoutError:
            pass


if __name__ == "__main__":
    try:
        sys.exit(asyncio.run(main()))
    except KeyboardInterrupt:
        sys.exit(130)
