#!/bin/bash
# firmware.sh BOARD KERNEL FOLDER takes the board's boot firmware out of the packages of packages.lock beside FOLDER, and of the unpacked
# kernel package (FIRMWARE in board.conf: a line has a path there, with wildcards if need be, and the name it gets here if that differs),
# and U-Boot from u-boot/. The board's overlays are compiled into FOLDER/overlays. FOLDER.trees gets every device tree, alone and with each
# overlay applied. FOLDER/licences gets what the packages say of their licences: it goes wherever the firmware goes.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
board=$1 kernel=$2 out=$3
# shellcheck source=image/debian/lock.sh
# shellcheck source=debian/lock.sh
. "$here/debian/lock.sh"
FIRMWARE='' UBOOT=''
# shellcheck source=/dev/null
# shellcheck source=../board/qemu-virt/board.conf
. "$here/../board/$board/board.conf"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
tree=$scratch/tree
for file in $(files "$(dirname "$out")/packages.lock" files); do unpack "$file" "$tree"; done
rm -rf "$out" "$out.trees"
mkdir -p "$out/licences" "$out.trees"
for file in "$tree"/usr/share/doc/*/copyright; do
    [ ! -e "$file" ] || cp "$file" "$out/licences/$(basename "$(dirname "$file")").txt"
done
while read -r from to; do
    [ -n "$from" ] || continue
    # shellcheck disable=SC2086
    found=$(cd "$tree" && ls -d $from 2>/dev/null | sed "s#^#$tree/#"; cd "$kernel" && ls -d $from 2>/dev/null | sed "s#^#$kernel/#") || true
    [ -n "$found" ] || { echo "no package of $board has $from" >&2; exit 1; }
    # shellcheck disable=SC2086
    cp -L $found "$out/$to"
done <<< "$FIRMWARE"
if [ -n "$UBOOT" ]; then
    "$here/u-boot/build.sh" "$board" "$out"
    mv "$out/u-boot.copyright" "$out/licences/u-boot.txt"
    mv "$out/u-boot.lock" "$out.trees/"
fi
if ls "$out"/*.dtb > /dev/null 2>&1; then
    # The device trees are the kernel's.
    dpkg-deb --fsys-tarfile "$(files "$(dirname "$out")/packages.lock" kernel)" |
        tar --extract --to-stdout --wildcards './usr/share/doc/linux-image-*/copyright' > "$out/licences/linux.txt"
fi
for source in "$here/../board/$board/overlays"/*.dts; do
    [ -e "$source" ] || continue
    mkdir -p "$out/overlays"
    overlay=$(basename "$source" .dts)
    dtc -q -I dts -O dtb -o "$out/overlays/$overlay.dtbo" "$source"
    for tree in "$out"/*.dtb; do
        fdtoverlay -i "$tree" -o "$out.trees/$(basename "$tree" .dtb)+$overlay.dtb" "$out/overlays/$overlay.dtbo" ||
            { echo "board/$board/overlays/$overlay.dts does not apply to $(basename "$tree")" >&2; exit 1; }
    done
done
for tree in "$out"/*.dtb; do [ ! -e "$tree" ] || cp "$tree" "$out.trees/"; done
