"""A citation of a page is followed: to the page, to its heading, in the one form there is."""
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools" / "lint"))

import citations  # noqa: E402

PAGE = "# A page\n\n## 1. First\n\n### 1.2 Part\n\n## 4 Fourth\n\n## 5\n\ntext 6. no heading\n"
# The word is put in here, so that this file has no citation of a page that does not exist.
S = "section"
OLD = "specs/"


@pytest.fixture
def said(tmp_path):
    """What is said of a text where there is the page wire.md, and the page docs/other.md elsewhere."""
    folder = tmp_path / citations.PAGES
    folder.mkdir(parents=True)
    (folder / "wire.md").write_text(PAGE)
    (folder / "README.md").write_text("# Pages\n")
    (tmp_path / "docs" / "other.md").write_text("## 2. Second\n")
    return lambda text: [sentence for _, sentence in citations.faults(tmp_path, text)]


@pytest.mark.parametrize("text", [
    f"/// Sizes (wire.md {S} 1).",
    f"/// wire.md {S} 1.2, step 7",
    f"/// wire.md {S}s 1, 4 and 5",
    f"/// wire.md {S}s 4 to 5.",
    f"    /// as `wire.md` {S} 4 says",
    f"/// a long line that ends with wire.md\n    /// {S} 5.",
    f"# docs/other.md {S} 2",
    f"RFC 8949 {S} 9.9, and {S} 77 of something",
    "wire.md says so; wired sections 9",
])
def test_a_citation_that_leads_somewhere(said, text):
    assert said(text) == []


@pytest.mark.parametrize(("text", "sentence"), [
    (f"/// wire.md {S} 2", "wire.md has no section 2"),
    (f"/// wire.md {S} 1.1", "wire.md has no section 1.1"),
    (f"/// wire.md {S}s 1, 6 and 5", "wire.md has no section 6"),
    (f"/// wire.md {S}s 1 to 4", "wire.md has no section 2"),
    (f"/// wire.md\n/// {S}\n/// 7", "wire.md has no section 7"),
    (f"/// air.md {S} 1", "air.md: there is no such page in docs/specifications"),
    (f"/// docs/wire.md {S} 1", "docs/wire.md: there is no such page"),
    (f"/// {OLD}wire.md {S} 1", f"{OLD}wire.md: pages are cited as NAME.md section N"),
    (f"/// Wire {S} 5, step 2", "wire: cited without .md"),
])
def test_one_that_does_not(said, text, sentence):
    found = said(text)
    assert found and found[0].startswith(sentence)
