"""A short soak with fixed troubles, in a process of its own, as `make soak` runs it."""
import os
import subprocess
import sys

import pytest

from gate import HERE, is_reference
from soak_credentials import Credentials
from soak_trials import KINDS, draw

VISITS, SEED = 200, 1


@pytest.mark.skipif(is_reference(), reason="the reference gate does not recover from its controller")
def test_two_hundred_visits_with_every_kind_of_trouble():
    done = subprocess.run([sys.executable, str(HERE / "soak.py")], env={**os.environ, "SOAK_VISITS": str(VISITS), "SOAK_SEED": str(SEED)},
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
