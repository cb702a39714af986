"""What an operator asks a log: `audit stats` and `audit tail`, of logs over segments, damaged, hostile, and beside a gate that writes."""
import fcntl
import hashlib
import json
import re
import signal
import struct
import subprocess
import sys
import termios
import time
import xml.etree.ElementTree as ElementTree

import pytest

from gate import PATIENCE, command, is_reference
from test_audit_bound import write_log
from test_command import CONTROLS, MIB
from test_reference import listed

pytestmark = pytest.mark.skipif(is_reference(), reason="the reference gate has no such commands")
# 2026-11-22T00:00:00Z.
MIDNIGHT = 1_795_305_600
HOSTILE = "\x1b[2J</text><script>\r\n&\u202e\u2028" + "x" * 200
SVG = "{http://www.w3.org/2000/svg}"


class Log:
    """A log that is written line by line, with times of the test's choosing."""

    def __init__(self, folder) -> None:
        self.folder, self.number, self.digest, self.segment, self.lines, self.written = folder, 0, "0" * 64, 1, [], 0
        folder.mkdir()

    def add(self, event: str, at: int, **members) -> None:
        self.number += 1
        line = {"seq": self.number, "prev": self.digest, "at": MIDNIGHT + at, "up": at, "event": event, **members}
        self.lines.append(json.dumps(line, separators=(",", ":"), ensure_ascii=False))
        self.digest = hashlib.sha256(self.lines[-1].encode()).hexdigest()

    def visit(self, at: int, outcome: str, **members) -> None:
        self.add("visit", at, outcome=outcome, **members)

    def seal(self, at: int) -> None:
        """As a gate does: what is sealed keeps its file, and the next one is there before it has the name."""
        self.append()
        before, self.lines, self.segment = self.segment, [], self.segment + 1
        self.add("segment", at, segment=self.segment)
        self.write("audit.next")
        (self.folder / "audit.jsonl").rename(self.folder / f"audit-{before:08}.jsonl")
        (self.folder / "audit.next").rename(self.folder / "audit.jsonl")
        self.written = len(self.lines)

    def write(self, name: str = "audit.jsonl", more: str = "") -> None:
        (self.folder / name).write_text("".join(line + "\n" for line in self.lines) + more)
        self.written = len(self.lines)

    def append(self) -> None:
        """What is new, to the same file: the first half of each line, then the rest."""
        with open(self.folder / "audit.jsonl", "a", buffering=1) as file:
            for line in self.lines[self.written:]:
                file.write(line[:50])
                file.flush()
                file.write(line[50:] + "\n")
        self.written = len(self.lines)


@pytest.fixture
def log(tmp_path) -> Log:
    """A day at a gate, with everything of which the documentation has a member."""
    log = Log(tmp_path / "log")
    log.add("started", 21_601, version="7", name="NORTH", gate="10000000abcdef01", face="off")
    for number in range(90):
        issuer = HOSTILE if number % 30 == 0 else f"https://issuer-{number % 3}.example"
        log.visit(22_000 + 400 * number, "accepted", form="sd_jwt", issuer=issuer, identifiedMs=number, decidedMs=10 * number, faceMs=7)
    log.visit(60_000, "rejected", reasons=["expired", "no-match"], form="ldp_vc", decidedMs=9001)
    log.seal(60_001)
    log.visit(61_000, "timed-out", deadline="pick")
    log.visit(61_100, "failed", error="too-many-missing")
    log.add("fruitless", 61_200, links=12, left=2, refused=10, overMs=31_000)
    log.add("resumed", 61_300, after="full")
    log.write(more="no record\n")
    return log


def run(*words) -> subprocess.CompletedProcess:
    return subprocess.run([*command(), "audit", *map(str, words)], capture_output=True, text=True, timeout=PATIENCE)


def counted(folder, *options) -> dict:
    done = run("stats", folder, "--json", *options)
    assert (done.returncode, done.stderr) == (0, ""), done
    assert not CONTROLS.search(done.stdout.rstrip("\n")), done.stdout
    return json.loads(done.stdout)


