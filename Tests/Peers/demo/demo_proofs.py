"""The part of `make run` with wallets of AnonCreds: what they are asked is a code on the screen, what they send proves it and no more."""
import json
import re
import time
from pathlib import Path

from air import Air
from aries_holder import VALUES, AriesHolder, Issuers
from aries_phone import AriesPhone, AriesPlan
from aries_rig import GROWN_UP, INVITATION, write_issuers, write_proofs
from gate import Gate

BIRTH_DATE = VALUES["resident"]["birth_date"]


async def show_proofs(make_demo, folder: Path) -> bool:
    """Two visits over Bluetooth. False where one went another way than it should."""
    issuers = Issuers()
    holder, trust = AriesHolder(issuers), folder / "trust-proofs"
    trust.mkdir()
    write_issuers(trust, issuers)
    options = ("--face", "off", "--offer", "aries", "--proofs", str(write_proofs(folder, **GROWN_UP)))
    async with Air(folder / "air-proofs.sock") as air, Gate(air.path, trust, folder / "data-proofs", *options) as gate:
        demo, phone = make_demo(gate, None), await AriesPhone.on(air)
        used: set[str] = set()

        async def show(what: str, plan: AriesPlan, *expected: str) -> None:
            demo.turn += 1
            await gate.until(lambda: gate.lights and gate.lights[-1][1] == "ready", what="the ready light")
            code = await gate.until(
                lambda: next((code for code, _ in reversed(gate.screen.others) if code.startswith(INVITATION) and code not in used), None),
                what="the code for AnonCreds wallets")
            used.add(code)
            before, began = len(gate.verdicts()), time.monotonic()
            seen = await phone.visit(code, holder, plan)
            record = (await gate.until(lambda: gate.verdicts()[before:], what="the audit record"))[-1]
            demo.say(f"{demo.turn}  {what}")
            await gate.light("accept" if record["outcome"] == "accepted" else "reject", began)
            demo.tell(record, f"proven: {', '.join(record.get('proven', [])) or 'nothing'}; {seen.sent / 1000:.1f} kB, {record['decidedMs']} ms from the "
                              "phone's connection to the verdict")
            # As a number of its own: among the thousands of digits of a proof its eight turn up by chance.
            if re.search(rf"(?<!\d){BIRTH_DATE}(?!\d)", json.dumps(seen.shown)):
                demo.is_as_expected = False
                demo.say("   This is not how the demo should go: the date of birth was sent.")
            elif seen.shown:
                demo.say("   The date of birth is in none of what the phone sent.")
            found = (record["outcome"], *record.get("reasons", []))
            if found != expected or seen.result != ("accepted" if expected[0] == "accepted" else "refused"):
                demo.is_as_expected = False
                demo.say(f"   This is not how the demo should go: {' '.join(expected)} was expected, not {' '.join(found)}; the wallet: {seen.result}.")
            demo.say()

        await show("Android wallet: proves that its holder is 18 or older", AriesPlan("android"), "accepted")
        await show("iOS wallet: sends a proof that was made for another visit", AriesPlan("ios", "other-nonce"), "rejected", "proof-invalid")
        return await gate.stop() == 0 and demo.is_as_expected
