#!/bin/bash
# lock.sh [BOARD...] renews the locks: image/packages.lock from image/packages, and board/BOARD/packages.lock of the boards (all, unless named).
# A build takes exactly what is locked, so this is the one place where newer Debian packages come in.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=image/debian.sh
. "$here/debian.sh"
rm -f "$cache/apt/$suite-$architecture/updated"
configuration=$(private_apt)
export APT_CONFIG=$configuration
mkdir -p "$debs"

# write PURPOSE FILE...: the lock's lines of these package files
write() {
    local purpose=$1 file; shift
    for file in "$@"; do
        printf '%s\t%s\t%s\t%s\t%s\n' "$(dpkg-deb -f "$file" Package)" "$(dpkg-deb -f "$file" Version)" "$(dpkg-deb -f "$file" Architecture)" \
            "$(sha256sum < "$file" | cut -d' ' -f1)" "$purpose"
    done
}
# with_dependencies PACKAGE...: downloads, prints the files
with_dependencies() {
    local uris; uris=$(apt-get install -y -qq --print-uris "$@")
    apt-get install -y -qq --download-only -o Dir::Cache::archives="$debs" "$@" >&2
    awk -F"' |'" '/^\047/ { split($3, a, " "); print a[1] }' <<< "$uris" | sed "s#^#$debs/#"
}
# alone PACKAGE...
alone() {
    local package file
    for package in "$@"; do
        file=$(apt-get download --print-uris "$package" | awk '{ print $2 }')
        [ -s "$debs/$file" ] || (cd "$debs" && apt-get download -qq "$package" >&2)
        echo "$debs/$file"
    done
}
header='# Written by image/lock.sh: name, version, architecture, SHA-256, what it is for.'
names=$(grep -v '^#' "$here/packages")
# shellcheck disable=SC2046,SC2086
{ echo "$header"; write root $(with_dependencies $names) | LC_ALL=C sort; } > "$here/packages.lock.new"
mv "$here/packages.lock.new" "$here/packages.lock"

boards=("$@")
[ ${#boards[@]} -gt 0 ] || for file in "$here"/../board/*/board.conf; do boards+=("$(basename "$(dirname "$file")")"); done
for board in "${boards[@]}"; do
    folder=$here/../board/$board
    KERNEL='' FILES='' ROOT=''
    # shellcheck source=/dev/null
    . "$folder/board.conf"
    # A kernel's metapackage names the package of one version; the lock has that one.
    kernel=$(apt-cache depends "$KERNEL" | awk '/Depends: linux-image-/ { print $2; exit }')
    {
        echo "$header"
        write kernel $(alone "${kernel:-$KERNEL}")
        write files $(alone $FILES)
        # More of the root, without what every board has already.
        [ -z "$ROOT" ] || write root $(with_dependencies $ROOT) | grep -vxFf "$here/packages.lock" || true
    } > "$folder/packages.lock.new"
    mv "$folder/packages.lock.new" "$folder/packages.lock"
done
