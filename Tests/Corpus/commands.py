"""The command line: every help text, what is refused and how, an operator's commands, the doctor, and faces compared."""
import json
import re
from pathlib import Path

from desk import Desk, ageless
from fixed import AT, Record, program, run
from operating import audits, bundles, orders

import drawn_faces as drawn
import issuer

SUBCOMMAND = re.compile(r"^  ([a-z][a-z-]*)  ", re.M)
# What they say is about this machine and this minute.
OF_THE_MACHINE = ("kernel", "process", "clock", "updates", "space")
VALUES = {
    "--hci": ("", "hci", "hci:", "hci:x", "hci:-1", "hci:65536", "usb:0", "serial:", "serial:/dev/ttyS0,1234567", "unix:", "tcp:",
              "tcp:127.0.0.1", "tcp:127.0.0.1:0", "tcp:127.0.0.1:65536", "HCI:0"),
    "--lights": ("", "log", "log:x", "gpio:", "gpio:chip/accept=1", "gpio:chip/accept=1,reject=1", "gpio:chip/accept=1,reject=2,blue=3",
                 "gpio:chip/accept=1,reject=2,accept=3", "gpio:chip/accept=,reject=2", "gpio:chip/accept=99999,reject=2", "lamp:"),
    "--camera": ("", "v4l2", "v4l2:", "dir:", "file:", "cmd:", "stdin:x", "v4l2:/dev/video0,640", "dir:a,0", "eye:1"),
    "--screen": ("", "fb", "fb:", "terminal:1", "none:x", "hdmi:0"),
    "--verdict-time": ("", "0", "0.09", "10.1", "-1", "nan", "3s"),
    "--name": ("", "TWELVE-CHARS", "two words", "Grüezi", "a/b"),
    "--wire": ("", "0.3", "0.50", "v0.5"),
    "--face": ("", "always", "Required"),
    "--confine": ("", "maybe"),
    "--user": ("", "nobody-here"),
    "--audit-size": ("", "0", "1", "many"),
    "--audit-segment": ("", "0", "x"),
    "--audit-full": ("", "burn"),
    "--trust": ("absent", ),
    "--root": ("absent", ),
    "--board": ("absent", ),
    "--controller-reset": ("relative", ),
    "--face-settings": ("absent", ),
    "--face-thresholds": ("absent", ),
}
TIMES = ("", "yesterday", "1800000000", "2026-01-31", "2026-01-31T12:00:00", "2026-01-31 12:00:00Z", "2026-13-01T00:00:00Z",
         "2026-02-29T00:00:00Z", "2026-01-31T24:00:00Z", "2026-01-31T12:00:60Z", "2026-01-31T12:00:00+5:30")
WORDS = (("open", ), ("run", "--colour", "red"), ("verify", ), ("verify", "a", "b"), ("verify", "-", "--hci", "hci:0"), ("doctor", "--xml"),
         ("run", "now"), ("run", "--hci"), ("verify", "-", "--at"), ("trust", ), ("trust", "build"), ("trust", "sign", "x"),
         ("audit", "verify"), ("lamps", ), ("lamps", "green"), ("calibrate", "absent"), ("site", "show"),
         ("order", "build", "--kind", "paint"), ("face", "compare", "a"))
NOISE = (b"", b"\x00" * 5000, b"\xff" * 5000, b"{", b'"', b"~", b" \n", b"\xef\xbb\xbf{}", b"a.b.c~", b"a.b.c", b"\xa2" * 60, b"[]", b"{}",
         b'{"verifiableCredential":null}', b'{"verifiableCredential":{"credential":{}}}', b"\x1f\x8b\x08" + bytes(100), b"[" * 100_000)


def helps(desk: Desk) -> None:
    waiting = [()]
    while waiting:
        words = waiting.pop(0)
        desk.add("help " + " ".join(words), *words, "--help")
        text = run(desk.folder, *words, "--help").partition("\nSUBCOMMANDS:\n")[2]
        waiting += [(*words, name) for name in SUBCOMMAND.findall(text)]
    for worker in ("gatehouse-face", "gatehouse-vision"):
        if Path(program(worker)).exists():
            desk.add("the worker without words", named=worker)


