"""The program as the person at the board meets it: `verify`, `doctor`, and what is refused before anything begins."""
import asyncio
import hashlib
import json
import os
import re
import subprocess
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest

import issuer
from air import Air
from gate import Gate, command, is_reference
from phone import Phone, Plan
from swift_sources import ROOT, files

pytestmark = pytest.mark.skipif(is_reference(), reason="the reference gate has no such commands")
DEMO = issuer.Issuer()
MIB = 1 << 20
OPTIONS = {
    "run": {"--board", "--hci", "--lights", "--door", "--sound", "--screen", "--language", "--words", "--trust", "--root", "--lowest-bundle", "--data", "--name", "--wire", "--camera",
            "--face", "--face-matcher", "--face-plugin", "--face-models", "--face-thresholds", "--face-settings", "--codes", "--codes-without-face", "--documents", "--reader-key", "--code-prefix", "--offer", "--code-turn", "--proofs", "--trusted-key", "--http", "--feed", "--user", "--confine", "--trace", "--controller-reset",
            "--audit-size", "--audit-segment", "--audit-full", "--update-root", "--verdict-time"},
    "verify": {"--code", "--code-prefix", "--trust", "--root", "--lowest-bundle", "--at", "--json"},
    "doctor": {"--audit-size", "--audit-segment", "--audit-full", "--update-root", "--board", "--hci", "--lights", "--door", "--sound", "--screen", "--language", "--words", "--camera", "--face", "--face-matcher", "--face-plugin", "--face-models", "--face-thresholds", "--face-settings", "--codes", "--codes-without-face", "--documents", "--reader-key", "--code-prefix", "--offer", "--code-turn", "--proofs", "--trusted-key", "--http", "--trust", "--root", "--lowest-bundle", "--data", "--outlets", "--outlet-states", "--panel", "--panel-state", "--json"},
    "self-test": {"--board", "--hci", "--lights", "--door", "--sound", "--screen", "--language", "--words", "--camera", "--face", "--face-matcher", "--face-plugin", "--face-models", "--face-thresholds", "--face-settings",
                  "--trust", "--root", "--lowest-bundle", "--deadline", "--program", "--json"},
    "lamps": {"--board", "--hci", "--lights", "--door", "--sound", "--screen", "--language", "--words", "--camera", "--trust", "--root", "--lowest-bundle", "--seconds"},
    "panel-button": {"--board"},
    "screen": {"--render", "--size", "--scale", "--language", "--words"},
}
CONTROLS = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")


@dataclass
class Result:
    status: int
    out: str
    errors: str

    @property
    def lines(self) -> list[str]:
        return self.out.splitlines()

    def refused(self, *words: str) -> None:
        """Exit code 2, nothing on standard output, and a sentence with these words."""
        assert (self.status, self.out) == (2, ""), self
        assert self.errors.startswith("Error: "), self
        for word in words:
            assert word in self.errors.splitlines()[0], (word, self)


@pytest.fixture
def gatehouse(tmp_path):
    """Runs the program in an empty folder."""
    program, *words = command()
    program = os.path.abspath(program) if "/" in program else program

    def run(*arguments, input: bytes = b"") -> Result:
        done = subprocess.run([program, *words, *map(str, arguments)], input=input, capture_output=True, timeout=120, cwd=tmp_path)
        return Result(done.returncode, done.stdout.decode(), done.stderr.decode())

    return run


@pytest.fixture
def trust(tmp_path):
    return issuer.write_trust(tmp_path / "trust", DEMO)


@pytest.fixture
def verify(gatehouse, trust):
    """Verifies octets, from standard input. Every reject says what was seen."""
    def verify(payload, *options):
        result = gatehouse("verify", "-", "--trust", trust, *options, input=payload)
        if result.status == 1 and "--json" in options:
            assert all(reason["saw"] for reason in json.loads(result.out)["reasons"]), result.out
        elif result.status == 1:
            sentences = [number for number, line in enumerate(result.lines) if line[:1].isupper() and line.endswith(".")]
            assert sentences and all(result.lines[number + 1].startswith("  ") for number in sentences), result.out
        return result
    return verify


# MARK: verify

def test_accepts(verify):
    payload = DEMO.credential()
    result = verify(payload.encode())
    assert (result.status, result.errors) == (0, "")
    assert result.lines[:2] == ["accept", f"issuer {DEMO.name} (Demo issuer 0)"]
    assert {"form sd_jwt", f"type {issuer.VCT}", 'claim given_name: "Asha"', 'claim birthdate: "1990-05-17"'} <= set(result.lines)
    assert f"expires {datetime.fromtimestamp(claims_of(payload)['exp'], timezone.utc):%Y-%m-%dT%H:%M:%SZ}" in result.lines
    assert re.search(r"^claim portrait: \(\d+ octets\)$", result.out, re.M)


