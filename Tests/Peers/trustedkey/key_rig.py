"""A gate before whose camera Trusted Key wallets answer what stands on its screen: an authority that it believes, wallets, and the record of each visit."""
import contextlib
import json
import subprocess
import time
from pathlib import Path

import code_frames
import faces
from code_rig import CodeRig, printed
from key_authority import CLIENT, WALLET, KeyAuthority
from key_wallet import KeyWallet

CALLBACK = "http://gate.local/tk/answer?lane=5"


def write_settings(folder: Path, callback: str = CALLBACK, **more) -> Path:
    """What a site says about such wallets."""
    file = folder / "trusted-key.json"
    file.write_text(json.dumps({"gatehouse-trusted-key": 1, "callback": callback, **more}))
    return file


def close_up(text: str) -> list[bytes]:
    """A code that fills the picture, 1280 x 720: as much as a phone's screen can hold."""
    return [code_frames.jpeg(code_frames.frame_of(text, size=code_frames.HD, share=share, seed=seed), 92)
            for seed, share in ((1, 0.97), (2, 0.94), (3, 0.98), (4, 0.95))]


class KeyRig(CodeRig):
    """Visits by Trusted Key wallets. `entry` says what the trust folder has of the authority."""

    def __init__(self, folder: Path, *options: str, entry: dict | None = None, authority: KeyAuthority | None = None, revoked=(), **more) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        offer = ("--offer", "tuvali,trustedkey", "--code-turn", "2", "--trusted-key", str(write_settings(folder)))
        super().__init__(folder, *offer, *options, **more)
        self.authority = authority or KeyAuthority()
        self.authority.revoked += revoked
        self.authority.write(self.rig.trust, **(entry or {}))
        self.used: set[str] = set()

    def wallet(self, *arguments, **more) -> KeyWallet:
        return KeyWallet(self.authority, CLIENT, *arguments, **more)

    def code(self) -> str:
        """What stands on the screen for such wallets now; not one whose nonce is used up."""
        def shown():
            found = [code for code, _ in self.gate.screen.others if code.startswith(WALLET)]
            return found[-1] if found and found[-1] not in self.used else None

        return self.run(self.gate.until(shown, what="the code for Trusted Key wallets"))

    # MARK: a visit

    def answered(self, text: str, draw=printed) -> dict:
        """What becomes of an answer that is held before the camera."""
        mark, drawn = self.mark(), self.draws(draw, text)
        self.shows([drawn] if isinstance(drawn, bytes) else drawn)
        record = self.record(mark)
        self.leaves()
        assert record.get("presentation") == "trustedkey" and record.get("form") == "trustedkey", (record, self.gate.errors[-5:])
        return record

    def accepts_wallet(self, wallet: KeyWallet | None = None, draw=printed, text: str | None = None) -> dict:
        began, code = time.monotonic(), self.code()
        record = self.answered(text or (wallet or self.wallet()).answer(code), draw)
        assert record["outcome"] == "accepted" and "reasons" not in record, (record, self.gate.errors[-5:])
        assert record["binding"] == "wallet-key" and "holder-bound-hardware-claimed" in record["notes"], record
        self.used.add(code)
        self.rig.light("accept", began)
        return record

    def refuses_wallet(self, reason: str, text: str, binding: str | None = None) -> dict:
        """`binding` is that of an answer that is believed and refused for another cause."""
        began = time.monotonic()
        record = self.answered(text)
        assert (record["outcome"], record["reasons"]) == ("rejected", [reason]), (record, self.gate.errors[-5:])
        assert record.get("binding") == binding and record.get("holder") != "bound"
        self.rig.light("reject", began)
        return record


@contextlib.contextmanager
def gate(folder, *options, **more):
    """One that is open for as long as it is needed."""
    subprocess.run([faces.ROOT / "Tests" / "Scripts" / "plugins.sh"], check=True)
    made = KeyRig(folder, *options, **more).open()
    try:
        yield made
    finally:
        made.close()
