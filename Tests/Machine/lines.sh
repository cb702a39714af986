#!/usr/bin/env bash
# The gate's C of GPIO lines as two libraries, over this machine's libgpiod and over Debian 13's libgpiod 2: what the device level of a
# door is tried by, without a gate. Seconds, and nothing when nothing has changed.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
cache=$(cd "${MACHINE_CACHE:-$here/../../.build-machine}" && pwd)
source=$here/../../Sources/Libraries/CGPIO
tools=$cache/tools/usr
folder=$cache/gpio-lines
[ -e "$tools/include/gpiod.h" ] || { echo "machine: nothing in $cache; run Tests/Machine/build.sh" >&2; exit 1; }

made=$folder/lines-2.so
[ -e "$made" ] && [ -z "$(find "$source" "$0" -type f -newer "$made")" ] && exit 0
rm -rf "$folder"
mkdir "$folder"
# By their names, so that each is loaded with its own.
cp "$tools"/lib/x86_64-linux-gnu/libgpiod.so.3 "$folder/"
flags=(-O2 -Wall -Wextra -Wno-sign-compare -Werror -shared -fPIC "-I$source/include")
gcc "${flags[@]}" "$source"/*.c -o "$folder/lines-1.so" -lgpiod
gcc "${flags[@]}" "-I$tools/include" "$source"/*.c -o "$made" "$folder/libgpiod.so.3" '-Wl,-rpath,$ORIGIN'
