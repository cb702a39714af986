"""U-Boot starts what is on the gate's own disk: the settings that close every other way are asked for, taken, and seen in what was built."""

import re
import subprocess
from pathlib import Path

import pytest
from test_boards import IMAGES, SHELF, configuration

REPOSITORY = Path(__file__).resolve().parents[2]
FOLDER = REPOSITORY / "image/u-boot"
BUILT = sorted((REPOSITORY / ".build-image").glob("*/firmware/u-boot.bin"))


def settings(board: str) -> dict[str, str]:
    """What the board asks for; n for what is not to be set."""
    text = (FOLDER / "common.config").read_text() + (SHELF / board / "u-boot.config").read_text()
    lines = re.findall(r"^(CONFIG_\w+)=(.*)$|^# (CONFIG_\w+) is not set$", text, re.MULTILINE)
    return {name or off: value or "n" for name, value, off in lines}


@pytest.mark.parametrize("board", IMAGES)
def test_every_other_way_to_start_is_closed(board):
    found = settings(board)
    for name in ("EFI_LOADER", "BOOTSTD", "DISTRO_DEFAULTS", "USB", "DFU", "USE_PREBOOT", "SEMIHOSTING", "ENV_IS_IN_FAT", "ENV_IS_IN_FLASH"):
        assert found[f"CONFIG_{name}"] == "n", name
    assert found["CONFIG_BOOTDELAY"] == "-2" and found["CONFIG_NO_NET"] == found["CONFIG_ENV_IS_NOWHERE"] == found["CONFIG_RESET_TO_RETRY"] == "y"
    # Ctrl-C does not stop the boot command, and where the command ends the board restarts.
    assert found["CONFIG_AUTOBOOT_KEYED"] == "y" and "CONFIG_AUTOBOOT_KEYED_CTRLC" not in found
    assert found["CONFIG_BOOTCOMMAND"].rstrip('"').endswith("; reset")


def test_no_input_is_taken():
    assert re.search(r"^stdin=nulldev$", (FOLDER / "environment").read_text(), re.MULTILINE)


@pytest.mark.parametrize("board", [board for board in IMAGES if configuration(board)["WATCHDOG"] == "bcm2835_wdt"])
def test_the_watchdog_runs_before_the_card_is_read(board):
    found = settings(board)
    assert found["CONFIG_WATCHDOG_AUTOSTART"] == found["CONFIG_WDT_BCM2835"] == "y" and found["CONFIG_WATCHDOG_TIMEOUT_MSECS"] == "15000"


@pytest.mark.parametrize(
    "finished, said",
    [
        ("CONFIG_A=y\nCONFIG_D=-2\n", ""),
        ("CONFIG_A=y\nCONFIG_D=-2\n# CONFIG_B is not set\n", ""),
        ("CONFIG_A=y\nCONFIG_D=-2\nCONFIG_B=y\n", "u-boot: keeps CONFIG_B\n"),
        ("CONFIG_A=y\nCONFIG_D=-2\nCONFIG_BC=y\n", ""),
        ("CONFIG_AB=y\nCONFIG_D=-2\n", "u-boot: does not take CONFIG_A=y\n"),
        ("CONFIG_A=y\nCONFIG_D=2\n", "u-boot: does not take CONFIG_D=-2\n"),
    ],
)
def test_a_setting_that_is_not_taken_fails_the_build(tmp_path, finished, said):
    (tmp_path / "asked").write_text("# why\nCONFIG_A=y\n# CONFIG_B is not set\n")
    (tmp_path / "board").write_text("CONFIG_D=-2\n")
    (tmp_path / "finished").write_text(finished)
    ended = subprocess.run([FOLDER / "settings.sh", tmp_path / "finished", tmp_path / "asked", tmp_path / "board"], capture_output=True, text=True)
    assert (ended.returncode, ended.stderr) == (1 if said else 0, said)


@pytest.mark.skipif(not BUILT, reason="no image was made here (make image)")
@pytest.mark.parametrize("program", BUILT, ids=lambda path: path.parents[1].name)
def test_what_was_built_has_no_command_for_another_way(program):
    octets = program.read_bytes()
    # Names of commands are strings in the program, or the end of one that is longer.
    for name in (b"bootefi", b"bootflow", b"usbboot", b"dhcp", b"tftpboot", b"pxe", b"saveenv", b"dfu"):
        assert name + b"\0" not in octets, name
    for name in (b"booti", b"source", b"reset"):
        assert name + b"\0" in octets, name
