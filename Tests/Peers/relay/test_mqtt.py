"""Records to a broker, by MQTT 5: Debian's mosquitto killed, stopped, full and restarted; the relay killed; nothing lost where
docs/relay.md promises it, nothing out of order, what comes twice counted. RECORDS says how many (1000; 10000 in the long form)."""
import json
import os
import random
import signal
import subprocess
import time

import pytest

from broker import ACCESS, Authority
from gate import is_reference
from made_log import MadeLog
from outlet_rig import program
from relays import Relay
from scene import RECORDS, ready_scene, whole    # noqa: F401, a fixture

pytestmark = pytest.mark.skipif(is_reference(), reason="the reference gate has no relay")


def test_all_that_is_there_and_all_that_comes(scene):
    scene.log.visits(RECORDS // 2)
    scene.serve()
    scene.collect(says_have=False)
    relay = scene.relay()
    scene.collector.wait(RECORDS // 2)
    for _ in range(4):
        scene.log.visits(RECORDS // 8)
        scene.log.seal()
    whole(scene, scene.log.sequence)
    assert scene.collector.twice == 0
    relay.wait_for(lambda: relay.cursor() == scene.log.sequence)
    assert relay.resident() < 64 << 20
    # Ended cleanly, it knows all that was delivered: started again it sends nothing again.
    assert relay.end() == 0
    relay.start()
    scene.log.visits(10)
    whole(scene, scene.log.sequence)
    assert scene.collector.twice == 0
    scene.collector.wait(scene.log.sequence)
    assert scene.collector.states[-1]["online"]


def trial(scene, kill: int, relay_killed: bool, **settings) -> None:
    scene.serve()
    scene.collect(says_have=settings.get("confirm") == "collector")
    relay = scene.relay(**settings)
    rolls = random.Random(kill)
    for turn in range(4):
        scene.log.visits(RECORDS // 4, at_once=RECORDS // 20)
        if turn % 2:
            scene.log.seal()
        # Somewhere on the way, and not at a place where nothing goes on.
        scene.collector.wait(scene.log.sequence - rolls.randrange(1, RECORDS // 8))
        if relay_killed:
            relay.end(signal.SIGKILL)
        scene.broker.restart(kill)
        if relay_killed:
            relay.start()
    whole(scene, scene.log.sequence)
    relay.wait_for(lambda: relay.cursor() == scene.log.sequence)


def test_a_broker_that_is_ended_saves_what_it_took(scene):
    trial(scene, signal.SIGTERM, False)


def test_a_broker_that_is_killed_loses_nothing_that_the_collector_has_not(scene):
    trial(scene, signal.SIGKILL, False, confirm="collector")


def test_a_relay_that_is_killed_besides(scene):
    trial(scene, signal.SIGKILL, True, confirm="collector")


def test_nobody_who_reads_is_no_delivery(scene):
    """PUBACK with 0x10 moves no cursor; when a reader comes everything comes."""
    scene.log.visits(100)
    scene.serve()
    relay = scene.relay()
    relay.wait_for_trouble("no-reader")
    assert relay.cursor() == 0
    scene.collect()
    whole(scene, 100)
    relay.wait_for(lambda: relay.cursor() == 100 and relay.status()["state"] == "connected")


@pytest.mark.parametrize("fault, code", [
    ("password", "credentials"), ("authority", "certificate"), ("name", "certificate"), ("expired", "certificate"), ("access", "not-authorized"),
    ("away", "not-reachable"),
])
def test_what_is_wrong_is_named_and_nothing_is_lost(scene, fault, code):
    scene.log.visits(50)
    access = ACCESS.replace("pattern write gatehouse/1/%u/log\n", "") if fault == "access" else ACCESS
    broker = scene.serve(access=access)
    if fault in ("name", "expired"):
        broker.certificate = broker.authority.make("broker", "elsewhere.example" if fault == "name" else "localhost", -1 if fault == "expired" else 30)
        broker.write()
        broker.restart(signal.SIGTERM)
    settings = scene.settings()
    if fault == "password":
        (scene.folder / "password").write_text("wrong\n")
    if fault == "authority":
        settings["authorities"] = str(Authority(scene.folder, "another").path)
    if fault == "away":
        broker.end()
    relay = Relay(scene.folder / "relay", "mqtt", scene.log.folder, settings).start()
    scene.relays.append(relay)
    relay.wait_for_trouble(code)
    began, spent = time.monotonic(), relay.seconds()
    time.sleep(3)
    # No busy loop: far below what one that waits for nothing would take.
    assert relay.seconds() - spent < 0.3 * (time.monotonic() - began)
    if fault == "away":
        # It tries again after one second and less: between two tries it says what it says here.
        relay.wait_for(lambda: (relay.status()["state"], relay.status()["trouble"]) == ("waiting", code))
    # A broker that ends the connection besides does not hide its reason.
    assert relay.cursor() == 0 and (fault == "away" or (relay.status()["state"], relay.status()["trouble"]) == ("waiting", code))
    # Put right, everything comes.
    relay.end()
    if fault == "away":
        broker.start()
    if fault in ("name", "expired", "access"):
        (broker.folder / "access").write_text(ACCESS)
        broker.certificate = broker.authority.make("broker")
        broker.write()
        broker.restart(signal.SIGTERM)
    scene.collect()
    relay.set(**scene.settings())
    relay.start()
    whole(scene, 50)


def test_a_broker_that_stands_still(scene):
    """SIGSTOP: what is under way is waited for, and nothing spins; then it goes on."""
    scene.log.visits(50)
    scene.serve()
    scene.collect()
    relay = scene.relay()
    whole(scene, 50)
    scene.broker.send(signal.SIGSTOP)
    scene.log.visits(RECORDS)
    began, spent = time.monotonic(), relay.seconds()
    time.sleep(5)
    assert relay.seconds() - spent < 0.3 * (time.monotonic() - began)
    scene.broker.send(signal.SIGCONT)
    whole(scene, scene.log.sequence)


def test_the_log_is_another_one(scene):
    scene.log.visits(60)
    scene.serve()
    scene.collect()
    relay = scene.relay()
    relay.wait_for(lambda: relay.cursor() == 60)
    # The broker has them; nothing of the old log may come behind its end.
    whole(scene, 60)
    relay.end()
    for part in scene.log.folder.iterdir():
        part.unlink()
    scene.log = MadeLog(scene.log.folder, 1_900_000_000)
    scene.log.visits(80)
    relay.start()
    # Numbers that the collector has, of other records: by number alone it would have dropped sixty of them.
    scene.collector.wait_for(scene.log.lines[79])
    assert [scene.collector.first[number] for number in range(1, 81)] == scene.log.lines and scene.collector.twice == 0
    scene.collector.check_chain()
    assert "another one" in relay.said() and relay.status()["exchanged"] == 1


def test_segments_that_went_are_counted(scene):
    scene.serve()
    scene.collect()
    for _ in range(3):
        scene.log.visits(40)
        scene.log.seal()
    scene.log.drop(1)
    relay = scene.relay()
    scene.collector.wait(scene.log.sequence - 40)
    relay.wait_for(lambda: relay.cursor() == scene.log.sequence)
    relay.end()
    assert relay.status()["missing"] == 40 and "records 1 to 40 went" in relay.said()


def test_a_log_of_more_segments_than_a_relay_may_open(scene):
    """256 MiB in segments of 4 MiB are 64, as many as a confined relay may have descriptors."""
    for _ in range(100):
        scene.log.visits(2)
        scene.log.seal()
    scene.serve()
    scene.collect()
    relay = scene.relay()
    whole(scene, scene.log.sequence)
    # The place is looked up again behind all of them.
    relay.end()
    relay.start()
    scene.log.visits(1)
    whole(scene, scene.log.sequence)


def test_half_a_line_is_waited_for(scene):
    scene.log.visits(5)
    scene.serve()
    scene.collect()
    relay = scene.relay()
    scene.collector.wait(5)
    line = scene.log.visit()
    turns = relay.turns()
    scene.log.append(line[:100])
    # It has looked since.
    relay.wait_for(lambda: relay.turns() >= turns + 10)
    time.sleep(1)
    assert len(scene.collector.first) == 5
    scene.log.append(line[100:])
    whole(scene, 6)


def test_verdicts_name_nobody(scene):
    scene.log.visits(20)
    scene.serve()
    scene.collect()
    scene.relay(detail="verdicts")
    scene.collector.wait(20)
    text = b"\n".join(scene.collector.records)
    assert b"issuer" not in text and b"Ms" not in text and b"prev" not in text and b'"outcome":"rejected","reasons":["no-match","expired"]' in text
    assert scene.collector.others == {}


def test_unusable_settings_are_named(scene):
    scene.serve()
    good = scene.settings()
    for change, word in [({"colour": "red"}, "colour"), ({"gate": "East"}, "gate"), ({"detail": "much"}, "detail"), ({"certificate": "/a"}, "key"),
                         ({"certificate": str(scene.broker.certificate[0]), "key": str(scene.broker.certificate[1])}, "passwordFile"),
                         ({"certificate": "/a", "key": str(scene.broker.authority.path)}, "others may read it"),
                         ({"passwordFile": "/nowhere"}, "/nowhere"), ({"port": 0}, "port"), ({"confirm": "nobody"}, "confirm")]:
        relay = Relay(scene.folder / "relay", "mqtt", scene.log.folder, {**good, **change})
        done = subprocess.run([*relay.command(), "--check"], capture_output=True, text=True, timeout=60)
        assert done.returncode == 2 and word in done.stderr and done.stderr.count("\n") == 1, (change, done)
    relay = Relay(scene.folder / "relay", "mqtt", scene.log.folder, good)
    assert subprocess.run([*relay.command(), "--check"], timeout=60).returncode == 0


@pytest.mark.parametrize("options, word", [(["pigeon", "--settings", "/a", "--state", "/b"], "pigeon"), (["mqtt", "--settings", "/a"], "--state"),
                                           (["mqtt", "--settings", "/a", "--state", "/b", "--colour"], "--colour")])
def test_unusable_options_end_as_unusable_settings_do(options, word):
    done = subprocess.run([program(), *options], capture_output=True, text=True, timeout=60)
    assert done.returncode == 2 and word in done.stderr and not done.stdout, done


def test_home_assistant_finds_a_gate_without_a_button(scene):
    scene.log.write("started", version="12", clock="sure", bundle=3)
    scene.log.visits(9)
    scene.serve()
    scene.collect()
    relay = scene.relay(homeAssistant=True)
    scene.collector.wait(10)
    wanted = {"homeassistant/device/gatehouse-east-1/config", "gatehouse/1/east-1/visit"}
    relay.wait_for(lambda: wanted <= set(scene.collector.others) and scene.collector.healths)
    found = json.loads(scene.collector.others["homeassistant/device/gatehouse-east-1/config"])
    assert {one["p"] for one in found["cmps"].values()} == {"event", "binary_sensor", "sensor"}
    assert json.loads(scene.collector.others["gatehouse/1/east-1/visit"])["event_type"] == "accepted"
    assert scene.collector.healths[-1]["gate"] == "east-1"


def test_a_visit_is_told_once_and_while_it_is_news(scene):
    """Nobody reads the log, so the first record is tried again and again; its event is not. With `confirm: none` nobody has to."""
    scene.log = MadeLog(scene.folder / "log", int(time.time()))
    scene.log.visits(3)
    scene.serve()
    watcher = scene.collect(topics=[("gatehouse/1/+/visit", 0)])
    relay = scene.relay(homeAssistant=True)
    relay.wait_for_trouble("no-reader")
    time.sleep(6)
    assert watcher.visits == [1]
    relay.end()
    # Old visits are no news, when the relay comes back.
    relay.set(**scene.settings(homeAssistant=True, confirm="none"))
    scene.log.at -= 7200
    scene.log.visits(20)
    scene.log.at += 7200
    scene.log.visits(2)
    relay.start()
    relay.wait_for(lambda: relay.cursor() == 25)
    relay.wait_for(lambda: 25 in watcher.visits)
    assert not set(range(4, 24)) & set(watcher.visits), watcher.visits


def test_a_visit_in_the_place_of_one_that_never_came_to_the_disk_is_told(scene):
    """The log is cut behind record 2 and goes on otherwise: its third record is another visit, and news."""
    log = scene.log = MadeLog(scene.folder / "log", int(time.time()))
    log.visits(2)
    held, size = (log.sequence, log.digest, list(log.lines)), log.current.stat().st_size
    log.visits(1)
    scene.serve()
    watcher = scene.collect(topics=[("gatehouse/1/+/visit", 0)])
    relay = scene.relay(homeAssistant=True, confirm="none")
    relay.wait_for(lambda: relay.cursor() == 3 and watcher.visits == [1, 2, 3])
    os.truncate(log.current, size)
    log.sequence, log.digest, log.lines = held
    log.at += 5
    # By the second one it is seen even where all of this comes between two looks.
    log.visits(2)
    relay.wait_for(lambda: watcher.visits == [1, 2, 3, 3, 4])
    assert "written anew from record 3" in relay.said()


def test_what_the_access_list_forgot_is_named(scene):
    scene.log.visits(5)
    scene.serve(access=ACCESS.replace("pattern write gatehouse/1/%u/health\n", ""))
    scene.collect()
    relay = scene.relay(confirm="collector")
    # Mosquitto ends the connection besides. What it refused is left out of the next one, so that records come; and it is said.
    relay.wait_for(lambda: "gatehouse/1/east-1/health (reason 135)" in relay.said())
    whole(scene, 5)
    relay.wait_for(lambda: relay.cursor() == 5)
    relay.wait_for(lambda: (relay.status()["state"], relay.status().get("trouble")) == ("connected", "not-authorized"))
    scene.log.visits(5)
    whole(scene, 10)
    assert relay.said().count("reason 135)") <= 3 and not scene.collector.healths


def test_our_certificate_is_not_taken(scene):
    scene.log.visits(5)
    scene.serve("require_certificate true")
    certificate, key = Authority(scene.folder, "stranger").make("east-1")
    settings = {name: value for name, value in scene.settings(certificate=str(certificate), key=str(key)).items() if name != "passwordFile"}
    relay = Relay(scene.folder / "relay", "mqtt", scene.log.folder, settings).start()
    scene.relays.append(relay)
    relay.wait_for_trouble("credentials")
    assert relay.cursor() == 0


def test_a_relay_that_is_back_at_once_was_never_away(scene):
    """The will waits for five seconds, which takes a session of that length; then it is said."""
    scene.log.visits(5)
    scene.serve()
    scene.collect()
    relay = scene.relay()
    whole(scene, 5)
    relay.end(signal.SIGKILL)
    relay.start()
    scene.log.visits(1)
    whole(scene, 6)
    time.sleep(8)
    assert all(state["online"] for state in scene.collector.states), scene.collector.states
    relay.end(signal.SIGKILL)
    for _ in range(1200):
        if not scene.collector.states[-1]["online"]:
            return
        time.sleep(0.05)
    raise AssertionError("the will did not come")
