"""A gate whose audit log is longer than the bound it is given: what goes, what is copied before, and what is said of it."""
import asyncio
import hashlib
import json
import subprocess

import pytest

from gate import Gate, command, is_reference
from test_command import DEMO, issuer  # the issuer every such gate trusts

pytestmark = pytest.mark.skipif(is_reference(), reason="the reference gate keeps no segments")
KIB = 1024


def write_log(data, segments: int, length: int = 60 * KIB, current: int = 2) -> int:
    """Sealed segments of a log that nobody has a copy of, and a current one. Returns how many octets are sealed."""
    data.mkdir()
    sequence, digest, sealed = 0, "0" * 64, 0
    for segment in range(1, segments + 2):
        lines, octets = [], 0
        while octets < length if segment <= segments else len(lines) < current:
            sequence += 1
            says = {"event": "segment", "segment": segment} if not lines and segment > 1 else {"event": "visit", "visit": sequence, "reasons": ["x" * 60] * 40}
            lines.append(json.dumps({"seq": sequence, "prev": digest, "at": 1800000000, "up": 1, **says}, separators=(",", ":")))
            digest, octets = hashlib.sha256(lines[-1].encode()).hexdigest(), octets + len(lines[-1]) + 1
        (data / (f"audit-{segment:08}.jsonl" if segment <= segments else "audit.jsonl")).write_text("\n".join(lines) + "\n")
        sealed += octets if segment <= segments else 0
    return sealed


def run(*words) -> subprocess.CompletedProcess:
    return subprocess.run([*command(), *map(str, words)], capture_output=True, text=True, timeout=120)


@pytest.fixture
def trust(tmp_path):
    return issuer.write_trust(tmp_path / "trust", DEMO)


async def exported(gate: Gate, *words) -> subprocess.CompletedProcess:
    async with gate:
        await gate.light("fault")
        done = await asyncio.to_thread(run, "audit", "export", "--data", gate.data, *words)
        assert await gate.stop() == 0
    return done


@pytest.mark.parametrize("options", [("--seal",), ("--seal", "--all")])
def test_an_export_copies_before_its_seal_lets_segments_go(trust, tmp_path, options):
    data, stick = tmp_path / "data", tmp_path / "stick"
    assert write_log(data, 24) > 1024 * KIB
    gate = Gate(tmp_path / "air", trust, data, "--audit-size", "1", "--audit-segment", "64", "--audit-full", "drop-oldest")
    done = asyncio.run(exported(gate, "--into", stick, *options))
    assert done.returncode == 0, done
    # The seal made room by what had been copied by then.
    went = [line for line in gate.errors if "to make room" in line]
    assert went and not any("NOBODY HAS A COPY" in line for line in went), gate.errors
    *copies, said = done.stdout.splitlines()
    names = [f"audit-{segment:08}.jsonl" for segment in range(1, 26)]
    assert [line.split()[0] for line in copies] == names
    copy = json.loads(run("audit", "verify", stick, "--json").stdout)
    assert copy["well"] and (copy["first"], copy["last"]) == (1, 25) and said == f"25 segments exported, up to 25, digest {copy['digest']}"
    manifests = [json.loads(path.read_text()) for path in sorted(stick.glob("*.manifest"))]
    assert [part["name"] for manifest in manifests for part in manifest["segments"]] == names
    left = json.loads(run("audit", "verify", data, "--json").stdout)
    assert left["well"] and left["exportedTo"] == 25 and left["first"] > 1


def test_an_export_that_fails_asks_for_no_seal(trust, tmp_path):
    data = tmp_path / "data"
    write_log(data, 24)
    gate = Gate(tmp_path / "air", trust, data, "--audit-size", "1", "--audit-segment", "64", "--audit-full", "drop-oldest")
    done = asyncio.run(exported(gate, "--into", tmp_path / "no" / "stick", "--seal"))
    assert done.returncode == 1 and "cannot be written" in done.stderr, done
    assert len(list(data.glob("audit-*.jsonl"))) == 24 and not any("to make room" in line for line in gate.errors)


def test_a_log_with_nothing_sealed_is_sealed_and_copied(trust, tmp_path):
    data, stick = tmp_path / "data", tmp_path / "stick"
    write_log(data, 0)
    done = asyncio.run(exported(Gate(tmp_path / "air", trust, data), "--into", stick, "--seal"))
    assert done.returncode == 0 and "1 segment exported, up to 1, digest " in done.stdout, done
    assert [path.name for path in sorted(stick.glob("*"))] == ["audit-00000001-to-00000001.manifest", "audit-00000001.jsonl"]


@pytest.mark.parametrize("full, current, said", [
    ("stop", 2, "to be exported before nobody can enter"), ("stop", 24, ": nobody can enter"), ("drop-oldest", 24, "% of the room is not exported"),
])
def test_doctor_says_that_nobody_can_enter_when_that_is_so(trust, tmp_path, full, current, said):
    """Longer than its bound, a log that is not exported is written on until its current segment is full."""
    data = tmp_path / "data"
    write_log(data, 24, current=current)
    assert (data / "audit.jsonl").stat().st_size > 56 * KIB or current == 2
    found = json.loads(run("doctor", "--hci", "unix:air", "--trust", trust, "--data", data, "--audit-size", "1", "--audit-segment", "64",
                           "--audit-full", full, "--json").stdout)
    room = next(row for section in found["sections"] if section["name"] == "audit log" for row in section["rows"] if row["name"] == "room")
    assert room["value"].endswith(said), room
    codes = [trouble["code"] for trouble in found["troubles"] if trouble["code"].startswith("audit")]
    assert (room["state"], codes) == (("trouble", ["audit-full"]) if said == ": nobody can enter" else ("note", [])), found["troubles"]