def refusals(desk: Desk) -> None:
    for words in WORDS:
        desk.add("refused: " + " ".join(words), *words)
    for option, values in VALUES.items():
        for value in values:
            for command in ("run", "doctor") if option in ("--hci", "--lights", "--camera", "--screen", "--board") else ("run", ):
                words = {"--trust": "source", "--hci": "unix:air", "--data": "data"}
                words.pop(option, None)
                desk.add(f"refused: {command} {option}={value}", command, f"{option}={value}",
                         *(part for pair in words.items() for part in pair))
    for text in TIMES:
        desk.add(f"refused: verify --at={text}", "verify", "-", "--trust", "source", f"--at={text}", input=b"{}")
    for number, octets in enumerate(NOISE):
        for options in ((), ("--json", )):
            desk.add(f"noise {number} {octets[:12]!r} {' '.join(options)}", "verify", "-", "--trust", "source", *options, input=octets)
    for name in ("absent", "source"):
        desk.add(f"refused: verify {name}", "verify", name, "--trust", "source")


def profiles(desk: Desk) -> None:
    good = {"name": "test", "hci": "unix:air", "lights": "log:", "screen": "none:", "face": "off"}
    faulty = [{**good, **change} for change in ({"colour": "red"}, {"hci": None}, {"hci": "usb:0"}, {"lights": "log"}, {"screen": ""},
                                                {"name": "A Board"}, {"audit": "relative"}, {"face": "maybe"})]
    faulty += ["{", "[]", "{}", '{"name":"a","hci":"hci:0","lights":"log:","screen":"none:"}', '{"name":"a","name":"b"}', " " * 70_000]
    for number, content in enumerate(faulty):
        desk.write("board.json", content)
        desk.add(f"profile {number}", "run", "--board", "board.json", "--trust", "source", "--data", "data")


def trust_folders(desk: Desk) -> None:
    """Each fault of a trust folder."""
    jwk = desk.issuer.jwk()
    changes = {
        "unknown version": {"gatehouse-trust": 2}, "unknown member": {"colour": "red"}, "no key": {"keys": None}, "no types": {"types": []},
        "no ids": {"ids": []}, "id twice": {"ids": ["urn:a",
                                                    "urn:a"]}, "bad algorithm": {"algorithms": ["none"]}, "bad form": {"forms": ["paper"]},
        "private key": {"keys": [{"kid": "a",
                                  "jwk": {**jwk, "d": "AAAA"}}]}, "bad key": {"keys": [{"kid": "a", "jwk": {**jwk, "x": "AAAA"}}]},
        "key twice": {"keys": [{"kid": "a", "jwk": jwk}, {"kid": "a", "jwk": jwk}]}, "bad pem": {"keys": [{"kid": "a", "pem": "x"}]},
        "bad root": {"x509": {"roots": ["x"]}}, "bad claims": {"claims": {"colour": ["x"]}}, "bad requires": {"requires": ["colour"]},
        "bad status": {"status": {"unknown": "perhaps"}}, "bad ages": {"status": {"softAge": 2, "hardAge": 1}},
        "bad suite": {"suites": ["none"]}, "bad window": {"keys": [{"kid": "a", "jwk": jwk,
                                                                    "notBefore": "soon"}]}, "bad audience": {"audiences": [""]}
    }
    contents = {name: issuer.trust_entry(desk.issuer, **change) for name, change in changes.items()}
    for number, (name, content) in enumerate({**contents, "not JSON": "{", "empty": "", "an array": "[]"}.items()):
        desk.write(f"faulty-{number}/a.json", content)
        desk.add(f"trust folder: {name}", "verify", "-", "--trust", f"faulty-{number}", input=b"{}")
    for name, contexts in (("no file", [{"url": "urn:a", "file": "absent", "sha256": "00" * 32}]), ("no url", [{"file": "demo.json"}]),
                           ("another digest", [{"url": "urn:a", "file": "demo.json",
                                                "sha256": "00" * 32}]), ("outside", [{"url": "urn:a", "file": "../x"}])):
        desk.source(f"contexts {name}")
        desk.write(f"contexts {name}/contexts.json", {"gatehouse-contexts": 1, "contexts": contexts})
        desk.add(f"trust folder: contexts, {name}", "verify", "-", "--trust", f"contexts {name}", input=b"{}")
    for name, lists in (("no file", [{"url": "urn:a", "file": "absent", "fetched": AT}]), ("no time", [{"url": "urn:a", "file": "list"}]),
                        ("twice", [{"url": "urn:a", "file": "list", "fetched": AT}] * 2)):
        desk.source(f"lists {name}")
        desk.write(f"lists {name}/lists.json", {"gatehouse-lists": 1, "lists": lists})
        desk.add(f"trust folder: lists, {name}", "verify", "-", "--trust", f"lists {name}", input=b"{}")


