#!/usr/bin/env bash
# What bench_codes.py compares the worker with, into .build/codes: the library called by a bare program (zxing_direct.cpp), once with this
# machine's library and once with Debian 13's, which is the image's; and gatehouse-vision linked once more, with Debian 13's. What is of
# Debian 13 runs with that one's own libc. Nothing is installed; nothing is done where nothing has changed.
#
#   zxing.sh [PATH OF gatehouse-vision]    a release build; without one, no second worker
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
clone=$(cd "$here/../../.." && pwd)
# shellcheck source=../../../image/debian/lock.sh
. "$clone/image/debian/lock.sh"
worker=${1:-}
folder=$clone/.build/codes
lock=$here/packages.lock
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir -p "$folder"

wanted() { echo 'zxing trixie amd64 all libzxing-dev libstdc++6'; }

sources=$(sha256sum "$lock" "$0" "$here/zxing_direct.cpp" | sha256sum)
if [ "$(cat "$folder/of" 2>/dev/null)" != "$sources" ]; then
  g++ -O2 -std=c++17 -w "$here/zxing_direct.cpp" -lZXing -ljpeg -o "$folder/zxing-direct"
  if [ "$(uname -m)" = x86_64 ]; then
    fetch_or_renew "$lock" "$folder/packages.lock" wanted
    rm -rf "$folder/trixie"
    merged_usr "$folder/trixie"
    for file in $(files "$folder/packages.lock" zxing); do unpack "$file" "$folder/trixie"; done
  fi
fi
[ -d "$folder/trixie" ] || { echo "$sources" >"$folder/of"; exit 0; }
libraries=$folder/trixie/usr/lib/x86_64-linux-gnu
# Its own loader and libc, before this machine's libraries: those are older, and content with a newer libc.
own=(-Xlinker "--dynamic-linker=$folder/trixie/lib64/ld-linux-x86-64.so.2" -Xlinker "-rpath=$libraries:/usr/lib/x86_64-linux-gnu"
  -Xlinker --allow-shlib-undefined)
if [ "$(cat "$folder/of" 2>/dev/null)" != "$sources" ]; then
  g++ -O2 -std=c++17 -w -I "$folder/trixie/usr/include" "$here/zxing_direct.cpp" "$libraries/libZXing.so.3" -ljpeg "${own[@]}" \
    -o "$folder/zxing-direct-trixie"
  echo "$sources" >"$folder/of"
fi
[ -n "$worker" ] || exit 0

# The release build's objects but those of CZXing, compiled with the other headers.
objects=$(dirname "$worker")/gatehouse-vision.product/Objects.LinkFileList
source=$clone/Sources/Libraries/CZXing
made=$folder/gatehouse-vision-trixie
[ -x "$worker" ] && [ -e "$objects" ] || { echo "codes: no release build at $worker" >&2; exit 1; }
[ "$made" -nt "$worker" ] && [ "$made" -nt "$folder/of" ] && [ -z "$(find "$source" -newer "$made" -type f)" ] && exit 0
sed "s#[^ ]*/CZXing\.build/\(.*\)\.cpp\.o#$scratch/\1.o#" "$objects" >"$scratch/objects"
for file in "$source"/*.cpp; do
  object=$scratch/$(basename "$file" .cpp).o
  g++ -O2 -std=c++17 -fPIC -w -I "$folder/trixie/usr/include" -I "$source/include" -c "$file" -o "$object"
  grep -qxF "$object" "$scratch/objects" || { echo "codes: $file is not among the release build's objects" >&2; exit 1; }
done
# What is linked by name is found in the first folder that has it.
mkdir "$scratch/first"
ln -s "$libraries/libZXing.so.3" "$scratch/first/libZXing.so"
ln -s "$libraries/libstdc++.so.6" "$scratch/first/libstdc++.so"
swiftc -L "$scratch/first" -o "$made" -module-name gatehouse_vision -emit-executable -Xlinker --gc-sections -Xlinker --defsym \
  -Xlinker main=gatehouse_vision_main -lstdc++ "${own[@]}" "@$scratch/objects"
