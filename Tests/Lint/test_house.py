"""Each rule of the house finds what breaks it, and lets its near neighbour pass."""
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools" / "lint"))

import house  # noqa: E402
import text  # noqa: E402

FOLDERS = {
    "Bluetooth": "Radio", "Tuvali": "Radio", "AriesTransport": "Radio", "JSON": "Verification", "Cryptography": "Verification",
    "Envelopes": "Verification", "DIDComm": "Verification",
    "Trust": "Verification", "Credentials": "Verification", "Faces": "Vision", "VisionProtocol": "Vision", "Pictures": "Vision",
    "Presentation": "Gate", "Visit": "Gate", "Linux": "Board", "Devices": "Board", "Appliance": "Board", "Doctor": "Board", "SelfTest": "Board",
    "Desk": "Board",
    "COpenSSL": "Libraries", "CSodium": "Libraries", "CLinux": "Libraries", "CGPIO": "Libraries", "CFacePlugin": "Libraries", "CJPEG": "Libraries",
    "COpenJPEG": "Libraries",
    "CZXing": "Libraries",
    "HTTP": "Network", "ListenerProtocol": "Network", "Relay": "Board", "RelayState": "Board", "CMosquitto": "Libraries",
    "gatehouse-relay": "Programs", "gatehouse": "Programs", "gatehouse-vision": "Programs", "gatehouse-http": "Programs",
}


@pytest.fixture
def checkout(tmp_path):
    """A checkout with every module, in which each has one file that imports what `files` says."""
    def make(declares=None, **files: str) -> house.House:
        """`declares`: dependencies of each module; by default those its files import."""
        def dependencies(name: str) -> str:
            imported = {found.group(1) for place, content in files.items() if place.partition("/")[0] == name
                        for found in map(house.IMPORT.match, content.split("\n")) if found}
            return ", ".join(f'"{one}"' for one in sorted(imported if declares is None else declares.get(name, ())))

        declared = "\n".join(
            f'        .target(name: "{name}", dependencies: [{dependencies(name)}], path: "Sources/{district}/{name}"),'
            for name, district in FOLDERS.items())
        (tmp_path / "Package.swift").write_text(f"let package = Package(\n    targets: [\n{declared}\n    ])\n")
        for name, district in FOLDERS.items():
            (tmp_path / "Sources" / district / name).mkdir(parents=True, exist_ok=True)
        for place, content in files.items():
            module, _, file = place.partition("/")
            path = tmp_path / "Sources" / FOLDERS[module] / module / (file or "File.swift")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content)
        return house.House(tmp_path)
    return make


