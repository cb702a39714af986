#!/bin/bash
# firmware.sh BOARD KERNEL FOLDER takes the board's boot firmware out of its packages and of the unpacked kernel package
# (FIRMWARE in board.conf: a line has a path there, with wildcards if need be, and the name it gets here if that differs).
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
board=$1 kernel=$2 out=$3
# shellcheck source=image/debian.sh
. "$here/debian.sh"
FIRMWARE=''
# shellcheck source=/dev/null
. "$here/../board/$board/board.conf"
fetch "$here/../board/$board/packages.lock"
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
while IFS=$'\t' read -r name version arch digest purpose; do
    [ "$purpose" != files ] || unpack "$(deb_file "$name" "$version" "$arch")" "$tree"
done < <(grep -v '^#' "$here/../board/$board/packages.lock")
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
