"""The tables of reference, reasons, troubles and others in docs/ against the program: options by its help, codes by its sources, both ways."""
import functools
import re
import subprocess

import pytest

from gate import command, is_reference
from swift_sources import ROOT, body, files, raw_values, strings, type_blocks

pytestmark = pytest.mark.skipif(is_reference(), reason="the pages are about the gate")


def tables(page: str) -> dict[str, list[list[str]]]:
    """The rows of a page's tables under their headings, without the tables' heads; an escaped bar is no border."""
    found, heading, head = {}, "", True
    for line in (ROOT / "docs" / page).read_text().splitlines():
        if line.startswith("#"):
            heading = line.lstrip("# ")
        is_rule = re.match(r"\| ?-{3}", line) is not None
        head = not line.startswith("|") or (head and not is_rule)
        if line.startswith("|") and not head and not is_rule:
            found.setdefault(heading, []).append([cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]])
    return found


def words(cell: str) -> list[str]:
    return re.findall(r"`([^`]+)`", cell)


def listed(page: str, *headings: str) -> list[str]:
    """What stands in code type in the first cells below these headings."""
    rows = [row for heading in headings for row in tables(page)[heading]]
    assert rows, headings
    return [word for row in rows for word in words(row[0])]


def equal(page: list[str], program: set[str]) -> None:
    assert len(page) == len(set(page)), f"twice on the page: {sorted(word for word in set(page) if page.count(word) > 1)}"
    assert set(page) == program, f"only on the page: {sorted(set(page) - program)}; only in the program: {sorted(program - set(page))}"


# MARK: commands and options

@functools.cache
def help_of(*words: str) -> str:
    return subprocess.run([*command(), "help", *words], capture_output=True, text=True, check=True, timeout=60).stdout


def commands(*above: str) -> list[tuple[str, ...]]:
    """Every command without subcommands, by the program's help."""
    _, _, rest = help_of(*above).partition("\nSUBCOMMANDS:\n")
    below = re.findall(r"^  ([a-z][a-z-]*)(?:  |$)", rest, re.M)
    return [leaf for name in below for leaf in commands(*above, name)] if below else [above]


def options(words: tuple[str, ...]) -> dict[str, str | None]:
    """The options of a command, with their defaults as far as the help names them."""
    _, _, rest = help_of(*words).partition("\nOPTIONS:\n")
    found = {}
    for block in re.split(r"\n  (?=-)", "\n" + rest):
        # `-n, --lines <count>`, as `-h, --help`.
        if option := re.match(r"(?:-[a-z], )?(--[a-z-]+)", block):
            default = re.search(r"\(default:\s+([^)]*)\)", " ".join(block.split()))
            found[option.group(1)] = default.group(1) if default else None
    return found


def on_page(name: str) -> dict[str, str]:
    """The options of a command on the page, with their defaults."""
    rows = [row for rows in tables("reference.md").values() for row in rows if len(row) == 4 and row[0].startswith("`--") and name in words(row[1])]
    names = [words(row[0])[0].split()[0] for row in rows]
    assert len(names) == len(set(names)), f"twice for {name}: {names}"
    return {option: row[2] for option, row in zip(names, rows)}


def test_every_command_is_on_the_page():
    equal([re.sub(r" [A-Z].*", "", row) for row in listed("reference.md", "Commands")], {" ".join(words) for words in commands()})


def test_every_option_is_on_the_page():
    for words in commands():
        # --trace-secrets is of debug builds alone.
        equal(list(on_page(" ".join(words))), set(options(words)) - {"--version", "--help", "--trace-secrets"})


def test_no_option_of_a_command_that_is_none():
    known = {" ".join(words) for words in commands()}
    for rows in tables("reference.md").values():
        for row in rows:
            assert len(row) != 4 or not row[0].startswith("`--") or set(words(row[1])) <= known, row


