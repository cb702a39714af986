"""Orders by the command, and by hand: a clock set and a site file taken from what this program never signed."""
import asyncio
import base64
import json
import re
import signal
import subprocess
import time

import pytest

from gate import command, is_reference
from rig import Rig
from test_trust import AAD, Desk, envelope, signature
from trust_bundle import Operators, rfc3339

pytestmark = pytest.mark.skipif(is_reference(), reason="the reference gate has no such commands")
ORDER_AAD = b"gatehouse order 1"
GATE = "10000000abcdef01"


def run(*arguments) -> subprocess.CompletedProcess:
    return subprocess.run([*command(), *map(str, arguments)], capture_output=True, text=True, timeout=120)


def done(*arguments) -> str:
    result = run(*arguments)
    assert (result.returncode, result.stderr) == (0, ""), result
    return result.stdout


def refused(*arguments, words: str, status: int = 1) -> None:
    result = run(*arguments)
    assert (result.returncode, result.stdout) == (status, ""), result
    assert result.stderr.startswith("refused: " if status == 1 else "Error: ") and words in result.stderr, result


@pytest.fixture
def desk(tmp_path):
    return Desk(tmp_path)


def payload(kind: str, number: int = 1, gates=(GATE,), content=None, created: float = -60, lasts: float = 86400, **changes) -> bytes:
    """An order in the form of RFC 8785, which json.dumps gives for texts and small whole numbers."""
    now = time.time()
    order = {"gatehouse-order": 1, "kind": kind, "number": number, "gates": gates if gates == "all" else sorted(gates), "content": content or {},
             "created": rfc3339(now + created), "notAfter": rfc3339(now + created + lasts), **changes}
    return json.dumps(order, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def by_hand(desk, octets: bytes, *names: str, aad: bytes = ORDER_AAD):
    file = desk.folder / "by-hand.cose"
    file.write_bytes(envelope(octets, *(signature(desk.signers[name], octets, aad=aad) for name in names or ("alice", "bob"))))
    return file


def to(desk, *words, gate: str = GATE):
    return (*words, "--root", desk.root, "--into", desk.gate, "--gate-id", gate)


def by_command(desk, kind: str, number: int, *options, signers=("alice", "bob")):
    file = desk.folder / f"{kind}-{number}"
    done("order", "build", "--kind", kind, "--number", number, "--not-after", rfc3339(time.time() + 86400), "--out", file, *options)
    for name in signers:
        done("order", "sign", file, "--key", desk.signers[name].path, "--kid", name, "--root", desk.root, "--out", file)
    return file


def test_an_order_made_by_hand_and_one_made_by_the_command_are_one_format(desk):
    content = desk.folder / "content.json"
    content.write_text('{ "name": "NORTH",\n "perGate": {} }')
    file = by_command(desk, "site", 3, "--gate", "b", "--gate", GATE, "--content", content, "--created", "2026-06-01T00:00:00Z")
    shown = run("order", "inspect", file, "--root", desk.root)
    assert shown.returncode == 0 and shown.stdout.splitlines()[1:] == [
        "valid signature by alice", "valid signature by bob", "2 of the root's signers have to sign: the threshold is met"]
    order = json.loads(shown.stdout.splitlines()[0])
    assert order["gates"] == [GATE, "b"] and order["content"] == {"name": "NORTH", "perGate": {}} and order["number"] == 3
    assert shown.stdout.splitlines()[0] == json.dumps(order, sort_keys=True, separators=(",", ":"))
    # Signed along with the words for orders, and verified without this program.
    octets = file.read_bytes()
    for name in ("alice", "bob"):
        assert signature(desk.signers[name], shown.stdout.splitlines()[0].encode(), aad=ORDER_AAD)[2] in octets


def test_a_clock_is_set_once_by_an_order(desk):
    file = by_hand(desk, payload("time", 5, created=-60))
    before = time.time()
    assert before - 62 <= int(done(*to(desk, "time", "set", file))) <= before - 58
    refused(*to(desk, "time", "set", file), words="has taken number 5 of the kind time already")
    refused(*to(desk, "time", "set", by_hand(desk, payload("time", 4))), words="number 4")
    assert json.loads((desk.gate / "highwater").read_text())["time"] >= before - 62
    later = by_hand(desk, payload("time", 6, created=-30, content={"time": rfc3339(before + 600)}))
    assert abs(int(done(*to(desk, "time", "set", later))) - before - 600) <= 1


REFUSED = {
    "below the threshold": ("not signed by as many", lambda desk: by_hand(desk, payload("time"), "alice")),
    "by a stranger": ("not signed by as many", lambda desk: by_hand(desk, payload("time"), "alice", "mallory")),
    "with a bundle's words": ("not signed by as many", lambda desk: by_hand(desk, payload("time"), aad=AAD)),
    "of another kind": ("one of the kind export", lambda desk: by_hand(desk, payload("export"))),
    "for another gate": ("this one is " + GATE, lambda desk: by_hand(desk, payload("time", gates=("elsewhere",)))),
    "that has ended": ("could be used until", lambda desk: by_hand(desk, payload("time", created=-250, lasts=100))),
    "that turns the clock back": ("turnBack", lambda desk: by_hand(desk, payload("time", created=-4000, lasts=86400))),
    "that lasts too long": ("31 days", lambda desk: by_hand(desk, payload("time", lasts=40 * 86400))),
    "with an unknown member": ("not a member", lambda desk: by_hand(desk, payload("time", door="open"))),
    "with unknown content": ("not a member", lambda desk: by_hand(desk, payload("time", content={"zone": "UTC"}))),
    "with number 0": ("number", lambda desk: by_hand(desk, payload("time", 0))),
    "of no kind": ("is not a kind", lambda desk: by_hand(desk, payload("door"))),
    "that is not canonical": ("RFC 8785", lambda desk: by_hand(desk, payload("time") + b" ")),
    "that is a bundle": ("not signed by as many", lambda desk: desk.bundle(7)),
    "that nobody signed": ("is not a file that somebody signed.", lambda desk: unsigned(desk)),
    "that nobody signed and a person indented": ("is not a file that somebody signed.", lambda desk: unsigned(desk, b"\n  ")),
    "that is empty": ("one encoding", lambda desk: unsigned(desk, text=b"")),
    "that is cut off": ("one encoding", lambda desk: unsigned(desk, text=by_hand(desk, payload("time")).read_bytes()[:-1])),
}


def unsigned(desk, before: bytes = b"", text: bytes | None = None):
    (desk.folder / "unsigned").write_bytes(before + (payload("time") if text is None else text))
    return desk.folder / "unsigned"


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused_changes_nothing(desk, name):
    words, make = REFUSED[name]
    file = make(desk)
    refused(*to(desk, "time", "set", file), words=words)
    # It names the file that is wrong, and not the folder, which is not.
    assert run(*to(desk, "time", "set", file)).stderr.startswith(f"refused: {file}: ")
    assert desk.files() == {}


def test_a_folder_that_is_wrong_is_named_and_not_the_file(desk):
    for kind, command in (("time", ("time", "set")), ("site", ("site", "install"))):
        nowhere = run(*command, by_hand(desk, payload(kind)), "--root", desk.root, "--into", desk.folder / "none", "--gate-id", GATE)
        assert nowhere.stderr == f"refused: {desk.folder / 'none'}: the folder does not exist\n", nowhere


def test_an_order_may_turn_a_clock_back_if_it_says_so_and_never_behind_what_has_passed(desk):
    assert done(*to(desk, "time", "set", by_hand(desk, payload("time", 1, created=-4000, lasts=5000, content={"turnBack": True}))))
    refused(*to(desk, "time", "set", by_hand(desk, payload("time", 2, created=-5000, lasts=9000, content={"turnBack": True}))), words="has certainly passed")


def test_nobody_signs_what_no_gate_would_take(desk):
    out, content, end = desk.folder / "out", desk.folder / "content", rfc3339(time.time() + 86400)
    def build(text: str, *options, words: str, kind: str = "site", status: int = 1):
        content.write_text(text)
        refused("order", "build", "--kind", kind, "--number", 1, "--not-after", end, "--content", content, "--out", out,
                *(options or ("--all-gates",)), words=words, status=status)
    build('{"nam":"x"}', words="nam is not a member")
    build('{"camera":"cmd:sh"}', words="only the board's profile")
    build('{"perGate":{"b":{}}}', "--gate", "a", words="not for this gate")
    build("[]", words="no JSON object")
    build("{}", "--gate", "a b", words="an id that no gate has")
    build("{}", words="--kind", kind="door", status=2)
    refused("order", "build", "--kind", "export", "--number", 1, "--not-after", end, "--out", out, words="--all-gates", status=2)
    done("order", "build", "--kind", "export", "--number", 1, "--all-gates", "--created", "2998-01-01T00:00:00Z", "--not-after", "2999-01-01T00:00:00Z", "--out", out)
    refused("order", "sign", out, "--key", desk.signers["alice"].path, "--kid", "alice", "--out", desk.folder / "signed", words="in the future")


def test_a_site_file_is_installed_shown_and_explained(desk):
    content = {"name": "ALL", "timeServers": ["a.example", "b.example"], "update": {"url": "https://u.example", "poll": 60},
               "outlets": {"mqtt.json": {"gate": "east-1"}, "broker-ca.pem": "-----BEGIN\nä"}, "perGate": {GATE: {"name": "NORTH"}}}
    assert done(*to(desk, "site", "install", by_hand(desk, payload("site", 2, content=content)))) == "site file 2 installed: in force when the gate starts next\n"
    assert json.loads(done(*to(desk, "site", "show")))["name"] == "NORTH"
    assert done(*to(desk, "site", "show", "--member", "timeServers")) == "a.example\nb.example\n"
    assert sorted(done(*to(desk, "site", "show", "--member", "update")).splitlines()) == ["poll=60", "url=https://u.example"]
    files = dict(line.split("=", 1) for line in done(*to(desk, "site", "show", "--member", "outlets")).splitlines())
    assert json.loads(base64.b64decode(files.pop("mqtt.json"), validate=True)) == {"gate": "east-1"}
    assert base64.b64decode(files.pop("broker-ca.pem"), validate=True).decode() == "-----BEGIN\nä" and files == {}
    assert done(*to(desk, "site", "show", "--member", "face")) == ""
    refused(*to(desk, "site", "show", "--member", "door"), words="--member", status=2)
    by_name = f"refused: {desk.folder / 'by-hand.cose'}: "
    refused(*to(desk, "site", "install", by_hand(desk, payload("site", 2, content={"name": "X"}))), words=by_name + "The order has the number 2")
    refused(*to(desk, "site", "install", by_hand(desk, payload("site", 3, content={"nam": "X"}))), words=by_name)
    refused(*to(desk, "site", "install", by_hand(desk, payload("site", 3, content={"nam": "X"}))), words="nam is not a member")
    refused("site", "check", desk.folder / "by-hand.cose", words="nam is not a member")


def test_a_lost_mark_is_said_and_a_gate_that_ends_keeps_the_time_it_ran(tmp_path):
    rig = Rig(tmp_path, algorithms=("ES256",))
    operators, installed = Operators(tmp_path / "operators"), tmp_path / "installed"
    operators.install(rig.trust, installed, created=-10, begins=-11)
    rig.options, rig.trust = ("--root", str(operators.root)), installed
    mark = lambda name="highwater": json.loads((installed / name).read_text())
    made = mark()
    for name in ("highwater", "highwater.copy"):
        (installed / name).write_bytes(b"\0" * 200)
    doctor = run("doctor", "--hci", "unix:nowhere", "--data", "nowhere", "--trust", installed, "--root", operators.root)
    assert any(line.startswith("! mark: ") for line in doctor.stdout.splitlines()), doctor.stdout
    began = time.monotonic()
    rig.open()
    try:
        heard(rig, "the high-water mark was lost")
        assert rig.visit().accepted
        assert next(record for record in rig.gate.audit() if record["event"] == "started")["mark"] == "lost"
        assert mark() == made == mark("highwater.copy")
        # By whole seconds, of which two may not have gone by.
        rig.run(asyncio.sleep(4))
        assert rig.run(rig.gate.stop()) == 0
    finally:
        rig.close()
    # The board's clock is ten days ahead of what was signed: only what was signed and what the gate has run count.
    assert made["time"] + 2 <= mark()["time"] <= made["time"] + (time.monotonic() - began) + 1 and mark() == mark("highwater.copy")
    assert mark()["bundle"] == made["bundle"]


def site(rig: Rig, operators: Operators, number: int, content: dict) -> None:
    folder = rig.folder / "orders"
    folder.mkdir(exist_ok=True)
    (folder / "content").write_text(json.dumps(content))
    done("order", "build", "--kind", "site", "--number", number, "--all-gates", "--not-after", rfc3339(time.time() + 86400),
         "--content", folder / "content", "--out", folder / "site")
    for name in operators.names[: operators.threshold]:
        done("order", "sign", folder / "site", "--key", operators.key_file(name), "--kid", name, "--root", operators.root, "--out", folder / "site")
    done("site", "install", folder / "site", "--root", operators.root, "--into", rig.trust)


def heard(rig: Rig, words: str, patience: float = 60) -> None:
    rig.run(rig.gate.until(lambda: any(words in line for line in rig.gate.errors), patience, what=words))


def test_a_gate_runs_with_its_site_file_and_gives_up_one_it_cannot_start_with(tmp_path):
    rig = Rig(tmp_path, algorithms=("ES256",))
    operators, installed = Operators(tmp_path / "operators"), tmp_path / "installed"
    operators.install(rig.trust, installed)
    rig.options, rig.trust = ("--root", str(operators.root)), installed
    site(rig, operators, 1, {"name": "NORTH", "auditSize": 64, "auditFull": "drop-oldest"})
    rig.open()
    try:
        heard(rig, "site file 1, on trial")
        assert "OVPNORTH" in rig.uri() and rig.visit().accepted
        # A minute with the controller up, not the moment at which it comes up.
        assert (installed / "site.trial").read_text() == "1 1\n" and not (installed / "site.good.cose").exists()
        heard(rig, "it is kept", 120)
        assert not (installed / "site.trial").exists() and (installed / "site.good.cose").read_bytes() == (installed / "site.cose").read_bytes()
        started = next(record for record in rig.gate.audit() if record["event"] == "started")
        assert started["site"] == 1 and re.fullmatch("[0-9a-f]{16}", started["gate"])
    finally:
        rig.run(rig.gate.__aexit__())
    doctor = json.loads(run("doctor", "--hci", "unix:nowhere", "--data", rig.gate.data, "--trust", installed, "--root", operators.root, "--json").stdout)
    rows = {section["name"]: {row["name"]: row["value"] for row in section["rows"]} for section in doctor["sections"]}
    assert rows["settings"]["name"] == "NORTH (site file 1)" and rows["settings"]["hci"] == "unix:nowhere (option)" and rows["gate"]["site file"] == "1"
    assert rows["gate"]["id"].startswith(started["gate"]) and rows["settings"]["wire"] == "0.5 (default)"
    assert rows["settings"]["auditSize"] == "64 (site file 1)" and f"of at most {64 << 20}; when full: drop-oldest" in rows["audit log"]["room"], rows
    # A file the gate cannot start with: faces before a camera, on a board without a matcher.
    site(rig, operators, 2, {"name": "SOUTH", "camera": "v4l2:/dev/nowhere", "face": "required"})
    words = [run("run", "--hci", "unix:nowhere", "--screen", "none:", "--data", tmp_path / "data-2", "--trust", installed, "--root", operators.root,
                 "--face-plugin", "/nowhere.so") for _ in range(3)]
    assert [word.returncode for word in words] == [2, 2, 2] and all("site file 2, on trial" in word.stderr for word in words), words
    rig.start()
    try:
        heard(rig, "site file 2 is given up")
        assert "OVPNORTH" in rig.uri()
    finally:
        rig.close()


def test_an_order_has_the_audit_log_exported_once(desk):
    data, stick = desk.folder / "data", desk.folder / "stick"
    data.mkdir()
    line = json.dumps({"seq": 1, "prev": "0" * 64, "at": 1800000000, "up": 1, "event": "started"}, separators=(",", ":"))
    (data / "audit-00000001.jsonl").write_text(line + "\n")
    export = lambda file: ("audit", "export", "--data", data, "--into", stick, "--request", file, "--root", desk.root, "--trust", desk.gate, "--gate-id", GATE)
    refused(*export(by_hand(desk, payload("export"), "alice")), words="not signed by as many")
    refused(*export(by_hand(desk, payload("time"))), words="one of the kind time")
    refused(*export(by_hand(desk, payload("export", gates=("elsewhere",)))), words="this one is " + GATE)
    assert not stick.exists() and not (data / "audit.exported").exists()
    file = by_hand(desk, payload("export", 3))
    assert "1 segment exported, up to 1" in done(*export(file))
    assert (stick / "audit-00000001.jsonl").read_text() == line + "\n" and (data / "audit.exported").exists()
    refused(*export(file), words="has taken number 3 of the kind export already")


def test_an_image_brings_its_own_bundle_to_a_gate_with_an_older_one_and_reloads_under_its_number(tmp_path):
    rig = Rig(tmp_path, algorithms=("ES256",))
    operators, installed, image = Operators(tmp_path / "operators"), tmp_path / "installed", tmp_path / "image"
    image.mkdir()
    operators.install(rig.trust, installed, sequence=7)
    source, rig.trust = rig.trust, installed
    (image / "lowest").write_text("9\n")
    rig.options = ("--root", str(operators.root), "--lowest-bundle", str(image / "lowest"))
    rig.start()
    try:
        heard(rig, "no-trust-bundle")
    finally:
        rig.run(rig.gate.__aexit__())
    (image / "bundle.cose").write_bytes(operators.sign(source, sequence=9).read_bytes())
    rig.open()
    try:
        heard(rig, "bundle 7 is older than this system image takes")
        heard(rig, "trust bundle 9")
        assert rig.visit().accepted and json.loads((installed / "highwater").read_text())["sequence"] == 9
        # What the gate was told of by the option is read again after it was confined.
        rig.run(asyncio.to_thread(operators.install, source, installed, sequence=10))
        rig.gate.process.send_signal(signal.SIGHUP)
        heard(rig, "trust bundle 10")
        assert rig.visit().accepted
    finally:
        rig.close()
