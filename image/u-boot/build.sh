#!/bin/bash
# build.sh BOARD FOLDER makes FOLDER/u-boot.bin: U-Boot from Debian's source package, with what common.config and board/BOARD/u-boot.config
# say over the configuration that UBOOT in board.conf names. Kept in the cache until one of these, the sources or the compiler changes. The
# licence goes with it. build.sh lock renews sources.lock.
set -euo pipefail
export LC_ALL=C
umask 022
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=image/debian/lock.sh
# shellcheck source=../debian/lock.sh
. "$here/../debian/lock.sh"
# shellcheck source=image/debian/source.sh
# shellcheck source=../debian/source.sh
. "$here/../debian/source.sh"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
if [ "$1" = lock ]; then
    resolve_source trixie u-boot > "$scratch/lock"
    mv "$scratch/lock" "$here/sources.lock"
    exit
fi
board=$1 out=$2
UBOOT='' UBOOT_ENVIRONMENT=''
# shellcheck source=/dev/null
# shellcheck source=../../board/qemu-virt/board.conf
. "$here/../../board/$board/board.conf"
"$here/../host.sh" gcc gcc-aarch64-linux-gnu make bison flex bc libssl-dev patch bzip2 xz-utils
lock=$here/sources.lock
if [ -n "${DEBIAN_UNLOCKED:-}" ]; then
    lock=$scratch/sources.lock
    resolve_source trixie u-boot > "$lock"
    cmp -s "$lock" "$here/sources.lock" || echo "u-boot: built from what the archive has now, $(cut -d' ' -f3 "$lock" | sort -u)" >&2
fi
settings=("$here/common.config" "$here/../../board/$board/u-boot.config")
CROSS_COMPILE=aarch64-linux-gnu-
# U-Boot's make takes BOARD, ARCH, MAKEFLAGS and more from whoever calls it: `make image BOARD=...` must not reach it.
compile() {
    env -i PATH="$PATH" LC_ALL=C TZ=UTC CROSS_COMPILE="$CROSS_COMPILE" KBUILD_BUILD_USER=gatehouse KBUILD_BUILD_HOST=gatehouse \
        SOURCE_DATE_EPOCH="$(cat "$here/../epoch")" make -s -C "$@"
}
digest=$({
    cat "$here"/{build.sh,environment} "$lock" "${settings[@]}" "$here/../epoch"
    echo "$UBOOT $SCRIPT_ADDRESS"
    ${CROSS_COMPILE}gcc --version
    ${CROSS_COMPILE}ld --version
} | sha256sum | cut -c 1-16)
made=$kept/u-boot/$UBOOT-$digest

make_uboot() {
    local tree=$scratch/tree
    fetch_source "$lock"
    unpack_source "$lock" "$tree"
    sed "s|@SCRIPT_ADDRESS@|$SCRIPT_ADDRESS|" "$here/environment" > "$tree/$UBOOT_ENVIRONMENT/gatehouse.env"
    compile "$tree" "${UBOOT}_defconfig"
    cat "${settings[@]}" >> "$tree/.config"
    compile "$tree" olddefconfig 2> /dev/null
    "$here/settings.sh" "$tree/.config" "${settings[@]}"
    echo "u-boot: building $UBOOT" >&2
    compile "$tree" -j "$(nproc)" u-boot.bin > "$scratch/log" 2>&1 || { tail -20 "$scratch/log" >&2; exit 1; }
    mkdir -p "$scratch/made"
    cp "$lock" "$scratch/made/u-boot.lock"
    cp "$tree/u-boot.bin" "$scratch/made/"
    cp "$tree/debian/copyright" "$scratch/made/u-boot.copyright"
    ${CROSS_COMPILE}gcc --version | sed -n 1p > "$scratch/made/compiler"
    mkdir -p "${made%/*}"
    mv -T "$scratch/made" "$made" 2> /dev/null || [ -e "$made/u-boot.bin" ]
}

[ -e "$made/u-boot.bin" ] || make_uboot
mkdir -p "$out"
cp "$made"/u-boot.{bin,copyright,lock} "$out/"
