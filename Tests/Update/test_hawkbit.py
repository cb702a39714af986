"""SWUpdate's client of a fleet server, against a stand-in: it installs by the rules of `update`, and says after the restart how it went."""
import pytest

from bundles import bundle, changed
from conftest import end
from hawkbit import GATE, TOKEN, Hawkbit
from test_update import CLOSED, NEXT, UNTOUCHED, given_up, has


@pytest.fixture
def server():
    with Hawkbit() as server:
        yield server


@pytest.fixture
def client(start_client, server):
    """Starts the client of this server."""
    return lambda **more: start_client(**{"URL": server.url, "ID": GATE, "TARGET_TOKEN": TOKEN, "POLL": "1", **more})


def test_it_asks_and_says_what_it_is(board, client, server):
    (board.place / "run/gatehouse-health").write_text('bad slot A version 1: closed: trust-expired "\\"; }\n')
    client()
    assert server.until(lambda: server.polls >= 2)
    assert server.until(lambda: server.attributes.get("version") == "1")
    assert server.attributes["board"] == "test-board"
    # The names that servers look for: what it is, for what hardware a bundle has to be, and what it has.
    assert {name: server.attributes[name] for name in ("hw_boardname", "hw_revision", "sw_version")} == {
        "hw_boardname": "test-board", "hw_revision": "1", "sw_version": "1"}
    assert server.attributes["health"] == "bad slot A version 1: closed: trust-expired ; "
    assert server.refused == 0


def test_an_order_is_installed_and_the_gate_starts_anew(board, client, server, second, slots):
    server.order(second.read_bytes(), 2)
    client()
    assert server.until(lambda: board.state() == NEXT or server.told()[-1:] == [("closed", "failure")], 60)
    assert server.until(lambda: "--no-block reboot" in board.asked(), 10)
    assert board.state() == NEXT and has(board, slots[2])
    assert "gatehouse-update: slot B is next" in board.console()
    # Nothing is over before the new version was found good.
    assert ("closed", "success") not in server.told()


@pytest.fixture
def ordered(board, client, server, second):
    """After the installation, in the moment of the restart."""
    server.order(second.read_bytes(), 2)
    process = client()
    assert server.until(lambda: "--no-block reboot" in board.asked(), 60)
    end(process)
    to, version, _, digest = board.kept("pending").split()
    assert (to, version) == ("B", "2")
    # Another start of the machine has another number.
    board.keep("pending", f"B 2 00000000-0000-0000-0000-000000000000 {digest}")


def test_after_the_restart_it_says_that_it_is_good(board, ordered, client, server):
    board.boots(2, "B")
    board.change_state(BOOT_B_LEFT="3")
    client()
    assert server.until(lambda: ("closed", "success") in server.told())
    assert board.kept("pending") is None


def test_after_a_rollback_it_says_that_it_failed(board, ordered, client, server):
    board.boots(1, "A")
    board.change_state(BOOT_A_LEFT="3", BOOT_B_LEFT="0")
    client()
    assert server.until(lambda: ("closed", "failure") in server.told())


def test_a_server_that_did_not_hear_it_is_told_when_it_offers_the_same_again(board, ordered, client, server):
    board.boots(2, "B")
    board.change_state(BOOT_B_LEFT="3")
    # Away for longer than the client lives.
    deaf = client(URL="http://127.0.0.1:9")
    assert server.until(lambda: board.kept("pending") is None)
    end(deaf)
    # The order is there still: what runs is known again, and not refused as an older version.
    again = client()
    assert server.until(lambda: (board.kept("pending") or "").split() == ["B", "2", "again"], 60)
    # Here the client is process 1, which nothing in its name space can kill.
    end(again)
    assert ("closed", "failure") not in server.told()
    client()
    assert server.until(lambda: ("closed", "success") in server.told())
    assert board.kept("pending") is None and board.kept("told") is None


def test_another_bundle_of_the_version_that_runs_is_refused(board, ordered, client, server, slots, keys, tmp_path):
    board.boots(2, "B")
    board.change_state(BOOT_B_LEFT="3")
    deaf = client(URL="http://127.0.0.1:9")
    assert server.until(lambda: board.kept("pending") is None)
    end(deaf)
    server.order(bundle(slots[2], tmp_path / "other.swu", keys, RETRY="1").read_bytes(), 2)
    client()
    assert server.until(lambda: ("closed", "failure") in server.told(), 60)
    assert "gatehouse-update: refused: older-version" in board.console() and board.kept("pending") is None


