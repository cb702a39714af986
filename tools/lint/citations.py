#!/usr/bin/env python3
"""Every citation of a page of ours leads somewhere.

A comment cites a page of docs/specifications as `NAME.md section N` (`NAME.md sections 4, 6 and 7`, `NAME.md section 5, step 2`), with
N a number of a heading there. A path before the name is taken from the repository's root instead. Prints FILE:LINE and what is wrong,
and exits 1, where a page or a heading does not exist, or a page is cited in another form.

    tools/lint/citations.py [ROOT]
"""

import functools
import pathlib
import re
import subprocess
import sys

FOLDERS = ("Sources", "Tests", "Benchmarks", "tools", "image", "board", "docs", "Makefile", "Package.swift", "README.md", "CONTRIBUTING.md")
PAGES = "docs/specifications"
NUMBER = r"\d+(?:\.\d+)*"
# Words of a comment are apart by spaces, or by a line's end and the next line's comment sign.
GAP = r"(?:[ \t]+|[ \t]*\n[ \t]*(?:///?|#|\*)?[ \t]*)"
CITATION = re.compile(
    rf"(?P<page>[A-Za-z0-9_./-]*[A-Za-z0-9_-]\.md)`?{GAP}sections?{GAP}(?P<numbers>{NUMBER}(?:(?:,|,?{GAP}and|{GAP}to){GAP}{NUMBER})*)")
HEADING = re.compile(rf"^#{{2,5}} ({NUMBER})\.?(?=\s|$)", re.MULTILINE)
LEFT_OVER = re.compile(r"(?<![\w./-])specs/[a-z0-9-]+\.md")


@functools.cache
def headings(page):
    """The numbers of a page's sections; None where there is no such page."""
    try:
        return frozenset(HEADING.findall(page.read_text(encoding="utf-8")))
    except FileNotFoundError:
        return None


def numbers(text):
    """`4, 6 and 7` as three numbers; `4 to 7` as four."""
    found = []
    for match in re.finditer(rf"(to\s[\s/#*]*)?({NUMBER})", text):
        number = match[2]
        if match[1] and found and "." not in found[-1] + number:
            found += [str(between) for between in range(int(found[-1]) + 1, int(number))]
        found.append(number)
    return found


def faults(root, text):
    """What is wrong in one file's text: offset and sentence."""
    pages = root / PAGES
    for match in CITATION.finditer(text):
        name = match["page"]
        if name.startswith("specs/"):
            continue
        page = root / name if "/" in name else pages / name
        known = headings(page)
        if known is None:
            yield match.start(), f"{name}: there is no such page" + ("" if "/" in name else f" in {PAGES}")
            continue
        for number in numbers(match["numbers"]):
            if number not in known:
                yield match.start(), f"{name} has no section {number}"
    for match in LEFT_OVER.finditer(text):
        yield match.start(), f"{match[0]}: pages are cited as NAME.md section N"
    # `Tuvali section 5`: the same page without its ending would never be checked.
    for page in sorted(pages.glob("*.md")):
        if page.stem == "README":
            continue
        for match in re.finditer(rf"(?<![\w.-]){page.stem}{GAP}sections?{GAP}{NUMBER}", text, re.IGNORECASE):
            yield match.start(), f"{page.stem}: cited without .md"


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parents[2]).resolve()
    listed = subprocess.run(["git", "-C", root, "ls-files", "-z", "-co", "--exclude-standard", "--", *FOLDERS], capture_output=True, check=True)
    bad = 0
    for name in sorted(listed.stdout.decode().split("\0")):
        file = root / name
        if not name or not file.is_file() or file == pathlib.Path(__file__).resolve():
            continue
        try:
            text = file.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        if "section" not in text and "specs/" not in text:
            continue
        for offset, sentence in sorted(faults(root, text)):
            print(f"{name}:{text.count(chr(10), 0, offset) + 1}: {sentence}")
            bad += 1
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
