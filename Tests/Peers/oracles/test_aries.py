"""Envelopes between Gatehouse and ACA-Py: what each packs the other opens, of any size, for one recipient and for several; what is altered
neither opens. ARIES_ENVELOPES (60) for more."""
import json
import os
import random
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
CHECK = os.environ.get("GATEHOUSE_ARIES_CHECK", str(ROOT / ".build" / "release" / "aries-check"))
ENVELOPES = int(os.environ.get("ARIES_ENVELOPES", 60))


class Side:
    """A program that answers line by line."""

    def __init__(self, *command: str):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def __call__(self, **request) -> dict:
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        assert line.startswith("{"), line
        return json.loads(line)

    def close(self):
        self.process.stdin.close()
        self.process.wait()


@pytest.fixture(scope="module")
def acapy():
    made = subprocess.run([str(ROOT / "Tests" / "Scripts" / "acapy.sh")], capture_output=True, text=True)
    if made.returncode == 3:
        pytest.skip(f"no ACA-Py: {made.stderr.strip()[-300:]}")
    assert made.returncode == 0, made.stderr
    side = Side(made.stdout.strip(), str(Path(__file__).with_name("acapy_envelopes.py")))
    yield side
    side.close()


@pytest.fixture(scope="module")
def gate():
    side = Side(CHECK, "lines")
    yield side
    side.close()


def drawn(draw: random.Random, acapy: Side) -> tuple:
    """Message, the recipient's seed, all recipients in some order, the sender's seed or None."""
    seeds = [draw.randbytes(32).hex() for _ in range(draw.choice([1, 1, 2, 5]))]
    message = draw.randbytes(draw.choice([1, 2, 63, 64, 65, 1000, 40_000]))
    return message.hex(), draw.choice(seeds), [acapy(kid=seed)["kid"] for seed in seeds], draw.choice([None, draw.randbytes(32).hex()])


def expected(acapy: Side, message: str, sender) -> dict:
    return {"message": message} | ({"sender": acapy(kid=sender)["kid"]} if sender else {})


def without_nobody(answer: dict) -> dict:
    return {name: value for name, value in answer.items() if value is not None}


@pytest.mark.parametrize("way", ["acapy to gate", "gate to acapy"])
def test_what_one_packs_the_other_opens(acapy, gate, way):
    packs, opens = (acapy, gate) if way == "acapy to gate" else (gate, acapy)
    draw, refused = random.Random(way), 0
    for _ in range(ENVELOPES):
        message, seed, recipients, sender = drawn(draw, acapy)
        envelope = packs(pack=message, to=recipients, seed=sender)["envelope"]
        assert without_nobody(opens(open=envelope, seed=seed)) == expected(acapy, message, sender)
        # Not for somebody else, and not when altered.
        assert "fault" in opens(open=envelope, seed=draw.randbytes(32).hex())
        altered = json.loads(envelope)
        member = draw.choice(["iv", "ciphertext", "tag", "protected"])
        text, place = altered[member], draw.randrange(len(altered[member]) - 1)
        altered[member] = text[:place] + ("A" if text[place] != "A" else "B") + text[place + 1:]
        answers = [side(open=json.dumps(altered), seed=seed) for side in (gate, acapy)]
        assert all("fault" in answer for answer in answers), (member, place, answers)
        refused += 1
    assert refused == ENVELOPES
