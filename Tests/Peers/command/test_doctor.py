"""`gatehouse doctor --json`: the same report for programs. Its member names and trouble codes stay as they are."""
import asyncio
import datetime
import json
import os
import subprocess

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

import issuer
from air import Air
from gate import command, is_reference
from test_orders import GATE, by_hand, done, payload
from test_trust import Desk

pytestmark = pytest.mark.skipif(is_reference(), reason="the reference gate has no such command")
SECTIONS = ["controller", "kernel", "process", "buffers", "profile", "gate", "settings", "lights", "screen", "door", "sound", "camera", "codes", "trust", "documents", "wallets", "clock", "updates", "space", "data", "audit log", "outlets", "panel"]


@pytest.fixture
def trust(tmp_path):
    return issuer.write_trust(tmp_path / "trust", issuer.Issuer())


def checked(done) -> dict:
    """The report, its shape checked."""
    lines = done.stdout.decode().splitlines()
    assert done.returncode in (0, 1) and len(lines) == 1, (done.returncode, done.stdout, done.stderr)
    report = json.loads(lines[0])
    assert list(report) == ["well", "sections", "troubles"]
    assert report["well"] == (done.returncode == 0) == (report["troubles"] == [])
    # Where nobody is believed there is nothing to say of whom wallets' claims are believed from.
    left_out = {"wallets"} if "trust-unusable" in codes(report) else set()
    assert [section["name"] for section in report["sections"]] == [name for name in SECTIONS if name not in left_out]
    found = []
    for section in report["sections"]:
        assert list(section) == ["name", "summary", "rows"]
        assert section["summary"] is None or section["summary"]
        for row in section["rows"]:
            assert list(row) == ["name", "value", "state", "advice", "remedy"]
            assert row["state"] in ("ok", "note", "trouble")
            assert row["state"] != "trouble" or (row["advice"] and row["remedy"])
            if row["state"] == "trouble":
                found.append((f"{row['name']}: {row['value']}", row["remedy"]))
    for trouble in report["troubles"]:
        assert list(trouble) == ["code", "sentence", "remedy"]
        assert all(trouble.values())
    assert [(trouble["sentence"], trouble["remedy"]) for trouble in report["troubles"]] == found
    return report


def doctor(*options, cwd=None) -> dict:
    return checked(subprocess.run([os.path.abspath(command()[0]), *command()[1:], "doctor", "--json", *map(str, options)], capture_output=True, timeout=120, cwd=cwd))


