"""Whoever has got at the two wires of the line: packets that no panel sends, and what libosdp makes of them when nobody looks at them first."""
import os
import random
import shutil
import struct
import time

import pytest
from osdp_rig import (PATIENCE, Device, Line, Panel, Session, challenge, crc, encrypted, packet, program, record, replies, scrypt, shown,
                      wiegand)

DEFAULT_KEY = bytes(range(0x30, 0x40))
SEED = int(os.environ.get("SEED", "20261128"))


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
def device(tmp_path, line):
    made = Device(tmp_path, line).start()
    yield made
    made.close()


def still_serves(device: Device, line: Line) -> None:
    line.flush()
    with Panel(line) as panel:
        panel.until_secure()
        device.until(device.is_up)
        assert shown(device, panel)["length"] == 26


def has_read(line: Line) -> None:
    """Everything that was sent: it answers what is asked behind that, by its name, which it has for anybody. A packet that came in the middle
    of what it took for another is no question; it is asked again."""
    line.flush()
    for _ in range(PATIENCE):
        line.write(packet(b"\x61\0"))
        if any(reply[0] == 0x45 for reply in replies(line.heard(1, 0x45))):
            return
    raise AssertionError("it does not say its name any more")


def test_a_handshake_that_begins_in_its_middle_has_no_channel(device, line):
    """libosdp 3.2.9 has a key of zeros for a session that nobody began: whoever encrypts zeros with it would be the panel."""
    for sequence in (0, 1, 2):
        line.write(scrypt(encrypted(bytes(16), bytes(16)), sequence))
        device.until(lambda: device.count("refused") == sequence + 1)
        # 0x78 would be osdp_RMAC_I: the channel is there.
        assert 0x78 not in [reply[0] for reply in replies(line.heard(0.2))]
        assert not device.is_up()
    still_serves(device, line)


@pytest.mark.parametrize("key", [bytes(16), DEFAULT_KEY], ids=["zeros", "default"])
def test_a_handshake_with_a_key_that_everybody_knows_has_no_channel(device, line, key):
    session = Session(line, key)
    assert session.codes == [0x41] and not session.is_the_device and not device.is_up()


def test_the_near_neighbour_with_the_right_key_has_one(device, line):
    session = Session(line)
    assert session.is_open and session.is_the_device
    device.until(device.is_up)


@pytest.mark.parametrize("default_key", [True, False])
def test_in_install_mode_a_channel_by_a_key_that_everybody_knows_carries_no_card(tmp_path, line, default_key):
    """The default key of the standard, and the zeros that libosdp has where it has no key."""
    device = Device(tmp_path, line, key=None).start("--install")
    assert Session(line, DEFAULT_KEY if default_key else bytes(16), default_key).is_open
    device.tell(record())
    device.until(lambda: device.count("away") == 1)
    assert not device.is_up()
    device.close()


def test_a_card_whose_answer_was_lost_is_shown_again_while_it_is_news(device, line):
    """IEC 60839-11-5: a repeated sequence number gets the same answer. libosdp answers anew, and loses card and channel by it."""
    for attempt in range(1, 20):
        session = Session(line)
        device.until(device.is_up)
        assert session.accept(session.ask(session.command(b"\x60"))) == b"\x40"
        asked, lost, told = session.fetch(device)
        # It is not news for two seconds more, and this one has until then.
        again = session.ask(asked)
        if time.monotonic() - told < 2:
            break
        # This machine took longer than that. Another session, another card.
    assert lost == again
    shown = session.accept(again)
    assert shown[0] == 0x50 and shown[5:9] == wiegand(17, 4711, 26), shown.hex()
    assert session.accept(session.ask(session.command(b"\x60"))) == b"\x40"
    device.until(lambda: device.count("delivered") == attempt and 1 <= device.count("repeats") <= attempt)


def test_a_card_whose_answer_was_lost_is_not_shown_again_when_it_is_no_news(device, line):
    session = Session(line)
    device.until(device.is_up)
    asked, _, _ = session.fetch(device)
    time.sleep(2.5)
    # What is answered now is plain: the channel is given up, and the card with it.
    assert [reply[0] for reply in replies(session.ask(asked))] == [0x41]
    device.until(lambda: not device.is_up())


def test_answers_that_a_panel_did_not_hear_cost_nothing(device, line):
    for _ in range(10):
        with Panel(line) as panel:
            panel.until_secure()
            device.until(device.is_up)
            before, line.losing = device.count("repeats"), 2
            device.until(lambda: line.losing == 0 and device.count("repeats") >= before + 2 or not panel.is_secure())
            if panel.is_secure() and device.is_up():
                assert shown(device, panel)["length"] == 26
                assert device.is_up() and panel.is_secure()
                return
        # libosdp's panel gives up by itself where a third answer is late, too, and has 200 ms for each: this machine took longer.
        line.losing = 0
    pytest.fail("no panel kept its channel")