@pytest.mark.parametrize("name", issuer.REASONS)
def test_rejects(verify, name):
    result = verify(issuer.refusals(DEMO)[name])
    code, *detail = result.lines[0].removeprefix("reject ").split()
    assert (result.status, code, result.errors) == (1, issuer.REASONS[name], "")
    assert len(result.lines) >= 2 and result.lines[1].endswith(".")
    # Nothing about the person.
    assert "Asha" not in result.out and "Rao" not in result.out and "1990" not in result.out
    assert bool(detail) == (code == "unsupported-form")


def test_form_that_is_not_supported_is_named(verify):
    for payload in (issuer.wrap("a.b.c", "jwt_vc"), b"a.b.c"):
        assert verify(payload).lines[0] == "reject unsupported-form jwt_vc"


def test_every_reason_is_said(verify):
    result = verify(DEMO.credential(issued=-60, expires=-1, vct="urn:other", status={"status_list": {"idx": 1, "uri": "https://x.example"}}).encode())
    assert result.lines[0] == "reject expired" and [line for line in result.lines[1:] if not line.startswith("  ")] == [
        "The credential has expired.", "The issuer is not trusted for this type of credential.",
        "The credential can be revoked, and its status is not known here.", f"issuer {DEMO.name}, whose signature held", "form sd_jwt"]
    assert f"  type: urn:other; taken here: {issuer.VCT}" in result.lines and "  list: https://x.example entry 1, list-missing" in result.lines
    reasons = json.loads(verify(DEMO.credential(issued=-60, expires=-1, vct="urn:other").encode(), "--json").out)["reasons"]
    assert [reason["code"] for reason in reasons] == ["expired", "type-not-trusted"]


@pytest.mark.parametrize("envelope", (
    lambda c: c, lambda c: c + "\n", lambda c: " \r\n\t" + c + " ", lambda c: json.dumps(c), lambda c: issuer.wrap(c).decode(),
    lambda c: json.dumps({"verifiableCredential": c}), lambda c: "\n" + json.dumps(json.loads(issuer.wrap(c)), indent=4)),
    ids=("bare", "line", "white space", "string", "wrapper", "older wrapper", "indented"))
def test_what_a_credential_may_come_in(verify, envelope):
    assert verify(envelope(DEMO.credential()).encode()).lines[0] == "accept"


def test_file_and_standard_input_are_alike(gatehouse, verify, trust, tmp_path):
    payload = issuer.wrap(DEMO.credential())
    (tmp_path / "visit.json").write_bytes(payload)
    assert gatehouse("verify", "visit.json", "--trust", trust).out == verify(payload).out
    assert gatehouse("verify", "--trust", trust, "--json", tmp_path / "visit.json").out == verify(payload, "--json").out


def test_json_of_an_accepted_one(verify):
    credential = DEMO.credential(portrait=3000, hobbies=["chess"], nested={"deep": [1.50, 10**30, None, True]})
    result = verify(credential.encode(), "--json")
    assert result.status == 0 and len(result.lines) == 1
    found = json.loads(result.out)
    assert list(found) == ["verdict", "reasons", "issuer", "form", "type", "key", "expires", "notes", "unsigned", "roles", "claims"]
    signed = claims_of(credential)
    assert (found["verdict"], found["reasons"], found["notes"]) == ("accept", [], [])
    assert (found["issuer"], found["form"], found["type"], found["expires"]) == (DEMO.name, "sd_jwt", issuer.VCT, signed["exp"])
    disclosed = {name: value for _, name, value in (json.loads(issuer.unb64(d)) for d in credential.split("~")[1:-1])}
    covered = {**{name: value for name, value in signed.items() if name not in ("_sd", "_sd_alg")}, **disclosed}
    assert found["claims"] == covered
    assert "1.5" in result.out and str(10**30) in result.out


def test_claims_are_what_the_holder_disclosed_and_no_more(verify):
    signed, *disclosures, _ = DEMO.credential().split("~")
    claims = json.loads(verify("~".join([signed, disclosures[1], ""]).encode(), "--json").out)["claims"]
    assert set(claims) == {"iss", "vct", "iat", "nbf", "exp", "family_name"}


def test_the_wallets_own_words_are_not_claims(verify):
    payload = json.loads(issuer.wrap(DEMO.credential()))
    payload["verifiableCredential"]["clearance"] = payload["clearance"] = payload["vcMetadata"]["clearance"] = "all doors"
    result = verify(json.dumps(payload).encode(), "--json")
    assert result.status == 0 and "clearance" not in result.out


def test_json_of_a_rejected_one(verify):
    result = verify(issuer.wrap("a.b.c", "jwt_vc"), "--json")
    found = json.loads(result.out)
    assert result.status == 1 and list(found) == ["verdict", "reasons", "form"]
    assert found["verdict"] == "reject"
    assert [list(reason) for reason in found["reasons"]] == [["code", "detail", "inji", "sentence", "saw"]]
    assert (found["reasons"][0]["code"], found["reasons"][0]["detail"]) == ("unsupported-form", "jwt_vc")
    expired = json.loads(verify(issuer.refusals(DEMO)["expired"], "--json").out)
    assert list(expired["reasons"][0]) == ["code", "inji", "sentence", "saw"]
    assert (expired["issuer"], expired["issuerSigned"], expired["form"]) == (DEMO.name, True, "sd_jwt")


