"""The packages in a fresh Debian: installed, upgraded, removed, purged, and the gate tried there in between. `make deb-test` (as root, with network: apt
fetches what the packages depend on). Each suite whose packages were made for this machine's architecture; of arm64's, that Debian 13 has
what they need and that the programs run in an emulator (`ARM64_TEST` of image/arm64/inside.sh).
"""
import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from fresh_root import FreshRoot, differences

REPOSITORY = Path(__file__).resolve().parents[2]
PACKAGES = REPOSITORY / ".build-deb/packages"
HERE = subprocess.run(["dpkg", "--print-architecture"], capture_output=True, text=True, check=True).stdout.strip()
SUITES = {"bookworm": "12", "trixie": "13"}
MATCHERS = ["dlib", "sface"]


def made(release: str, architecture: str) -> dict[str, Path]:
    """The packages of a suite by their names."""
    return {path.name.split("_")[0]: path for path in sorted(PACKAGES.glob(f"*~deb{release}_{architecture}.deb"))}


def field(package: Path, name: str) -> str:
    return subprocess.run(["dpkg-deb", "--field", package, name], capture_output=True, text=True, check=True).stdout.strip()


def newer(package: Path, place: Path) -> Path:
    """The same package one version later, as an upgrade would bring it."""
    place.mkdir(parents=True, exist_ok=True)
    tree = place / "tree"
    shutil.rmtree(tree, ignore_errors=True)
    subprocess.run(["dpkg-deb", "--raw-extract", package, tree], check=True)
    control, old = tree / "DEBIAN/control", field(package, "Version")
    control.write_text(control.read_text().replace(old, "999999999~deb"))
    version = tree / "usr/share/gatehouse/version"
    if version.exists():
        version.write_text("999999999~deb\n")
    out = place / package.name.replace(old, "999999999~deb")
    subprocess.run(["dpkg-deb", "--root-owner-group", "-Znone", "--build", tree, out], check=True, capture_output=True)
    shutil.rmtree(tree)
    return out


@pytest.fixture(scope="module", params=sorted(SUITES))
def installed(request, tmp_path_factory):
    """A fresh root that has what the packages depend on, and then the packages; with what was there in between."""
    packages = made(SUITES[request.param], HERE)
    if not packages:
        pytest.skip(f"there are no packages of {request.param} for {HERE}: make deb")
    roots = REPOSITORY / ".build-deb/roots"
    subprocess.run([REPOSITORY / "Tests/Packages/root.sh", request.param, roots], check=True)
    place = tmp_path_factory.mktemp(request.param)
    folder = place / "packages"
    folder.mkdir()
    for package in packages.values():
        shutil.copy(package, folder)
        newer(package, folder / "newer")
    root = FreshRoot(roots / f"{request.param}.tar", place / "root", folder)
    root.suite, root.version = request.param, field(packages["gatehouse"], "Version")
    needs = {need for package in packages.values() for need in field(package, "Depends").split(", ") if not need.startswith("gatehouse")}
    root.run("apt-get", "--quiet", "update")
    root.run("apt-get", "--quiet", "satisfy", "--yes", "--no-install-recommends", ", ".join(sorted(needs)))
    root.before = root.everything()
    # No network from here on: all that is needed is there.
    (root.place / "etc/resolv.conf").write_text("")
    root.said = root.run("sh", "-c", "dpkg --install /packages/*.deb").stdout
    yield root
    shutil.rmtree(root.place, ignore_errors=True)


# In the order in which they stand: each leaves the root as the next one finds it.
def test_installing_makes_the_user_its_folders_and_starts_nothing(installed):
    passwd = dict(line.split(":", 1) for line in installed.path("/etc/passwd").read_text().splitlines())
    number = int(passwd["gatehouse"].split(":")[1])
    assert passwd["gatehouse"].endswith(":/var/lib/gatehouse:/usr/sbin/nologin") and 100 <= number <= 999
    assert re.search(r"^gpio:", installed.path("/etc/group").read_text(), re.MULTILINE)
    for name in ("/var/lib/gatehouse", "/var/lib/gatehouse/trust"):
        facts = installed.path(name).stat()
        assert (facts.st_uid, facts.st_mode & 0o777) == (number, 0o700), name
    assert os.readlink(installed.path("/etc/gatehouse/trust")) == "/var/lib/gatehouse/trust"
    assert installed.run("systemctl", "is-enabled", "gatehouse.service", check=False).stdout.strip() == "disabled"
    assert not re.search(r"warning|error|cannot|fail", installed.said, re.IGNORECASE), installed.said