def names(value) -> set[str]:
    """The names of all members, however deep."""
    if isinstance(value, list):
        return {name for element in value for name in names(element)}
    return set(value) | {name for element in value.values() for name in names(element)} if isinstance(value, dict) else set()


# MARK: stats

def test_stats_say_for_people_how_the_day_went(log):
    done = run("stats", log.folder)
    assert (done.returncode, done.stderr) == (0, "") and not CONTROLS.search(done.stdout), done
    rows = [" ".join(line.split()) for line in done.stdout.splitlines()]
    for row in ("from 2026-11-22T06:00:01Z to 2026-11-22T17:01:40Z. All times are UTC, as in the log, by the gate's clock", "visits 93",
                "accepted 90 96.8 %", "rejected 1 1.1 %", "ended without a verdict 2 2.2 %", "deadline missed: pick 1",
                "error of the transfer: too-many-missing 1", "links that came to nothing 12 left 2, refused 10", "starts of the gate 1",
                "closed: no record could be written 1 full 1, failing 0; for at most 100 s together", "2026-11-22 06:00 8 0 0 0",
                "2026-11-22 16:00 1 1 2 0", "2026-11-22 17:00 0 0 0 12", "expired 1", "https://issuer-1.example 30", "sd_jwt 90", "decided 91 450 860",
                "! lines that are no records, and are in no count: 1", "! line 6 of audit.jsonl is malformed: no record",
                f"The chain was not checked here: gatehouse audit verify {log.folder}"):
        assert row in rows, (row, done.stdout)


def test_stats_as_json_have_the_members_of_the_page(log):
    found = counted(log.folder)
    assert names(found) == set(listed("reference.md", "audit stats --json"))
    assert (found["records"], found["visits"], found["withoutVerdict"], found["starts"]) == (97, 93, 2, 1)
    assert found["outcomes"]["rows"][0] == {"name": "accepted", "count": 90} and found["issuers"]["others"] == 0
    assert {row["name"] for row in found["issuers"]["rows"]} == {HOSTILE, *(f"https://issuer-{number}.example" for number in range(3))}
    assert found["damage"] == [{"file": "audit.jsonl", "line": 6, "fault": "malformed"}] and found["chainChecked"] is False
    assert found["closed"] == {"full": 1, "failing": 0, "atMostSeconds": 100, "unknown": 0}
    assert {row["name"]: (row["visits"], row["median"], row["p95"]) for row in found["times"]} == {
        "identified": (90, 44, 85), "decided": (91, 450, 860), "face": (90, 7, 7)}
    assert sum(hour["accepted"] for hour in found["hours"]) == 90 and found["hours"][0]["hour"] == "2026-11-22T06:00:00Z"


@pytest.mark.parametrize("options, records", [
    (("--since", "92"), (92, 97)), (("--until", "1"), (1, 1)), (("--since", "2026-11-22"), (1, 97)), (("--until", "2026-11-21"), (0, 0)),
    (("--until", "2026-11-22"), (1, 97)), (("--since", "2026-11-23"), (0, 0)), (("--since", "2026-11-22T16:56:40Z"), (94, 97)),
    (("--since", "2026-11-22T17:56:40+01:00", "--until", "95"), (94, 95)),
])
def test_stats_of_a_part(log, options, records):
    found = counted(log.folder, *options)
    assert (found["firstRecord"], found["lastRecord"]) == records


@pytest.mark.parametrize("words", [("--since", "yesterday"), ("--until", "2026-13-01"), ("--since", ""), ("--until", "1x")])
def test_stats_of_no_time(log, words):
    done = run("stats", log.folder, *words)
    assert (done.returncode, done.stdout) == (2, "") and "use the number of a record" in done.stderr, done


