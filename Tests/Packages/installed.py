"""The packages in a fresh Debian: installed, upgraded, removed, purged, and the gate tried there in between. `make deb-test` (as root, with network: apt
fetches what the packages depend on). Each suite whose packages were made for this machine's architecture; checked.py is of all.
"""
import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from fresh_root import REPOSITORY, ROOTS, SUITES, FreshRoot, differences, field, made

HERE = subprocess.run(["dpkg", "--print-architecture"], capture_output=True, text=True, check=True).stdout.strip()
MATCHERS = ["dlib", "sface"]
PROGRAMS = ["gatehouse", "gatehouse-http", "gatehouse-osdp", "gatehouse-relay", "gatehouse-vision"]
RELAY_DROP_IN = "/usr/lib/systemd/system/gatehouse.service.d/gatehouse-relay.conf"
# All but the gate's own, which they need.
BESIDE = [*(f"gatehouse-matcher-{name}" for name in MATCHERS), "gatehouse-osdp", "gatehouse-relay"]


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
    assert packages.keys() == {"gatehouse", *BESIDE}
    subprocess.run([REPOSITORY / "Tests/Packages/root.sh", request.param, ROOTS], check=True)
    place = tmp_path_factory.mktemp(request.param)
    folder = place / "packages"
    folder.mkdir()
    for package in packages.values():
        shutil.copy(package, folder)
        newer(package, folder / "newer")
    root = FreshRoot(ROOTS / f"{request.param}.tar", place / "root", folder)
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
def names(root: FreshRoot, file: str) -> dict[str, list[str]]:
    """The rows of /etc/passwd or /etc/group by their names."""
    return {row[0]: row[1:] for row in (line.split(":") for line in root.path(f"/etc/{file}").read_text().splitlines())}


def test_installing_makes_the_users_their_folders_and_starts_nothing(installed):
    users, groups = names(installed, "passwd"), names(installed, "group")
    for user in ("gatehouse", "gatehouse-relay", "gatehouse-osdp"):
        assert users[user][4:] == [f"/var/lib/{user}", "/usr/sbin/nologin"] and 100 <= int(users[user][1]) <= 999, user
    assert {"gpio", "gatehouse-log"} <= groups.keys()
    number = {name: int(row[1]) for name, row in groups.items()}
    who = {name: int(row[1]) for name, row in users.items()}
    for name, user, group, mode in (
            # With the relay, the folder of the log is its group's to read; whom the gate believes stays its own.
            ("/var/lib/gatehouse", "gatehouse", "gatehouse-log", 0o2750),
            ("/var/lib/gatehouse/trust", "gatehouse", "gatehouse", 0o700),
            ("/etc/gatehouse/outlets", "root", "gatehouse-relay", 0o750),
            ("/var/lib/gatehouse-relay/trust/pulled", "gatehouse-relay", "gatehouse-relay", 0o750),
            ("/var/lib/gatehouse-relay/site/pulled", "gatehouse-relay", "gatehouse-relay", 0o750)):
        facts = installed.path(name).stat()
        assert (facts.st_uid, facts.st_gid, facts.st_mode & 0o7777) == (who[user], number[group], mode), name
    assert os.readlink(installed.path("/etc/gatehouse/trust")) == "/var/lib/gatehouse/trust"
    for unit in ("gatehouse.service", "gatehouse-relay@mqtt.service", "gatehouse-pulled.path", "gatehouse-pulled-site.path", "gatehouse-osdp.service",
                 "gatehouse-osdp.socket"):
        assert installed.run("systemctl", "is-enabled", unit, check=False).stdout.strip() == "disabled", unit
    assert not re.search(r"warning|error|cannot|fail|unsafe|duplicate", installed.said, re.IGNORECASE), installed.said


def test_the_programs_run_with_this_suites_libraries(installed):
    said = installed.run("gatehouse", "--version").stdout.splitlines()
    assert said[0] == f"gatehouse {installed.version}" and re.fullmatch(r"commit ([0-9a-f]{12}\+?|unknown)", said[1]), said
    assert installed.run("gatehouse-relay", "--version").stdout.splitlines() == [said[0].replace("gatehouse", "gatehouse-relay"), said[1]]
    assert "--card CLASS=FACILITY:NUMBER" in installed.run("gatehouse-osdp", "--help").stdout
    for program in PROGRAMS:
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


