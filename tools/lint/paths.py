#!/usr/bin/env python3
"""Every path of this repository that a document or a comment names is there.

In documents: whatever stands in backticks and begins with one of the top folders. In every other file: pages of docs/, which help texts and
remedies send people to. What has a name to be filled in (`board/NAME/board.json`) is not looked at.

    tools/lint/paths.py [ROOT]

Prints FILE:LINE: what is missing, and exits 1 if there is anything.
"""

import pathlib
import re
import subprocess
import sys

IN_DOCUMENTS = re.compile(r"`((?:Sources|Tests|Benchmarks|tools|image|board|packages|docs)/[\w./+-]*)`")
ELSEWHERE = re.compile(r"(?<![\w./-])(docs/[\w/-]+\.md)\b")
PLACEHOLDER = re.compile(r"\b(?:NAME|BOARD|FOLDER|FILE|VERSION|NNNN)\b")
# Examples that are none of ours; and decisions, which say what was there then.
LEFT_OUT = ("Tests/Lint/", "docs/decisions/")


def missing(root, name, text):
    """Offset and path of what one file names and nobody has."""
    for match in (IN_DOCUMENTS if name.endswith(".md") else ELSEWHERE).finditer(text):
        path = match[1]
        if PLACEHOLDER.search(path):
            continue
        # A page of a subfolder may name what lies beside it.
        if not (root / path).exists() and not (root / name).parent.joinpath(path).exists():
            yield match.start(1), path


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parents[2]).resolve()
    listed = subprocess.run(["git", "-C", root, "ls-files", "-z", "-co", "--exclude-standard"], capture_output=True, check=True)
    bad = 0
    for name in sorted(listed.stdout.decode().split("\0")):
        file = root / name
        if not name or name.startswith(LEFT_OUT) or name.endswith(".lock") or not file.is_file():
            continue
        try:
            text = file.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        for offset, path in missing(root, name, text):
            print(f"{name}:{text.count(chr(10), 0, offset) + 1}: {path} is not there")
            bad += 1
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
