#!/usr/bin/env bash
# Compiles the plug-ins of the tests into .build/plugins/test: the test matcher, with and without a check for attacks, and one for each bad
# habit.
set -euo pipefail
cd "$(dirname "$0")/../.."
out=.build/plugins/test
# Tests in several processes each want them, and one makes them.
mkdir -p "$out"
exec 9>"$out.lock"
flock 9
if [ -f "$out/.made" ] && [ -z "$(find Tests/Plugins Sources/Libraries/CFacePlugin Tests/Scripts/plugins.sh -type f -newer "$out/.made" -print -quit)" ]; then exit; fi
rm -rf "$out" && mkdir -p "$out"
flags=(-std=gnu11 -O1 -g -fPIC -shared -Wall -Wextra -Werror -Wno-switch -ISources/Libraries/CFacePlugin/include -ITests/Plugins)
clang "${flags[@]}" Tests/Plugins/test_matcher.c -lm -o "$out/test_matcher.so"
clang "${flags[@]}" -DWITH_PAD Tests/Plugins/test_matcher.c -lm -o "$out/test_matcher_pad.so"
clang "${flags[@]}" -Dfmp_plugin_v1=fmp_plugin_v0 Tests/Plugins/test_matcher.c -lm -o "$out/no_entry.so"
clang "${flags[@]}" Tests/Plugins/hostile.c -lm -o "$out/none.so"
# It has the habit it is named after. A link would be looked through.
for habit in $(sed -n 's/^HABIT_NAME(\(.*\))$/\1/p' Tests/Plugins/habits.h); do ln "$out/none.so" "$out/$habit.so"; done
touch "$out/.made"
