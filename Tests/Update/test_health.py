"""The health check: what confirms a slot, what starts it anew, and what is remembered."""
import pytest

TRIED = {"BOOT_ORDER": "A B", "BOOT_A_LEFT": "2", "BOOT_B_LEFT": "3"}
GOOD = {**TRIED, "BOOT_A_LEFT": "3"}


@pytest.fixture
def board(board):
    # As the boot loader leaves it: one try taken.
    board.change_state(BOOT_A_LEFT="2")
    # Nobody waits three minutes for what a test knows is not coming.
    script = board.place / "upper/usr/lib/gatehouse/health"
    script.write_text(script.read_text().replace("patience=180", "patience=2"))
    return board


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


def test_a_gate_without_a_trust_bundle_is_good_and_says_so(board):
    board.gate(state="activating", text="", parts="none trust: no bundle was ever installed\nwell visit: ok\n")
    assert health(board) == (0, "gatehouse-health: good slot A version 1, no trust bundle yet")
    assert board.state() == GOOD


BAD = {
    "the gate does not start": (dict(state="activating", text=""), "controller: the gate is activating, "),
    "no controller": (dict(text="no controller"), "controller: the gate is active, no controller"),
    "no screen": (dict(text="controller up; no screen; lamps up"), "controller: the gate is active, controller up; no screen; lamps up"),
    "no lamps": (dict(text="controller up; screen up; no lamps"), "controller: the gate is active, controller up; screen up; no lamps"),
    "nobody can enter": (dict(text="controller up; lamps up; closed: trust-expired"),
                         "controller: the gate is active, controller up; lamps up; closed: trust-expired"),
    "the gate has just started again": (dict(since=1 << 62), "controller: the gate is active, controller up; screen up; lamps up"),
    "a visit fails": (dict(parts="well trust: 1 issuers\nbad visit: wrongly-accepted\n", code=1), "visit: wrongly-accepted"),
    "the matcher is broken": (dict(parts="bad faces: matcher-failed\nwell visit: ok\n", code=1), "faces: matcher-failed"),
    "the self-test crashes": (dict(parts="", code=1), "self-test: it did not end well"),
}


@pytest.mark.parametrize("case", BAD)
def test_a_bad_slot_starts_anew_with_its_tries_counting(board, case):
    told, reason = BAD[case]
    board.gate(**told)
    assert health(board) == (1, f"gatehouse-health: bad slot A version 1: {reason}")
    assert board.state() == TRIED
    assert board.asked()[-1] == "--no-block reboot"
    assert board.kept("confirmed-A") is None and board.kept("newest") is None


def test_what_was_good_before_is_not_given_up_for_broken_hardware(board):
    board.gate()
    assert health(board)[0] == 0
    board.boots(1, "A")
    board.change_state(BOOT_A_LEFT="2")
    board.gate(text="no controller")
    assert health(board) == (1, "gatehouse-health: bad slot A version 1: controller: the gate is active, no controller")
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


def test_an_installation_forgets_what_was_good_in_its_slot(board, second):
    board.change_state(BOOT_A_LEFT="3")
    board.keep("confirmed-B", "2")
    assert board.install(second)[0] == 0
    assert board.kept("confirmed-B") is None


def test_a_slot_that_can_keep_nothing_gives_way_to_one_that_may(board):
    board.gate()
    command = "mount -t tmpfs tmpfs /data && mkdir /data/update && /usr/lib/gatehouse/health"
    code, _ = board.run("sh", "-c", command)
    assert (code, board.console()[-1]) == (1, "gatehouse-health: bad slot A version 1: data: the partition cannot be used")
    assert board.state() == TRIED
    # There is no other: then it is the disk.
    board.change_state(BOOT_B_LEFT="0")
    code, _ = board.run("sh", "-c", command)
    assert (code, board.console()[-1]) == (0, "gatehouse-health: good slot A version 1, nothing can be kept")