def test_defaults_are_those_of_the_program():
    for words in commands():
        page = on_page(" ".join(words))
        for option, default in options(words).items():
            if default and " " not in default and option in page:
                assert page[option].strip("`").replace("-", "none") == default or page[option].strip("`") == default, (words, option, default)


# MARK: codes

CODES = {
    ("reasons.md", "Opening the message"): lambda: strings("OpeningError", "code"),
    ("reasons.md", "Status lists"): lambda: raw_values("StatusListFault"),
    ("reasons.md", "Notes"): lambda: raw_values("CredentialNote") | strings("MdocWarning", "note") | {"holder-not-bound", "holder-bound-hardware-claimed", "supervisor", "other-document-refused"} | raw_values("Note"),
    ("reasons.md", "Faults of the data model"): lambda: raw_values("CredentialMember"),
    ("reasons.md", "Transfers that failed"): lambda: strings("TuvaliError", "code"),
    ("reasons.md", "Faces"): lambda: {code for name in ("FaceReason", "FaceSDKError", "FrameFlaw", "FaceBin") for code in strings(name, "code")},
    ("reasons.md", "The message", "The signed part", "JSON-LD credentials and their proofs", "Trust", "Selective disclosure", "Validity and policy",
     "Key binding"): lambda: strings("RejectReason", "code") | strings("GateReason", "code"),
    ("reasons.md", "Documents in phones"): lambda: strings("MdocReason", "code") | strings("MdocFault", "code") | raw_values("EngagementError"),
    ("reasons.md", "Proofs", "Wallets that left or failed"): lambda: strings("ProofReason", "code") | raw_values("PresentationReason") | raw_values("AriesCode"),
    ("reasons.md", "Trusted Key wallets"): lambda: strings("TrustedKeyReason", "code") | raw_values("TrustedKeyFault"),
    ("reasons.md", "Phones that left or failed"): lambda: {code for name in ("MdocFailure", "MdocLinkFailure", "SessionEnd") for code in strings(name, "code")},
    ("operate.md", "Nobody can enter"): lambda: strings("ClosedCause", "code"),
    ("troubles.md", "Controller", "Lamps, door, sound, screen, camera, faces, codes", "Trust, clock, orders, site file, updates", "Disk and audit log"): lambda: troubles(),
    ("troubles.md", "Self-test"): lambda: {code.replace("…", "STAGE") for code in strings("RehearsalFailure", "code")},
    ("troubles.md", "Audit log that does not check"): lambda: raw_values("AuditReport.Fault"),
    ("troubles.md", "Dropped packets"): lambda: strings("Drop", "name"),
    ("site.md", "What a site file may set"): lambda: raw_values("SiteMember") | {"perGate"},
    ("updates.md", "Installing one"): lambda: refused_updates(),
}
SENTENCES = {
    "Refused trust folders": [("TrustError", "sentence"), ("Problem", "sentence")],
    "Refused bundles": [("TrustBundleError", "description"), ("TrustInstallationError", "description"), ("SystemError", "description")],
    "Refused orders": [("CosignError", "sentence"), ("OrderError", "description"), ("OrderRegisterError", "description")],
}


def troubles() -> set[str]:
    """The codes of `doctor`: what stands second in a call of `trouble`, and what a function there makes of an error."""
    found = set()
    for text in files().values():
        calls = re.findall(r"\.trouble\(\s*(?:\"[^\"]*\"|\w+),\s*(\"audit-[^,]*|\"[^\"]*\"|[\w.]+(?:\(\w+\))?)", text)
        for code in calls:
            if cause := re.fullmatch(r"ClosedCause\.(\w+)\.code", code):
                cases = "".join(type_blocks("ClosedCause"))
                found.add(re.search(rf'case \.{cause.group(1)}: "([a-z-]+)"', cases).group(1))
            elif choice := re.fullmatch(r'"([a-z-]+)\\\(.* \? "(\w+)" : "(\w+)"\)"', code):
                found |= {choice.group(1) + choice.group(2), choice.group(1) + choice.group(3)}
            elif re.fullmatch(r'"[a-z-]+"', code):
                found.add(code.strip('"'))
            else:
                assert code in ("code(error)", "code(fault)", '"controller-\\(code(error))"'), f"{code}: this test has to be told what it can be"
        if not calls:
            continue
        for function in re.finditer(r"func code\(_ \w+: (\w+)\) -> String \{", text):
            prefix = "controller-" if function.group(1) == "LinkError" else ""
            found |= {prefix + code for code in re.findall(r'case [^"]*: "([a-z-]+)"', body(text, function.end()))}
    return found


