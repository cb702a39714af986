"""The cursor that waits for a collector's word: one that is away, behind, ahead, or means another record."""
import time

import pytest

from collector import identified
from gate import is_reference
from scene import RECORDS, ready_scene, whole    # noqa: F401, a fixture

pytestmark = pytest.mark.skipif(is_reference(), reason="the reference gate has no relay")


def test_the_cursor_waits_for_the_collector(scene):
    scene.log.visits(100)
    scene.serve()
    scene.collect(says_have=False)
    relay = scene.relay(confirm="collector")
    scene.collector.wait(1)
    time.sleep(3)
    assert len(scene.collector.records) == 1, "one is sent, until somebody says that it is there"
    # Another record of that number, and words that are none, are ignored.
    for word in ("99999999999999999999", "-1", "1e3", "1 ", "", "1 0000000000000000", "1 " + "A" * 16, f"1 {identified(scene.log.lines[0])[1]} 1"):
        scene.collector.client.publish("gatehouse/1/east-1/have", word, 1, True)
    time.sleep(2)
    assert relay.cursor() == 0 and len(scene.collector.records) == 1
    scene.collector.say()
    whole(scene, 100)
    relay.wait_for(lambda: relay.cursor() == 1)
    # A number that the log does not reach; then one of a record in flight, with a wrong identity, and without one.
    for word in ("101", "60 0000000000000000", "40"):
        scene.collector.client.publish("gatehouse/1/east-1/have", word, 1, True)
    relay.wait_for(lambda: relay.cursor() == 40)
    scene.collector.say()
    relay.wait_for(lambda: relay.cursor() == 100)
    assert scene.collector.twice == 0


def test_a_collector_that_is_away_is_not_flooded(scene):
    """It has a session, so the broker takes everything for it; nobody says `have`. One record is on the way, and again after a while."""
    scene.log.visits(RECORDS)
    scene.serve()
    scene.collect(says_have=False)
    # What somebody said once is retained, and no sign of life.
    scene.collector.client.publish("gatehouse/1/east-1/have", "7", 1, True)
    relay = scene.relay(confirm="collector", confirmTimeout=3)
    relay.wait_for(lambda: relay.cursor() == 7)
    relay.wait_for_trouble("no-reader")
    assert relay.cursor() == 7 and len(scene.collector.records) <= 9, len(scene.collector.records)
    scene.collector.says_have = True
    scene.collector.say()
    whole(scene, RECORDS)
    relay.wait_for(lambda: relay.cursor() == RECORDS)
    assert scene.collector.twice <= 2


def test_a_record_that_is_lost_behind_the_answer_comes_again(scene):
    """The collector has 40 and says so again and again, while later records are acknowledged: those from 41 on are sent again."""
    scene.log.visits(60)
    scene.serve()
    scene.collect()
    relay = scene.relay(confirm="collector", confirmTimeout=5)
    relay.wait_for(lambda: relay.cursor() == 60)
    with scene.collector.lock:
        scene.collector.lost = 61
    scene.log.visits(20)
    scene.collector.wait(79)
    began = time.monotonic()
    while 61 not in scene.collector.first:
        # Neither its own word nor the answers to later records put the time off.
        scene.collector.say()
        scene.log.visits(1)
        assert time.monotonic() < began + 180, relay.status()
        time.sleep(1)
    scene.collector.wait(scene.log.sequence)
    relay.wait_for(lambda: relay.cursor() == scene.log.sequence)


def test_a_collector_that_is_ahead_of_the_cursor(scene):
    """The relay's folder was lost: what the collector has already is sent once more, and counts when it comes to its record."""
    scene.log.visits(4500)
    scene.serve()
    scene.collect()
    relay = scene.relay(confirm="collector")
    relay.wait_for(lambda: relay.cursor() == 4500)
    scene.collector.says_have = False
    scene.collector.say()
    relay.end()
    (relay.state / "cursor").unlink()
    relay.start()
    relay.wait_for(lambda: relay.cursor() == 4500)