@pytest.fixture
def door(tmp_path) -> Log:
    """A day at a door, and somebody who leant on its button."""
    log = Log(tmp_path / "door")
    log.add("started", 21_600, name="NORTH")
    for number in range(5):
        log.visit(22_000 + number, "accepted")
        log.add("door", 22_000 + number, what="opened", by="visit")
    for number in range(3):
        log.add("door", 23_000 + number, what="opened", by="exit")
    log.add("door", 24_000, what="more", kind="opened", count=400)
    for what, at in (("held", 25_000), ("held-ended", 25_060), ("forced", 26_000), ("emergency", 27_000), ("emergency-ended", 27_600),
                     ("emergency", 28_000), ("emergency-ended", 28_030), ("emergency", 29_000), ("supervisor-armed", 29_100)):
        log.add("door", at, what=what)
    log.write()
    return log


def test_stats_say_what_happened_at_the_door(door, tmp_path):
    done = run("stats", door.folder, "--svg", tmp_path / "door.svg")
    assert (done.returncode, done.stderr) == (0, ""), done
    rows = [" ".join(line.split()) for line in done.stdout.splitlines()]
    for row in ("at the door", "opened 408 exit 403, visit 5", "emergency 3 10 minutes together, the longest 10 minutes; 1 of unknown length",
                "forced 1", "held 1", "held-ended 1", "supervisor-armed 1", "of these without a record each 400"):
        assert row in rows, (row, done.stdout)
    assert ">at the door: emergency 3, forced 1, held 1<" in (tmp_path / "door.svg").read_text()


def test_stats_of_a_door_as_json(door):
    found = counted(door.folder)
    assert names(found) <= set(listed("reference.md", "audit stats --json"))
    assert found["door"] == {
        "happened": {"rows": [{"name": name, "count": count} for name, count in (
            ("opened", 408), ("emergency", 3), ("emergency-ended", 2), ("forced", 1), ("held", 1), ("held-ended", 1), ("supervisor-armed", 1))],
            "others": 0},
        "openedBy": {"rows": [{"name": "exit", "count": 403}, {"name": "visit", "count": 5}], "others": 0},
        "unrecorded": 400, "emergencies": {"ended": 2, "seconds": 630, "longestSeconds": 600, "unknown": 1}}
    # Both ends of a part belong to it: an emergency whose beginning is not in it is none of its own.
    part = counted(door.folder, "--since", "2026-11-22T07:40:00Z", "--until", "2026-11-22T07:47:10Z")
    assert part["door"]["emergencies"] == {"ended": 1, "seconds": 30, "longestSeconds": 30, "unknown": 0}


def test_a_gate_without_a_door_has_no_row_of_it(log):
    assert "at the door" not in run("stats", log.folder).stdout
    assert counted(log.folder)["door"]["happened"] == {"rows": [], "others": 0}


def test_stats_of_no_log_and_of_an_empty_one(tmp_path):
    done = run("stats", tmp_path)
    assert done.returncode == 2 and "no audit log is there" in done.stderr
    (tmp_path / "audit.jsonl").touch()
    assert run("stats", tmp_path).stdout.splitlines()[0] == "no records in 1 segment, 0 octets"
    found = counted(tmp_path)
    assert (found["records"], found["hours"], found["times"]) == (0, [], []) and "from" not in found


def test_stats_over_many_hours_are_by_date_and_by_hour_of_the_day(tmp_path):
    log = Log(tmp_path / "log")
    for hour in range(100):
        log.visit(3600 * hour, "accepted")
    log.write()
    rows = [" ".join(line.split()) for line in run("stats", log.folder).stdout.splitlines()]
    assert "2026-11-22 24 0 0 0" in rows and "2026-11-26 4 0 0 0" in rows and "03:00 5 0 0 0" in rows and "04:00 4 0 0 0" in rows
    assert len(counted(log.folder)["hours"]) == 100