def test_the_programs_run_with_this_suites_libraries(installed):
    said = installed.run("gatehouse", "--version").stdout.splitlines()
    assert said[0] == f"gatehouse {installed.version}" and re.fullmatch(r"commit ([0-9a-f]{12}\+?|unknown)", said[1]), said
    for program in ("gatehouse", "gatehouse-http", "gatehouse-vision"):
        libraries = installed.run("ldd", f"/usr/bin/{program}").stdout
        assert "not found" not in libraries and "swift" not in libraries and "Foundation" not in libraries, libraries
        dynamic = subprocess.run(["readelf", "--dynamic", "--wide", installed.path(f"/usr/bin/{program}")], capture_output=True, text=True, check=True)
        assert "RUNPATH" not in dynamic.stdout and "RPATH" not in dynamic.stdout


def test_doctor_looks_at_what_the_packages_brought(installed):
    """A root without a radio and without trust is no gate: it says so, and everything of the packages is well."""
    done = installed.run("gatehouse", "doctor", "--json", "--board", "/etc/gatehouse/board.json", check=False)
    assert done.returncode == 1, done.stdout
    report = json.loads(done.stdout.splitlines()[-1])
    troubles = {trouble["code"] for trouble in report["troubles"]}
    assert not {code for code in troubles if re.search(r"profile|words|space|data|audit", code)}, report["troubles"]
    assert "trust-unusable" in troubles or any(code.startswith("trust") for code in troubles), troubles
    assert [section["summary"] for section in report["sections"] if section["name"] == "profile"] == ["generic"]


@pytest.mark.parametrize("matcher", MATCHERS)
def test_the_matchers_load_with_their_models(installed, matcher):
    """In their sandbox, as a gate would load them. What stands in a provisional threshold is a note, and no trouble."""
    done = installed.run("gatehouse", "doctor", "--json", "--board", "/etc/gatehouse/board.json", "--face", "required", "--camera", "dir:/tmp",
                         "--face-matcher", matcher, check=False)
    report = json.loads(done.stdout.splitlines()[-1])
    faces = next(section for section in report["sections"] if section["name"] == "faces")
    rows = {row["name"]: row for row in faces["rows"]}
    assert matcher in faces["summary"] and {"loaded", "models", "threshold"} <= rows.keys(), faces
    assert all(row["state"] != "trouble" for row in rows.values()), faces


def test_a_visit_is_had_as_the_gates_own_user(installed):
    words = "gatehouse self-test --board /etc/gatehouse/board.json --deadline 300"
    said = installed.run("setpriv", "--reuid=gatehouse", "--regid=gatehouse", "--clear-groups", "--no-new-privs", "sh", "-c", words).stdout
    assert "well visit: one accepted, one rejected" in said, said


def test_the_unit_is_what_this_suites_systemd_understands(installed):
    said = installed.run("env", "SYSTEMD_LOG_TARGET=console", "systemd-analyze", "verify", "--man=no", "gatehouse.service", check=False)
    assert said.returncode == 0 and "gatehouse" not in said.stdout, said.stdout


def test_udev_takes_the_rules(installed):
    if installed.run("sh", "-c", "udevadm verify --help >/dev/null 2>&1", check=False).returncode != 0:
        pytest.skip("this suite's udevadm has no verify")
    installed.run("udevadm", "verify", "--no-style", "/usr/lib/udev/rules.d/81-gatehouse.rules", "/usr/lib/udev/rules.d/61-raspberry-pi.rules")


def commands(root: FreshRoot) -> set[str]:
    """Every command and subcommand, by the program's own words."""
    def of(*words: str) -> set[str]:
        text = root.run("gatehouse", *words, "--help").stdout
        listed = re.findall(r"^  ([a-z][a-z-]*)(?:, [a-z-]+)*(?: \(default\))?(?:  |$)", text.partition("SUBCOMMANDS:")[2], re.MULTILINE)
        return {"-".join(words)} | {name for word in listed if word != "help" for name in of(*words, word)} if words or listed else set()
    return {f"gatehouse-{name}" if name else "gatehouse" for name in of()}


def test_every_command_has_its_page_and_its_completions(installed):
    names = commands(installed)
    assert {"gatehouse", "gatehouse-run", "gatehouse-doctor", "gatehouse-trust-install"} <= names, names
    pages = {path.name.removesuffix(".8.gz") for path in installed.path("/usr/share/man/man8").glob("gatehouse*.8.gz")}
    pages -= {"gatehouse-relay"}
    assert pages == names | {"gatehouse-http", "gatehouse-vision"}
    for file in ("bash-completion/completions/gatehouse", "zsh/vendor-completions/_gatehouse", "fish/vendor_completions.d/gatehouse.fish"):
        text = installed.path(f"/usr/share/{file}").read_text()
        assert not text.startswith("#!") and all(re.search(rf"\b{word}\b", text) for name in names for word in name.split("-")[1:]), file
    subprocess.run(["bash", "-n", installed.path("/usr/share/bash-completion/completions/gatehouse")], check=True)


