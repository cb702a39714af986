"""docs/feed.schema.json, by PyPI's `jsonschema`, against what relays send to a broker: every event that a log has, by each detail; and what must
not pass it."""
import copy
import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from gate import is_reference
from scene import Scene

pytestmark = pytest.mark.skipif(is_reference(), reason="the reference gate has no relay")
SCHEMA = json.loads((Path(__file__).resolve().parents[3] / "docs" / "feed.schema.json").read_text())
Draft202012Validator.check_schema(SCHEMA)
FEED = Draft202012Validator(SCHEMA)
# Of every event that docs/reference.md has, with the members that it may have; what names somebody is to stay behind.
EVENTS = [
    ("started", {"version": "12", "slot": "A", "name": "EAST", "gate": "10000000abcdef01", "clock": "sure", "face": "required", "codes": True,
                 "mark": "none", "site": 7, "bundle": 41, "bundleNotAfter": 1_810_000_000}),
    ("visit", {"visit": 1, "outcome": "accepted", "form": "sd_jwt", "issuer": "https://issuer.example", "bundle": 41, "status": "good",
               "holder": "bound", "face": "match", "faceBin": "far-above", "faceFrames": 4, "mtu": 517, "chunks": 41, "decidedMs": 701}),
    ("visit", {"visit": 2, "outcome": "rejected", "reasons": ["no-match", "expired"], "form": "ldp_vc", "issuer": "https://work.example"}),
    ("visit", {"visit": 3, "outcome": "failed", "error": "TVV_TRA_002"}),
    ("visit", {"visit": 4, "outcome": "timed-out", "deadline": "transfer"}),
    ("visit", {"visit": 5, "outcome": "left", "presentation": "qr"}),
    ("door", {"what": "opened", "by": "visit"}), ("door", {"what": "held"}), ("door", {"what": "many", "kind": "opened", "count": 12}),
    ("trust", {"bundle": 42, "bundleNotAfter": 1_820_000_000}),
    ("fruitless", {"links": 9, "left": 2, "silent": 1, "failed": 1, "visits": 3, "rejected": 2, "refused": 1, "overMs": 60_000}),
    ("repaired", {"removed": 80}), ("resumed", {"after": 120}), ("void", {"of": 3}),
    ("dropped", {"from": 1, "to": 2, "records": 80, "keptFrom": 81, "exported": False}), ("something-new", {"secret": "x"}),
]


class Sent:
    """What came to the broker of a log with every event: records and healths."""

    def __init__(self, scene: Scene, detail: str) -> None:
        for event, members in EVENTS:
            scene.log.write(event, **members)
            scene.log.at += 400
        scene.log.seal()
        scene.log.at += 400
        scene.log.write("door", what="held-ended")
        scene.serve()
        scene.collect()
        relay = scene.relay(detail=detail, period=300, healthEvery=10)
        # Of `counts` the last stretch is not over; a health of the whole log comes when its time has come.
        relay.wait_for(lambda: relay.cursor() >= scene.log.sequence - 1)
        relay.wait_for(lambda: scene.collector.healths and (detail != "all" or scene.collector.healths[-1]["seq"] == scene.log.sequence))
        relay.end()
        self.records = [json.loads(octets) for octets in scene.collector.first.values()]
        self.healths = scene.collector.healths
        self.log = scene.log


@pytest.fixture
def sent(tmp_path, request):
    scene = Scene(tmp_path)
    yield Sent(scene, request.param)
    scene.close()


def faults(document) -> list[str]:
    return [error.message for error in FEED.iter_errors(document)]


def is_wrong(document, **changes) -> bool:
    """A near neighbour of what was sent. A change to None takes the member out."""
    other = {name: value for name, value in {**copy.deepcopy(document), **changes}.items() if value is not None}
    return other != document and bool(faults(other))


@pytest.mark.parametrize("sent", ("verdicts",), indirect=True)
def test_verdicts(sent):
    assert [record["event"] for record in sent.records] == [event for event, _ in EVENTS] + ["segment", "door"]
    for record in sent.records:
        assert faults(record) == [], record
        # Mutants of each: another version, no number, a name that is none, a member that holds more than a code.
        for change in ({"feed": 2}, {"seq": None}, {"seq": 0}, {"seq": "7"}, {"gate": "East 1"}, {"at": -1}, {"event": "counts"},
                       {"more": {"who": "x"}}, {"more": ["x"]}, {"more": "x" * 257}):
            assert is_wrong(record, **change), (record, change)
    visit = next(record for record in sent.records if record["event"] == "visit")
    assert is_wrong(visit, outcome="let in") and is_wrong(visit, reasons="expired") and is_wrong(visit, reasons=[7])
    text = json.dumps(sent.records)
    assert not [word for word in ("issuer", "EAST", "10000000abcdef01", "Ms", "secret", "prev", "bound") if word in text]


@pytest.mark.parametrize("sent", ("counts",), indirect=True)
def test_counts(sent):
    assert len(sent.records) > len(EVENTS) // 2
    assert sum(record.get("visits", {}).get("accepted", 0) for record in sent.records) == 1
    for record in sent.records:
        assert record["event"] == "counts" and faults(record) == [], record
        for change in ({"feed": 0}, {"from": None}, {"to": 0}, {"seconds": 0}, {"event": "visit"}, {"visits": {"accepted": "1"}},
                       {"visits": {"accepted": -1}}, {"links": -1}, {"issuer": "https://issuer.example"}):
            assert is_wrong(record, **change), (record, change)
    # Each stands for the records behind the one before it.
    assert [record["from"] for record in sent.records] == [1] + [record["to"] + 1 for record in sent.records][:-1]


@pytest.mark.parametrize("sent", ("all",), indirect=True)
def test_health_and_what_is_not_of_the_feed(sent):
    for health in sent.healths:
        assert faults(health) == [], health
        for change in ({"trouble": None}, {"trouble": "no"}, {"door": None}, {"door": [1]}, {"clock": "right"}, {"lost": False},
                       {"bundleDays": "7"}, {"who": "x"}):
            assert is_wrong(health, **change), (health, change)
    last = sent.healths[-1]
    assert last["seq"] == sent.log.sequence and last["bundle"] == 42 and last["lost"] is True and last["door"] == []
    # By `all` the log's own lines leave, which are no records of the feed.
    assert all(faults(record) for record in sent.records)
