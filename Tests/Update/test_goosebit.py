"""SWUpdate's client of a fleet server, against a server that nobody here wrote: gooseBit from PyPI. What a gate does is what it does with the stand-in
of test_hawkbit.py; that a server of somebody else understands it is shown here."""
import time
import urllib.error

import pytest

from bundles import bundle
from conftest import end
from goosebit_server import GATE, TENANT, TOKEN, Absent, Goosebit
from test_update import NEXT, UNTOUCHED, given_up, has


@pytest.fixture
def server(board, tmp_path):
    try:
        with Goosebit(tmp_path / "goosebit") as server:
            yield server
    except Absent as absent:
        pytest.skip(f"gooseBit is not to be had: {absent}")


@pytest.fixture
def client(start_client, server):
    return lambda **more: start_client(**{"URL": server.url, "TENANT": TENANT, "ID": GATE, "TARGET_TOKEN": TOKEN, "POLL": "1", **more})


@pytest.fixture
def rollout(server, second) -> int:
    """The order: version 2 for every gate of the feed."""
    return server.order(second.read_bytes(), 2)


def asked_to_restart(board) -> bool:
    return "--no-block reboot" in board.asked()


def installed(board, client, server):
    """The order carried out, in the moment of the restart."""
    process = client()
    assert server.until(lambda: asked_to_restart(board), 90), server.said()
    end(process)
    # Another start of the machine has another number.
    board.keep("pending", "B 2 00000000-0000-0000-0000-000000000000")


@pytest.fixture
def ordered(board, client, server, rollout) -> int:
    installed(board, client, server)
    return rollout


def test_it_registers_with_what_it_is(board, client, server):
    assert server.state() == "Unknown"
    client()
    assert server.until(lambda: server.state() == "Registered")
    gate = server.gate()
    assert gate["sw_version"] == "1" and (gate["hardware"]["model"], gate["hardware"]["revision"]) == ("test-board", "1")
    assert board.state() == UNTOUCHED


def test_an_order_with_its_progress(board, client, server, rollout, slots):
    client()
    assert server.until(lambda: server.state() == "Running")
    assert server.until(lambda: asked_to_restart(board), 90)
    assert board.state() == NEXT and has(board, slots[2])
    # Told while it went on, in this order; a download as short as this one has no percentages.
    told = [line for line in server.said().splitlines() if "Chunk" in line]
    assert told[:2] == ["Installing Update Chunk Artifacts.", "Installed Chunk."] and "All Chunks Installed." in told
    # Nothing is over before the new version was found good.
    assert server.state() == "Running" and server.rollout(rollout)["success_count"] == 0


def test_success_only_after_the_new_version_was_found_good(board, ordered, client, server):
    assert server.state() == "Running"
    board.boots(2, "B")
    board.change_state(BOOT_B_LEFT="2")
    # Nobody has confirmed it yet: it says nothing at all.
    assert client().wait(120) == 1
    assert server.state() == "Running"
    board.change_state(BOOT_B_LEFT="3")
    client()
    assert server.until(lambda: server.state() == "Finished"), server.said()
    assert server.gate()["sw_version"] == "2" and board.kept("pending") is None
    counts = server.rollout(ordered)
    assert (counts["success_count"], counts["failure_count"]) == (1, 0)


def test_what_it_has_it_is_not_offered_again(board, ordered, client, server):
    board.boots(2, "B")
    board.change_state(BOOT_B_LEFT="3")
    client()
    assert server.until(lambda: server.state() == "Finished")
    seen = server.gate()["last_seen"]
    assert seen is not None
    # It asks each second: three more answers without an order.
    assert not server.until(lambda: server.state() != "Finished" or asked_to_restart(board), 4)


def test_failure_after_a_rollback_and_then_no_more_offers(board, ordered, client, server):
    board.boots(1, "A")
    board.change_state(BOOT_A_LEFT="3", BOOT_B_LEFT="0")
    client()
    assert server.until(lambda: server.state() == "Error"), server.said()
    counts = server.rollout(ordered)
    assert (counts["success_count"], counts["failure_count"]) == (0, 1)
    assert not server.until(lambda: server.state() != "Error" or asked_to_restart(board), 4)


def test_ordered_once_more_it_refuses_what_was_given_up(board, ordered, client, server):
    given_up(board)
    before = board.read("root-b")
    client()
    assert server.until(lambda: server.state() == "Error")
    server.once_more()
    assert server.until(lambda: "gatehouse-update: refused: failed-before" in board.console(), 60)
    assert server.until(lambda: server.rollout(ordered)["failure_count"] == 2)
    assert board.read("root-b") == before and not asked_to_restart(board)


@pytest.mark.parametrize("how", ["withdraw", "pause"])
def test_a_cancelled_order_is_not_carried_out(board, client, server, rollout, second, how):
    getattr(server, how)(rollout)
    client()
    assert server.until(lambda: server.state() == "Registered")
    assert not server.until(lambda: server.state() != "Registered", 4)
    assert board.state() == UNTOUCHED and board.kept("pending") is None
    if how == "pause":
        # And the same one is, once it goes on.
        server.pause(rollout, False)
        assert server.until(lambda: asked_to_restart(board), 90)
        assert board.state() == NEXT


def test_a_token_that_is_not_its_own(board, client, server, rollout):
    process = client(TARGET_TOKEN="another")
    # It asked, and asked again; and nothing came of it.
    assert server.until(lambda: len(server.refused(401)) >= 2), server.answered
    assert server.state() == "Unknown"
    assert board.state() == UNTOUCHED and board.kept("pending") is None
    end(process)
    client()
    assert server.until(lambda: asked_to_restart(board), 90)


def test_a_gate_that_it_was_not_told_of(board, client, server, rollout):
    client(ID="gate-2")
    assert not server.until(lambda: len(server.ask("GET", "devices")["devices"]) > 1, 5)
    assert board.state() == UNTOUCHED


def test_an_order_for_another_board_is_not_offered(board, client, server, slots, keys, tmp_path):
    server.order(bundle(slots[2], tmp_path / "other.swu", keys, board="other").read_bytes(), 2)
    client()
    assert server.until(lambda: server.state() == "Registered")
    assert not server.until(lambda: server.state() != "Registered", 4)
    assert board.state() == UNTOUCHED


def test_why_it_is_no_server_for_gates(server):
    """Anybody who reaches it makes themselves a user with every permission, also when there is one. docs/fleet.md says so; when this fails, it may be
    otherwise now."""
    with pytest.raises(urllib.error.HTTPError) as refused:
        server.bearer = ""
        server.ask("GET", "devices")
    assert refused.value.code == 401
    server.bearer = server.set_up("stranger")
    assert server.ask("GET", "devices")["devices"]


def test_a_server_that_is_away_when_the_new_version_comes_up(board, ordered, client, server):
    """As behind a network that comes up late: what there is to say waits for it."""
    board.boots(2, "B")
    board.change_state(BOOT_B_LEFT="3")
    server.stop()
    client()
    # It has read what it is to say, and found nobody.
    assert server.until(lambda: board.kept("pending") is None)
    time.sleep(3)
    server.start()
    assert server.until(lambda: server.state() == "Finished"), server.said()
    counts = server.rollout(ordered)
    assert (counts["success_count"], counts["failure_count"]) == (1, 0)