def refused_updates() -> set[str]:
    """What the image's scripts say behind `refused:`."""
    scripts = [path.read_text() for path in (ROOT / "image").rglob("update*") if path.name in ("update", "update-before", "update-after") and path.is_file()]
    assert len(scripts) == 3
    return {word for text in scripts for pair in re.findall(r"\brefuse ([a-z][a-z-]+)|\b(?:then|else) echo ([a-z][a-z-]+)", text)
            for word in pair if word}


@pytest.mark.parametrize("where", CODES, ids=lambda where: " ".join(where[:2]))
def test_every_code_is_on_the_page(where):
    page, *headings = where
    equal(listed(page, *headings), CODES[where]())


@pytest.mark.parametrize("heading", SENTENCES)
def test_every_refusal_is_on_the_page(heading):
    program = {sentence for place in SENTENCES[heading] for sentence in strings(*place)} - {"The order …"}
    equal([row[0] for row in tables("troubles.md")[heading]], program)


# MARK: JSON and audit members

def members(*names: str) -> set[str]:
    """The names of JSON members that these types write."""
    text = "".join(block for name in names for block in type_blocks(name))
    loops = "".join(re.findall(r"for \(\w+, \w+\) in (\[.*?\]) (?:where|\{)", text, re.S))
    return set(re.findall(r'\b(?:member|name|pair|write)\("(\w+)"', text)) | set(re.findall(r'\("(\w+)",', loops))


JSON = {"verify --json": ("VerdictReport",), "doctor --json": ("DoctorText",), "self-test --json": ("SelfTestCommand",), "audit verify --json": ("AuditVerify",),
        "audit stats --json": ("AuditStatsJSON",), "audit tail --json": ("AuditLineText",),
        "trust inspect --json": ("TrustInspect", "BundleReport", "MdocReport", "ProofReport"),
        "trust diff --json": ("TrustDiff", "MdocChanges", "ProofChanges")}


@pytest.mark.parametrize("heading", JSON)
def test_every_json_member_is_on_the_page(heading):
    equal(listed("reference.md", heading), members(*JSON[heading]))


def test_every_audit_event_and_member_is_on_the_page():
    text = "".join(text for text in files().values() if "AuditRecord" in text)
    text = re.sub(r"\bsection\.add\(\s*\"", "", text)
    events = set(re.findall(r'(?:AuditRecord|self\.init)\(event: "(\w+)"', text)) | set(re.findall(r'static var \w+Event: String \{ "(\w+)" \}', text))
    loops = "".join(re.findall(r"(?:\bin|\{)\s*\[\s*(\(\"\w+\",.*?)\]", text, re.S))
    reserved = re.search(r"static let reserved: Set<String> = \[([^]]*)\]", text).group(1)
    names = set(re.findall(r'\badd\("([\w-]+)"', text)) | set(re.findall(r'\("(\w+)",', loops)) | set(re.findall(r'"(\w+)"', reserved))
    rows = tables("reference.md")["Audit members"]
    equal([word for row in rows if len(row) == 2 for word in words(row[0])], events)
    equal([word for row in rows if len(row) == 3 for word in words(row[0])], names)
    assert {word for row in rows if len(row) == 3 for word in words(row[1])} == events
