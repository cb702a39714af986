"""devicetree.py BOARD FOLDER KERNEL ROOT INITRAMFS: fails where a device that a model's device tree has would stay without its driver.

FOLDER has the models' trees (*.dtb), KERNEL is the unpacked kernel package, ROOT the root tree with the modules that are shipped, INITRAMFS a list of
the modules that are in the initramfs. Each enabled node that has a `compatible` has a driver in the kernel's image, or a shipped module, or a line in
board/BOARD/devicetree. That file has, a line each:

    root COMPATIBLE            what the root is mounted from: this node, and all it needs, is driven by the image or by a module of the initramfs
    without COMPATIBLE REASON  a device that a gate does without, or whose driver the kernel has under no name
    without-NETWORK COMPATIBLE a device that a gate does without, unless NETWORK of the environment has that word: `ethernet` or `wifi`

Written for the flattened format of the Devicetree Specification 0.4, chapter 5, and the kernel's struct of_device_id.
"""

import os
import re
import struct
import sys
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent


class TreeError(Exception):
    """The file is no device tree, or names a node that it has not."""


@dataclass
class Node:
    name: str
    parent: "Node | None"
    properties: dict[str, bytes] = field(default_factory=dict)
    children: list["Node"] = field(default_factory=list)

    @property
    def path(self) -> str:
        return (self.parent.path.rstrip("/") if self.parent else "") + "/" + self.name if self.parent else "/"

    @property
    def enabled(self) -> bool:
        """The Devicetree Specification 2.3.4: without a status, a node is okay."""
        return self.properties.get("status", b"okay\0") in (b"okay\0", b"ok\0") and (self.parent is None or self.parent.enabled)

    @property
    def compatible(self) -> list[str]:
        return [name.decode("ascii") for name in self.properties.get("compatible", b"").split(b"\0") if name]

    def cells(self, name: str) -> list[int]:
        octets = self.properties.get(name, b"")
        return [cell for (cell,) in struct.iter_unpack(">I", octets)] if len(octets) % 4 == 0 else []

    def all(self) -> Iterator["Node"]:
        yield self
        for child in self.children:
            yield from child.all()


def parse(octets: bytes) -> Node:
    """The root node of a flattened tree."""
    if len(octets) < 40 or octets[:4] != b"\xd0\x0d\xfe\xed":
        raise TreeError("no flattened device tree")
    structure, strings = struct.unpack_from(">II", octets, 8)
    root = node = None
    try:
        while True:
            (token,) = struct.unpack_from(">I", octets, structure)
            structure += 4
            if token == 1:
                end = octets.index(b"\0", structure)
                node = Node(octets[structure:end].decode("ascii"), node)
                structure = (end + 4) & ~3
                if node.parent:
                    node.parent.children.append(node)
                root = root or node
            elif token == 2:
                node = node.parent
            elif token == 3:
                size, name = struct.unpack_from(">II", octets, structure)
                structure += 8
                start = strings + name
                key = octets[start : octets.index(b"\0", start)].decode("ascii")
                node.properties[key] = octets[structure : structure + size]
                structure = (structure + size + 3) & ~3
            elif token == 9:
                return root
            elif token != 4:
                raise TreeError(f"unknown token {token}")
    except (struct.error, ValueError, AttributeError) as error:
        raise TreeError(f"damaged: {error}") from error


# What a device waits for before it is probed: the property's name, and the property of the supplier that says how many cells follow its
# handle.
SUPPLIERS = [
    (r"(assigned-)?clocks|clock-parents", "#clock-cells"),
    (r"dmas", "#dma-cells"),
    (r"mboxes", "#mbox-cells"),
    (r"power-domains", "#power-domain-cells"),
    (r"resets", "#reset-cells"),
    (r"phys", "#phy-cells"),
    (r"interrupts-extended", "#interrupt-cells"),
    (r".*-gpios?|gpios?", "#gpio-cells"),
    (r"pinctrl-\d+|.*-supply|mmc-pwrseq|interrupt-parent|usb-phy|firmware|brcm,firmware|nvmem|i2c-bus|ddc", None),
]


def suppliers(node: Node, handles: dict[int, Node]) -> Iterator[Node]:
    """The nodes that this one needs, by what the kernel's fw_devlink and drivers follow."""
    if node.parent:
        yield node.parent
    for name in node.properties:
        for pattern, count in SUPPLIERS:
            if not re.fullmatch(pattern, name):
                continue
            cells = node.cells(name)
            while cells:
                supplier = handles.get(cells[0])
                if cells[0] and not supplier:
                    raise TreeError(f"{node.path}: {name} names no node")
                # A supplier that is switched off is not waited for.
                if supplier and supplier.enabled:
                    yield supplier
                width = (supplier.cells(count) or [0])[0] if count and supplier else 0
                cells = cells[1 + width :]


def table_entry(compatible: str) -> bytes:
    """A struct of_device_id: name and type empty, this `compatible`, zeros up to its 128 octets. Many built-in drivers have this and no alias."""
    return b"\0" * 64 + compatible.encode() + b"\0" * (128 - len(compatible))


