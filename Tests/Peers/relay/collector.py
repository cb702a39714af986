"""The other end: a subscriber with a session that outlasts its connections, which says how far it has the log (`have`)."""
import hashlib
import json
import ssl
import threading
import time

import paho.mqtt.client as mqtt
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties


def identified(octets: bytes) -> tuple[int, str]:
    """Number and identity of a record; a line of the log has its own by its digest."""
    record = json.loads(octets)
    return record.get("seq") or record["to"], record.get("id") or hashlib.sha256(octets).hexdigest()[:16]


class Collector:
    TOPICS = [("gatehouse/1/+/log", 1), ("gatehouse/1/+/state", 1), ("gatehouse/1/+/health", 1), ("gatehouse/1/+/visit", 0),
              ("homeassistant/#", 1)]

    def __init__(self, broker, says_have: bool = True, topics=None):
        self.broker, self.says_have, self.topics = broker, says_have, topics or self.TOPICS
        self.lost = 0                        # a record that is lost behind the broker's answer, once
        self.records: list[bytes] = []       # as they came, those that came again too
        self.first: dict[int, bytes] = {}    # by number, what the gate's log says now
        self.seen: set[tuple[int, str]] = set()    # number and identity of each record that came (docs/feed.md)
        self.states: list[dict] = []
        self.healths: list[dict] = []
        self.others: dict[str, bytes] = {}
        self.visits: list[int] = []          # events, by number
        self.have, self.unsaid = 0, False
        self.stopped = threading.Event()
        self.lock = threading.Lock()
        self.ready = threading.Event()

    def start(self) -> "Collector":
        client = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2, "collector", protocol=mqtt.MQTTv5)
        client.username_pw_set("collector", "right")
        context = ssl.create_default_context(cafile=str(self.broker.authority.path))
        client.tls_set_context(context)
        client.on_connect, client.on_message, client.on_subscribe = self._connected, self._message, lambda *_: self.ready.set()
        client.reconnect_delay_set(1, 1)
        properties = Properties(PacketTypes.CONNECT)
        properties.SessionExpiryInterval = 3600
        client.connect_async("localhost", self.broker.port, 30, clean_start=False, properties=properties)
        self.client = client
        client.loop_start()
        assert self.ready.wait(120)
        threading.Thread(target=self._say_in_time, daemon=True).start()
        return self

    def _say_in_time(self) -> None:
        """As docs/relay.md wants it, each 100 records or after a while: a relay does not stand a word for each record."""
        while not self.stopped.wait(0.1):
            if self.says_have and self.unsaid:
                self.say()

    def stop(self) -> None:
        self.stopped.set()
        self.client.disconnect()
        self.client.loop_stop()

    def _connected(self, client, _, __, reason, ___):
        if reason == 0:
            client.subscribe(self.topics)
            # A broker that was killed has its retained messages from before.
            self.unsaid = self.have > 0

    def _message(self, client, _, message):
        kind = message.topic.rsplit("/", 1)[1]
        if kind == "log":
            number, identity = identified(message.payload)
            with self.lock:
                if number == self.lost:
                    self.lost = 0
                    return
                self.records.append(message.payload)
                if (number, identity) not in self.seen:
                    self.seen.add((number, identity))
                    # Of a number that another record has, and of all behind it, the log says something else now.
                    if number in self.first:
                        self.first = {one: octets for one, octets in self.first.items() if one < number}
                        self.have = min(self.have, number - 1)
                    self.first[number] = message.payload
                while self.have + 1 in self.first:
                    self.have += 1
            # Also where it had that one: who sends it again has not heard so.
            self.unsaid = True
            if self.says_have and len(self.records) % 100 == 0:
                self.say()
        elif kind == "state":
            self.states.append(json.loads(message.payload))
        elif kind == "health":
            self.healths.append(json.loads(message.payload))
        else:
            if kind == "visit":
                self.visits.append(json.loads(message.payload)["seq"])
            self.others[message.topic] = message.payload

    def say(self) -> None:
        self.unsaid = False
        last = self.first.get(self.have)
        word = f"{self.have} {identified(last)[1]}" if last else "0"
        self.client.publish("gatehouse/1/east-1/have", word, 1, True)

    def wait(self, wanted: int, seconds: float = 180) -> None:
        """Until there are so many different records. No test depends on how long it takes."""
        end = time.monotonic() + seconds
        while len(self.first) < wanted:
            assert time.monotonic() < end, f"{len(self.first)} of {wanted} records came"
            time.sleep(0.05)

    def wait_for(self, record: bytes, seconds: float = 180) -> None:
        end = time.monotonic() + seconds
        while record not in self.records:
            assert time.monotonic() < end, f"{len(self.records)} records came, and not that one"
            time.sleep(0.05)

    @property
    def twice(self) -> int:
        return len(self.records) - len(self.seen)

    def check_order(self) -> None:
        """No record before one with a lower number that had not been there: what is new comes in order."""
        seen, last = set(), 0
        for octets in self.records:
            number = json.loads(octets)["seq"]
            if number not in seen:
                assert number == last + 1, (number, last)
                last = number
            seen.add(number)

    def check_chain(self) -> None:
        digest = "0" * 64
        for number in range(1, len(self.first) + 1):
            assert json.loads(self.first[number])["prev"] == digest, number
            digest = hashlib.sha256(self.first[number]).hexdigest()