BROKEN = [
    (house.radio_imports_radio, "Bluetooth", "import Glibc\n"),
    (house.radio_imports_radio, "Tuvali", "import Cryptography\n"),
    (house.radio_imports_radio, "AriesTransport", "import Tuvali\n"),
    (house.radio_imports_radio, "AriesTransport", "import DIDComm\n"),
    (house.cores_own_nothing, "JSON", "import Glibc\n"),
    (house.cores_own_nothing, "Visit", "    import Glibc\n"),
    (house.cores_own_nothing, "Faces", "import Dispatch\n"),
    (house.trust_below_credentials, "Trust", "import Credentials\n"),
    (house.trust_below_credentials, "Envelopes", "package import Trust\n"),
    (house.trust_below_credentials, "DIDComm", "import Credentials\n"),
    (house.trust_below_credentials, "DIDComm", "import Trust\n"),
    (house.devices_know_no_visit, "Devices", "import Visit\n"),
    (house.devices_know_no_visit, "Devices", "@testable import Faces\n"),
    (house.devices_know_no_visit, "Devices", "import struct Credentials.Verdict\n"),
    (house.decoders_in_the_worker, "Appliance", "import Pictures\n"),
    (house.decoders_in_the_worker, "gatehouse", "import CFacePlugin\n"),
    (house.decoders_in_the_worker, "Faces", "import CJPEG\n"),
    (house.decoders_in_the_worker, "gatehouse-vision", "import COpenJPEG\n"),
    (house.decoders_in_the_worker, "Appliance", "import CZXing\n"),
    (house.decoders_in_the_worker, "Pictures", "import CZXing\n"),
    (house.decoders_in_the_worker, "Visit", "import COpenSSL\n"),
    (house.decoders_in_the_worker, "Envelopes", "import CSodium\n"),
    (house.decoders_in_the_worker, "Doctor", "import CLinux\n"),
    (house.decoders_in_the_worker, "Appliance", "import CGPIO\n"),
    (house.doctor_for_the_command, "Appliance", "import Doctor\n"),
    (house.doctor_for_the_command, "Appliance", "import Desk\n"),
    (house.doctor_for_the_command, "gatehouse-vision", "import SelfTest\n"),
    (house.worker_links_nothing_of_the_gate, "gatehouse-vision", "import Credentials\n"),
    (house.strangers_are_read_by_the_listener, "Appliance", "import HTTP\n"),
    (house.strangers_are_read_by_the_listener, "gatehouse", "import HTTP\n"),
    (house.strangers_are_read_by_the_listener, "gatehouse-http", "import Devices\n"),
    (house.strangers_are_read_by_the_listener, "gatehouse-http", "import JSON\n"),
    (house.strangers_are_read_by_the_listener, "HTTP", "import ListenerProtocol\n"),
    (house.strangers_are_read_by_the_listener, "ListenerProtocol", "import Glibc\n"),
    (house.cores_own_nothing, "HTTP", "import Glibc\n"),
    (house.relay_beside_the_gate, "Appliance", "import Relay\n"),
    (house.relay_beside_the_gate, "Appliance", "import RelayState\n"),
    (house.relay_beside_the_gate, "Doctor", "import Relay\n"),
    (house.relay_beside_the_gate, "gatehouse", "import CMosquitto\n"),
    (house.relay_beside_the_gate, "Relay", "import CMosquitto\n"),
    (house.relay_beside_the_gate, "gatehouse-relay", "import Trust\n"),
    (house.relay_beside_the_gate, "Relay", "import Credentials\n"),
    (house.arrows_run_down, "Presentation", "import ListenerProtocol\n"),
    (house.arrows_run_down, "Bluetooth", "import JSON\n"),
    (house.arrows_run_down, "DIDComm", "import AriesTransport\n"),
    (house.arrows_run_down, "Credentials", "import Visit\n"),
    (house.arrows_run_down, "Faces", "import Trust\n"),
    (house.arrows_run_down, "Presentation", "import Linux\n"),
    (house.nothing_traps, "JSON", "import Foundation\n"),
    (house.nothing_traps, "JSON", "import FoundationEssentials\n"),
    (house.nothing_traps, "JSON", "let one = try! read()\n"),
    (house.nothing_traps, "JSON", 'fatalError("never")\n'),
    (house.no_type_named_as_a_module, "Visit", "package struct Visit {}\n"),
]


@pytest.mark.parametrize(("rule", "module", "content"), BROKEN, ids=lambda value: getattr(value, "__name__", str(value).strip()))
def test_what_breaks_a_rule_is_found(checkout, rule, module, content):
    found = list(rule(checkout(**{module: "// A line before.\n" + content})))
    assert [one.line for one in found] == [2]


ALLOWED = [
    ("Tuvali", "import Bluetooth\n"), ("AriesTransport", "import Bluetooth\n"),
    ("DIDComm", "import Cryptography\nimport Envelopes\nimport JSON\n"), ("Faces", "import JSON\n"), ("Presentation", "import Tuvali\nimport Credentials\nimport Cryptography\n"),
    ("Devices", "import CLinux\nimport CGPIO\nimport Linux\n"), ("gatehouse", "import Doctor\nimport SelfTest\nimport ArgumentParser\n"),
    ("gatehouse-vision", "import Pictures\nimport CFacePlugin\nimport CZXing\nimport Linux\nimport VisionProtocol\n"), ("Cryptography", "import COpenSSL\nimport CSodium\n"),
    ("Linux", "import Glibc\nimport CLinux\nfunc f() { close(3) }\n"), ("JSON", "// import Foundation is not for us, and try! neither\n"),
    ("JSON", 'let text = "fatalError("\n'), ("Credentials/Verdict", "struct Visitor {}\n"),
]


