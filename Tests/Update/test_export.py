"""The audit log on a stick: the one time that a stick is written, when whoever may order it did."""
import subprocess

import pytest

from lab import PROGRAMS
from test_orders import copied, file, put_in  # noqa: F401 (a fixture)
from test_stick import is_read_only, stick

# What stands for the gate's program: it leaves a folder, as the user that owns what is on the stick.
PROGRAM = """#!/bin/sh
echo "$*" >>/run/program
while [ "$1" != --into ]; do shift; done
stat -c '%u %a' "$2" >>/run/program
mkdir "$2/gatehouse-7" && echo copy >"$2/gatehouse-7/audit-00000001.jsonl"
echo '1 segment exported, up to 1, digest 00'
"""


def export(board, loop: str) -> tuple[int, str]:
    return board.run(f"/{PROGRAMS}/export", loop.removeprefix("/dev/"))


@pytest.fixture
def program(board):
    place = board.place / "upper/usr/bin/gatehouse"
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(PROGRAM)
    place.chmod(0o755)
    (board.place / "upper/etc/passwd").write_text("root:x:0:0::/:/bin/sh\ngatehouse:x:997:997::/:/bin/sh\n")
    (board.place / "upper/etc/group").write_text("root:x:0:\ngatehouse:x:997:\n")


def at(board, loop: str):
    folder = board.place / f"run/gatehouse-stick-{loop.removeprefix('/dev/')}"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def test_a_checked_order_starts_the_export(board, file):  # noqa: F811
    with stick(board, ("export-east.cose", file), ("export.cose", file)) as loop:
        name = loop.removeprefix("/dev/")
        asked = put_in(board, loop, "export export-1.cose")
        assert copied(board) == ["export-1.cose", "export-2.cose"]
        assert asked == [f"restart gatehouse-orders@{name}.service", f"restart gatehouse-export@{name}.service"]


@pytest.mark.parametrize("said", ["error: too few signatures", "export export-9.cose", "export ../../etc/passwd", "x export export-1.cose"])
def test_a_refused_order_writes_nothing(board, file, said):  # noqa: F811
    with stick(board, ("export.cose", file)) as loop:
        before = (board.place / "stick").read_bytes()
        assert [line for line in put_in(board, loop, said) if "export@" in line] == []
        assert (board.place / "stick").read_bytes() == before and is_read_only(loop)


def test_the_gates_user_writes_on_the_stick(board, program):
    with stick(board, kind="vfat") as loop:
        (at(board, loop) / "said").write_text("bundle 2 installed\nexport export-2.cose\n")
        subprocess.run(["blockdev", "--setro", loop], check=True)
        code, printed = export(board, loop)
        assert code == 0 and printed.splitlines()[-1] == "the stick can be pulled out", printed
        words, owner = (board.place / "run/program").read_text().splitlines()
        assert "audit export --user gatehouse --request /run/gatehouse-stick-" in words and "/export-2.cose --root /etc/gatehouse/root.json" in words
        assert owner == "997 700"
        assert is_read_only(loop)
        listed = subprocess.run(["mdir", "-b", "-i", str(board.place / "stick"), "::gatehouse-7"], capture_output=True, text=True, check=True).stdout
        assert listed.split() == ["::/gatehouse-7/audit-00000001.jsonl"]


@pytest.mark.parametrize("kind", ["ext4", "none"])
def test_nothing_but_vfat_is_written(board, program, kind):
    with stick(board, kind=kind) as loop:
        before = (board.place / "stick").read_bytes()
        (at(board, loop) / "said").write_text("export export-1.cose\n")
        code, printed = board.run("/usr/bin/env", "GATEHOUSE_TRIES=1", f"/{PROGRAMS}/export", loop.removeprefix("/dev/"))
        assert code == 1 and printed.splitlines() == ["the stick cannot be written: it has to have vfat, and no write protection"]
        assert (board.place / "stick").read_bytes() == before and is_read_only(loop) and not (board.place / "run/program").exists()


def test_without_an_order_nothing_is_mounted(board, program):
    with stick(board, kind="vfat") as loop:
        (at(board, loop) / "said").write_text("bundle 2 installed\n")
        assert export(board, loop)[0] == 1 and not (board.place / "run/program").exists()
