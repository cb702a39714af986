"""The picture of the modules: arrows that follow from others are left out, a circle is found. And the pictures that documents show are whole."""
import re
import subprocess
import sys
import xml.etree.ElementTree
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
IMAGES = sorted((ROOT / "docs" / "images").glob("*.svg"))


def draw(checkout: Path, **modules: str) -> tuple[int, str, str]:
    """Exit code, what was printed, and the graph of a checkout in which each module imports what it is given."""
    declared = "\n".join(f'        .target(name: "{name}", path: "Sources/Gate/{name}"),' for name in modules)
    (checkout / "Package.swift").write_text(f"let package = Package(\n    targets: [\n{declared}\n    ])\n")
    for name, imported in modules.items():
        (checkout / "Sources" / "Gate" / name).mkdir(parents=True)
        (checkout / "Sources" / "Gate" / name / "File.swift").write_text("".join(f"import {word}\n" for word in imported.split()))
    done = subprocess.run([sys.executable, ROOT / "tools" / "import_graph.py", "--of", checkout, checkout / "out.dot"], capture_output=True, text=True)
    return done.returncode, done.stdout, (checkout / "out.dot").read_text()


def test_an_arrow_that_others_make_is_left_out(tmp_path):
    status, said, dot = draw(tmp_path, Top="Middle Below", Middle="Below", Below="")
    assert status == 0 and said.startswith("3 modules, 0 libraries, 3 arrows (2 drawn); ") and said.endswith("circles: none\n")
    assert re.findall(r'"(\w+)" -> "(\w+)"', dot) == [("Middle", "Below"), ("Top", "Middle")]


def test_a_circle_is_found(tmp_path):
    status, said, dot = draw(tmp_path, Top="Middle", Middle="Below", Below="Middle")
    assert status == 1 and said.endswith("circles: Middle, Below\n")
    assert '"Below" -> "Middle"' in dot


@pytest.mark.parametrize("image", IMAGES, ids=lambda image: image.name)
def test_a_picture_stands_by_itself(image):
    """Well-formed, with a title for who cannot see it, and nothing fetched from elsewhere."""
    tree = xml.etree.ElementTree.parse(image)
    assert tree.find(".//{http://www.w3.org/2000/svg}title").text
    links = [value for element in tree.iter() for name, value in element.attrib.items() if name.endswith("href")]
    assert links == [] and "url(http" not in image.read_text() and "@import" not in image.read_text()


def test_every_picture_is_shown():
    shown = "".join(path.read_text() for path in [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])
    assert IMAGES and [image.name for image in IMAGES if f"images/{image.name})" not in shown] == []