@pytest.mark.parametrize("code", [0x63, 0x70, 0x71, 0x78, 0x79, 0x7A, 0x7D, 0x81, 0xA0, 0xA4, 0xA6])
def test_a_command_that_the_standard_does_not_have(device, line, code):
    """libosdp 3.2.9 looks its name up, and there is none: it ends."""
    line.write(packet(bytes([code])))
    line.write(packet(bytes([code]), sequence=1))
    device.until(lambda: device.count("malformed") == 2)
    still_serves(device, line)


@pytest.mark.parametrize("kind", range(0x10, 0x20))
@pytest.mark.parametrize("block", [0, 1, 2, 3, 4, 0xFF])
def test_lengths_that_contradict_each_other(device, line, kind, block):
    """Each kind of security block with each wrong length, as short as can be and with room behind it."""
    for rest in (b"", b"\x60", b"\x60" + bytes(4), b"\x69" + bytes(4), b"\x69" + bytes(20), b"\x69" + bytes(21)):
        for sequence in range(4):
            octets = packet(rest, sequence=sequence, block=bytes([block, kind]))
            line.write(octets)
    has_read(line)
    assert device.process.poll() is None, device.said()


# Addresses at which the check of `53 ADDRESS 06 00` is also a control octet: with a check, a security block and a number.
SHORTEST = [(address, control) for address in range(127)
            if (control := crc(bytes([0x53, address, 6, 0])) & 0xFF) & 0x0C == 0x0C and control & 3]


@pytest.mark.parametrize("address, control", SHORTEST[::6])
def test_the_shortest_packet_in_a_secure_channel(tmp_path, line, address, control):
    """Six octets whose check stands in the place of their control octet. libosdp 3.2.9 encrypts sixteen octets before its buffer then, and
    ends, at 24 addresses of 127."""
    device = Device(tmp_path, line, "--address", str(address)).start()
    session = Session(line, address=address, mark=False)
    device.until(device.is_up)
    while session.sequence % 3 + 1 != control & 3:
        session.accept(session.ask(session.command(b"\x60")))
    head = bytes([0x53, address, 6, 0])
    line.write(head + struct.pack("<H", crc(head)))
    # Longer ones, up to one octet less than the shortest that can be.
    for count in range(7, 14):
        head = bytes([0x53, address]) + struct.pack("<H", count) + bytes([0x0C | control & 3, 2, 0x15, 0x60, 0, 0, 0, 0])
        line.write(head[:count - 2] + struct.pack("<H", crc(head[:count - 2])))
    assert line.heard(0.3) == b""
    # The session of before goes on.
    assert session.card(device)[0] == 0x50
    device.close()


def test_garbage_between_the_packets_of_a_panel_costs_nothing(device, line):
    """Octets that are no packet, and packets of other devices on the line, with a panel's packet inside one."""
    chance = random.Random(SEED)
    others = packet(packet(b"\x60", sequence=0), address=0x85) + packet(b"\x60", address=9)
    with Panel(line) as panel:
        panel.until_secure()
        device.until(device.is_up)
        for _ in range(40):
            with panel.panel.lock:
                line.write(others + chance.randbytes(chance.randrange(200)).replace(b"\x53", b"\x52"))
            time.sleep(0.05)
        assert shown(device, panel)["length"] == 26
        assert panel.is_secure() and device.is_up()
    device.until(lambda: device.count("other") == 80 and device.count("noise") > 0)


def test_noise_for_a_while(device, line):
    """Octets at random, valid packets cut, changed and joined."""
    chance = random.Random(SEED)
    good = [packet(b"\x60"), packet(b"\x61\0"), packet(b"\x62\0"), challenge(bytes(8)), packet(b"\x6e\5" + struct.pack("<I", 9600)),
            packet(b"\x75\1\x10" + bytes(16)), packet(b"\x7b\xff\xff"), packet(b"\x7b\0\0"), packet(b"\x80\1\2\3" + bytes(60)),
            packet(b"\x7c" + bytes(30)), packet(b"\xa2"), packet(b"\xa7\xff\xff"), scrypt(bytes(16), 1),
            packet(b"\x69" + bytes(14), sequence=1), packet(b"\x6b" + bytes(5) + b"\x20" + bytes(32), sequence=2)]
    for _ in range(3000):
        octets = bytearray(chance.choice(good))
        what = chance.randrange(5)
        if what == 0:
            octets = octets[:chance.randrange(len(octets))]
        elif what == 1:
            octets[chance.randrange(len(octets))] ^= 1 << chance.randrange(8)
        elif what == 2:
            octets = chance.randbytes(chance.randrange(64))
        elif what == 3:
            # Changed, with a check that holds.
            body = octets[1:-2]
            body[chance.randrange(len(body))] = chance.randrange(256)
            octets = b"\xff" + body + struct.pack("<H", crc(bytes(body)))
        line.write(bytes(octets))
        line.read(4096)
    has_read(line)
    assert device.process.poll() is None, device.said()
    assert not device.is_up()
    still_serves(device, line)
