"""What a soak came to: verdicts against what was owed, pauses, memory, lights, and the audit log."""
import asyncio
import collections
import statistics
import subprocess
import time

from gate import command
from soak_phone import WatchedGate
from soak_trials import KINDS, NOISE, Trial

WARM_UP = 100
EVERY = 500           # visits a line of progress
MOST_GROWTH = 256     # kB of memory between the warm-up and the end


class Account:
    def __init__(self, gate: WatchedGate) -> None:
        self.gate = gate
        self.visits = self.accepted = self.phones_replaced = 0
        self.kinds, self.table = collections.Counter(), collections.Counter()
        self.wrong: list[str] = []
        self.stalls: list[str] = []
        self.pauses: list[tuple[float, str]] = []
        self.sizes: list[tuple[int, int]] = []  # resident kB and descriptors, every 50 visits from the end of the warm-up
        self.last, self.ended_at = "the start", 0.0
        self.doctor = "nobody looked at the audit log"

    # MARK: visit by visit

    def begin(self) -> None:
        self.began = time.monotonic()

    @property
    def passed(self) -> float:
        return time.monotonic() - self.began

    def served(self) -> None:
        """A phone has the link: how long after the one before left?"""
        if self.ended_at:
            self.pauses.append((time.monotonic() - self.ended_at, self.last))
            self.ended_at = 0.0

    def stalled(self, trial: Trial) -> None:
        self.stalls.append(f"{trial}: not served; before: {self.last}; the gate's last words: {self.gate.errors[-3:]}")

    def replaced(self, trial: Trial, error: Exception) -> None:
        self.phones_replaced += 1
        print(f"{trial}: another phone instead of one that failed: {error!r}", flush=True)

    def ended(self, trial: Trial) -> None:
        self.last, self.ended_at = str(trial), time.monotonic()

    def measure(self) -> None:
        if self.visits >= WARM_UP and self.visits % 50 == 0:
            self.sizes.append((self.gate.resident(), self.gate.descriptors()))
        if self.visits % EVERY == 0:
            print(f"{self.visits} visits in {self.passed:.0f} s, {len(self.wrong)} wrong, {len(self.stalls)} stalls, "
                  f"{self.gate.resident()} kB, {self.gate.descriptors()} files", flush=True)

    def judge(self, trial: Trial, visit=None, rival=None) -> None:
        """Phone and records against what was owed. A phone that failed by itself has no visit."""
        self.visits += 1
        self.kinds.update(trial.kinds)
        records = self.gate.news()
        outcomes = [record["outcome"] for record in records]
        accepted = outcomes.count("accepted")
        self.accepted += accepted
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

    async def close(self, air, trust) -> None:
        """Ends the gate, and asks `gatehouse doctor` of its audit log."""
        self.seconds = self.passed
        if self.gate.process.returncode is None and await self.gate.stop() != 0:
            self.stalls.append(f"the gate ended with {self.gate.status}")
        doctor = await asyncio.create_subprocess_exec(
            *command(), "doctor", "--hci", f"unix:{air}", "--lights", "log:", "--screen", "terminal:", "--trust", str(trust),
            "--data", str(self.gate.data), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        said, _ = await asyncio.wait_for(doctor.communicate(), 60)
        self.doctor = next((line.strip() for line in said.decode().splitlines() if "audit log" in line), self.doctor)

    def violations(self) -> list[str]:
        found = [*self.wrong, *self.stalls, *self.gate.contradictions]
        if self.gate.greens > self.accepted:
            found.append(f"green {self.gate.greens} times for {self.accepted} that were let in")
        try:
            recorded = sum(record["outcome"] == "accepted" for record in self.gate.verdicts())
            if recorded != self.accepted:
                found.append(f"{recorded} recorded as let in, {self.accepted} seen")
        except (AssertionError, ValueError) as error:
            found.append(str(error))
        if not self.doctor.startswith("audit log: ") or "records" not in self.doctor:
            found.append(self.doctor)
        if self.sizes and (growth := self.sizes[-1][0] - self.sizes[0][0]) > MOST_GROWTH:
            found.append(f"grew by {growth} kB")
        if self.sizes and self.sizes[-1][1] > self.sizes[0][1]:
            found.append(f"{self.sizes[0][1]} files open at first, {self.sizes[-1][1]} at last")
        return found

    def report(self) -> None:
        print(f"{self.visits} visits in {self.seconds:.0f} s")
        for kind in KINDS:
            print(f"  {kind:20} {self.kinds[kind]:6}")
        print(f"  {'owed':16} {'told':10} {'recorded':40} visits")
        for (duty, told, records), count in sorted(self.table.items()):
            print(f"  {duty:16} {told:10} {records:40} {count:6}")
        print(f"wrong verdicts {len(self.wrong)}, stalls {len(self.stalls)}, phones replaced {self.phones_replaced}")
        if self.sizes:
            (memory, files), (memory_at_last, files_at_last) = self.sizes[0], self.sizes[-1]
            print(f"memory of the gate: {memory} kB after {WARM_UP} visits, {memory_at_last} kB at last, {max(m for m, _ in self.sizes)} kB at most; "
                  f"files open: {files} and {files_at_last}")
        if self.pauses:
            pauses, (worst, before) = sorted(pause for pause, _ in self.pauses), max(self.pauses)
            print(f"from the end of a visit to the next phone's link: median {statistics.median(pauses) * 1000:.0f} ms, "
                  f"99 of 100 within {pauses[len(pauses) * 99 // 100] * 1000:.0f} ms, at most {worst:.1f} s, after {before}")
        print(f"green {self.gate.greens} times for {self.accepted} let in; {self.doctor}")
