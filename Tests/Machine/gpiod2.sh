#!/usr/bin/env bash
# Links the gate once more, against Debian 13's libgpiod 2: the release build's objects but those of CGPIO, compiled with the other headers.
# Seconds, and nothing when nothing has changed.
#
#   Tests/Machine/gpiod2.sh           the release build is that of $GATEHOUSE, or .build/release/gatehouse
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
cache=$(cd "${MACHINE_CACHE:-$here/../../.build-machine}" && pwd)
gate=${GATEHOUSE:-$here/../../.build/release/gatehouse}
objects=$(dirname "$gate")/gatehouse.product/Objects.LinkFileList
source=$here/../../Sources/Libraries/CGPIO
tools=$cache/tools/usr
folder=$cache/gatehouse-gpiod2
[ -x "$gate" ] && [ -e "$objects" ] || { echo "machine: no release build at $gate" >&2; exit 1; }
[ -e "$tools/include/gpiod.h" ] || { echo "machine: nothing in $cache; run Tests/Machine/build.sh" >&2; exit 1; }

made=$folder/gatehouse
[ "$made" -nt "$gate" ] && [ -z "$(find "$source" -name '*.[ch]' -newer "$made")" ] && [ "$made" -nt "$0" ] && [ "$(cat "$folder/of" 2>/dev/null)" = "$gate" ] && exit 0
rm -rf "$folder"
mkdir "$folder"
# Beside the program and not in its own folder: there are more libraries of Debian 13's, and the rest of the program is this machine's.
cp "$tools"/lib/x86_64-linux-gnu/libgpiod.so.3 "$folder/"
ln -s libgpiod.so.3 "$folder/libgpiod.so"
sed "s#.*/CGPIO\.build/\(.*\)\.c\.o#$folder/\1.o#" "$objects" >"$folder/objects"
for file in "$source"/*.c; do
    object=$folder/$(basename "$file" .c).o
    gcc -O2 -Wall -Wextra -Wno-sign-compare -Werror -I "$tools/include" -I "$source/include" -c "$file" -o "$object"
    grep -qxF "$object" "$folder/objects" || { echo "machine: $file is not among the release build's objects" >&2; exit 1; }
done
swiftc -L "$folder" -o "$made" -module-name gatehouse -emit-executable -Xlinker --gc-sections -Xlinker --defsym -Xlinker main=gatehouse_main \
  -Xlinker '-rpath=$ORIGIN' "@$folder/objects"
echo "$gate" >"$folder/of"
