"""What a broker pays for a fleet: Debian's Mosquitto with TLS, passwords and the access rules of docs/fleet.md, and a thousand gates that are not there.

    bench_broker.py [--gates N] [--events N]

Each gate is a connection of its own (paho-mqtt) that publishes a record of the size of a visit's with QoS 1 and waits for its acknowledgement before the
next; one collector takes all of them, with QoS 1 too, and counts by gate and number. Gates and collector are Python and share the machine with the
broker: events a second are what this machine does altogether. What travels is the broker's processor time for an event, and its memory for a gate.
"""
import argparse
import datetime
import ipaddress
import json
import multiprocessing
import os
import selectors
import shutil
import socket
import ssl
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import paho.mqtt.client as mqtt
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

ACCESS = """\
pattern write gatehouse/1/%u/log
pattern read gatehouse/1/%u/have
user collector
topic read gatehouse/1/+/log
topic write gatehouse/1/+/have
"""
SETTINGS = """\
listener {port} 127.0.0.1
cafile {folder}/ca.pem
certfile {folder}/ca.pem
keyfile {folder}/key.pem
password_file {folder}/passwords
acl_file {folder}/access
allow_anonymous false
persistence true
persistence_location {folder}/
max_queued_messages 0
max_inflight_messages 64
log_type error
log_dest file {folder}/broker.log
"""
PASSWORD = "a password of the test"
# As long as a visit's record is.
OCTETS = 365


def write_keys(folder: Path) -> None:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "broker of a test")])
    now = datetime.datetime.now(datetime.timezone.utc)
    certificate = (
        x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key()).serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1)).not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True).sign(key, hashes.SHA256()))
    (folder / "ca.pem").write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    (folder / "key.pem").write_bytes(key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()))


