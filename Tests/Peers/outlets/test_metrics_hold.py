"""Metrics through accidents: the relay and Prometheus killed, a full disk, whoever asks and does not read. Every record is counted once, and no
counter falls. Some hundred records here, and 10,000 in the long form (`-m soak`)."""
import json
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.parse

import pytest

from outlet_rig import AuditWriter, until
from ports import free_port
from small_disk import SmallDisk
from test_metrics import Served, get, series

pytestmark = pytest.mark.parametrize("records", (400, pytest.param(10_000, marks=pytest.mark.soak)))


@pytest.fixture
def log(tmp_path):
    return AuditWriter(tmp_path / "log")


def visits(found: dict[str, float]) -> float:
    return sum(value for name, value in found.items() if name.startswith("gatehouse_visits_total"))


def test_the_relay_is_killed_on_the_way(tmp_path, log, records):
    """Whatever a scrape sees beside the kills: never less than the one before, and in the end each visit once."""
    served, last = Served(tmp_path, log), 0.0
    log.start()
    with served.relay as relay:
        for _ in range(8):
            log.visits(records // 8)

            def grown():
                nonlocal last
                try:
                    now = visits(served.now())
                except (OSError, urllib.error.URLError):
                    return False
                # What was counted and not kept yet is counted again from what was kept: a counter of a process that began anew.
                last = max(last, now)
                return now > log.sequence - 1 - records // 8
            until(grown, lambda: f"visits ({last}, {relay.said()})")
            relay.kill()
            relay.start()
        found = served.counted(log.sequence)
        assert visits(found) == log.sequence - 1 == found["gatehouse_verdict_seconds_count"] >= last


class Prometheus:
    def __init__(self, folder, target: int) -> None:
        self.folder, self.port, self.process = folder, free_port(), None
        job = {"job_name": "gates", "scrape_interval": "1s", "scrape_timeout": "1s", "static_configs": [{"targets": [f"127.0.0.1:{target}"]}]}
        (folder / "prometheus.yml").write_text(json.dumps({"scrape_configs": [job]}))

    def start(self) -> None:
        words = [f"--config.file={self.folder}/prometheus.yml", f"--storage.tsdb.path={self.folder}/tsdb",
                 f"--web.listen-address=127.0.0.1:{self.port}"]
        with open(self.folder / "prometheus.log", "a") as log:
            self.process = subprocess.Popen(["prometheus", *words], stdout=log, stderr=log)

    def end(self, by: int) -> None:
        self.process.send_signal(signal.SIGCONT)
        self.process.send_signal(by)
        self.process.wait(60)

    def query(self, text: str) -> list[float]:
        try:
            found = json.loads(get(f"http://127.0.0.1:{self.port}/api/v1/query?query={urllib.parse.quote(text)}"))
        except OSError:
            return []
        return [float(row["value"][1]) for row in found["data"]["result"]]


def test_prometheus_is_killed_stands_still_and_comes_back(tmp_path, log, records):
    served = Served(tmp_path, log)
    prometheus = Prometheus(tmp_path, served.port)
    log.start()
    with served.relay:
        served.counted(1)
        prometheus.start()
        try:
            for by in (signal.SIGKILL, signal.SIGTERM, signal.SIGSTOP):
                log.visits(records // 4)
                until(lambda: prometheus.query("sum(gatehouse_visits_total)") == [log.sequence - 1], lambda: f"visits ({by})")
                if by == signal.SIGSTOP:
                    prometheus.process.send_signal(by)
                    time.sleep(2)
                    # Somebody else is served beside one that stands still.
                    assert visits(served.now()) == log.sequence - 1
                    prometheus.process.send_signal(signal.SIGCONT)
                else:
                    prometheus.end(by)
                    prometheus.start()
            log.visits(records // 4)
            until(lambda: prometheus.query("sum(gatehouse_visits_total)") == [log.sequence - 1], "the last visits")
            assert until(lambda: prometheus.query("sum(resets(gatehouse_visits_total[5m]))"), "resets") == [0]
        finally:
            prometheus.end(signal.SIGTERM)


def test_who_asks_and_does_not_read(tmp_path, log, records):
    """Eight of them have the places for a few seconds; others are served at once, and the log is counted meanwhile."""
    served = Served(tmp_path, log)
    log.start()
    with served.relay as relay:
        served.counted(1)
        deaf = []
        for _ in range(12):
            one = socket.socket()
            one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1024)
            one.connect(("127.0.0.1", served.port))
            one.sendall(b"GET /metrics HTTP/1.1\r\n\r\n" + b"a" * 4000)
            deaf.append(one)
        log.visits(records)
        assert visits(served.counted(log.sequence)) == records
        assert relay.process.poll() is None and relay.status()["state"] == "connected"
        for one in deaf:
            one.close()


def test_the_disk_is_full(tmp_path, log, records):
    """Neither the file nor the counts go anywhere: whoever asks is told the truth all the same, the file stays whole, and doctor hears of it."""
    with SmallDisk(tmp_path / "metrics") as disk:
        served = Served(tmp_path, log)
        file = disk.path(tmp_path / "metrics" / "gatehouse.prom")
        settings = json.loads(served.relay.settings.read_text())
        served.relay.set(**{**settings, "file": tmp_path / "metrics" / "gatehouse.prom"})
        served.relay.prefix, served.relay.state = disk.inside, disk.path(served.relay.state)
        log.start()
        with served.relay as relay:
            log.visits(records // 4)
            served.counted(log.sequence)
            until(lambda: f"gatehouse_audit_records_total {log.sequence}\n" in file.read_text(), "the file")
            until(lambda: relay.cursor() == log.sequence, "the cursor")
            disk.fill()
            held = file.read_text(), relay.cursor()
            for _ in range(2):
                log.visits(records // 4)
                until(lambda: "cannot be written" in relay.said(), lambda: f"a word ({relay.status()})")
                time.sleep(2)
                assert visits(served.counted(log.sequence)) == log.sequence - 1
                assert (file.read_text(), relay.cursor()) == held and not list(file.parent.glob(".*.new"))
                # Counted again from what was kept last: nothing twice.
                relay.kill()
                relay.start()
                served.counted(log.sequence)
            # Each of the three processes says once that the file cannot be written, and once that the status cannot.
            assert relay.said().count("cannot be written") <= 6, relay.said()
            disk.free()
            log.visits(records // 4)
            until(lambda: f"gatehouse_audit_records_total {log.sequence}\n" in file.read_text(), "the file again")
            until(lambda: relay.cursor() == log.sequence, "the cursor again")
            until(lambda: relay.status().get("trouble") is None, lambda: f"no trouble ({relay.status()})")
            assert visits(series(file.read_text())) == log.sequence - 1
