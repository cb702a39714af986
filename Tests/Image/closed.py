"""Starts and days on which nobody can enter: the gate says so, and what cures it opens it. One function each, as in scenarios.py."""
import os
import time
from pathlib import Path

from image_rig import ImageBoard, good_payload, partitions, shown
from power_cuts import make_bundles
from scenarios import Stage, check, read_start
from sticks import order, stick_with


def await_status(board, wanted, patience: float = 120) -> str:
    """The gate's status text, once it is as wanted."""
    end = time.monotonic() + patience
    while not wanted(text := board.output("systemctl show --value -p StatusText gatehouse")):
        check(time.monotonic() < end, f"the gate says {text!r}")
        time.sleep(0.5)
    return text


def closed_start(stage: Stage, board: ImageBoard, code: str, slot: str = "A") -> str:
    """A start after which the gate says that nobody can enter, and why: the health check says it too, and gives no slot up for it."""
    start = board.await_start(400)
    check(not start.good and code in start.reason and start.slot == slot, f"{start}")
    board.open_shell()
    check(board.boot_state()[f"BOOT_{slot}_LEFT"] == "3", f"the slot is given up: {board.boot_state()}")
    said = board.output("cat /run/gatehouse-health")
    check(code in said, said)
    return said


def is_rejected(board: ImageBoard) -> None:
    """A visitor whom the gate would let in if it let anybody in."""
    answer = board.visit(good_payload())
    check(answer["status"] == 1 and shown(answer) == {"RED"}, f"not rejected: {answer}")


def is_closed(text: str) -> bool:
    return "closed: " in text


def expired_bundle(stage: Stage) -> str:
    """The trust bundle has expired: the gate says so and rejects; a newer one by stick opens it, without a new start."""
    short, newer = (make_bundles(stage.folder / "newer-bundle", range(number, number + 1), notAfter=end)[0].read_bytes()
                    for number, end in ((2, "2030-01-01T00:00:00Z"), (3, "2090-01-01T00:00:00Z")))
    stage.as_first()
    board = stage.power_on()
    read_start(board)
    board.put_stick_in(stick_with(stage, {"trust.cose": short}))
    board.expect("gatehouse-trust: bundle 2 installed", 120)
    board.output("sync")
    # Not much later: a clock that is more than 14 years after the image's day is none (image/boot/init).
    board = stage.power_on(more=["-rtc", "base=2031-01-02T00:00:00"])
    said = closed_start(stage, board, "trust-expired")
    board.open_phone()
    is_rejected(board)
    board.put_stick_in(stick_with(stage, {"trust.cose": newer}))
    board.expect("gatehouse-trust: bundle 3 installed", 120)
    text = await_status(board, lambda text: "controller up" in text and not is_closed(text))
    stage.power_off()
    return f"{said}; with a newer bundle: {text}"


def no_bundle(stage: Stage) -> str:
    """An image that was delivered without a trust bundle: it runs, says so, and takes the first one from a stick."""
    def without(root: Path) -> None:
        for name in ("bundle.cose", "lowest-bundle"):
            (root / "usr/share/gatehouse" / name).unlink()

    stage.delivered(4, without)
    bundle = make_bundles(stage.folder / "first-bundle", range(1, 2))[0].read_bytes()
    board = stage.power_on()
    said = closed_start(stage, board, "no-trust-bundle")
    board.put_stick_in(stick_with(stage, {"trust.cose": bundle}))
    board.expect("gatehouse-trust: bundle 1 installed", 120)
    await_status(board, lambda text: "controller up" in text and not is_closed(text))
    board.take_stick_out()
    board.open_phone()
    board.accepts()
    stage.power_off()
    return f"{said}; with its first bundle it accepts a visit"


