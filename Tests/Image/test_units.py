"""systemd's units and udev's rules of the image, as files: what one of them says about another."""
import os
import re
import subprocess
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
IMAGE = REPOSITORY / "image"
OVERLAY = IMAGE / "overlay"
# network and wifi: in images with a network of their own.
UNITS = {path.name: path for folder in (OVERLAY, IMAGE / "network", IMAGE / "wifi") for path in (folder / "usr/lib/systemd/system").iterdir()} | {
    name: REPOSITORY / "board/generic" / name for name in (
        "gatehouse.service", "gatehouse-relay@.service", "gatehouse-pulled.path", "gatehouse-pulled.service", "gatehouse-pulled.timer",
        "gatehouse-pulled-site.path", "gatehouse-pulled-site.service", "gatehouse-pulled-site.timer", "gatehouse-osdp.service",
        "gatehouse-osdp.socket", "gatehouse-osdp-install.service")}


def settings(unit: str) -> dict[str, list[str]]:
    """What a unit and its drop-ins say: each name's values, in order; an empty one forgets those before."""
    files = [UNITS[unit], *sorted(OVERLAY.glob(f"etc/systemd/system/{unit}.d/*.conf"))]
    found: dict[str, list[str]] = {}
    for file in files:
        for name, value in re.findall(r"^(\w+)=(.*)$", file.read_text(), re.MULTILINE):
            found[name] = [*found.get(name, []), value] if value else []
    return found


def named(unit: str, *names: str) -> set[str]:
    found = settings(unit)
    return {word.lstrip("-") for name in names for value in found.get(name, []) for word in value.split()}


def test_no_unit_of_ours_is_among_those_that_are_removed():
    """They are removed after ours have come: one of the same name would replace nothing."""
    removed = set((IMAGE / "units-removed").read_text().split("\n"))
    assert not removed & UNITS.keys()


@pytest.mark.parametrize("unit", sorted(UNITS))
def test_what_a_unit_names_is_there(unit):
    ours = {name for name in named(unit, "Wants", "Requires", "BindsTo", "OnFailure", "Conflicts", "After", "Before", "Slice") if name.startswith("gatehouse")}
    assert ours <= UNITS.keys()
    if unit.endswith((".path", ".timer")):
        assert settings(unit).get("Unit", [unit.rsplit(".", 1)[0] + ".service"])[0] in UNITS


@pytest.mark.parametrize("unit", sorted(UNITS))
def test_one_end_of_many_is_no_failure(unit):
    """systemd counts each end on the way to the next start as one, where it is not told to go there directly."""
    found = settings(unit)
    if "OnFailure" in found and found.get("Restart", ["no"]) != ["no"]:
        assert found["RestartMode"] == ["direct"]


def test_a_restart_is_as_quick_after_years():
    """systemd's count of them, which its steps go by, is never set back by itself."""
    assert "RestartSteps" not in settings("gatehouse.service")


def test_a_stick_waits_for_the_word_on_the_slot_and_nothing_of_that_for_a_stick():
    assert "gatehouse-health.service" in named("gatehouse-stick@.service", "After") & named("gatehouse-update@.service", "After")
    assert "gatehouse-health.service" in named("gatehouse-pulled-site.service", "After"), "nor does a start with a file that was fetched"
    cfg = settings("gatehouse-cfg.service")
    assert "--no-block" in cfg["ExecStart"][0] and "gatehouse-health.service" not in named("gatehouse-cfg.service", "Before")


def test_what_a_stick_brought_counts_when_it_is_pulled_out():
    assert not {"BindsTo", "StopWhenUnneeded"} & settings("gatehouse-stick@.service").keys()


def test_no_network_puts_a_board_to_work_that_was_reset():
    """What an outlet fetched is left alone, and so is the outlet, before somebody has come with a stick."""
    wanted = {"!/var/lib/gatehouse/trust/reset", "!/var/lib/gatehouse/trust/reset.copy"}
    for unit in ("gatehouse-relay@.service", "gatehouse-pulled-site.service"):
        assert wanted <= set(settings(unit)["ConditionPathExists"]), unit
    # Nor does it have a file tried again and again that the gate did not come to run with.
    assert " site install --fetched " in settings("gatehouse-pulled-site.service")["ExecStart"][0]
    for unit in ("gatehouse-pulled.service", "gatehouse-pulled-site.service"):
        found = settings(unit)
        assert found["User"] == ["gatehouse"] and found["PrivateNetwork"] == ["yes"] and found["CapabilityBoundingSet"] == []