def test_the_picture_is_one_file_of_plain_shapes(log, tmp_path):
    log.add("started", 62_000, name="</text><script>\x07&\u202e")
    log.write()
    done = run("stats", log.folder, "--svg", tmp_path / "visits.svg")
    assert done.returncode == 0, done
    octets = (tmp_path / "visits.svg").read_bytes()
    root = ElementTree.fromstring(octets)
    assert {element.tag.removeprefix(SVG) for element in root.iter()} <= {"svg", "title", "defs", "pattern", "rect", "path", "circle", "text", "g"}
    # What is named from inside is inside, and the only address is the name of the format.
    ids = {element.get("id") for element in root.iter()} - {None}
    assert set(re.findall(rb"url\(([^)]*)\)", octets)) == {b"#" + name.encode() for name in ids} and octets.count(b"http") == 1
    words = [element.text for element in root.iter(SVG + "text")]
    assert words[0].startswith("Visits at </text><script>\ufffd&\ufffd by hour, 2026-11-22") and not CONTROLS.search("".join(words))
    assert {"accepted", "rejected", "ended without a verdict", "visits by hour", "date and hour, UTC by the gate's clock"} <= set(words)
    fillings = [element.get("fill") for element in root.iter(SVG + "rect") if element.get("stroke-width") == "0.5"]
    assert fillings.count("url(#rejected)") == 1 and fillings.count("url(#ended)") == 1 and len(fillings) == 13


def test_a_hundred_thousand_issuers_cost_no_memory(tmp_path):
    zeros = "0" * 64
    with open(tmp_path / "audit.jsonl", "w") as file:
        for number in range(1, 100_001):
            file.write(f'{{"seq":{number},"prev":"{zeros}","at":{3600 * number},"up":1,"event":"visit","outcome":"accepted",'
                       f'"issuer":"{"x" * 300}{number}"}}\n')
    # A program that is started has the most memory of who started it: of this one, if there were not a small one in between.
    measure = "import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True); " \
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    done = subprocess.run([sys.executable, "-S", "-c", measure, *command(), "audit", "stats", tmp_path, "--json"], capture_output=True, check=True,
                          timeout=PATIENCE)
    text, kib = done.stdout.decode().splitlines()
    found = json.loads(text)
    assert int(kib) * 1024 < 64 * MIB, kib
    assert len(found["issuers"]["rows"]) == 512 and found["issuers"]["others"] == 100_000 - 512 and found["visits"] == 100_000


# MARK: tail

def test_tail_says_in_plain_words_what_happened(log):
    done = run("tail", log.folder, "-n", "8")
    assert (done.returncode, done.stderr) == (0, "") and not CONTROLS.search(done.stdout), done
    assert done.stdout.splitlines() == [
        "2026-11-22T16:00:00Z  91  accepted  sd_jwt  https://issuer-2.example  after 890 ms",
        "2026-11-22T16:40:00Z  92  rejected  expired, no-match  ldp_vc  after 9001 ms", "2026-11-22T16:40:01Z  93  segment  segment 2",
        "2026-11-22T16:56:40Z  94  timed-out  pick", "2026-11-22T16:58:20Z  95  failed  too-many-missing",
        "2026-11-22T17:00:00Z  96  fruitless  links 12, left 2, refused 10, overMs 31000", "2026-11-22T17:01:40Z  97  resumed  after full",
        "! a line of 9 octets that is no record"]
    assert len(run("tail", log.folder).stdout.splitlines()) == 10 and run("tail", log.folder, "--lines", "0").stdout == ""


def test_tail_says_what_happened_at_the_door(door):
    lines = run("tail", door.folder, "-n", "1000").stdout.splitlines()
    rest = [line.split("  ", 2)[2] for line in lines]
    assert rest[2] == "door  opened  by visit" and rest[13:16] == ["door  opened  by exit", "door  more  kind opened, count 400", "door  held"]


def test_tail_shows_a_stranger_s_words_shortened_and_without_their_power(log):
    lines = run("tail", log.folder, "-n", "1000").stdout.splitlines()
    shown = next(line for line in lines if "  62  " in line)
    assert shown.split("  ")[4] == "\ufffd[2J</text><script>\ufffd\ufffd&\ufffd\ufffd" + "x" * 4 + "…" + "x" * 12
    asked = run("tail", log.folder, "--json", "-n", "1000")
    assert not CONTROLS.search(asked.stdout)
    records = [json.loads(line) for line in asked.stdout.splitlines()]
    assert records[61]["issuer"] == HOSTILE and records[61]["seq"] == 62 and records[-1] == {"damagedOctets": 9}


