"""The buttons that count while the board starts, on the kernel's GPIO simulator: the reset's before a gate that runs as it does, the panel's before
the command that an image's unit asks. Nobody waits for how fast the machine is: a button is let go when it is said that it may be.
"""
import os
import subprocess
import threading
import time

import pytest

import issuer
from board import GATE_WITH_GPIOD_2, write_profile
from gate import command
from gpio import Chip
from trust_bundle import Operators

PATIENCE = 120  # seconds: the machine is emulated
HELD = "button is held: for"
LONG_ENOUGH = "button was held long enough: let it go now"


@pytest.fixture(params=[False, True], ids=["active high", "active low"])
def button(request):
    """Never on the first chip: `gpiochip0` would be found by luck."""
    other, button = Chip("another", ["", "RESET"]), Button(request.param)
    yield button
    button.chip.remove()
    other.remove()


class Button:
    def __init__(self, active_low: bool) -> None:
        self.active_low, self.chip = active_low, Chip("buttons", ["", "RESET", "PANEL"], pulled_up=active_low)

    def press(self, name: str, pressed: bool = True) -> None:
        self.chip.pull(name, up=pressed != self.active_low)

    def bounce(self, name: str, pressed: bool) -> None:
        """As a contact does for some milliseconds before it rests."""
        for _ in range(20):
            self.press(name, not pressed)
            self.press(name, pressed)

    def moniker(self, name: str) -> str:
        return f"gpio:buttons/button={name}{':low' if self.active_low else ''}"

    def profile(self, folder, *names: str):
        return write_profile(folder / "board.json", **{f"{name.lower()}Button": self.moniker(name) for name in names})


