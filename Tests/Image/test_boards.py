"""Each folder of board/ is complete: nobody finds out at the gate that a file was forgotten."""

import json
import re
import subprocess
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
SHELF = REPOSITORY / "board"
# `generic` is no image's board: its profile and unit are for a system that was set up by hand.
IMAGES = sorted(path.name for path in SHELF.iterdir() if path.is_dir() and path.name != "generic")
MEMBERS = {
    "KERNEL",
    "FILES",
    "ROOT",
    "MODULES",
    "INITRAMFS_MODULES",
    "EARLY_MODULES",
    "CONSOLE",
    "ARGUMENTS",
    "WATCHDOG",
    "HEADER",
    "KERNEL_ADDRESS",
    "SCRIPT_ADDRESS",
    "RAMDISK_ADDRESS",
    "RAMDISK_END",
    "UBOOT",
    "UBOOT_ENVIRONMENT",
    "TABLE",
    "CFG",
    "CFG_SIZE",
    "BOOT_SIZE",
    "ROOT_SIZE",
    "DATA_SIZE",
    "FACES",
    "FIRMWARE",
    "NETWORK",
    "ETHERNET_MODULES",
    "WIFI_MODULES",
    "WIFI",
    "WIFI_FIRMWARE",
}


def configuration(board: str) -> dict[str, str]:
    """What a shell makes of board.conf, as the scripts read it: the variables it sets, and no others."""
    script = 'set -eu; . "$1"; for name in $2; do eval "value=\\${$name-@}"; [ "$value" = @ ] || printf "%s=%s\\0" "$name" "$value"; done'
    names = sorted(set(re.findall(r"^([A-Z_]+)=", (SHELF / board / "board.conf").read_text(), re.MULTILINE)))
    octets = subprocess.run(["sh", "-c", script, "sh", SHELF / board / "board.conf", " ".join(names)], check=True, capture_output=True, env={}).stdout
    return dict(entry.split("=", 1) for entry in octets.decode().split("\0") if entry)


def lock(path: Path) -> list[list[str]]:
    """Rows of purpose, suite, name, version, architecture, SHA-256."""
    return [line.split() for line in path.read_text().splitlines()]


def test_there_are_boards():
    assert {"qemu-virt", "raspberry-pi", "template"} <= set(IMAGES)


@pytest.mark.parametrize("board", IMAGES)
def test_the_folder_is_complete(board):
    for name in ("board.conf", "board.json", "packages.lock", "README.md", "u-boot.config"):
        assert (SHELF / board / name).is_file(), name


@pytest.mark.parametrize("board", IMAGES + ["generic"])
def test_the_profile_is_by_the_schema_and_has_the_folders_name(board):
    schema = json.loads((SHELF / "board.schema.json").read_text())
    profile = json.loads((SHELF / board / "board.json").read_text())
    assert set(profile) <= set(schema["properties"]) and set(schema["required"]) <= set(profile)
    for name, value in profile.items():
        rule = schema["properties"][name]
        assert isinstance(value, str)
        assert value in rule.get("enum", [value])
        # Python's $ would let a newline at the end pass.
        assert re.search(rule.get("pattern", "").replace("$", r"\Z"), value), (name, value)
    assert profile["name"] == board


@pytest.mark.parametrize("board", IMAGES)
def test_every_setting_is_a_known_one(board):
    found = configuration(board)
    assert set(found) <= MEMBERS
    assert found["KERNEL"] and found["UBOOT"] and found["CONSOLE"].startswith("console=")
    assert found.get("TABLE", "gpt") in ("gpt", "hybrid")
    assert found.get("FACES", "0") in ("0", "1")
    for name in ("CFG_SIZE", "BOOT_SIZE", "ROOT_SIZE", "DATA_SIZE"):
        assert re.fullmatch(r"[1-9][0-9]*M", found.get(name, "1M")), name


@pytest.mark.parametrize("name", sorted(MEMBERS))
def test_every_setting_is_read_by_some_script(name):
    assert any(re.search(rf"[$][{{]?{name}\b|s/\^{name}=", path.read_text()) for path in (REPOSITORY / "image").rglob("*.sh"))


@pytest.mark.parametrize("board", IMAGES)
def test_the_lock_has_what_the_settings_name(board):
    found, rows = configuration(board), lock(SHELF / board / "packages.lock")
    assert all(len(row) == 6 and re.fullmatch(r"[0-9a-f]{64}", row[5]) and row[4] in ("arm64", "all") for row in rows)
    names = {purpose: {row[2] for row in rows if row[0] == purpose} for purpose in ("kernel", "files", "root", "wifi")}
    assert len(names["kernel"]) == 1 and next(iter(names["kernel"])).startswith("linux-image-")
    assert names["files"] == set(found.get("FILES", "").split()) and names["wifi"] == set(found.get("WIFI", "").split())
    # A network's daemon and its modules come by NETWORK alone.
    assert set(found.get("NETWORK", "").split()) <= {"ethernet", "wifi"} and bool(found.get("WIFI_FIRMWARE")) == bool(found.get("WIFI"))
    common = {row[2] for row in lock(REPOSITORY / "image/packages.lock")}
    assert set(found.get("ROOT", "").split()) <= names["root"] | common


