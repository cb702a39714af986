"""The health check: what confirms a slot, what starts it anew, and what is remembered."""
import subprocess
import time

import pytest

TRIED = {"BOOT_ORDER": "A B", "BOOT_A_LEFT": "2", "BOOT_B_LEFT": "3"}
GOOD = {**TRIED, "BOOT_A_LEFT": "3"}
SCREEN, LAMPS = "controller up; no screen; lamps up", "controller up; screen up; no lamps"
DOOR = "controller up; screen up; lamps up; no door"
EXPIRED = "controller up; screen up; lamps up; closed: trust-expired"
IN_DOUBT = "controller up; screen up; lamps up; closed: clock-in-doubt"


@pytest.fixture
def board(board):
    # As the boot loader leaves it: one try taken, and the slot from before is there.
    board.change_state(BOOT_A_LEFT="2")
    board.keep("confirmed-B", "1")
    board.write("boot-b", bytes(510) + b"\x55\xaa")
    # Nobody waits three minutes for what a test knows is not coming.
    script = board.place / "upper/usr/lib/gatehouse/health"
    script.write_text(script.read_text().replace("patience=180", "patience=2"))
    return board


def installed(board, before: str = "") -> None:
    """The slot was written by the other one, which was ailing so."""
    board.keep("trial", f"A 1 {'0' * 64}\n{before}")


def health(board):
    code, _ = board.run("/usr/lib/gatehouse/health")
    return code, board.console()[-1]


def test_a_good_slot_is_confirmed(board):
    board.gate()
    assert health(board) == (0, "gatehouse-health: good slot A version 1")
    assert board.state() == GOOD
    assert board.kept("newest") == "1" and board.kept("confirmed-A") == "1"


def test_slot_b_is_confirmed_as_itself(board):
    board.boots(7, "B")
    board.change_state(BOOT_ORDER="B A", BOOT_A_LEFT="3", BOOT_B_LEFT="0")
    board.gate()
    assert health(board) == (0, "gatehouse-health: good slot B version 7")
    assert board.state() == {"BOOT_ORDER": "B A", "BOOT_A_LEFT": "3", "BOOT_B_LEFT": "3"}
    assert board.kept("newest") == "7"


def test_the_newest_never_goes_down(board):
    board.keep("newest", "9")
    board.gate()
    assert health(board)[0] == 0
    assert board.kept("newest") == "9"


BAD = {
    "the gate does not start": (dict(state="activating", text=""), "the gate is activating, "),
    "no controller": (dict(text="no controller"), "the gate is active, no controller"),
    "no screen": (dict(text=SCREEN), f"the gate is active, {SCREEN}"),
    "no lamps": (dict(text=LAMPS), f"the gate is active, {LAMPS}"),
    "no door": (dict(text=DOOR), f"the gate is active, {DOOR}"),
    "nobody can enter": (dict(text=EXPIRED), f"the gate is active, {EXPIRED}"),
    "the gate has just started again": (dict(since=1 << 62), "the gate is active, controller up; screen up; lamps up"),
    "a visit fails": (dict(parts="well trust: 1 issuer\nbad visit: wrongly-accepted\n", code=1), "visit: wrongly-accepted"),
    "the matcher is broken": (dict(parts="bad faces: matcher-failed\nwell visit: ok\n", code=1), "faces: matcher-failed"),
    "the self-test crashes": (dict(parts="", code=1), "self-test: it did not end well"),
    "nobody can enter, and the self-test crashes": (dict(text=EXPIRED, parts="", code=1), f"the gate is active, {EXPIRED}"),
}


@pytest.mark.parametrize("case", BAD)
def test_a_bad_slot_starts_anew_with_its_tries_counting(board, case):
    told, reason = BAD[case]
    installed(board)
    board.gate(**told)
    assert health(board) == (1, f"gatehouse-health: bad slot A version 1: {reason}")
    assert board.state() == TRIED
    assert board.asked()[-1] == "--no-block reboot"
    assert board.kept("confirmed-A") is None and board.kept("newest") is None


