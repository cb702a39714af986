"""The code on the kernel's framebuffers, photographed from outside the machine and read by two readers that know nothing of each other."""
import contextlib
import signal
import time
from pathlib import Path

import pytest

from board import WORDS, BoardRig, NoAir
from rig import LOOP
from screens import GREEN, RED, YELLOW, Cable, Photograph, framebuffers, measure, photograph, shows, shows_code

SIZES = [(240, 240, 32), (480, 320, 32), (1280, 720, 32), (1024, 768, 16)]


def screen_of(size):
    return next(screen for screen in framebuffers() if (screen.width, screen.height, screen.bits) == size)


@pytest.mark.parametrize("size", SIZES, ids=lambda size: "{}x{} {} bits".format(*size))
def test_the_code_on_the_screen_leads_through_a_visit(tmp_path, size):
    screen = screen_of(size)
    rig = BoardRig(tmp_path, screen=f"fb:{screen.path}").open()
    try:
        taken = photograph(rig, screen, shows_code, "a code")
        code = measure(taken)
        assert min(code.quiet) >= 4 and code.side % 4 == 1 and code.module >= 3, code
        visit = rig.run(rig.phone.visit(taken.text, rig.good()))
        assert visit.accepted, visit
        after = photograph(rig, screen, lambda now: shows_code(now) and now.text != taken.text, "a new code")
        assert min(measure(after).quiet) >= 4
        gone = rig.run(rig.phone.visit(taken.text, rig.good()))
        assert gone.error == "no such gate on the air", gone
        assert rig.run(rig.gate.stop(signal.SIGTERM, 30)) == 0
        assert Photograph(screen).is_dark
    finally:
        rig.close()


@pytest.mark.parametrize("size, languages", [(SIZES[1], ["en"]), (SIZES[2], ["ar", "hi"]), (SIZES[3], ["fil"])],
                         ids=lambda value: "-".join(map(str, value)))
def test_a_verdict_stands_beside_the_next_code(tmp_path, size, languages):
    screen = screen_of(size)
    options = [option for language in languages for option in ("--language", language)]
    rig = BoardRig(tmp_path, "--verdict-time", "10", "--words", str(WORDS), *options, screen=f"fb:{screen.path}").open()
    try:
        assert not any("the screen has no words" in line for line in rig.gate.errors)
        for message, colour, what in ((rig.good(), GREEN, "an accept"), (rig.bad(), RED, "a reject")):
            seen = sign(rig, screen, message, colour, what)
            code = measure(seen)
            assert min(code.quiet) >= 4, code
            photograph(rig, screen, lambda now: shows_code(now) and not shows(now, colour), "that the verdict's time is over")
        # A gate that is killed leaves its code behind, for the next test to read.
        assert rig.run(rig.gate.stop(signal.SIGTERM, 30)) == 0
    finally:
        rig.close()


def sign(rig, screen, message: bytes, colour: int, what: str) -> Photograph:
    """The next code and the verdict on one picture. A verdict stands for its time and no longer: a host that was too busy for its picture takes one of
    the next visit's."""
    for _ in range(5):
        taken = photograph(rig, screen, shows_code, "a code")
        visit = rig.run(rig.phone.visit(taken.text, message))
        assert visit.accepted == (colour == GREEN), visit
        with contextlib.suppress(TimeoutError):
            return photograph(rig, screen, lambda now: shows_code(now) and now.text != taken.text and shows(now, colour), what, patience=12)
    raise TimeoutError(what)


@pytest.mark.parametrize("rotation", [90, 180, 270])
def test_a_screen_that_is_mounted_otherwise_shows_the_code_all_the_same(tmp_path, rotation):
    screen = screen_of(SIZES[1])
    rig = BoardRig(tmp_path, screen=f"fb:{screen.path},rotate={rotation}").open()
    try:
        taken = photograph(rig, screen, shows_code, "a code")
        assert rig.run(rig.phone.visit(taken.text, rig.good())).accepted
        assert rig.run(rig.gate.stop(signal.SIGTERM, 30)) == 0
    finally:
        rig.close()