def doctors(desk: Desk) -> None:
    """No controller; what is said of the machine is left out."""
    for name, words in (("an unsigned folder", ("--trust", "source")), ("a bundle", ("--trust", "gate", "--root", "root.json")),
                        ("nothing", ("--trust", "absent")), ("a damaged log", ("--trust", "source", "--data", "damaged log")),
                        ("a whole log", ("--trust", "source", "--data", "log")),
                        ("no lamps", ("--trust", "source", "--lights", "gpio:absent/accept=1,reject=2", "--screen", "fb:/absent"))):
        text = ageless(run(desk.folder, "doctor", "--json", "--hci", "unix:air", "--data", "none", *words))
        status, _, line = text.partition("\nout:\n")
        report = json.loads(line)
        for section in report["sections"]:
            if section["name"] in OF_THE_MACHINE:
                section["rows"] = [row["name"] for row in section["rows"]]
                section["summary"] = ""
        desk.record.add(f"doctor: {name}", status + "\n" + json.dumps(report, indent=1))


def faces(desk: Desk) -> None:
    """With the matcher of the tests."""
    if absent := drawn.missing():
        raise SystemExit(absent)
    red, blue = (200, 60, 40), (40, 60, 200)
    pictures = {
        "red": drawn.picture(red), "reddish": drawn.picture((200, 92, 40)), "blue": drawn.picture(blue), "two": drawn.picture(red, blue),
        "nobody": drawn.picture(), "small": drawn.picture(red, side=20), "attack": drawn.picture(red, corner=True)
    }
    for name, picture in pictures.items():
        desk.write(f"{name}.png", drawn.octets(picture))
    desk.write("noise.png", b"noise")
    desk.write("heic.png", b"\0\0\0\x18ftypheic" + bytes(100))
    for name, plugin, threshold in (("", "test_matcher", 0.9), ("strict: ", "test_matcher", 0.999),
                                    ("another matcher's threshold: ", "test_matcher_pad", 0.9), ("a matcher that crashes: ", "crash",
                                                                                                 0.9), ("no matcher: ", "absent", 0.9)):
        entry = {"plugin": drawn.PLUGIN_ID, "model": drawn.MODEL, "threshold": threshold, "evidence": "provisional", "date": "2026-01-01"}
        desk.write("thresholds", {"gatehouse-face-thresholds": 1, "entries": [entry]})
        for captured in [*pictures, "noise", "heic", "absent"] if not name else ["red", "blue"]:
            desk.add(f"face compare: {name}{captured}", "face", "compare", f"{captured}.png", "red.png", "--face-plugin",
                     drawn.PLUGINS / f"{plugin}.so", "--face-models", drawn.PLUGINS, "--face-thresholds", "thresholds")


def record(out: Path, folder: Path) -> None:
    """Writes `commands.txt`."""
    with Record(out / "commands.txt") as written:
        desk = Desk(written, folder)
        for part in (helps, refusals, profiles, trust_folders, bundles, orders, audits, doctors, faces):
            part(desk)