def test_a_gate_that_ended_too_often_is_not_waited_for(board):
    """Whoever starts the board anew for it waits for this verdict."""
    script = board.place / "upper/usr/lib/gatehouse/health"
    script.write_text(script.read_text().replace("patience=2", "patience=1000"))
    installed(board)
    board.gate(state="failed", text="")
    assert health(board) == (1, "gatehouse-health: bad slot A version 1: the gate is failed, ")
    assert (board.place / "run/gatehouse/falls-back").exists()


def test_what_was_good_before_is_not_given_up_for_broken_hardware(board):
    board.gate()
    assert health(board)[0] == 0
    board.boots(1, "A")
    board.change_state(BOOT_A_LEFT="2")
    board.gate(text="no controller")
    assert health(board) == (1, "gatehouse-health: bad slot A version 1: the gate is active, no controller")
    assert board.state() == GOOD
    assert "--no-block reboot" not in board.asked()


def test_another_version_in_the_slot_is_not_what_was_good_before(board):
    board.gate()
    assert health(board)[0] == 0
    board.boots(2, "A")
    board.change_state(BOOT_A_LEFT="2")
    board.gate(text="no controller")
    assert health(board)[0] == 1
    assert board.state() == TRIED and board.asked()[-1] == "--no-block reboot"


@pytest.mark.parametrize("text, before, words", [
    (EXPIRED, "closed:trust-expired ", "closed: trust-expired"), (SCREEN, "no-screen ", "no screen"), (LAMPS, "no-screen no-lamps ", "no lamps"),
    (DOOR, "no-door ", "no door"),
    ("controller up; no screen; no lamps; closed: no-trust; trust ends in 6 days", "no-lamps closed:no-trust no-screen", "no screen; no lamps; closed: no-trust"),
    ("controller up; closed: no-trust, log-full", "closed:log-full closed:no-trust", "closed: no-trust; closed: log-full"),
])
def test_what_ailed_the_version_before_is_not_the_slots_fault(board, text, before, words):
    """The slot is confirmed, the word is bad all the same, and nothing starts anew."""
    installed(board, before)
    board.gate(text=text)
    assert health(board) == (1, f"gatehouse-health: bad slot A version 1: {words}")
    assert board.state() == GOOD and board.kept("confirmed-A") == "1" and board.kept("newest") == "1" and board.kept("trial") is None
    assert "--no-block reboot" not in board.asked()


def test_one_cause_more_than_before_is(board):
    installed(board, "closed:trust-expired")
    board.gate(text=EXPIRED + ", record-failing; trust ends in 6 days")
    assert health(board)[0] == 1
    assert board.state() == TRIED and board.asked()[-1] == "--no-block reboot"


def test_another_cause_than_before_is(board):
    installed(board, "closed:trust-expired")
    board.gate(text="controller up; lamps up; closed: record-failing")
    assert health(board)[0] == 1
    assert board.state() == TRIED and board.asked()[-1] == "--no-block reboot"


def forgets_the_time(board) -> None:
    """The start with the new version: year 2000, and the bundle says to reject then."""
    (board.place / "run/gatehouse-no-clock").touch()
    board.gate(text=IN_DOUBT, parts="bad trust: clock-in-doubt: set the clock\nwell visit: ok\n", code=1)


@pytest.mark.parametrize("before", ["no-clock ", "no-screen no-clock ", "closed:clock-in-doubt no-clock ", "closed:clock-in-doubt "])
def test_a_board_without_a_clock_has_lost_the_time_by_being_started_anew(board, before):
    """A network or a stick had set it, and the network's client waits for the word on the slot."""
    installed(board, before)
    forgets_the_time(board)
    assert health(board) == (1, "gatehouse-health: bad slot A version 1: closed: clock-in-doubt")
    assert board.state() == GOOD and board.kept("confirmed-A") == "1" and board.kept("trial") is None
    assert "--no-block reboot" not in board.asked()


