"""`gatehouse run --trace FILE`: every packet is in it, whole in length, and nothing a wallet sent for the gate alone.

The reader of the format below shares nothing with the gate, and what it finds is compared with what the controller's end of the wire saw.
`btmon -r` reads the files too where it is installed ($BTMON names it).
"""
import os
import re
import shutil
import struct
import subprocess
import time
from dataclasses import dataclass

import pytest

import air
import wallet as w
from gate import command, is_reference
from phone import Plan

pytestmark = pytest.mark.skipif(is_reference(), reason="the reference gate keeps no trace")
BTMON = os.environ.get("BTMON") or shutil.which("btmon")
EPOCH = 0x00DCDDB30F2F8000
WINDOW = 8


@dataclass
class Record:
    packet: bytes
    received: bool
    seconds: float  # since 1970


def read(path) -> list[Record]:
    """A btsnoop file of version 1 with H4 packets."""
    octets = path.read_bytes()
    assert octets[:16] == b"btsnoop\0" + struct.pack(">II", 1, 1002)
    records, at = [], 16
    while at < len(octets):
        original, kept, flags, drops, stamp = struct.unpack_from(">IIIIq", octets, at)
        packet = octets[at + 24 : at + 24 + kept]
        assert len(packet) == kept == original and drops == 0 and flags < 4
        received = bool(flags & 1)
        assert bool(flags & 2) == (packet[0] in (1, 4)), "commands and events bear a flag"
        assert packet[0] in ((2, 4) if received else (1, 2)), "commands go out, events come in"
        header, width = {1: (4, 1), 2: (5, 2), 4: (3, 1)}[packet[0]]
        assert int.from_bytes(packet[header - width : header], "little") == kept - header, "a whole H4 packet"
        records.append(Record(packet, received, (stamp - EPOCH) / 1e6))
        at += 24 + kept
    return records


class Wire:
    """What crossed the controller's end of the wire: (received by the gate, packet). Of one gate: other gates of this run may talk meanwhile."""

    def __init__(self, monkeypatch) -> None:
        self.air: air.Air | None = None
        self.packets: list[tuple[bool, bytes]] = []
        self.rest = b""
        to_gate, from_gate = air.H4Server.on_packet, air.H4Server.data_received

        def on_packet(server, packet):
            if self.is_ours(server):
                self.packets.append((True, bytes(packet)))
            to_gate(server, packet)

        def data_received(server, data):
            self.rest += data if self.is_ours(server) else b""
            while len(self.rest) >= 5 or (self.rest[:1] == b"\x01" and len(self.rest) >= 4):
                length = 4 + self.rest[3] if self.rest[0] == 1 else 5 + int.from_bytes(self.rest[3:5], "little")
                if len(self.rest) < length:
                    break
                self.packets.append((False, self.rest[:length]))
                self.rest = self.rest[length:]
            from_gate(server, data)

        monkeypatch.setattr(air.H4Server, "on_packet", on_packet)
        monkeypatch.setattr(air.H4Server, "data_received", data_received)

    def is_ours(self, server: air.H4Server) -> bool:
        return self.air is not None and server.transport is not None and server.controller is self.air.gate

    def way(self, received: bool) -> list[bytes]:
        return since_bring_up([packet for way, packet in self.packets if way == received])


def way(records: list[Record], received: bool) -> list[bytes]:
    return since_bring_up([record.packet for record in records if record.received == received])


def since_bring_up(packets: list[bytes]) -> list[bytes]:
    """From the last HCI_Reset, or its Command Complete, on. On a busy machine the controller's first answer may be too late for the gate, which
    opens it anew: what it sent before is in the trace, and nobody has read it from the wire."""
    resets = [at for at, packet in enumerate(packets) if packet == b"\x01\x03\x0c\x00" or packet[:1] == b"\x04" and packet[1:3] == b"\x0e\x04" and packet[4:6] == b"\x03\x0c"]
    assert resets
    return packets[resets[-1]:]


def windows(*secrets: bytes) -> set[bytes]:
    """Every window of a secret, but for those that are zeros only."""
    return {s[i : i + WINDOW] for s in secrets for i in range(len(s) - WINDOW + 1)} - {bytes(WINDOW)}


def found(secrets: set[bytes], octets: bytes) -> list[bytes]:
    return [octets[i : i + WINDOW] for i in range(len(octets) - WINDOW + 1) if octets[i : i + WINDOW] in secrets]