def test_what_was_given_up_is_refused_when_it_is_ordered_again(board, ordered, client, server, second):
    given_up(board)
    before = board.read("root-b")
    client()
    assert server.until(lambda: server.told()[-1:] == [("closed", "failure")])
    heard = len(server.feedback)
    server.order(second.read_bytes(), 2)
    assert server.until(lambda: any(one["status"]["execution"] == "closed" for one in server.feedback[heard:]), 60)
    assert server.told()[-1] == ("closed", "failure") and board.console().count("gatehouse-update: refused: failed-before") == 1
    assert board.read("root-b") == before and "--no-block reboot" not in board.asked()
    assert board.state() == {"BOOT_ORDER": "B A", "BOOT_A_LEFT": "3", "BOOT_B_LEFT": "0"}


def test_before_anybody_confirmed_it_says_nothing(board, ordered, client, server):
    board.boots(2, "B")
    board.change_state(BOOT_B_LEFT="2")
    polls = server.polls
    assert client().wait(20) == 1
    assert server.polls == polls and board.kept("pending")


REFUSED = {
    "older": (lambda slots, keys, folder: bundle(slots[1], folder / "1.swu", keys).read_bytes(), UNTOUCHED, "refused: older-version"),
    "another board": (lambda slots, keys, folder: bundle(slots[2], folder / "2.swu", keys, board="other").read_bytes(), UNTOUCHED, None),
    "damaged root": (lambda slots, keys, folder: changed(bundle(slots[2], folder / "2.swu", keys).read_bytes(), "root.img", 1_000_000), CLOSED, None),
    "damaged boot image": (lambda slots, keys, folder: changed(bundle(slots[2], folder / "2.swu", keys).read_bytes(), "boot.img.zst", 50_000), CLOSED, None),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused_as_by_hand(board, client, server, slots, keys, tmp_path, case):
    make, state, said = REFUSED[case]
    server.order(make(slots, keys, tmp_path), 2)
    client()
    assert server.until(lambda: ("closed", "failure") in server.told())
    assert board.state() == state
    assert "--no-block reboot" not in board.asked()
    assert said is None or any(said in line for line in board.console())


def test_a_cancelled_order_is_answered_and_not_carried_out(board, client, server, second):
    server.order(second.read_bytes(), 2)
    server.cancel()
    client()
    assert server.until(lambda: server.given_up)
    assert (server.given_up[0]["status"]["execution"], server.given_up[0]["status"]["result"]["finished"]) == ("closed", "success")
    polls = server.polls
    assert server.until(lambda: server.polls >= polls + 2)
    assert board.state() == UNTOUCHED and board.kept("pending") is None and not server.told()


def test_an_order_that_is_cancelled_while_it_is_loaded(board, client, server, second, slots):
    server.rest = 0.1
    server.order(second.read_bytes(), 2)
    client()
    assert server.until(lambda: server.loaded > 1 << 20)
    server.cancel()
    assert server.until(lambda: server.given_up)
    # The slot was being written: it is closed, and the gate stays what it is. The next order opens it.
    assert board.state() == CLOSED and "--no-block reboot" not in board.asked()
    server.rest = 0
    server.order(second.read_bytes(), 2)
    assert server.until(lambda: "--no-block reboot" in board.asked(), 60)
    assert board.state() == NEXT and has(board, slots[2])


def test_a_token_that_is_not_its_own(board, client, server, second):
    server.order(second.read_bytes(), 2)
    process = client(TARGET_TOKEN="another")
    assert server.until(lambda: server.refused >= 2)
    assert server.polls == 0 and not server.feedback and not server.attributes and board.state() == UNTOUCHED
    end(process)
    client()
    assert server.until(lambda: "--no-block reboot" in board.asked(), 60)


def test_by_hand_while_the_client_only_asks(board, client, server, second, slots):
    client()
    assert server.until(lambda: server.polls >= 2)
    assert board.install(second)[0] == 0
    assert board.asked()[0] == "stop gatehouse-hawkbit.service"


@pytest.mark.parametrize("line", ["URL=", "ID=", "ID=a b", 'TENANT=a"; b = "', "POLL=soon", "CA=/etc/$(reboot)"])
def test_settings_that_cannot_be_used(board, line):
    lines = ["URL=http://127.0.0.1:9", "ID=gate", line]
    board.keep("hawkbit.conf", "\n".join(lines))
    code, said = board.run("/usr/lib/gatehouse/hawkbit", patience=20)
    assert code == 1 and "gatehouse-update: hawkbit: " in said


def test_the_server_of_the_site_file_comes_before_the_boards_own(board, client, server):
    (board.place / "run/gatehouse-hawkbit.conf").write_text(f"URL={server.url}\nID={GATE}\nTARGET_TOKEN={TOKEN}\nPOLL=1\n")
    client(URL="http://127.0.0.1:1", ID="another")
    assert server.until(lambda: server.polls >= 1)
