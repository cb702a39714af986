"""Which clock the initramfs believes: the lines of image/boot/init that look at it, by BusyBox's rules or this machine's shell."""
import re
import shutil
import subprocess
from pathlib import Path

import pytest

IMAGE = Path(__file__).resolve().parents[2] / "image"
MADE = int((IMAGE / "epoch").read_text())
YEAR = 31_557_600
SHELL = [shutil.which("busybox"), "sh"] if shutil.which("busybox") else ["sh"]


def has_clock(tmp_path: Path, *clocks: str) -> bool:
    """Whether one of these is taken for a clock, by what /sys says of each."""
    found = re.search(r"^# Whether a clock runs on a battery.*?(?=\n\n)", (IMAGE / "boot/init").read_text(), re.MULTILINE | re.DOTALL)
    lines = found.group().replace("/proc/device-tree", f"{tmp_path}/tree").replace("/sys/class/rtc", f"{tmp_path}/rtc").replace("/root/run", str(tmp_path))
    for number, seconds in enumerate(clocks):
        folder = tmp_path / f"rtc/rtc{number}"
        folder.mkdir(parents=True)
        (folder / "since_epoch").write_text(f"{seconds}\n")
    done = subprocess.run([*SHELL, "-c", f"MADE={MADE}\n{lines}"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return not (tmp_path / "gatehouse-no-clock").exists()


@pytest.mark.parametrize("seconds", [MADE, MADE + 86400, MADE + 5 * YEAR, MADE + 14 * YEAR])
def test_a_clock_of_the_images_time_is_one(tmp_path, seconds):
    assert has_clock(tmp_path, str(seconds))


# systemd would set what is 15 years ahead to a day that looks like a time.
@pytest.mark.parametrize("seconds", ["0", str(MADE - 1), str(MADE + 14 * YEAR + 1), str(MADE + 15 * YEAR), str(1 << 32), "4294967295", "-1", "", "x"])
def test_a_clock_before_the_image_or_long_after_it_is_none(tmp_path, seconds):
    assert not has_clock(tmp_path, seconds)


def test_a_board_without_one_has_none(tmp_path):
    assert not has_clock(tmp_path)


def test_the_kernel_sets_its_clock_by_the_first_one(tmp_path):
    assert not has_clock(tmp_path, "1000", str(MADE + YEAR))


def test_near_it_a_second_clock_that_is_wrong_takes_nothing_from_the_first(tmp_path):
    assert has_clock(tmp_path, str(MADE + YEAR), "1000")


def test_systemd_counts_its_years_from_the_images_day():
    """By the file's time, which is that of all files in the root (slot.sh): else from its own build, which may be years before."""
    assert (IMAGE / "overlay/usr/lib/clock-epoch").is_file()
    assert re.search(r'-all-time "\$epoch"', (IMAGE / "slot.sh").read_text())
