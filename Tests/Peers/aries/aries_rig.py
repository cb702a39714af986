"""A gate that asks wallets of DIDComm for a proof: issuers that it believes, phones on its air, and the record of each visit."""
import asyncio
import contextlib
import hashlib
import json
import subprocess
import sys
import time
from pathlib import Path

from aries_faults import FAULTS
from aries_holder import AriesHolder, Issuers
from aries_phone import AriesPhone, AriesPlan, AriesVisit
from rig import Rig

ROOT = Path(__file__).resolve().parents[3]
INVITATION = "didcomm://"
# What a gate asks that wants to know who may come in, and one that wants to know no more than an age.
PERMIT = {"attributes": ["zone"], "predicates": [{"attribute": "years", "relation": ">=", "value": 18}],
          "definitions": ["did:web:town.example/anoncreds/cred-def/permit-north"]}
GROWN_UP = {"age": 18, "definitions": ["did:web:town.example/anoncreds/cred-def/resident-2026"]}
CLAIMS = {"did:web:town.example": {"fullName": ["holder"], "birthDate": ["birth_date"]}}


def write_proofs(folder: Path, **asked) -> Path:
    """What a site asks of such wallets."""
    file = folder / "proofs.json"
    file.write_text(json.dumps({"gatehouse-proofs": 1, **asked}))
    return file


def write_issuers(trust: Path, issuers: Issuers) -> None:
    """An entry for each issuer in a trust folder, its objects by the tool that operators use."""
    for number, issuer in enumerate(sorted({entry["issuer"] for entry in issuers.keys.values()})):
        exported = trust.parent / f"exported-{number}"
        exported.mkdir(exist_ok=True)
        (exported / "objects.json").write_text(json.dumps(issuers.exported(issuer)))
        name = f"anoncreds/issuer-{number}.json"
        (trust / "anoncreds").mkdir(exist_ok=True)
        words = [sys.executable, ROOT / "tools/proofs/provision.py", exported, trust / name]
        subprocess.run(list(map(str, words)), check=True, stdout=subprocess.DEVNULL, timeout=120)
        types = [entry["schema_id"] for entry in issuers.keys.values() if entry["issuer"] == issuer]
        (trust / f"anoncreds-{number}.json").write_text(json.dumps({
            "gatehouse-trust": 1, "ids": [issuer], "forms": ["anoncreds"], "types": types,
            **({"claims": CLAIMS[issuer]} if issuer in CLAIMS else {}),
            "anoncreds": {"file": name, "sha256": hashlib.sha256((trust / name).read_bytes()).hexdigest()}}))


class AriesRig:
    """Visits by wallets of DIDComm. `asks` is what the site asks, `offers` what the gate has codes for; or the gate is another's, `rig`, which
    was made with `options_for`."""

    def __init__(self, folder: Path, *options: str, asks: dict = PERMIT, offers: str = "aries", issuers: Issuers | None = None,
                 rig: Rig | None = None) -> None:
        self.rig = rig or Rig(folder, *self.options_for(folder, asks, offers), *options, algorithms=("ES256",))
        self.issuers = issuers or Issuers()
        write_issuers(self.rig.trust, self.issuers)
        self.holder = AriesHolder(self.issuers)
        # The same ids, with keys that nobody trusts: made when somebody asks, because it takes a while.
        self.stranger: AriesHolder | None = None
        self.used: set[str] = set()

    @staticmethod
    def options_for(folder: Path, asks: dict = PERMIT, offers: str = "aries") -> tuple[str, ...]:
        folder.mkdir(parents=True, exist_ok=True)
        return "--offer", offers, "--code-turn", "2", "--proofs", str(write_proofs(folder, **asks))

    def open(self) -> "AriesRig":
        self.rig.open()
        return self.comes()

    def comes(self) -> "AriesRig":
        """Its phone, on an air that is there."""
        self.phone = self.run(AriesPhone.on(self.rig.air))
        return self

    def close(self) -> None:
        self.rig.close()

    @property
    def gate(self):
        return self.rig.gate

    def run(self, coroutine):
        return self.rig.run(coroutine)

    def code(self) -> str:
        """What stands on the screen for such wallets now; not one that was taken up, by them or by somebody else."""
        return self.run(self.shown())

    async def shown(self) -> str:
        def found():
            screen = self.gate.screen
            codes = [code for code in screen.turns[screen.outdated:] if code.startswith(INVITATION)]
            return codes[-1] if codes and codes[-1] not in self.used else None

        return await self.gate.until(found, what="the code for wallets of DIDComm")

    # MARK: a visit

    def visit(self, plan: AriesPlan = AriesPlan(), records: bool = True) -> tuple[AriesVisit, dict]:
        """A phone reads the code, and does what is planned: what it saw, and the gate's record."""
        self.rig.restart_if_left_alone()
        return self.run(self.visited(plan, len(self.gate.verdicts()), records))

    async def visited(self, plan: AriesPlan, mark: int, records: bool) -> tuple[AriesVisit, dict]:
        code = await self.shown()
        holder = await self.holder_for(plan.fault)
        if records:
            self.used.add(code)
            # Whoever takes up the offer uses up Tuvali's code, too.
            self.gate.used = self.gate.used_up = True
            self.gate.seen = len(self.gate.screen.codes)
        seen = await self.phone.visit(code, holder, plan)
        if not records:
            return seen, {}
        found = await self.gate.until(lambda: self.gate.verdicts()[mark:], what=f"the record of {plan}, {seen}")
        assert found[0].get("presentation") == "aries", (found, seen)
        return seen, found[0]

    async def holder_for(self, fault: str) -> AriesHolder:
        if fault != "other-issuer":
            return self.holder
        if self.stranger is None:
            self.stranger = await asyncio.to_thread(lambda: AriesHolder(Issuers(fresh=True, now=self.issuers.now)))
        return self.stranger

    def accepts(self, plan: AriesPlan = AriesPlan()) -> dict:
        began = time.monotonic()
        seen, record = self.visit(plan)
        assert (record["outcome"], seen.result) == ("accepted", "accepted") and "reasons" not in record, (record, seen, self.gate.errors[-5:])
        self.rig.light("accept", began)
        return record

    def meets(self, name: str, profile: str, **more) -> tuple[AriesVisit, dict]:
        """A visit with this fault ends as its table says."""
        fault, plan = FAULTS[name], AriesPlan(profile, name, **more)
        began = time.monotonic()
        seen, record = self.visit(plan, records=bool(fault.outcome))
        context = (name, record, seen, self.gate.errors[-5:])
        assert seen.result in fault.hears, context
        if fault.code and seen.result == "refused":
            assert seen.code == fault.code, context
        if fault.outcome:
            assert record["outcome"] == fault.outcome, context
            assert record.get("reasons", [None])[0] == fault.reason and record.get("error") == fault.error, context
        if fault.outcome in ("accepted", "rejected"):
            self.rig.light("accept" if fault.outcome == "accepted" else "reject", began)
        return seen, record


@contextlib.contextmanager
def gate(folder, *options, **more):
    """One that is open for as long as it is needed."""
    made = AriesRig(folder, *options, **more).open()
    try:
        yield made
    finally:
        made.close()