class Started:
    """A program, and what it has said so far."""

    def __init__(self, *arguments) -> None:
        self.process = subprocess.Popen([*command(), *map(str, arguments)], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        self.lines: list[str] = []
        self.reader = threading.Thread(target=lambda: self.lines.extend(iter(self.process.stderr.readline, "")), daemon=True)
        self.reader.start()

    def __enter__(self):
        return self

    def __exit__(self, *_) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.reader.join(PATIENCE)

    def heard(self, words: str) -> str:
        end = time.monotonic() + PATIENCE
        while not (found := [line for line in self.lines if words in line]):
            assert time.monotonic() < end and self.process.poll() is None, (words, self.process.poll(), self.lines)
            time.sleep(0.02)
        return found[0]

    def ended(self) -> int:
        code = self.process.wait(PATIENCE)
        self.reader.join(PATIENCE)
        return code


class Board:
    """A gate that is set up: whom it believes, and a log with the record of a start."""

    def __init__(self, folder, button: Button) -> None:
        self.folder, self.installed, self.data = folder, folder / "installed", folder / "data"
        operators = Operators(folder / "operators")
        operators.install(issuer.write_trust(folder / "trust", issuer.Issuer()), self.installed)
        self.profile = button.profile(folder, "RESET")
        self.arguments = ("run", "--board", self.profile, "--trust", self.installed, "--root", operators.root, "--data", self.data)

    def start(self) -> Started:
        return Started(*self.arguments)

    @property
    def is_reset(self) -> bool:
        return (self.installed / "reset").exists()

    def goes_on(self, started: Started) -> None:
        """It starts as if nobody had touched anything."""
        end = time.monotonic() + PATIENCE
        while not (self.data / "audit.jsonl").exists():
            assert time.monotonic() < end and started.process.poll() is None, started.lines
            time.sleep(0.05)
        assert not self.is_reset and (self.installed / "bundle.cose").exists() and not any("factory reset is taken" in line for line in started.lines)


@pytest.fixture
def board(tmp_path, button):
    return Board(tmp_path, button)


# MARK: the reset's button, before a gate


def test_a_button_that_nobody_holds_is_nothing(board):
    with board.start() as started:
        board.goes_on(started)
        assert not any(" button" in line for line in started.lines)


@pytest.mark.parametrize("program", ["gpiod 1", "gpiod 2"])
def test_held_long_enough_and_let_go_the_board_is_as_it_was_delivered(board, button, program, monkeypatch):
    if program == "gpiod 2":
        monkeypatch.setenv("GATEHOUSE", str(GATE_WITH_GPIOD_2))
    with board.start() as started:
        board.goes_on(started)
    log = (board.data / "audit.jsonl").read_bytes()
    button.press("RESET")
    with board.start() as started:
        started.heard("the reset " + HELD)
        started.heard("the reset " + LONG_ENOUGH)
        assert not board.is_reset, "before it is let go"
        # However the contact ends it, it was held.
        button.bounce("RESET", pressed=False)
        assert started.ended() != 0, "so that somebody starts it anew"
        assert any("the factory reset is taken: ending, to be started anew" in line for line in started.lines), started.lines
    assert board.is_reset and (board.data / "audit.jsonl").read_bytes() == log
    with board.start() as started:
        started.heard("factory reset by the button: trust bundle and site file are erased, the audit log is kept")
        started.heard("NOBODY CAN ENTER (factory-reset")
        assert not (board.installed / "bundle.cose").exists()
        assert (board.data / "audit.jsonl").read_bytes().startswith(log)


def test_let_go_too_early_nothing_is_reset(board, button):
    button.press("RESET")
    with board.start() as started:
        started.heard("the reset " + HELD)
        button.bounce("RESET", pressed=False)
        started.heard("the reset button was let go too early: nothing is reset")
        # Pressed again it counts for nothing: the gate has started.
        button.press("RESET")
        board.goes_on(started)


def test_a_button_that_does_not_come_back_resets_nothing(board, button):
    button.press("RESET")
    with board.start() as started:
        started.heard("the reset " + LONG_ENOUGH)
        started.heard("the reset button does not come back: nothing is reset; look at its wiring")
        button.press("RESET", pressed=False)
        board.goes_on(started)


def test_a_line_that_is_lost_while_it_is_held_resets_nothing(board, button):
    button.press("RESET")
    with board.start() as started:
        started.heard("the reset " + LONG_ENOUGH)
        button.chip.vanish()
        started.heard("the reset button: ")
        board.goes_on(started)
    button.chip.come_back()


@pytest.mark.parametrize("case", ["taken", "no chip"])
def test_a_button_that_cannot_be_looked_at_is_no_reason_not_to_start(board, button, case):
    held = button.chip.hold("RESET") if case == "taken" else None
    if case == "no chip":
        button.chip.vanish()
    with board.start() as started:
        started.heard("the reset button: ")
        board.goes_on(started)
    if held is not None:
        os.close(held)
    else:
        button.chip.come_back()


# MARK: the panel's button, before the command that the image's unit asks


def test_the_panels_button_asks_for_install_mode_and_resets_nothing(tmp_path, button):
    profile = button.profile(tmp_path, "RESET", "PANEL")
    button.press("PANEL")
    with Started("panel-button", "--board", profile) as started:
        started.heard("the panel " + HELD)
        started.heard("the panel " + LONG_ENOUGH)
        button.bounce("PANEL", pressed=False)
        assert started.ended() == 0


@pytest.mark.parametrize("case", ["nobody", "the other button", "too early", "stuck", "lost", "not in the profile"])
def test_nothing_else_asks_for_install_mode(tmp_path, button, case):
    profile = button.profile(tmp_path, "RESET", *(["PANEL"] if case != "not in the profile" else []))
    if case != "nobody":
        button.press("RESET" if case == "the other button" else "PANEL")
    with Started("panel-button", "--board", profile) as started:
        if case == "too early":
            started.heard("the panel " + HELD)
            button.bounce("PANEL", pressed=False)
        elif case == "lost":
            started.heard("the panel " + LONG_ENOUGH)
            button.chip.vanish()
        assert started.ended() == 1
        assert any("no install mode begins" in line for line in started.lines) == (case in ("too early", "stuck")), started.lines
    if case == "lost":
        button.chip.come_back()


def test_a_profile_that_names_one_line_for_both_is_refused(tmp_path, button):
    profile = write_profile(tmp_path / "board.json", resetButton=button.moniker("RESET"), panelButton=button.moniker("RESET"))
    with Started("panel-button", "--board", profile) as started:
        assert started.ended() == 2 and any("panelButton is the line of resetButton" in line for line in started.lines), started.lines
