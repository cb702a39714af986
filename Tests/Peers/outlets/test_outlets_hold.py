"""The same accidents for every outlet that tells records, against its real server: killed, restarted, slow, cut off, lying, the disk full,
the relay killed. Nothing is lost, nothing comes out of its order, every octet is the log's, and what comes twice is counted and printed.

Some hundred records here, and 10,000 in the long form (`-m soak`); `-rP` shows the figures.
"""
import json
import random
import signal
import time

import pytest

from far_ends import FAR_ENDS, number
from gate import is_reference
from list_server import Authority
from made_log import MadeLog
from outlet_rig import Relay, until
from small_disk import SmallDisk
from syslog_receiver import Stranger, deaf, endless
from wire import Wire

pytestmark = [pytest.mark.skipif(is_reference(), reason="the reference gate has no relay"),
              pytest.mark.parametrize("kind", FAR_ENDS),
              pytest.mark.parametrize("records", (320, pytest.param(10_000, marks=pytest.mark.soak)))]


class Scene:
    def __init__(self, folder, kind: str, records: int) -> None:
        self.folder, self.records = folder, records
        self.log = MadeLog(folder / "log")
        self.end = FAR_ENDS[kind](folder)
        self.wire = Wire(self.end.port)
        self.made: Relay | None = None
        self.began = time.monotonic()
        self.rolls = random.Random(records)
        # What came is megabytes in the long form: it is not looked through ten times a second.
        self.pause = 0.1 if records < 1000 else 1

    def relay(self, **more) -> Relay:
        # What is to be kept after so little a pause is little, too.
        rewind = {"rewind": min(2000, self.records // 2), "settle": 2 if self.records < 1000 else 5} if self.end.kind == "syslog" else {}
        self.made = Relay(self.end.kind, self.folder, self.log.folder, **self.end.settings(self.wire.port, detail="all", **rewind, **more))
        return self.made

    def arrived(self) -> int:
        return len(set(self.end.lines()))

    def some(self, of: int) -> None:
        """Until a part of what is in the log has come: somewhere on the way, and not where nothing goes on."""
        wanted = self.log.sequence - self.rolls.randrange(1, max(2, of))
        until(lambda: self.arrived() >= wanted, lambda: f"record {wanted} of {self.log.sequence} ({self.state()})", 600, self.pause)

    def state(self) -> str:
        return f"{self.arrived()} arrived, {self.made.status()}, {self.made.said()[-500:]}"

    def whole(self) -> None:
        """All of it came, in its order, octet for octet."""
        until(lambda: self.arrived() >= self.log.sequence, lambda: f"all {self.log.sequence} ({self.state()})", 600, self.pause)
        lines = self.end.lines()
        first = list(dict.fromkeys(lines))
        assert first == self.log.lines, next((number(a), number(b)) for a, b in zip(first, self.log.lines) if a != b)
        until(lambda: self.made.cursor() == self.log.sequence, lambda: f"the cursor ({self.made.cursor()}, {self.state()})")
        seconds = time.monotonic() - self.began
        print(f"{self.end.kind}: {len(first)} records in {seconds:.1f} s, none missing, in order, {len(lines) - len(first)} twice")

    def close(self) -> None:
        if self.made:
            self.made.__exit__()
        self.end.close()
        self.wire.__exit__()


@pytest.fixture
def scene(tmp_path, kind, records):
    made = Scene(tmp_path, kind, records)
    yield made
    made.close()


def turns(scene, count: int, accident) -> None:
    """Records come in as many parts, and in the middle of each something happens."""
    part = scene.records // count
    for turn in range(count):
        scene.log.visits(part, at_once=max(1, part // 5))
        if turn % 2:
            scene.log.seal()
        scene.some(part)
        accident()
    scene.whole()


@pytest.mark.parametrize("by", (signal.SIGKILL, signal.SIGTERM), ids=("killed", "restarted"))
def test_the_server_ends_and_comes_back(scene, by):
    def again():
        scene.end.end(by)
        scene.end.start()
    with scene.relay():
        turns(scene, 8 if scene.records > 1000 else 2, again)


def test_the_line_is_cut(scene):
    with scene.relay():
        turns(scene, 8 if scene.records > 1000 else 2, scene.wire.cut)


def test_the_relay_is_killed(scene):
    relay = scene.relay()

    def again():
        relay.kill()
        relay.start()
    with relay:
        turns(scene, 8 if scene.records > 1000 else 3, again)


def test_a_slow_line(scene):
    """What does not go out waits in the log, and not in memory; and who waits does not spin."""
    scene.wire.rate = 150_000 if scene.records < 1000 else 500_000
    scene.log.visits(scene.records)
    with scene.relay() as relay:
        began = time.monotonic()
        scene.whole()
        status = open(f"/proc/{relay.process.pid}/status").read()
        resident = int(status.split("VmHWM:")[1].split()[0]) / 1024
        fields = open(f"/proc/{relay.process.pid}/stat").read().rsplit(") ", 1)[1].split()
        spent, seconds = (int(fields[11]) + int(fields[12])) / 100, time.monotonic() - began
        print(f"{resident:.1f} MB at most, {spent / seconds:.3f} of a processor")
        assert resident < 64 and spent < 0.5 * seconds


@pytest.mark.parametrize("lie", ("certificate", "endless"))
def test_somebody_else_is_there_for_a_while(scene, lie, tmp_path):
    """With another certificate; or with the right one, and an answer without end. None of it counts, and then all of it comes."""
    (tmp_path / "other").mkdir()
    authority = Authority(tmp_path / "other", "Other authority") if lie == "certificate" else scene.end.authority
    half = scene.records // 2
    scene.log.visits(half)
    with scene.relay() as relay, Stranger(authority, deaf if lie == "certificate" else endless) as stranger:
        until(lambda: scene.arrived() == half, "the first half", 600, scene.pause)
        scene.wire.target = stranger.port
        scene.wire.cut()
        scene.log.visits(half)
        codes = {"certificate"} if lie == "certificate" else {"protocol-broken", "closed"}
        until(lambda: relay.status().get("trouble") in codes, lambda: f"{codes} ({scene.state()})")
        assert relay.cursor() <= half and scene.arrived() == half
        scene.wire.target = scene.end.port
        # It would wait for a minute.
        relay.kill()
        relay.start()
        scene.whole()


def test_the_disk_is_full(tmp_path, kind, records):
    """The relay's own: what the other side has is not remembered, so that some comes twice after a kill; nothing is lost, nothing stops."""
    with SmallDisk(tmp_path / kind) as disk:
        scene = Scene(tmp_path, kind, records)
        relay = scene.relay()
        relay.prefix, relay.state = disk.inside, disk.path(relay.state)
        try:
            held = full_disk(scene, relay, disk)
        finally:
            scene.close()
    print(f"the cursor stayed at {held} while the disk was full")


def full_disk(scene, relay, disk) -> int:
    third = scene.records // 3
    scene.log.visits(third)
    with relay:
        scene.some(third // 2)
        until(relay.cursor, "a cursor")
        disk.fill()
        held = relay.cursor()
        scene.log.visits(third)
        until(lambda: scene.arrived() == scene.log.sequence, lambda: f"the second part ({scene.state()})", 600, scene.pause)
        said = relay.said()
        assert said.count("the cursor cannot be stored") <= 1, said
        relay.kill()
        relay.start()
        scene.log.visits(third)
        until(lambda: scene.arrived() == scene.log.sequence, lambda: f"the third part ({scene.state()})", 600, scene.pause)
        # Half a cursor is none: what is there is the one before.
        assert json.loads((relay.state / "cursor").read_text())["seq"] >= held
        disk.free()
        scene.log.visits(10)
        scene.whole()
    return held
