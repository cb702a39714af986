"""`make run`: its exit code is that of everything it shows."""
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from gate import command, is_reference

pytestmark = pytest.mark.skipif(is_reference(), reason="the demo is of the real gate")
HERE = Path(__file__).resolve().parent
WRONG = "This is not how the demo should go"


def start(*words: str, **environment: str) -> subprocess.Popen:
    program, *rest = command()
    environment = {**os.environ, "STAY": "0", "FACES": "0", "GATEHOUSE": " ".join([os.path.abspath(program) if "/" in program else program, *rest]), **environment}
    return subprocess.Popen([sys.executable, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=HERE, env=environment, text=True)


SABOTAGE = {
    "the good one is revoked": "demo.REVOKED = demo.GOOD", "nothing is added": "demo.changed = lambda document, *_, **__: document",
    "nothing is changed": "demo.issuer.with_disclosure_changed = str", "nobody is on the list": "demo.REVOKED, demo.list_credential = 7, empty",
    "the licence has not expired": "import demo_documents as d; d.VISITS = [(*v[:3], 'fat_encoding' if v[3] == 'expired' else v[3], v[4]) for v in d.VISITS]",
    "the card has expired": "import cards; made = cards.CardIssuer.card; cards.CardIssuer.card = lambda by, photo: made(by, photo, issued=-60, expires=-1)",
}
EMPTY = "empty = lambda issuer, url, _, made=demo.list_credential: made(issuer, url, [])"


class Demos(dict):
    """Each is started when somebody asks for it."""

    def __missing__(self, name: str) -> subprocess.Popen:
        if name in SABOTAGE:
            program = "import asyncio, sys, demo; " + EMPTY + "; {}; sys.exit(asyncio.run(demo.main()))"
            self[name] = start("-c", program.format(SABOTAGE[name]))
        else:
            self[name] = start("demo.py", STAY="1" if name == "stay" else "0")
        return self[name]


@pytest.fixture(scope="module")
def demos():
    """All of them at once, as a demo spends its time waiting for lamps; but not all of them by each of several workers."""
    started = Demos()
    if "PYTEST_XDIST_WORKER" not in os.environ:
        for name in ("good", "stay", *SABOTAGE):
            started[name]
    yield started
    for process in started.values():
        process.kill()
        process.communicate()


def test_demo(demos):
    said, errors = demos["good"].communicate(timeout=600)
    assert (demos["good"].returncode, errors) == (0, ""), said
    assert "trust bundle 1, signed by 2 of 3" in said and WRONG not in said
    assert [f"{turn}  " in said for turn in range(1, 20)] == [True] * 19
    # Only a wallet that has not subscribed is made to wait, and no longer than its transfer took.
    transfers = re.findall(r"^\d+  (Android|iOS) wallet: (?:(?!^\d+  ).)*?transfer (\d+) ms( \(50 of them a fixed wait\))?", said, re.S | re.M)
    assert {phone for phone, _, _ in transfers} == {"Android", "iOS"}
    assert all(phone == "Android" and int(time) >= 50 if waited else phone == "iOS" for phone, time, waited in transfers), transfers
    for words in ("rejected: disclosure-unreferenced", "accepted: RsaSignature2018 security-v3, good", "rejected: claims-uncovered",
                  "rejected: revoked", "accepted: holder-not-bound", "rejected: signature-invalid", "rejected: mdoc-invalid", "rejected: mdoc-expired",
                  "rejected: claim-untrusted", "holder-bound-hardware-claimed",
                  "proven: birth_date <= ", "rejected: proof-invalid", "The date of birth is in none of what the phone sent."):
        assert words in said, words


def test_visitors_keep_coming(demos):
    process = demos["stay"]
    for line in process.stdout:
        if line.startswith("8  "):
            assert "JSON-LD" in line
            process.send_signal(signal.SIGINT)
    assert process.wait(600) == 0


@pytest.mark.parametrize("name", SABOTAGE)
def test_exit_code_depends_on_every_visit(demos, name):
    said, errors = demos[name].communicate(timeout=600)
    assert (demos[name].returncode, errors) == (1, ""), said
    assert said.count(WRONG) == 1, said
