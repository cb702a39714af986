"""A door that says what it does (`--door log:`): it opens for accepted visits alone, after the record, and is closed at the end."""
import re
import signal

import issuer
import pytest

from gate import is_reference
from rig import Rig

DOOR = re.compile(r"^door ms=(\d+) open=(\S+)")

pytestmark = pytest.mark.skipif(is_reference(), reason="the reference gate has no door")


@pytest.fixture
def door_rig(tmp_path):
    rig = Rig(tmp_path, "--door", "log:", "--sound", "log:", algorithms=("ES256",)).open()
    yield rig
    rig.close()


def moves(rig) -> list[str]:
    return [found[2] for found in map(DOOR.match, rig.gate.errors) if found]


def until(rig, condition, what: str) -> None:
    rig.run(rig.gate.until(condition, 60, what))


def test_the_door_opens_for_an_accepted_visit_and_closes_after_its_pulse(door_rig):
    rig = door_rig
    assert rig.visit().accepted
    until(rig, lambda: moves(rig) == ["lock", "none"], "the pulse")
    lines = rig.gate.errors
    lamp = next(n for n, line in enumerate(lines) if line.startswith("lights") and "lit=accept" in line)
    lock = next(n for n, line in enumerate(lines) if DOOR.match(line))
    sound = next(n for n, line in enumerate(lines) if line.startswith("sound") and "hz=0" not in line)
    record = next(n for n, line in enumerate(lines) if " accepted " in line)
    assert record < lamp < lock < sound, lines
    opened, closed = [int(DOOR.match(line)[1]) for line in lines if DOOR.match(line)]
    assert closed - opened >= 3000
    records = [record for record in rig.gate.audit() if record["event"] == "door"]
    assert [(record["what"], record["by"]) for record in records] == [("opened", "visit")]


def test_a_rejected_visit_opens_nothing_and_a_gate_that_ends_or_is_killed_leaves_the_door_closed(door_rig):
    rig = door_rig
    stranger = issuer.wrap(issuer.Issuer("ES256", "https://stranger.example").credential(500))
    assert rig.visit(payload=stranger).rejected
    assert moves(rig) == []
    assert rig.visit().accepted
    until(rig, lambda: moves(rig)[:1] == ["lock"], "open")
    assert rig.run(rig.gate.stop(signal.SIGTERM, 30)) == 0
    assert moves(rig) == ["lock", "none"], "closed within its pulse, by the end"
    rig.start()
    rig.uri()
    assert moves(rig) == [], "a start opens nothing"
