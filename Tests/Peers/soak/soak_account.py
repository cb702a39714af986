"""What a soak came to: verdicts against what was owed, pauses, memory, lights, and the audit log."""
import asyncio
import collections
import statistics
import subprocess
import time
from dataclasses import dataclass, field

from gate import command, link
from soak_phone import STALL, WatchedGate
from soak_trials import KINDS, NOISE, Trial

WARM_UP = 100
EVERY = 500           # visits a line of progress
MOST_GROWTH = 256     # kB of memory between the warm-up and the end


@dataclass
class GateAccount:
    """What is counted for each gate by itself."""
    gate: WatchedGate
    visits: int = 0
    accepted: int = 0
    # Resident kB and descriptors, every 50 visits from the end of the warm-up.
    sizes: list[tuple[int, int]] = field(default_factory=list)
    last: str = "the start"
    ended_at: float = 0.0
    doctor: str = "nobody looked at the audit log"


class Account:
    def __init__(self) -> None:
        self.gates: list[GateAccount] = []
        self.visits = self.phones_replaced = 0
        self.kinds, self.table = collections.Counter(), collections.Counter()
        self.wrong: list[str] = []
        self.stalls: list[str] = []
        self.pauses: list[tuple[float, str]] = []
        self.began = time.monotonic()

    def opened(self, gate: WatchedGate) -> GateAccount:
        self.gates.append(GateAccount(gate))
        return self.gates[-1]

    @property
    def passed(self) -> float:
        return time.monotonic() - self.began

    # MARK: visit by visit

    def served(self, own: GateAccount) -> None:
        """A phone has the link: how long after the one before left?"""
        if own.ended_at:
            self.pauses.append((time.monotonic() - own.ended_at, own.last))
            if self.pauses[-1][0] > STALL:
                self.stalled(own, f"the next one served only after {self.pauses[-1][0]:.1f} s")
            own.ended_at = 0.0

    def stalled(self, own: GateAccount, what: str) -> None:
        self.stalls.append(f"after {own.last}: {what}; the gate's last words: {own.gate.errors[-3:]}")

    def replaced(self, trial: Trial, error: Exception) -> None:
        self.phones_replaced += 1
        print(f"{trial}: another phone instead of one that failed: {error!r}", flush=True)

    def ended(self, own: GateAccount, trial: Trial) -> None:
        own.last, own.ended_at = str(trial), time.monotonic()

    def measure(self, own: GateAccount) -> None:
        if own.visits >= WARM_UP and own.visits % 50 == 0:
            own.sizes.append((own.gate.resident(), own.gate.descriptors()))
        if self.visits % EVERY == 0:
            gates = [(one.gate.resident(), one.gate.descriptors()) for one in self.gates if one.gate.process.returncode is None]
            print(f"{self.visits} visits in {self.passed:.0f} s, {len(self.wrong)} wrong, {len(self.stalls)} stalls; "
                  + ", ".join(f"{memory} kB and {files} files" for memory, files in gates), flush=True)

    def judge(self, own: GateAccount, trial: Trial, visit=None, rival=None) -> None:
        """Phone and records against what was owed. A phone that failed by itself has no visit."""
        self.visits += 1
        own.visits += 1
        self.kinds.update(trial.kinds)
        records = own.gate.news()
        outcomes = [record["outcome"] for record in records]
        accepted = outcomes.count("accepted")
        own.accepted += accepted
        told = {None: "no answer", 0: "yes", 1: "no"}.get(visit and visit.status, "nonsense")
        self.table[trial.duty, told, "+".join(outcomes) or "none"] += 1
        is_told, rival_is_told = (phone is not None and phone.status == 0 for phone in (visit, rival))

        faults = []
        if accepted > trial.is_genuine + (trial.rival is not None) or not trial.is_genuine and (is_told or accepted > (trial.rival is not None)):
            faults.append("let in")
        if is_told + rival_is_told > accepted:
            faults.append("told to be let in, without a record")
        if trial.is_genuine and "rejected" in outcomes and trial.garbage != NOISE:
            faults.append("rejected")
        if visit is not None and trial.duty == "accept" and (not is_told or set(outcomes) != {"accepted"}):
            faults.append("kept out, or not only let in")
        if visit is not None and trial.duty == "reject":
            if not visit.refused:
                faults.append("not told that it is kept out")
            if (reason := trial.payload.reason) and not any(reason in record.get("reasons", []) for record in records):
                faults.append(f"not for the reason {reason}")
        if faults:
            self.wrong.append(f"{trial}, owed {trial.duty}: {', '.join(faults)}; phone: {visit}; rival: {rival}; records: {records}")

    # MARK: the end

    async def close(self, own: GateAccount, air, trust) -> None:
        """Ends a gate, and asks `gatehouse doctor` of its audit log."""
        if own.gate.process.returncode is None and await own.gate.stop() != 0:
            self.stalls.append(f"the gate ended with {own.gate.status}")
        doctor = await asyncio.create_subprocess_exec(
            *command(), "doctor", "--hci", link(air), "--lights", "log:", "--screen", "terminal:", "--trust", str(trust),
            "--data", str(own.gate.data), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        said, _ = await asyncio.wait_for(doctor.communicate(), 60)
        own.doctor = next((line.strip() for line in said.decode().splitlines() if "audit log" in line), own.doctor)

    def violations(self) -> list[str]:
        found = [*self.wrong, *self.stalls]
        for own in self.gates:
            found += own.gate.contradictions
            if own.gate.greens > own.accepted:
                found.append(f"green {own.gate.greens} times for {own.accepted} that were let in")
            try:
                recorded = sum(record["outcome"] == "accepted" for record in own.gate.verdicts())
                if recorded != own.accepted:
                    found.append(f"{recorded} recorded as let in, {own.accepted} seen")
            except (AssertionError, ValueError) as error:
                found.append(str(error))
            if not own.doctor.startswith("audit log: ") or "records" not in own.doctor:
                found.append(own.doctor)
            if own.sizes and (growth := own.sizes[-1][0] - own.sizes[0][0]) > MOST_GROWTH:
                found.append(f"grew by {growth} kB")
            if own.sizes and own.sizes[-1][1] > own.sizes[0][1]:
                found.append(f"{own.sizes[0][1]} files open at first, {own.sizes[-1][1]} at last")
        return found

    def report(self) -> None:
        print(f"{self.visits} visits in {self.passed:.0f} s")
        for kind in KINDS:
            print(f"  {kind:20} {self.kinds[kind]:6}")
        print(f"  {'owed':16} {'told':10} {'recorded':40} visits")
        for (duty, told, records), count in sorted(self.table.items()):
            print(f"  {duty:16} {told:10} {records:40} {count:6}")
        print(f"wrong verdicts {len(self.wrong)}, stalls {len(self.stalls)}, phones replaced {self.phones_replaced}")
        if self.pauses:
            pauses, (worst, before) = sorted(pause for pause, _ in self.pauses), max(self.pauses)
            print(f"from the end of a visit to the next phone's link: median {statistics.median(pauses) * 1000:.0f} ms, "
                  f"99 of 100 within {pauses[len(pauses) * 99 // 100] * 1000:.0f} ms, at most {worst:.1f} s, after {before}")
        for own in self.gates:
            print(f"a gate of {own.visits} visits: green {own.gate.greens} times for {own.accepted} let in; {own.doctor}")
            if own.sizes:
                (memory, files), (memory_at_last, files_at_last) = own.sizes[0], own.sizes[-1]
                print(f"  memory {memory} kB after {WARM_UP} visits, {memory_at_last} kB at last, {max(m for m, _ in own.sizes)} kB at most; "
                      f"files open {files} and {files_at_last}")
