#!/bin/bash
# slot.sh BOARD ROOT VERSION FOLDER makes what one slot holds: root.img (squashfs and its dm-verity tree) and boot.img (FAT: kernel,
# initramfs with the root's hash, the script that starts them).
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
board=$1 root=$2 version=$3 out=$4
INITRAMFS_MODULES='' EARLY_MODULES='' WATCHDOG='' HEADER='' CONSOLE='' ARGUMENTS=''
# shellcheck source=/dev/null
# shellcheck source=../board/qemu-virt/board.conf
. "$here/../board/$board/board.conf"
epoch=$(cat "$here/epoch")
kernel=$root.kernel
release=$(ls "$root/usr/lib/modules")
mkdir -p "$out"
# Names of a version's file systems and its salt are made from the version: chance has no place in them.
digest=$(printf 'gatehouse %s %s' "$board" "$version" | sha256sum | cut -d' ' -f1)

make_root() {
    local size blocks
    rm -f "$out/root.img"
    # lz4, though zstd's image is a quarter smaller: everything a gate reads until it advertises goes through the decompressor, which took a
    # quarter of the start's instructions with zstd. The times are all the epoch; every file is root's, because nothing in the root is
    # written.
    env -u SOURCE_DATE_EPOCH mksquashfs "$root" "$out/root.img" -quiet -no-progress -comp lz4 -Xhc -b 256K \
        -noappend -reproducible -no-xattrs -all-root -mkfs-time "$epoch" -all-time "$epoch" -processors 2
    size=$(stat -c %s "$out/root.img")
    blocks=$(((size + 4095) / 4096))
    truncate -s $((blocks * 4096)) "$out/root.img"
    veritysetup format --data-blocks=$blocks --hash-offset=$((blocks * 4096)) --no-superblock --salt="$digest" \
        --uuid=00000000-0000-0000-0000-000000000000 "$out/root.img" "$out/root.img" > "$out/verity.txt"
    printf 'DATA_BLOCKS=%s\nROOT_HASH=%s\nSALT=%s\n' $blocks "$(awk '/^Root hash/ { print $3 }' "$out/verity.txt")" "$digest" > "$out/verity"
    rm "$out/verity.txt"
}

