"""Where U-Boot puts kernel, script and initramfs: an image whose parts would lie over each other is not built."""

import re
import struct
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "image"))
from addresses import MEBIBYTE, AddressError, check  # noqa: E402
from test_boards import IMAGES, SHELF, configuration  # noqa: E402

FREE = (0x200000, 0x6200000, 0x6300000, 0x8000000)


def image(size: int, offset: int = 0, flags: int = 0xA, magic: bytes = b"ARM\x64") -> bytes:
    """The header of an arm64 kernel that takes so many octets of memory."""
    return bytes(8) + struct.pack("<QQQ", offset, size, flags) + bytes(24) + magic + bytes(4)


@pytest.mark.parametrize("board", IMAGES)
def test_every_board_has_room_for_a_kernel_of_96_mebibytes(board):
    found = configuration(board)
    addresses = [int(found[name], 0) for name in ("KERNEL_ADDRESS", "SCRIPT_ADDRESS", "RAMDISK_ADDRESS", "RAMDISK_END")]
    check(image(96 * MEBIBYTE), 16 * MEBIBYTE, *addresses)
    # The partition has room as well: it stays as it was made at the factory.
    assert int(found.get("BOOT_SIZE", "128M").removesuffix("M")) >= 96 + 16


@pytest.mark.parametrize(
    "octets, initrd, addresses, said",
    [
        # Where U-Boot's own defaults put things, with the kernel of today.
        (image(0x2500000), 4 * MEBIBYTE, (0x200000, 0x2600000, 0x2700000, 0x8000000), "no room for a kernel of 96 MiB"),
        (image(96 * MEBIBYTE + 1), 1, FREE, "the kernel takes 100663297 octets, and has 100663296"),
        (image(1), 1, (0x280000, *FREE[1:]), "not a multiple of 2 MiB"),
        (image(1), 1, (*FREE[:2], 0x6280000, FREE[3]), "no room for a script"),
        (image(1), 29 * MEBIBYTE + 1, FREE, "room for 30408704"),
        (image(1, offset=0x80000), 1, FREE, "U-Boot would move it"),
        (image(1, flags=2), 1, FREE, "U-Boot would move it"),
        (image(1, magic=b"gzip"), 1, FREE, "no arm64 Image"),
        (b"MZ", 1, FREE, "no arm64 Image"),
    ],
)
def test_what_does_not_fit_is_not_built(octets, initrd, addresses, said):
    with pytest.raises(AddressError, match=re.escape(said)):
        check(octets, initrd, *addresses)


def test_what_just_fits_is_built():
    check(image(96 * MEBIBYTE), 29 * MEBIBYTE, *FREE)


def test_the_program_names_the_boards_file(tmp_path):
    (tmp_path / "Image").write_bytes(b"MZ")
    (tmp_path / "initrd").write_bytes(b"")
    program = Path(__file__).resolve().parents[2] / "image/addresses.py"
    ended = subprocess.run([sys.executable, program, "acme", tmp_path / "Image", tmp_path / "initrd", *map(hex, FREE)], capture_output=True, text=True)
    assert ended.returncode == 1 and "board/acme/board.conf: the kernel is no arm64 Image" in ended.stderr


@pytest.mark.parametrize("script", ["boot.cmd", "slot.cmd"])
def test_no_script_takes_an_address_or_a_word_from_u_boots_environment(script):
    """A script that is never updated must not hang on what a build of U-Boot was given."""
    text = (SHELF.parent / "image/boot" / script).read_text()
    used = set(re.findall(r"[$][{](\w+)[}]", text))
    own = set(re.findall(r"(?:setenv|setexpr) (\w+)", text)) | {"slot", "state_block", "filesize"}
    given = {"boot.cmd": set(), "slot.cmd": {"boot_part"}}[script]
    assert used - own - given <= {"devtype", "devnum", "fdt_addr", "fdtcontroladdr"}
