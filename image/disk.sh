#!/bin/bash
# disk.sh BOARD SLOT FIRMWARE OUT makes the disk that a board is delivered with: slot A filled, slot B empty, the data partition not yet
# made. The first partition has the boot script and, where the board's own boot loader looks for its files there (CFG in board.conf), those.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
board=$1 slot=$(realpath "$2") firmware=$3 out=$4
CFG='' TABLE=gpt CFG_SIZE=8M BOOT_SIZE=128M ROOT_SIZE=320M DATA_SIZE=512M
# shellcheck source=/dev/null
# shellcheck source=../board/qemu-virt/board.conf
. "$here/../board/$board/board.conf"
epoch=$(cat "$here/epoch")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work"/{in,root}
# The stub itself is at SCRIPT_ADDRESS (u-boot/environment); what it reads goes beside it, and where a slot's files come later.
sed -e "s|@SCRATCH@|$RAMDISK_ADDRESS|g" -e "s|@SCRIPT@|$(printf '0x%x' $((SCRIPT_ADDRESS + 0x80000)))|g" "$here/boot/boot.cmd" > "$work/boot.cmd"
SOURCE_DATE_EPOCH=$epoch mkimage -A arm64 -T script -C none -n gatehouse -d "$work/boot.cmd" "$work/boot.scr" > /dev/null
touch -d "@$epoch" "$work/boot.scr"
truncate -s "$CFG_SIZE" "$work/in/cfg.img"
mkfs.vfat --invariant -i 6A7E0001 -n GATECFG "$work/in/cfg.img" > /dev/null
files=("$work/boot.scr")
if [ -n "$CFG" ]; then
    # Folders and all: the firmware looks for overlays in one.
    mkdir "$work/cfg"
    cp -r "$firmware"/* "$here/../board/$board/cfg"/* "$work/cfg/"
    find "$work/cfg" -exec touch -d "@$epoch" {} +
    for file in "$work/cfg"/*; do files+=("$file"); done
fi
TZ=UTC mcopy -s -m -i "$work/in/cfg.img" "${files[@]}" ::
ln -s "$slot/boot.img" "$slot/root.img" "$work/in/"
uuid=6a7e0000-0000-4000-8000-00000000000
# Its entry in the MBR, for a boot loader that knows no GPT.
mbr=
[ "$TABLE" = gpt ] || mbr=" partition-type = 0xc"
cat > "$work/disk.cfg" <<G
image disk.img {
    hdimage {
        partition-table-type = "$TABLE"
        align = 1M
        disk-uuid = "${uuid}0"
    }
    partition cfg { image = "cfg.img" bootable = true partition-type-uuid = "F"$mbr partition-uuid = "${uuid}1" }
    partition bootstate { size = 1M partition-uuid = "${uuid}2" }
    partition boot-a { image = "boot.img" size = $BOOT_SIZE partition-uuid = "${uuid}3" }
    partition root-a { image = "root.img" size = $ROOT_SIZE partition-uuid = "${uuid}4" }
    partition boot-b { size = $BOOT_SIZE partition-uuid = "${uuid}5" }
    partition root-b { size = $ROOT_SIZE partition-uuid = "${uuid}6" }
    partition data { size = $DATA_SIZE partition-uuid = "${uuid}7" }
}
G
genimage --config "$work/disk.cfg" --inputpath "$work/in" --outputpath "$work/out" --tmppath "$work/tmp" --rootpath "$work/root" > "$work/log" 2>&1 ||
    { tail -20 "$work/log" >&2; exit 1; }
mv "$work/out/disk.img" "$out"
