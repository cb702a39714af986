"""Metrics against what reads them: promtool, Debian's node_exporter and Debian's Prometheus."""
import json
import re
import socket
import subprocess
import time
import urllib.parse
import urllib.request

import pytest

from outlet_rig import BEGIN, AuditWriter, Relay, until
from ports import free_port


@pytest.fixture
def log(tmp_path):
    return AuditWriter(tmp_path / "log")


def series(text: str) -> dict[str, float]:
    return {line.rsplit(" ", 1)[0]: float(line.rsplit(" ", 1)[1]) for line in text.splitlines() if line and not line.startswith("#")}


def get(url: str) -> str:
    with urllib.request.urlopen(url, timeout=60) as answer:
        return answer.read().decode()


class Served:
    """A relay that gives out metrics by a listener and by a file."""

    def __init__(self, tmp_path, log, **more) -> None:
        self.port, self.file = free_port(), tmp_path / "textfile" / "gatehouse.prom"
        self.file.parent.mkdir(exist_ok=True)
        self.relay = Relay("metrics", tmp_path, log.folder, **{
            "file": self.file, "listen": "127.0.0.1", "port": self.port, "interval": 1, **more})

    def now(self) -> dict[str, float]:
        return series(get(f"http://127.0.0.1:{self.port}/metrics"))

    def counted(self, records: int) -> dict[str, float]:
        def found():
            try:
                now = self.now()
            except OSError:
                return None
            return now if now["gatehouse_audit_records_total"] == records else None
        return until(found, lambda: f"{records} records ({self.relay.said()})")


@pytest.fixture
def served(tmp_path, log):
    served = Served(tmp_path, log)
    with served.relay:
        yield served


def promtool(text: str) -> subprocess.CompletedProcess:
    return subprocess.run(["promtool", "check", "metrics"], input=text, capture_output=True, text=True, timeout=60)


def test_promtool_has_no_complaint(served, log):
    log.start()
    log.visits(100)
    log.append("visit", visit=101, outcome="failed", error="TVV_TRA_002")
    log.append("fruitless", links=9, left=2, visits=3, rejected=4, overMs=60_000)
    log.file.flush()
    found = served.counted(103)
    assert found['gatehouse_visits_total{outcome="accepted",reason="none"}'] == 90
    assert found['gatehouse_visits_total{outcome="rejected",reason="expired"}'] == 10
    assert found['gatehouse_visits_total{outcome="failed",reason="TVV_TRA_002"}'] == 1
    assert found["gatehouse_verdict_seconds_count"] == 100 and found['gatehouse_verdict_seconds_bucket{le="0.0025"}'] == 100
    assert found["gatehouse_trust_bundle_expiry_timestamp_seconds"] == BEGIN + 86_400 * 90 and found["gatehouse_up"] == 1
    until(lambda: "gatehouse_audit_records_total 103\n" in served.file.read_text(), "the file")
    for text in (served.file.read_text(), get(f"http://127.0.0.1:{served.port}/metrics")):
        checked = promtool(text)
        assert (checked.returncode, checked.stdout, checked.stderr) == (0, "", ""), checked
        # It does complain of what outlets.md says it complains of.
        assert promtool(text.replace("gatehouse_audit_records_total", "gatehouse_audit_records")).stderr
    assert served.file.stat().st_mode & 0o777 == 0o644
    assert not re.search(r"issuer\.example|10000000abcdef01|EAST", served.file.read_text())


def test_a_gate_that_does_not_write_is_down(served, log):
    log.start()
    assert served.counted(1)["gatehouse_up"] == 1
    log.hold(False)
    assert served.now()["gatehouse_up"] == 0
    log.hold(True)
    assert served.now()["gatehouse_up"] == 1


def test_no_counter_falls_and_nothing_is_counted_twice(served, log):
    log.start()
    log.visits(500)
    served.counted(501)
    for end in (served.relay.kill, served.relay.end, served.relay.kill):
        log.visits(200)
        end()
        served.relay.start()
        found = served.counted(log.sequence)
        visits = sum(value for name, value in found.items() if name.startswith("gatehouse_visits_total"))
        assert visits == log.sequence - 1 == found["gatehouse_verdict_seconds_count"]
    # What is damaged is counted anew, which Prometheus takes for a restart of what it watches.
    served.relay.end()
    (served.relay.state / "counts").write_text("damaged")
    (served.relay.state / "cursor").unlink()
    served.relay.start()
    assert served.counted(log.sequence)["gatehouse_verdict_seconds_count"] == log.sequence - 1


