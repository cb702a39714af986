"""Bundles, installed and refused, by the image's own scripts and trixie's SWUpdate. What must never be: a slot the boot loader may take, and whose
images are not exactly those of a bundle that our key signed, newer than what was good."""
import functools
import http.server
import shutil
import threading
import time

import pytest

from bundles import bundle, changed, described, make_keys, member, without

UNTOUCHED = {"BOOT_ORDER": "A B", "BOOT_A_LEFT": "3", "BOOT_B_LEFT": "3"}
CLOSED = {**UNTOUCHED, "BOOT_B_LEFT": "0"}
NEXT = {**UNTOUCHED, "BOOT_ORDER": "B A"}


def has(board, slot, where="b") -> bool:
    return board.read(f"boot-{where}", len(slot.boot)) == slot.boot and board.read(f"root-{where}", len(slot.root)) == slot.root


def write(tmp_path, octets: bytes):
    path = tmp_path / "changed.swu"
    path.write_bytes(octets)
    return path


# MARK: installed

def test_a_good_bundle_becomes_the_next_slot(board, second, slots):
    code, said = board.install(second)
    assert (code, said) == (0, "gatehouse-update: slot B is next")
    assert board.state() == NEXT
    assert has(board, slots[2])
    assert "gatehouse-update: slot B is next" in board.console()
    assert not any("reboot" in asked for asked in board.asked())


def test_from_slot_b_it_goes_to_a(board, second, slots):
    board.boots(1, "B")
    board.change_state(BOOT_ORDER="B A")
    assert board.install(second) == (0, "gatehouse-update: slot A is next")
    assert board.state() == {**UNTOUCHED, "BOOT_ORDER": "A B"}
    assert has(board, slots[2], "a")


def test_again_before_the_restart_takes_the_newer_one(board, second, slots, keys, tmp_path):
    assert board.install(second)[0] == 0
    assert board.install(bundle(slots[3], tmp_path / "3.swu", keys))[0] == 0
    assert board.state() == NEXT
    assert has(board, slots[3])


def test_restarts_only_when_asked_to(board, second):
    assert board.install(second, "--restart")[0] == 0
    assert "--no-block reboot" in board.asked()


def test_a_signing_command_is_as_good_as_a_key_file(board, slots, keys, tmp_path):
    sign = f"openssl cms -sign -signer {keys}/signer.crt -inkey {keys}/signer.key -md sha256 -outform DER -nosmimecap -binary"
    assert board.install(bundle(slots[2], tmp_path / "2.swu", tmp_path, SIGN=sign))[0] == 0


# MARK: from a server

@pytest.fixture
def server(second, tmp_path):
    shutil.copy(second, tmp_path / "second.swu")
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=tmp_path)
    handler.log_message = lambda *_: None
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def test_a_bundle_from_a_server(board, server, second, slots):
    assert board.install(f"{server}/{second.name}") == (0, "gatehouse-update: slot B is next")
    assert board.state() == NEXT and has(board, slots[2])


@pytest.mark.parametrize("name, reason, state", [("root.img", "tampered", "closed"), ("sw-description", "tampered", "untouched")])
def test_a_bundle_that_was_changed_on_its_way(board, server, second, tmp_path, name, reason, state):
    (tmp_path / "changed.swu").write_bytes(changed(second.read_bytes(), name, 900))
    assert board.install(f"{server}/changed.swu") == (1, f"gatehouse-update: refused: {reason}")
    assert board.state() == (CLOSED if state == "closed" else UNTOUCHED)


def test_a_server_without_the_bundle(board, server):
    assert board.install(f"{server}/absent.swu") == (1, "gatehouse-update: refused: unreachable")
    assert board.state() == UNTOUCHED


def test_no_server(board):
    assert board.install("http://127.0.0.1:9/absent.swu") == (1, "gatehouse-update: refused: unreachable")
    assert board.state() == UNTOUCHED


@pytest.mark.parametrize("url", ["http://a/b c", "http://a/$(reboot)", "http://a/'", "http://a/\nb", 'http://a/"'])
def test_an_address_that_is_none(board, url):
    assert board.run("/usr/lib/gatehouse/update", url)[0] == 1
    assert board.state() == UNTOUCHED


# MARK: refused before anything is written

