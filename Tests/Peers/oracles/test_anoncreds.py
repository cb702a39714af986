"""Gatehouse's verdicts on AnonCreds presentations beside those of the package `anoncreds`, which made them: random requests of every kind, honest
answers and altered ones. ANONCREDS_REQUESTS (30) and ANONCREDS_SEED for more and for others."""
import json
import os
import random
import re
import subprocess
from pathlib import Path

import pytest

from anoncreds_alterations import altered
from anoncreds_holder import KEYS, Holder
from anoncreds_requests import Draw

CHECK = os.environ.get("GATEHOUSE_ANONCREDS_CHECK", str(Path(__file__).resolve().parents[3] / ".build" / "release" / "anoncreds-check"))
REQUESTS, SEED = int(os.environ.get("ANONCREDS_REQUESTS", 30)), int(os.environ.get("ANONCREDS_SEED", 2026))
ALTERATIONS = 6

# Where the gate is stricter than the package, by what was changed, with its reasons. The package compares neither raw texts with the
# numbers that were proven, nor the request's predicates with those of a classic presentation, nor the W3C form's challenge with the nonce
# (the nonce itself is in the proof): whoever uses its verdict has to.
STRICTER = [
    (r"(number|text)_changed requested_proof\..*\.raw", {"value-mismatch"}),
    (r"(number|text)_changed verifiableCredential\.\d\.credentialSubject\.", {"value-mismatch"}),
    (r"number_negated requested_proof\..*\.raw", {"value-mismatch"}),
    # -x to the power of an even challenge is that of x: the package takes half of these. The gate takes no number below 0.
    (r"number_negated proof\.proofs\.\d+\.primary_proof\.(eq_proof\.a_prime|ge_proofs\.\d+\.t\.\w+)$", {"presentation-malformed"}),
    (r"threshold_changed ", {"predicate-mismatch"}),
    (r"\w+ proof\.challenge", {"challenge-mismatch", "presentation-malformed"}),
    (r"\w+ verifiableCredential\.\d\.(type|@context)", {"presentation-malformed"}),
    (r"\w+ (type|@context)", {"presentation-malformed"}),
    (r"\w+ (verifiableCredential\.\d\.)?proof\.(cryptosuite|type)", {"presentation-malformed", "proof-type-refused"}),
    (r"\w+ (verifiableCredential\.\d\.)?proof\.proofPurpose", {"presentation-malformed", "proof-purpose-refused"}),
]
# What the gate does not look at, as no proof covers it (anoncreds.md section 11): where it accepts and the package does not.
FREE = r"\w+ (verifiableCredential\.\d\.)?(@context|type|id|issuanceDate|validFrom|credentialSubject\.id)(\.|$)|\w+ proof\.verificationMethod$"


def is_explained(change: str, verdict: str) -> bool:
    if verdict == "accept":
        return re.match(FREE, change) is not None
    return any(re.match(pattern, change) and verdict in reasons for pattern, reasons in STRICTER)


pytestmark = pytest.mark.skipif(not KEYS.exists(), reason=f"{KEYS} is not there: set GATEHOUSE_SUITES")


@pytest.fixture(scope="module")
def holder(tmp_path_factory):
    return Holder(tmp_path_factory.mktemp("tails"))


def judged(folder: Path, context: dict, vectors: list) -> tuple:
    """What the gate says of each, by name, and every difference."""
    (folder / "vectors").mkdir()
    (folder / "context.json").write_text(json.dumps(context))
    for vector in vectors:
        (folder / "vectors" / f"{vector['name']}.json").write_text(json.dumps(vector))
    run = subprocess.run([CHECK, str(folder), "times"], capture_output=True, text=True)
    assert run.returncode in (0, 1), run.stderr[-2000:]
    verdicts = dict(re.findall(r"^(\S+): [\d.]+ ms, (\S+)", run.stdout, re.M))
    return verdicts, re.findall(r"^(\S+): (expected .*)$", run.stdout, re.M)


def test_verdicts_agree(holder, tmp_path):
    vectors, how, honest = [], {}, 0
    for number in range(REQUESTS):
        draw = Draw(holder, SEED * 1_000_003 + number)
        presentation = draw.presentation()
        name = f"p{number:03d}"
        vectors.append(holder.vector(name, draw.form, draw.request, presentation))
        assert vectors[-1]["expect"] == "accept", (name, draw.request)
        honest += 1
        for again in range(ALTERATIONS):
            found = altered(draw.random, draw.request, presentation)
            if found is not None:
                how[f"{name}_{again}"] = found[0]
                vectors.append(holder.vector(f"{name}_{again}", draw.form, *found[1:]))
    verdicts, differences = judged(tmp_path, holder.context(), vectors)
    assert len(verdicts) == len(vectors)
    unexplained = [(name, how.get(name, "honest"), verdicts[name], text) for name, text in differences
                   if not is_explained(how.get(name, "honest"), verdicts[name])]
    assert not unexplained, "\n".join(map(str, unexplained))
    accepted = sum(verdict == "accept" for verdict in verdicts.values())
    print(f"anoncreds oracle: {len(vectors)} presentations of {honest} requests, {accepted} accepted, {len(differences)} differences, all explained")
    reasons = set(verdicts.values())
    assert honest <= accepted < len(vectors) and len(reasons) > 6, reasons


@pytest.mark.parametrize("form", ["classic", "w3c"])
def test_a_revoked_credential_is_refused_by_both(holder, tmp_path, form):
    held, older, newer = holder.revoked, *holder.lists
    request = {"nonce": str(random.SystemRandom().getrandbits(79) + 1), "name": "gate", "version": "1.0",
               "requested_attributes": {"z": {"name": "zone"}}, "requested_predicates": {}, "non_revoked": {"from": 0, "to": 2**31}}
    presentations = {}
    for name, status in (("older", older), ("newer", newer)):
        try:
            presentations[name] = holder.present(form, request, [(held, ["z"], [], [], status)], {})
        except Exception as error:  # The package refuses to make a witness for one that is revoked in this list.
            presentations[name] = str(error)
    made = [name for name, presentation in presentations.items() if isinstance(presentation, dict)]
    assert made, presentations
    vectors = [holder.vector(name, form, request, presentations[name]) for name in made]
    verdicts, differences = judged(tmp_path, holder.context(), vectors)
    assert not differences and len(verdicts) == len(made)
