"""The gate among other systems: outlets that a site file sets, on the image's own units, with Debian's mosquitto as the broker. As in scenarios.py."""
import json
import re
import sys
import time
from contextlib import contextmanager
from pathlib import Path

from broker import Broker
from collector import Collector
from emulated_board import HERE
from image_rig import ImageBoard
from scenarios import Stage, check, connect, read_start
from sticks import order, stick_with

# Whom forward.py leads to (scenarios.SERVER).
HOST, PORT = "10.0.2.100", 80
FOLDER = "/etc/gatehouse/outlets"
METRICS = "http://127.0.0.1:9764/metrics"


@contextmanager
def brokered(stage: Stage):
    """A board in slot A that reaches a broker and nothing else, and somebody who collects what comes there."""
    stage.as_first()
    broker = Broker(stage.folder / "broker")
    broker.certificate = broker.authority.make("both", f"localhost,{HOST}")
    broker.write()
    broker.start()
    collector = Collector(broker)
    try:
        collector.start()
        board = stage.power_on(server=[sys.executable, str(HERE / "forward.py"), str(broker.port)])
        read_start(board)
        connect(board)
        yield board, broker, collector
        collector.stop()
    finally:
        stage.power_off()
        broker.end()


def settings(authority: Path) -> dict:
    """The member `outlets` of a site file: a broker, and numbers on the board's own loopback."""
    return {"mqtt.json": {"gate": "east-1", "host": HOST, "port": PORT, "detail": "all", "confirm": "collector", "authorities": f"{FOLDER}/broker-ca.pem",
                          "passwordFile": f"{FOLDER}/password"},
            "metrics.json": {"gate": "east-1", "listen": "127.0.0.1", "outlets": ["/var/lib/gatehouse-relay/mqtt"]},
            "broker-ca.pem": authority.read_text(), "password": "right\n"}


def install(stage: Stage, board: ImageBoard, number: int, content: dict) -> None:
    board.put_stick_in(stick_with(stage, {"site.cose": order(stage, "site", number, content)}, f"site-{number}"))
    board.expect(f"gatehouse-trust: site file {number} installed", 120)
    board.take_stick_out()


def unit(kind: str) -> str:
    return f"gatehouse-relay@{kind}.service"


def state(board: ImageBoard, kind: str, wanted: str) -> None:
    """The unit comes to be so; the board's minutes are not this machine's."""
    status, said = board.run(f"for n in $(seq 150); do [ $(systemctl is-active {unit(kind)}) = {wanted} ] && exit; sleep 1; done; "
                             f"systemctl --no-pager -n 0 status {unit(kind)}; journalctl --no-pager -n 30 -u {unit(kind)}; ls -lL {FOLDER}/; exit 1", 400)
    check(status == 0, f"{kind} is not {wanted}: {said[-1500:]}")


def is_off(board: ImageBoard) -> None:
    """Both programs are there, and nothing of them runs, listens or is set."""
    for program in ("gatehouse-relay", "gatehouse-osdp"):
        check(board.run(f"/usr/bin/{program} --help")[0] in (0, 2), f"{program} does not start here")
        check(board.run(f"pidof {program}")[0] != 0, f"{program} runs")
    for kind in ("metrics", "mqtt", "site", "syslog", "trust", "webhook"):
        check(board.run(f"systemctl is-active {unit(kind)}")[1].strip() == "inactive", f"{kind} is not off")
    for name in ("gatehouse-osdp.service", "gatehouse-osdp.socket", "gatehouse-osdp-button.service", "gatehouse-osdp-install.service"):
        check(board.run(f"systemctl is-active {name}")[1].strip() == "inactive", f"{name} is not off")
    check(board.output(f"ls -A {FOLDER}/") == "", "settings that nobody has given")


