"""What docs/faces.md says, done: its matcher compiled as it stands there, and used."""
import json
import re
import subprocess

import pytest

import faces
from face_rig import BLUE, RED, drawing
from gate import command, is_reference

pytestmark = pytest.mark.skipif(is_reference(), reason="the reference gate has no camera")


def test_the_matcher_on_the_page_works(tmp_path):
    page = (faces.ROOT / "docs" / "faces.md").read_text()
    source = re.search(r"```c\n(.*?)```", page, re.S).group(1)
    assert len(source.splitlines()) <= 34
    (tmp_path / "matcher.c").write_text(source)
    compiler = re.search(r"^    cc (.*) matcher\.c -o matcher\.so$", page, re.M).group(1).split()
    subprocess.run(["cc", *compiler, "-Wall", "-Wno-unused-parameter", "-Werror", str(tmp_path / "matcher.c"), "-o", str(tmp_path / "matcher.so")],
                   check=True, cwd=faces.ROOT)
    for name, colour, wall in (("red", RED, (128, 128, 128)), ("blue", BLUE, (20, 20, 20))):
        folder = tmp_path / "people" / name
        folder.mkdir(parents=True)
        for number in range(3):
            (folder / f"{number}.jpg").write_bytes(drawing(colour, shift=number * 2, background=wall))
    thresholds = tmp_path / "thresholds.json"
    done = subprocess.run([*command(), "calibrate", tmp_path / "people", "--face-plugin", tmp_path / "matcher.so", "--face-models", tmp_path, "--write", thresholds],
                          capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr + done.stdout
    entry = json.loads(thresholds.read_text())["entries"][0]
    assert entry["plugin"] == "mean-colour" and entry["people"] == 2
