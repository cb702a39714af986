"""sizes.py FOLDER: prints how large the parts of an image are, and writes them to sizes.json there, in octets. Of updates, that of the same version."""

import json
import sys
from pathlib import Path

folder = Path(sys.argv[1]).resolve()
slot = folder / "slot-a"
verity = dict(line.split("=") for line in (slot / "verity").read_text().split())
root = (slot / "root.img").stat().st_size
data = int(verity["DATA_BLOCKS"]) * 4096
disk = (folder / "disk.img").stat()
parts = json.loads((slot / "parts.json").read_text())
sizes = {
    "files of the root, unpacked": sum(path.lstat().st_size for path in (folder / "root").rglob("*") if path.is_file() and not path.is_symlink()),
    "root image": data,
    "its hash tree": root - data,
    "kernel": parts["Image"],
    "initramfs": parts["initrd.img"],
    "boot image": (slot / "boot.img").stat().st_size,
    "disk image": disk.st_size,
    "disk image, written blocks": disk.st_blocks * 512,
}
version = (slot / "version").read_text().strip()
bundle = folder / f"gatehouse-{folder.name}-{version}.swu"
# One that is older than the slot is of another build.
if bundle.exists() and bundle.stat().st_mtime >= (slot / "root.img").stat().st_mtime:
    sizes["update bundle"] = bundle.stat().st_size
(folder / "sizes.json").write_text(json.dumps(sizes, indent=1) + "\n")
for name, octets in sizes.items():
    print(f"  {name:28} {octets / 1e6:8.1f} MB")