# The libraries that a program of the root loads, by what its dynamic section names.
libraries() {
    local name
    for name in $(readelf -d "$1" 2> /dev/null | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p'); do
        [ -e "$root/usr/lib/aarch64-linux-gnu/$name" ] || continue
        echo "$root/usr/lib/aarch64-linux-gnu/$name"
        libraries "$root/usr/lib/aarch64-linux-gnu/$name"
    done
}

make_initramfs() {
    local tree=$out/initramfs module file name programs=("$root"/usr/sbin/{dmsetup,e2fsck,mke2fs})
    # Who is called for by name: ext4 finds its checksum by asking for a program that is not there yet.
    local root_modules="$INITRAMFS_MODULES dm_verity sha2_ce sha256_arm64 squashfs overlay" data_modules="crc32c_generic ext4 $EARLY_MODULES"
    rm -rf "$tree"
    mkdir -p "$tree"/{bin,etc,data,dev,proc,sys,root,sbin,usr/sbin,lib/aarch64-linux-gnu,"lib/modules/$release"}
    cp "$here/boot/init" "$tree/init"
    chmod 755 "$tree/init"
    cp "$here/boot/data" "$tree/etc/data"
    if [ -e "$here/../board/$board/init" ]; then cp "$here/../board/$board/init" "$tree/etc/board"; fi
    cp "$root/usr/bin/busybox" "${programs[@]}" "$tree/bin/"
    for name in cat chgrp chmod chown cmp cp date grep head ln mkdir modprobe mount pidof readlink rm sh sleep switch_root sync timeout umount; do
        ln -s busybox "$tree/bin/$name"
    done
    ln -s mke2fs "$tree/bin/mkfs.ext4"
    cp -L "$root/usr/lib/ld-linux-aarch64.so.1" "$tree/lib/"
    for file in "${programs[@]}"; do libraries "$file"; done | sort -u | while read -r file; do cp -L "$file" "$tree/lib/aarch64-linux-gnu/"; done
    cp "$root"/etc/{gatehouse-version,passwd,group} "$tree/etc/"
    {
        cat "$out/verity"
        echo "MADE=$epoch"
        printf '%s\n' "WATCHDOG='$WATCHDOG'" "HEADER='$HEADER'"
        echo "ROOT_MODULES='$root_modules'"
        echo "DATA_MODULES='$data_modules'"
        echo "GATE='$(cd "$root" && { echo usr/bin/gatehouse; libraries usr/bin/gatehouse; } | sed "s#^$root/##" | LC_ALL=C sort -u | tr '\n' ' ')'"
        sed -n 's/.*"hci": *"serial:\([^,"]*\).*/CONTROLLER=\1/p' "$root/etc/gatehouse/board.json"
    } > "$tree/etc/slot"
    # shellcheck disable=SC2086
    for module in $WATCHDOG $root_modules $data_modules; do
        modprobe -d "$root" -S "$release" --show-depends "$module" | sed -n 's/^insmod \([^ ]*\).*/\1/p'
    done | LC_ALL=C sort -u | while read -r file; do cp "$file" "$tree/lib/modules/$release/"; done
    cp "$root/usr/lib/modules/$release"/modules.{builtin,builtin.modinfo,order} "$tree/lib/modules/$release/"
    depmod -b "$tree" "$release"
    find "$tree/lib/modules" -name '*.ko' -printf '%f\n' | sed 's/[.]ko$//' > "$out/initramfs.modules"
    find "$tree" -exec touch -h -d "@$epoch" {} +
    (cd "$tree" && find . | LC_ALL=C sort | cpio --quiet --create --format=newc --reproducible --owner=0:0) | lz4 -q -c -l -9 > "$out/initrd.img"
    rm -rf "$tree"
}

make_boot() {
    local files=("$out/Image" "$out/initrd.img" "$out/slot.scr")
    cp "$kernel"/boot/vmlinuz-* "$out/Image"
    python3 "$here/addresses.py" "$board" "$out/Image" "$out/initrd.img" "$KERNEL_ADDRESS" "$SCRIPT_ADDRESS" "$RAMDISK_ADDRESS" "$RAMDISK_END"
    sed -e "s|@CONSOLE@|$CONSOLE|g" -e "s|@ARGUMENTS@|$ARGUMENTS|g" -e "s|@KERNEL_ADDRESS@|$KERNEL_ADDRESS|g" \
        -e "s|@RAMDISK_ADDRESS@|$RAMDISK_ADDRESS|g" "$here/boot/slot.cmd" > "$out/slot.cmd"
    SOURCE_DATE_EPOCH=$epoch mkimage -A arm64 -T script -C none -n gatehouse -d "$out/slot.cmd" "$out/slot.scr" > /dev/null
    rm -f "$out/boot.img"
    # As large as it has to be: the partition has room for a kernel that is larger one day.
    truncate -s $((($(cat "${files[@]}" | wc -c) / 1048576 + 8) / 4 * 4))M "$out/boot.img"
    mkfs.vfat --invariant -i "${digest:0:8}" -n GATEBOOT "$out/boot.img" > /dev/null
    touch -d "@$epoch" "${files[@]}"
    TZ=UTC mcopy -m -i "$out/boot.img" "${files[@]}" ::
    printf '{"Image": %s, "initrd.img": %s}\n' "$(stat -c %s "$out/Image")" "$(stat -c %s "$out/initrd.img")" > "$out/parts.json"
    rm "${files[@]}" "$out/slot.cmd"
}

make_root
make_initramfs
make_boot
echo "$version" > "$out/version"
