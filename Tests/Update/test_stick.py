"""A USB stick that somebody puts in: its newest bundle is tried, and nothing else of it has an effect."""
import contextlib
import os
import shutil
import subprocess

import pytest

from bundles import bundle
from test_update import NEXT, UNTOUCHED, has


@contextlib.contextmanager
def stick(board, *files, kind: str = "ext4", tune: tuple[str, ...] = ()):
    """A stick with these (name, file) in its top folder, and its file system changed by these words of tune2fs."""
    image, at = board.place / "stick", board.place / "at"
    at.mkdir(exist_ok=True)
    with image.open("wb") as file:
        file.truncate(64 << 20)
    make = {"vfat": ["mkfs.vfat"], "ext4": ["mkfs.ext4", "-q", "-F"]}.get(kind)
    if make and not shutil.which(make[0]):
        pytest.skip(f"there is no {make[0]}")
    if make:
        subprocess.run([*make, str(image)], check=True, capture_output=True)
        done = subprocess.run(["mount", "-o", "loop", str(image), str(at)], capture_output=True, text=True)
        if "unknown filesystem" in done.stderr:
            pytest.skip(f"this kernel has no {kind}")
        assert done.returncode == 0, done.stderr
        for name, content in files:
            if callable(content):
                content(at / name)
            else:
                shutil.copy(content, at / name)
        subprocess.run(["umount", str(at)], check=True)
    if tune:
        subprocess.run(["tune2fs", *tune, str(image)], check=True, capture_output=True)
    loop = subprocess.run(["losetup", "--find", "--show", str(image)], capture_output=True, text=True, check=True).stdout.strip()
    board.loops["stick"] = loop.removeprefix("/dev/")
    yield loop
    # The board lets go of the others.


def is_read_only(loop: str) -> bool:
    """The device itself; what was mounted of it is gone with its name space."""
    return subprocess.run(["blockdev", "--getro", loop], capture_output=True, text=True, check=True).stdout == "1\n"


def put_in(board, loop: str) -> int:
    # The stick's name space, as the unit has it.
    return board.run("/usr/lib/gatehouse/update-stick", loop)[0]


@pytest.mark.parametrize("kind", ["vfat", "ext4"])
def test_a_bundle_on_a_stick_is_installed_and_the_gate_starts_anew(board, second, slots, kind):
    with stick(board, ("gatehouse-test-board-2.swu", second), kind=kind) as loop:
        before = open(board.place / "stick", "rb").read()
        assert put_in(board, loop) == 0
        assert board.state() == NEXT and has(board, slots[2])
        assert "--no-block reboot" in board.asked()
        assert "gatehouse-update: stick has gatehouse-test-board-2.swu" in board.console()
        assert open(board.place / "stick", "rb").read() == before, "the stick was written on"


def test_of_several_the_newest_is_tried(board, second, slots, keys, tmp_path):
    third = bundle(slots[3], tmp_path / "3.swu", keys)
    fifth = bundle(slots[5], tmp_path / "5.swu", keys)
    with stick(board, ("gatehouse-2.swu", second), ("gatehouse-10.swu", fifth), ("gatehouse-9.swu", third)) as loop:
        assert put_in(board, loop) == 0
        assert has(board, slots[5])


def test_a_stick_that_stays_in_does_nothing_twice(board, second):
    board.boots(2, "A")
    with stick(board, ("gatehouse-2.swu", second)) as loop:
        assert put_in(board, loop) == 1
        assert board.console()[-1] == "gatehouse-update: refused: older-version"
        assert board.state() == UNTOUCHED and "--no-block reboot" not in board.asked()


@pytest.mark.parametrize("name", ["update.swu", "gatehouse-.swu", "gatehouse-0.swu", "gatehouse-2.swu.bak", "Gatehouse 2.swu", "gatehouse-$(reboot)-2.swu", "-2.swu"])
def test_other_files_are_passed_over(board, second, name):
    with stick(board, (name, second)) as loop:
        assert put_in(board, loop) == 0
        assert board.console() == [] and board.state() == UNTOUCHED


def test_a_stick_without_a_file_system(board):
    with stick(board, kind="none") as loop:
        assert put_in(board, loop) == 0
        assert board.console() == [] and board.state() == UNTOUCHED


@pytest.mark.parametrize("make", [
    lambda path: path.mkdir(), lambda path: path.symlink_to("/etc/gatehouse/update.pem"), lambda path: path.symlink_to("/dev/zero"), lambda path: os.mkfifo(path),
], ids=["folder", "link", "link to a device", "pipe"])
def test_what_only_has_the_name_of_a_bundle(board, make):
    with stick(board, ("gatehouse-2.swu", make), kind="ext4") as loop:
        assert put_in(board, loop) == 1
        assert board.state() == UNTOUCHED
        assert board.console()[-1] in ("gatehouse-update: refused: unreadable", "gatehouse-update: refused: not-a-bundle")


# What a stick's file system may ask the kernel for: its whole end at the first error.
PANICS = [("-e", "panic"), ("-E", "mount_opts=errors=panic"), ("-e", "panic", "-E", "mount_opts=errors=panic")]


@pytest.mark.parametrize("tune", PANICS, ids=" ".join)
def test_a_stick_does_not_say_what_the_kernel_does_with_an_error(board, second, tune):
    with stick(board, ("gatehouse-2.swu", second), tune=tune) as loop:
        recorder = f"#!/bin/sh\ncat /proc/fs/ext4/{loop.removeprefix('/dev/')}/options >/run/options\n"
        (board.place / "upper/usr/lib/gatehouse/update").write_text(recorder)
        assert put_in(board, loop) == 0
        assert {"ro", "errors=continue"} <= set((board.place / "run/options").read_text().split()) and is_read_only(loop)
