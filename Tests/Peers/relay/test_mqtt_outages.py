"""Records to a broker through what lasts: an hour without one, a quota, a second broker behind the first; and the cursor beside the collector's
word at every moment. RECORDS says how many (1000; 10,000 in the long form)."""
import os
import signal
import struct
import threading
import time
from types import SimpleNamespace

import pytest

from broker import ACCESS, Authority, Broker
from collector import Collector
from gate import is_reference
from liar import ACCEPTED, Liar, packet
from relays import Relay
from scene import Scene, whole
from test_mqtt import trial

pytestmark = [pytest.mark.skipif(is_reference(), reason="the reference gate has no relay"),
              pytest.mark.parametrize("records", (400, pytest.param(10_000, marks=pytest.mark.soak)))]


@pytest.fixture
def scene(tmp_path, records, monkeypatch):
    monkeypatch.setattr("test_mqtt.RECORDS", records)
    made = Scene(tmp_path)
    yield made
    made.close()


def memory(relay: Relay) -> int:
    """Octets that are the process's own; the pages of programs and libraries are everybody's, and not kept."""
    text = open(f"/proc/{relay.process.pid}/status").read()
    return int(text.split("RssAnon:")[1].split()[0]) << 10


def descriptors(relay: Relay) -> int:
    return len(os.listdir(f"/proc/{relay.process.pid}/fd"))


