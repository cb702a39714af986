"""What root does as the site file says: only lines that look as they must, whoever wrote them."""
import pytest

from lab import PROGRAMS

SCRIPT = f"{PROGRAMS}/settings"
CONF = "gatehouse-hawkbit.conf"


@pytest.fixture
def board(board):
    (board.place / "run/gatehouse-settings").mkdir()
    (board.place / "run/gatehouse-settings/id").write_text("gate-17\n")
    return board


def applied(board, shown: str) -> str | None:
    (board.place / "run/gatehouse-settings.shown").write_text(shown)
    code, said = board.run(f"/{SCRIPT}", "apply")
    assert code == 0, said
    conf = board.place / "run" / CONF
    return conf.read_text() if conf.exists() else None


def test_the_update_server_and_the_gates_id(board):
    assert applied(board, "update url=https://u.example\nupdate targetToken=abc\nupdate poll=60\n") == "URL=https://u.example\nTARGET_TOKEN=abc\nPOLL=60\nID=gate-17\n"
    assert board.asked()[-1] == "--no-block restart gatehouse-hawkbit.service"
    assert (board.place / "run" / CONF).stat().st_mode & 0o777 == 0o600


def test_an_id_of_its_own_stays(board):
    assert applied(board, "update url=https://u.example\nupdate id=front\n") == "URL=https://u.example\nID=front\n"


def test_without_a_server_the_one_before_goes(board):
    applied(board, "update url=https://u.example\n")
    assert applied(board, "") is None
    assert board.asked()[-1] == "--no-block stop gatehouse-hawkbit.service"


@pytest.mark.parametrize("line", [
    "update url=$(reboot)", 'update url=https://u.example"; x', "update url=", "update other=1", "url=https://u.example", "update url=" + "a" * 600, "xupdate url=a"])
def test_other_lines_have_no_effect(board, line):
    assert applied(board, line + "\n") is None


def test_a_wish_that_the_image_cannot_fulfil_is_named(board):
    applied(board, "timeSync true\n")
    assert "gatehouse-settings: the site file wants the clock set by a network, which this image cannot do" in board.console()
