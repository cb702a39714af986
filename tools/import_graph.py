#!/usr/bin/env python3
"""Draws the modules of a checkout from their own import lines, and exits 1 if there is a circle.

    tools/import_graph.py [--of CHECKOUT] [--inside MODULE] [OUT.dot | OUT.svg]

One box a module, one frame a district (`Sources/DISTRICT/MODULE`). An arrow is left out where others lead there too, and so are the
C libraries. With --inside, the folders of one module instead, and the types they use of each other (by name, so members of extensions
are not seen); red where two folders use each other. Without a file only the figures are printed.
SVG is drawn by `dot` of Debian's graphviz (`image/host.sh graphviz`).
"""
import argparse
import re
import statistics
import subprocess
import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "lint"))
from house import TYPE, House, reaches  # noqa: E402

COLOURS = {"Programs": "#f3e8d2", "Board": "#dfe9f5", "Gate": "#e1f1de", "Radio": "#ede8f6", "Network": "#f2efe0", "Outlets": "#f6ead9", "Verification": "#f5e3e8", "Vision": "#e0f1ef"}
HEAD = ('bgcolor="white"; node [shape=box, style=filled, fillcolor=white, fontname=Helvetica, fontsize=12]; '
        'edge [color="#444444", arrowsize=0.7];')


def lines(texts) -> int:
    return sum(text.count("\n") for text in texts)


def modules(house: House) -> tuple[str, bool]:
    """The graph of modules as dot, and whether it has a circle."""
    shown = [module for module in house.folders if house.district(module) != "Libraries"]
    below = {module: house.below(module) - {module} for module in house.folders}
    circles = [module for module in house.folders if reaches(house, module, module, set())]
    out = [f"digraph house {{ rankdir=TB; nodesep=0.3; ranksep=0.5; {HEAD}"]
    for district in sorted({house.district(module) for module in shown}):
        members = [module for module in shown if house.district(module) == district]
        boxes = [f'"{module}" [label="{module}\\n{size(house, module)}"];' for module in members]
        if district:
            colour = COLOURS.get(district, "#eeeeee")
            frame = f'label="{district}"; labeljust=l; style="rounded,filled"; color="{colour}"; fontname=Helvetica;'
            boxes = [f"subgraph cluster_{district} {{ {frame}", *boxes, "}"]
        out += boxes
    arrows = [(upper, lower) for upper in shown for lower in below[upper] if lower in shown]
    direct = [(upper, lower) for upper, lower in arrows
              if circles or not any(reaches(house, other, lower, set()) for other in below[upper] - {lower})]
    out += [f'"{upper}" -> "{lower}";' for upper, lower in sorted(direct)] + ["}"]
    sizes = sorted(text.count("\n") for module in house.folders for _, text in house.files(module))
    print(f"{len(shown)} modules, {len(house.folders) - len(shown)} libraries, {len(arrows)} arrows ({len(direct)} drawn); "
          f"{len(sizes)} files, {sum(sizes)} lines, median {statistics.median(sizes):.0f}, largest {sizes[-1]}; "
          f"circles: {', '.join(circles) or 'none'}")
    return "\n".join(out) + "\n", bool(circles)


def size(house: House, module: str) -> str:
    """In hundreds of lines, so that the picture does not change with every commit."""
    return f"{max(lines(text for _, text in house.files(module)) / 1000, 0.1):.1f}k lines"


def inside(house: House, module: str) -> tuple[str, bool]:
    """The graph of one module's folders as dot, and whether two of them use each other."""
    texts = {Path(file).relative_to(house.folders[module]): text for file, text in house.files(module)}
    home = {name: file.parent for file, text in texts.items() for name in TYPE.findall(text)}
    arrows = Counter()
    for file, text in texts.items():
        for word in set(re.findall(r"\b[A-Z]\w+\b", re.sub(r'//.*|"(?:\\.|[^"\\])*"', "", text))):
            if home.get(word, file.parent) != file.parent:
                arrows[str(file.parent), str(home[word])] += 1
    both = sorted(pair for pair in arrows if pair[::-1] in arrows and pair < pair[::-1])
    out = [f"digraph folders {{ rankdir=TB; {HEAD}"]
    for folder in sorted({file.parent for file in texts}):
        files = [text for file, text in texts.items() if file.parent == folder]
        out.append(f'"{folder}" [label="{folder}\\n{len(files)} files, {lines(files)} lines"];')
    out += [f'"{a}" -> "{b}" [label="{count}"{", color=red" if (b, a) in arrows else ""}];' for (a, b), count in sorted(arrows.items())]
    pairs = "; ".join(f"{a} and {b}" for a, b in both)
    print(f"{module}: {len(texts)} files, {len(out) - 1 - len(arrows)} folders; use each other: {pairs or 'none'}")
    return "\n".join([*out, "}"]) + "\n", bool(both)


def svg(dot: str, title: str) -> str:
    drawn = subprocess.run(["dot", "-Tsvg"], input=dot, capture_output=True, text=True, check=True).stdout
    # Without the version of graphviz, which is all that differs from machine to machine.
    drawn = re.sub(r"<!--.*?-->\n?", "", drawn, flags=re.S)
    return re.sub(r"<title>(house|folders)</title>", f"<title>{title}</title>", drawn)


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--of", type=Path, metavar="CHECKOUT", default=Path(__file__).resolve().parents[1])
    options.add_argument("--inside", metavar="MODULE")
    options.add_argument("out", type=Path, nargs="?")
    chosen = options.parse_args()
    house = House(chosen.of)
    if chosen.inside and chosen.inside not in house.folders:
        options.error(f"no module {chosen.inside}: {', '.join(sorted(house.folders))}")
    dot, circle = inside(house, chosen.inside) if chosen.inside else modules(house)
    if chosen.out:
        title = f"Folders of {chosen.inside}" if chosen.inside else "Modules of Gatehouse, by their imports"
        chosen.out.write_text(svg(dot, title) if chosen.out.suffix == ".svg" else dot)
    return 1 if circle else 0


if __name__ == "__main__":
    sys.exit(main())
