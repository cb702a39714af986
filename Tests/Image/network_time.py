"""The clock by a network, on a board that has no other: what a time server can do for a gate, and what to it. As in scenarios.py."""
import json
import re
import time

from closed import await_status, is_closed, is_rejected
from image_rig import ImageBoard, good_payload, shown
from power_cuts import make_bundles
from scenarios import Stage, check, read_start
from sticks import order, stick_with
from time_server import BOARD, BOARD_HARDWARE, SERVER, TimeServer

UNIT = "gatehouse-ntp.service"
TEN_YEARS = 3652 * 86400.0
SYS_TIME = f"{1 << 25:016x}"
# Longer than what a client lets pass between two questions in its first minutes, in seconds.
POLL = 75


def plug_in(board: ImageBoard) -> None:
    """The cable to the time server; the image configures no network."""
    board.output("for m in failover net_failover virtio_net; do insmod /run/t/modules/$m.ko 2>/dev/null; done; "
                 f"n=$(grep -l {BOARD_HARDWARE} /sys/class/net/*/address); n=${{n%/address}}; n=${{n##*/}}; ip link set $n up && ip addr add {BOARD} dev $n")


def off_by(board: ImageBoard) -> float:
    return int(board.output("date -u +%s")) - time.time()


def is_not_asked(board: ImageBoard, server: TimeServer, what: str) -> None:
    """For so long that a client would have asked. The board's own seconds: it may be slower than this machine."""
    def uptime() -> float:
        return float(board.output("cut -d ' ' -f 1 /proc/uptime"))

    asked, end = server.asked, uptime() + POLL
    while uptime() < end:
        time.sleep(1)
    check(server.asked == asked, f"{what}: asked {server.asked - asked} times")


def await_clock(board: ImageBoard, ahead: float, patience: float = 180) -> float:
    """How long it takes until the board's clock is so far ahead of the time, in seconds."""
    begun = time.monotonic()
    while not abs(off_by(board) - ahead) < 5:
        check(time.monotonic() - begun < patience, f"the clock is {off_by(board):.0f} s off: " + board.run(f"journalctl --no-pager -n 20 -u {UNIT}")[1])
        time.sleep(1)
    return time.monotonic() - begun


def lies(board: ImageBoard, server: TimeServer, ahead: float) -> None:
    """From now on, to a client that has just been started: one that runs takes six minutes to believe it."""
    server.ahead = ahead
    board.output(f"systemctl restart {UNIT}")


def accepts_for_sure(board: ImageBoard) -> None:
    board.accepts()
    notes = board.verdicts()[-1]["notes"]
    check("clock-unsure" not in notes, f"accepted, but {notes}")


def accepts_in_doubt(board: ImageBoard) -> None:
    board.accepts()
    notes = board.verdicts()[-1]["notes"]
    check("clock-unsure" in notes, f"accepted for sure, by a clock that is behind what has passed: {notes}")


def started(board: ImageBoard) -> dict:
    """What the gate wrote down when it was started last."""
    records = map(json.loads, board.output("cat /data/gatehouse/audit*.jsonl").splitlines())
    return [record for record in records if record.get("event") == "started"][-1]


def slewed(board: ImageBoard, seconds: float) -> float:
    """The most by which the kernel's clock was made to go faster or slower meanwhile, in millionths."""
    most, end = 0.0, time.monotonic() + seconds
    while time.monotonic() < end:
        said = board.output("adjtimex")
        frequency, tick = (int(re.search(rf"{name}: +(-?[0-9]+)", said).group(1)) for name in ("freq[.]adjust", "tick"))
        most = max(most, abs(frequency / 65536 + (tick - 10000) * 100))
    return most


# MARK: what becomes of one start, in turn

def is_without(board: ImageBoard, server: TimeServer) -> list[str]:
    """Nothing of it runs and the clock is in doubt: a credential of this year is not valid yet at the time that has certainly passed."""
    check(board.output("date -u +%Y") == "2000", "the board believes its clock")
    check(board.run(f"systemctl is-active {UNIT}")[1].strip() == "inactive", "a client nobody asked for")
    board.open_phone()
    is_rejected(board)
    clock, reasons = started(board)["clock"], board.verdicts()[-1]["reasons"]
    check(clock == "unsure" and reasons[0] == "not-yet-valid", f"{clock}: {reasons}")
    plug_in(board)
    is_not_asked(board, server, "nobody wants the time from a network")
    return reasons