@pytest.mark.parametrize(("module", "content"), ALLOWED, ids=lambda value: str(value).strip())
def test_what_keeps_the_rules_passes(checkout, module, content):
    made = checkout(**{module if "/" not in module else module + "/File.swift": content})
    assert [one for rule in house.RULES for one in rule(made)] == []


def test_a_system_call_in_a_core_is_found_where_glibc_is_allowed(checkout, monkeypatch):
    monkeypatch.setattr(house, "GLIBC_IN_CORES", {"JSON/File.swift"})
    made = checkout(JSON="import Glibc\nlet equal = memcmp(a, b, 3)\nlet file = open(path, O_RDONLY)\n")
    assert [(one.line, one.text) for one in house.cores_own_nothing(made)] == [(3, "JSON calls open")]


def test_a_form_that_uses_the_verdict_is_found(checkout):
    made = checkout(**{
        "Credentials/Forms/Token.swift": "struct Token {}\nlet one: ListReading?\n",
        "Credentials/Status/ListReading.swift": "struct ListReading { let token: Token }\n",
        "Credentials/Verdict/Judgement.swift": "struct Judgement { let list: ListReading; let token: Token }\n",
    })
    assert [(one.file.rsplit("/", 1)[1], one.line) for one in house.trust_below_credentials(made)] == [("Token.swift", 2)]


def test_a_circle_is_found(checkout):
    made = checkout(Trust="import Envelopes\n", Envelopes="import JSON\n", JSON="import Trust\n")
    assert {one.text.split()[0] for one in house.arrows_run_down(made)} == {"Trust", "Envelopes", "JSON"}


def test_an_import_that_is_not_declared_is_found(checkout):
    made = checkout(declares={"Trust": ["JSON"]}, Trust="import JSON\nimport Envelopes\n")
    assert [(one.line, one.text) for one in house.imports_are_declared(made)] == [(2, "Trust imports Envelopes, which Package.swift does not say")]


def test_a_dependency_that_nobody_imports_is_found(checkout):
    made = checkout(declares={"Trust": ["JSON", "Envelopes"]}, Trust="import JSON\n")
    assert [one.text for one in house.imports_are_declared(made)] == ["Trust declares Envelopes and does not import it"]


LONG = "a word " * 25


@pytest.mark.parametrize(("name", "line", "wrong"), [
    ("page.md", LONG, True), ("page.md", "| " + LONG, False), ("page.md", "    " + LONG, False),
    ("page.md", "https://example.org/" + "a" * 150, False), ("script.sh", "# " + LONG, True), ("script.sh", f"echo '{LONG}'", False),
    ("File.swift", "    /// " + LONG, True), ("File.swift", f'#"{LONG}"#', False), ("page.md", "ends with a blank ", True), ("page.md", "short", False),
])
def test_long_lines_of_documents_and_comments_are_found(name, line, wrong):
    assert bool(list(text.complaints(name, line.rstrip() + (" " if line == "ends with a blank " else "") + "\n"))) == wrong


def test_a_file_ends_with_an_end_of_line():
    assert [what for _, what in text.complaints("page.md", "no end")] == ["no end of line at the end of the file"]


def test_the_house_has_every_module_of_the_package():
    """A declaration in another form would not be read, and its module would be free of all rules."""
    package = (ROOT / "Package.swift").read_text()
    declared = package.count(".target(") + package.count(".executableTarget(") + package.count(".systemLibrary(")
    others = package.count('path: "Tests/') - package.count('path: "Tests/Unit/') + package.count('path: "Benchmarks"')
    assert len(house.House(ROOT).folders) == declared - others
