"""A path that a document or a comment names is looked for; a placeholder is not."""
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools" / "lint"))

import paths  # noqa: E402


@pytest.fixture
def said(tmp_path):
    for name in ("Sources/Radio/Host.swift", "docs/here.md", "image/arm64/tools/one.sh"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    return lambda name, text: [path for _, path in paths.missing(tmp_path, name, text)]


@pytest.mark.parametrize(("name", "text"), [
    ("README.md", "`Sources/Radio/Host.swift`, `Sources/Radio/` and `docs/here.md`"),
    ("docs/extend/board.md", "`board/NAME/board.json`, `Sources/Matchers/NAME/`"),
    ("README.md", "Sources/Gone.swift without backticks, and `.build/Sources/Gone.swift`"),
    ("image/arm64/README.md", "`tools/one.sh`, beside the page"),
    ("Sources/Radio/Host.swift", "/// As docs/here.md says; Sources/Gone.swift is not looked at."),
])
def test_paths_that_are_there(said, name, text):
    assert said(name, text) == []


@pytest.mark.parametrize(("name", "text", "path"), [
    ("README.md", "see `Sources/Radio/Gone.swift`", "Sources/Radio/Gone.swift"),
    ("docs/here.md", "`docs/gone.md`", "docs/gone.md"),
    ("docs/here.md", "`Sources/JOSE/Gone.swift`", "Sources/JOSE/Gone.swift"),
    ("README.md", "`tools/one.sh`", "tools/one.sh"),
    ("Sources/Radio/Host.swift", "/// Bring a signed time (docs/gone.md).", "docs/gone.md"),
    ("Makefile", "\t@echo 'docs/gone.md'", "docs/gone.md"),
])
def test_paths_that_are_not(said, name, text, path):
    assert said(name, text) == [path]
