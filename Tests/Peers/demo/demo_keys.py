"""The part of `make run` with Trusted Key wallets: what they are asked on the screen, and the code by which they answer."""
import asyncio
import time
from pathlib import Path

import faces
from air import Air
from code_rig import RATE, nothing
from gate import Gate
from key_authority import CLIENT, WALLET, KeyAuthority
from key_rig import close_up, write_settings
from key_wallet import STRANGER, KeyWallet, parsed


async def show_keys(make_demo, folder: Path) -> bool:
    """Two wallets. False where one went another way than it should."""
    frames, authority = faces.play(folder / "keys", list(nothing())), KeyAuthority()
    (folder / "trust-keys").mkdir()
    authority.write(folder / "trust-keys")
    options = ("--camera", f"dir:{frames},{RATE}", "--face", "off", "--offer", "tuvali,trustedkey", "--code-turn", "2",
               "--trusted-key", str(write_settings(folder)))
    async with Air(folder / "air-keys.sock") as air, Gate(air.path, folder / "trust-keys", folder / "data-keys", *options) as gate:
        demo = make_demo(gate, None)
        await gate.until(lambda: any("codes are read by" in line for line in gate.errors), what="the reader of codes")
        used: set[str] = set()

        async def show(what: str, wallet: KeyWallet, *expected: str) -> None:
            demo.turn += 1
            await gate.until(lambda: gate.lights and gate.lights[-1][1] == "ready", what="the ready light")
            code = await gate.until(lambda: next((code for code, _ in reversed(gate.screen.others) if code.startswith(WALLET) and code not in used), None),
                                    what="the code for Trusted Key wallets")
            used.add(code)
            answer = wallet.answer(code)
            film = await asyncio.to_thread(close_up, answer)
            before, began = len(gate.verdicts()), time.monotonic()
            faces.play(frames, list(film))
            record = (await gate.until(lambda: gate.verdicts()[before:], what="the audit record"))[-1]
            judged = time.monotonic()
            faces.play(frames, list(nothing()))
            demo.say(f"{demo.turn}  {what}")
            await gate.light("accept" if record["outcome"] == "accepted" else "reject", began)
            demo.tell(record, f"asked for {parsed(code)['objectIds']}; {len(answer)} characters in the answer's code, judged {(judged - began) * 1000:.0f} ms "
                              "after it was held up")
            if (found := (record["outcome"], *record.get("reasons", []))) != expected or record.get("presentation") != "trustedkey":
                demo.is_as_expected = False
                demo.say(f"   This is not how the demo should go: {' '.join(expected)} was expected, not {' '.join(found)}.")
            demo.say()

        await show("a wallet that read the gate's screen and answers with a code of its own", KeyWallet(authority, CLIENT), "accepted")
        stranger = KeyWallet(authority, CLIENT)
        stranger.claims, stranger.chain = [STRANGER.claim(stranger.key, {"2.5.4.3": "Mallory", "1.3.6.1.4.1.51341.21": "true"})], [STRANGER.issuer]
        await show("another, with a claim that it has made for itself", stranger, "rejected", "claim-untrusted")
        return await gate.stop() == 0 and demo.is_as_expected