@pytest.mark.parametrize("json_too", ((), ("--json",)), ids=("text", "json"))
def test_control_characters_do_not_reach_the_terminal(verify, json_too):
    nasty = "\x1b[2J\x1b]0;title\x07\r\n\t\b\x00 \x7f \x9b31m \x85 \u202eevil\u202c \u2066 \u2028 \u2029 \U0001f642 नमस्ते\u200d é"
    result = verify(DEMO.credential(**{nasty: nasty, "list": [nasty]}).encode(), *json_too)
    assert result.status == 0
    assert not CONTROLS.search(result.out), sorted(set(CONTROLS.findall(result.out)))
    assert "\U0001f642 नमस्ते\u200d é" in result.out
    if json_too:
        claims = json.loads(result.out)["claims"]
        assert claims[nasty] == nasty and claims["list"] == [nasty]


def test_time_of_verification(verify):
    payload = DEMO.credential(issued=-1, expires=30).encode()
    today = datetime.now(timezone.utc)
    at = lambda days, zone=timezone.utc: (today + timedelta(days=days)).astimezone(zone).isoformat(timespec="seconds")
    for days, expected in ((-2, "reject not-yet-valid"), (0, "accept"), (29, "accept"), (31, "reject expired")):
        for text in (at(days).replace("+00:00", "Z"), at(days), at(days, timezone(timedelta(hours=5, minutes=30))), at(days).replace("+00:00", ".75Z")):
            result = verify(payload, "--at", text)
            assert (result.status, result.lines[0]) == (int(expected != "accept"), expected), text


@pytest.mark.parametrize("time_text", ("", "yesterday", "now", "1800000000", "2026-01-31", "2026-01-31T12:00:00", "2026-01-31 12:00:00Z", "2026-13-01T00:00:00Z",
                                  "2026-02-29T00:00:00Z", "2026-01-31T24:00:00Z", "2026-01-31T12:00:60Z", "2026-01-31T12:00:00+5:30", "2026-01-31T12:00:00Z\n",
                                  "２０２６-01-31T12:00:00Z"))
def test_time_that_is_none(verify, time_text):
    verify(DEMO.credential().encode(), f"--at={time_text}").refused("--at")


@pytest.mark.parametrize("noise", (b"\x00" * 5000, b"\xff" * 5000, bytes(range(256)) * 64, b"\x1f\x8b\x08" + b"\x00" * 100, b"{", b"\"", b"~", b" \n", b"\xef\xbb\xbf{}",
                                   b"a.b.c~", b"\xa2" * 60, b'{"verifiableCredential":null}'))
def test_noise_is_rejected(verify, noise):
    result = verify(noise)
    assert result.status == 1 and re.fullmatch(r"reject [a-z-]+( [a-z_]+)?", result.lines[0]), result
    assert not CONTROLS.search(result.out)


def test_input_that_nobody_can_use(gatehouse, verify, trust, tmp_path):
    verify(b"").refused("-: empty")
    (tmp_path / "empty").write_bytes(b"")
    with open(tmp_path / "large", "wb") as file:
        file.truncate(16 * MIB + 1)
    unusable = {"empty": "empty", "large": "longer than 16 MiB", "trust": "cannot be read", "nowhere": "cannot be read"}
    for name, word in unusable.items():
        gatehouse("verify", name, "--trust", trust).refused(name, word)
    with open(tmp_path / "large", "r+b") as file:
        file.truncate(16 * MIB)
    assert gatehouse("verify", "large", "--trust", trust).status == 1
    assert verify(b" " * (16 * MIB + 1)).status == 2


TRUST = {
    "missing": (None, "cannot be read"), "empty": ({}, "holds no trust file"), "only a hidden file": ({".a.json": "{}"}, "holds no trust file"),
    "not JSON": ({"a.json": "{"}, "a.json"), "empty file": ({"a.json": ""}, "a.json"), "not an object": ({"a.json": "[]"}, "a.json"),
    "unknown version": ({"a.json": {"gatehouse-trust": 2}}, "gatehouse-trust"), "unknown member": ({"a.json": {"colour": "red"}}, "colour"),
    "no key": ({"a.json": {"keys": None}}, "keys"), "no types": ({"a.json": {"types": []}}, "types"), "bad algorithm": ({"a.json": {"algorithms": ["none"]}}, "algorithms"),
    "private key": ({"a.json": {"keys": [{"kid": "a", "jwk": {**DEMO.jwk(), "d": "AAAA"}}]}}, "private key"),
    "bad key": ({"a.json": {"keys": [{"kid": "a", "jwk": {**DEMO.jwk(), "x": "AAAA"}}]}}, "keys[0].jwk"),
    "same issuer twice": ({"a.json": {}, "b.json": {}}, "ids[0]"), "one good, one bad": ({"a.json": {}, "b.json": "nonsense"}, "b.json"),
}


