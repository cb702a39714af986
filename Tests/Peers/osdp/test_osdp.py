"""`gatehouse-osdp` at a panel that others wrote: install mode and keys, cards, what the panel shows, who has no key, and verdicts that are
no news any more (docs/osdp.md)."""
import os
import shutil
import signal
import socket
import stat
import subprocess
import time

import pytest
from osdp import CommandLEDColor, Command
from osdp_rig import (HOLDER_BOUND, KEY, OTHER_KEY, PATIENCE, RATE, REJECTED, ROOT, Device, Line, Panel, Session, challenge, program,
                      record, replies, shown, wiegand)


@pytest.fixture(autouse=True)
def needs_program():
    if shutil.which(program()) is None:
        pytest.exit(f"no {program()}: build it (tools/osdp.sh), or set GATEHOUSE_OSDP", 2)


@pytest.fixture
def line():
    made = Line()
    yield made
    made.close()


@pytest.fixture
def device_with(tmp_path, line):
    """A device with options of its own; `key=None` for none."""
    made = []

    def make(*options: str, key: bytes | None = KEY) -> Device:
        made.append(Device(tmp_path, line, *options, key=key))
        return made[-1]

    yield make
    for device in made:
        device.close()


@pytest.fixture
def device(device_with) -> Device:
    return device_with().start()


def card_of(event) -> tuple[int, bytes]:
    assert event and event["event"] == 1, event
    return event["length"], bytes(event["data"])


def secure(device: Device, panel: Panel) -> None:
    panel.until_secure()
    device.until(device.is_up)


# MARK: keys

def test_a_panel_sets_the_key_in_install_mode_and_then_cards_go_only_by_it(device_with, line):
    device = device_with(key=None).start("--install")
    assert device.status["mode"] == "install"
    with Panel(line) as panel:
        device.until(lambda: device.status["mode"] == "secure")
        path = device.state / "key"
        device.until(path.exists)
        assert path.read_text() == KEY.hex() + "\n" and stat.S_IMODE(path.stat().st_mode) == 0o600
        secure(device, panel)
        for number in range(20):
            assert card_of(shown(device, panel, number=number + 1)) == (26, wiegand(17, 4711, 26))
        device.until(lambda: device.count("delivered") == 20)
    device.end()
    # The next start knows it, without install mode.
    device.start()
    with Panel(line, KEY) as panel:
        secure(device, panel)
        assert card_of(shown(device, panel)) == (26, wiegand(17, 4711, 26))


def test_a_key_is_changed_over_the_channel_and_kept(device, line):
    with Panel(line) as panel:
        secure(device, panel)
        assert panel.do(command=Command.Keyset, type=1, data=OTHER_KEY) == 0
        device.until(lambda: (device.state / "key").read_text() == OTHER_KEY.hex() + "\n")
    device.end()
    device.start()
    with Panel(line, OTHER_KEY) as panel:
        secure(device, panel)
        assert card_of(shown(device, panel))[0] == 26


def test_a_key_that_cannot_be_written_is_said_and_tried_again(device_with, line):
    device = device_with().start()
    (device.state / "key.new").mkdir()
    with Panel(line) as panel:
        secure(device, panel)
        assert panel.do(command=Command.Keyset, type=1, data=OTHER_KEY) == 0
        device.until(lambda: "CANNOT BE KEPT" in device.said())
        assert (device.state / "key").read_text() == KEY.hex() + "\n"
        (device.state / "key.new").rmdir()
        device.until(lambda: (device.state / "key").read_text() == OTHER_KEY.hex() + "\n")


