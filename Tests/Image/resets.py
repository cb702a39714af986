"""A board that is given back by a signed stick: what is gone, what stays, and that nobody enters before it is set up again. As in scenarios.py."""
import json

from closed import await_status, closed_start, is_closed
from power_cuts import make_bundles
from scenarios import Stage, check, read_start
from sticks import order, stick_with

KEPT = {"trust/gate-id", "trust/gate-id.copy", "trust/highwater", "trust/highwater.copy", "trust/orders", "trust/orders.copy"}
NEW = {"trust/reset", "trust/reset.copy", "audit.jsonl", "audit.next", "audit.lock", "audit.exported"}


def refused(board, stick) -> str:
    board.put_stick_in(stick, read_only=False)
    said = board.expect("gatehouse-trust: ([^\r\n]*)", 240).group(1).decode()
    check(said.startswith("refused: "), said)
    board.take_stick_out()
    return said


def files(board) -> set[str]:
    return set(board.output("cd /data/gatehouse && find . ! -type d | sed 's,^./,,'").split())


def reset_by_stick(stage: Stage) -> str:
    stage.as_first()
    board = stage.power_on()
    read_start(board)
    gate = board.output("head -n 1 /var/lib/gatehouse/trust/gate-id")
    board.put_stick_in(stick_with(stage, {"site.cose": order(stage, "site", 3, {"name": "OLDOWNER"}, gate)}, "site"))
    board.expect("gatehouse-trust: site file 3 installed", 120)
    board.take_stick_out()
    board.output("echo 'URL=http://10.0.2.100' >/data/update/hawkbit.conf; mkdir -p /data/relay/mqtt; echo x >/data/relay/mqtt/cursor; echo x >/data/osdp/key; echo KEY=secret >/data/network/network.conf; "
                 "chmod 700 /data/relay/mqtt; chown -R gatehouse-relay /data/relay/mqtt; chown -R gatehouse-osdp /data/osdp")
    board.open_phone()
    board.accepts()
    numbers = board.output("cat /data/gatehouse/trust/orders")
    # Neither another gate's nor one that nobody signed.
    others = [refused(board, stick_with(stage, {"reset.cose": octets}, f"not-{name}"))
              for name, octets in (("mine", order(stage, "reset", 1, {}, "another-gate")), ("signed", b"\x84" + bytes(400)))]
    board.accepts()
    asked = stick_with(stage, {"reset.cose": order(stage, "reset", 1, {}, gate)}, "reset")
    board.put_stick_in(asked, read_only=False)
    board.expect("gatehouse-trust: factory reset 1 taken", 240)
    board.take_stick_out()
    said = closed_start(stage, board, "factory-reset")
    left = files(board)
    check(KEPT <= left <= KEPT | NEW, f"{sorted(left)}")
    check(board.output("cat /data/gatehouse/audit.exported").strip() == "{}", "copies of the old log are remembered")
    log = [json.loads(line) for line in board.output("cat /data/gatehouse/audit.jsonl").splitlines()]
    check(log[0].get("reset") == 1 and not any("outcome" in line for line in log), f"{log[:2]}")
    check(board.output("cat /data/gatehouse/trust/orders") != numbers and '"site":3' in board.output("cat /data/gatehouse/trust/orders"), "old numbers are forgotten")
    check(board.output("ls /data/update/hawkbit.conf 2>/dev/null || true") == "", "the update server is known")
    check(board.output("find /data/relay /data/osdp /data/network -mindepth 1") == "", "what others were told, or the network's key, is remembered")
    # The same stick on another day, and the old owner's settings.
    again = refused(board, asked)
    refused(board, stick_with(stage, {"site.cose": order(stage, "site", 3, {"name": "OLDOWNER"}, gate)}, "old-site"))
    board.output("sync")
    board = stage.power_on()
    closed_start(stage, board, "factory-reset")
    bundle = make_bundles(stage.folder / "after-reset", range(2, 3))[0].read_bytes()
    board.put_stick_in(stick_with(stage, {"trust.cose": bundle, "site.cose": order(stage, "site", 4, {"name": "NEWOWNER"}, gate)}, "new"))
    board.expect("gatehouse-trust: site file 4 installed", 120)
    await_status(board, lambda text: "controller up" in text and not is_closed(text))
    board.take_stick_out()
    board.open_phone()
    check("NEWOWNER" in board.uri(), "not set up")
    board.accepts()
    stage.power_off()
    return f"{said}; left: {len(left)} files; refused: {'; '.join(line[:60] for line in (*others, again))}; set up again it accepts"


ALL = {"factory reset by stick": reset_by_stick}