def test_another_log_is_counted_anew_though_its_beginning_is_gone(served, log):
    """Its numbers are below those of the one before, and none of them is 1."""
    log.start()
    log.visits(100)
    served.counted(101)
    served.relay.end()
    log.hold(False)
    (log.folder / "audit.jsonl").unlink()
    other = AuditWriter(log.folder)
    other.sequence = 10
    other.visits(20)
    served.relay.start()
    found = served.counted(30)
    assert sum(value for name, value in found.items() if name.startswith("gatehouse_visits_total")) == 20
    # And so after a restart.
    served.relay.kill()
    other.visits(5)
    served.relay.start()
    assert served.counted(35)["gatehouse_verdict_seconds_count"] == 25


def test_strangers_at_the_listener(served, log):
    log.start()
    served.counted(1)
    for request, status in ((b"GET / HTTP/1.1\r\n\r\n", 404), (b"PUT /metrics HTTP/1.1\r\n\r\n", 405), (b"\0\r\n\r\n", 400),
                            (b"a" * 5000, 431)):
        with socket.create_connection(("127.0.0.1", served.port), 60) as stranger:
            stranger.sendall(request)
            assert stranger.recv(64).startswith(b"HTTP/1.1 %d " % status)
    with socket.create_connection(("127.0.0.1", served.port), 60) as stranger:
        stranger.sendall(b"HEAD /metrics HTTP/1.1\r\n\r\n")
        whole = b"".join(iter(lambda: stranger.recv(4096), b""))
        assert whole.startswith(b"HTTP/1.1 200 ") and whole.endswith(b"\r\n\r\n") and b"Content-Length: 0" not in whole
    silent = [socket.create_connection(("127.0.0.1", served.port), 60) for _ in range(12)]
    # They have the places for a few seconds each; then it is somebody else's turn.
    assert served.now()["gatehouse_up"] == 1
    for stranger in silent:
        stranger.close()
    # One who has its answer and goes on talking has its five seconds, too.
    with socket.create_connection(("127.0.0.1", served.port), 10) as talker:
        with pytest.raises(OSError):
            until(lambda: talker.sendall(b"GET /metrics HTTP/1.1\r\n\r\n" * 40), "the end of a talker")
    assert served.relay.process.poll() is None


@pytest.fixture
def prometheus(tmp_path, served):
    port = free_port()
    job = {"job_name": "gates", "scrape_interval": "1s", "scrape_timeout": "1s", "static_configs": [{"targets": [f"127.0.0.1:{served.port}"]}]}
    (tmp_path / "prometheus.yml").write_text(json.dumps({"scrape_configs": [job]}))
    arguments = [f"--config.file={tmp_path}/prometheus.yml", f"--storage.tsdb.path={tmp_path}/tsdb", f"--web.listen-address=127.0.0.1:{port}"]
    with open(tmp_path / "prometheus.log", "w") as log:
        process = subprocess.Popen(["prometheus", *arguments], stdout=log, stderr=log)
    yield f"http://127.0.0.1:{port}"
    process.terminate()
    process.wait(60)


def test_prometheus_scrapes(served, log, prometheus):
    def query(text: str) -> list:
        try:
            return json.loads(get(f"{prometheus}/api/v1/query?query={urllib.parse.quote(text)}"))["data"]["result"]
        except OSError:
            return []
    log.start()
    log.visits(50)
    served.counted(51)
    found = until(lambda: [row for row in query('gatehouse_visits_total{outcome="accepted"}') if row["value"][1] == "45"], "the series")
    assert found[0]["metric"]["reason"] == "none" and found[0]["metric"]["job"] == "gates"
    log.visits(50)
    until(lambda: [row for row in query("sum(gatehouse_visits_total)") if row["value"][1] == "100"], "the new visits")
    # 2 ms each: between the bounds of their bucket.
    quantile = until(lambda: query("histogram_quantile(0.95, rate(gatehouse_verdict_seconds_bucket[1m])) > 0"), "a quantile")
    assert 0.001 <= float(quantile[0]["value"][1]) <= 0.0025
    # One scrape in many may take longer than its second.
    until(lambda: [row for row in query("up") if row["value"][1] == "1"], "a good scrape")
    assert 10 < len(until(lambda: query('{__name__=~"gatehouse_.*"}'), "the series of a good scrape")) < 60


