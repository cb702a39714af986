"""Updates that a fleet server orders, from the order to the last word: gooseBit, a server nobody here wrote, and the image's own client. As in
scenarios.py."""
import sys
from contextlib import contextmanager

from emulated_board import HERE
from goosebit_server import GATE, TENANT, TOKEN, Absent, Goosebit
from image_rig import ImageBoard
from scenarios import SERVER, Stage, check, connect, read_start

UNIT, CONF = "gatehouse-hawkbit.service", "/data/update/hawkbit.conf"


@contextmanager
def served(stage: Stage):
    """A board in slot A, version 1, whose network leads to the server, and which knows it."""
    stage.updates()
    stage.as_first()
    try:
        server = Goosebit(stage.folder / f"goosebit-{len(list(stage.folder.glob('goosebit-*')))}")
    except Absent as absent:
        yield None, absent
        return
    with server:
        board = stage.power_on(server=[sys.executable, str(HERE / "forward.py"), str(server.port)])
        read_start(board)
        connect(board)
        conf = f"URL={SERVER.rstrip('/')}\nTENANT={TENANT}\nID={GATE}\nTARGET_TOKEN={TOKEN}\nPOLL=10\n"
        board.output("mkdir -p /data/update")
        board.put(conf.encode(), CONF)
        board.output(f"systemctl start {UNIT}")
        try:
            yield board, server
        finally:
            stage.power_off()


def await_state(server: Goosebit, board: ImageBoard, state: str, patience: float) -> None:
    check(server.until(lambda: server.state() == state, patience),
          f"the server says {server.state()}, not {state}: {server.said()[-600:]}")


def is_carried_out(board: ImageBoard, server: Goosebit) -> None:
    """The order is offered, loaded with its progress, installed; then the board starts anew by itself."""
    await_state(server, board, "Running", 120)
    board.expect(r"gatehouse-update: slot B is next", 600)
    check("All Chunks Installed." in server.said(), f"no progress was told: {server.said()[-600:]}")


def ordered_update(stage: Stage) -> str:
    with served(stage) as (board, server):
        if board is None:
            return f"skipped, gooseBit is not to be had: {server}"
        await_state(server, board, "Registered", 120)
        hardware = server.gate()["hardware"]
        check((hardware["model"], hardware["revision"], server.gate()["sw_version"]) == ("qemu-virt", "1", "1"), f"{server.gate()}")
        rollout = server.order(stage.updates().path("good").read_bytes(), 2)
        is_carried_out(board, server)
        start = read_start(board)
        check((start.slot, start.version) == ("B", 2), f"{start}")
        # The image configures no network: until now nobody could tell the server anything.
        check(server.state() == "Running" and server.rollout(rollout)["success_count"] == 0, "a success before the new version was found good")
        connect(board)
        await_state(server, board, "Finished", 180)
        counts = server.rollout(rollout)
        check((counts["success_count"], counts["failure_count"]) == (1, 0), f"{counts}")
        check(server.until(lambda: server.gate()["sw_version"] == "2", 60), f"{server.gate()}")
        check(board.run("test -e /data/update/pending")[0] != 0, "the order is open still, for the board")
        board.open_phone()
        board.accepts()
        return f"{hardware['model']} registered, ordered, slot B version 2 healthy after {start.health:.0f} s, then Finished; a visit accepted"


def ordered_rollback(stage: Stage) -> str:
    """Signed and installed, but its visits fail: three tries, then the slot from before, which tells the server."""
    with served(stage) as (board, server):
        if board is None:
            return f"skipped, gooseBit is not to be had: {server}"
        rollout = server.order(stage.updates().path("unhealthy").read_bytes(), 3)
        is_carried_out(board, server)
        seen = []
        while not seen or not seen[-1].good:
            check(len(seen) < 5, f"{seen}")
            seen.append(board.await_start())
        check([start.version for start in seen[:-1]] == [3, 3, 3] and (seen[-1].slot, seen[-1].version) == ("A", 1), f"{seen}")
        check(server.state() == "Running", f"the server says {server.state()} before anybody told it")
        board.open_shell()
        connect(board)
        await_state(server, board, "Error", 180)
        counts = server.rollout(rollout)
        check((counts["success_count"], counts["failure_count"]) == (0, 1), f"{counts}")
        # Somebody orders the same once more: what was given up here is not installed again.
        server.once_more()
        check(server.until(lambda: server.rollout(rollout)["failure_count"] == 2, 300), f"{server.rollout(rollout)}: {server.said()[-600:]}")
        check(board.running() == ("A", 1) and board.boot_state()["BOOT_ORDER"].startswith("B"), f"{board.boot_state()}")
        check("failed-before" in board.output("dmesg | grep gatehouse-update: | tail -n 3"), "refused for another reason")
        return f"3 tries of version 3 ({seen[0].reason[:40]}), slot A version 1, then Error; ordered once more: failed-before"


ALL = {"fleet: order to confirmed": ordered_update, "fleet: order that rolls back": ordered_rollback}
