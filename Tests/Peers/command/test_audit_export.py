"""What is copied of an audit log, and what is not taken for a copy."""
import json
import os
import subprocess

import pytest

from gate import command, is_reference
from test_audit_bound import write_log

pytestmark = pytest.mark.skipif(is_reference(), reason="the reference gate keeps no segments")
NAMES = [f"audit-{segment:08}.jsonl" for segment in range(1, 5)]


@pytest.fixture
def data(tmp_path):
    write_log(tmp_path / "data", len(NAMES), length=10_000)
    return tmp_path / "data"


def export(data, stick, *options) -> subprocess.CompletedProcess:
    words = ["audit", "export", "--data", data, "--into", stick, *map(str, options)]
    return subprocess.run([*command(), *words], capture_output=True, text=True, timeout=120)


def told(data) -> int:
    mark = data / "audit.exported"
    return json.loads(mark.read_text()).get("segment", 0) if mark.exists() else 0


def copies(stick) -> list[str]:
    return sorted(path.name for path in stick.glob("*.jsonl")) if stick.exists() else []


def first(data, name) -> int:
    """Number of a segment's first record."""
    return json.loads((data / name).read_text().splitlines()[0])["seq"]


def test_the_log_is_no_copy_of_itself(data, tmp_path):
    (tmp_path / "other").symlink_to(data)
    for folder in (data, tmp_path / "other", data / "."):
        done = export(data, folder)
        assert done.returncode == 1 and "is the log itself and no copy of it" in done.stderr, done
    stick = tmp_path / "stick"
    stick.mkdir()
    os.link(data / NAMES[1], stick / NAMES[1])
    done = export(data, stick)
    assert done.returncode == 1 and f"{NAMES[1]} is the log itself" in done.stderr, done
    assert told(data) == 0
    # Where everything is exported already, that there is nothing to do would be taken for done.
    assert export(data, tmp_path / "elsewhere").returncode == 0 and told(data) == 4
    for folder in (data, tmp_path / "other"):
        done = export(data, folder)
        assert done.returncode == 1 and "is the log itself and no copy of it" in done.stderr and not done.stdout, done
    assert export(data, tmp_path / "elsewhere").stdout == "nothing to export\n"


@pytest.mark.parametrize("length", [0, 1, 5000, -1])
def test_a_copy_that_lost_its_end_is_made_whole(data, tmp_path, length):
    stick = tmp_path / "stick"
    stick.mkdir()
    whole = (data / NAMES[1]).read_bytes()
    (stick / NAMES[1]).write_bytes(whole[:length])
    assert export(data, stick).returncode == 0 and (stick / NAMES[1]).read_bytes() == whole and told(data) == 4


@pytest.mark.parametrize(
    "change", [lambda octets: b"x" + octets[1:5000], lambda octets: octets + b"\n", lambda octets: octets[:-2] + b"x\n"])
def test_another_file_is_left_alone(data, tmp_path, change):
    stick = tmp_path / "stick"
    stick.mkdir()
    other = change((data / NAMES[1]).read_bytes())
    (stick / NAMES[1]).write_bytes(other)
    done = export(data, stick)
    assert done.returncode == 1 and "is there already and is another file" in done.stderr, done
    assert (stick / NAMES[1]).read_bytes() == other and told(data) == 0


def test_a_link_is_left_alone(data, tmp_path):
    stick = tmp_path / "stick"
    stick.mkdir()
    (stick / NAMES[1]).symlink_to(tmp_path / "nowhere")
    done = export(data, stick)
    assert done.returncode == 1 and "is there already and is another file" in done.stderr, done
    assert (stick / NAMES[1]).is_symlink() and told(data) == 0


def test_from_a_record_on(data, tmp_path):
    start = first(data, NAMES[2])
    for number, wanted in ((start - 1, NAMES[1:]), (start, NAMES[2:]), (start + 1, NAMES[2:]), (0, NAMES), (1, NAMES)):
        stick = tmp_path / f"stick-{number}"
        (data / "audit.exported").unlink(missing_ok=True)
        done = export(data, stick, "--from", number)
        assert done.returncode == 0 and copies(stick) == wanted, done
        # A mark says that everything before it is copied.
        assert told(data) == (4 if wanted == NAMES else 0)
        left = {1: "segment 1 is before", 2: "segments 1 to 2 are before"}.get(4 - len(wanted), "")
        assert ("the gate is told nothing" in done.stderr and left in done.stderr) if left else not done.stderr, done
    verified = subprocess.run([*command(), "audit", "verify", tmp_path / f"stick-{start}"], capture_output=True, text=True, timeout=120)
    assert verified.returncode == 0, verified


def test_from_a_record_on_of_what_was_exported(data, tmp_path):
    assert export(data, tmp_path / "all").returncode == 0 and told(data) == 4
    start = first(data, NAMES[3])
    again = export(data, tmp_path / "again", "--from", start)
    assert again.returncode == 0 and copies(tmp_path / "again") == NAMES[3:] and told(data) == 4 and not again.stderr, again
    # It is in the current segment, or not there yet.
    for number in (first(data, "audit.jsonl"), 10**18, 2**64 - 1):
        done = export(data, tmp_path / "none", "--from", number)
        assert done.returncode == 0 and done.stdout == "nothing to export\n" and not (tmp_path / "none").exists(), done


@pytest.mark.parametrize("number", ["-1", "x", "1.5", str(2**64)])
def test_a_number_that_is_none(data, tmp_path, number):
    assert export(data, tmp_path / "stick", f"--from={number}").returncode == 2 and told(data) == 0


def test_from_and_all_are_two_answers(data, tmp_path):
    assert export(data, tmp_path / "stick", "--from", "1", "--all").returncode == 2


def test_from_behind_a_damaged_beginning(data, tmp_path):
    """Where it is not certain that a segment ends before the record, it is copied."""
    octets = (data / NAMES[2]).read_bytes()
    (data / NAMES[2]).write_bytes(b"x" + octets[1:])
    done = export(data, tmp_path / "stick", "--from", json.loads(octets.splitlines()[0])["seq"] + 1)
    assert done.returncode == 0 and copies(tmp_path / "stick") == NAMES[1:], done
