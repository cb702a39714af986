"""The figures of an image's parts, and of its update."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parents[2] / "image" / "sizes.py"


@pytest.fixture
def image(tmp_path):
    folder = tmp_path / "some-board"
    (folder / "root").mkdir(parents=True)
    (folder / "root/file").write_bytes(bytes(5))
    (folder / "root/link").symlink_to("file")
    slot = folder / "slot-a"
    slot.mkdir()
    for path, content in {
        slot / "root.img": bytes(3 * 4096),
        slot / "boot.img": bytes(7),
        slot / "verity": b"DATA_BLOCKS=2\nROOT_HASH=00\nSALT=00\n",
        slot / "parts.json": b'{"Image": 4, "initrd.img": 3}',
        slot / "version": b"2\n",
        folder / "disk.img": bytes(11),
    }.items():
        path.write_bytes(content)
    return folder


def sizes(folder):
    printed = subprocess.run([sys.executable, SCRIPT, folder], check=True, capture_output=True, text=True).stdout
    written = json.loads((folder / "sizes.json").read_text())
    assert all(name in printed for name in written)
    return written


def test_the_hash_tree_counts_apart_and_a_link_not_at_all(image):
    found = sizes(image)
    assert (found["root image"], found["its hash tree"], found["files of the root, unpacked"], found["disk image"]) == (8192, 4096, 5, 11)
    assert "update bundle" not in found


def test_the_update_counts_if_it_is_of_this_build(image):
    (image / "gatehouse-some-board-1.swu").write_bytes(bytes(9))
    assert "update bundle" not in sizes(image)
    bundle = image / "gatehouse-some-board-2.swu"
    bundle.write_bytes(bytes(13))
    assert sizes(image)["update bundle"] == 13
    os.utime(bundle, (0, 0))
    assert "update bundle" not in sizes(image)
