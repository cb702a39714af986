"""A gate that ends again and again starts its board anew, but not for ever."""
import pytest

AGAIN = "--force reboot"
TRIED = ["reset-failed gatehouse.service gatehouse-controller-reset.service gatehouse-data.service", "--no-block start gatehouse.service"]
FAULT = "--no-block start gatehouse-fault.service"
VERDICT = "start gatehouse-health.service"


def restart(board, uptime: str = "90.00", before: str = ":", state: str = "failed", unit: str = "") -> list[str]:
    """What systemd was asked to do this time; `before` is a command that changes what the script finds, `unit` another one that has failed."""
    script = board.place / "upper/usr/lib/gatehouse/restart"
    script.write_text(script.read_text().replace("rest=300", "rest=0").replace("/proc/uptime", "/run/uptime"))
    (board.place / "run/uptime").write_text(f"{uptime} 1.00\n")
    board.gate(state=state)
    (board.place / "run/gate/failed").write_text(unit + "\n")
    earlier = len(board.asked())
    code, said = board.run("sh", "-c", f"{before}; exec /usr/lib/gatehouse/restart")
    assert code == 0, said
    asked = [line for line in board.asked()[earlier:] if not line.startswith("show ")]
    # The light first, and the verdict over the slot.
    assert asked[:2] == [FAULT, VERDICT] if state == "failed" else asked[:1] == [VERDICT]
    return asked[asked.index(VERDICT) + 1:]


def test_the_board_starts_anew_within_a_budget(board):
    for number in range(1, 5):
        assert restart(board) == [AGAIN]
        assert board.console()[-1] == f"gatehouse-restart: the gate has ended too often: the board starts anew ({number} of 4)"
    for _ in range(2):
        assert restart(board) == TRIED


def test_a_board_that_ran_for_long_has_its_budget_back(board):
    board.keep("restarts", "4")
    assert restart(board, "21599.9") == TRIED
    assert restart(board, "21600.1") == [AGAIN]
    assert board.kept("restarts") == "1"


@pytest.mark.parametrize("content", ["", "x", "-1", "99999999999999999999", "1\n2"])
def test_a_damaged_count_stops_nobody(board, content):
    board.keep("restarts", content)
    assert restart(board) == [AGAIN]
    assert board.kept("restarts") == "1"


def test_where_nothing_can_be_counted_the_board_does_not_start_anew(board):
    (board.place / "run/gatehouse-data-not-lasting").write_text("the data partition cannot be used\n")
    assert AGAIN not in restart(board)


READ_ONLY = "mkdir -p /data/update && mount --bind /data /data && mount -o remount,ro,bind /data"


def test_where_the_count_cannot_be_written_the_board_has_to_have_run_for_long(board):
    assert restart(board, before=READ_ONLY) == TRIED
    assert restart(board, "21600.1", before=READ_ONLY) == [AGAIN]


def test_a_slot_that_gives_way_is_not_counted(board):
    """The health check starts the board anew itself: the budget is for what is no fault of a slot."""
    assert restart(board, before="mkdir -p /run/gatehouse && touch /run/gatehouse/falls-back") == []
    assert board.kept("restarts") is None


@pytest.mark.parametrize("unit, why", [
    ("gatehouse-controller-reset.service", "the controller does not come back"),
    ("gatehouse-data.service", "the data partition can only be read since an error")])
def test_a_gate_that_runs_keeps_its_lamps_and_is_not_what_it_is_for(board, unit, why):
    assert restart(board, unit=unit, state="active") == [AGAIN]
    assert board.console()[-1] == f"gatehouse-restart: {why}: the board starts anew (1 of 4)"


@pytest.mark.parametrize("resetting", [False, True])
def test_a_gate_that_was_slow_to_end_and_runs_again_starts_nothing(board, resetting):
    """A stop that took longer than it may is a failure to systemd, which asks for this script; a start that was asked for came right after it."""
    script, earlier = board.place / "upper/usr/lib/gatehouse/restart", len(board.asked())
    script.write_text(script.read_text().replace("rest=300", "rest=0"))
    board.gate(state="active")
    (board.place / "run/gate/failed").write_text("\n")
    if resetting:
        (board.place / "run/gate/resetting").write_text("1\n2\n3\n")
    code, said = board.run("/usr/lib/gatehouse/restart")
    assert code == 0 and board.console()[-1] == "gatehouse-restart: nothing has failed any more: the board goes on", said
    assert all(line.startswith("show ") for line in board.asked()[earlier:]) and not board.kept("restarts")


def test_where_systemd_does_not_answer_nobody_knows_that_all_is_well(board):
    assert restart(board, state="mute", before="touch /run/gate/mute") == [AGAIN]
    assert board.console()[-1] == "gatehouse-restart: nobody can say what has failed: the board starts anew (1 of 4)"


def test_a_driver_that_is_being_bound_anew_is_waited_for(board):
    """The unit that failed was asked for again, and fails again."""
    before = "printf '1\\n2\\n3\\n' > /run/gate/resetting"
    assert restart(board, unit="gatehouse-controller-reset.service", state="active", before=before) == [AGAIN]
    assert board.console()[-1] == "gatehouse-restart: the controller does not come back: the board starts anew (1 of 4)"


def test_a_gate_that_ended_too_often_is_what_it_is_for_whatever_else_failed(board):
    assert restart(board, unit="gatehouse-controller-reset.service") == [AGAIN]
    assert board.console()[-1] == "gatehouse-restart: the gate has ended too often: the board starts anew (1 of 4)"


@pytest.mark.parametrize("uptime, before, code", [
    ("90.00", ":", 0), ("99999.00", ":", 0), ("90.00", READ_ONLY, 0), ("21599.00", READ_ONLY, 0), ("21600.00", READ_ONLY, 1),
    ("99999.00", "mount -t tmpfs tmpfs /data && mkdir /data/update", 0)])
def test_data_that_can_only_be_read_are_seen(board, uptime, before, code):
    script = board.place / "upper/usr/lib/gatehouse/data-check"
    script.write_text(script.read_text().replace("/proc/uptime", "/run/uptime"))
    (board.place / "run/uptime").write_text(f"{uptime} 1.00\n")
    (board.place / "data/update").mkdir(exist_ok=True)
    assert board.run("/usr/lib/gatehouse/data-check")[0] == 0
    assert board.run("sh", "-c", f"{before}; exec /usr/lib/gatehouse/data-check")[0] == code
