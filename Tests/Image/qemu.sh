#!/usr/bin/env bash
# Debian 13's QEMU, which has the models raspi3b and raspi4b, from locked packages: unpacked into a cache, not installed.
#
#   Tests/Image/qemu.sh            into .build-image/qemu, or $QEMU_CACHE; MACHINE_PINNED=1 fails where the archive has moved on
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
cache=${QEMU_CACHE:-$here/../../.build-image/qemu}
mkdir -p "$cache"
cache=$(cd "$cache" && pwd)
who=qemu lock=$here/qemu.lock
# shellcheck source=../Machine/system.sh
. "$here/../Machine/system.sh"

wanted() { echo "qemu trixie amd64 all qemu-system-arm"; }

"$clone/image/host.sh" device-tree-compiler mtools u-boot-tools dosfstools binutils gcc-aarch64-linux-gnu
digest="$(cat "$lock" "$0" | sha256sum) ${DEBIAN_UNLOCKED:-}"
[ "$(cat "$cache/of" 2>/dev/null)" != "$digest" ] || exit 0
fetch_or_renew "$lock" "$cache/packages.lock" wanted
rm -rf "$cache/root"
merged_usr "$cache/root"
for file in $(files "$cache/packages.lock" qemu); do unpack "$file" "$cache/root" --wildcards --exclude='./usr/share/doc' --exclude='*/qemu/*.so'; done
echo "$digest" >"$cache/of"
