#!/bin/bash
# lock.sh [BOARD...] renews the locks: image/packages.lock from image/packages and packages-alone, and board/BOARD/packages.lock of the
# boards (all, unless named). A build takes exactly what is locked, so this is the one place where newer Debian packages come in. lock.sh
# used BOARD FILE writes the lock to build that board by: both, or with DEBIAN_UNLOCKED=1 what the archive has now; what Wi-Fi needs
# (purpose `wifi`) only where NETWORK names it.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=image/debian/lock.sh
# shellcheck source=debian/lock.sh
. "$here/debian/lock.sh"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# The wishes of debian/lock.sh: those of every board, and of one.
# shellcheck disable=SC2046
common() {
    echo "root trixie arm64 all" $(grep -v '^#' "$here/packages")
    echo "root trixie arm64 alone" $(grep -v '^#' "$here/packages-alone")
    echo "wifi trixie arm64 alone" $(grep -v '^#' "$here/packages-wifi")
}
of_board() {
    local KERNEL='' FILES='' ROOT='' WIFI=''
    # shellcheck source=/dev/null
    # shellcheck source=../board/qemu-virt/board.conf
    . "$here/../board/$1/board.conf"
    # A kernel's metapackage names the package of one version; the lock has that one.
    echo "kernel trixie arm64 alone $(newest_kernel trixie arm64 "$KERNEL" || echo "$KERNEL")"
    [ -z "$FILES" ] || echo "files trixie arm64 alone $FILES"
    [ -z "$ROOT" ] || echo "root trixie arm64 all $ROOT"
    [ -z "$WIFI" ] || echo "wifi trixie arm64 alone $WIFI"
}

# Of lines of wishes or locks those that this image needs.
of_network() {
    case " ${NETWORK:-} " in *' wifi '*) cat ;; *) sed '/^wifi /d' ;; esac
}

if [ "${1:-}" = used ]; then
    board=$2 used=$3
    cat "$here/packages.lock" "$here/../board/$board/packages.lock" | of_network > "$scratch/locked"
    if [ -z "${DEBIAN_UNLOCKED:-}" ]; then
        mv "$scratch/locked" "$used"
    else
        wanted=$({ common && of_board "$board"; } | of_network)
        renew "$scratch/locked" "$used" <<< "$wanted"
    fi
    exit
fi
common | resolve > "$scratch/lock"
mv "$scratch/lock" "$here/packages.lock"
boards=("$@")
[ ${#boards[@]} -gt 0 ] || for file in "$here"/../board/*/board.conf; do boards+=("$(basename "$(dirname "$file")")"); done
for board in "${boards[@]}"; do
    of_board "$board" | resolve > "$scratch/lock"
    # More of the root, without what every board has already.
    grep -vxFf "$here/packages.lock" "$scratch/lock" > "$here/../board/$board/packages.lock"
done
