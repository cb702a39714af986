#!/bin/bash
# firmware.sh BOARD FOLDER takes the board's boot firmware out of its packages (FIRMWARE in board.conf: lines of "path in the package, name here").
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
board=$1 out=$2
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
    [ -z "$from" ] || cp -L "$tree/$from" "$out/$to"
done <<< "$FIRMWARE"