class Broker:
    def __init__(self, folder: Path, names: list[str]) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        write_keys(folder)
        (folder / "access").write_text(ACCESS)
        (folder / "passwords").write_text("".join(f"{name}:{PASSWORD}\n" for name in [*names, "collector"]))
        subprocess.run(["mosquitto_passwd", "-U", folder / "passwords"], check=True)
        (folder / "broker.conf").write_text(SETTINGS.format(port=self.port, folder=folder))
        if os.geteuid() == 0:
            # It gives up root by itself, and its state lies here.
            shutil.chown(folder, "mosquitto")
            for file in folder.iterdir():
                shutil.chown(file, "mosquitto")
        program = shutil.which("mosquitto") or "/usr/sbin/mosquitto"
        self.process = subprocess.Popen([program, "-c", folder / "broker.conf"])
        self.await_port()

    def await_port(self) -> None:
        end = time.monotonic() + 30
        while time.monotonic() < end and self.process.poll() is None:
            with socket.socket() as trial:
                if trial.connect_ex(("127.0.0.1", self.port)) == 0:
                    return
            time.sleep(0.05)
        raise SystemExit("bench_broker: mosquitto does not listen")

    def seconds(self) -> float:
        """Processor time so far."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(") ", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def resident(self) -> int:
        """Octets."""
        lines = Path(f"/proc/{self.process.pid}/status").read_text().splitlines()
        return next(int(line.split()[1]) << 10 for line in lines if line.startswith("VmRSS:"))

    def version(self) -> str:
        said = subprocess.run([self.process.args[0], "-h"], capture_output=True, text=True).stdout
        return said.split("\n")[0].removeprefix("mosquitto version ")


def connect(broker_port: int, folder: Path, name: str) -> mqtt.Client:
    client = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2, client_id=name, protocol=mqtt.MQTTv5)
    client.username_pw_set(name, PASSWORD)
    client.tls_set(str(folder / "ca.pem"), tls_version=ssl.PROTOCOL_TLS_CLIENT)
    client.connect("127.0.0.1", broker_port, keepalive=600, clean_start=True)
    return client


def collect(port: int, folder: Path, expected: int, pipe) -> None:
    """The collector, a process of its own: says `ready`, then how many came, how many twice, and when the last one did."""
    seen: set[tuple[str, int]] = set()
    twice = 0
    client = connect(port, folder, "collector")

    def arrived(_client, _data, message) -> None:
        nonlocal twice
        record = (message.topic.split("/")[2], json.loads(message.payload)["seq"])
        twice += record in seen
        seen.add(record)

    client.on_message = arrived
    client.on_subscribe = lambda *_: pipe.send("ready")
    client.on_connect = lambda *_: client.subscribe("gatehouse/1/+/log", qos=1)
    end = time.monotonic() + 600
    last, count = time.monotonic(), 0
    # A while after the last one: what comes twice comes late.
    while time.monotonic() < end and not (len(seen) >= expected and time.monotonic() - last > 1) and time.monotonic() - last < 60:
        client.loop(0.2)
        if len(seen) + twice != count:
            last, count = time.monotonic(), len(seen) + twice
    pipe.send((len(seen), twice, last))


class Gates:
    """All of them in one loop."""

    def __init__(self, port: int, folder: Path, names: list[str], events: int) -> None:
        self.selector, self.events = selectors.DefaultSelector(), events
        self.clients = {name: connect(port, folder, name) for name in names}
        self.open, self.refused = 0, 0
        self.sent = dict.fromkeys(names, 0)
        self.done = 0
        for name, client in self.clients.items():
            client.on_connect = self.connected
            client.on_publish = self.acknowledged
            client.user_data_set(name)
            self.selector.register(client.socket(), selectors.EVENT_READ, client)

    def connected(self, _client, _name, _flags, reason, _properties) -> None:
        self.open += 1
        self.refused += reason.is_failure

    def acknowledged(self, client, name, _mid, reason, _properties) -> None:
        self.refused += reason.is_failure
        self.done += 1
        self.publish(client, name)

    def publish(self, client: mqtt.Client, name: str) -> None:
        if self.sent[name] == self.events:
            return
        self.sent[name] += 1
        record = {"event": "visit", "seq": self.sent[name], "outcome": "accepted", "filler": ""}
        record["filler"] = "x" * (OCTETS - len(json.dumps(record)))
        client.publish(f"gatehouse/1/{name}/log", json.dumps(record), qos=1)

    def run_until(self, condition, patience: float = 600) -> None:
        end = time.monotonic() + patience
        while not condition():
            if time.monotonic() > end:
                raise SystemExit(f"bench_broker: {self.open} connected, {self.done} acknowledged, and no further")
            for key, _ in self.selector.select(0.2):
                client = key.data
                client.loop_read()
                while (line := client.socket()) is not None and line.pending():
                    client.loop_read()
                if client.want_write():
                    client.loop_write()

    def flush(self) -> None:
        for client in self.clients.values():
            while client.want_write():
                client.loop_write()


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--gates", type=int, default=1000)
    parser.add_argument("--events", type=int, default=20, help="of each gate")
    options = parser.parse_args()
    if shutil.which("mosquitto", path=f"{os.environ['PATH']}:/usr/sbin") is None:
        print("bench_broker: skipped, mosquitto is not installed")
        return 0
    names = [f"gate-{number}" for number in range(options.gates)]
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        folder.chmod(0o755)
        broker = Broker(folder, names)
        try:
            measure(broker, folder, names, options.events)
        finally:
            broker.process.terminate()
            broker.process.wait()
    return 0


def measure(broker: Broker, folder: Path, names: list[str], events: int) -> None:
    expected = len(names) * events
    ours, theirs = multiprocessing.Pipe()
    collector = multiprocessing.Process(target=collect, args=(broker.port, folder, expected, theirs))
    collector.start()
    if ours.recv() != "ready":
        raise SystemExit("bench_broker: the collector")
    empty, spent, begun = broker.resident(), broker.seconds(), time.monotonic()
    gates = Gates(broker.port, folder, names, events)
    gates.run_until(lambda: gates.open == len(names))
    connecting, handshake, filled = time.monotonic() - begun, broker.seconds() - spent, broker.resident()
    spent, begun = broker.seconds(), time.monotonic()
    for name, client in gates.clients.items():
        gates.publish(client, name)
    gates.flush()
    gates.run_until(lambda: gates.done == expected)
    arrived, twice, last = ours.recv()
    seconds, work = last - begun, broker.seconds() - spent
    collector.join()
    count = len(names)
    print(
        f"broker: Mosquitto {broker.version()}, TLS, password, access rules; {count} gates connected in {connecting:.1f} s, "
        f"{handshake / count * 1e3:.1f} ms of its processor time each; {empty / 1e6:.1f} MB resident before them, {filled / 1e6:.1f} with them: "
        f"{(filled - empty) / count / 1e3:.0f} kB a gate, {broker.resident() / 1e6:.1f} MB after {expected} events")
    print(
        f"broker: {expected} events of {OCTETS} octets, QoS 1, to one collector in {seconds:.1f} s, {expected / seconds:.0f} a second on this machine "
        f"with all its clients; {work / expected * 1e6:.0f} us of its processor time an event: {expected / work:.0f} a second would fill one core; "
        f"{expected - arrived} lost, {twice} twice, {gates.refused} refused")


if __name__ == "__main__":
    sys.exit(main())