@pytest.mark.parametrize("name", TRUST)
def test_trust_folder_that_nobody_can_use(gatehouse, tmp_path, name):
    files, word = TRUST[name]
    if files is not None:
        (tmp_path / "trust").mkdir()
        for file, content in files.items():
            text = content if isinstance(content, str) else json.dumps(issuer.trust_entry(DEMO, **content))
            (tmp_path / "trust" / file).write_text(text)
    refusal = gatehouse("verify", "-", "--trust", "trust", input=DEMO.credential().encode())
    refusal.refused("--trust", word)
    assert "trust: trust: " not in refusal.errors, refusal
    gatehouse("run", "--trust", "trust", "--hci", "unix:air", "--data", "data").refused("--trust", word)
    assert not (tmp_path / "data").exists()
    doctor = gatehouse("doctor", "--trust", "trust", "--hci", "unix:air", "--data", "data")
    assert doctor.status == 1 and any(line.startswith("! trust: ") and word in line for line in doctor.lines), doctor.out


# MARK: help and options

@pytest.mark.parametrize("name", OPTIONS)
def test_help_names_every_option(gatehouse, name):
    result = gatehouse(name, "--help")
    assert (result.status, result.errors) == (0, "")
    assert set(re.findall(r"^  (--[a-z-]+)", result.out, re.M)) - {"--version"} == OPTIONS[name]
    assert gatehouse("help", name).out == result.out


def test_help_names_every_command(gatehouse):
    result = gatehouse("--help")
    assert result.status == 0
    assert set(re.findall(r"^  ([a-z][a-z-]*)  ", result.out, re.M)) == {*OPTIONS, "trust", "order", "time", "site", "provision", "reset", "audit", "calibrate", "face"}


@pytest.mark.parametrize("arguments", (
    ["open"], ["run", "--colour", "red"], ["verify"], ["verify", "a", "b"], ["verify", "-", "--hci", "hci:0"], ["doctor", "--xml"], ["run", "now"],
    ["run", "--hci"], ["verify", "-", "--at"]), ids=" ".join)
def test_options_that_do_not_exist(gatehouse, arguments):
    gatehouse(*arguments).refused()


def test_version(gatehouse):
    result = gatehouse("--version")
    assert result.status == 0 and result.errors == ""
    assert re.fullmatch(r"gatehouse \S+\ncommit ([0-9a-f]{12}\+?|unknown)\nSwift 6\.\d( or later)?\n(slot .+\n)?libcrypto OpenSSL \d\S+\nzlib 1\.\S+\nlibgpiod \d\S+\n"
                        r"libqrencode \d\S+\nlibseccomp \d\S+\n", result.out), result.out


MONIKERS = {
    "--hci": ("", "hci", "hci:", "hci:x", "hci:-1", "hci:65535", "usb:0", "serial:", "serial:/dev/ttyS0,1234567", "unix:", "tcp:", "tcp:127.0.0.1",
              "tcp:127.0.0.1:0", "tcp:127.0.0.1:65536", ":0", "HCI:0", "hci:0\n"),
    "--lights": ("", "log", "log:x", "gpio:", "gpio:chip", "gpio:chip/", "gpio:chip/accept=1", "gpio:chip/accept=1,reject=1", "gpio:chip/accept=1,reject=2,blue=3",
                 "gpio:chip/accept=1,reject=2,accept=3", "gpio:chip/accept=,reject=2", "gpio:chip/accept=99999,reject=2", "lamp:"),
    "--door": ("", "log", "log:x", "gpio:", "gpio:chip", "gpio:chip/", "gpio:chip/contact=1", "gpio:chip/lock=1,contact=1", "gpio:chip/lock=1,lock=2",
               "gpio:chip/lock=1,bell=2", "gpio:chip/lock=", "gpio:chip/lock=99999", "gpio:chip/lock=1:high", "gpio:chip/lock=1:pull-up", "terminal:"),
    "--sound": ("", "log", "log:x", "gpio:chip/horn=1", "gpio:chip/buzzer=1:pull-up", "pwm:", "pwm:relative/pwm0", "alsa:default"),
    "--camera": ("", "v4l2", "v4l2:", "dir:", "file:", "cmd:", "stdin:x", "v4l2:/dev/video0,640", "dir:a,0", "eye:1"),
    "--screen": ("", "fb", "fb:", "terminal:1", "none:x", "hdmi:0", "fb:/dev/fb0,rotate=45", "fb:/dev/fb0,scale=10", "fb:/dev/fb0,tilt=1"),
}


@pytest.mark.parametrize("option, moniker", [(option, moniker) for option, monikers in MONIKERS.items() for moniker in monikers])
def test_moniker_that_is_none(gatehouse, trust, tmp_path, option, moniker):
    gatehouse("run", option + "=" + moniker, "--trust", trust, "--data", "data").refused(option)
    gatehouse("doctor", option + "=" + moniker, "--trust", trust, "--data", "data").refused(option)
    assert not (tmp_path / "data").exists()