def test_what_was_said_of_a_stick_is_handed_to_who_may_not_read_it():
    """systemd makes the file for root alone, by the unit's mask; the gate's own user gets it open."""
    assert settings("gatehouse-orders@.service")["UMask"] == ["0077"]
    reset = settings("gatehouse-reset@.service")
    assert reset["User"] == ["gatehouse"] and reset["StandardInput"] == ["file:/run/gatehouse-stick-%i/said"]
    assert "/said" not in re.sub(r"^#.*$", "", (OVERLAY / "usr/lib/gatehouse/reset").read_text(), flags=re.MULTILINE)


def test_all_sticks_share_one_bound():
    most = settings("gatehouse-sticks.slice")["MemoryMax"][0]
    for unit in ("gatehouse-stick@.service", "gatehouse-orders@.service"):
        assert settings(unit)["Slice"] == ["gatehouse-sticks.slice"] and most.endswith("M")


def test_the_fault_light_goes_when_the_gate_comes():
    for name in ("Conflicts", "Before"):
        assert "gatehouse.service" in named("gatehouse-fault.service", name)


def test_a_rule_for_sticks_can_be_left_out_by_itself():
    """A board's overlay replaces the whole file."""
    for file in (OVERLAY / "usr/lib/udev/rules.d").glob("*.rules"):
        lines = [line for line in file.read_text().splitlines() if line and not line.startswith("#")]
        assert sum("usb" in line for line in lines) in (0, len(lines)), file


def test_a_break_on_the_serial_line_does_not_start_the_board_anew():
    assert "sysctl.kernel.sysrq=0" in (IMAGE / "boot/slot.cmd").read_text()


def test_no_controller_comes_beside_the_boards_own():
    modules = (IMAGE / "modules").read_text().splitlines()
    assert "hci_uart" in modules and "btusb" not in modules and "uvcvideo" not in modules


def test_no_network_sets_the_clock_unless_the_settings_start_it():
    found = settings("gatehouse-ntp.service")
    assert "WantedBy" not in found and not any("gatehouse-ntp.service" in named(unit, "Wants", "Requires", "BindsTo") for unit in UNITS)
    assert found["ConditionPathExists"] == ["/run/gatehouse-ntp.conf"] and found["CapabilityBoundingSet"] == found["AmbientCapabilities"] == ["CAP_SYS_TIME"]
    # A wrong time costs no update its trial.
    assert "gatehouse-health.service" in named("gatehouse-ntp.service", "After")
    units = {line for line in (IMAGE / "units-removed").read_text().splitlines() if line.startswith("chrony")}
    assert {"chrony.service", "chronyd-restricted.service"} <= units
    # Only systemctl stop ends it for good.
    assert found["Restart"] == ["always"] and "RestartPreventExitStatus" not in found


def test_the_clock_is_never_slewed_by_what_the_floor_leaves_out():
    """A thousandth (docs/time.md), of which a crystal may have the other half."""
    rows = re.findall(r"^([a-z]+) ?(.*)$", (IMAGE / "overlay/usr/share/gatehouse/ntp.conf").read_text(), re.MULTILINE)
    said = dict(rows)
    assert int(said["maxslewrate"]) + int(said["maxdrift"]) <= 500
    # chronyd begins with the frequency it finds, which one that was killed may have left in the middle of a slew.
    assert settings("gatehouse-ntp.service")["ExecStartPre"] == ["-/usr/bin/busybox adjtimex -q -f 0 -t 10000", "/usr/lib/gatehouse/ntp-begin"]
    # It hears nobody and asks nobody but whom the site file names.
    assert said["port"] == said["cmdport"] == "0" and said["bindcmdaddress"] == "/"
    assert [value for name, value in rows if name == "include"] == ["/run/gatehouse-ntp.conf", "/run/gatehouse-ntp/begin.conf"]
    # Who proves to be a server says the site file alone, and where one does no other decides.
    assert "nosystemcert" in said and said["ntstrustedcerts"] == "/run/gatehouse-ntp.pem" and said["authselectmode"] == "mix" and "nocerttimecheck" not in said
    assert not {"server", "pool", "peer", "allow", "confdir", "sourcedir"} & said.keys()


