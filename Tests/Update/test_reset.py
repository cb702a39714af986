"""An order to reset the gate on a USB stick: what has to come before it, and that nothing but a checked one gets that far."""
import re
import subprocess

import pytest

from lab import OVERLAY, PROGRAMS
from test_orders import HANGUP, SITE, copied, file, put_in  # noqa: F401 (a fixture)
from test_stick import stick

REBOOT = "--no-block reboot"


def taken(board, loop: str, *, code: int = 0, said: str = "factory reset 3 taken") -> None:
    """What the gate's own user makes of the order."""
    at = f"/run/gatehouse-stick-{loop.removeprefix('/dev/')}"
    (board.place / "run/reset").write_text(f"echo '{said}' >{at}/reset\nexit {code}\n")


def test_a_checked_order_is_taken_and_the_board_starts_anew(board, file):  # noqa: F811
    with stick(board, ("reset-all.cose", file)) as loop:
        name = loop.removeprefix("/dev/")
        taken(board, loop)
        assert put_in(board, loop, "reset reset-1.cose") == [
            f"restart gatehouse-orders@{name}.service", f"restart gatehouse-reset@{name}.service", HANGUP, REBOOT]
        assert copied(board) == ["reset-1.cose"]
        assert board.console()[-2:] == ["gatehouse-trust: factory reset 3 taken", "gatehouse-trust: the board starts anew"]


@pytest.mark.parametrize("said", ["refused: too few signatures", "reset reset-9.cose", "reset ../../etc/passwd", "x reset reset-1.cose", "reset reset-1.cose x"])
def test_a_refused_order_starts_nothing(board, file, said):  # noqa: F811
    with stick(board, ("reset.cose", file)) as loop:
        taken(board, loop)
        assert put_in(board, loop, said)[1:] == []


def test_one_that_is_refused_when_it_is_taken_starts_nothing(board, file):  # noqa: F811
    with stick(board, ("reset.cose", file)) as loop:
        taken(board, loop, code=1, said="refused: number 3 already")
        asked = put_in(board, loop, "reset reset-1.cose", "site file 3 installed")
        assert REBOOT not in asked and asked[-1] == SITE, "what else it brought counts"
        assert board.console()[-1] == "gatehouse-trust: refused: number 3 already"


def test_a_copy_of_the_log_comes_first(board, file):  # noqa: F811
    with stick(board, ("reset.cose", file), ("export.cose", file)) as loop:
        name = loop.removeprefix("/dev/")
        taken(board, loop)
        asked = put_in(board, loop, "export export-1.cose", "reset reset-1.cose")
        assert asked[1:] == [f"restart gatehouse-export@{name}.service", f"restart gatehouse-reset@{name}.service", HANGUP, REBOOT]


@pytest.mark.parametrize("why", ["failed", "refused"])
def test_where_there_is_no_copy_nothing_is_reset(board, file, why):  # noqa: F811
    with stick(board, ("reset.cose", file), ("export.cose", file)) as loop:
        taken(board, loop)
        if why == "failed":
            (board.place / "run/no-export").touch()
        asked = put_in(board, loop, "export export-1.cose" if why == "failed" else "refused: number 1 already", "reset reset-1.cose")
        assert not [line for line in asked if "reset@" in line or line == REBOOT], asked
        assert board.console()[-1] == "gatehouse-trust: the audit log was not copied, so nothing is reset"


def test_an_order_to_reset_is_looked_at_last_and_not_taken(tmp_path):
    program, folder = tmp_path / "gatehouse", tmp_path / "offers"
    program.write_text(f'#!/bin/sh\necho "$*" >>{tmp_path}/offered\n[ "$1" != reset ] || [ "$2" != {folder}/reset-2.cose ]\n')
    program.chmod(0o755)
    folder.mkdir()
    for name in ("reset-1.cose", "reset-2.cose", "export-1.cose", "site-1.cose"):
        (folder / name).write_bytes(b"x")
    script = (OVERLAY / PROGRAMS / "orders").read_text().replace("/usr/bin/gatehouse", str(program))
    done = subprocess.run(["sh", "-c", script, "orders", folder], check=True, capture_output=True, text=True)
    offered = (tmp_path / "offered").read_text().splitlines()
    assert [line.split()[0] for line in offered] == ["site", "audit", "reset", "reset"]
    assert all(" --check " in line for line in offered if line.startswith("reset "))
    assert "reset reset-1.cose" in done.stdout.splitlines() and "reset reset-2.cose" not in done.stdout


def test_the_one_that_was_checked_is_taken(tmp_path):
    program, folder = tmp_path / "gatehouse", tmp_path / "stick"
    program.write_text('#!/bin/sh\necho "$*"\n')
    program.chmod(0o755)
    folder.mkdir()
    script = (OVERLAY / PROGRAMS / "reset").read_text().replace("/usr/bin/gatehouse", str(program))
    run = lambda said: subprocess.run(["sh", "-c", script, "reset", folder], input=said, capture_output=True, text=True)
    for said in ("", "reset reset-9.cose\n", "reset reset-1.cosexx\n", "site file 3 installed\n"):
        assert run(said).returncode == 1 and run(said).stdout == ""
    done = run("bundle 2 installed\nreset reset-2.cose\nreset reset-3.cose\n")
    assert done.returncode == 0 and re.fullmatch(rf"reset {folder}/reset-2\.cose --root /etc/gatehouse/root\.json --into /var/lib/gatehouse/trust\n", done.stdout), done
