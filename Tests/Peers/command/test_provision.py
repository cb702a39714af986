"""`gatehouse provision`: a plan becomes site files that gates take, labels that a reader reads, and a list that is true of both."""
import hashlib
import json
import re
import subprocess
import xml.etree.ElementTree as xml

import pytest
import zxingcpp
from PIL import Image, ImageDraw

from gate import command, is_reference
from test_trust import Desk

pytestmark = pytest.mark.skipif(is_reference(), reason="the reference gate has no such commands")
SVG = "{http://www.w3.org/2000/svg}"
IDS = ["10000000abcdef01", "10000000abcdef02", "a" * 32]
PLAN = {"gatehouse-plan": 1, "number": 4, "created": "2026-01-01T00:00:00Z", "notAfter": "2099-01-01T00:00:00Z",
        "template": {"languages": "fr,ar"},
        "gates": [{"id": IDS[0], "title": "North <door> & gate", "settings": {"name": "NORTH"}}, {"id": IDS[1]}, {"id": IDS[2], "title": "Ü" * 40}]}


def run(*words) -> subprocess.CompletedProcess:
    return subprocess.run([*command(), *map(str, words)], capture_output=True, text=True, timeout=120)


@pytest.fixture
def desk(tmp_path):
    return Desk(tmp_path)


def provision(desk, name: str, out, *more, plan=PLAN):
    file = desk.folder / "plan.json"
    file.write_text(plan if isinstance(plan, str) else json.dumps(plan))
    return run("provision", file, "--out", out, "--key", desk.signers[name].path, "--kid", name, "--root", desk.root, *more)


def test_a_row_of_boards(desk):
    one, two = desk.folder / "one", desk.folder / "two"
    first = provision(desk, "alice", one)
    assert (first.returncode, first.stderr) == (0, "") and "3 gates, site file number 4, signed by alice\n" in first.stdout
    assert "no gate takes them" in first.stdout
    second = provision(desk, "bob", two, "--cosign", one)
    assert (second.returncode, second.stderr) == (0, "") and "signed by alice bob\n" in second.stdout and "no gate takes" not in second.stdout
    manifest = json.loads((two / "manifest.json").read_text())
    assert [gate["id"] for gate in manifest["gates"]] == IDS and manifest["signers"] == ["alice", "bob"] and manifest["number"] == 4
    assert {path.name for path in two.iterdir()} == {"manifest.json"} | {gate[kind] for gate in manifest["gates"] for kind in ("site", "label")}
    for gate in manifest["gates"]:
        file = two / gate["site"]
        assert hashlib.sha256(file.read_bytes()).hexdigest() == gate["sha256"] and gate["number"] == 4
        trust = desk.folder / f"trust-{gate['id']}"
        trust.mkdir()
        # Each gate takes its own and no other's.
        for other in IDS:
            done = run("site", "install", file, "--root", desk.root, "--into", trust, "--gate-id", other)
            assert (done.returncode == 0) == (other == gate["id"]), done
        shown = run("site", "show", "--root", desk.root, "--into", trust, "--gate-id", gate["id"])
        assert json.loads(shown.stdout) == {"languages": "fr,ar"} | ({"name": "NORTH"} if gate["id"] == IDS[0] else {})


@pytest.mark.parametrize("gate", range(3))
def test_a_label_is_read_by_somebody_elses_reader(desk, gate):
    assert provision(desk, "alice", desk.folder / "out").returncode == 0
    root = xml.parse(desk.folder / "out" / f"label-{IDS[gate]}.svg").getroot()
    assert (root.tag, root.get("width"), root.get("height")) == (f"{SVG}svg", "62mm", "29mm")
    code = root.find(f"{SVG}svg")
    side, scale = int(code.get("viewBox").split()[2]), 6
    picture = Image.new("L", (side * scale, side * scale), 255)
    draw = ImageDraw.Draw(picture)
    moves = re.findall(r"M(\d+) (\d+)h(\d+)v1H(\d+)z", code.find(f"{SVG}path").get("d"))
    assert "".join(f"M{x} {y}h{width}v1H{back}z" for x, y, width, back in moves) == code.find(f"{SVG}path").get("d")
    for x, y, width, _ in (map(int, move) for move in moves):
        draw.rectangle((x * scale, y * scale, (x + width) * scale - 1, (y + 1) * scale - 1), fill=0)
    assert [found.text for found in zxingcpp.read_barcodes(picture)] == [IDS[gate]]
    lines = [text.text for text in root.findall(f"{SVG}text")]
    title = PLAN["gates"][gate].get("title")
    assert ("".join(lines[1:]), lines[0]) == (IDS[gate], title) if title else "".join(lines) == IDS[gate]
    assert root.find(f"{SVG}title").text == IDS[gate]


def test_the_same_plan_makes_the_same_files(desk):
    for name in ("one", "two"):
        assert provision(desk, "alice", desk.folder / name).returncode == 0
    one, two = ({path.name: path.read_bytes() for path in (desk.folder / name).iterdir()} for name in ("one", "two"))
    assert one == two and len(one) == 7


def test_another_runs_files_are_never_overwritten(desk):
    out = desk.folder / "out"
    assert provision(desk, "alice", out).returncode == 0
    before = {path.name: path.read_bytes() for path in out.iterdir()}
    again = provision(desk, "bob", out)
    assert again.returncode == 2 and "is there already, and is not overwritten" in again.stderr, again
    assert {path.name: path.read_bytes() for path in out.iterdir()} == before
    assert not [path for path in desk.folder.iterdir() if path.name.endswith(".partial")]


@pytest.mark.parametrize("change, words", [
    ({"gates": [{"id": "a"}, {"id": "a"}]}, "a is there twice, as gates[0] and gates[1]"),
    ({"gates": [{"id": "a"}, {"id": "B"}]}, "gates[1].id B"),
    ({"gates": [{"id": "a", "settings": {"nam": "X"}}]}, "the settings of a: nam is not a member of a site file"),
    ({"gates": []}, "no gate"),
    ({"extra": 1}, "extra"),
    ({"created": "2098-01-01T00:00:00Z"}, "in the future"),
])
def test_what_is_refused_leaves_nothing(desk, change, words):
    done = provision(desk, "alice", desk.folder / "out", plan=PLAN | change)
    assert done.returncode == 1 and words in done.stderr, done
    assert not (desk.folder / "out").exists()


def test_a_key_that_is_not_the_signers_makes_nothing(desk):
    done = run("provision", desk.folder / "plan.json", "--out", desk.folder / "out", "--key", desk.signers["mallory"].path, "--kid", "alice", "--root", desk.root)
    assert done.returncode == 2 and not (desk.folder / "out").exists(), "there is no plan"
    done = provision(desk, "mallory", desk.folder / "out")
    assert done.returncode == 1 and not (desk.folder / "out").exists(), done


def test_who_signs_second_signs_what_the_plan_says(desk):
    one = desk.folder / "one"
    assert provision(desk, "alice", one).returncode == 0
    other = PLAN | {"template": {"languages": "fr"}}
    done = provision(desk, "bob", desk.folder / "two", "--cosign", one, plan=other)
    assert done.returncode == 1 and "is not what this plan makes" in done.stderr and not (desk.folder / "two").exists(), done
    done = provision(desk, "bob", desk.folder / "two", "--cosign", desk.folder / "missing")
    assert done.returncode == 2 and not (desk.folder / "two").exists(), done