def test_node_exporter_reads_the_file(tmp_path, served, log):
    log.start()
    log.visits(10)
    served.counted(11)
    until(lambda: "gatehouse_audit_records_total 11\n" in served.file.read_text(), "the file")
    port = free_port()
    with open(tmp_path / "exporter.log", "w") as errors:
        exporter = subprocess.Popen(["prometheus-node-exporter", "--collector.disable-defaults", "--collector.textfile",
                                     f"--collector.textfile.directory={served.file.parent}", f"--web.listen-address=127.0.0.1:{port}"],
                                    stdout=errors, stderr=errors)
    try:
        def scrape():
            try:
                return get(f"http://127.0.0.1:{port}/metrics")
            except OSError:
                return None
        text = until(scrape, "the exporter")
        assert "# TYPE gatehouse_visits_total counter" in text and series(text)["node_textfile_scrape_error"] == 0
        assert series(text)['gatehouse_visits_total{outcome="accepted",reason="none"}'] == 9
    finally:
        exporter.terminate()
        exporter.wait(60)


@pytest.mark.parametrize("settings, words", [
    ({}, "file is missing"), ({"file": "/tmp/gatehouse.txt"}, "file is not"), ({"file": "relative.prom"}, "file is not"),
    ({"listen": "0.0.0.0 or so"}, "listen is not"), ({"listen": "127.0.0.1", "interval": 0}, "interval is not"),
    ({"listen": "127.0.0.1", "outlets": ["/var/lib/nothing"]}, "outlets is not"), ({"listen": "127.0.0.1", "colour": "red"}, "colour"),
    ({"listen": "127.0.0.1", "detail": "counts"}, "detail"), ({"listen": "127.0.0.1", "period": 60}, "period"),
])
def test_settings_that_are_refused(tmp_path, log, settings, words):
    relay = Relay("metrics", tmp_path, log.folder, **settings)
    done = relay.check()
    assert done.returncode == 2 and words in done.stderr, done


def test_how_other_outlets_are(tmp_path, log):
    other = tmp_path / "others" / "syslog"
    other.mkdir(parents=True)
    status = other / "status"
    status.write_text(json.dumps({"state": "connected", "at": int(time.time())}))
    (other / "cursor").write_text(json.dumps({"seq": 7, "digest": "0" * 64, "prev": ""}))
    served = Served(tmp_path, log, outlets=[str(other)])
    log.start()
    with served.relay:
        found = served.counted(1)
        assert found['gatehouse_relay_connected{outlet="syslog"}'] == 1 and found['gatehouse_relay_cursor_records{outlet="syslog"}'] == 7
        # One that is dead says nothing any more, not that it is.
        status.write_text(json.dumps({"state": "connected", "at": int(time.time()) - 200}))
        assert served.now()['gatehouse_relay_connected{outlet="syslog"}'] == 0
        status.write_text(json.dumps({"state": "connected", "at": int(time.time()) - 100}))
        assert served.now()['gatehouse_relay_connected{outlet="syslog"}'] == 1
        status.write_text(json.dumps({"state": "waiting", "trouble": "closed", "at": int(time.time())}))
        assert served.now()['gatehouse_relay_connected{outlet="syslog"}'] == 0


@pytest.mark.parametrize("kind, settings", [("metrics", {"listen": "127.0.0.1"}), ("mqtt", {"host": "localhost", "authorities": "/etc/hosts"})])
def test_a_service_manager_hears_that_it_is_ready(tmp_path, log, kind, settings):
    """After it is confined: a unit of the type `notify` that nothing is heard of is ended after 90 s, and started again, for ever."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(str(tmp_path / "notify"))
        manager.settimeout(60)
        relay = Relay(kind, tmp_path, log.folder, **settings, **({"port": free_port()}))
        relay.start(environment={"NOTIFY_SOCKET": str(tmp_path / "notify")})
        try:
            assert manager.recv(100) == b"READY=1"
        finally:
            assert relay.end() == 0, relay.said()