@pytest.mark.parametrize("text, mode, word", [
    (None, 0, "key-missing"),
    ("", 0o600, "key-damaged"),
    ("00" * 15 + "\n", 0o600, "key-damaged"),
    ("00" * 16, 0o600, "key-damaged"),
    ("0g" * 16 + "\n", 0o600, "key-damaged"),
    (KEY.hex() + "\n\n", 0o600, "key-damaged"),
    (KEY.hex() + "\n", 0o640, "key-open"),
    ("folder", 0, "key-unreadable"),
])
def test_without_a_key_it_is_off_and_not_in_install_mode(device_with, line, text, mode, word):
    device = device_with(key=None)
    if text == "folder":
        (device.state / "key").mkdir()
    elif text is not None:
        device.write_key(text, mode)
    with pytest.raises(AssertionError, match="it ended: 78:"):
        device.start()
    assert word in device.said()


def test_install_mode_ends(device_with, line):
    device = device_with().start("--install", "--install-time", "5")
    assert device.process.wait(PATIENCE) == 78
    assert "install mode is over" in device.said()
    # What was kept before is kept.
    assert (device.state / "key").read_text() == KEY.hex() + "\n"


def test_outside_install_mode_the_default_key_opens_nothing(device, line):
    with Panel(line, key=None) as panel:
        device.tell(record())
        assert panel.no_card(3)
        assert not panel.is_secure() and not device.is_up()


def test_a_panel_with_another_key_gets_nothing(device, line):
    with Panel(line, OTHER_KEY) as panel:
        for _ in range(3):
            device.tell(record())
            assert panel.no_card(1)
        assert not panel.is_secure() and not device.is_up()
    device.until(lambda: device.count("away") == 3)


def test_what_a_device_draws_for_a_handshake_differs_from_start_to_start(device_with, line):
    drawn = set()
    device = device_with()
    for _ in range(3):
        device.start()
        line.flush()
        line.write(challenge(bytes(8)))
        answers = [reply for reply in replies(line.answer()) if reply[0] == 0x76]
        assert len(answers) == 1, answers
        drawn.add(answers[0][9:17])
        device.end()
    assert len(drawn) == 3 and bytes(8) not in drawn


# MARK: cards

@pytest.mark.parametrize("options, outcome, holder, expected", [
    ((), 1, 0, (17, 4711, 26)),
    ((), 1, HOLDER_BOUND, (17, 4711, 26)),
    (("--card", "holder=255:65535"), 1, HOLDER_BOUND, (255, 65535, 26)),
    (("--card", "holder=255:65535"), 1, 1, (17, 4711, 26)),
    (("--card", "rejected=0:0"), REJECTED, 0, (0, 0, 26)),
    (("--bits", "34", "--card", "accepted=43981:1"), 1, 0, (43981, 1, 34)),
    (("--bits", "34", "--card", "accepted=65535:65534"), 1, 0, (65535, 65534, 34)),
])
def test_each_class_of_verdicts_has_its_card(device_with, line, options, outcome, holder, expected):
    device = device_with(*options).start()
    with Panel(line) as panel:
        secure(device, panel)
        facility, number, bits = expected
        assert card_of(shown(device, panel, outcome, holder)) == (bits, wiegand(facility, number, bits))


def test_who_is_rejected_has_no_card_where_none_is_named(device, line):
    with Panel(line) as panel:
        secure(device, panel)
        device.tell(record(REJECTED))
        assert card_of(shown(device, panel))[0] == 26
        assert panel.no_card(0.5)


def test_a_card_three_seconds_old_is_never_delivered(device, line):
    with Panel(line) as panel:
        secure(device, panel)
        device.tell(record(age=3))
        device.until(lambda: device.count("stale") == 1)
        assert card_of(shown(device, panel, age=1))[0] == 26
        assert panel.no_card(0.5)


def test_a_card_offered_while_nobody_is_there_is_never_delivered(device, line):
    device.tell(record())
    device.until(lambda: device.count("away") == 1)
    with Panel(line) as panel:
        secure(device, panel)
        assert panel.no_card(1)
        assert card_of(shown(device, panel))[0] == 26


def test_a_card_that_a_silent_panel_did_not_fetch_is_never_delivered(device, line):
    with Panel(line) as panel:
        secure(device, panel)
        with panel.panel.lock:
            device.tell(record())
            time.sleep(3)
        assert panel.no_card(1)
        device.until(lambda: device.forgotten() == 1)
        panel.until_secure()
        assert card_of(shown(device, panel))[0] == 26


