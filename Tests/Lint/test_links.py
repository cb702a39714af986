"""Links and commands in documents are followed: to the file, the heading, the target, the option."""
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools" / "lint"))

import links  # noqa: E402

REFERENCE = """# Reference

## Commands

| command | does |
|---|---|
| `run` | is the gate |
| `trust sign FILE` | signs |

## Options

| option | of | default | meaning |
|---|---|---|---|
| `--name NAME` | `run` | - | a name |
| `--key PEM` | `trust sign` | - | a key |

### Two `words` (and --more)

<a id="here"></a>
"""


@pytest.fixture
def said(tmp_path):
    """What is said of a page beside the folder docs."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "reference.md").write_text(REFERENCE)
    (tmp_path / "Makefile").write_text("X := 1\ntest: a\n\ttrue\nimage-test:\n")

    def said(text: str) -> list[str]:
        page = tmp_path / "page.md"
        page.write_text(text)
        links.prose.cache_clear()
        links.anchors.cache_clear()
        return [sentence for _, sentence in links.complaints(tmp_path, page, links.Program(tmp_path))]

    return said


@pytest.mark.parametrize("text", [
    "[page](docs/reference.md), [heading](docs/reference.md#two-words-and---more), [named](docs/reference.md#here)",
    "# Own heading\n\n[own](#own-heading) [the net](https://example.org/x.md#y) ![picture](docs/reference.md)",
    "`[no link](gone.md)` and\n\n    [code](gone.md)\n",
    "a link [over\ntwo lines](docs/reference.md)",
    "`make test`, `X=1 make image-test`, `make SHORT=1 test`; one may make room",
    "`gatehouse run --name x`, `gatehouse trust sign f --key k`, `gatehouse --version`, `gatehouse trust`, `gatehouse help run`",
    "gatehouse dances --in prose; `gatehouse-vision --x`, `/usr/lib/gatehouse x --y`, `systemctl stop gatehouse`",
])
def test_what_leads_somewhere(said, text):
    assert said(text) == []


@pytest.mark.parametrize(("text", "sentence"), [
    ("[gone](docs/gone.md)", "docs/gone.md: there is no such file"),
    ("![gone](gone.svg)", "gone.svg: there is no such file"),
    ('<img src="gone.svg" alt="x">', "gone.svg: there is no such file"),
    ("[over\ntwo](gone.md)", "gone.md: there is no such file"),
    ("[x](docs/reference.md#gone)", "docs/reference.md#gone: there is no such heading"),
    ("`make tea`", "the Makefile has no target tea"),
    ("    X=1 make tea\n", "the Makefile has no target tea"),
    ("```\nmake tea\n```\n", "the Makefile has no target tea"),
    ("`gatehouse dance`", "there is no command gatehouse dance"),
    ("`gatehouse trust dance --key k`", "gatehouse trust has no option --key"),
    ("`gatehouse run --key k`", "gatehouse run has no option --key"),
    ("    gatehouse trust sign f \\\n      --name x\n", "gatehouse trust sign has no option --name"),
])
def test_what_leads_nowhere(said, text, sentence):
    assert sentence in said(text)
