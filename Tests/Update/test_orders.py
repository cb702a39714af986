"""What is for the gate on a USB stick that somebody puts in: `stick` copies it, has it looked at, and does what came of it."""
import subprocess

import pytest

from lab import OVERLAY, PROGRAMS
from test_stick import is_read_only, stick

HANGUP = "kill --kill-whom=main --signal=HUP gatehouse.service"
SITE = "--no-block restart gatehouse.service gatehouse-settings.service"


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "any.cose"
    path.write_bytes(b"x" * 100)
    return path


def put_in(board, loop: str, *said: str, do: str = "") -> list[str]:
    """What systemd was asked, where whoever looks at the orders says this and does that."""
    at = f"/run/gatehouse-stick-{loop.removeprefix('/dev/')}"
    lines = "".join(f"echo '{line}'; " for line in said) or ":"
    (board.place / "run/orders").write_text(f"ls {at} >>/run/copied\n{{ {lines}; }} >{at}/said\n{do}\n".replace("; ;", ";"))
    before = len(board.asked())
    code, printed = board.run(f"/{PROGRAMS}/stick", loop.removeprefix("/dev/"))
    assert code == 0, printed
    return board.asked()[before:]


def copied(board) -> list[str]:
    return (board.place / "run/copied").read_text().split()


@pytest.mark.parametrize("kind", ["vfat", "ext4"])
def test_what_was_installed_reaches_the_running_gate(board, file, kind):
    with stick(board, ("trust-2.cose", file), kind=kind) as loop:
        before = (board.place / "stick").read_bytes()
        assert put_in(board, loop, "bundle 2 installed") == [f"restart gatehouse-orders@{loop.removeprefix('/dev/')}.service", HANGUP]
        assert copied(board) == ["trust-1.cose"] and board.console() == ["gatehouse-trust: bundle 2 installed"]
        assert (board.place / "stick").read_bytes() == before and is_read_only(loop), "the stick was written on"


@pytest.mark.parametrize("said", [(), ("error: not signed",), ("bundle 2 was installed already",), ("x bundle 2 installed",), ("bundle 2 installed or not",),
                                  ("bundle 3 is older", "clock is behind"), ("clock 123",)])
def test_what_was_refused_is_not_the_gates_concern(board, file, said):
    """A stick of garbage would have it read its trust again and again, while a visitor waits."""
    with stick(board, ("trust.cose", file)) as loop:
        assert put_in(board, loop, *said)[1:] == []


def test_a_time_is_set_before_the_gate_hears_of_it(board, file):
    with stick(board, ("time.cose", file)) as loop:
        assert put_in(board, loop, "clock 1800000000")[1:] == ["start gatehouse-set-clock@1800000000.service", HANGUP]


def test_a_clock_that_cannot_be_set_is_said(board, file):
    (board.place / "run/no-clock").touch()
    with stick(board, ("time.cose", file)) as loop:
        put_in(board, loop, "clock 1800000000")
        assert "gatehouse-trust: the clock could not be set, and this order is used up: it takes another one" in board.console()


def test_a_site_file_starts_the_gate_anew(board, file):
    with stick(board, ("site.cose", file)) as loop:
        assert put_in(board, loop, "bundle 2 installed", "site file 3 installed")[1:] == [SITE]


def test_no_more_than_so_many_files(board, file):
    with stick(board, *[(f"{kind}-{number}.cose", file) for kind in ("trust", "time", "site") for number in range(10)], ("other.cose", file)) as loop:
        put_in(board, loop)
        names = copied(board)
        assert [sum(name.startswith(kind) for name in names) for kind in ("trust", "time", "site", "other")] == [2, 8, 8, 0]


@pytest.mark.parametrize("kind", ["vfat", "ext4", "none"])
def test_a_stick_with_nothing_for_the_gate(board, second, kind):
    with stick(board, ("gatehouse-2.swu", second), kind=kind) as loop:
        assert put_in(board, loop) == []
        expected = [f"gatehouse-trust: the stick {loop.removeprefix('/dev/')} cannot be read: it has to have vfat or ext4"] if kind == "none" else []
        assert board.console() == expected


def test_another_stick_of_the_same_name_is_looked_at_too(board, file):
    """It came while the first one's orders were looked at: its unit was starting, so nothing starts it."""
    with stick(board, ("trust.cose", file)) as loop:
        number = board.place / "upper/sys/class/block" / loop.removeprefix("/dev/") / "diskseq"
        number.parent.mkdir(parents=True)
        number.write_text("1\n")
        asked = put_in(board, loop, "bundle 2 installed", do=f"echo 2 >/{number.relative_to(board.place / 'upper')}")
        assert [line for line in asked if "orders" in line] == [f"restart gatehouse-orders@{loop.removeprefix('/dev/')}.service"] * 2
        assert asked[-1] == HANGUP


def test_the_time_is_offered_before_what_may_wait_for_it(tmp_path):
    program, folder = tmp_path / "gatehouse", tmp_path / "offers"
    program.write_text(f'#!/bin/sh\necho "$1 $2 $(basename "$3")" >>{tmp_path}/offered\n')
    program.chmod(0o755)
    folder.mkdir()
    for name in ("trust-1.cose", "site-1.cose", "time-1.cose", "trust-2.cose"):
        (folder / name).write_bytes(b"x")
    script = (OVERLAY / PROGRAMS / "orders").read_text().replace("/usr/bin/gatehouse", str(program))
    subprocess.run(["sh", "-c", script, "orders", folder], check=True, capture_output=True)
    assert (tmp_path / "offered").read_text().splitlines() == [
        "time set time-1.cose", "trust install trust-1.cose", "trust install trust-2.cose", "site install site-1.cose"]