@pytest.mark.parametrize("before", ["", "no-screen ", "xno-clock no-clockx "])
def test_a_version_that_lacks_the_clocks_driver_is_bad(board, before):
    """The board had a clock with the version before, or that one is too old to have said."""
    installed(board, before)
    forgets_the_time(board)
    assert health(board) == (1, f"gatehouse-health: bad slot A version 1: the gate is active, {IN_DOUBT}")
    assert board.state() == TRIED and board.asked()[-1] == "--no-block reboot"


def test_a_clock_that_is_there_now_and_in_doubt_is_news(board):
    installed(board, "no-clock ")
    board.gate(text=IN_DOUBT)
    assert health(board)[0] == 1
    assert board.state() == TRIED and board.asked()[-1] == "--no-block reboot"


@pytest.mark.parametrize("text", [IN_DOUBT + ", trust-expired", EXPIRED, "controller up; no screen; lamps up; closed: clock-in-doubt"])
def test_a_board_without_a_clock_is_no_excuse_for_anything_else(board, text):
    installed(board, "no-clock ")
    forgets_the_time(board)
    board.gate(text=text)
    assert health(board) == (1, f"gatehouse-health: bad slot A version 1: the gate is active, {text}")
    assert board.state() == TRIED and board.asked()[-1] == "--no-block reboot"


def test_a_self_test_that_finds_more_than_the_clock_is_bad(board):
    installed(board, "no-clock ")
    forgets_the_time(board)
    board.gate(text=IN_DOUBT, parts="bad trust: clock-in-doubt: set the clock\nbad visit: wrongly-accepted\n", code=1)
    assert health(board)[0] == 1
    assert board.state() == TRIED and board.asked()[-1] == "--no-block reboot"


@pytest.mark.parametrize("had", [False, True])
@pytest.mark.parametrize("has", [False, True])
def test_an_installation_notes_that_the_board_was_started_without_a_clock(board, second, had, has):
    """The whole way: written while the time was right, started without it."""
    no_clock = board.place / "run/gatehouse-no-clock"
    board.change_state(BOOT_A_LEFT="3")
    board.gate(text=SCREEN)
    if not had:
        no_clock.touch()
    assert board.install(second)[0] == 0
    assert board.kept("trial").splitlines()[1].split() == ["no-screen"] + ["no-clock"] * (not had)
    board.keep("confirmed-A", "1")
    board.boots(2, "B")
    board.change_state(BOOT_B_LEFT="2")
    board.write("boot-a", bytes(510) + b"\x55\xaa")
    if not has:
        no_clock.touch()
    board.gate(text=IN_DOUBT)
    assert health(board)[0] == 1
    assert board.state()["BOOT_B_LEFT"] == ("2" if had or has else "3")


@pytest.mark.parametrize("apart, noted", [(None, True), (-86000, False), (86000, False), (-90000, True), (90000, True), ("x", True)])
def test_a_battery_that_was_changed_since_the_start_is_a_clock(board, second, apart, noted):
    """A version that loses that clock's driver is given up again."""
    board.change_state(BOOT_A_LEFT="3")
    board.gate()
    (board.place / "run/gatehouse-no-clock").touch()
    if apart is not None:
        clock = board.place / "upper/sys/class/rtc/rtc0/since_epoch"
        clock.parent.mkdir(parents=True)
        clock.write_text(f"{apart if isinstance(apart, str) else int(time.time()) + apart}\n")
    assert board.install(second)[0] == 0
    assert ("no-clock" in board.kept("trial").split()) == noted


@pytest.mark.parametrize("parts", ["bad trust: expired\nwell visit: ok\n", "bad faces: no-camera: faces are to be compared\nwell visit: ok\n", "bad closed: trust-expired\n"])
def test_a_self_test_that_says_the_same_is_no_second_fault(board, parts):
    installed(board, "closed:trust-expired")
    board.gate(text=EXPIRED, parts=parts, code=1)
    assert health(board) == (1, "gatehouse-health: bad slot A version 1: closed: trust-expired")
    assert board.state() == GOOD