class Drivers:
    """What drives a `compatible`: the kernel's image, or which modules.

    `image`: of the kernel; `kernel`: the folder of all its modules, with modules.alias; `shipped`: that of those that are in the root, uncompressed."""

    def __init__(self, image: bytes, kernel: Path, shipped: Path) -> None:
        self.image = image
        self.known: dict[str, tuple[bool, set[str]]] = {}
        self.all = self._aliases(kernel)
        self.shipped = {file.name.partition(".")[0].replace("-", "_"): file.read_bytes() for file in shipped.rglob("*.ko")}

    @staticmethod
    def _aliases(folder: Path) -> dict[str, set[str]]:
        """Modules by the `compatible` (or a pattern) of their aliases."""
        found: dict[str, set[str]] = {}
        for line in (folder / "modules.alias").read_text().splitlines():
            match = re.fullmatch(r"alias of:N[^T]*T[^C]*C(\S+?)(?:C\*)? (\S+)", line)
            if match:
                found.setdefault(match[1], set()).add(match[2].replace("-", "_"))
        return found

    def missing(self, node: Node, among: Iterable[str]) -> set[str] | None:
        """None where the node is driven; else the modules that would drive it, none of which is `among` those that are there."""
        lacking: set[str] = set()
        for compatible in node.compatible:
            if compatible not in self.known:
                entry = table_entry(compatible)
                # One module may have several drivers, and aliases for some.
                inside = {name for name, octets in self.shipped.items() if entry in octets}
                self.known[compatible] = (entry in self.image, self.all.get(compatible, set()) | inside)
            built_in, modules = self.known[compatible]
            if built_in or modules & set(among):
                return None
            lacking |= modules
        return lacking


@dataclass
class Wishes:
    """board/BOARD/devicetree."""

    root: set[str]
    without: dict[str, str]

    @staticmethod
    def read(path: Path, network: Collection[str] = ()) -> "Wishes":
        wishes = Wishes(set(), {})
        for number, line in enumerate(path.read_text().splitlines(), 1):
            words = line.split(maxsplit=2)
            if not words or line.startswith("#"):
                continue
            if words[0] == "root" and len(words) == 2:
                wishes.root.add(words[1])
            elif words[0] == "without" and len(words) == 3:
                wishes.without[words[1]] = words[2]
            elif words[0] in ("without-ethernet", "without-wifi") and len(words) == 2:
                kind = words[0].removeprefix("without-")
                if kind not in network:
                    wishes.without[words[1]] = f"no {kind}"
            else:
                raise TreeError(f"{path.name}:{number}: neither `root COMPATIBLE` nor `without COMPATIBLE REASON` nor `without-NETWORK COMPATIBLE`")
        return wishes


def check(tree: Node, drivers: Drivers, initramfs: set[str], wishes: Wishes, used: set[str]) -> list[str]:
    """What is missing, in sentences; `used` gets the lines of `without` that were needed."""
    faults = []
    handles = {cell: node for node in tree.all() for cell in node.cells("phandle")}
    for node in tree.all():
        if not node.enabled or not node.compatible or node is tree or node.path.startswith("/cpus/"):
            continue
        lacking = drivers.missing(node, drivers.shipped)
        if lacking is None:
            continue
        excused = [name for name in node.compatible if name in wishes.without]
        used.update(excused)
        if not excused:
            would = f"needs module {' or '.join(sorted(lacking))}, which is not shipped" if lacking else "has no driver in this kernel"
            faults.append(f"{node.path} ({node.compatible[0]}) {would}")
    needed = [node for node in tree.all() if node.enabled and wishes.root & set(node.compatible)]
    if not needed:
        faults.append(f"no enabled node of {' or '.join(sorted(wishes.root))}: the root could be mounted from nothing")
    seen: list[Node] = []
    while needed:
        node = needed.pop()
        if node in seen:
            continue
        seen.append(node)
        needed += suppliers(node, handles)
        lacking = drivers.missing(node, initramfs) if node.compatible and node is not tree else None
        if lacking is not None and not set(node.compatible) & wishes.without.keys():
            would = f"needs module {' or '.join(sorted(lacking))}, which is not in the initramfs" if lacking else "has no driver in this kernel"
            faults.append(f"{node.path} ({node.compatible[0]}), for the root, {would}")
    return faults


def main() -> int:
    board, folder, kernel, root, initramfs = sys.argv[1], *map(Path, sys.argv[2:6])
    trees = sorted(folder.glob("*.dtb"))
    if not trees:
        return 0
    wishes = Wishes.read(HERE.parent / "board" / board / "devicetree", os.environ.get("NETWORK", "").split())
    (release,) = (root / "usr/lib/modules").iterdir()
    (image,) = (kernel / "boot").glob("vmlinuz-*")
    drivers = Drivers(image.read_bytes(), kernel / "usr/lib/modules" / release.name, release)
    early = {name.replace("-", "_") for name in initramfs.read_text().split()}
    faults, used = 0, set()
    for path in trees:
        for fault in check(parse(path.read_bytes()), drivers, early, wishes, used):
            print(f"{path.name}: {fault}", file=sys.stderr)
            faults += 1
    for name in sorted(wishes.without.keys() - used):
        print(f"board/{board}/devicetree: no model has {name} without a driver", file=sys.stderr)
        faults += 1
    print(f"{len(trees)} device trees: {faults} missing drivers")
    return 1 if faults else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except TreeError as error:
        sys.exit(f"devicetree: {error}")
