"""What the Debian packages' files say of each other, of the units and of the programs: nothing is built here (`make deb-test` installs them)."""
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
PACKAGES = REPOSITORY / "packages"
DEBIAN = PACKAGES / "debian"
sys.path[:0] = [str(PACKAGES), str(REPOSITORY / "image")]
from debian_copyright import Copyright  # noqa: E402
from manual_pages import page  # noqa: E402

UNIT = (REPOSITORY / "board/generic/gatehouse.service").read_text()
MANIFEST = (REPOSITORY / "Package.swift").read_text()
# And the one of C, which the Swift package knows nothing of.
PRODUCTS = [*re.findall(r'\.executable\(name: "([^"]+)"', MANIFEST), "gatehouse-osdp"]
UNITS = {path.name: path.read_text() for path in (REPOSITORY / "board/generic").iterdir() if path.suffix in (".service", ".socket", ".path")}


def unit(name: str, text: str = UNIT) -> list[str]:
    return [word for value in re.findall(rf"^{name}=(.*)$", text, re.MULTILINE) for word in value.split()]


def rows(name: str) -> list[list[str]]:
    return [line.split() for line in (DEBIAN / name).read_text().splitlines() if line and not line.startswith("#")]


def packages() -> list[str]:
    return re.findall(r"^Package: (.*)$", (DEBIAN / "control").read_text(), re.MULTILINE)


def build(*targets: str, **variables: str) -> subprocess.CompletedProcess:
    return subprocess.run([PACKAGES / "build.sh", *targets], capture_output=True, text=True, env=os.environ | variables, timeout=60)


# MARK: what is in them

def test_every_program_of_the_package_is_in_one_of_them():
    installed = {source for name in packages() for source, _ in rows(f"{name}.install")}
    assert {f"programs/{name}" for name in PRODUCTS} == {source for source in installed if source.startswith("programs/")}


def test_a_program_that_has_no_commands_has_a_page_that_was_written():
    for name in ("gatehouse-http", "gatehouse-osdp", "gatehouse-vision"):
        text = (DEBIAN / f"{name}.8").read_text()
        assert f".Nm {name}\n" in text and ".Dd @DATE@\n" in text


def test_the_written_page_has_every_option_of_the_program():
    options = re.findall(r'\{"([a-z-]+)", [01], 0, OPTION_', (REPOSITORY / "Sources/Programs/gatehouse-osdp/options.c").read_text())
    page_text = (DEBIAN / "gatehouse-osdp.8").read_text()
    assert len(options) > 10
    assert [name for name in options if name != "help" and f"Fl -{name}" not in page_text] == []


def test_what_the_program_looks_for_is_where_it_looks():
    """Its own paths, in Sources, against the lists here."""
    sources = "\n".join(path.read_text() for path in (REPOSITORY / "Sources").rglob("*.swift"))
    places = {to for name in packages() for _, to in rows(f"{name}.install")}
    for path in ("/usr/share/gatehouse/words", "/usr/lib/gatehouse/face-", "/usr/share/gatehouse/models/", "/usr/share/gatehouse/version"):
        assert f'"{path}' in sources, path
    assert {"usr/share/gatehouse/words", "usr/lib/gatehouse", "usr/share/gatehouse/models/dlib", "usr/share/gatehouse/models/sface"} <= places
    assert ["version", "usr/share/gatehouse"] in rows("gatehouse.install")
    # A program that is told of an image's version believes that it is in one.
    assert "gatehouse-version" not in "".join(path.read_text() for path in DEBIAN.iterdir() if path.suffix in (".install", ".links"))


def test_the_unit_of_the_image_finds_what_it_names():
    assert {"/usr/bin/gatehouse", "/etc/gatehouse/board.json", "/etc/gatehouse/trust", "/var/lib/gatehouse"} <= set(unit("ExecStart"))
    installed = rows("gatehouse.install")
    assert ["programs/gatehouse", "usr/bin"] in installed and ["board.json", "etc/gatehouse"] in installed
    trust, *wanted = rows("gatehouse.links")
    assert trust == ["/var/lib/gatehouse/trust", "etc/gatehouse/trust"]
    # At work without anybody enabling it: what a factory reset has to erase beside the gate, and nothing else.
    assert {link.rsplit("/", 1)[1] for _, link in wanted} == {"gatehouse-forget.path", "gatehouse-forget.service"}
    assert ["units/gatehouse-forget.*", "usr/lib/systemd/system"] in installed
    folders = {row[1]: row[2:5] for row in rows("gatehouse.tmpfiles")}
    # Of what is made, and not of what is there: the relay's drop-in gives the folder to a group.
    made = [":0700", ":gatehouse", ":gatehouse"]
    assert folders == {"/var/lib/gatehouse": made, "/var/lib/gatehouse/trust": made} and unit("StateDirectoryMode") == ["0700"]
    assert unit("StateDirectory") == ["gatehouse"]


