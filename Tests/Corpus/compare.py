"""Compares two recordings (record.py): the entries that differ, shortly, and status 1 if there are any.

    compare.py OLD NEW [--most 20]
"""
import argparse
import difflib
import sys
from pathlib import Path

PARTS = ("mutants", "samples", "commands", "visits")
WIDTH = 400


def entries(file: Path) -> dict[str, list[str]]:
    """The lines of each entry by its name; in the file of mutants each line is one, by sample, number and how it was made."""
    found: dict[str, list[str]] = {}
    if not file.is_file():
        return found
    with open(file, errors="surrogateescape", newline="\n") as lines:
        if file.stem == "mutants":
            for line in lines:
                *name, verdict = line.rstrip("\n").split("\t")
                digest = name.pop() if len(name) > 1 else ""
                # A sentence is its own name: the old one is gone and the new one is there.
                found["\t".join(name) if digest else line.rstrip("\n")] = [digest, *verdict.split(" || ")]
            return found
        for line in lines:
            if line.startswith("=== "):
                entry = found[line[4:].rstrip("\n")] = []
            else:
                entry.append(line.rstrip("\n"))
    return found


def short(line: str) -> str:
    return line if len(line) <= WIDTH else line[:WIDTH] + f" … {len(line)} characters"


def difference(one: list[str], other: list[str]) -> list[str]:
    """The lines that differ. Of two long ones, from a little before the first character that does."""
    lines = [line for line in difflib.unified_diff(one, other, lineterm="", n=0) if not line.startswith(("---", "+++", "@@"))]
    if len(lines) == 2 and len(max(lines, key=len)) > WIDTH:
        same = next((at for at, (a, b) in enumerate(zip(lines[0][1:], lines[1][1:])) if a != b), 0)
        lines = [line[0] + ("… " if same > 80 else "") + line[1 + max(0, same - 80):] for line in lines]
    return [short(line) for line in lines]


def compare(old: Path, new: Path, most: int) -> int:
    count = 0
    for part in PARTS:
        one, other = entries(old / f"{part}.txt"), entries(new / f"{part}.txt")
        if not one or not other:
            # A part that was never recorded says nothing; one that is missing is a difference.
            print(f"{part}: " + ("in neither" if not one and not other else "only in the " + ("old" if one else "new")))
            count += bool(one) + bool(other)
            continue
        names = [name for name in {**one, **other} if one.get(name) != other.get(name)]
        print(f"{part}: {len(one)} entries and {len(other)}, {len(names)} differ")
        for name in names[:most]:
            print(f"\n  {short(name)}")
            if name not in one or name not in other:
                print("    only in the " + ("old" if name in one else "new"))
                continue
            for line in difference(one[name], other[name]):
                print("    " + line)
        if len(names) > most:
            print(f"\n  and {len(names) - most} more")
        if names:
            print()
        count += len(names)
    return count


def main() -> int:
    reader = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    reader.add_argument("old", type=Path)
    reader.add_argument("new", type=Path)
    reader.add_argument("--most", type=int, default=20, help="so many differences of each part")
    asked = reader.parse_args()
    count = compare(asked.old, asked.new, asked.most)
    print("no difference" if count == 0 else f"{count} entries differ")
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())
