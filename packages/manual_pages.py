"""What Debian's manual wants of the pages that swift-argument-parser writes.

    manual_pages.py FOLDER PROGRAM

A page of a subcommand is called `gatehouse.run.8` and names itself `gatehouse run`: nobody finds that by `man gatehouse-run`, and mandb can make no entry
of two words. The page of `help` says nothing that `gatehouse help` does not. Blank lines are a paragraph of mdoc(7), which is `.Pp`.
"""

import re
import sys
from pathlib import Path


def page(text: str, command: str) -> str:
    """A page with its names as file names are; command is `gatehouse run`."""
    name = command.replace(" ", "-")
    head, separator, rest = text.partition(".Sh SYNOPSIS")
    if not separator:
        raise ValueError(f"{command}: a page without a synopsis")
    head = re.sub(r'^\.Nm "?' + re.escape(command) + r'"?$', f".Nm {name}", head, flags=re.MULTILINE)
    if f".Nm {name}\n" not in head:
        raise ValueError(f"{command}: its name is not where it was")
    head = re.sub(r"^\.Dt \S+", f".Dt {name.upper()}", head, flags=re.MULTILINE)
    # Quotation marks would be a part of what apropos(1) shows.
    head = re.sub(r'^\.Nd "(.*)"$', lambda found: f".Nd {found[1].removesuffix('.')}", head, flags=re.MULTILINE)
    # What is typed.
    rest = rest.replace("\n.Nm\n", f"\n.Nm {command}\n", 1)
    rest = re.sub(r"^(\.Xr )(gatehouse[\w-]*(?:\.[\w-]+)+)", lambda found: found[1] + found[2].replace(".", "-"), rest, flags=re.MULTILINE)
    lines = (head + separator + rest).splitlines()
    # Not twice, and neither at the beginning of a section nor at its end.
    kept: list[str] = []
    for line in (line if line.strip() else ".Pp" for line in lines):
        if line == ".Pp" and (not kept or kept[-1] == ".Pp" or kept[-1].startswith(".Sh")):
            continue
        if line.startswith(".Sh") and kept and kept[-1] == ".Pp":
            kept.pop()
        kept.append(line)
    while kept and kept[-1] == ".Pp":
        kept.pop()
    return "\n".join(kept) + "\n"


def main() -> None:
    folder, program = Path(sys.argv[1]), sys.argv[2]
    files = sorted(folder.glob(f"{program}*.8"))
    if not files:
        raise SystemExit(f"no pages of {program} in {folder}")
    for file in files:
        words = file.name.removesuffix(".8").split(".")
        text = file.read_text()
        file.unlink()
        if words[-1] != "help":
            (folder / ("-".join(words) + ".8")).write_text(page(text, " ".join(words)))
    for file in folder.glob("help*.8"):
        file.unlink()


if __name__ == "__main__":
    main()