def on_air(tmp_path, *options, prepare=lambda air: None) -> dict:
    async def examined():
        async with Air(tmp_path / "air") as air:
            prepare(air)
            process = await asyncio.create_subprocess_exec(
                *command(), "doctor", "--json", "--hci", f"unix:{air.path}", *map(str, options), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            out, errors = await asyncio.wait_for(process.communicate(), 30)
            return subprocess.CompletedProcess([], process.returncode, out, errors)

    return checked(asyncio.run(examined()))


def rows(report: dict, section: str) -> dict:
    return {row["name"]: row for row in next(s for s in report["sections"] if s["name"] == section)["rows"]}


def codes(report: dict) -> list[str]:
    return [trouble["code"] for trouble in report["troubles"]]


def test_all_is_well(trust, tmp_path):
    report = on_air(tmp_path, "--trust", trust, "--data", tmp_path)
    assert report["well"]
    controller = rows(report, "controller")
    assert controller["Reset"]["value"] == "ok" and controller["LE ACL"]["value"].startswith("27 octets x 64") and controller["LE ACL"]["state"] == "note"
    assert controller["HCI version"]["value"].endswith("(0x09)") and controller["address"]["state"] == "note"
    assert controller["2M PHY"]["value"] in ("yes", "no") and controller["dropped packets"]["value"] == "none"
    kernel = rows(report, "kernel")
    assert kernel["release"]["value"] == os.uname().release and kernel["AF_BLUETOOTH"]["value"] in ("yes", "no")
    process = rows(report, "process")
    assert process["user"]["value"].startswith(f"{os.geteuid()}, group {os.getegid()}") and process["seccomp"]["value"] in ("off", "strict", "filter")
    assert {"effective capabilities", "bounding capabilities", "CAP_NET_ADMIN", "no_new_privs", "Landlock", "memory limit", "open file limit"} <= set(process)
    assert {"data folder", "trust folder"} <= set(rows(report, "space"))
    assert rows(report, "clock")["synchronised"]["state"] in ("ok", "note")


def test_no_controller_and_no_trust(tmp_path):
    report = doctor("--hci", "unix:air", "--trust", "absent", "--data", "data", cwd=tmp_path)
    assert codes(report) == ["controller-link-not-found", "trust-unusable"]
    assert report["troubles"][1]["remedy"] == "gatehouse trust install FILE --root FILE --into absent"
    assert not (tmp_path / "data").exists()


def test_the_kernels_controller(trust, tmp_path):
    report = doctor("--hci", "hci:65000", "--trust", trust, "--data", tmp_path)
    expected = {"yes": ["controller-absent", "controller-not-permitted"], "no": ["controller-no-bluetooth"]}
    assert len(codes(report)) == 1 and codes(report)[0] in expected[rows(report, "kernel")["AF_BLUETOOTH"]["value"]]


def test_controller_that_refuses(trust, tmp_path):
    from bumble import hci

    def refuse(air):
        air.gate.on_hci_set_event_mask_command = lambda command: hci.HCI_StatusReturnParameters(0x0C)

    report = on_air(tmp_path, "--trust", trust, "--data", tmp_path, prepare=refuse)
    assert codes(report) == ["controller-refuses"]
    assert rows(report, "controller")["Set Event Mask"]["value"] == "refused, status 0xc"


def test_controller_that_does_not_answer(trust, tmp_path):
    def ignore(air):
        air.gate.on_hci_read_local_version_information_command = lambda command: None

    report = on_air(tmp_path, "--trust", trust, "--data", tmp_path, prepare=ignore)
    assert codes(report) == ["controller-no-answer"]
    assert "HCI version" not in rows(report, "controller")


def test_controller_that_speaks_nonsense(trust, tmp_path):
    """Events nobody asked for are counted."""
    def babble(air):
        answer = air.gate.on_hci_read_local_supported_features_command

        def answered(command):
            for _ in range(3):
                air.gate.host.on_packet(b"\x04\x77\x02\x01\x02")
            return answer(command)

        air.gate.on_hci_read_local_supported_features_command = answered

    report = on_air(tmp_path, "--trust", trust, "--data", tmp_path, prepare=babble)
    assert report["well"] and "eventUnknown 3" in rows(report, "controller")["dropped packets"]["value"]


def test_devices_and_damaged_log(trust, tmp_path):
    (tmp_path / "audit.jsonl").write_text("noise\n")
    report = doctor("--hci", "unix:air", "--lights", "gpio:nowhere/accept=1,reject=2", "--screen", "fb:/dev/null", "--trust", trust, "--data", tmp_path, cwd=tmp_path)
    assert codes(report) == ["controller-link-not-found", "lights-no-chip", "screen-unsupported", "audit-broken"]
    lights = rows(report, "lights")
    assert lights["accept"]["value"] == "nowhere line 1" and lights["busy"]["value"] == "not fitted"


def test_profile(trust, tmp_path):
    (tmp_path / "board.json").write_text(json.dumps({"name": "bench", "hci": "unix:air", "lights": "log:", "screen": "none:", "face": "off"}))
    report = doctor("--board", "board.json", "--trust", trust, "--data", tmp_path, cwd=tmp_path)
    profile = next(s for s in report["sections"] if s["name"] == "profile")
    assert profile["summary"] == "bench" and [row["name"] for row in profile["rows"]] == ["camera", "audit"]


@pytest.mark.parametrize("options, member, are_compared", [
    ((), {"face": "off"}, False), (("--camera", "dir:."), {"face": "off"}, True), ((), {"face": "off", "camera": "dir:."}, False),
    (("--camera", "dir:."), {"face": "when-photo"}, True), (("--camera", "dir:.", "--face", "off"), {"face": "required"}, False),
])
def test_a_camera_that_is_added_is_not_for_nothing(trust, tmp_path, options, member, are_compared):
    """A profile that was written for a gate without this camera says nothing of what its pictures are for."""
    (tmp_path / "board.json").write_text(json.dumps({"name": "bench", "hci": "unix:air", "lights": "log:", "screen": "none:", **member}))
    arguments = ["--board", "board.json", "--trust", trust, "--data", tmp_path, "--face-plugin", "/nowhere.so", *options]
    if are_compared:
        done = subprocess.run([*command(), "doctor", *map(str, arguments)], capture_output=True, text=True, timeout=120, cwd=tmp_path)
        assert done.returncode == 1 and "! matcher: --face-plugin /nowhere.so: cannot be read" in done.stdout, done
    else:
        assert "off" in rows(doctor(*arguments, cwd=tmp_path), "settings")["face"]["value"]


def test_a_gate_that_was_reset_and_not_set_up_since(tmp_path):
    """From the moment on in which the reset is taken, and before anything is erased."""
    desk = Desk(tmp_path)
    options = ("--hci", "unix:air", "--trust", desk.gate, "--root", desk.root, "--data", tmp_path / "data")
    assert "site-reset" not in codes(doctor(*options, cwd=tmp_path))
    done("reset", by_hand(desk, payload("reset", 1)), "--root", desk.root, "--into", desk.gate, "--gate-id", GATE)
    report = doctor(*options, cwd=tmp_path)
    trouble = next(trouble for trouble in report["troubles"] if trouble["code"] == "site-reset")
    assert "nobody can enter" in trouble["sentence"] and trouble["remedy"].startswith("gatehouse site install")
    assert rows(report, "gate")["orders taken"]["value"] == "reset 1"


KEY = "00112233445566778899aabbccddeeff"


def at_panel(tmp_path, options: str | None, key: str | None = KEY + "\n") -> dict:
    state = tmp_path / "panel"
    state.mkdir(exist_ok=True)
    (state / "key").unlink(missing_ok=True)
    if key is not None:
        (state / "key").write_text(key)
        (state / "key").chmod(0o600)
    if options is not None:
        (tmp_path / "osdp").write_text(options)
    return doctor("--hci", "unix:air", "--trust", "absent", "--data", "data", "--panel", "osdp", "--panel-state", state, cwd=tmp_path)


def test_a_gate_at_no_panel(tmp_path):
    report = at_panel(tmp_path, None)
    assert rows(report, "panel") == {} and not [code for code in codes(report) if code.startswith("panel")]
    assert next(s for s in report["sections"] if s["name"] == "panel")["summary"].startswith("not set up")


def test_a_gate_at_a_panel(tmp_path):
    """What it is started with, and never the key or the card: of this machine's users none is the reader's, so what is theirs is tested in DoctorTests."""
    report = at_panel(tmp_path, "OSDP_OPTIONS=--line /dev/null --card accepted=99:47110\n")
    assert [code for code in codes(report) if code.startswith("panel")] in (["panel-user"], ["panel-key-unreadable"])
    assert "aabbcc" not in json.dumps(report) and "47110" not in json.dumps(report)
    for options in ("OSDP_OPTIONS=--line /dev/null\n", "OSDP_OPTIONS=--install --line /dev/null --card accepted=1:2\n", "OPTIONS=\n", ""):
        assert [code for code in codes(at_panel(tmp_path, options)) if code.startswith("panel")] == ["panel-settings"]


def test_names_that_would_move_the_cursor(tmp_path):
    nasty = "\x1b[2Jissuer \u202e"
    folder = tmp_path / "trust"
    folder.mkdir()
    entry = issuer.trust_entry(issuer.Issuer())
    entry["ids"] = [*entry["ids"], nasty]
    (folder / "demo.json").write_text(json.dumps(entry))
    for options in ((), ("--json",)):
        done = subprocess.run([os.path.abspath(command()[0]), *command()[1:], "doctor", "--hci", "unix:air", "--trust", str(folder), "--data", str(tmp_path), *options],
                              capture_output=True, timeout=120, cwd=tmp_path)
        assert "\x1b" not in done.stdout.decode() and "\u202e" not in done.stdout.decode()
    assert any(nasty in name for name in rows(json.loads(done.stdout), "trust"))


def test_nothing_secret(trust, tmp_path):
    """What the process has in its environment is nobody's to see."""
    done = subprocess.run([*command(), "doctor", "--json", "--hci", f"unix:{tmp_path}/air", "--trust", str(trust), "--data", str(tmp_path)],
                          capture_output=True, timeout=120, env={**os.environ, "GATEHOUSE_PASSWORD": "open-sesame"})
    assert b"sesame" not in done.stdout + done.stderr


@pytest.mark.parametrize("days, state", [(400, "ok"), (180, "ok"), (179, "note"), (170, "note"), (365 * 40, "ok")])
def test_how_long_updates_can_come(trust, tmp_path, days, state):
    """Of two certificates the one that ends last, as where a new one is to take over. From 2050 on the time is written in another way (RFC 5280)."""
    (tmp_path / "update.pem").write_bytes(certificate(-20) + b"# the one before\n" + certificate(days) + certificate(-10))
    report = on_air(tmp_path, "--trust", trust, "--data", tmp_path, "--update-root", tmp_path / "update.pem")
    row = rows(report, "updates")["certificate"]
    assert report["well"] and row["state"] == state and row["value"] == f"ends in {days} days"


@pytest.mark.parametrize("certificates, code", [([(-1, 2000)], "update-root-ended"), ([(400, 2100)], "update-root-not-begun"), ([(-1, 2000), (400, 2100)], "update-root-not-begun")])
def test_updates_that_cannot_come_now(trust, tmp_path, certificates, code):
    (tmp_path / "update.pem").write_bytes(b"".join(certificate(days if year == 2000 else 40_000, year) for days, year in certificates))
    report = on_air(tmp_path, "--trust", trust, "--data", tmp_path, "--update-root", tmp_path / "update.pem")
    assert codes(report) == [code] and not report["well"]


def test_one_that_has_begun_is_enough(trust, tmp_path):
    (tmp_path / "update.pem").write_bytes(certificate(400) + certificate(40_000, 2100))
    assert on_air(tmp_path, "--trust", trust, "--data", tmp_path, "--update-root", tmp_path / "update.pem")["well"]


@pytest.mark.parametrize("content", [b"", b"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n", b"\n" * (1 << 20 | 1), None, "fifo", "folder"])
def test_certificates_of_updates_that_are_none(trust, tmp_path, content):
    file = tmp_path / "update.pem"
    if content == "fifo":
        os.mkfifo(file)
    elif content == "folder":
        file.mkdir()
    elif content is not None:
        file.write_bytes(content)
    report = on_air(tmp_path, "--trust", trust, "--data", tmp_path, "--update-root", file)
    assert codes(report) == ["update-root-unusable"] and str(file) in report["troubles"][0]["sentence"], report["troubles"]
    assert report["troubles"][0]["remedy"].endswith(str(file))


def certificate(days: float, begins: int = 2000) -> bytes:
    """One that ends so many days, and half a one, from now on; the year it begins."""
    key, name = ec.generate_private_key(ec.SECP256R1()), x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "updates")])
    now = datetime.datetime.now(datetime.timezone.utc)
    made = x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key()).serial_number(1)
    made = made.not_valid_before(datetime.datetime(begins, 1, 1)).not_valid_after(now + datetime.timedelta(days=days + 0.5))
    return made.sign(key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)
