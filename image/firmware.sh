#!/bin/bash
# firmware.sh BOARD KERNEL FOLDER takes the board's boot firmware out of the packages of packages.lock beside FOLDER, and of the unpacked kernel
# package (FIRMWARE in board.conf: a line has a path there, with wildcards if need be, and the name it gets here if that differs).
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
board=$1 kernel=$2 out=$3
# shellcheck source=image/debian/lock.sh
. "$here/debian/lock.sh"
FIRMWARE=''
# shellcheck source=/dev/null
. "$here/../board/$board/board.conf"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
tree=$scratch/tree
for file in $(files "$(dirname "$out")/packages.lock" files); do unpack "$file" "$tree"; done
rm -rf "$out"
mkdir -p "$out"
while read -r from to; do
    [ -n "$from" ] || continue
    # shellcheck disable=SC2086
    found=$(cd "$tree" && ls -d $from 2>/dev/null | sed "s#^#$tree/#"; cd "$kernel" && ls -d $from 2>/dev/null | sed "s#^#$kernel/#") || true
    [ -n "$found" ] || { echo "no package of $board has $from" >&2; exit 1; }
    # shellcheck disable=SC2086
    cp -L $found "$out/$to"
done <<< "$FIRMWARE"