def test_an_upgrade_keeps_settings_data_and_what_is_enabled(installed):
    board = installed.path("/etc/gatehouse/board.json")
    board.write_text(board.read_text().replace('"generic"', '"ours"'))
    installed.path("/etc/gatehouse/root.json").write_text("{}\n")
    installed.path("/var/lib/gatehouse/audit.jsonl").write_text("a record\n")
    installed.run("systemctl", "enable", "gatehouse.service")
    installed.run("sh", "-c", "dpkg --install /packages/newer/*.deb")
    assert installed.run("gatehouse", "--version").stdout.splitlines()[0] == "gatehouse 999999999~deb"
    assert '"ours"' in board.read_text() and installed.path("/etc/gatehouse/root.json").read_text() == "{}\n"
    assert installed.path("/var/lib/gatehouse/audit.jsonl").read_text() == "a record\n"
    assert installed.run("systemctl", "is-enabled", "gatehouse.service").stdout.strip() == "enabled"


def test_removing_keeps_what_the_gate_knows(installed):
    refused = installed.run("dpkg", "--remove", "gatehouse", check=False)
    assert refused.returncode != 0 and "dependency problems" in refused.stdout
    installed.run("dpkg", "--remove", "gatehouse", *(f"gatehouse-matcher-{matcher}" for matcher in MATCHERS))
    assert installed.state("gatehouse") == "config-files"
    assert not installed.path("/usr/bin/gatehouse").exists() and not installed.path("/usr/lib/gatehouse").exists()
    assert '"ours"' in installed.path("/etc/gatehouse/board.json").read_text()
    assert installed.path("/var/lib/gatehouse/audit.jsonl").read_text() == "a record\n"


def test_what_was_removed_comes_back_as_it_was(installed):
    installed.run("sh", "-c", "dpkg --install /packages/newer/gatehouse_*.deb")
    assert '"ours"' in installed.path("/etc/gatehouse/board.json").read_text()
    assert installed.run("systemctl", "is-enabled", "gatehouse.service").stdout.strip() == "enabled"


def test_purging_leaves_nothing_but_the_names(installed):
    """A user's number is never given to somebody else: the names stay, as Debian wants it, and nothing that belonged to them."""
    installed.run("dpkg", "--purge", "gatehouse")
    assert installed.state("gatehouse") == ""
    after = installed.everything()
    names = {f"etc/{name}{end}" for name in ("passwd", "group", "shadow", "gshadow") for end in ("", "-")} | {"etc/.pwd.lock"}
    assert differences(installed.before, after) <= names, differences(installed.before, after) - names
    rest = {line.split(":")[0] for line in installed.path("/etc/passwd").read_text().splitlines()}
    assert "gatehouse" in rest


def test_lintian_has_no_error():
    """Of this machine's own suite: what each of its tags wants is known there."""
    packages = [path for release in SUITES.values() for architecture in ("amd64", "arm64") for path in made(release, architecture).values()]
    assert packages, "there are no packages: make deb"
    done = subprocess.run(["lintian", "--fail-on", "error", "--no-tag-display-limit", "--allow-root", *packages], capture_output=True, text=True)
    print(done.stdout)
    assert done.returncode == 0, done.stdout + done.stderr


def test_debian_13_has_what_the_boards_packages_need(tmp_path):
    packages = made("13", "arm64")
    if not packages:
        pytest.skip("there are no packages for arm64: make deb")
    script = '. image/debian/lock.sh && configuration=$(index trixie arm64) && APT_CONFIG=$configuration apt-get --simulate --yes install "$@"'
    done = subprocess.run(
        ["bash", "-euc", script, "index", *packages.values()], cwd=REPOSITORY, capture_output=True, text=True, env=os.environ | {"scratch": str(tmp_path)})
    assert done.returncode == 0, done.stdout + done.stderr
    for name in packages:
        assert f"Inst {name} " in done.stdout
    for library in ("libgpiod3", "libssl3t64", "libzxing3"):
        assert f"Inst {library} " in done.stdout


def test_the_boards_program_runs_in_an_emulator(tmp_path):
    packages = made("13", "arm64")
    if not packages:
        pytest.skip("there are no packages for arm64: make deb")
    build = REPOSITORY / ".build-deb/emulated"
    build.mkdir(exist_ok=True)
    subprocess.run(["dpkg-deb", "--extract", packages["gatehouse"], build / "root"], check=True)
    done = subprocess.run(
        [REPOSITORY / "image/arm64/inside.sh", build, ".build/root/usr/bin/gatehouse", "--version"], capture_output=True, text=True,
        env=os.environ | {"ARM64_TEST": "1"})
    assert done.returncode == 0 and done.stdout.startswith("gatehouse "), done.stdout + done.stderr
    shutil.rmtree(build / "root")