def attribute_opcodes(packets: list[bytes]) -> list[int]:
    return [p[9] for p in packets if p[0] == 2 and p[2] >> 4 & 3 != 1 and len(p) > 9 and p[7:9] == b"\x04\x00"]


@pytest.fixture
def traced(tmp_path, monkeypatch):
    """Visits with a trace: gives the wire, the records, the rig."""
    from conftest import Rig
    wire = Wire(monkeypatch)
    path = tmp_path / "gate.btsnoop"

    def visits(*plans: Plan, fragment: int = 251, secrets: list | None = None) -> tuple[Wire, list[Record], Rig]:
        rig = Rig(tmp_path, "--trace", str(path), fragment=fragment, algorithms=("ES256",))
        wire.air = rig.air
        rig.open()
        try:
            for plan in plans:
                payload = rig.good(3000)
                visit = rig.visit(plan, payload)
                link = rig.phone.link
                assert visit.accepted or plan.mischief, visit
                key = w.verifier_key(link.private, visit.key)
                if secrets is not None:
                    secrets += [payload, link.nonce, link.private, w.public_key(link.private), key, link.message, *link.chunks, visit.key and key]
                    secrets += [value for _, _, value in visit.pushes]
            assert rig.run(rig.gate.stop()) == 0, rig.gate.errors
        finally:
            rig.close()
        return wire, read(path), rig

    visits.path = path
    return visits


PLANS = (Plan("android", att_mtu=517, loss=0.2), Plan("ios", att_mtu=185, loss=0.2))


@pytest.mark.parametrize("fragment", (251, 27))
def test_no_secret_is_in_a_trace(traced, fragment):
    secrets = []
    wire, records, _ = traced(*PLANS, fragment=fragment, secrets=secrets)
    hidden = windows(*secrets)
    # The wire itself carries them, so the search does find what is there.
    crossed = b"".join(packet for _, packet in wire.packets)
    assert len(found(hidden, crossed)) > 3000
    assert found(hidden, traced.path.read_bytes()) == []
    assert found(hidden, b"".join(record.packet for record in records)) == []


@pytest.mark.parametrize("fragment", (251, 27))
def test_every_packet_is_in_a_trace(traced, fragment):
    started = time.time()
    wire, records, _ = traced(*PLANS, fragment=fragment)
    assert len(records) > 100
    for received in (False, True):
        crossed, traced_packets = wire.way(received), way(records, received)
        assert len(crossed) == len(traced_packets) > 40
        for packet, kept in zip(crossed, traced_packets):
            # A beginning as it was, and zeros.
            assert len(packet) == len(kept)
            same = next((i for i, (a, b) in enumerate(zip(packet, kept)) if a != b), len(packet))
            assert same >= (5 if packet[0] == 2 else 3) and kept[same:] == bytes(len(kept) - same), (packet.hex(), kept.hex())
            if packet[0] in (1, 4):
                assert kept == packet
    times = [r.seconds for r in records]
    assert times == sorted(times) and started - 1 <= times[0] and times[-1] <= time.time() + 1


def test_discovery_stays_readable(traced):
    wire, records, _ = traced(Plan("android"), Plan("ios"))
    for received in (False, True):
        crossed, kept = wire.way(received), way(records, received)
        assert attribute_opcodes(crossed) == attribute_opcodes(kept)
        whole = (0x02, 0x03, 0x04, 0x05, 0x07, 0x08, 0x10, 0x01) if received else (0x01, 0x03, 0x05, 0x07, 0x09, 0x11)
        seen = {p[9] for p, k in zip(crossed, kept) if attribute_opcodes([p]) and p[9] in whole and p == k}
        assert seen >= ({0x02, 0x04, 0x08, 0x10} if received else {0x03, 0x05, 0x09, 0x11})
        for packet, shown in zip(crossed, kept):
            if attribute_opcodes([packet]) and packet[9] in (0x12, 0x52, 0x1B, 0x1D):
                assert shown[:12] == packet[:12] and not any(shown[12:])
    everything = b"".join(r.packet for r in records)
    for name in (w.IDENTIFY, w.SIZE, w.SUBMIT, w.REPORT):
        assert bytes.fromhex(w.uuid(name).replace("-", ""))[::-1] in everything, name


@pytest.mark.parametrize("mischief", sorted(n for n in __import__("mischief").MISCHIEF))
def test_mischief_shows_no_secret(traced, mischief):
    secrets = []
    _, records, _ = traced(Plan("android", mischief=mischief, patience=5), secrets=secrets)
    assert records and found(windows(*secrets), b"".join(record.packet for record in records)) == []


