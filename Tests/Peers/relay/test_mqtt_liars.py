"""Brokers that lie: with the right certificate, and everything else wrong."""
import pytest

from broker import Authority
from gate import is_reference
from liar import ACCEPTED, Liar, packet, packets, publication
from relays import Relay
from scene import ready_scene    # noqa: F401, a fixture

pytestmark = pytest.mark.skipif(is_reference(), reason="the reference gate has no relay")


def lied_to(scene, answer, **settings) -> tuple[Relay, Liar]:
    authority = Authority(scene.folder, "authority")
    liar = Liar(authority, answer)
    password = scene.folder / "password"
    password.write_text("right\n")
    password.chmod(0o600)
    relay = Relay(scene.folder / "relay", "mqtt", scene.log.folder, {
        "gate": "east-1", "host": "localhost", "port": liar.port, "authorities": str(authority.path), "passwordFile": str(password),
        **settings}).start()
    scene.relays.append(relay)
    return relay, liar


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


def endless_exactly_once(connection, first=0x34):
    """QoS 2, whose messages a library keeps until it is told more."""
    connection.sendall(ACCEPTED)
    number = 0
    while True:
        number = number % 65_000 + 1
        connection.sendall(packet(first, b"\0\1a" + number.to_bytes(2, "big") + b"\0" + bytes(8000)))


def endless_exactly_once_again(connection):
    """The same, as messages that are sent a second time."""
    endless_exactly_once(connection, 0x3C)


def endless_topics(connection):
    """Topics as long as there can be, of which none was asked for."""
    connection.sendall(ACCEPTED)
    message = publication("a" * 65_000, b"")
    while True:
        connection.sendall(message)


@pytest.mark.parametrize("answer, codes", [
    (endless_exactly_once_again, {"protocol-broken"}), (endless_topics, {"protocol-broken"}),
    (endless_connections, {"protocol-broken"}), (endless_pings, {"protocol-broken"}), (endless_exactly_once, {"protocol-broken"}),
    (endless_messages, {"protocol-broken"}), (endless_packet, {"protocol-broken"}), (nonsense, {"protocol-broken", "closed", "refused"}),
    (silence, {"timed-out"}),
])
def test_a_broker_that_lies(scene, answer, codes):
    """Whatever it sends: the relay says so, takes no more memory than it may, and no record counts."""
    scene.log.visits(30)
    relay, liar = lied_to(scene, answer)
    relay.wait_for(lambda: relay.status().get("trouble") in codes)
    assert relay.cursor() == 0 and relay.resident() < 64 << 20, relay.resident()
    liar.close()


def test_what_is_not_answered_is_not_said_again(scene):
    """Home Assistant comes back again and again, and the broker never answers the announcement: nothing heaps up."""
    announcements, numbers = [], []

    def answer(connection):
        connection.sendall(ACCEPTED)
        for kind, body in packets(connection):
            if kind == 0x82:
                connection.sendall(packet(0x90, body[:2] + b"\0\1"))
            if kind & 0xF6 != 0x32:
                continue
            end = 2 + int.from_bytes(body[:2], "big")
            if body[2:end].startswith(b"homeassistant/"):
                announcements.append(body)
                connection.sendall(publication("homeassistant/status", b"online") * 2000)
                continue
            connection.sendall(packet(0x40, body[end:end + 2] + b"\0\0"))
            numbers.append(body)

    scene.log.visits(5)
    relay, liar = lied_to(scene, answer, homeAssistant=True)
    relay.wait_for(lambda: relay.cursor() == 5 and announcements)
    scene.log.visits(5)
    relay.wait_for(lambda: relay.cursor() == 10)
    assert len(announcements) == 1 and liar.connections == 1, (len(announcements), liar.connections)
    liar.close()


def no_subscription(connection):
    """As brokers do that judge a subscription; Mosquitto's access list judges only what comes by it."""
    connection.sendall(ACCEPTED)
    for kind, body in packets(connection):
        if kind == 0x82:
            connection.sendall(packet(0x90, body[:2] + b"\0\x87"))


def test_a_collector_whose_word_we_may_not_hear(scene):
    scene.log.visits(5)
    relay, liar = lied_to(scene, no_subscription, confirm="collector")
    relay.wait_for_trouble("not-authorized")
    assert relay.cursor() == 0 and "subscription" in relay.said()
    liar.close()


def test_a_state_that_is_refused_once(scene):
    """In a connection that stays it is tried again, after a minute and not an hour; and then nothing is wrong any more."""
    states = []

    def answer(connection):
        connection.sendall(ACCEPTED)
        for kind, body in packets(connection):
            if kind == 0xC0:
                connection.sendall(packet(0xD0, b""))
            if kind & 0xF6 != 0x32:
                continue
            end = 2 + int.from_bytes(body[:2], "big")
            is_state = body[2:end].endswith(b"/state")
            connection.sendall(packet(0x40, body[end:end + 2] + (b"\x87" if is_state and not states else b"\0") + b"\0"))
            if is_state:
                states.append(body)

    scene.log.visits(5)
    relay, liar = lied_to(scene, answer)
    relay.wait_for_trouble("not-authorized")
    relay.wait_for(lambda: len(states) == 2, 150)
    relay.wait_for(lambda: "trouble" not in relay.status())
    assert relay.cursor() == 5 and liar.connections == 1 and all(b'"online":true' in state for state in states)
    liar.close()


@pytest.mark.parametrize("reason, code", (
    (0x8E, "credentials"), (0x87, "not-authorized"), (0x97, "quota"), (0x9A, "refused"), (0x8B, "closed")))
def test_why_it_ended_the_connection(scene, reason, code):
    """DISCONNECT with a reason: another client took our name, we may not, too much; a broker that goes is only closed."""
    scene.log.visits(5)
    relay, liar = lied_to(scene, lambda connection: connection.sendall(ACCEPTED + packet(0xE0, bytes([reason, 0]))))
    relay.wait_for_trouble(code)
    assert relay.cursor() == 0
    if reason == 0x8E:
        assert "another client has this name" in relay.said() and liar.connections == 1
    liar.close()


@pytest.mark.parametrize("reason, code", ((0x85, "credentials"), (0x9A, "refused"), (0x87, "credentials"), (0x88, "not-reachable")))
def test_why_it_does_not_take_us(scene, reason, code):
    scene.log.visits(5)
    relay, liar = lied_to(scene, lambda connection: connection.sendall(packet(0x20, bytes([0, reason, 0]))))
    relay.wait_for_trouble(code)
    liar.close()


def test_a_session_as_long_as_the_will_is_delayed(scene):
    """MQTT 5, 3.1.3.2.2: without a session the will is due at once."""
    first = []

    def answer(connection):
        first.append(liar.first)
        connection.sendall(ACCEPTED)
        silence(connection)
    scene.log.visits(5)
    relay, liar = lied_to(scene, answer)
    relay.wait_for(lambda: first)
    # Properties: session expiry interval (0x11) and will delay interval (0x18) of five seconds each.
    assert b"\x11\0\0\0\x05" in first[0] and b"\x18\0\0\0\x05" in first[0], first[0]
    liar.close()