def made_anew(stage: Stage) -> str:
    """The data partition is beyond repair and made anew: nobody enters until somebody brings a newer bundle and says what the site wants."""
    stage.as_first()
    begin, size = partitions(stage.disk)["data"]
    with open(stage.disk, "r+b") as disk:
        for at in range(0, size, 1 << 20):  # every copy of the superblock, and more
            disk.seek(begin + at)
            disk.write(os.urandom(1 << 16))
    board = stage.power_on()
    said = closed_start(stage, board, "data-made-anew")
    board.open_phone()
    is_rejected(board)
    bundle = make_bundles(stage.folder / "after-loss", range(2, 3))[0].read_bytes()
    board.put_stick_in(stick_with(stage, {"trust.cose": bundle, "site.cose": order(stage, "site", 1, {})}))
    board.expect("gatehouse-trust: site file 1 installed", 120)
    await_status(board, lambda text: "controller up" in text and not is_closed(text))
    board.take_stick_out()
    board.accepts()
    start = stage.restart()
    board.open_phone()
    board.accepts()
    stage.power_off()
    return f"{said}; with a newer bundle and a site file it accepts a visit, also after a start ({start.health:.0f} s)"


FILL = ("su -s /bin/sh gatehouse -c 'dd if=/dev/zero of=/var/lib/gatehouse/full bs=64K; dd if=/dev/zero of=/var/lib/gatehouse/rest bs=1K' 2>/dev/null; "
        "df -k /data | awk 'END { print $4 }'")


def full_log(stage: Stage) -> str:
    """Somebody else fills the disk: visits are recorded in the room that was kept for them, also after a start. Without that room not one block is left for
    the audit log: the gate starts and lets nobody in, no slot is given up for it, and with room again visits are accepted."""
    stage.as_first()
    read_start(stage.power_on())
    board = stage.current
    check((left := board.output(FILL, 300)) == "0", f"{left} KiB left")
    start = stage.restart()
    check(start.good, f"with the room that was kept: {start}")
    board.open_phone()
    board.accepts()
    board.output("systemctl stop gatehouse && cd /var/lib/gatehouse && rm full rest audit.next && cp -p audit.jsonl copy && mv copy audit.jsonl", 60)
    check((left := board.output(FILL, 300)) == "0", f"{left} KiB left")
    board.begin("systemctl --no-block reboot")
    said = closed_start(stage, board, "records-full")
    check(board.output("cat /data/made-anew 2>/dev/null || true") == "", "the data were made anew")
    board.output("rm /var/lib/gatehouse/full /var/lib/gatehouse/rest")
    await_status(board, lambda text: "controller up" in text and not is_closed(text))
    board.open_phone()
    board.accepts()
    stage.power_off()
    return f"another's full disk: accepts; no room kept: {said}; with room again, accepts a visit"


def read_only_data(stage: Stage) -> str:
    """The file system finds an error and becomes read-only under the gate, and is repaired by a start; then the whole card can only be read at the start.
    Nobody is let in without a record that lasts, and the board does not start anew for it again and again."""
    stage.as_first()
    read_start(stage.power_on())
    board = stage.current
    board.open_phone()
    board.output("echo 1 >/sys/fs/ext4/$(basename $(readlink -f /dev/gatehouse/data))/trigger_fs_error")
    is_rejected(board)
    worn = await_status(board, is_closed)
    start = stage.restart()
    check(start.good, f"after the repair: {start}")
    board.open_phone()
    board.accepts()
    board.output("sync")
    stage.power_off()
    board = stage.power_on(read_only=True)
    start = board.await_start(400)
    check(not start.good and start.reason.startswith("data: "), f"{start}")
    board.open_shell()
    reason = board.output("cat /run/gatehouse-data-not-lasting")
    text = await_status(board, lambda text: "data-not-lasting" in text)
    board.open_phone()
    is_rejected(board)
    check(board.serial.count(b"gatehouse-boot: slot A") == 1, "the board has started anew")
    stage.power_off()
    return f"while it runs: {worn}; from the start ({reason}): {text}"


ALL = {
    "expired bundle": expired_bundle,
    "no bundle": no_bundle,
    "data made anew": made_anew,
    "full audit log at start": full_log,
    "read-only data": read_only_data,
}