@pytest.mark.skipif(BTMON is None, reason="btmon is not installed, and $BTMON names none")
def test_btmon_reads_it(traced, tmp_path):
    _, records, _ = traced(*PLANS)
    # btmon 5.66 dies of every request for characteristic declarations, in whatever file it comes.
    fatal = re.compile(rb"\x02..\x0b\x00\x07\x00\x04\x00\x08....\x03\x28", re.S)
    octets, at, kept = traced.path.read_bytes(), 16, 0
    copy = octets[:16]
    for record in records:
        size = 24 + len(record.packet)
        if not fatal.fullmatch(record.packet):
            copy, kept = copy + octets[at : at + size], kept + 1
        at += size
    (tmp_path / "copy").write_bytes(copy)
    done = subprocess.run([BTMON, "-r", str(tmp_path / "copy")], capture_output=True, timeout=120)
    text = re.sub(r"\x1b\[[0-9;]*m", "", done.stdout.decode(errors="replace"))
    assert done.returncode == 0, done.stderr
    assert len(re.findall(r"^[<>] (?:HCI Command|HCI Event|ACL Data [TR]X)", text, re.M)) == kept > 100
    assert "ATT: Read By Group Type Request" in text and "ATT: Write Command" in text


# MARK: the file

def test_mode_and_earlier_trace(traced, tmp_path):
    traced(Plan("ios"))
    first = traced.path.read_bytes()
    assert traced.path.stat().st_mode & 0o7777 == 0o600
    traced(Plan("android"))
    assert (tmp_path / "gate.btsnoop.old").read_bytes() == first != traced.path.read_bytes()


@pytest.mark.parametrize("place, word", (
    (lambda p: p.mkdir(), "no trace"), (lambda p: p.write_text("a letter"), "no trace"), (lambda p: os.mkfifo(p), "no trace"),
    (lambda p: p.symlink_to(p.with_name("target")), "no trace"), (lambda p: p.symlink_to("/dev/null"), "no trace"), (None, "folder does not exist")),
    ids=("folder", "file", "pipe", "link", "link to a device", "no folder"))
def test_file_that_run_refuses(rig_with, tmp_path, place, word):
    import issuer
    path = tmp_path / "trace" if place else tmp_path / "no" / "trace"
    if place:
        place(path)
    trust = issuer.write_trust(tmp_path / "trust", issuer.Issuer())
    done = subprocess.run([*command(), "run", "--hci", f"unix:{tmp_path}/air", "--trust", str(trust), "--data", str(tmp_path / "data"), "--screen", "none:",
                           "--trace", str(path)], capture_output=True, timeout=120)
    assert done.returncode == 2 and done.stdout == b""
    assert done.stderr.decode().startswith(f"Error: --trace {path}: ") and word in done.stderr.decode(), done.stderr
    assert not (tmp_path / "target").exists()
    if place and path.is_file() and not path.is_symlink():
        assert path.read_text() == "a letter"


def test_disk_that_is_full_ends_the_trace_and_no_visit(rig_with, tmp_path):
    from conftest import Rig
    path = tmp_path / "trace"
    limited = 20_000
    rig = Rig(tmp_path, "--trace", str(path), algorithms=("ES256",))
    rig.run(rig.air.__aenter__())
    from phone import Phone
    rig.phone = rig.run(Phone.on(rig.air))
    from gate import Gate
    rig.gate = Gate(rig.air.path, rig.trust, tmp_path / "data", *rig.options)
    rig.gate.arguments = ["prlimit", f"--fsize={limited}", *rig.gate.arguments]
    rig.run(rig.gate.start())
    try:
        for plan in PLANS:
            assert rig.visit(plan, rig.good(20_000)).accepted
        assert rig.run(rig.gate.stop()) == 0
    finally:
        rig.close()
    assert [line for line in rig.gate.errors if "trace" in line] == [f"gatehouse: --trace {path}: the trace ends: the disk is full"]
    assert len(read(path)) > 50 and path.stat().st_size <= limited


def test_a_release_has_no_secrets_to_give(tmp_path):
    done = subprocess.run([*command(), "run", "--help"], capture_output=True, timeout=120)
    if b"--trace-secrets" in done.stdout:
        pytest.skip("a development build")
    done = subprocess.run([*command(), "run", "--trace", str(tmp_path / "trace"), "--trace-secrets"], capture_output=True, timeout=120)
    assert done.returncode == 2 and not (tmp_path / "trace").exists()