def test_an_outlet_reads_the_log_and_nothing_else_of_the_gate(installed):
    """As the user and group of its unit, of a log that the gate has written since: by `gatehouse self-test` in the gate's own folder."""
    settings = installed.path("/etc/gatehouse/outlets/metrics.json")
    settings.write_text('{"gate":"east-1","file":"/var/lib/gatehouse-relay/east.prom"}\n')
    relay = ["setpriv", "--reuid=gatehouse-relay", "--regid=gatehouse-relay", "--groups=gatehouse-log", "--no-new-privs"]
    command = [*relay, "gatehouse-relay", "metrics", "--settings", "/etc/gatehouse/outlets/metrics.json", "--state", "/var/lib/gatehouse-relay", "--check"]
    installed.run(*command)
    settings.write_text('{"gate":"east-1","file":"/var/lib/gatehouse-relay/east.prom","door":1}\n')
    refused = installed.run(*command, check=False)
    assert refused.returncode == 2 and "door" in refused.stdout, refused.stdout
    settings.unlink()
    gate = ["setpriv", "--reuid=gatehouse", "--regid=gatehouse-log", "--clear-groups", "sh", "-c"]
    installed.run(*gate, "umask 027; echo '{}' >/var/lib/gatehouse/audit.jsonl")
    assert installed.run(*relay, "cat", "/var/lib/gatehouse/audit.jsonl").stdout == "{}\n"
    for refused in (["ls", "/var/lib/gatehouse/trust"], ["touch", "/var/lib/gatehouse/new"], ["sh", "-c", "echo >>/var/lib/gatehouse/audit.jsonl"]):
        assert installed.run(*relay, *refused, check=False).returncode != 0, refused
    installed.path("/var/lib/gatehouse/audit.jsonl").unlink()
    # Somebody who is in neither group.
    assert installed.run("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "ls", "/var/lib/gatehouse", check=False).returncode != 0


def test_the_units_are_what_this_suites_systemd_understands(installed):
    units = ["gatehouse.service", "gatehouse-relay@mqtt.service", "gatehouse-relay@metrics.service", "gatehouse-pulled.path", "gatehouse-pulled.service",
             "gatehouse-pulled-site.path", "gatehouse-pulled-site.service", "gatehouse-osdp.socket", "gatehouse-osdp.service", "gatehouse-osdp-install.service"]
    said = installed.run("env", "SYSTEMD_LOG_TARGET=console", "systemd-analyze", "verify", "--man=no", *units, check=False)
    assert said.returncode == 0 and "gatehouse" not in said.stdout, said.stdout
    # The drop-ins that come along are where they are read, which verifying does too.
    assert "Group=gatehouse-log" in installed.path(RELAY_DROP_IN).read_text()
    assert "ProcSubset=all" in installed.path("/usr/lib/systemd/system/gatehouse-relay@metrics.service.d/gatehouse-relay-metrics.conf").read_text()


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
    all_commands = commands(installed)
    assert {"gatehouse", "gatehouse-run", "gatehouse-doctor", "gatehouse-trust-install"} <= all_commands, all_commands
    pages = {path.name.removesuffix(".8.gz") for path in installed.path("/usr/share/man/man8").glob("gatehouse*.8.gz")}
    assert pages == all_commands | set(PROGRAMS)
    for program, wanted in (("gatehouse", {word for name in all_commands for word in name.split("-")[1:]}), ("gatehouse-relay", {"settings", "mqtt", "state"})):
        for file in (f"bash-completion/completions/{program}", f"zsh/vendor-completions/_{program}", f"fish/vendor_completions.d/{program}.fish"):
            text = installed.path(f"/usr/share/{file}").read_text()
            assert not text.startswith("#!") and [word for word in wanted if not re.search(rf"\b{word}\b", text)] == [], file
        subprocess.run(["bash", "-n", installed.path(f"/usr/share/bash-completion/completions/{program}")], check=True)


def write(root: FreshRoot, path: str, text: str, user: str = "root", mode: int = 0o644) -> None:
    root.path(path).write_text(text)
    root.run("chown", user, path)
    root.path(path).chmod(mode)


def test_an_upgrade_keeps_settings_data_and_what_is_enabled(installed):
    board = installed.path("/etc/gatehouse/board.json")
    board.write_text(board.read_text().replace('"generic"', '"ours"'))
    installed.path("/etc/gatehouse/root.json").write_text("{}\n")
    write(installed, "/var/lib/gatehouse/audit.jsonl", "a record\n", "gatehouse:gatehouse-log", 0o640)
    write(installed, "/etc/gatehouse/outlets/mqtt.json", "{}\n", "gatehouse-relay", 0o600)
    write(installed, "/etc/gatehouse/osdp", "OSDP_OPTIONS=--line /dev/ttyS9\n")
    units = ["gatehouse.service", "gatehouse-relay@mqtt.service", "gatehouse-osdp.socket"]
    installed.run("systemctl", "enable", *units)
    asked, _ = installed.asked("sh", "-c", "dpkg --install /packages/newer/*.deb")
    # What runs goes on as the new program; nothing else is started, and nothing stopped that would stay so. The socket is the gate's too.
    asked = [line for line in asked if not line.endswith("daemon-reload")]
    assert sorted(asked) == sorted(["try-restart gatehouse.service", "try-restart gatehouse-relay@*.service", "try-restart gatehouse-osdp.service",
                                    "try-restart gatehouse-pulled.path gatehouse-pulled.service",
                                    "try-restart gatehouse-pulled-site.path gatehouse-pulled-site.service"]), asked
    for program in ("gatehouse", "gatehouse-relay"):
        assert installed.run(program, "--version").stdout.splitlines()[0] == f"{program} 999999999~deb"
    assert '"ours"' in board.read_text() and installed.path("/etc/gatehouse/root.json").read_text() == "{}\n"
    assert installed.path("/var/lib/gatehouse/audit.jsonl").read_text() == "a record\n"
    assert installed.path("/var/lib/gatehouse").stat().st_mode & 0o7777 == 0o2750
    assert installed.path("/etc/gatehouse/outlets/mqtt.json").stat().st_mode & 0o7777 == 0o600
    assert "ttyS9" in installed.path("/etc/gatehouse/osdp").read_text()
    for unit in units:
        assert installed.run("systemctl", "is-enabled", unit).stdout.strip() == "enabled"
    assert installed.run("systemctl", "is-enabled", "gatehouse-osdp.service", check=False).stdout.strip() == "disabled"


def test_without_the_relay_the_log_is_the_gates_alone(installed):
    """And with it again what was written before can be read, of the gate's own files and of nothing that it has linked there."""
    asked, _ = installed.asked("dpkg", "--remove", "gatehouse-relay")
    assert asked[0] == "stop gatehouse-relay@*.service gatehouse-pulled.path gatehouse-pulled-site.path" and asked[-1].endswith("daemon-reload"), asked
    facts = installed.path("/var/lib/gatehouse").stat()
    assert facts.st_gid == int(names(installed, "group")["gatehouse"][1]) and facts.st_mode & 0o7777 == 0o700
    assert installed.path("/etc/gatehouse/outlets/mqtt.json").exists() and not installed.path(RELAY_DROP_IN).exists()
    write(installed, "/var/lib/gatehouse/audit.jsonl", "a record\n", "gatehouse:gatehouse", 0o600)
    write(installed, "/root/secret", "of root's\n", mode=0o600)
    installed.path("/var/lib/gatehouse/audit-2.jsonl").symlink_to("/root/secret")
    asked, _ = installed.asked("sh", "-c", "dpkg --install /packages/newer/gatehouse-relay_*.deb")
    # A gate that runs makes its files for the group from its start on.
    assert asked[-1] == "try-restart gatehouse.service" and "--system daemon-reload" in asked, asked
    facts = installed.path("/var/lib/gatehouse/audit.jsonl").stat()
    assert facts.st_gid == int(names(installed, "group")["gatehouse-log"][1]) and facts.st_mode & 0o7777 == 0o640
    assert installed.path("/root/secret").stat().st_mode & 0o7777 == 0o600 and installed.path("/root/secret").stat().st_gid == 0
    installed.path("/root/secret").unlink()
    installed.path("/var/lib/gatehouse/audit-2.jsonl").unlink()


def test_removing_keeps_what_the_gate_knows(installed):
    refused = installed.run("dpkg", "--remove", "gatehouse", check=False)
    assert refused.returncode != 0 and "dependency problems" in refused.stdout
    asked, _ = installed.asked("dpkg", "--remove", "gatehouse", *BESIDE)
    assert {"stop gatehouse.service", "stop gatehouse-osdp.service gatehouse-osdp-install.service gatehouse-osdp.socket"} <= set(asked), asked
    assert installed.state("gatehouse") == "config-files"
    left = [path for name in PROGRAMS for path in (f"/usr/bin/{name}", f"/usr/lib/systemd/system/{name}.service") if installed.path(path).exists()]
    assert left == [] and not installed.path("/usr/lib/gatehouse").exists()
    assert '"ours"' in installed.path("/etc/gatehouse/board.json").read_text()
    assert installed.path("/var/lib/gatehouse/audit.jsonl").read_text() == "a record\n"
    assert installed.path("/etc/gatehouse/outlets/mqtt.json").exists() and installed.path("/etc/gatehouse/osdp").exists()


def test_what_was_removed_comes_back_as_it_was(installed):
    installed.run("sh", "-c", "dpkg --install /packages/newer/gatehouse_*.deb /packages/newer/gatehouse-relay_*.deb")
    assert '"ours"' in installed.path("/etc/gatehouse/board.json").read_text()
    for unit in ("gatehouse.service", "gatehouse-relay@mqtt.service"):
        assert installed.run("systemctl", "is-enabled", unit).stdout.strip() == "enabled"


def test_purging_leaves_nothing_but_the_names(installed):
    """A user's number is never given to somebody else: the names stay, as Debian wants it, and nothing that belonged to them."""
    installed.run("dpkg", "--purge", "gatehouse-relay", "gatehouse-osdp")
    assert not installed.path("/etc/gatehouse/outlets").exists() and not installed.path("/etc/gatehouse/osdp").exists()
    assert installed.path("/etc/gatehouse/board.json").exists() and installed.path("/var/lib/gatehouse/audit.jsonl").exists()
    installed.run("dpkg", "--purge", "gatehouse", *BESIDE)
    assert installed.state("gatehouse") == ""
    after = installed.everything()
    kept = {f"etc/{name}{end}" for name in ("passwd", "group", "shadow", "gshadow") for end in ("", "-")} | {"etc/.pwd.lock"}
    assert differences(installed.before, after) <= kept, differences(installed.before, after) - kept
    assert {"gatehouse", "gatehouse-relay", "gatehouse-osdp"} <= names(installed, "passwd").keys()
