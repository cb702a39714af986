#!/usr/bin/env python3
"""The rules of the house (docs/architecture.md, "What must never import what"), one check each.

    tools/lint/house.py [checkout]

Prints FILE:LINE: RULE: what is wrong, and exits 1 if there is anything. Modules and folders come from Package.swift, imports from the sources.
"""
import re
import sys
from pathlib import Path
from typing import Iterator, NamedTuple

IMPORT = re.compile(
    r"^\s*(?:@\w+(?:\([^)]*\))?\s+)*(?:(?:public|package|internal|private|fileprivate)\s+)?import\s+(?:(?:struct|func|class|enum|protocol)\s+)?(\w+)")
TARGET = re.compile(r"\.(?:target|executableTarget|systemLibrary)\(\s*name: \"([^\"]+)\"(.*?)(?=\n        \.\w|\n    \])", re.S)
TYPE = re.compile(r"^(?!import )(?:\w+ )*(?:struct|class|enum|protocol|actor|typealias) (\w+)", re.M)

# Who stands on whom: a module imports only from districts that stand below its own.
BELOW = {
    "Libraries": set(),
    "Radio": set(),
    "Network": set(),
    "Outlets": {"Libraries", "Verification"},
    "Verification": {"Libraries"},
    "Vision": {"Libraries", "Verification"},
    "Gate": {"Libraries", "Radio", "Verification", "Vision"},
    "Board": {"Libraries", "Radio", "Network", "Verification", "Vision", "Gate"},
    "Programs": {"Libraries", "Radio", "Network", "Outlets", "Verification", "Vision", "Gate", "Board"},
}
# Of Verification, Vision may use what reads a format and nothing that believes anybody.
VISION_MAY = {"JSON"}
CORES = ("Radio", "Network", "Outlets", "Verification", "Vision", "Gate")
# Comparing and searching bytes: memcmp, memchr.
GLIBC_IN_CORES = {"LinkedData/RDF/NumberText.swift", "LinkedData/Text.swift"}
# What opens, reads, waits or asks what time it is.
OUTSIDE = re.compile(
    r"(?<![\w.\"`])(open|openat|close|read|write|pread|pwrite|socket|connect|accept|bind|ioctl|mmap|poll|epoll_wait|fopen|getenv|clock_gettime|"
    r"gettimeofday|time|sleep|usleep|nanosleep|fork|posix_spawn|signal|exit|abort)\(")
TRAPS = re.compile(r"\btry!|\bas! |\bfatalError\(|\bpreconditionFailure\(")
WORKER, LISTENER = "gatehouse-vision", "gatehouse-http"
LISTENER_MAY = {"HTTP", "Linux", "ListenerProtocol", "ListenerSandbox"}
RELAY = "gatehouse-relay"
OUTLETS = {"Metrics", "Syslog", "TrustPull", "Webhook"}
RELAY_LIBRARIES = {"CCurl", "CMosquitto", "CTLS"}
RELAY_MAY = {"Audit", "Cryptography", "Envelopes", "JSON", "Linux", "Relay", "RelayState"} | OUTLETS | RELAY_LIBRARIES


class Found(NamedTuple):
    file: str
    line: int
    rule: str
    text: str

    def __str__(self):
        return f"{self.file}:{self.line}: {self.rule}: {self.text}"


class Import(NamedTuple):
    file: str
    line: int
    importer: str
    imported: str


class House:
    """The modules of a checkout: their districts, their files, and who imports whom."""

    def __init__(self, root: Path):
        self.root = root
        self.folders: dict[str, str] = {}
        self.declared: dict[str, set[str]] = {}
        for name, rest in TARGET.findall((root / "Package.swift").read_text()):
            path = re.search(r'path: "([^"]+)"', rest)
            folder = path.group(1) if path else f"Sources/{name}"
            if folder.startswith("Sources/") and (root / folder).is_dir():
                self.folders[name] = folder
                listed = re.search(r"dependencies: \[(.*?)\]", rest, re.S)
                self.declared[name] = set(re.findall(r'"([^"]+)"', listed.group(1) if listed else ""))
        self.modules = {name.replace("-", "_"): name for name in self.folders}
        self.imports = [found for module in self.folders for found in self._imports(module)]

    def district(self, module: str) -> str:
        parts = self.folders[module].split("/")
        return parts[1] if len(parts) > 2 else ""

    def files(self, module: str) -> Iterator[tuple[str, str]]:
        for path in sorted((self.root / self.folders[module]).rglob("*.swift")):
            yield str(path.relative_to(self.root)), path.read_text()

    def _imports(self, module: str) -> Iterator[Import]:
        for file, text in self.files(module):
            for number, line in enumerate(text.split("\n"), 1):
                if match := IMPORT.match(line):
                    yield Import(file, number, module, self.modules.get(match.group(1), match.group(1)))

    def below(self, module: str) -> set[str]:
        return {found.imported for found in self.imports if found.importer == module and found.imported in self.folders}


