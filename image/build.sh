#!/bin/bash
# build.sh BOARD [VERSION] makes .build-image/BOARD: the root tree, slot-a (boot.img, root.img), disk.img, what the emulator needs.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
repository=$(dirname "$here")
board=$1 version=${2:-1}
[ -e "$repository/board/$board/board.conf" ] || { echo "no board of that name: $board (board/*/board.conf)" >&2; exit 2; }
[[ $version =~ ^[1-9][0-9]{0,8}$ ]] || { echo "a version is a number from 1 to 999999999: $version" >&2; exit 2; }
out=$repository/.build-image/$board
"$here/host.sh"
[ -n "${PROGRAMS:-}" ] || "$here/arm64/build.sh"
mkdir -p "$out"
"$here/root.sh" "$board" "$out/root" "$version"
"$here/trust.sh" "$out/root" "$repository/.build-image/keys"
"$here/slot.sh" "$board" "$out/root" "$version" "$out/slot-a"
"$here/disk.sh" "$board" "$out/slot-a" "$out/disk.img"
"$here/firmware.sh" "$board" "$out/firmware"