# MARK: other systems

RELAY = "gatehouse-relay@.service"
GENERIC = REPOSITORY / "board/generic"


def test_nothing_starts_an_outlet_but_the_settings():
    assert not any(RELAY.split(".")[0] in word for unit in UNITS for word in named(unit, "Wants", "Requires", "BindsTo", "Upholds"))
    # root.sh enables units that say who wants them, and no template.
    assert "*@.service" in (IMAGE / "root.sh").read_text()
    script = (OVERLAY / "usr/lib/gatehouse/settings").read_text()
    kinds = {kind for line in re.findall(r"for kind in (.*); do", script) for kind in line.split()}
    assert kinds == set(re.findall(r"^    case (\w+)$", (REPOSITORY / "Sources/Board/RelayState/OutletKind.swift").read_text(), re.MULTILINE))


def test_outlets_come_after_the_word_on_the_slot_and_have_nothing_else_of_the_boards():
    found = settings(RELAY)
    assert "gatehouse-health.service" in named(RELAY, "After") and found["CapabilityBoundingSet"] == [] and found["User"] == ["gatehouse-relay"]
    assert {"/data", "/var/lib/gatehouse-osdp", "/etc/gatehouse/trust", "/var/lib/gatehouse/trust"} <= named(RELAY, "InaccessiblePaths")
    assert found["RestartPreventExitStatus"] == ["2"]


def test_the_gates_log_has_a_group_and_the_gate_keeps_its_own():
    """Without its own it would lose a controller on a serial line (82-controller.rules)."""
    relay = dict(re.findall(r"^(\w+)=(.*)$", (GENERIC / "gatehouse-relay.conf").read_text(), re.MULTILINE))
    assert relay == {"Group": "gatehouse-log", "StateDirectoryMode": "2750", "UMask": "0027"}
    assert "gatehouse" in named("gatehouse.service", "SupplementaryGroups")
    # What makes the folder before systemd is there says the same, or each start would change every file's group.
    data = (IMAGE / "boot/data").read_text()
    assert "chown gatehouse:gatehouse-log /data/gatehouse\n" in data and "chmod 2750 /data/gatehouse\n" in data


def test_every_user_and_group_that_a_unit_names_is_there_and_cannot_log_in():
    users, groups = ({line.split(":")[0]: line for line in (OVERLAY / "etc" / name).read_text().splitlines()} for name in ("passwd", "group"))
    for unit in UNITS:
        found = settings(unit)
        assert {*found.get("User", []), *found.get("SocketUser", [])} <= users.keys(), unit
        assert {*found.get("Group", []), *found.get("SocketGroup", []), *named(unit, "SupplementaryGroups")} <= groups.keys(), unit
    assert all(line.endswith(":/usr/sbin/nologin") for line in users.values())
    shadow = {line.split(":")[0]: line.split(":")[1] for line in (OVERLAY / "etc/shadow").read_text().splitlines()}
    assert shadow.keys() == users.keys() and set(shadow.values()) == {"!*"}


# MARK: the drop-in for a sounder by PWM

PWM = (REPOSITORY / "board/generic/gatehouse-pwm.conf").read_text()


def test_a_sounder_by_pwm_takes_one_channel_and_no_protection_away():
    found = dict(re.findall(r"^(\w+)=(.*)$", PWM, re.MULTILINE))
    assert found.keys() == {"ExecStartPre", "ReadWritePaths"}
    assert re.fullmatch(r"-/sys/class/pwm/pwmchip\d+/pwm\d+", found["ReadWritePaths"])
    assert settings("gatehouse.service")["ProtectKernelTunables"] == ["yes"]
    # Its failure keeps nothing but the sound away; and only root may make a channel.
    assert found["ExecStartPre"].startswith("-+/bin/sh -c '")
    assert "gpio" in settings("gatehouse.service")["SupplementaryGroups"][0].split()


