"""What root's commands leave in a gate's folders under a strict umask: the gate is another user, and has to read all of it."""
import json
import os
import signal
import stat
import subprocess
import tempfile
import time
from pathlib import Path

import pytest

import issuer
from gate import PATIENCE, command, is_reference
from test_audit_bound import write_log
from test_orders import by_hand, payload
from test_trust import WITHIN, Desk

GATE_USER = 65_534
pytestmark = [pytest.mark.skipif(is_reference(), reason="the reference gate has no such commands"),
              pytest.mark.skipif(os.geteuid() != 0, reason="only root writes what another user cannot read")]


def run(*words, user: int | None = None, umask: int = 0o077) -> subprocess.CompletedProcess:
    return subprocess.run([*command(), *map(str, words)], capture_output=True, text=True, timeout=120, umask=umask, user=user, group=user,
                          extra_groups=None if user is None else [])


def root(*words, umask: int = 0o077) -> str:
    done = run(*words, umask=umask)
    assert (done.returncode, done.stderr) == (0, ""), done
    return done.stdout


@pytest.fixture
def place():
    """A folder that any user may enter."""
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        yield Path(folder)


@pytest.fixture
def desk(place):
    desk = Desk(place)
    os.chown(desk.gate, GATE_USER, GATE_USER)
    os.chmod(desk.gate, 0o700)
    return desk


@pytest.fixture
def data(place):
    write_log(place / "data", 2, length=2000)
    for path in (place / "data", *(place / "data").iterdir()):
        os.chown(path, GATE_USER, GATE_USER)
    return place / "data"


def kept(folder) -> dict:
    """Owner and mode of each file."""
    return {path.name: (path.stat().st_uid, stat.S_IMODE(path.stat().st_mode)) for path in folder.iterdir()}


def of_the_gate(folder, *names) -> None:
    found = kept(folder)
    assert all(name in found for name in names) and found == dict.fromkeys(found, (GATE_USER, 0o644)), found


@pytest.mark.parametrize("umask", [0o022, 0o077, 0o777])
def test_what_is_exported_is_known_to_the_gate(data, place, umask):
    root("audit", "export", "--data", data, "--into", place / "stick", umask=umask)
    assert kept(data)["audit.exported"] == (GATE_USER, 0o644)
    known = run("audit", "verify", data, "--json", user=GATE_USER)
    assert known.returncode == 0 and json.loads(known.stdout)["exportedTo"] == 2, known
    # The next one replaces it, whoever makes it.
    (data / "audit.exported").write_text("{}")
    os.chmod(data / "audit.exported", 0o600)
    root("audit", "export", "--data", data, "--into", place / "stick", "--all", umask=umask)
    assert kept(data)["audit.exported"] == (GATE_USER, 0o644)


def test_a_request_that_root_did_not_take_back_is_no_trouble_for_the_gates_user(data, place):
    export = ("audit", "export", "--data", data, "--seal", "--into")
    asking = subprocess.Popen([*command(), *map(str, export), str(place / "stick")], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, umask=0o077)
    while not (data / "audit.seal").exists():
        assert asking.poll() is None
        time.sleep(0.002)
    asking.send_signal(signal.SIGKILL)
    asking.wait(PATIENCE)
    assert kept(data)["audit.seal"] == (GATE_USER, 0o600)
    (place / "own").mkdir()
    os.chown(place / "own", GATE_USER, GATE_USER)
    done = run(*export, place / "own", user=GATE_USER)
    assert done.returncode == 0 and "the current segment was not sealed" in done.stderr, done


def test_what_is_installed_can_be_read_by_the_gate(desk, data):
    to = ("--root", desk.root, "--into", desk.gate)
    root("trust", *desk.install(desk.bundle(7)))
    of_the_gate(desk.gate, "bundle.cose", "highwater", "highwater.copy", "orders", "orders.copy")
    # Without --gate-id, and where the board has no serial number, an id is drawn.
    root("site", "show", *to)
    root("time", "set", by_hand(desk, payload("time", gates="all")), *to)
    root("site", "install", by_hand(desk, payload("site", gates="all", content={"name": "NORTH"})), *to)
    root("audit", "export", "--data", data, "--into", desk.folder / "stick", "--request", by_hand(desk, payload("export", gates="all")),
         "--root", desk.root, "--trust", desk.gate)
    of_the_gate(desk.gate, "site.cose", "site.trial")
    os.chmod(desk.root, 0o644)
    shown = run("site", "show", *to, "--member", "name", user=GATE_USER)
    assert (shown.returncode, shown.stdout) == (0, "NORTH\n"), shown
    again = run("trust", *desk.install(desk.bundle(8)), user=GATE_USER)
    assert again.stdout == "bundle 8 installed\n", again


def test_what_is_put_into_a_folder_of_files_can_be_read_by_the_gate(place):
    folder = place / "trust"
    issuer.write_trust(folder, issuer.Issuer("EdDSA", "https://issuer.example"))
    (place / "own.jsonld").write_text('{"@context":{"@version":1.1}}\n')
    for path in (folder, *folder.iterdir()):
        os.chown(path, GATE_USER, GATE_USER)
    root("trust", "add-context", place / "own.jsonld", "--url", "https://context.example/v1", "--folder", folder)
    assert kept(folder)["contexts"] == (GATE_USER, 0o755)
    # Everything is read before the credential, which is none.
    verified = run("verify", "--trust", folder, "/dev/null", user=GATE_USER)
    assert verified.returncode == 2 and "/dev/null: empty" in verified.stderr, verified


def test_a_file_that_somebody_linked_here_is_not_given_away(desk):
    """Root's own file, under the name that a new bundle has before it is whole."""
    precious = desk.folder / "precious"
    precious.write_text("root's own\n")
    os.chmod(precious, 0o600)
    for name in (".bundle.cose.new", ".highwater.new", ".orders.new"):
        os.link(precious, desk.gate / name)
    root("trust", *desk.install(desk.bundle(7)))
    assert precious.read_text() == "root's own\n" and kept(desk.folder)["precious"] == (0, 0o600)
    of_the_gate(desk.gate, "bundle.cose")


def test_roots_own_folder_stays_roots(desk):
    os.chown(desk.gate, 0, 0)
    root("trust", *desk.install(desk.bundle(7)))
    found = kept(desk.gate)
    assert found == dict.fromkeys(found, (0, 0o644)) and "bundle.cose" in found, found


def test_files_that_the_gate_may_not_read_are_named_and_nothing_else_is_claimed(desk):
    """As an earlier program left them."""
    root("trust", *desk.install(desk.bundle(7)))
    for path in desk.gate.iterdir():
        os.chown(path, 0, 0)
        os.chmod(path, 0o600)
    os.chmod(desk.root, 0o644)
    (desk.folder / "data").mkdir()
    os.chown(desk.folder / "data", GATE_USER, GATE_USER)
    gate = subprocess.Popen([*command(), "run", "--hci", f"unix:{desk.folder}/air", "--data", desk.folder / "data", "--trust", desk.gate, "--root", desk.root],
                            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, user=GATE_USER, group=GATE_USER, extra_groups=[])
    said = []
    for line in gate.stderr:
        said.append(line.strip())
        if len(said) > 9 or "NOBODY" in line or line.startswith("Error"):
            break
    gate.kill()
    gate.wait(PATIENCE)
    gate.stderr.close()
    text = "\n".join(said)
    assert "highwater in it belongs to another user" in text and "user has to own the folder" not in text, said
    assert "site file cannot be used" not in text, said
    assert "whether there is a site file cannot be told, so faces are compared in any case: not permitted: orders in it" in text \
        or "site file" not in text, said
