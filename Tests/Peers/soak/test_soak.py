"""The soak itself: that it sees what it is there to see; and a short one with fixed troubles, as `make soak` runs it."""
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from gate import is_reference
from phone import Plan, Visit
from soak_account import Account
from soak_credentials import Credentials, Payload
from soak_phone import STALL, WatchedGate
from soak_trials import KINDS, Trial, draw

VISITS, SEED = 200, 1


@pytest.mark.skipif(is_reference(), reason="the reference gate does not recover from its controller")
def test_two_hundred_visits_with_every_kind_of_trouble():
    done = subprocess.run([sys.executable, str(Path(__file__).with_name("soak.py"))], env={**os.environ, "SOAK_VISITS": str(VISITS), "SOAK_SEED": str(SEED)},
                          capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "wrong verdicts 0, stalls 0" in done.stdout


def test_the_troubles_follow_from_the_seed_and_are_all_there(tmp_path):
    credentials = Credentials(tmp_path / "trust")
    trials = [draw(number, SEED, credentials) for number in range(VISITS)]
    assert trials == [draw(number, SEED, credentials) for number in range(VISITS)]
    assert trials != [draw(number, SEED + 1, credentials) for number in range(VISITS)]
    assert set().union(*(trial.kinds for trial in trials)) == set(KINDS)
    assert {trial.duty for trial in trials} == {"accept", "reject", "let in at most", "keep out"}
    assert all(trial.payload.reason for trial in trials if trial.kinds & {"tampered", "unknown issuer", "revoked", "expired"})


# MARK: what the account sees

HONEST = Trial(0, frozenset(), Plan(), Payload(b""), None)
FORGED = replace(HONEST, kinds=frozenset({"tampered"}), payload=Payload(b"", "signature-invalid"))
LEFT = replace(HONEST, kinds=frozenset({"leaves"}), plan=Plan(leave_after="size"))
FORGED_LEFT = replace(FORGED, kinds=frozenset({"tampered", "leaves"}))
FORGED_RACE = replace(FORGED, kinds=frozenset({"tampered", "race"}), rival=Payload(b""))
YES, NO, NOTHING = 0, 1, None


def record(outcome: str, *reasons: str) -> dict:
    return {"event": "visit", "outcome": outcome, "reasons": list(reasons)}


def judged(trial: Trial, told: int | None, *records: dict, error: str = "", rival: int | None = None) -> list[str]:
    account = Account()
    gate = account.opened(SimpleNamespace(news=lambda: list(records)))
    account.judge(gate, trial, Visit(trial.plan, status=told, error=error), Visit(Plan(), status=rival) if trial.rival else None)
    return account.wrong


@pytest.mark.parametrize("trial, told, records, rival", (
    (HONEST, YES, [record("accepted")], None), (FORGED, NO, [record("rejected", "signature-invalid")], None),
    (LEFT, NOTHING, [record("left")], None), (LEFT, NOTHING, [record("accepted")], None), (LEFT, NOTHING, [], None),
    (FORGED_LEFT, NOTHING, [record("left")], None),
    (FORGED_RACE, NO, [record("accepted"), record("rejected", "signature-invalid")], YES)))
def test_what_is_owed_is_no_fault(trial, told, records, rival):
    assert judged(trial, told, *records, rival=rival) == []


@pytest.mark.parametrize("trial, told, records, rival, fault", (
    (HONEST, NO, [record("rejected", "expired")], None, "rejected"), (HONEST, NOTHING, [record("left")], None, "kept out"),
    (HONEST, NOTHING, [], None, "kept out"), (HONEST, YES, [], None, "without a record"), (FORGED, YES, [record("accepted")], None, "let in"),
    (FORGED, NOTHING, [record("accepted")], None, "let in"), (FORGED, NOTHING, [record("left")], None, "not told"),
    (FORGED, NO, [record("rejected", "expired")], None, "not for the reason"), (FORGED_LEFT, NOTHING, [record("accepted")], None, "let in"),
    (LEFT, NOTHING, [record("rejected", "expired")], None, "rejected"), (HONEST, YES, [record("accepted"), record("accepted")], None, "let in"),
    (FORGED_RACE, NO, [record("accepted"), record("accepted"), record("rejected", "signature-invalid")], YES, "let in"),
    (FORGED_RACE, YES, [record("accepted"), record("rejected", "signature-invalid")], NOTHING, "let in")))
def test_what_is_not_owed_is_a_fault(trial, told, records, rival, fault):
    (found,) = judged(trial, told, *records, rival=rival)
    assert fault in found


@pytest.mark.parametrize("pause, stalls", ((1, 0), (STALL - 1, 0), (STALL + 1, 1)))
def test_a_gate_that_serves_nobody_for_long_stalls(pause, stalls):
    account = Account()
    gate = account.opened(SimpleNamespace(errors=[]))
    account.ended(gate, HONEST)
    gate.ended_at -= pause
    account.served(gate)
    account.served(gate)
    assert (len(account.stalls), len(account.pauses)) == (stalls, 1)


@pytest.mark.parametrize("lines, contradictions", (
    (["visit 1 accepted", "accept", "visit 2 rejected", "reject", "busy"], 0),
    (["visit 1 accepted", "accept", "visit 2 left", "accept+busy", "ready"], 0),
    (["visit 1 rejected", "accept"], 1), (["visit 1 left", "accept"], 1), (["accept"], 1), (["visit 1 accepted", "accept+reject"], 1),
    (["visit 1 accepted", "accept", "visit 2 rejected", "accept+busy"], 1), (["visit 1 accepted", "accept", "ready", "visit 2 failed", "accept"], 1)))
def test_green_is_only_for_who_was_let_in(lines, contradictions):
    gate = WatchedGate("air", "trust", "data")
    for number, line in enumerate(lines):
        gate.said("gatehouse: " + line if line.startswith("visit") else f"lights ms={number} lit={line}")
    assert len(gate.contradictions) == contradictions