REFUSED = {
    "no signature": ("not-signed", lambda octets: without(octets, "sw-description.sig")),
    "another version written in, sum corrected": ("tampered", lambda octets: described(octets, b'version = "2"', b'version = "9"')),
    "another target written in, sum corrected": ("tampered", lambda octets: described(octets, b"gatehouse/root-b", b"gatehouse/root-a")),
    "a bit of the signature": ("tampered", lambda octets: changed(octets, "sw-description.sig", member(octets, "sw-description.sig")[2] - 5)),
    "not a bundle": ("not-a-bundle", lambda octets: b"x" * 5000),
    "an empty file": ("not-a-bundle", lambda octets: b""),
    "cut after the description": ("truncated", lambda octets: octets[:2500]),
    "cut in half": ("truncated", lambda octets: octets[:len(octets) // 2]),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused(board, second, tmp_path, case):
    reason, change = REFUSED[case]
    assert board.install(write(tmp_path, change(second.read_bytes()))) == (1, f"gatehouse-update: refused: {reason}")
    assert board.state() == UNTOUCHED
    assert not any(board.read("boot-b")) and not any(board.read("root-b")) and not any(board.read("boot-a"))
    assert f"gatehouse-update: refused: {reason}" in board.console()


def test_a_description_without_end_fills_no_memory(board, second, tmp_path):
    octets = second.read_bytes()
    path = tmp_path / "huge.swu"
    with path.open("wb") as file:
        file.write(octets[:54] + b"%08X" % (400 << 20) + octets[62:])
        file.seek(450 << 20)
        file.write(octets[-1024:])
    code, said = board.install(path)
    assert code == 1 and said.startswith("gatehouse-update: refused: ")
    assert board.state() == UNTOUCHED
    assert sum(one.stat().st_size for one in (board.place / "run").rglob("*") if one.is_file()) < 1 << 20
    assert board.install(second)[0] == 0


def test_refused_with_another_key(board, slots, tmp_path):
    others = bundle(slots[2], tmp_path / "2.swu", make_keys(tmp_path / "others"))
    assert board.install(others) == (1, "gatehouse-update: refused: wrong-key")
    assert board.state() == UNTOUCHED


def test_refused_for_another_board(board, slots, keys, tmp_path):
    others = bundle(slots[2], tmp_path / "2.swu", keys, board="other-board")
    assert board.install(others) == (1, "gatehouse-update: refused: wrong-board")
    assert board.state() == UNTOUCHED


def test_refused_while_nobody_confirmed_the_running_slot(board, second):
    board.change_state(BOOT_A_LEFT="2")
    assert board.install(second) == (1, "gatehouse-update: refused: not-confirmed")
    assert board.state() == {**UNTOUCHED, "BOOT_A_LEFT": "2"}


def test_refused_where_there_is_no_room(board, second):
    board.loops["root-b"], board.loops["bootstate"] = board.loops["bootstate"], board.loops["root-b"]
    # Root B is the small partition now, and the boot state lies in the large one.
    board.write_state(**UNTOUCHED)
    assert board.install(second) == (1, "gatehouse-update: refused: no-space")
    assert board.state() == UNTOUCHED


def test_refused_while_another_installs(board, second):
    # The shell has the lock, and stays.
    code, said = board.run("sh", "-c", ". /usr/lib/gatehouse/slots; lock $$; /usr/lib/gatehouse/update /mnt/bundle.swu; exit $?")
    assert code == 1 and said.strip() == "gatehouse-update: refused: busy"
    assert board.state() == UNTOUCHED
    # It is gone now.
    assert board.install(second)[0] == 0


def test_what_a_dead_installer_left_is_no_lock(board, second):
    (board.place / "run/gatehouse").mkdir()
    (board.place / "run/gatehouse/lock").symlink_to("99999:5")
    assert board.install(second)[0] == 0
    assert not (board.place / "run/gatehouse/lock").is_symlink()


def test_a_lock_that_another_took_in_the_same_moment_is_left_alone(board):
    # Both find the old one dead; the other is done with it before this one begins.
    script = """
        . /usr/lib/gatehouse/slots
        mkdir -p $run && ln -s 99999:5 $run/lock
        readlink() { busybox readlink "$@"; [ -e /run/moment ] || { : > /run/moment; ln -sfn 1:7 $run/lock; }; }
        lock $$ && echo taken
        busybox readlink $run/lock*
    """
    assert board.run("sh", "-c", script) == (0, "1:7\n")


# MARK: versions

def test_refused_when_it_is_not_newer(board, slots, keys, tmp_path):
    board.boots(2, "A")
    for version in (1, 2):
        older = bundle(slots[version], tmp_path / f"{version}.swu", keys)
        assert board.install(older) == (1, "gatehouse-update: refused: older-version")
        assert board.state() == UNTOUCHED


def test_refused_when_something_newer_was_good_here(board, slots, keys, tmp_path):
    board.keep("newest", "4")
    assert board.install(bundle(slots[3], tmp_path / "3.swu", keys)) == (1, "gatehouse-update: refused: older-version")
    assert board.install(bundle(slots[5], tmp_path / "5.swu", keys))[0] == 0


@pytest.mark.parametrize("damaged", ["", "four", "-4", "4 5", "99999999999999999999"])
def test_a_damaged_note_of_the_newest_leaves_the_running_one(board, slots, keys, tmp_path, damaged):
    board.boots(2, "A")
    board.keep("newest", damaged)
    assert board.install(bundle(slots[1], tmp_path / "1.swu", keys)) == (1, "gatehouse-update: refused: older-version")
    assert board.install(bundle(slots[3], tmp_path / "3.swu", keys))[0] == 0


def test_a_downgrade_is_signed_for(board, slots, keys, tmp_path):
    board.boots(3, "A")
    board.keep("newest", "3")
    back = bundle(slots[2], tmp_path / "2.swu", keys, DOWNGRADE_FROM="3")
    assert board.install(back) == (0, "gatehouse-update: slot B is next")
    assert board.state() == NEXT and has(board, slots[2])


def test_a_downgrade_is_worth_nothing_once_something_newer_was_good(board, slots, keys, tmp_path):
    board.boots(5, "A")
    back = bundle(slots[2], tmp_path / "2.swu", keys, DOWNGRADE_FROM="3")
    assert board.install(back) == (1, "gatehouse-update: refused: older-version")
    # Nor does it help to go back by hand first: what was good once is remembered.
    board.boots(1, "A")
    board.keep("newest", "5")
    assert board.install(back) == (1, "gatehouse-update: refused: older-version")


def test_a_downgrade_that_nobody_signed_for(board, slots, keys, tmp_path):
    board.boots(3, "A")
    plain = bundle(slots[2], tmp_path / "2.swu", keys).read_bytes()
    forged = described(plain, b'boot-size = "2097152";', b'downgrade-from = "9"; ')
    assert board.install(write(tmp_path, forged)) == (1, "gatehouse-update: refused: tampered")


# MARK: refused while it is written: the slot stays closed

def test_a_bit_of_the_root(board, second, tmp_path):
    code, said = board.install(write(tmp_path, changed(second.read_bytes(), "root.img", 1_000_000)))
    assert (code, said) == (1, "gatehouse-update: refused: tampered")
    assert board.state() == CLOSED
    assert not any(board.read("boot-b"))


def test_a_bit_of_the_boot_image_is_found_before_it_is_written(board, second, tmp_path):
    code, said = board.install(write(tmp_path, changed(second.read_bytes(), "boot.img.zst", 50_000)))
    assert (code, said) == (1, "gatehouse-update: refused: tampered")
    assert board.state() == CLOSED
    assert not any(board.read("boot-b"))


def test_a_missing_image(board, second, tmp_path):
    assert board.install(write(tmp_path, without(second.read_bytes(), "boot.img.zst")))[0] == 1
    assert board.state() == CLOSED
    assert not any(board.read("boot-b"))


def test_a_refused_bundle_leaves_the_older_slot_closed(board, second, slots, tmp_path):
    """The slot before this one is overwritten, so what it had is no longer there to fall back on: nor may it be tried."""
    board.write("boot-b", slots[1].boot)
    board.write("root-b", slots[1].root)
    assert board.install(write(tmp_path, changed(second.read_bytes(), "root.img", 6_000_000)))[0] == 1
    assert board.state() == CLOSED
    assert not any(board.read("boot-b", 1 << 20))
    assert board.install(second)[0] == 0


def test_a_disk_that_keeps_something_else_is_found_out(board, second, slots):
    """What SWUpdate wrote is read back before the slot is opened."""
    fault = board.place / "upper/applets/swupdate"
    fault.write_text(
        '#!/bin/sh\n/usr/bin/swupdate "$@" || exit 1\nprintf x | dd of=/dev/gatehouse/root-b bs=1 seek=1000000 conv=notrunc\n')
    fault.chmod(0o755)
    assert board.install(second) == (1, "gatehouse-update: refused: written-wrong")
    assert board.state() == CLOSED


# MARK: power cuts

CUTS = 30


def test_cut_at_any_moment_the_slot_is_whole_or_closed(board, second, slots):
    """Killed at many moments of an installation: the boot loader may have slot B only with the whole of version 2 in it, and slot A always."""
    shutil.copy(second, board.place / "outside" / "bundle.swu")
    began = time.monotonic()
    assert board.run("/usr/lib/gatehouse/update", "/mnt/bundle.swu")[0] == 0
    whole = time.monotonic() - began
    seen = set()
    for cut in range(CUTS):
        board.write_state(**UNTOUCHED)
        board.write("boot-b", slots[1].boot)
        board.write("root-b", slots[1].root)
        board.boots(1, "A")
        process = board.start("/usr/lib/gatehouse/update", "/mnt/bundle.swu")
        time.sleep(whole * (cut + 1) / CUTS)
        process.kill()
        process.communicate()
        state = board.state()
        if state == UNTOUCHED:
            assert has(board, slots[1])
        elif state == CLOSED:
            # Not one that a boot loader could load either, unless the root it belongs to is whole.
            assert board.read("boot-b", 1 << 20) != slots[2].boot[:1 << 20] or board.read("root-b", len(slots[2].root)) == slots[2].root
        else:
            assert state == NEXT and has(board, slots[2])
        seen.add(tuple(state.items()))
    assert len(seen) >= 2, "the cuts were all before or all after the installation"
    board.boots(1, "A")
    assert board.run("/usr/lib/gatehouse/update", "/mnt/bundle.swu")[0] == 0
    assert board.state() == NEXT and has(board, slots[2])


def test_one_that_is_stopped_gives_its_memory_back(board, second):
    """A stick that is pulled out: systemd stops the script. What was in memory would stay there, 64 MiB a file."""
    command = "/usr/lib/gatehouse/update /mnt/bundle.swu & for n in $(seq 600); do [ -e /run/gatehouse/update/log ] && break; sleep 0.01; done; kill -TERM $!; wait $!; ls /run/gatehouse"
    shutil.copy(second, board.place / "outside" / "bundle.swu")
    code, said = board.run("sh", "-c", command)
    assert code == 0 and "gatehouse-update: installing" in said
    assert not (board.place / "run/gatehouse/update").exists() and not (board.place / "run/gatehouse/lock").is_symlink(), said


# MARK: what was tried and given up

def given_up(board) -> None:
    """The slot that was installed has used up its tries; the boot loader has taken the one from before, which the health check finds good."""
    board.boots(1, "A")
    board.change_state(BOOT_B_LEFT="0", BOOT_A_LEFT="2")
    board.gate()
    assert board.run("/usr/lib/gatehouse/health")[0] == 0


def test_what_was_tried_and_given_up_is_not_installed_again(board, second):
    assert board.install(second)[0] == 0
    given_up(board)
    assert "gatehouse-update: version 2 was tried in slot B and given up; it is not installed again (failed-before)" in board.console()
    before = board.read("root-b")
    for _ in range(2):
        assert board.install(second) == (1, "gatehouse-update: refused: failed-before")
        board.boots(1, "A")
    assert board.read("root-b") == before
    assert board.state() == {"BOOT_ORDER": "B A", "BOOT_A_LEFT": "3", "BOOT_B_LEFT": "0"}


def test_neither_is_another_bundle_of_that_version(board, second, slots, keys, tmp_path):
    assert board.install(second)[0] == 0
    given_up(board)
    other = bundle(slots[5], tmp_path / "2.swu", keys, version=2)
    assert board.install(other) == (1, "gatehouse-update: refused: failed-before")


def test_a_newer_version_is(board, second, slots, keys, tmp_path):
    assert board.install(second)[0] == 0
    given_up(board)
    assert board.install(bundle(slots[3], tmp_path / "3.swu", keys))[0] == 0
    assert board.state() == NEXT and has(board, slots[3])


def test_signed_for_another_try_it_is_installed_once_more_and_then_not(board, second, slots, keys, tmp_path):
    assert board.install(second)[0] == 0
    given_up(board)
    again = bundle(slots[2], tmp_path / "again.swu", keys, RETRY="1")
    assert board.install(again)[0] == 0
    given_up(board)
    assert board.install(again) == (1, "gatehouse-update: refused: failed-before")
    assert board.install(bundle(slots[2], tmp_path / "more.swu", keys, RETRY="2"))[0] == 0


def test_a_downgrade_that_was_given_up_is_not_tried_for_ever(board, slots, keys, tmp_path):
    board.boots(3, "A")
    back = bundle(slots[2], tmp_path / "back.swu", keys, DOWNGRADE_FROM="3")
    assert board.install(back)[0] == 0
    board.boots(3, "A")
    board.change_state(BOOT_B_LEFT="0", BOOT_A_LEFT="2")
    board.gate()
    assert board.run("/usr/lib/gatehouse/health")[0] == 0
    assert board.install(back) == (1, "gatehouse-update: refused: failed-before")


def test_what_was_found_good_has_not_failed(board, second, slots, keys, tmp_path):
    assert board.install(second)[0] == 0
    board.boots(2, "B")
    board.change_state(BOOT_B_LEFT="2")
    board.gate()
    assert board.run("/usr/lib/gatehouse/health")[0] == 0
    assert board.kept("trial") is None and board.kept("failed") is None


def test_a_slot_on_trial_that_is_bad_stays_on_trial(board, second):
    """Three starts of it: the word is the other slot's."""
    assert board.install(second)[0] == 0
    trial = board.kept("trial")
    board.boots(2, "B")
    board.change_state(BOOT_B_LEFT="2")
    board.gate(parts="bad visit: wrongly-accepted\n", code=1)
    assert board.run("/usr/lib/gatehouse/health")[0] == 1
    assert board.kept("trial") == trial and board.kept("failed") is None


def test_a_slot_that_never_had_its_turn_has_not_failed(board, second):
    """The power went between the note of the trial and the turn of the boot order."""
    assert board.install(second)[0] == 0
    board.write_state(**CLOSED)
    board.boots(1, "A")
    board.gate()
    assert board.run("/usr/lib/gatehouse/health")[0] == 0
    assert board.kept("trial") is None and board.kept("failed") is None
    assert board.install(second)[0] == 0


def test_it_is_remembered_also_where_the_slot_from_before_is_not_well_either(board, second):
    assert board.install(second)[0] == 0
    board.keep("confirmed-A", "1")
    board.boots(1, "A")
    board.change_state(BOOT_B_LEFT="0", BOOT_A_LEFT="2")
    board.gate(parts="bad faces: matcher-failed\n", code=1)
    assert board.run("/usr/lib/gatehouse/health")[0] == 1
    assert board.install(second) == (1, "gatehouse-update: refused: failed-before")


@pytest.mark.parametrize("content", ["", "B", "B x y", "B 2", "C 99999999999999 z", "B 2 \n\n", "\0" * 300])
def test_a_damaged_note_of_the_trial_stops_nobody(board, second, content):
    board.keep("trial", content)
    board.gate()
    board.change_state(BOOT_A_LEFT="2")
    assert board.run("/usr/lib/gatehouse/health")[0] == 0
    assert board.kept("trial") is None


def test_the_list_of_what_failed_is_bounded(board, second):
    board.keep("failed", "\n".join(f"{number} {number:064x}" for number in range(100, 300)))
    assert board.install(second)[0] == 0
    given_up(board)
    kept = board.kept("failed").splitlines()
    assert len(kept) == 64 and kept[-1].startswith("2 ")


# MARK: a clock that knows nothing

def at(board, moment: str, bundle) -> tuple[int, str]:
    """Installs while the gate's clock stands there."""
    shutil.copy(bundle, board.place / "outside" / "bundle.swu")
    code, said = board.run("sh", "-c", f"export LD_PRELOAD=/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1 TZ=UTC FAKETIME='@{moment}'; "
                           "exec /usr/lib/gatehouse/update /mnt/bundle.swu")
    return code, said.strip().splitlines()[-1]


@pytest.mark.parametrize("moment", ["2000-01-01 00:00:00", "2000-01-01 00:03:00", "1999-12-31 00:00:00", "2090-01-01 00:00:00"])
def test_a_gate_without_a_clock_installs(board, second, slots, moment):
    assert at(board, moment, second) == (0, "gatehouse-update: slot B is next")
    assert has(board, slots[2])


@pytest.mark.parametrize("moment", ["1989-12-31 00:00:00", "2100-01-02 00:00:00"])
def test_certificates_count_by_the_gates_clock(board, second, moment):
    code, said = at(board, moment, second)
    assert code == 1 and said in ("gatehouse-update: refused: tampered", "gatehouse-update: refused: wrong-key")
    assert board.state() == UNTOUCHED
