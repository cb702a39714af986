#!/usr/bin/env python3
"""What documents point at is there: every relative link and its anchor, every `make TARGET`, every `gatehouse COMMAND --option`.

    tools/lint/links.py [checkout]

Links are looked for in every tracked Markdown file outside of code; commands inside of code. Targets are the Makefile's, commands and options those
of docs/reference.md, which a test compares with the program. Addresses on the network are left alone.
Prints FILE:LINE: what is wrong, and exits 1 if there is anything.
"""
import functools
import re
import subprocess
import sys
from pathlib import Path

FENCED = re.compile(r"^(?P<fence> *(?:```|~~~)).*?^ *(?:```|~~~) *$", re.M | re.S)
# Lines of four blanks and more behind an empty line: a block of code, but for what goes on in a list.
INDENTED = re.compile(r"(?:(?<=\n\n)|\A)(?: {4,}\S.*\n(?:\n(?= {4}))?)+", re.M)
INLINE = re.compile(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)", re.S)
LINK = re.compile(r"!?\[(?:[^\[\]]|\[[^\]]*\])*\]\(\s*<?([^)\s>]+)>?[^)]*\)|<(?:a|img)\b[^>]*?\b(?:href|src)=\"([^\"]+)\"", re.S)
NAMED = re.compile(r"<a (?:id|name)=\"([^\"]+)\"")
ALWAYS = {"--help", "--version"}


def line_of(text: str, position: int) -> int:
    return text.count("\n", 0, position) + 1


def blank(match: re.Match) -> str:
    """The same length without any text, so that places stay where they are."""
    return re.sub(r"[^\n]", " ", match.group())


@functools.cache
def prose(path: Path) -> str:
    text = path.read_text()
    for pattern in (FENCED, INDENTED, INLINE):
        text = pattern.sub(blank, text)
    return text


@functools.cache
def anchors(path: Path) -> frozenset[str]:
    """The anchors a page has, as they are made of its headings."""
    text, found, seen = FENCED.sub(blank, path.read_text()), set(), {}
    for heading in re.findall(r"^#{1,6} +(.*?) *#* *$", text, re.M):
        heading = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "").replace("*", "")
        slug = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        count = seen.get(slug, 0)
        seen[slug] = count + 1
        found.add(f"{slug}-{count}" if count else slug)
    return frozenset(found | set(NAMED.findall(text)))


def code(text: str):
    """Every piece of code with its place."""
    rest = text
    for pattern in (FENCED, INDENTED, INLINE):
        for match in pattern.finditer(rest):
            yield match.start(), match.group()
        rest = pattern.sub(blank, rest)


class Program:
    """The Makefile's targets, and the commands and options of the reference."""

    def __init__(self, root: Path):
        self.targets = set(re.findall(r"^([a-z][a-z0-9-]*):", (root / "Makefile").read_text(), re.M))
        page = (root / "docs" / "reference.md").read_text()
        table = page.partition("## Commands")[2].partition("## Options")[0]
        self.options = {re.sub(r" [A-Z].*", "", command): set(ALWAYS) for command in re.findall(r"^\| `([^`]+)`", table, re.M)}
        for option, commands in re.findall(r"^\| `(--[a-z-]+)[^`]*` \| ((?:`[^`]+` ?)+)\|", page, re.M):
            for command in re.findall(r"`([^`]+)`", commands):
                self.options[command].add(option)
        self.first = {command.split()[0] for command in self.options} | {"help"}

    def complaints(self, piece: str):
        """What a piece of code names that is not there, with where in it."""
        for match in re.finditer(r"(?<![\w./-])make ((?:[A-Z_]+=\S+ +)*)([a-z][a-z0-9-]*)", piece):
            if match.group(2) not in self.targets:
                yield match.start(), f"the Makefile has no target {match.group(2)}"
        joined = re.sub(r"\\\n", "  ", piece)
        for match in re.finditer(r"(?<![\w./:-])gatehouse((?: +[a-z][a-z-]*)*)([^\n;|&#]*)", joined):
            words = match.group(1).split()
            if not words:
                continue
            if words[0] not in self.first:
                yield match.start(), f"there is no command gatehouse {words[0]}"
                continue
            known = next((" ".join(words[:count]) for count in (2, 1) if " ".join(words[:count]) in self.options), None)
            used = set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", match.group(2)))
            if known is None and used - ALWAYS and words[0] != "help":
                yield match.start(), f"there is no command gatehouse {' '.join(words[:2])}"
            for option in sorted(used - self.options.get(known, ALWAYS)):
                yield match.start(), f"gatehouse {known or words[0]} has no option {option}"


def complaints(root: Path, page: Path, program: Program):
    text = prose(page)
    for match in LINK.finditer(text):
        target = match.group(1) or match.group(2)
        if re.match(r"[a-z][a-z0-9+.-]*:", target):
            continue
        place, _, anchor = target.partition("#")
        aim = (root / place.lstrip("/") if place.startswith("/") else page.parent / place) if place else page
        if not aim.exists():
            yield line_of(text, match.start()), f"{target}: there is no such file"
        elif anchor and aim.suffix == ".md" and anchor not in anchors(aim):
            yield line_of(text, match.start()), f"{target}: there is no such heading"
    whole = page.read_text()
    for place, piece in code(whole):
        for offset, what in program.complaints(piece):
            yield line_of(whole, place + offset), what


def main() -> int:
    root = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).resolve().parents[2]).resolve()
    names = subprocess.run(["git", "-C", root, "ls-files", "-z", "*.md"], capture_output=True, text=True, check=True).stdout.split("\0")
    program, bad = Program(root), 0
    for name in sorted(filter(None, names)):
        if not (root / name).is_file():
            continue
        for line, what in sorted(complaints(root, root / name, program)):
            print(f"{name}:{line}: {what}")
            bad += 1
    print(f"links: {bad} to nowhere", file=sys.stderr)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
