"""How much room the audit log may take: by an option, by the site file, and where the two do not go together."""
import asyncio
import json
from types import SimpleNamespace

import pytest

from gate import Gate, is_reference
from test_audit_bound import KIB, run, write_log
from test_command import DEMO, issuer
from test_orders import site
from trust_bundle import Operators

pytestmark = pytest.mark.skipif(is_reference(), reason="the reference gate has no site files")


@pytest.fixture
def installed(tmp_path):
    """Makes a trust folder with a site file on trial; returns it with the options that name it."""
    def install(content: dict):
        operators, folder = Operators(tmp_path / "operators"), tmp_path / "installed"
        operators.install(issuer.write_trust(tmp_path / "trust", DEMO), folder)
        site(SimpleNamespace(folder=tmp_path, trust=folder), operators, 1, content)
        return folder, ("--root", operators.root)

    return install


def examined(folder, options, data, *others) -> tuple[dict, dict]:
    """What `doctor` says of the settings and of the log's room, and its troubles by their codes."""
    done = run("doctor", "--hci", "unix:nowhere", "--data", data, "--trust", folder, *options, *others, "--json")
    assert done.stdout, done
    report = json.loads(done.stdout)
    rows = {section["name"]: {row["name"]: row["value"] for row in section["rows"]} for section in report["sections"]}
    return rows, {trouble["code"]: trouble for trouble in report["troubles"]}


def test_an_option_comes_before_the_site_file(installed, tmp_path):
    folder, options = installed({"auditSize": 64, "auditFull": "drop-oldest"})
    write_log(tmp_path / "data", 1)
    for others, size, full in [((), "64 (site file 1)", "drop-oldest (site file 1)"), (("--audit-size", 32), "32 (option)", "drop-oldest (site file 1)"),
                               (("--audit-full", "stop"), "64 (site file 1)", "stop (option)"),
                               (("--audit-size", 256, "--audit-full", "stop"), "256 (option)", "stop (option)")]:
        rows, _ = examined(folder, options, tmp_path / "data", *others)
        assert (rows["settings"]["auditSize"], rows["settings"]["auditFull"]) == (size, full)
        bound, when = int(size.split()[0]) << 20, full.split()[0]
        assert f"of at most {bound}; when full: {when};" in rows["audit log"]["room"], rows["audit log"]


def test_a_size_of_the_site_file_that_an_option_makes_too_small(installed, tmp_path):
    folder, options = installed({"auditSize": 16})
    write_log(tmp_path / "data", 1)
    words = "site file: auditSize 16: less than four segments of 8192 KiB (--audit-segment)"
    refused = run("run", "--hci", "unix:nowhere", "--data", tmp_path / "data", "--trust", folder, *options, "--audit-segment", 8192)
    assert refused.returncode == 2 and words in refused.stderr, refused
    rows, troubles = examined(folder, options, tmp_path / "data", "--audit-segment", 8192)
    assert troubles["audit-size"]["sentence"].endswith(words + ": the gate does not start with it") and "room" in rows["audit log"]
    assert "audit-size" in examined(folder, options, tmp_path / "no-data", "--audit-segment", 8192)[1]
    assert "audit-size" in examined(folder, options, tmp_path / "data", "--audit-segment", 262144)[1]
    # Exactly four segments, and an option of the command that gives the size itself.
    assert "audit-size" not in examined(folder, options, tmp_path / "data", "--audit-segment", 4096)[1]
    assert "audit-size" not in examined(folder, options, tmp_path / "data", "--audit-segment", 8192, "--audit-size", 32)[1]
    for command in ("run", "doctor"):
        named = run(command, "--hci", "unix:nowhere", "--data", tmp_path / "data", "--trust", folder, *options, "--audit-segment", 8192, "--audit-size", 31)
        assert named.returncode == 2 and "--audit-size 31: use at least four segments of 8192 KiB" in named.stderr, named


@pytest.mark.parametrize("others, counts", [((), True), (("--audit-size", "256"), False), (("--audit-full", "drop-oldest"), False)])
def test_a_start_counts_against_a_size_that_leaves_the_log_no_room(installed, tmp_path, others, counts):
    """Visitors can enter for a segment longer. What an option overrules is not what the file sets."""
    folder, options = installed({"auditSize": 16, "auditFull": "stop"})
    write_log(tmp_path / "data", 40, 500 * KIB)

    async def ended() -> None:
        async with Gate(tmp_path / "air", folder, tmp_path / "data", *map(str, options), *others) as gate:
            await gate.light("fault")
            await asyncio.sleep(16)
            assert await gate.stop() == 0
            assert any("site file 1, on trial" in line for line in gate.errors) and not any("NOBODY CAN ENTER (records" in line for line in gate.errors)

    asyncio.run(ended())
    assert (folder / "site.trial").read_text() == f"{int(counts)} 1\n"
