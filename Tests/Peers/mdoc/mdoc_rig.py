"""A gate before whose camera phones show engagements: an issuing authority that it believes, phones on its air, and the record of each visit."""
import asyncio
import contextlib
import hashlib
import json
import subprocess
import time
from pathlib import Path

import faces
import holder as wallet
from code_rig import CodeRig, shots
from mdoc_elusive import ELUSIVE, ElusivePhone
from mdoc_phone import MdocPhone, MdocPlan, MdocVisit

# What the gate says where other verifiers have one of the eleven words (docs/reasons.md).
CODES = {
    "DeviceKeyInvalid": "mdoc-device-key-invalid", "InvalidSignerCertificate": "mdoc-invalid-signer-certificate",
    "MobileCredentialExpired": "mdoc-expired", "MobileCredentialInvalid": "mdoc-invalid", "MobileCredentialNotYetValid": "mdoc-not-yet-valid",
    "StatusUnknown": "mdoc-status-unknown", "TrustedIssuerCertificateExpired": "mdoc-trusted-issuer-certificate-expired",
    "TrustedIssuerCertificateNotYetValid": "mdoc-trusted-issuer-certificate-not-yet-valid", "UnsupportedCurve": "mdoc-unsupported-curve",
}


def write_roots(trust: Path, *issuers: wallet.Issuer, doc_types=(wallet.MDL,)) -> None:
    """`mdoc.json` of a trust folder, with the roots it names."""
    rows = []
    (trust / "mdoc").mkdir(exist_ok=True)
    for number, issuer in enumerate(issuers):
        name = f"mdoc/root-{number}.der"
        (trust / name).write_bytes(issuer.iaca_der)
        rows.append({"file": name, "sha256": hashlib.sha256(issuer.iaca_der).hexdigest(), "country": "UT", "docTypes": list(doc_types)})
    (trust / "mdoc.json").write_text(json.dumps({"gatehouse-mdoc": 1, "roots": rows}))


class MdocRig(CodeRig):
    """Visits by phones with documents."""

    def __init__(self, folder: Path, *options: str, **more) -> None:
        super().__init__(folder, *options, **more)
        self.authority = wallet.Issuer()
        # Whose certificates are wrong is made for each fault, and believed like the others.
        self.others: dict[tuple[str, ...], wallet.Issuer] = {}
        self.believe()

    def believe(self, *faults: tuple[str, ...]) -> None:
        """Makes an authority for each of these sets of faults, before the gate starts."""
        for each in faults:
            self.others[each] = wallet.Issuer(faults=each)
        write_roots(self.rig.trust, self.authority, *self.others.values())

    def holder(self, faults=(), **more) -> wallet.Holder:
        """A phone's documents. Faults of the authority's certificates need one that has them."""
        issuer = self.others.get(tuple(faults))
        if issuer is None:
            issuer, issuer.faults = self.authority, {wallet.ALIASES.get(name, name) for name in faults}
        made = wallet.Holder(issuer=issuer, faults=faults, **more)
        self.authority.faults = set()
        return made

    # MARK: a visit

    def visit(self, plan: MdocPlan = MdocPlan(), faults=(), record: bool = True, **more) -> tuple[MdocVisit, dict]:
        """A phone shows its code, and does what is planned: what it saw, and the gate's record."""
        mark, holder = self.mark(), self.holder(faults, **more)
        return self.run(self.shown(holder, plan, mark, record))

    async def shown(self, holder: wallet.Holder, plan: MdocPlan, mark: int, record: bool = True):
        device = await self.rig.air.new_phone()
        phone = self.phone = self.phone_of(device, holder, plan, mark)
        text = await phone.prepare()
        self.shows(await asyncio.to_thread(shots, text))
        try:
            seen = await phone.visit()
            self.leaves()
            if not record:
                return seen, {}
            found = await self.gate.until(lambda: self.gate.verdicts()[mark:], what=f"the record of {plan}, {seen}")
            assert found[0].get("presentation") == "mdoc", found
            return seen, found[0]
        finally:
            await device.power_off()
            self.rig.air.phones.remove(device)

    def phone_of(self, device, holder: wallet.Holder, plan: MdocPlan, mark: int) -> MdocPhone:
        if plan.mischief not in ELUSIVE:
            return MdocPhone(device, holder, plan)
        return ElusivePhone(device, holder, plan, self.rig.air.gate, lambda: self.gate.verdicts()[mark:])

    def accepts_phone(self, plan: MdocPlan = MdocPlan(), faults=(), **more) -> dict:
        began = time.monotonic()
        seen, record = self.visit(plan, faults, **more)
        assert record["outcome"] == "accepted" and "reasons" not in record, (record, seen, self.gate.errors[-5:])
        # What the gate was on the link is what the phone was not.
        role = "peripheral" if seen.role == "central" else "central"
        bearer = "channel" if seen.bearer == "l2cap" else "gatt"
        assert (record["bearer"], record["role"], record["docType"], record["device"]) == (bearer, role, wallet.MDL, "bound"), (record, seen)
        self.rig.light("accept", began)
        return record

    def refuses_phone(self, reason: str, plan: MdocPlan = MdocPlan(), faults=(), **more) -> dict:
        began = time.monotonic()
        seen, record = self.visit(plan, faults, **more)
        assert (record["outcome"], record["reasons"][0]) == ("rejected", reason), (record, seen, self.gate.errors[-5:])
        assert record.get("holder") != "bound" and "device" not in record
        self.rig.light("reject", began)
        return record

    def loses_phone(self, error: str, outcome: str, plan: MdocPlan, faults=(), **more) -> dict:
        seen, record = self.visit(plan, faults, **more)
        assert (record["outcome"], record.get("error")) == (outcome, error), (record, seen, self.gate.errors[-5:])
        assert "reasons" not in record
        return record


@contextlib.contextmanager
def gate(folder, *options, believed=(), **more):
    """One that is open for as long as it is needed."""
    subprocess.run([faces.ROOT / "Tests" / "Scripts" / "plugins.sh"], check=True)
    made = MdocRig(folder, *options, **more)
    made.believe(*believed)
    made.open()
    try:
        yield made
    finally:
        made.close()