@pytest.mark.parametrize("board", IMAGES)
def test_only_the_emulated_board_starts_what_a_disk_tells_it(board):
    assert (SHELF / board / "init").exists() == (board == "qemu-virt")


@pytest.mark.parametrize("board", IMAGES)
def test_a_watchdog_is_there_before_the_root(board):
    assert re.search(r"wdt|i6300esb", configuration(board)["WATCHDOG"])


@pytest.mark.parametrize("board", IMAGES)
def test_the_readme_has_the_wiring_and_says_what_was_tried(board):
    text = (SHELF / board / "README.md").read_text()
    assert "## Wiring" in text and "## Boot" in text
    assert re.search(r"\*\*(Tested|Not tested)\b", text)


# The 40 pins of a Raspberry Pi, by the numbers of its chip's lines.
HEADER = dict(zip((2, 3, 4, 14, 15, 17, 18, 27, 22, 23, 24, 10, 9, 25, 11, 8, 7, 0, 1, 5, 6, 12, 13, 19, 16, 26, 20, 21),
                  (3, 5, 7, 8, 10, 11, 12, 13, 15, 16, 18, 19, 21, 22, 23, 24, 26, 27, 28, 29, 31, 32, 33, 35, 36, 37, 38, 40), strict=True))


def test_a_door_of_a_raspberry_pi_hangs_on_free_lines_that_are_low_at_a_start():
    text = (SHELF / "raspberry-pi/README.md").read_text()
    profile = json.loads((SHELF / "raspberry-pi/board.json").read_text())
    assert not {"door", "sound"} & profile.keys(), "a board without a door is as it was"
    added = json.loads("{" + "".join(re.findall(r'^    ("(?:door|sound)": ".*"),$', text, re.MULTILINE)).replace('""', '","') + "}")
    schema = json.loads((SHELF / "board.schema.json").read_text())["properties"]
    assert added.keys() == {"door", "sound"} and all(re.search(schema[name]["pattern"], value) for name, value in added.items())
    parts = {name: (int(line), flags) for value in added.values() for name, line, flags in re.findall(r"(\w+)=(\d+)([:\w-]*)", value)}
    rows = [[cell.strip() for cell in row.split("|")[1:-1]] for row in re.findall(r"^\|.*\| \d+ \| \d+ \|.*\|$", text, re.MULTILINE)]
    table = {re.sub(r".*`(\w+)=.*", r"\1", part): (int(line), int(pin)) for part, line, pin, _ in rows}
    assert {name: line for name, (line, _) in table.items() if name != "second"} == {name: line for name, (line, _) in parts.items()}
    assert all(HEADER[line] == pin for line, pin in table.values())
    lines = [line for line, _ in table.values()]
    # The lamps', the console's, the clock's.
    taken = {int(line) for line in re.findall(r"=(\d+)", profile["lights"])} | {14, 15, 2, 3}
    assert len(set(lines)) == len(lines) and not taken & set(lines)
    # The chip pulls 0 to 8 up until somebody says otherwise.
    assert all(table[name][0] > 8 for name in ("lock", "second", "buzzer"))
    # Inputs are contacts to ground; a cable that is cut is trouble, and no button that is pressed.
    for name in ("contact", "tamper", "emergency"):
        assert parts[name][1] == ":pull-up"
    for name in ("exit", "supervisor", "list"):
        assert parts[name][1] == ":low:pull-up"
    # The picture says the same.
    drawn = {name: (int(line), int(pin)) for pins in (r"(\w+) (?:->|<-)GPIO(\d+) \((\d+)\)",) for name, line, pin in re.findall(pins, text)}
    drawn |= {name: (int(line), int(pin)) for pin, line, name in re.findall(r"\((\d+)\)  ?GPIO(\d+) (?:<|-)-*>? (\w+)$", text, re.MULTILINE)}
    assert {name: drawn[name] for name in parts} == {name: table[name] for name in parts}


def test_every_package_of_the_root_is_locked_once():
    rows = lock(REPOSITORY / "image/packages.lock")
    assert len({row[2] for row in rows}) == len(rows) and {row[0] for row in rows} == {"root", "wifi"}
    lists = [(REPOSITORY / "image" / name).read_text() for name in ("packages", "packages-alone", "packages-wifi")]
    wanted = {line for text in lists for line in text.splitlines() if line and not line.startswith("#")}
    assert wanted <= {row[2] for row in rows}
    # No D-Bus, no way in, no package manager.
    assert not {row[2] for row in rows} & {"dbus", "dbus-daemon", "dbus-broker", "openssh-server", "dropbear", "login", "sudo", "apt", "dpkg"}
