#!/usr/bin/env python3
"""Lines of every document and comment the repository keeps: at most 140 characters, no blanks at the end, an end of line at the end of the file.

    tools/lint/text.py [checkout]

A line may be longer where it cannot be divided: a table's row or an example in a document, an address, a digest. Code is not looked at: what is
Swift has its formatter.
Prints FILE:LINE: what is wrong, and exits 1 if there is anything.
"""
import re
import subprocess
import sys
from pathlib import Path

LONGEST = 140
KINDS = {".swift", ".py", ".sh", ".md", ".c", ".h", ".cpp", ".json", ".yml"}
# Made by a program, or data.
LEFT_OUT = re.compile(r"\.lock$|/Corpus/|Support/Vectors/|\.svg$")


COMMENT = re.compile(r"\s*(# |//|\* |/\*)")


def may_be_long(line: str, kind: str) -> bool:
    if kind == ".md":
        return line.lstrip().startswith("|") or line.startswith("    ") or max(len(word) for word in line.split()) > LONGEST - 40
    # Code is its formatter's affair; an address or a digest in a comment cannot be divided.
    return not COMMENT.match(line) or max(len(word) for word in line.split()) > LONGEST - 40


def complaints(name: str, text: str):
    kind = Path(name).suffix
    fenced = False
    for number, line in enumerate(text.split("\n"), 1):
        if kind == ".md" and line.lstrip().startswith("```"):
            fenced = not fenced
        if line != line.rstrip():
            yield number, "blanks at the end"
        if len(line) > LONGEST and not fenced and not may_be_long(line, kind):
            yield number, f"{len(line)} characters"
    if text and not text.endswith("\n"):
        yield text.count("\n") + 1, "no end of line at the end of the file"


def main() -> int:
    root = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).resolve().parents[2])
    names = subprocess.run(["git", "-C", root, "ls-files", "-z"], capture_output=True, text=True, check=True).stdout.split("\0")
    bad = 0
    for name in filter(None, names):
        path = root / name
        if LEFT_OUT.search(name) or path.is_symlink() or not path.is_file():
            continue
        head = path.open("rb").read(64)
        if path.suffix not in KINDS and not head.startswith(b"#!"):
            continue
        for number, what in complaints(name, path.read_text(errors="replace")):
            print(f"{name}:{number}: {what}")
            bad += 1
    print(f"text: {bad} lines to change", file=sys.stderr)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
