"""`gatehouse self-test`: well with the program itself, and bad by name with one that lies, crashes or does nothing, with trust that cannot be read, and
with a broken matcher."""
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import issuer
from gate import command, is_reference

pytestmark = pytest.mark.skipif(is_reference(), reason="the reference gate has no such command")
ROOT = Path(__file__).resolve().parents[3]

# Between the real gate and the air: says something else than the gate does.
LIAR = '''
import os, signal, socket, subprocess, sys, tempfile, threading
# A folder of its own: one that was killed leaves its socket, and numbers of processes come again.
arguments, folder = sys.argv[1:], tempfile.mkdtemp(dir="/tmp")
here = folder + "/air"
air = arguments[arguments.index("--hci") + 1].removeprefix("unix:")
listener = socket.socket(socket.AF_UNIX); listener.bind(here); listener.listen()
arguments[arguments.index("--hci") + 1] = "unix:" + here
gate = subprocess.Popen([GATE, *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
signal.signal(signal.SIGTERM, lambda *_: gate.terminate())
def relay(one, other, change):
    while octets := one.recv(65536): other.sendall(change(octets))
def talk():
    inner, _ = listener.accept()
    outer = socket.socket(socket.AF_UNIX); outer.connect(air)
    threading.Thread(target=relay, args=(outer, inner, lambda octets: octets), daemon=True).start()
    relay(inner, outer, said)
# The status that the wallet is told: a notification of handle 0x23, after five octets of H4 and ACL. What went before it may come with it.
told = bytes.fromhex("040004001b2300")
def said(octets):
    SAID
    return octets
threading.Thread(target=talk, daemon=True).start()
for line in gate.stdout:
    SHOWN
    sys.stdout.buffer.write(line); sys.stdout.buffer.flush()
os.unlink(here); os.rmdir(folder)
sys.exit(ENDING)
'''
LIES = {
    "lets everybody in": ("wrongly-accepted", "octets = octets.replace(told + b'\\1', told + b'\\0')", "pass", "gate.wait()"),
    "lets nobody in": ("wrongly-rejected", "octets = octets.replace(told + b'\\0', told + b'\\1')", "pass", "gate.wait()"),
    "shows the other lamp": ("wrong-light", "pass", "line = line.replace(b'lit=reject', b'lit=accept')", "gate.wait()"),
    "shows another code": ("wrong-code", "pass", "line = line.replace(b'&key=', b'&key=00')", "gate.wait()"),
    "crashes when it has decided": ("ended-before-verdict", "if told in octets: gate.kill(); octets = octets[:octets.index(told) - 5]", "pass", "gate.wait()"),
    "ends with a fault": ("ended-badly", "pass", "pass", "gate.wait() or 1"),
}


# Seconds for visits that nothing keeps from going well, however busy the machine is.
PATIENCE = ("--deadline", "600")


def self_test(*options, patience: float = 700):
    options = [*options, *(() if "--deadline" in options else PATIENCE)]
    done = subprocess.run([*command(), "self-test", "--json", *map(str, options)], capture_output=True, text=True, timeout=patience)
    report = json.loads(done.stdout) if done.stdout else None
    if report:
        assert report["well"] == (done.returncode == 0)
    return done.returncode, {part["name"]: (part["state"], part["sentence"]) for part in report["parts"]} if report else done.stderr


def program(folder: Path, text: str) -> Path:
    path = folder / "program"
    path.write_text(text)
    path.chmod(0o755)
    return path


def test_the_program_itself_is_well(tmp_path):
    code, parts = self_test("--trust", tmp_path / "absent")
    assert code == 0
    assert parts["trust"] == ("none", "no bundle was ever installed")
    assert parts["faces"][0] == "none"
    assert parts["visit"][0] == "well"


@pytest.mark.parametrize("above", ["1", "20260101", ""])
def test_the_program_is_well_where_the_boards_data_were_made_anew(tmp_path, above):
    """What the gate knew is gone, and nobody can enter. That is no fault of the program: its slot is not to be given up."""
    alone = ["unshare", "--mount", "sh", "-c", f'mount -t tmpfs none /run && echo {above} >/run/gatehouse-data-made-anew && exec "$@"', "sh"]
    if shutil.which("unshare") is None or subprocess.run([*alone, "true"], capture_output=True).returncode != 0:
        pytest.skip("no mount namespaces here")
    done = subprocess.run([*alone, *command(), "self-test", "--trust", str(tmp_path / "absent"), *PATIENCE], capture_output=True, text=True, timeout=700)
    lines = done.stdout.splitlines()
    assert done.returncode == 1 and lines[0].startswith("none trust: ") and lines[1].startswith("bad faces: no-camera: ") and lines[2].startswith("well visit: "), done


@pytest.mark.parametrize("anew", [None, "20"])
def test_the_program_is_well_in_an_image_whose_first_bundle_is_not_the_first(tmp_path, anew):
    """The lowest number is for the owner's bundles, not for the one that the visits are made under."""
    there = 'mount -t tmpfs none /usr/share && mkdir /usr/share/gatehouse && echo 30 >/usr/share/gatehouse/lowest-bundle'
    there += f' && mount -t tmpfs none /run && echo {anew} >/run/gatehouse-data-made-anew' if anew else ""
    alone = ["unshare", "--mount", "sh", "-c", there + ' && exec "$@"', "sh"]
    if shutil.which("unshare") is None or subprocess.run([*alone, "true"], capture_output=True).returncode != 0:
        pytest.skip("no mount namespaces here")
    done = subprocess.run([*alone, *command(), "self-test", "--trust", str(tmp_path / "absent"), *PATIENCE], capture_output=True, text=True, timeout=700)
    assert "well visit: " in done.stdout, done