def is_confined(board: ImageBoard, kind: str) -> float:
    """Another user without a capability, behind a list of system calls; its secrets are its own; the log is not its to write."""
    process = board.output(f"systemctl show --value -p MainPID {unit(kind)}")
    status = dict(line.split(":", 1) for line in board.output(f"cat /proc/{process}/status").splitlines())
    user, log = board.output("id -u gatehouse-relay"), board.output("sed -n 's/^gatehouse-log:x:\\([0-9]*\\):.*/\\1/p' /etc/group")
    nothing = "0" * 16
    wanted = {"Uid": "\t".join([user] * 4), "CapEff": nothing, "CapPrm": nothing, "CapBnd": nothing, "NoNewPrivs": "1", "Seccomp": "2"}
    wrong = {name: status[name].strip() for name, value in wanted.items() if status[name].strip() != value}
    check(not wrong and user != "0" and log in status["Groups"].split(), f"{kind}: {wrong}, groups {status['Groups']}")
    modes = board.output(f"stat -L -c '%a %U %G' {FOLDER}/password /data/gatehouse /data/gatehouse/audit.jsonl /data/gatehouse/trust").splitlines()
    check(modes == ["640 root gatehouse-relay", "2750 gatehouse gatehouse-log", "640 gatehouse gatehouse-log", "700 gatehouse gatehouse"], f"{modes}")
    said = board.output(f"systemd-analyze security --no-pager {unit(kind)} | tail -n 1")
    level = float(re.search(r"level for \S+: ([0-9.]+)", said).group(1))
    check(level < 3.0, said)
    return level


def lines(board: ImageBoard) -> list[bytes]:
    return board.output("cat /data/gatehouse/audit*.jsonl").encode().splitlines()


def has_all(board: ImageBoard, collector: Collector, what: str, patience: float = 240) -> int:
    """What came is the log, octet for octet and in its order; the number of records."""
    end = time.monotonic() + patience
    while list(map(collector.first.get, range(1, len(kept := lines(board)) + 1))) != kept:
        check(time.monotonic() < end, f"{what}: {len(collector.first)} of {len(kept)} records came; " + board.run(f"journalctl --no-pager -n 20 -u {unit('mqtt')}")[1])
        time.sleep(1)
    collector.check_order()
    collector.check_chain()
    return len(kept)


def numbers(board: ImageBoard) -> dict[str, float]:
    said = board.output(f"wget -q -O - {METRICS}", 60)
    return {name: float(value) for name, value in re.findall(r"^([a-z_]+(?:\{[^}]*\})?) (\S+)$", said, re.MULTILINE)}


def outlets_by_site_file(stage: Stage) -> str:
    """Off until a site file has settings; then confined, in order and complete, over a restart too; off again with settings that cannot be used, and with none."""
    with brokered(stage) as (board, broker, collector):
        is_off(board)
        board.open_phone()
        board.accepts()
        install(stage, board, 1, {"outlets": settings(broker.authority.path)})
        state(board, "mqtt", "active")
        state(board, "metrics", "active")
        # Those from before it had settings, too.
        before = has_all(board, collector, "after the site file")
        level = is_confined(board, "mqtt")
        board.accepts()
        has_all(board, collector, "a visit")
        outcomes = [json.loads(octets).get("outcome") for octets in collector.first.values()]
        check(outcomes.count("accepted") == 2, f"{outcomes}")
        found = numbers(board)
        accepted = sum(value for name, value in found.items() if name.startswith('gatehouse_visits_total{outcome="accepted"'))
        check(accepted == 2 and found["gatehouse_up"] == 1 and found['gatehouse_relay_connected{outlet="mqtt"}'] == 1, f"{found}")
        told = board.doctor()
        check("outlet-" not in told and "delivered up to record" in told, told[-1500:])
        board.output("sync")
        stage.restart()
        connect(board)
        state(board, "mqtt", "active")
        after = has_all(board, collector, "a restart", 400)
        check(after > before, "the restart wrote nothing into the log")
        check(collector.twice < before, f"the cursor went with the power: {collector.twice} of {after} records came twice")
        install(stage, board, 2, {"outlets": {"mqtt.json": {"gate": "EAST 1", "host": HOST}}})
        reason = board.expect("gatehouse-settings: gatehouse-relay mqtt: ([^\r\n]*)", 120).group(1).decode()
        state(board, "mqtt", "inactive")
        state(board, "metrics", "inactive")
        check(board.output(f"ls {FOLDER}/") == "mqtt.json", "more than this site file has is left")
        install(stage, board, 3, {})
        board.output(f"for n in $(seq 60); do [ -z \"$(ls -A {FOLDER}/)\" ] && exit; sleep 1; done; exit 1", 120)
        is_off(board)
        # The phone's programs went with the restart.
        board.open_phone()
        board.accepts()
        failed = board.output("systemctl --failed --no-legend --no-pager || true")
        check(failed == "", f"failed units: {failed}")
        return (f"off; {before} records after the site file, {after} after a restart ({collector.twice} twice), each octet for octet, exposure {level}; "
                f"2 visits by metrics; unusable settings: {reason[:80]}; without any: off")


ALL = {"outlets by site file": outlets_by_site_file}