def test_what_something_else_draws_is_drawn_over_and_a_killed_gate_leaves_nothing_for_the_next(tmp_path):
    screen = screen_of(SIZES[1])
    rig = BoardRig(tmp_path, screen=f"fb:{screen.path}").open()
    try:
        before = photograph(rig, screen, shows_code, "a code")
        # As `gatehouse doctor` leaves it, and as a start picture does.
        for octet in (0, 0x55):
            Path(screen.path).write_bytes(bytes([octet]) * (screen.width * screen.height * screen.bits // 8))
            assert photograph(rig, screen, shows_code, "the same code again").text == before.text
        rig.gate.process.kill()
        rig.run(rig.gate.process.wait())
        assert Photograph(screen).text == before.text
    finally:
        rig.close()
    (tmp_path / "next").mkdir()
    gate = NoAir(tmp_path / "next").gate(screen=f"fb:{screen.path}")
    LOOP.run_until_complete(gate.start())
    LOOP.run_until_complete(gate.light("fault", patience=60))
    until(lambda: shows(Photograph(screen), YELLOW) and not shows_code(Photograph(screen)), "the next gate's own sign, whole")
    assert LOOP.run_until_complete(gate.stop(signal.SIGTERM, 30)) == 0


def test_there_is_no_code_while_there_is_a_fault(tmp_path):
    screen = screen_of(SIZES[0])
    rig = BoardRig(tmp_path, screen=f"fb:{screen.path}").open()
    try:
        before = photograph(rig, screen, shows_code, "a code")
        rig.unplug()
        rig.run(rig.gate.light("fault", patience=60))
        assert photograph(rig, screen, lambda now: shows(now, YELLOW) and not shows_code(now), "the fault's sign").zbar == ""
        rig.plug()
        after = photograph(rig, screen, shows_code, "a code again")
        assert after.text != before.text
        assert rig.run(rig.phone.visit(after.text, rig.good())).accepted
    finally:
        rig.close()


def test_a_gate_that_starts_without_a_controller_shows_no_code(tmp_path):
    screen = screen_of(SIZES[1])
    Path(screen.path).write_bytes(bytes([0x55]) * (screen.width * screen.height * 4))
    gate = NoAir(tmp_path).gate(screen=f"fb:{screen.path}")
    LOOP.run_until_complete(gate.start())
    LOOP.run_until_complete(gate.light("fault", patience=60))
    until(lambda: shows(Photograph(screen), YELLOW), "the fault's sign")
    assert not shows_code(Photograph(screen))
    assert LOOP.run_until_complete(gate.stop(signal.SIGTERM, 30)) == 0
    assert Photograph(screen).is_dark


def until(condition, what: str) -> None:
    end = time.monotonic() + 60
    while not condition():
        if time.monotonic() > end:
            raise TimeoutError(what)
        time.sleep(0.05)


CAUTION = "the kernel's console writes on this screen"


def test_a_console_on_the_screen_is_named_and_writes_no_more_when_it_is_taken_away(tmp_path):
    """The kernel gives the console one of the screens. What it leaves untouched is only what nobody writes."""
    consoles = next(Path("/sys/class/vtconsole", folder.name) for folder in Path("/sys/class/vtconsole").iterdir()
                    if "frame buffer" in (folder / "name").read_text())
    (tmp_path / "doctor").mkdir()
    cautions = {}
    for screen in framebuffers():
        cautions[screen] = said_at_start(tmp_path / Path(screen.path).name, screen)
    with_console = [screen for screen, said in cautions.items() if said]
    assert len(with_console) == 1, cautions
    screen = with_console[0]
    assert (consoles / "bind").read_text().strip() == "1"
    assert not Photograph(screen).pixels.any()
    write_on_the_console()
    assert Photograph(screen).pixels.any(), "what the caution is about"
    doctor = NoAir(tmp_path / "doctor").command("doctor", screen=f"fb:{screen.path}")
    assert doctor.returncode == 1 and CAUTION in doctor.stdout, doctor.stdout
    (consoles / "bind").write_text("0")
    assert not said_at_start(tmp_path / "without", screen)
    assert Photograph(screen).is_dark
    write_on_the_console()
    assert Photograph(screen).is_dark


def said_at_start(folder: Path, screen) -> bool:
    folder.mkdir()
    gate = NoAir(folder).gate(screen=f"fb:{screen.path}")
    LOOP.run_until_complete(gate.start())
    LOOP.run_until_complete(gate.light("fault", patience=60))
    assert LOOP.run_until_complete(gate.stop(signal.SIGTERM, 30)) == 0
    return any(CAUTION in line for line in gate.errors)


def write_on_the_console() -> None:
    with open("/dev/tty0", "w") as console:
        console.write("a login prompt\n")


@pytest.mark.parametrize("path, words", [("/dev/fb9", "no such framebuffer"), ("/dev/null", "no framebuffer")])
def test_a_screen_that_is_none_is_named(tmp_path, path, words):
    board = NoAir(tmp_path)
    starts_without(board.gate(screen=f"fb:{path}"), words)
    doctor = board.command("doctor", screen=f"fb:{path}")
    assert doctor.returncode == 1 and words in doctor.stdout and path in doctor.stdout, doctor.stdout


def test_a_screen_that_may_not_be_used_is_named(tmp_path):
    screen = framebuffers()[0]
    doctor = NoAir(tmp_path).command("doctor", 1000, screen=f"fb:{screen.path}")
    assert doctor.returncode == 1 and "not permitted" in doctor.stdout, doctor.stdout


def starts_without(gate, words: str) -> None:
    """The gate says once what its screen lacks, and goes on."""
    LOOP.run_until_complete(gate.start())
    LOOP.run_until_complete(gate.until(lambda: any("no code can be shown" in line and words in line for line in gate.errors), 60, words))
    LOOP.run_until_complete(gate.light("fault", patience=60))
    assert sum("no code can be shown" in line for line in gate.errors) == 1, gate.errors
    assert LOOP.run_until_complete(gate.stop(signal.SIGTERM, 30)) == 0


# Last: the screens have other numbers afterwards, as far as the kernel likes.

def test_a_gate_starts_without_its_screen_and_shows_the_code_when_it_appears(tmp_path):
    screen = screen_of(SIZES[2])
    cable = Cable(screen)
    cable.pull()
    rig = BoardRig(tmp_path, screen=f"fb:{screen.path}")
    try:
        rig.open()
        rig.until(lambda: any("no such framebuffer" in line for line in rig.gate.errors), "what is missing")
        rig.until(lambda: rig.gate.lights and rig.gate.lights[-1][1] != "none", "the lamps")
        cable.plug()
        rig.until(lambda: any("the screen is there" in line for line in rig.gate.errors), "the screen")
        taken = photograph(rig, screen, shows_code, "a code")
        assert rig.run(rig.phone.visit(taken.text, rig.good())).accepted
    finally:
        cable.plug()
        rig.close()


def test_a_screen_that_goes_and_comes_shows_the_code_again_without_a_visit(tmp_path):
    screen = screen_of(SIZES[1])
    cable = Cable(screen)
    rig = BoardRig(tmp_path, screen=f"fb:{screen.path}").open()
    try:
        before = photograph(rig, screen, shows_code, "a code")
        process = rig.gate.process.pid
        for _ in range(2):
            said = len(rig.gate.errors)
            cable.pull()
            rig.until(lambda: any("no code can be shown" in line for line in rig.gate.errors[said:]), "that it is gone")
            cable.plug()
            rig.until(lambda: any("the screen is there" in line for line in rig.gate.errors[said:]), "that it is there")
            assert photograph(rig, screen, shows_code, "the same code again").text == before.text
        assert rig.run(rig.phone.visit(before.text, rig.good())).accepted
        assert rig.gate.process.pid == process and rig.gate.process.returncode is None
        assert rig.run(rig.gate.stop(signal.SIGTERM, 30)) == 0
    finally:
        cable.plug()
        rig.close()
