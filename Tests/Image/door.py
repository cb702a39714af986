"""The door of the image's gate, on lines of the kernel's simulator: what opens it, what must not, and what is heard. One function each, as in
scenarios.py."""
import re
import time

from closed import await_status
from image_rig import ImageBoard, good_payload, shown, strangers_payload
from scenarios import Stage, check, read_start
from sticks import order, stick_with

# Lines of the chip that guest/start puts into the board.
OFFSETS = {"LOCK": 0, "CONTACT": 1, "EXIT": 2, "EMERGENCY": 3, "BUZZER": 4}
TRACING = "/sys/kernel/tracing"


def pull(board: ImageBoard, name: str, is_active: bool = True) -> None:
    board.output(f"echo pull-{'up' if is_active else 'down'} >/run/door-lines/sim_gpio{OFFSETS[name]}/pull")


def await_lock(board: ImageBoard, is_open: bool, why: str) -> None:
    board.output(f"for n in $(seq 300); do [ $(cat /run/door-lines/sim_gpio0/value) = {int(is_open)} ] && exit 0; usleep 100000; done; echo '{why}'; exit 1", 120)


def openings(board: ImageBoard, was_open: bool = False) -> int:
    """How often the lock's line became active since the kernel's record was begun, where it was open or not, or the board started. A gate says
    each second once more what a line is that may go away."""
    listed = board.output("cat /sys/kernel/debug/gpio")
    first = int(re.search(r"GPIOs (\d+)-\d+.*\bdoor\b", listed).group(1))
    levels = re.findall(r"set +([01])", board.output(f"grep 'gpio_value: {first} set' {TRACING}/trace || true"))
    return sum(now > before for before, now in zip([str(int(was_open)), *levels], levels))


def record(board: ImageBoard) -> bool:
    """Begins the kernel's record anew; whether the lock is open then."""
    return board.output(f"echo >{TRACING}/trace; echo 1 >{TRACING}/events/gpio/gpio_value/enable; cat /run/door-lines/sim_gpio0/value").strip() == "1"


def switched(answer: dict, status: int, lamp: str) -> tuple[list[str], dict[str, list[float]]]:
    """What became active in a visit, in this order, and how long each pulse of it lasted."""
    check(answer["status"] == status and shown(answer) == {lamp}, f"{answer}")
    begun, order, lengths = {}, [], {}
    for at, name, is_high in answer["switched"]:
        if is_high:
            begun[name] = at
            order.append(name)
        elif name in begun:
            lengths.setdefault(name, []).append(at - begun.pop(name))
    return list(dict.fromkeys(order)), lengths


def verdicts(board: ImageBoard, pulse: float) -> str:
    before = board.uri()
    order, lengths = switched(board.visit(good_payload(), tones=2), 0, "GREEN")
    check(order[order.index("GREEN"):][:3] == ["GREEN", "LOCK", "BUZZER"], f"accepted: {order}")
    check(len(lengths["LOCK"]) == 1 and lengths["LOCK"][0] >= pulse and len(lengths["BUZZER"]) == 2, f"accepted: {lengths}")
    opened = lengths["LOCK"][0]
    check(board.uri() != before, "the screen shows the same code")
    order, lengths = switched(board.visit(strangers_payload(), tones=3), 1, "RED")
    check("LOCK" not in order and order[order.index("RED"):][:2] == ["RED", "BUZZER"] and len(lengths["BUZZER"]) == 3, f"rejected: {order}, {lengths}")
    return f"accepted: green, lock for {opened:.3f} s, two tones; rejected: red, three tones"


def door(stage: Stage) -> str:
    """An accepted visit opens for a pulse, a rejected one does not; an emergency opens; no start does, whoever leans on the button."""
    stage.as_first()
    board = stage.power_on()
    read_start(board)
    check(openings(board) == 0, "open at the start")
    await_status(board, lambda text: "door up" in text)
    board.open_phone()
    seen = verdicts(board, 3)
    was_open = record(board)
    pull(board, "EMERGENCY")
    await_lock(board, True, "closed in an emergency")
    pull(board, "EMERGENCY", False)
    await_lock(board, False, "open after it")
    check(openings(board, was_open) == 1, "more than an emergency has opened it")
    # Killed in a pulse, with the button held and the door ajar.
    pull(board, "EXIT")
    await_lock(board, True, "closed for the exit button")
    pull(board, "CONTACT")
    was_open = record(board)
    killed = board.output("systemctl show --value -p MainPID gatehouse")
    board.output(f"kill -9 {killed}; for n in $(seq 600); do p=$(systemctl show --value -p MainPID gatehouse); "
                 f"[ $p = 0 ] || [ $p = {killed} ] || exit 0; usleep 100000; done; exit 1", 120)
    await_status(board, lambda text: "controller up" in text and "door up" in text)
    check(openings(board, was_open) == 0, "a gate that starts anew opens")
    await_lock(board, False, "open after a kill")
    pull(board, "EXIT", False)
    pull(board, "CONTACT", False)
    start = stage.restart()
    check(openings(board) == 0, "the board's start opens")
    records = [line for line in board.output("cat /data/gatehouse/audit*.jsonl").splitlines() if '"event":"door"' in line]
    return f"{seen}; emergency; a killed gate and a new start ({start.health:.0f} s) open nothing; {len(records)} records of the door"


def door_pulse(stage: Stage) -> str:
    """The pulse's length comes by stick to a gate in the field."""
    stage.as_first()
    board = stage.power_on()
    read_start(board)
    before = board.output("systemctl show --value -p MainPID gatehouse")
    board.put_stick_in(stick_with(stage, {"site.cose": order(stage, "site", 1, {"doorPulse": 1000})}))
    board.expect("gatehouse-trust: site file 1 installed", 120)
    end = time.monotonic() + 120
    while board.output("systemctl show --value -p MainPID gatehouse") in (before, "0"):
        check(time.monotonic() < end, "the gate does not start anew")
        time.sleep(0.5)
    await_status(board, lambda text: "controller up" in text and "door up" in text)
    board.open_phone()
    _, lengths = switched(board.visit(good_payload(), tones=2), 0, "GREEN")
    check(1 <= lengths["LOCK"][0] < 3, f"the pulse: {lengths}")
    stage.power_off()
    return f"a site file's pulse of 1 s lasts {lengths['LOCK'][0]:.3f} s"


ALL = {
    "door": door,
    "door pulse by stick": door_pulse,
}