@pytest.mark.parametrize("option, values", (
    ("--verdict-time", ("", "0", "0.09", "10.1", "60", "-1", "nan", "inf", "3s")),
    ("--name", ("", "TWELVE-CHARS", "two words", "Grüezi", "a/b", "a\n", "门")), ("--wire", ("", "0.3", "0.50", "5", "v0.5")),
    ("--face", ("", "always", "Required", "whenPhoto"))))
def test_value_that_run_refuses(gatehouse, trust, tmp_path, option, values):
    for value in values:
        gatehouse("run", f"{option}={value}", "--hci", "unix:air", "--trust", trust, "--data", "data").refused(option)
    assert not (tmp_path / "data").exists()


def test_devices_that_run_cannot_open(gatehouse, trust, tmp_path):
    run = lambda *options: gatehouse("run", "--hci", "unix:air", "--trust", trust, "--data", "data", *options)
    # A chip and a screen that are not there are waited for (test_closed.py, and the emulated machine).
    run("--controller-reset", "relative").refused("--controller-reset", "absolute")
    run("--data", "trust/demo-0.json").refused("--data")
    run("--data", "no/such").refused("--data")
    # A lamp that is dark by a high line would open the lock.
    run("--door", "gpio:chip/lock=5", "--lights", "gpio:chip/accept=4,reject=5,active-low").refused("--lights", "reject", "lock")


def test_the_lock_is_closed_before_the_lamps_are_switched(gatehouse, trust):
    """A chip that keeps its levels keeps the lock of a gate that was killed open. One that is not there is named, and the lamps go on."""
    result = gatehouse("lamps", "off", "--door", "gpio:no-such-chip/lock=5", "--trust", trust)
    assert result.status == 1 and "the door cannot be had" in result.errors and "no-such-chip" in result.errors, result
    assert gatehouse("lamps", "off", "--door", "log:", "--trust", trust).status == 0
    # A lamp on the lock's line would open it by being dark: neither command takes it.
    both = ("--door", "gpio:no-such-chip/lock=5", "--lights", "gpio:no-such-chip/accept=4,reject=5,active-low", "--trust", trust)
    result = gatehouse("lamps", "fault", "--seconds", 1, *both)
    assert result.status == 1 and "no lamp is switched" in result.errors and "reject" in result.errors, result
    result = gatehouse("doctor", *both)
    assert result.status == 1 and "the door's lock" in result.out, result


# MARK: board profile

def profile(path: Path, **members) -> Path:
    path.write_text(json.dumps({"name": "test", "hci": "unix:air", "lights": "log:", "screen": "none:", "face": "off", **members}))
    return path


def test_profile_names_the_devices_and_options_override_it(gatehouse, trust, tmp_path):
    board = profile(tmp_path / "board.json", hci="unix:nowhere", lights="gpio:nowhere/accept=1,reject=2", screen="fb:/nowhere", audit="/nowhere/log")
    doctor = lambda *options: gatehouse("doctor", "--board", board, "--trust", trust, *options)
    found = doctor()
    assert found.status == 1
    assert troubles(found) == ["controller", "lights", "screen"] and "none yet at /nowhere/log" in found.out
    assert troubles(doctor("--lights", "log:")) == ["controller", "screen"]
    assert troubles(doctor("--screen", "none:", "--lights", "terminal:")) == ["controller"]


@pytest.mark.parametrize("content, word", (
    ({"colour": "red"}, "colour is not a member"), ({"hci": None}, "hci is not a string"), ({"hci": "usb:0"}, "hci: usb"), ({"lights": "log"}, "lights"),
    ({"screen": ""}, "screen"), ({"name": "A Board"}, "name"), ({"audit": "relative"}, "audit"), ("{", "JSON"), ("[]", "object"), ("{}", "name is missing"),
    ('{"name":"a","hci":"hci:0","lights":"log:","screen":"none:"}', "face is missing: write"), ({"face": "maybe"}, "face"),
    (None, "cannot be read"), ('{"name":"a","name":"b"}', "JSON"), (" " * 70_000, "too long")))
def test_profile_that_is_refused(gatehouse, trust, tmp_path, content, word):
    path = tmp_path / "board.json"
    if isinstance(content, dict):
        profile(path, **content)
    elif content is not None:
        path.write_text(content)
    for name in ("run", "doctor"):
        gatehouse(name, "--board", path, "--trust", trust, "--data", "data").refused("board.json", word)
    assert not (tmp_path / "data").exists()


def test_the_boards_that_come_with_it(gatehouse, trust):
    for path in (ROOT / "board").glob("*/board.json"):
        assert gatehouse("doctor", "--board", path, "--trust", trust, "--data", "data").status in (0, 1), path


