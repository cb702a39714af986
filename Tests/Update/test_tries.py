"""Tries that were used up by short starts, not by a bad slot: what was good stays what the gate runs, and what was given up stays given up."""
import pytest

from test_health import board, health, installed  # noqa: F401

BAD = dict(state="activating", text="")


def runs(board, slot: str, version: int, order: str, a: int, b: int) -> None:
    """A start of that slot, with what the boot loader left of the tries."""
    board.boots(version, slot)
    board.change_state(BOOT_ORDER=order, BOOT_A_LEFT=str(a), BOOT_B_LEFT=str(b))
    board.gate()


def good(board, **versions: str) -> None:
    for slot in "AB":
        (board.place / f"data/update/confirmed-{slot}").unlink(missing_ok=True)
        board.write(f"boot-{slot.lower()}", bytes(510) + b"\x55\xaa")
    for slot, version in versions.items():
        board.keep(f"confirmed-{slot}", version)


@pytest.fixture
def outrun(board):
    """Version 7 in A is good, and three short starts have led to version 6 in B, which was good once."""
    good(board, A="7", B="6")
    board.keep("newest", "7")
    runs(board, "B", 6, "A B", 0, 2)
    return board


def test_a_newer_version_is_the_next_starts_again(outrun):
    assert health(outrun) == (0, "gatehouse-health: good slot B version 6")
    assert "gatehouse-health: slot A version 7 has used up its tries; the next start is its again" in outrun.console()
    assert outrun.state() == {"BOOT_ORDER": "A B", "BOOT_A_LEFT": "3", "BOOT_B_LEFT": "3"}
    assert "--no-block reboot" not in outrun.asked()


def test_one_that_really_does_not_start_is_said_and_tried_no_more(outrun):
    health(outrun)
    runs(outrun, "B", 6, "A B", 0, 2)
    assert health(outrun) == (1, "gatehouse-health: bad slot B version 6: slot A version 7 does not start any more")
    assert outrun.state()["BOOT_A_LEFT"] == "0" and "--no-block reboot" not in outrun.asked()


def test_once_it_has_been_good_again_it_has_another_chance(outrun):
    health(outrun)
    runs(outrun, "A", 7, "A B", 2, 3)
    assert health(outrun) == (0, "gatehouse-health: good slot A version 7")
    runs(outrun, "B", 6, "A B", 0, 2)
    assert health(outrun)[0] == 0 and outrun.state()["BOOT_A_LEFT"] == "3"


def test_one_whose_radio_is_out_has_another_chance_too(outrun):
    health(outrun)
    runs(outrun, "A", 7, "A B", 2, 3)
    outrun.gate(text="no controller")
    assert health(outrun)[0] == 1
    runs(outrun, "B", 6, "A B", 0, 2)
    assert health(outrun)[0] == 0 and outrun.state()["BOOT_A_LEFT"] == "3"


@pytest.mark.parametrize("order, other, left", [("B A", "7", 0), ("A B", "5", 0), ("A B", "7", 2)],
                         ids=["a downgrade that was signed for", "the other one is older", "the other one has tries"])
def test_near_neighbours_are_left_alone(board, order, other, left):
    good(board, A=other, B="6")
    runs(board, "B", 6, order, left, 2)
    assert health(board) == (0, "gatehouse-health: good slot B version 6")
    assert board.state() == {"BOOT_ORDER": order, "BOOT_A_LEFT": str(left), "BOOT_B_LEFT": "3"}


@pytest.fixture
def given_up(board):
    """Version 6 in A is good, version 7 in B was given up. Short starts have opened it again, and led to it."""
    good(board, A="6")
    runs(board, "B", 7, "A B", 0, 2)
    board.gate(**BAD)
    return board


def test_a_version_that_failed_gives_way_to_the_good_one_whose_tries_are_used_up(given_up):
    assert health(given_up)[0] == 1
    assert given_up.state() == {"BOOT_ORDER": "A B", "BOOT_A_LEFT": "3", "BOOT_B_LEFT": "0"}
    assert given_up.asked()[-1] == "--no-block reboot"


def test_it_does_so_once_where_the_good_one_no_longer_starts(given_up):
    """A board that has no slot left that works must not start anew for ever."""
    health(given_up)
    runs(given_up, "B", 7, "A B", 0, 2)
    given_up.gate(**BAD)
    assert health(given_up)[0] == 1
    assert given_up.state()["BOOT_B_LEFT"] == "3" and "--no-block reboot" not in given_up.asked()


def test_nothing_to_load_is_no_slot_to_give_way_to(given_up):
    given_up.write("boot-a", bytes(512))
    assert health(given_up)[0] == 1
    assert given_up.state()["BOOT_A_LEFT"] == "0" and "--no-block reboot" not in given_up.asked()


def test_a_good_slot_closes_one_that_was_given_up(board):
    """The boot loader opens both when none is left."""
    good(board, A="6")
    runs(board, "A", 6, "A B", 2, 3)
    assert health(board)[0] == 0
    assert board.state() == {"BOOT_ORDER": "A B", "BOOT_A_LEFT": "3", "BOOT_B_LEFT": "0"}


def test_a_good_slot_leaves_open_one_that_was_good(board):
    good(board, A="6", B="5")
    runs(board, "A", 6, "A B", 2, 3)
    assert health(board)[0] == 0 and board.state()["BOOT_B_LEFT"] == "3"