def prepared(chip: Path) -> subprocess.CompletedProcess:
    """What the drop-in does before a start, with this folder as the chip and one's own group."""
    script = re.search(r"^ExecStartPre=-\+/bin/sh -c '(.*)'$", PWM, re.MULTILINE).group(1)
    script = script.replace("/sys/class/pwm/pwmchip0", str(chip)).replace(":gpio", f":{os.getgid()}").replace("sleep 3", "mkdir -p came")
    return subprocess.run(["sh", "-c", script], capture_output=True, cwd=chip.parent)


def test_the_channel_is_made_and_its_three_files_are_the_groups(tmp_path):
    chip = tmp_path / "pwmchip0"
    chip.mkdir()
    (chip / "export").touch()
    # A file makes no channel; the number is asked for all the same.
    assert prepared(chip).returncode != 0 and (chip / "export").read_text() == "0\n"
    (chip / "export").write_text("")
    (chip / "pwm0").mkdir()
    for name in ("period", "duty_cycle", "enable", "polarity"):
        (chip / "pwm0" / name).touch()
        (chip / "pwm0" / name).chmod(0o644)
    assert prepared(chip).returncode == 0 and (chip / "export").read_text() == ""
    assert {path.name for path in (chip / "pwm0").iterdir() if path.stat().st_mode & 0o020} == {"period", "duty_cycle", "enable"}


def test_a_chip_that_is_missing_is_given_a_moment_and_no_more(tmp_path):
    assert prepared(tmp_path / "pwmchip0").returncode != 0 and (tmp_path / "came").is_dir()


# MARK: install mode at a panel


def test_install_mode_begins_by_somebody_at_the_board_and_by_nothing_else():
    """No unit wants it, and no script starts it, but the one that has looked at the button."""
    install, button = "gatehouse-osdp-install.service", "gatehouse-osdp-button.service"
    assert "WantedBy" not in settings(install)
    assert not any(install in named(unit, "Wants", "Requires", "BindsTo", "Upholds", "OnFailure", "OnSuccess", "Unit") for unit in UNITS)
    starters = {unit for unit in UNITS if any(install.removesuffix(".service") in line and " start " in line for name in ("ExecStart", "ExecStartPre", "ExecStartPost", "ExecStopPost")
                                              for line in settings(unit).get(name, []))}
    assert starters == {button}
    for script in (OVERLAY / "usr/lib/gatehouse").iterdir():
        assert "osdp-install" not in script.read_text(), script
    found = settings(button)
    assert found["ExecCondition"] == ["/usr/bin/gatehouse panel-button --board /etc/gatehouse/board.json"]
    assert found["ConditionPathExists"] == ["/etc/gatehouse/osdp"] and found["CapabilityBoundingSet"] == []
    # The process that looks is none that hears strangers, and may not start a unit itself.
    assert found["User"] == ["gatehouse"] and found["ExecStart"][0].startswith("+/usr/bin/systemctl --no-block start ")
    # Nobody waits for the button longer than it may be held.
    assert int(found["TimeoutStartSec"][0]) > 20


def test_install_mode_ends_and_the_key_of_before_counts_again():
    install = settings("gatehouse-osdp-install.service")
    assert install["OnFailure"] == ["gatehouse-osdp.service"] and "Restart" not in install
    assert "--install-time" not in install["ExecStart"][0], "ten minutes are the program's own bound, and no option makes it longer"
    # A reset takes it too, with the key that a panel may have set meanwhile.
    assert any("gatehouse-osdp-install" in line for line in settings("gatehouse-forget.service")["ExecStart"])


def test_without_a_panel_no_button_is_looked_at():
    script = (IMAGE / "root.sh").read_text()
    assert "sed -i '/^WantedBy=/d' \"$units\"/gatehouse-osdp{.service,.socket,-button.service}" in script