def only(house: House, imported: set[str], importers: set[str], rule: str) -> Iterator[Found]:
    for found in house.imports:
        if found.imported in imported and found.importer not in importers | imported:
            yield Found(found.file, found.line, rule, f"{found.importer} imports {found.imported}; only {', '.join(sorted(importers))} may")


def never(house: House, importers: set[str], imported: set[str], rule: str) -> Iterator[Found]:
    for found in house.imports:
        if found.importer in importers and found.imported in imported:
            yield Found(found.file, found.line, rule, f"{found.importer} imports {found.imported}")


def radio_imports_radio(house: House) -> Iterator[Found]:
    """1. Bluetooth imports nothing; Tuvali, and whatever else comes to Radio, only Bluetooth."""
    for found in house.imports:
        if house.district(found.importer) != "Radio":
            continue
        if found.imported not in ({"Bluetooth"} if found.importer != "Bluetooth" else set()):
            yield Found(found.file, found.line, "radio", f"{found.importer} imports {found.imported}")


def cores_own_nothing(house: House) -> Iterator[Found]:
    """2. Radio, Network, Verification, Vision and Gate own no descriptor, no clock, no file; Glibc only in the files named above."""
    for module in house.folders:
        if house.district(module) not in CORES:
            continue
        for file, text in house.files(module):
            within = file.split("/", 2)[2]
            for number, line in enumerate(text.split("\n"), 1):
                if (match := IMPORT.match(line)) and match.group(1) in {"Glibc", "Musl", "Dispatch"} and within not in GLIBC_IN_CORES:
                    yield Found(file, number, "core", f"{module} imports {match.group(1)}")
                code = line.split("//")[0]
                if "import Glibc" in text and (match := OUTSIDE.search(code)):
                    yield Found(file, number, "core", f"{module} calls {match.group(1)}")


def trust_below_credentials(house: House) -> Iterator[Found]:
    """3. Trust does not import Credentials; Envelopes and DIDComm import neither. Inside Credentials: Forms <- Status <- Verdict, never back."""
    yield from never(house, {"Trust"}, {"Credentials"}, "trust")
    yield from never(house, {"DIDComm", "Envelopes"}, {"Trust", "Credentials"}, "trust")
    if "Credentials" in house.folders:
        yield from layers(house, "Credentials", ["Forms", "Status", "Verdict"])


def layers(house: House, module: str, order: list[str]) -> Iterator[Found]:
    """Types by name: a file of a layer uses no type that a later layer declares."""
    def layer(file: str) -> int | None:
        parts = file.removeprefix(house.folders[module] + "/").split("/")
        return order.index(parts[0]) if parts[0] in order else None

    declared: dict[str, set[int]] = {}
    for file, text in house.files(module):
        for name in TYPE.findall(text):
            declared.setdefault(name, set()).add(-1 if layer(file) is None else layer(file))
    later = {name: places.copy().pop() for name, places in declared.items() if len(places) == 1}
    for file, text in house.files(module):
        if (here := layer(file)) is None:
            continue
        for number, line in enumerate(text.split("\n"), 1):
            for name in re.findall(r"\b[A-Z]\w+", re.sub(r'"[^"]*"', "", line.split("//")[0])):
                if later.get(name, -1) > here:
                    yield Found(file, number, "layers", f"{order[here]} uses {name} of {order[later[name]]}")


def devices_know_no_visit(house: House) -> Iterator[Found]:
    """4. Devices imports neither Visit, Presentation, Credentials nor Faces: a lamp does not know what a visit is."""
    yield from never(house, {"Devices", "Linux"}, {"Visit", "Presentation", "Trust", "Credentials", "Faces", "Appliance"}, "devices")


def decoders_in_the_worker(house: House) -> Iterator[Found]:
    """5. Only the worker imports Pictures, CFacePlugin and CZXing; only Cryptography COpenSSL and CSodium; only Linux and Devices CLinux."""
    yield from only(house, {"Pictures"}, {WORKER}, "libraries")
    yield from only(house, {"CFacePlugin", "CZXing"}, {WORKER}, "libraries")
    yield from only(house, {"CDav1d", "CJPEG", "COpenJPEG", "CPNG", "CWebP"}, {"Pictures"}, "libraries")
    yield from only(house, {"COpenSSL", "CSodium"}, {"Cryptography"}, "libraries")
    yield from only(house, {"CLinux"}, {"Linux", "Devices"}, "libraries")
    yield from only(house, {"CGPIO", "CQREncode"}, {"Devices"}, "libraries")


def doctor_for_the_command(house: House) -> Iterator[Found]:
    """6. Nothing but the command imports Doctor, SelfTest and Desk."""
    for module in ("Doctor", "SelfTest", "Desk"):
        yield from only(house, {module}, {"gatehouse"}, "doctor")


