"""Records to a broker, by MQTT 5: Debian's mosquitto killed, stopped, full, lying and restarted; the relay killed; nothing lost where
docs/relay.md promises it, nothing out of order, what comes twice counted. RECORDS says how many (1000; 10000 in the long form)."""
import json
import os
import random
import signal
import ssl
import subprocess
import time

import paho.mqtt.client as mqtt
import pytest

from broker import ACCESS, Authority, Broker
from collector import Collector, identity
from gate import is_reference
from liar import ACCEPTED, Liar, packet, packets, publication
from made_log import MadeLog
from relays import Relay

pytestmark = pytest.mark.skipif(is_reference(), reason="the reference gate has no relay")
RECORDS = int(os.environ.get("RECORDS", "1000"))


class Scene:
    def __init__(self, folder):
        self.folder, self.broker, self.collector, self.relays = folder, None, None, []
        self.log = MadeLog(folder / "log")

    def settings(self, **members) -> dict:
        password = self.folder / "password"
        password.write_text("right\n")
        password.chmod(0o600)
        return {"gate": "east-1", "detail": "all", "host": "localhost", "port": self.broker.port, "authorities": str(self.broker.authority.path),
                "passwordFile": str(password), **members}

    def serve(self, *options, **members) -> Broker:
        self.broker = Broker(self.folder / "broker", *options, **members).start()
        return self.broker

    def collect(self, **members) -> Collector:
        self.collector = Collector(self.broker, **members).start()
        return self.collector

    def relay(self, **members) -> Relay:
        made = Relay(self.folder / "relay", "mqtt", self.log.folder, self.settings(**members)).start()
        self.relays.append(made)
        return made

    def close(self):
        for relay in self.relays:
            relay.end()
        if self.collector:
            self.collector.stop()
        if self.broker:
            self.broker.end()


@pytest.fixture
def scene(tmp_path):
    made = Scene(tmp_path)
    yield made
    made.close()


def whole(scene, wanted: int) -> None:
    """Everything came, in order, octet for octet; how much of it twice is printed."""
    scene.collector.wait(wanted)
    scene.collector.check_order()
    scene.collector.check_chain()
    assert [scene.collector.first[number] for number in range(1, wanted + 1)] == scene.log.lines
    print(f"{wanted} records, {scene.collector.twice} twice")


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


def test_the_cursor_waits_for_the_collector(scene):
    scene.log.visits(100)
    scene.serve()
    scene.collect(says_have=False)
    relay = scene.relay(confirm="collector")
    scene.collector.wait(1)
    time.sleep(3)
    assert len(scene.collector.records) == 1, "one is sent, until somebody says that it is there"
    # Another record of that number, and words that are none, are ignored.
    for word in ("99999999999999999999", "-1", "1e3", "1 ", "", "1 0000000000000000", "1 " + "A" * 16, f"1 {identity(scene.log.lines[0])} 1"):
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
    """It has a session, so the broker takes everything for it; nobody says `have`. One record is on the way, and again after a minute."""
    scene.log.visits(RECORDS)
    scene.serve()
    scene.collect(says_have=False)
    # What somebody said once is retained, and no sign of life.
    scene.collector.client.publish("gatehouse/1/east-1/have", "7", 1, True)
    relay = scene.relay(confirm="collector")
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
    relay = scene.relay(confirm="collector")
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
    scene.log.visits(6000)
    scene.serve()
    scene.collect()
    relay = scene.relay(confirm="collector")
    relay.wait_for(lambda: relay.cursor() == 6000)
    scene.collector.says_have = False
    scene.collector.say()
    relay.end()
    (relay.state / "cursor").unlink()
    relay.start()
    relay.wait_for(lambda: relay.cursor() == 6000)


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
    # A broker that ends the connection besides does not hide its reason.
    assert relay.cursor() == 0 and (relay.status()["state"], relay.status()["trouble"]) == ("waiting", code)
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
    relay.set(scene.settings())
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
    relay.end()
    for part in scene.log.folder.iterdir():
        part.unlink()
    scene.log = MadeLog(scene.log.folder, 1_900_000_000)
    scene.log.visits(80)
    scene.collector.first.clear()
    relay.start()
    whole(scene, 80)
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


def test_half_a_line_is_waited_for(scene):
    scene.log.visits(5)
    scene.serve()
    scene.collect()
    relay = scene.relay()
    scene.collector.wait(5)
    line = scene.log.visit()
    scene.log.append(line[:100])
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


def endless_messages(connection):
    connection.sendall(ACCEPTED)
    message = publication("gatehouse/1/east-1/have", b"1") * 1000
    while True:
        connection.sendall(message)


def endless_packet(connection):
    """One packet of 256 MB, which never ends."""
    connection.sendall(ACCEPTED + b"\x30" + b"\xff\xff\xff\x7f")
    while True:
        connection.sendall(bytes(65_536))


def nonsense(connection):
    connection.sendall(ACCEPTED + bytes(range(256)) * 64)
    connection.recv(1)