def test_an_hour_without_a_broker(scene, records):
    """As many records as an hour of the busiest gate has, written while nobody is there: the relay has them in the log, and not in memory."""
    scene.log.visits(20)
    scene.serve()
    scene.collect()
    relay = scene.relay(confirm="collector")
    relay.wait_for(lambda: relay.cursor() == 20)
    scene.broker.end()
    relay.wait_for(lambda: relay.status().get("state") == "waiting")
    held, opened, spent, began = relay.cursor(), descriptors(relay), relay.seconds(), time.monotonic()
    for _ in range(10):
        scene.log.visits(records // 10)
        scene.log.seal()
        time.sleep(0.5)
    # One that is tried at this moment has a socket.
    relay.wait_for(lambda: descriptors(relay) <= opened)
    assert relay.cursor() == held and memory(relay) < 8 << 20 and relay.resident() < 32 << 20, (memory(relay), relay.resident())
    load = (relay.seconds() - spent) / (time.monotonic() - began)
    print(f"away: {memory(relay) / 1e6:.1f} MB of its own, {relay.resident() / 1e6:.1f} MB with libraries at most, {load:.4f} of a processor, {opened} descriptors")
    assert load < 0.05
    scene.broker.start()
    whole(scene, scene.log.sequence)
    relay.wait_for(lambda: relay.cursor() == scene.log.sequence)
    print(f"after it: {memory(relay) / 1e6:.1f} MB of its own, {relay.resident() / 1e6:.1f} MB with libraries at most")
    # The unit lets it have 32 MB (MemoryMax), libraries and all.
    assert memory(relay) < 20 << 20 and relay.resident() < 32 << 20, (memory(relay), relay.resident())


@pytest.mark.parametrize("relay_killed", (False, True), ids=("broker", "both"))
def test_the_cursor_is_never_ahead_of_the_collector(scene, relay_killed):
    ahead, ended = [], threading.Event()

    def watch():
        while not ended.wait(0.01):
            if scene.relays and scene.collector:
                # In this order: what the collector has only grows.
                cursor = scene.relays[0].cursor()
                if cursor > scene.collector.have:
                    ahead.append((cursor, scene.collector.have))
    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        trial(scene, signal.SIGKILL, relay_killed, confirm="collector")
    finally:
        ended.set()
        watcher.join()
    assert not ahead, ahead[:5]


def refused(scene, relay, code: str) -> None:
    """Named, nothing skipped, and nothing spins."""
    held, came = relay.cursor(), len(scene.collector.first)
    scene.log.visits(20)
    relay.wait_for_trouble(code)
    began, spent = time.monotonic(), relay.seconds()
    time.sleep(3)
    assert relay.seconds() - spent < 0.3 * (time.monotonic() - began)
    assert (relay.cursor(), len(scene.collector.first)) == (held, came)


@pytest.mark.parametrize("topic", ("state", "health"))
def test_what_is_no_record_is_refused(scene, topic):
    """Mosquitto 2.0 ends a connection over it. The reason is named, and stays so; records come without what was refused."""
    scene.log.visits(50)
    scene.serve(access=ACCESS.replace(f"pattern write gatehouse/1/%u/{topic}\n", ""))
    scene.collect()
    relay = scene.relay()
    whole(scene, 50)
    relay.wait_for(lambda: (relay.status()["state"], relay.status().get("trouble")) == ("connected", "not-authorized"))
    assert f"gatehouse/1/east-1/{topic}" in relay.said()
    # With the list put right, a start forgets it.
    (scene.broker.folder / "access").write_text(ACCESS)
    scene.broker.restart(signal.SIGTERM)
    relay.end()
    relay.start()
    scene.log.visits(10)
    whole(scene, 60)
    relay.wait_for(lambda: relay.status()["state"] == "connected" and "trouble" not in relay.status())


def test_a_broker_that_takes_no_record_so_long(scene, records):
    """Mosquitto's own bound, set while records come: 0x95 to each; lifted, all of them come."""
    scene.serve()
    scene.collect()
    relay = scene.relay()
    scene.log.visits(records // 2)
    whole(scene, records // 2)
    relay.wait_for(lambda: relay.cursor() == records // 2)
    settings = scene.broker.settings
    for bound in (("message_size_limit 200",), settings):
        scene.broker.settings = bound
        scene.broker.write()
        scene.broker.restart(signal.SIGTERM)
        if bound != settings:
            refused(scene, relay, "refused")
    # It would be tried again within a minute.
    relay.end()
    relay.start()
    scene.log.visits(records // 2)
    whole(scene, scene.log.sequence)
    relay.wait_for(lambda: relay.cursor() == scene.log.sequence)


def packets(connection):
    """MQTT's, as first octet and body."""
    held = b""
    while True:
        length, shift, at = 0, 0, 1
        while True:
            while len(held) <= at:
                more = connection.recv(4096)
                if not more:
                    return
                held += more
            length |= (held[at] & 0x7F) << shift
            shift, at = shift + 7, at + 1
            if not held[at - 1] & 0x80:
                break
        while len(held) < at + length:
            held += connection.recv(4096)
        yield held[0], held[at:at + length]
        held = held[at + length:]


def test_a_quota(scene):
    """0x97, which Mosquitto 2.0 says to nobody: of a broker by hand."""
    asked = []

    def answer(connection):
        connection.sendall(ACCEPTED)
        for first, body in packets(connection):
            if first & 0xF6 == 0x32:
                at = 2 + struct.unpack(">H", body[:2])[0]
                is_log = body[2:at].endswith(b"/log")
                asked.append(is_log)
                connection.sendall(packet(0x40, body[at:at + 2] + (b"\x97" if is_log else b"\0") + b"\0"))
    scene.log.visits(50)
    liar = Liar(Authority(scene.folder, "authority"), answer)
    scene.broker = SimpleNamespace(port=liar.port, authority=SimpleNamespace(path=scene.folder / "authority.pem"), end=liar.close)
    relay = scene.relay()
    relay.wait_for_trouble("quota")
    time.sleep(2)
    assert relay.cursor() == 0 and sum(asked) == 1, "the first one, once"


def bridged(scene) -> Broker:
    """The owner's broker, and the gate's, which hands on to it what docs/relay.md says."""
    # Without notifications: the owner's access list need not know the bridge's topic in $SYS, and Mosquitto 2.0 does not stand a refusal.
    far = Broker(scene.folder / "owner").start()
    scene.serve(
        "connection up", f"address localhost:{far.port}", "bridge_protocol_version mqttv50", "cleansession false", "remote_username collector",
        "remote_password right", "remote_clientid up", "notifications false", f"bridge_cafile {far.authority.path}", "restart_timeout 1",
        "topic gatehouse/1/+/log out 1", "topic gatehouse/1/+/have in 1", access=ACCESS)
    return far


def test_a_bridge_to_the_owners_broker(scene, records):
    """PUBACK is the first broker's; the word of the collector at the second one is what counts, also when the second is away."""
    far = bridged(scene)
    scene.collector = Collector(far).start()
    try:
        relay = scene.relay(confirm="collector")
        scene.log.visits(records // 2)
        whole(scene, records // 2)
        relay.wait_for(lambda: relay.cursor() == records // 2)
        far.end(signal.SIGTERM)
        scene.log.visits(records // 2)
        relay.wait_for(lambda: relay.status().get("sent", 0) > records // 2)
        time.sleep(1)
        assert relay.cursor() == records // 2, "the first broker's word is not enough"
        far.start()
        whole(scene, scene.log.sequence)
        relay.wait_for(lambda: relay.cursor() == scene.log.sequence)
    finally:
        scene.collector.stop()
        scene.collector = None
        far.end()


def test_a_full_disk_of_the_gate(scene, records):
    """The log's disk takes half a line, and it is cut off again, as the gate does it; what comes when there is room is all that is missing."""
    scene.serve()
    scene.collect(says_have=False)
    relay = scene.relay()
    log = scene.log
    for turn in range(4):
        log.visits(records // 4)
        held, size = (log.sequence, log.digest, len(log.lines)), log.current.stat().st_size
        octets = log.visit()
        log.append(octets[:len(octets) // 2])
        scene.collector.wait(held[0])
        # Nothing of it may have gone out.
        relay.wait_for(lambda: relay.cursor() == held[0])
        os.truncate(log.current, size)
        (log.sequence, log.digest), log.lines = held[:2], log.lines[:held[2]]
        if turn % 2:
            log.seal()
    whole(scene, log.sequence)
    assert scene.collector.twice == 0 and relay.status().get("damaged", 0) == 0


def test_the_log_beside_a_reader_that_is_far_behind(scene, records):
    """`drop-oldest` while nobody is there: what went is counted exactly, and what is left comes in its order."""
    scene.serve()
    scene.collect()
    for _ in range(8):
        scene.log.visits(records // 8)
        scene.log.seal()
    for number in (1, 2, 3):
        scene.log.drop(number)
    first = 3 * (records // 8) + 3
    relay = scene.relay()
    scene.collector.wait(scene.log.sequence - first + 1)
    relay.wait_for(lambda: relay.cursor() == scene.log.sequence)
    relay.end()
    assert sorted(scene.collector.first) == list(range(first, scene.log.sequence + 1))
    assert relay.status()["missing"] == first - 1
