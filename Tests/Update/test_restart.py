"""A gate that ends again and again starts its board anew, but not for ever."""
import pytest

AGAIN = "--force reboot"


def restart(board, uptime: str = "90.00") -> list[str]:
    """What systemd was asked for this time."""
    script = board.place / "upper/usr/lib/gatehouse/restart"
    script.write_text(script.read_text().replace("rest=300", "rest=0").replace("/proc/uptime", "/run/uptime"))
    (board.place / "run/uptime").write_text(f"{uptime} 1.00\n")
    before = len(board.asked())
    code, said = board.run("/usr/lib/gatehouse/restart")
    assert code == 0, said
    return board.asked()[before:]


def test_the_board_starts_anew_within_a_budget(board):
    for number in range(1, 5):
        assert restart(board) == [AGAIN]
        assert board.console()[-1] == f"gatehouse-restart: the gate has ended too often: the board starts anew ({number} of 4)"
    for _ in range(2):
        assert restart(board) == ["reset-failed gatehouse.service", "--no-block start gatehouse.service"]


def test_a_board_that_ran_for_long_has_its_budget_back(board):
    board.keep("restarts", "4")
    assert restart(board, "21599.9") == ["reset-failed gatehouse.service", "--no-block start gatehouse.service"]
    assert restart(board, "21600.1") == [AGAIN]
    assert board.kept("restarts") == "1"


def test_it_says_what_it_is_for(board):
    code, said = board.run("sh", "-c", "MONITOR_UNIT=gatehouse-controller-reset.service /usr/lib/gatehouse/restart")
    assert code == 0 and board.console()[-1] == "gatehouse-restart: the controller does not come back: the board starts anew (1 of 4)", said


@pytest.mark.parametrize("content", ["", "x", "-1", "99999999999999999999", "1\n2"])
def test_a_damaged_count_stops_nobody(board, content):
    board.keep("restarts", content)
    assert restart(board) == [AGAIN]
    assert board.kept("restarts") == "1"


def test_where_nothing_can_be_counted_the_board_does_not_start_anew(board):
    (board.place / "run/gatehouse-data-not-lasting").write_text("the data partition cannot be used\n")
    assert AGAIN not in restart(board)