def worker_links_nothing_of_the_gate(house: House) -> Iterator[Found]:
    """The worker decodes what strangers made: it has the messages, the decoders, the plug-in, what reads codes and the sandbox, and nothing of the gate."""
    allowed = {"CFacePlugin", "CZXing", "Linux", "Pictures", "VisionProtocol", "Faces"}
    for found in house.imports:
        if found.importer == WORKER and found.imported in house.folders and found.imported not in allowed:
            yield Found(found.file, found.line, "worker", f"{WORKER} imports {found.imported}")


def strangers_are_read_by_the_listener(house: House) -> Iterator[Found]:
    """5. Only the listener reads HTTP, and it has nothing of the gate: its words, that reader, and the sandbox. Network imports nothing."""
    yield from only(house, {"HTTP"}, {LISTENER}, "listener")
    for found in house.imports:
        if found.importer == LISTENER and found.imported in house.folders and found.imported not in LISTENER_MAY:
            yield Found(found.file, found.line, "listener", f"{LISTENER} imports {found.imported}")
        if house.district(found.importer) == "Network":
            yield Found(found.file, found.line, "listener", f"{found.importer} imports {found.imported}")


def relay_beside_the_gate(house: House) -> Iterator[Found]:
    """7. Only the relay's program imports Relay and the libraries of its outlets, and it has nothing that decides about a visitor or a door."""
    yield from only(house, {"Relay"}, {RELAY}, "relay")
    yield from only(house, OUTLETS | RELAY_LIBRARIES, {RELAY}, "relay")
    yield from only(house, {"RelayState"}, {RELAY, "Doctor", "Relay"}, "relay")
    for found in house.imports:
        if found.importer in (RELAY, "Relay", "RelayState") and found.imported in house.folders and found.imported not in RELAY_MAY:
            yield Found(found.file, found.line, "relay", f"{found.importer} imports {found.imported}")


def arrows_run_down(house: House) -> Iterator[Found]:
    """Arrows run down, and from Gate to the three senses; the senses do not know each other. No circle."""
    for found in house.imports:
        if found.imported not in house.folders or found.imported == found.importer:
            continue
        here, there = house.district(found.importer), house.district(found.imported)
        if here == "Vision" and there == "Verification" and found.imported not in VISION_MAY:
            yield Found(found.file, found.line, "arrows", f"{found.importer} imports {found.imported}: Vision believes nobody")
        elif here != there and there not in BELOW.get(here, set()):
            yield Found(found.file, found.line, "arrows", f"{found.importer} ({here}) imports {found.imported} ({there})")
    for module in house.folders:
        if reaches(house, module, module, set()):
            yield Found("Package.swift", 1, "arrows", f"{module} imports itself by way of others")


def reaches(house: House, module: str, goal: str, seen: set[str]) -> bool:
    for below in house.below(module):
        if below == goal:
            return True
        if below not in seen:
            seen.add(below)
            if reaches(house, below, goal, seen):
                return True
    return False


def imports_are_declared(house: House) -> Iterator[Found]:
    """8. Every import of a module of the house is a declared dependency, and what is declared is imported somewhere."""
    for found in house.imports:
        if found.imported in house.folders and found.imported not in house.declared[found.importer] | {found.importer}:
            yield Found(found.file, found.line, "undeclared", f"{found.importer} imports {found.imported}, which Package.swift does not say")
    for module, declared in house.declared.items():
        for unused in sorted((declared & house.folders.keys()) - house.below(module)):
            yield Found("Package.swift", 1, "undeclared", f"{module} declares {unused} and does not import it")


def nothing_traps(house: House) -> Iterator[Found]:
    """No Foundation in any module; nothing that ends the process in place of an error."""
    for module in house.folders:
        for file, text in house.files(module):
            for number, line in enumerate(text.split("\n"), 1):
                if (match := IMPORT.match(line)) and match.group(1).startswith("Foundation"):
                    yield Found(file, number, "foundation", f"{module} imports {match.group(1)}")
                if match := TRAPS.search(re.sub(r'"[^"]*"', "", line.split("//")[0])):
                    yield Found(file, number, "traps", match.group(0).strip())


def no_type_named_as_a_module(house: House) -> Iterator[Found]:
    """A type of a module's name hides the module."""
    for module in house.folders:
        for file, text in house.files(module):
            for match in TYPE.finditer(text):
                if match.group(1) in house.folders:
                    yield Found(file, text.count("\n", 0, match.start()) + 1, "names", f"{match.group(1)} is a module and a type")


RULES = (
    radio_imports_radio, cores_own_nothing, trust_below_credentials, devices_know_no_visit, decoders_in_the_worker, doctor_for_the_command,
    worker_links_nothing_of_the_gate, strangers_are_read_by_the_listener, relay_beside_the_gate, arrows_run_down, imports_are_declared, nothing_traps, no_type_named_as_a_module,
)


def main() -> int:
    house = House(Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).resolve().parents[2]))
    found = sorted({one for rule in RULES for one in rule(house)})
    for one in found:
        print(one)
    print(f"house: {len(house.folders)} modules, {len(RULES)} rules, {len(found)} broken", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