def test_a_small_system_has_what_the_unit_runs():
    """Its ExecReload is of a package that not every Debian has."""
    assert "/bin/kill" in unit("ExecReload") and re.search(r"^Depends: procps,", (DEBIAN / "control").read_text(), re.MULTILINE)


def test_the_user_and_the_groups_of_unit_and_rules_are_made():
    made = {(row[0], row[1]) for name in packages() if (DEBIAN / f"{name}.sysusers").exists() for row in rows(f"{name}.sysusers")}
    # One that is made has a group of its name.
    made |= {("g", name) for kind, name in made if kind == "u"}
    for name, text in UNITS.items():
        assert {("u", user) for user in unit("User", text) + unit("SocketUser", text)} <= made, name
        # Debian's own base has the groups of screens and cameras, and of serial lines.
        groups = set(unit("SupplementaryGroups", text) + unit("SocketGroup", text)) - {"video", "dialout"}
        assert {("g", group) for group in groups} <= made, name
    rules = (REPOSITORY / "image/overlay/usr/lib/udev/rules.d/81-gatehouse.rules").read_text()
    assert {("g", name) for name in re.findall(r'GROUP="([^"]+)"', rules)} <= made


def test_nothing_starts_by_being_installed():
    """The profile that comes along is for a trial, and a PC's Bluetooth belongs to somebody."""
    said = (DEBIAN / "rules").read_text()
    calls = re.findall(r"^\tdh_installsystemd (.*)$", said, re.MULTILINE)
    assert re.search("^asleep := --no-enable --no-start$", said, re.MULTILINE)
    assert len(calls) == 7 and all(re.match(r"\$\(asleep\) --(restart-after-upgrade|no-stop-on-upgrade) ", call) for call in calls), calls
    for script in DEBIAN.glob("*.postinst"):
        text = script.read_text()
        assert "invoke-rc.d" not in text and set(re.findall(r"(?:systemctl|invoke) (?:--system )?([a-z-]+)", text)) <= {"daemon-reload", "try-restart"}, script


def test_what_runs_is_stopped_before_its_program_goes():
    """debhelper stops nothing on removal where it starts nothing."""
    for package, units in (("gatehouse", ["gatehouse.service"]), ("gatehouse-relay", ["'gatehouse-relay@*.service'", "gatehouse-pulled.path", "gatehouse-pulled-site.path"]),
                           ("gatehouse-osdp", ["gatehouse-osdp.service", "gatehouse-osdp-install.service", "gatehouse-osdp.socket"])):
        stopped = re.search(r"deb-systemd-invoke stop (.*) \|\| true$", (DEBIAN / f"{package}.prerm").read_text(), re.MULTILINE)
        assert stopped and stopped[1].split() == units, package


@pytest.mark.parametrize("script", sorted(path.name for path in DEBIAN.iterdir() if path.suffix in (".postinst", ".prerm", ".postrm")))
def test_a_maintainer_script_stops_at_an_error_and_has_debhelpers_part(script):
    text = (DEBIAN / script).read_text()
    assert text.startswith("#!/bin/sh\nset -e\n") and text.count("#DEBHELPER#") == 1
    subprocess.run(["sh", "-n", DEBIAN / script], check=True)


def test_only_purging_takes_what_the_gate_knows(tmp_path):
    """The script itself, with its two folders somewhere else."""
    for action, gone in (("remove", False), ("upgrade", False), ("failed-upgrade", False), ("abort-install", False), ("purge", True)):
        folder = tmp_path / action
        for name in ("var/lib/gatehouse/trust", "etc/gatehouse", "var/lib/gatehouse-other"):
            (folder / name).mkdir(parents=True)
        text = re.sub(r"(?<=[ ])/(var/lib|etc)/", rf"{folder}/\1/", (DEBIAN / "gatehouse.postrm").read_text())
        (folder / "postrm").write_text(text)
        subprocess.run(["sh", folder / "postrm", action], check=True, env={"PATH": "/usr/bin:/bin"})
        assert (folder / "var/lib/gatehouse").exists() != gone and (folder / "etc/gatehouse").exists() != gone
        assert (folder / "var/lib/gatehouse-other").exists()


def test_a_matcher_fits_the_gate_of_the_same_version_and_brings_its_models():
    stanzas = dict(re.findall(r"^Package: (gatehouse-matcher-\w+)\n((?:.+\n?)+)", (DEBIAN / "control").read_text(), re.MULTILINE))
    assert set(stanzas) == {f"gatehouse-matcher-{name}" for name in ("dlib", "sface")}
    for name, text in stanzas.items():
        matcher = name.removeprefix("gatehouse-matcher-")
        assert "gatehouse (= ${binary:Version})" in text
        assert {row[0] for row in rows(f"{name}.install")} == {f"matchers/face-{matcher}.so", f"models/{matcher}/*"}
        assert (REPOSITORY / f"Sources/Matchers/{matcher}/Makefile").exists()