def silence(connection):
    while connection.recv(4096):
        pass


def endless_connections(connection):
    """It takes the connection again and again; packets lie across the records of TLS, so that the library always finds more."""
    stream = ACCEPTED * 4000
    while True:
        connection.sendall(stream[:-2])
        connection.sendall(stream[-2:] + stream[:7])
        connection.sendall(stream[7:])


def endless_pings(connection):
    connection.sendall(ACCEPTED)
    answers = b"\xd0\0" * 8000
    connection.sendall(answers[:-1])
    while True:
        connection.sendall(answers)


def endless_exactly_once(connection):
    """QoS 2, whose messages a library keeps until it is told more."""
    connection.sendall(ACCEPTED)
    number = 0
    while True:
        number = number % 65_000 + 1
        connection.sendall(packet(0x34, b"\0\1a" + number.to_bytes(2, "big") + b"\0" + bytes(8000)))


@pytest.mark.parametrize("answer, codes", [
    (endless_connections, {"protocol-broken"}), (endless_pings, {"protocol-broken"}), (endless_exactly_once, {"protocol-broken"}),
    (endless_messages, {"protocol-broken"}), (endless_packet, {"protocol-broken"}), (nonsense, {"protocol-broken", "closed", "refused"}),
    (silence, {"timed-out"}),
])
def test_a_broker_that_lies(scene, answer, codes):
    """Whatever it sends: the relay says so, takes no more memory than it may, and no record counts."""
    scene.log.visits(30)
    authority = Authority(scene.folder, "authority")
    liar = Liar(authority, answer)
    password = scene.folder / "password"
    password.write_text("right\n")
    password.chmod(0o600)
    relay = Relay(scene.folder / "relay", "mqtt", scene.log.folder, {
        "gate": "east-1", "host": "localhost", "port": liar.port, "authorities": str(authority.path), "passwordFile": str(password)}).start()
    scene.relays.append(relay)
    relay.wait_for(lambda: relay.status().get("trouble") in codes)
    assert relay.cursor() == 0 and relay.resident() < 64 << 20, relay.resident()
    liar.close()


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


def test_home_assistant_finds_a_gate_without_a_button(scene):
    scene.log.write("started", version="12", clock="sure", bundle=3)
    scene.log.visits(9)
    scene.serve()
    scene.collect()
    scene.relay(homeAssistant=True)
    scene.collector.wait(10)
    for _ in range(600):
        if "homeassistant/device/gatehouse-east-1/config" in scene.collector.others and scene.collector.healths:
            break
        time.sleep(0.05)
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
    relay.set(scene.settings(homeAssistant=True, confirm="none"))
    scene.log.at -= 7200
    scene.log.visits(20)
    scene.log.at += 7200
    scene.log.visits(2)
    relay.start()
    relay.wait_for(lambda: relay.cursor() == 25)
    relay.wait_for(lambda: 25 in watcher.visits)
    assert not set(range(4, 24)) & set(watcher.visits), watcher.visits


def test_another_client_of_our_name(scene):
    scene.log.visits(5)
    scene.serve()
    scene.collect()
    relay = scene.relay()
    whole(scene, 5)
    other = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2, "east-1", protocol=mqtt.MQTTv5)
    other.username_pw_set("east-1", "right")
    other.tls_set_context(ssl.create_default_context(cafile=str(scene.broker.authority.path)))
    other.connect("localhost", scene.broker.port)
    other.loop_start()
    relay.wait_for_trouble("credentials")
    assert "another client has this name" in relay.said()
    other.disconnect()
    other.loop_stop()


def test_what_the_access_list_forgot_is_named(scene):
    scene.log.visits(5)
    scene.serve(access=ACCESS.replace("pattern write gatehouse/1/%u/health\n", ""))
    scene.collect()
    relay = scene.relay(confirm="collector")
    relay.wait_for(lambda: relay.cursor() == 5)
    relay.wait_for(lambda: "gatehouse/1/east-1/health (reason 135)" in relay.said())


def no_subscription(connection):
    """As brokers do that judge a subscription; Mosquitto's access list judges only what comes by it."""
    connection.sendall(ACCEPTED)
    for kind, body in packets(connection):
        if kind == 0x82:
            connection.sendall(packet(0x90, body[:2] + b"\0\x87"))


def test_a_collector_whose_word_we_may_not_hear(scene):
    scene.log.visits(5)
    authority = Authority(scene.folder, "authority")
    liar = Liar(authority, no_subscription)
    password = scene.folder / "password"
    password.write_text("right\n")
    password.chmod(0o600)
    relay = Relay(scene.folder / "relay", "mqtt", scene.log.folder, {
        "gate": "east-1", "host": "localhost", "port": liar.port, "authorities": str(authority.path), "passwordFile": str(password),
        "confirm": "collector"}).start()
    scene.relays.append(relay)
    relay.wait_for_trouble("not-authorized")
    assert relay.cursor() == 0 and "subscription" in relay.said()
    liar.close()


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

