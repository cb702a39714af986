#!/bin/bash
# reproducible.sh BOARD [VERSION] makes an image twice, in two folders, and compares what would be delivered, octet by octet.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
board=$1 version=${2:-1}
work=$(mktemp -d "$here/../.build-image-twice.XXXXXX")
trap 'rm -rf "$work"' EXIT
# Another time zone, mask and name of the folder: none of them may show.
make_one() { (umask "$2"; TZ=$3 IMAGE_BUILD=$work/$1 "$here/build.sh" "$board" "$version" > /dev/null); }
make_one one 022 UTC
make_one two 077 Asia/Tokyo
differing=0
for file in slot-a/root.img slot-a/boot.img disk.img sbom.spdx.json; do
    one=$(sha256sum < "$work/one/$board/$file" | cut -c1-64)
    two=$(sha256sum < "$work/two/$board/$file" | cut -c1-64)
    if [ "$one" = "$two" ]; then
        echo "same    $file $one"
    else
        echo "DIFFERS $file $one $two"
        differing=1
    fi
done
exit $differing
