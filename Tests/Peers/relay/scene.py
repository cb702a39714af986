"""A gate's log, a broker, who collects there, and the relay between them."""
import os

import pytest

from broker import Broker
from collector import Collector
from made_log import MadeLog
from relays import Relay

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


@pytest.fixture(name="scene")
def ready_scene(tmp_path):
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