def is_set(board: ImageBoard, server: TimeServer) -> float:
    """How long it takes from the site file on, in seconds. The client is who it should be, and hears nobody."""
    board.expect("gatehouse-trust: site file 1 installed", 120)
    begun = time.monotonic()
    await_clock(board, 0)
    seconds = time.monotonic() - begun
    check(server.asked > 0, "the clock is right, and nobody was asked")
    board.take_stick_out()
    accepts_for_sure(board)
    process = board.output(f"systemctl show --value -p MainPID {UNIT}")
    status = dict(line.split(":", 1) for line in board.output(f"cat /proc/{process}/status").splitlines())
    check({status[name].strip() for name in ("CapEff", "CapPrm", "CapBnd")} == {SYS_TIME} and "0" not in status["Uid"].split(), f"{status}")
    heard = board.output("cat /proc/net/udp /proc/net/udp6 /proc/net/tcp /proc/net/tcp6 /proc/net/raw 2>/dev/null | grep -v local_address | "
                         "awk '$3 ~ /^0*:0000$/' || true")
    check(heard == "", f"listeners: {heard}")
    return seconds


def restart_gate(board: ImageBoard, wanted) -> str:
    """Its floor is kept when it ends, and read when it begins."""
    board.output("systemctl restart gatehouse", 120)
    return await_status(board, lambda text: "controller up" in text and wanted(text))


def lie_ahead(board: ImageBoard, server: TimeServer) -> str:
    """The gate is shut, for as long as the lie is told, and its floor is not raised."""
    lies(board, server, TEN_YEARS)
    await_clock(board, TEN_YEARS)
    text = await_status(board, is_closed)
    restart_gate(board, is_closed)
    is_rejected(board)
    lies(board, server, 0)
    await_clock(board, 0)
    await_status(board, lambda text: "controller up" in text and not is_closed(text))
    accepts_for_sure(board)
    return text


def lie_back(board: ImageBoard, server: TimeServer) -> list[str]:
    """The gate's time is the floor and not the clock: what ran out before it stays so. The floor is the making of the site file, minutes ago."""
    expired = good_payload(exp=int(time.time()) - 3600)
    lies(board, server, -TEN_YEARS)
    await_clock(board, -TEN_YEARS)
    accepts_in_doubt(board)
    restart_gate(board, lambda text: not is_closed(text))
    check(started(board)["clock"] == "unsure", f"{started(board)}")
    accepts_in_doubt(board)
    answer = board.visit(expired)
    reasons = board.verdicts()[-1].get("reasons", [])
    check(answer["status"] == 1 and shown(answer) == {"RED"} and "expired" in reasons, f"{reasons}: {answer}")
    lies(board, server, 0)
    await_clock(board, 0)
    accepts_for_sure(board)
    return reasons


def is_stopped(board: ImageBoard, server: TimeServer) -> None:
    """By the site file after it."""
    board.expect("gatehouse-trust: site file 2 installed", 120)
    board.output(f"for n in $(seq 60); do [ $(systemctl is-active {UNIT}) = inactive ] && exit; sleep 1; done; exit 1", 120)
    failed = board.output("systemctl --failed --no-legend --no-pager || true")
    check(failed == "", f"failed units: {failed}")
    # The last answer may be on its way.
    time.sleep(2)
    is_not_asked(board, server, "nobody wants the time from a network any more")


def time_by_network(stage: Stage) -> str:
    """A board without a clock has it from the server that its site file names. A server that lies shuts the gate or puts its clock in doubt, for as long as it lies."""
    stage.as_first()
    bundle = make_bundles(stage.folder / "short-bundle", range(2, 3), notAfter="2030-01-01T00:00:00Z")[0].read_bytes()
    with TimeServer(stage.folder) as server:
        board = stage.power_on(more=["-rtc", "base=1999-12-31T00:00:00", *server.arguments])
        read_start(board)
        reasons = is_without(board, server)
        site = order(stage, "site", 1, {"timeSync": True, "timeServers": [SERVER]})
        board.put_stick_in(stick_with(stage, {"site.cose": site, "trust.cose": bundle}))
        seconds = is_set(board, server)
        # Told and not checked: the kernel writes it within eleven minutes, which is longer than this waits.
        battery = abs(int(board.output("cat /sys/class/rtc/rtc0/since_epoch")) - time.time())
        # Less than what it steps for.
        lies(board, server, 0.9)
        rate = slewed(board, 40)
        # One that is killed meanwhile leaves its rate in the kernel, and the next one does not add its own to that.
        board.output(f"systemctl kill --signal=KILL {UNIT}")
        lies(board, server, 0.9)
        rate = max(rate, slewed(board, 40))
        check(100 < rate < 501, f"{rate:.0f} millionths")
        text = lie_ahead(board, server)
        behind = lie_back(board, server)
        board.put_stick_in(stick_with(stage, {"site.cose": order(stage, "site", 2, {"timeSync": False})}, "other"))
        is_stopped(board, server)
        stage.power_off()
    return (f"without: {reasons[0]}; the time {seconds:.0f} s after the site file, battery's clock {battery:.0f} s off, sure; slewed by at most {rate:.0f} millionths; "
            f"ten years ahead: {text}; ten years back: accepts with clock-unsure, an hour too old: {behind[0]}; right again: accepts")


ALL = {"time by network": time_by_network}