@pytest.mark.parametrize("count", ["-1", "1001", "many"])
def test_tail_of_an_impossible_number(log, count):
    assert run("tail", log.folder, f"--lines={count}").returncode == 2


class Following:
    """A `tail --follow` in a process of its own."""

    def __init__(self, *words, **how) -> None:
        self.process = subprocess.Popen([*command(), "audit", "tail", *map(str, words), "--follow"], stdout=subprocess.PIPE, text=True, **how)

    def lines(self, count: int) -> list[str]:
        return [self.process.stdout.readline().rstrip("\n") for _ in range(count)]

    def end(self, number: int) -> tuple[int, str]:
        self.process.send_signal(number)
        rest, _ = self.process.communicate(timeout=PATIENCE)
        return self.process.returncode, rest


def unread(pipe) -> int:
    """Octets in a pipe."""
    return struct.unpack("i", fcntl.ioctl(pipe, termios.FIONREAD, bytes(4)))[0]


@pytest.mark.parametrize("ending", [signal.SIGTERM, signal.SIGINT])
def test_tail_follows_over_segments_until_it_is_ended(log, ending):
    log.write()
    follower = Following(log.folder, "-n", "1")
    assert follower.lines(1)[0].endswith("97  resumed  after full")
    log.visit(70_000, "accepted")
    log.append()
    assert follower.lines(1)[0].endswith("98  accepted")
    for number in range(3):
        log.visit(71_000 + number, "left")
        log.seal(72_000 + number)
    log.visit(73_000, "rejected", reasons=["revoked"])
    log.append()
    assert [line.split("  ", 1)[1] for line in follower.lines(7)] == [
        "99  left", "100  segment  segment 3", "101  left", "102  segment  segment 4", "103  left", "104  segment  segment 5",
        "105  rejected  revoked"]
    assert follower.end(ending) == (0, "")


def test_tail_ends_when_its_reader_has_gone(log):
    follower = Following(log.folder, "-n", "1")
    follower.lines(1)
    follower.process.stdout.close()
    assert follower.process.wait(timeout=PATIENCE) == 0


def test_tail_ends_also_when_its_reader_does_not_read(log):
    for number in range(900):
        log.visit(74_000 + number, "rejected", reasons=["x" * 100] * 3)
    log.write()
    follower = Following(log.folder, "-n", "900", "--json")
    # Longer than what a pipe takes: it waits to write when that is as good as full, a line being shorter than what is left then.
    pipe, end = follower.process.stdout, time.monotonic() + PATIENCE
    while unread(pipe) < fcntl.fcntl(pipe, fcntl.F_GETPIPE_SZ) * 3 // 4:
        assert follower.process.poll() is None and time.monotonic() < end, unread(pipe)
        time.sleep(0.02)
    follower.process.send_signal(signal.SIGTERM)
    assert follower.process.wait(timeout=PATIENCE) == 0


# MARK: verify

def test_verify_says_the_last_digest_in_every_case(log, tmp_path):
    lines = log.lines[:]
    last = hashlib.sha256(lines[-1].encode()).hexdigest()
    cases = {"whole": lines, "torn": lines, "broken": [*lines[:2], lines[2].replace("failed", "left"), *lines[3:]], "nothing": []}
    expected = {"whole": last, "torn": last, "broken": hashlib.sha256(cases["broken"][2].encode()).hexdigest(),
                "nothing": json.loads(lines[0])["prev"]}
    for case, found in cases.items():
        log.lines = found
        log.write(more="{" if case == "torn" else "")
        for options in ((), ("--json",)):
            assert expected[case] in run("verify", log.folder, *options).stdout, case
    write_log(tmp_path / "other", 3)
    (tmp_path / "other" / "audit.jsonl").unlink()
    assert re.search(r"digest [0-9a-f]{64}$", run("verify", tmp_path / "other").stdout.splitlines()[0])
    (tmp_path / "none").mkdir()
    (tmp_path / "none" / "audit.jsonl").touch()
    assert "last record 0, digest " + "0" * 64 in run("verify", tmp_path / "none").stdout