def test_run_with_a_profile(tmp_path, trust):
    (tmp_path / "log").mkdir()
    audit = tmp_path / "log" / "visits.jsonl"
    board = profile(tmp_path / "board.json", hci=f"unix:{tmp_path / 'air'}", screen="terminal:", audit=str(audit))

    async def visited():
        async with Air(tmp_path / "air") as air:
            phone = await Phone.on(air)
            gate = Gate(air.path, trust, tmp_path / "log")
            gate.arguments = command() + ["run", "--board", str(board), "--trust", str(trust), "--name", "FROM-BOARD"]
            async with gate:
                assert "name=OVPFROM-BOARD&" in await gate.uri()
                assert (await gate.visit(phone, issuer.wrap(DEMO.credential()), Plan())).accepted
                assert await gate.stop() == 0

    asyncio.run(visited())
    assert [json.loads(line)["event"] for line in audit.read_text().splitlines()] == ["started", "visit"]


# MARK: doctor

def troubles(result: Result) -> list[str]:
    return [line[2:].split(":")[0] for line in result.lines if line.startswith("!")]


def doctor_on_air(tmp_path, *options, prepare=lambda air: None) -> tuple[Result, dict]:
    async def examined():
        async with Air(tmp_path / "air") as air:
            prepare(air)
            process = await asyncio.create_subprocess_exec(
                *command(), "doctor", "--hci", f"unix:{air.path}", *map(str, options), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            out, errors = await asyncio.wait_for(process.communicate(), 30)
            return Result(process.returncode, out.decode(), errors.decode()), air.gate.left

    return asyncio.run(examined())


def names_in(source: str) -> list[str]:
    """The rows of the one file of that name, wherever it is."""
    text, = (text for path, text in files().items() if path.name == source)
    return re.findall(r'Row\(\s*name: "([^"]+)"', text)


def test_doctor_finds_all_well(trust, tmp_path):
    result, left = doctor_on_air(tmp_path, "--trust", trust, "--data", tmp_path / "data")
    assert (result.status, result.lines[-1], troubles(result)) == (0, "all is well", []), result
    table = dict(line.strip().split(": ", 1) for line in result.lines if line.startswith("  ") and ": " in line)
    steps, buffers = names_in("BringUp.swift"), names_in("GateStorage.swift")
    assert len(steps) == 14 and len(buffers) >= 6
    assert [table[step] for step in steps if table[step] not in ("ok", "not there, not needed")] == []
    assert table["Reset"] == table["LE Set Event Mask"] == table["Read Local Version"] == "ok"
    for buffer in buffers:
        assert re.search(rf"^  {buffer}: [1-9]\d* octets, \w", result.out, re.M), buffer
    assert "message: 4194304 octets" in result.out and "payload: 16777216 octets" in result.out
    for part in ("lights: ", "screen: ", "trust: a folder that nobody signed, 1 issuer", f"  {DEMO.name}: 1 key, 0 roots", "clock: ", "audit log: none yet at "):
        assert any(line.startswith(part) for line in result.lines), part
    assert left == {"advertising": False, "links": 0}
    assert not (tmp_path / "data").exists()


def test_doctor_says_which_step_a_controller_refuses(trust, tmp_path):
    from bumble import hci

    def refuse(air):
        air.gate.on_hci_set_event_mask_command = lambda command: hci.HCI_StatusReturnParameters(0x0C)

    result, _ = doctor_on_air(tmp_path, "--trust", trust, "--data", "data", prepare=refuse)
    assert result.status == 1 and troubles(result) == ["controller"]
    assert "  Set Event Mask: refused, status 0xc" in result.lines and "  LE Read Buffer Size: not reached" in result.lines
    assert any(re.match(r"  HCI version: [1-9]\.\d \(0x[0-9A-F]{2}\)", line) for line in result.lines)


def test_doctor_says_which_step_a_controller_does_not_answer(trust, tmp_path):
    def ignore(air):
        air.gate.on_hci_read_local_supported_features_command = lambda command: None

    result, _ = doctor_on_air(tmp_path, "--trust", trust, "--data", "data", prepare=ignore)
    assert result.status == 1 and troubles(result) == ["controller"]
    assert "  Read Local Supported Features: no answer" in result.lines and "  Set Event Mask: not reached" in result.lines


def test_doctor_without_a_controller(gatehouse, trust):
    result = gatehouse("doctor", "--hci", "unix:air", "--trust", trust, "--data", "data")
    assert result.status == 1 and troubles(result) == ["controller"]
    assert "buffers" in result.lines and "trust: a folder that nobody signed, 1 issuer" in result.out and "all is well" not in result.out


def test_doctor_goes_on_where_the_face_matcher_is_missing(gatehouse, trust, tmp_path):
    """A board profile for a matcher that this machine lacks: a trouble with its cure, and all the rest is said."""
    (tmp_path / "pictures").mkdir()
    board = profile(tmp_path / "board.json", face="required", camera=f"dir:{tmp_path}/pictures", facePlugin="/nowhere/face.so", faceModels=str(tmp_path))
    options = ("--board", board, "--hci", "unix:air", "--lights", "log:", "--screen", "none:", "--trust", trust, "--data", tmp_path / "data")
    result = gatehouse("doctor", *options)
    assert result.status == 1 and {"controller", "matcher"} <= set(troubles(result)), result
    assert "--face-plugin /nowhere/face.so: cannot be read" in result.out
    for part in ("kernel", "buffers", "trust", "clock", "space", "audit log"):
        assert any(line.startswith(part) for line in result.lines), part
    found = json.loads(gatehouse("doctor", *options, "--json").out)
    matcher, = (trouble for trouble in found["troubles"] if trouble["code"] == "matcher-failed")
    assert "/nowhere/face.so" in json.dumps(matcher) and "gatehouse calibrate" in json.dumps(matcher)
    # A gate that should compare faces and cannot does not start.
    refused = gatehouse("run", *options)
    assert refused.status == 2 and "--face-plugin /nowhere/face.so" in refused.errors


# MARK: audit log

def audit_log(count: int) -> list[str]:
    """Good lines."""
    lines, digest = [], "0" * 64
    for number in range(1, count + 1):
        lines.append(json.dumps({"seq": number, "prev": digest, "at": 1800000000 + number, "up": number, "event": "visit", "visit": number,
                                 "outcome": "accepted"}, separators=(",", ":")))
        digest = hashlib.sha256(lines[-1].encode()).hexdigest()
    return lines


def changed(lines: list[str], at: int, old: str, new: str) -> list[str]:
    assert old in lines[at]
    return [*lines[:at], lines[at].replace(old, new), *lines[at + 1 :]]


DAMAGE = {
    "a verdict changed": (lambda l: changed(l, 3, "accepted", "rejected"), 5, "broken"),
    "a verdict changed in the last line but one": (lambda l: changed(l, 8, "accepted", "rejected"), 10, "broken"),
    "a line removed": (lambda l: l[:4] + l[5:], 5, "out of sequence"),
    "the first line removed": (lambda l: l[1:], 1, "out of sequence"),
    "two lines swapped": (lambda l: [*l[:2], l[3], l[2], *l[4:]], 3, "out of sequence"),
    "a line repeated": (lambda l: [*l[:2], l[1], *l[2:]], 3, "out of sequence"),
    "a line of noise": (lambda l: [*l[:6], "\x00" * 40, *l[6:]], 7, "malformed"),
    "an empty line": (lambda l: [*l[:6], "", *l[6:]], 7, "malformed"),
    "a line too long": (lambda l: [*l[:6], "x" * 9000, *l[6:]], 7, "longer"),
    "a digest that is none": (lambda l: changed(l, 4, '"prev":"', '"prev":"X'), 5, "malformed"),
    "another first line": (lambda l: changed(l, 0, "0" * 64, "1" * 64), 1, "broken"),
}


@pytest.mark.parametrize("name", DAMAGE)
def test_doctor_finds_damage_in_the_audit_log(gatehouse, trust, tmp_path, name):
    damage, line, word = DAMAGE[name]
    (tmp_path / "audit.jsonl").write_text("".join(text + "\n" for text in damage(audit_log(10))))
    result = gatehouse("doctor", "--hci", "unix:air", "--trust", trust, "--data", tmp_path)
    assert result.status == 1 and troubles(result) == ["controller", "audit log"]
    found = next(text for text in result.lines if text.startswith("! audit log"))
    assert f"line {line} of {tmp_path}/audit.jsonl" in found and word in found and f"{line - 1} records before it" in found


def test_doctor_on_whole_and_torn_audit_logs(gatehouse, trust, tmp_path):
    doctor = lambda: gatehouse("doctor", "--hci", "unix:air", "--trust", trust, "--data", tmp_path)
    lines = audit_log(20)
    whole = "".join(line + "\n" for line in lines)
    log = tmp_path / "audit.jsonl"
    log.write_text(whole)
    assert f"audit log: 20 records, 0 repairs, last digest {hashlib.sha256(lines[-1].encode()).hexdigest()}" in doctor().lines
    log.write_text("")
    assert f"audit log: 0 records, 0 repairs, last digest {'0' * 64}" in doctor().lines
    for cut in (1, 20, len(lines[-1])):
        log.write_text(whole[:-cut])
        found = doctor()
        assert troubles(found) == ["controller", "audit log"]
        assert re.search(r"^! audit log: line 20 of \S+ is torn.* 19 records before it are whole\..*repairs", found.out, re.M), found.out
        assert log.read_text() == whole[:-cut]  # the doctor only looks
    log.unlink()
    log.mkdir()
    assert troubles(doctor()) == ["controller", "audit log"]


def test_run_repairs_a_torn_line_and_sets_a_broken_chain_aside(gatehouse, trust, tmp_path):
    log = tmp_path / "data" / "audit.jsonl"
    log.parent.mkdir()
    lines = audit_log(20)
    whole = "".join(line + "\n" for line in lines)
    log.write_text(whole[:-30])

    async def repaired():
        gate = Gate(tmp_path / "air", trust, log.parent)
        async with gate:
            await gate.light("fault")
            assert await gate.stop() == 0
        assert any("audit log repaired: " + str(len(lines[-1]) - 29) in line for line in gate.errors), gate.errors
        return gate.audit()

    assert [record["event"] for record in asyncio.run(repaired())[18:]] == ["visit", "repaired", "started"]
    result = gatehouse("doctor", "--hci", "unix:air", "--trust", trust, "--data", log.parent)
    assert "audit log: 21 records, 1 repairs" in result.out
    damaged = "".join(line + "\n" for line in [*lines[:18], "noise", "noise"])
    log.write_text(damaged)

    async def set_aside():
        gate = Gate(tmp_path / "air", trust, log.parent)
        async with gate:
            await gate.light("fault")
            assert await gate.stop() == 0
        assert any("audit-00000001.damaged was set aside" in line for line in gate.errors), gate.errors

    asyncio.run(set_aside())
    first, second = (json.loads(line) for line in log.read_text().splitlines())
    assert (first["event"], first["seq"], first["segment"], first["damaged"]) == ("segment", 19, 2, 1)
    assert first["prev"] == hashlib.sha256(lines[17].encode()).hexdigest()
    assert (first["octets"], first["sha256"]) == (len(damaged), hashlib.sha256(damaged.encode()).hexdigest())
    assert second["event"] == "started"
    assert (log.parent / "audit-00000001.damaged").read_text() == damaged
    result = gatehouse("doctor", "--hci", "unix:air", "--trust", trust, "--data", log.parent)
    assert "audit log: 20 records, 0 repairs" in result.out and "segment 1 was damaged" in result.out
    (log.parent / "audit-00000001.damaged").write_text(damaged[:-1])
    result = gatehouse("doctor", "--hci", "unix:air", "--trust", trust, "--data", log.parent)
    assert "audit log" in troubles(result) and "names a damaged segment with another digest" in result.out


def test_audit_is_exported_by_order_and_verified(gatehouse, trust, tmp_path):
    """Segments that a gate sealed, to a stick and back; an order of the signers is used once."""
    data = tmp_path / "data"
    data.mkdir()
    lines, half = audit_log(20), 12
    digest = hashlib.sha256(lines[half - 1].encode()).hexdigest()
    (data / "audit-00000001.jsonl").write_text("".join(line + "\n" for line in lines[:half]))
    second = [json.dumps({"seq": half + 1, "prev": digest, "at": 1800000100, "up": 5, "event": "segment", "segment": 2}, separators=(",", ":"))]
    (data / "audit.jsonl").write_text(second[0] + "\n")
    last = hashlib.sha256(second[0].encode()).hexdigest()
    verified = gatehouse("audit", "verify", data)
    assert verified.status == 0 and "13 records in segments 1 to 2" in verified.out and last in verified.out
    stick = tmp_path / "stick"
    exported = gatehouse("audit", "export", "--data", data, "--into", stick)
    assert exported.status == 0 and f"1 segment exported, up to 1, digest {digest}" in exported.out, exported
    manifest = json.loads((stick / "audit-00000001-to-00000001.manifest").read_text())
    assert manifest["to"] == 1 and manifest["digest"] == digest
    assert manifest["segments"] == [{"name": "audit-00000001.jsonl", "segment": 1, "octets": (data / "audit-00000001.jsonl").stat().st_size,
                                     "sha256": hashlib.sha256((data / "audit-00000001.jsonl").read_bytes()).hexdigest()}]
    assert json.loads((data / "audit.exported").read_text()) == {"segment": 1, "digest": digest}
    copy = json.loads(gatehouse("audit", "verify", stick, "--json").out)
    assert (copy["well"], copy["records"], copy["digest"], copy["first"], copy["last"]) == (True, 12, digest, 1, 1)
    assert "exported: up to segment 1" in gatehouse("audit", "verify", data).out
    assert "nothing to export" in gatehouse("audit", "export", "--data", data, "--into", stick).out
    # A segment that is gone, without a record that says so.
    (data / "audit-00000001.jsonl").unlink()
    gone = gatehouse("audit", "verify", data)
    assert gone.status == 1 and "! what was before segment 2 is not here" in gone.out
    (stick / "audit-00000001.jsonl").write_text("".join(line + "\n" for line in changed(lines[:half], 3, "accepted", "rejected")))
    bad = gatehouse("audit", "verify", stick)
    assert bad.status == 1 and f"! line 5 of {stick}/audit-00000001.jsonl is broken off" in bad.out
    assert gatehouse("audit", "verify", tmp_path).status == 2
    assert gatehouse("audit", "export", "--data", data, "--into", stick, "--request", tmp_path / "none").status == 2


def claims_of(credential: str) -> dict:
    return json.loads(issuer.unb64(credential.split("~")[0].split(".")[1]))