def test_a_process_that_was_stopped_for_three_seconds_delivers_nothing_of_before(device, line):
    with Panel(line) as panel:
        secure(device, panel)
        children = open(f"/proc/{device.process.pid}/task/{device.process.pid}/children").read().split()
        os.kill(int(children[0]), signal.SIGSTOP)
        device.tell(record())
        time.sleep(3)
        os.kill(int(children[0]), signal.SIGCONT)
        assert panel.no_card(1.5)
    device.until(lambda: device.count("stale") + device.count("away") == 1)


def test_the_socket_of_a_service_manager_outlives_it(device_with, line):
    device = device_with()
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as held:
        held.bind(str(device.feed_path))
        device.start(held=held)
        gate = device.feed
        session = Session(line)
        device.until(device.is_up)
        assert session.card(device, gate.send)[0] == 0x50
        device.process.kill()
        device.process.wait()
        gate.send(record())
        device.start(held=held)
        device.until(lambda: device.count("away") + device.count("stale") == 1)
        session = Session(line)
        device.until(device.is_up)
        assert session.accept(session.ask(session.command(b"\x60"))) == b"\x40"
        assert session.card(device, gate.send)[0] == 0x50


def test_datagrams_that_are_no_verdicts_are_counted(device, line):
    good = record()
    strange = [b"", good[:-1], good + b"\0", b"GLF2" + good[4:], bytes([*good[:4], 0, *good[5:]]), bytes([*good[:4], 3, *good[5:]]),
               bytes([*good[:6], 3, *good[7:]]), good[:-1] + b"\1", os.urandom(64)]
    with Panel(line) as panel:
        secure(device, panel)
        for octets in strange:
            device.tell(octets)
        device.until(lambda: device.count("strange") == len(strange))
        # Of a clock that is none of this board's.
        device.tell(record(age=-60))
        device.until(lambda: device.count("stale") == 1)
        assert panel.no_card(0.3)
        assert card_of(shown(device, panel, lost=7))[0] == 26
        device.until(lambda: device.count("missed") == 7)


# MARK: what a panel asks for

def test_light_tone_text_and_output_are_answered(device_with, line, tmp_path):
    relay = tmp_path / "relay"
    relay.write_text("9\n")
    device = device_with("--output", str(relay)).start()
    steady = dict(control_code=1, on_count=1, off_count=0, on_color=CommandLEDColor.Green, off_color=CommandLEDColor.Black)
    blinking = dict(control_code=2, on_count=1, off_count=1, on_color=CommandLEDColor.Amber, off_color=CommandLEDColor.Black, timer_count=2)
    with Panel(line) as panel:
        secure(device, panel)
        assert relay.read_text() == "0\n"
        assert panel.do(command=Command.LED, reader=0, led_number=0, temporary=True, **blinking) == 0
        assert panel.do(command=Command.LED, reader=0, led_number=0, temporary=False, **steady) == 0
        assert panel.do(command=Command.Buzzer, reader=0, control_code=2, on_count=5, off_count=1, rep_count=1) == 0
        assert panel.do(command=Command.Text, reader=0, control_code=1, temp_time=0, offset_row=1, offset_col=1, data="WELCOME") == 0
        assert panel.do(command=Command.Output, output_no=0, control_code=2, timer_count=0) == 0
        device.until(lambda: relay.read_text() == "1\n")
        # On for ten seconds, so that nobody can look away for so long, then as it was told to be.
        assert panel.do(command=Command.Output, output_no=0, control_code=1, timer_count=0) == 0
        device.until(lambda: relay.read_text() == "0\n")
        assert panel.do(command=Command.Output, output_no=0, control_code=5, timer_count=100) == 0
        device.until(lambda: relay.read_text() == "1\n")
        device.until(lambda: relay.read_text() == "0\n")
        device.until(lambda: (device.count("leds"), device.count("tones"), device.count("texts"), device.count("outputs")) == (2, 1, 1, 3))
        assert device.status["led"] == str(CommandLEDColor.Green) and "WELCOME" not in device.said()
        assert card_of(shown(device, panel))[0] == 26
        # What it does not have is refused; this panel gives up a device that refuses anything.
        assert panel.do(command=Command.Output, output_no=1, control_code=2, timer_count=0) != 0
        assert device.count("outputs") == 3