def test_a_self_test_that_says_more_is(board):
    installed(board, "closed:trust-expired")
    board.gate(text=EXPIRED, parts="bad trust: expired\nbad visit: wrongly-accepted\n", code=1)
    assert health(board)[0] == 1
    assert board.state() == TRIED and board.asked()[-1] == "--no-block reboot"


@pytest.mark.parametrize("text", [EXPIRED, SCREEN, "controller up; screen up; lamps up; closed: no-trust"])
def test_a_delivered_image_is_confirmed_and_says_what_it_lacks(board, text):
    """Nothing was before: no slot to fall back to, nothing to compare with."""
    (board.place / "data/update/confirmed-B").unlink()
    board.write("boot-b", bytes(512))
    board.gate(text=text)
    code, said = health(board)
    assert code == 1 and said.startswith("gatehouse-health: bad slot A version 1: ")
    assert board.state() == GOOD and board.kept("confirmed-A") == "1"
    assert "--no-block reboot" not in board.asked()


def test_without_a_slot_to_fall_back_to_nothing_starts_anew(board):
    (board.place / "data/update/confirmed-B").unlink()
    board.gate(text="no controller")
    assert health(board) == (1, "gatehouse-health: bad slot A version 1: the gate is active, no controller")
    assert board.state() == GOOD and board.kept("confirmed-A") is None
    assert "--no-block reboot" not in board.asked()


def test_the_word_is_kept_where_everybody_can_read_it(board):
    board.gate(text=EXPIRED)
    health(board)
    path = board.place / "run/gatehouse-health"
    assert path.read_text() == "bad slot A version 1: closed: trust-expired\n"
    assert path.stat().st_mode & 0o777 == 0o644


def test_where_no_try_can_be_counted_nothing_starts_anew(board):
    """A card that has become read-only: starting anew would lead to the same slot for ever."""
    installed(board)
    board.gate(text="no controller")
    loop = f"/dev/{board.loops['bootstate']}"
    subprocess.run(["blockdev", "--setro", loop], check=True)
    try:
        assert health(board) == (1, "gatehouse-health: bad slot A version 1: the gate is active, no controller")
    finally:
        subprocess.run(["blockdev", "--setrw", loop], check=True)
    assert "--no-block reboot" not in board.asked()


def test_an_installation_forgets_what_was_good_in_its_slot(board, second):
    board.change_state(BOOT_A_LEFT="3")
    board.keep("confirmed-B", "2")
    assert board.install(second)[0] == 0
    assert board.kept("confirmed-B") is None


def test_a_slot_that_can_keep_nothing_gives_way_to_one_that_may(board):
    board.gate()
    command = "mount -t tmpfs tmpfs /data && mkdir /data/update && /usr/lib/gatehouse/health"
    code, _ = board.run("sh", "-c", command)
    assert (code, board.console()[-1]) == (1, "gatehouse-health: bad slot A version 1: data: the partition cannot be used, nothing is kept")
    assert board.state() == TRIED and board.asked()[-1] == "--no-block reboot"


@pytest.mark.parametrize("other", ["used up", "never written"])
def test_where_there_is_no_other_it_is_the_disk(board, other):
    board.gate()
    if other == "used up":
        board.change_state(BOOT_B_LEFT="0")
    else:
        board.write("boot-b", bytes(512))
    code, _ = board.run("sh", "-c", "mount -t tmpfs tmpfs /data && mkdir /data/update && /usr/lib/gatehouse/health")
    assert (code, board.console()[-1]) == (1, "gatehouse-health: bad slot A version 1: data: the partition cannot be used, nothing is kept")
    assert board.state()["BOOT_A_LEFT"] == "3" and "--no-block reboot" not in board.asked()