def test_the_licences_of_what_is_linked_and_fetched_are_told():
    found = Copyright((DEBIAN / "copyright").read_text())
    for licence in ("Apache-2.0", "BSL-1.0", "BSD-3-Clause", "CC0-1.0", "MIT"):
        assert licence in found.expression, licence
    # Every licence that a paragraph names has its text.
    text = (DEBIAN / "copyright").read_text()
    written = set(re.findall(r"^License: (.*)\n ", text, re.MULTILINE))
    used = {part.strip() for line in re.findall(r"^License: (.*)\n(?! )", text, re.MULTILINE) for part in line.split(" and ")}
    assert used <= written, used - written


# MARK: what the script refuses, before anything is built

@pytest.mark.parametrize("version", ["0", "1.2", "-1", "1000000000", "1; reboot", "01"])
def test_what_is_no_version_is_refused(version):
    done = build("trixie-arm64", VERSION=version)
    assert done.returncode == 2 and "a version is a number" in done.stderr and done.stdout == ""


def test_a_target_that_nobody_knows_is_refused():
    for target in ("sid-amd64", "trixie-armhf", "trixie", "../trixie-arm64"):
        done = build(target)
        assert done.returncode == 2 and f"deb: {target}?" in done.stderr


def test_debian_12s_are_made_on_a_debian_12_of_that_processor():
    own = subprocess.run(["dpkg", "--print-architecture"], capture_output=True, text=True, check=True).stdout.strip()
    done = build("bookworm-amd64" if own == "arm64" else "bookworm-arm64", PROGRAMS="")
    assert done.returncode == 2 and "is made on such a machine" in done.stderr


@pytest.mark.parametrize("name, mailbox", [("A. Maintainer", "nobody"), ("A <b>", "a@example.com"), ("A", "a@b@example.com"), ("A", "a b@example.com"), ("A\nB", "a@example.com")])
def test_a_maintainer_to_whom_nobody_can_write_is_refused(name, mailbox):
    done = build("trixie-arm64", VERSION="1", DEBFULLNAME=name, DEBEMAIL=mailbox)
    assert done.returncode == 2 and "is no maintainer: NAME <MAILBOX@HOST> is wanted" in done.stderr


def test_an_upgrade_of_debian_is_one_of_the_packages_too():
    versions = ["0~20261128.112034.73a7667~deb12", "0~20261129.000000.0000000~deb12", "1~deb12", "1~deb13", "2~deb12"]
    for one, other in zip(versions, versions[1:]):
        assert subprocess.run(["dpkg", "--compare-versions", one, "lt", other]).returncode == 0, (one, other)
    # The longest, with the sign of a changed tree: ProgramVersion takes 32.
    assert len("0~20261128.112034.73a7667+~deb12") == 32


# MARK: the manual

GENERATED = """.\\" "Generated by swift-argument-parser"
.Dd January 15, 2027
.Dt GATEHOUSE.TRUST.INSTALL 8
.Os
.Sh NAME
.Nm "gatehouse trust install"
.Nd "Put a bundle into a folder."
.Sh SYNOPSIS
.Nm
.Ar bundle
.Sh DESCRIPTION
One.

Two.
.Sh SEE ALSO
.Xr gatehouse 8 ,
.Xr gatehouse.trust 8 ,
.Xr gatehouse.trust.fetch-list 8

"""


def test_a_page_is_named_as_its_file_is():
    made = page(GENERATED, "gatehouse trust install")
    assert ".Dt GATEHOUSE-TRUST-INSTALL 8\n" in made and ".Nm gatehouse-trust-install\n.Nd Put a bundle into a folder\n.Sh SYNOPSIS\n" in made
    assert "\n.Sh SYNOPSIS\n.Nm gatehouse trust install\n.Ar bundle\n" in made
    assert ".Xr gatehouse 8 ,\n.Xr gatehouse-trust 8 ,\n.Xr gatehouse-trust-fetch-list 8\n" in made
    assert "\n\n" not in made and "One.\n.Pp\nTwo.\n.Sh SEE ALSO" in made and not made.endswith(".Pp\n")


def test_a_generator_that_writes_otherwise_is_noticed():
    for text in (GENERATED.replace(".Sh SYNOPSIS", ".Sh Synopsis"), GENERATED.replace("trust install", "trust put")):
        with pytest.raises(ValueError):
            page(text, "gatehouse trust install")