def test_address_and_speed_that_a_panel_sets_are_kept(device, line):
    with Panel(line) as panel:
        secure(device, panel)
        assert panel.do(command=Command.Comset, address=5, baud_rate=38400) == 0
        device.until(lambda: (device.status["address"], device.status["rate"]) == ("5", "38400"))
        kept = device.state / "line"
        device.until(kept.exists)
        assert kept.read_text() == "address 5 rate 38400\n"
    device.end()
    device.start()
    assert (device.status["address"], device.status["rate"]) == ("5", "38400")
    with Panel(line, address=5) as panel:
        secure(device, panel)
        assert card_of(shown(device, panel))[0] == 26
    device.end()
    # Damaged, it is as the options say, and that is said.
    kept.write_text("address 300 rate 38400\n")
    device.start()
    assert (device.status["address"], device.status["rate"]) == ("0", str(RATE)) and "cannot be read" in device.said()


# MARK: the process

def test_it_has_real_time_priority_where_it_may_and_says_so(device):
    child = int(open(f"/proc/{device.process.pid}/task/{device.process.pid}/children").read().split()[0])
    assert device.status["realtime"] == ("yes" if os.sched_getscheduler(child) == os.SCHED_FIFO else "no")
    locked = [line for line in open(f"/proc/{child}/status") if line.startswith("VmLck")][0].split()[1]
    assert device.status["locked"] == ("yes" if int(locked) else "no")
    # A pty turns nothing round.
    assert device.status["turns"] == "itself"


def test_both_processes_are_confined(device, tmp_path):
    child = open(f"/proc/{device.process.pid}/task/{device.process.pid}/children").read().split()[0]
    for process in (str(device.process.pid), child):
        facts = dict(line.split(":\t", 1) for line in open(f"/proc/{process}/status").read().splitlines() if ":\t" in line)
        assert (facts["Seccomp"], facts["NoNewPrivs"]) == ("2", "1")
        assert {facts[name] for name in ("CapInh", "CapPrm", "CapEff", "CapAmb")} == {"0" * 16}
    # From within.
    (tmp_path / "trespass").mkdir()
    done = subprocess.run([ROOT / ".build/osdp/trespass", tmp_path / "trespass"], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stdout


def test_one_process_ends_with_the_other(device):
    child = int(open(f"/proc/{device.process.pid}/task/{device.process.pid}/children").read().split()[0])
    os.kill(child, signal.SIGKILL)
    assert device.process.wait(PATIENCE) == 71
    device.start()
    child = int(open(f"/proc/{device.process.pid}/task/{device.process.pid}/children").read().split()[0])
    device.process.kill()
    device.process.wait()
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        try:
            if open(f"/proc/{child}/stat").read().split()[2] == "Z":
                return
        except OSError:
            return
        time.sleep(0.01)
    pytest.fail("the line's process goes on without its keeper")


def test_a_line_that_is_gone_ends_it(tmp_path):
    line = Line()
    device = Device(tmp_path, line).start()
    line.close()
    assert device.process.wait(PATIENCE) == 74, device.said()
    device.close()


@pytest.mark.parametrize("options", [
    ("--rate", "9601"), ("--address", "127"), ("--bits", "27"), ("--card", "accepted=256:1"), ("--card", "accepted=1:65536"), ("--card", "visitor=1:1"),
    ("--card", "accepted=1"), ("--priority", "100"), ("--confine", "off"), ("--install-time", "601"), ("more",),
])
def test_unusable_options(device_with, options):
    with pytest.raises(AssertionError, match="it ended: 2:"):
        device_with(*options).start()
