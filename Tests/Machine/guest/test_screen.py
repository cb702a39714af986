"""The code on the kernel's framebuffers, photographed from outside the machine and read by two readers that know nothing of each other."""
import asyncio
import signal
import time
from pathlib import Path

import numpy
import pytest

from board import BoardRig, NoAir
from rig import LOOP
from screens import BLACK, WHITE, Cable, Photograph, framebuffers, measure

SIZES = [(240, 240, 32), (480, 320, 32), (1280, 720, 32), (1024, 768, 16)]


def screen_of(size):
    return next(screen for screen in framebuffers() if (screen.width, screen.height, screen.bits) == size)


def photograph(rig, screen, condition, what: str, patience: float = 60) -> Photograph:
    """The first picture that is as it should be, and stays so: a code can be read before its last lines are drawn. The air is served meanwhile."""
    end = time.monotonic() + patience
    before = None
    while True:
        taken = rig.run(asyncio.to_thread(Photograph, screen))
        if condition(taken):
            if before is not None and numpy.array_equal(before.pixels, taken.pixels):
                return taken
            before = taken
        if time.monotonic() > end:
            raise TimeoutError(f"{what}: {taken.zbar!r} {taken.zxing!r}; the gate: {rig.gate.errors[-5:]}")


def shows_code(taken: Photograph) -> bool:
    return taken.text.startswith("OPENID4VP://")


@pytest.mark.parametrize("size", SIZES, ids=lambda size: "{}x{} {} bits".format(*size))
def test_the_code_on_the_screen_leads_through_a_visit(tmp_path, size):
    screen = screen_of(size)
    rig = BoardRig(tmp_path, screen=f"fb:{screen.path}").open()
    try:
        taken = photograph(rig, screen, shows_code, "a code")
        assert set(numpy.unique(taken.pixels)) == {BLACK, WHITE}
        code = measure(taken)
        assert min(code.quiet) == max(code.quiet) == 4
        assert code.side % 4 == 1 and code.module == min(screen.width, screen.height) // (code.side + 8) >= 3
        assert abs(2 * code.left + code.width - screen.width) <= 1 and abs(2 * code.top + code.height - screen.height) <= 1, "in the middle"
        visit = rig.run(rig.phone.visit(taken.text, rig.good()))
        assert visit.accepted, visit
        after = photograph(rig, screen, lambda now: shows_code(now) and now.text != taken.text, "a new code")
        assert not numpy.array_equal(after.pixels, taken.pixels)
        gone = rig.run(rig.phone.visit(taken.text, rig.good()))
        assert gone.error == "no such gate on the air", gone
        assert rig.run(rig.gate.stop(signal.SIGTERM, 30)) == 0
        assert Photograph(screen).is_dark
    finally:
        rig.close()


def test_there_is_no_code_while_there_is_a_fault(tmp_path):
    screen = screen_of(SIZES[0])
    rig = BoardRig(tmp_path, screen=f"fb:{screen.path}").open()
    try:
        before = photograph(rig, screen, shows_code, "a code")
        rig.unplug()
        rig.run(rig.gate.light("fault", patience=60))
        assert photograph(rig, screen, lambda now: now.is_dark, "dark").zbar == ""
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
    assert Photograph(screen).is_dark
    assert LOOP.run_until_complete(gate.stop(signal.SIGTERM, 30)) == 0


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