def test_nothing_stays_behind(tmp_path):
    noted = tmp_path / "arguments"
    gate = program(tmp_path, f'#!/bin/sh\necho "$@" >>{noted}\nexec {shlex.join(command())} "$@"\n')
    assert self_test("--trust", tmp_path / "absent", "--program", gate)[0] == 0
    folders = set(re.findall(r"/tmp/gatehouse-\w{6}", noted.read_text()))
    assert len(folders) == 1 and not any(map(os.path.exists, folders)), folders


def test_text_for_people(tmp_path):
    done = subprocess.run([*command(), "self-test", "--trust", str(tmp_path), *PATIENCE], capture_output=True, text=True, timeout=700)
    assert done.returncode == 0
    assert [line.split(":")[0] for line in done.stdout.splitlines()] == ["none trust", "none faces", "well visit"]


@pytest.mark.parametrize("options", [("--deadline", "0"), ("--deadline", "601"), ("--deadline", "x"), ("--hci", "nonsense"), ("--nonsense",)])
def test_unusable_options(options):
    assert self_test(*options)[0] == 2


# MARK: programs that are no gate

@pytest.mark.parametrize("text, reason", [
    ("#!/bin/sh\nexit 3\n", "ended-before-start (768)"),
    ("#!/bin/sh\nkill -ABRT $$\n", "ended-before-start (6)"),
    ("#!/bin/sh\nexec sleep 600\n", "no-start"),
])
def test_a_program_that_is_no_gate(tmp_path, text, reason):
    code, parts = self_test("--trust", tmp_path / "absent", "--program", program(tmp_path, text), "--deadline", 2 if reason == "no-start" else 600)
    assert (code, parts["visit"]) == (1, ("bad", reason))


def test_the_last_words_of_a_gate_that_does_not_start(tmp_path):
    text = "#!/bin/sh\necho 'Error: --confine required: no' >&2\nexit 2\n"
    code, parts = self_test("--trust", tmp_path / "absent", "--program", program(tmp_path, text))
    assert (code, parts["visit"]) == (1, ("bad", "ended-before-start (512); the gate's last words: Error: --confine required: no"))


def test_a_program_that_is_not_there(tmp_path):
    code, parts = self_test("--trust", tmp_path / "absent", "--program", tmp_path / "absent")
    assert (code, parts["visit"]) == (1, ("bad", "not-started (2)"))


@pytest.mark.parametrize("lie", LIES)
def test_a_gate_that_lies(tmp_path, lie):
    reason, said, shown, ending = LIES[lie]
    text = LIAR.replace("GATE", repr(command()[0])).replace("SAID", said).replace("SHOWN", shown).replace("ENDING", ending)
    # The right code might still come until the time is over.
    code, parts = self_test(
        "--trust", tmp_path / "absent", "--program", program(tmp_path, f"#!{sys.executable}\n{text}"), "--deadline", 15 if reason == "wrong-code" else 600)
    assert code == 1
    assert parts["visit"][0] == "bad" and parts["visit"][1].split(" ")[0].rstrip(";") == reason


# MARK: the board's own parts

def test_trust_that_can_be_read(tmp_path):
    code, parts = self_test("--trust", issuer.write_trust(tmp_path / "trust", issuer.Issuer()))
    assert (code, parts["trust"]) == (0, ("well", "1 issuer"))


@pytest.mark.parametrize("name, content", [("issuer.json", "{"), ("bundle.cose", "x"), ("notes.txt", "")])
def test_trust_that_cannot_be_used(tmp_path, name, content):
    (tmp_path / name).write_text(content)
    code, parts = self_test("--trust", tmp_path)
    assert code == 1 and parts["trust"][0] == "bad"
    assert parts["visit"][0] == "well"


@pytest.fixture(scope="session")
def plugins() -> Path:
    subprocess.run([ROOT / "Tests" / "Scripts" / "plugins.sh"], check=True)
    return ROOT / ".build" / "plugins" / "test"


def faces(tmp_path, plugin: Path) -> tuple:
    (tmp_path / "frames").mkdir()
    (tmp_path / "models").mkdir()
    return "--trust", tmp_path / "absent", "--camera", f"dir:{tmp_path}/frames", "--face-plugin", plugin, "--face-models", tmp_path / "models"


def test_the_face_worker_answers(tmp_path, plugins):
    code, parts = self_test(*faces(tmp_path, plugins / "test_matcher.so"))
    assert code == 0 and parts["faces"][0] == "well"


@pytest.mark.parametrize("plugin", ["no_entry", "absent"])
def test_a_broken_worker(tmp_path, plugins, plugin):
    code, parts = self_test(*faces(tmp_path, plugins / f"{plugin}.so"))
    assert code == 1 and parts["faces"][0] == "bad"
    assert parts["visit"][0] == "well"
