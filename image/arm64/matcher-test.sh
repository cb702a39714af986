#!/usr/bin/env bash
# Loads a matcher that was cross-built, face-dlib.so or face-sface.so, into a program for arm64 as a worker does, and holds what it says of
# photographs against what this machine's own says of them: the faces, where they are, and how alike each pair is.
#
#   image/arm64/matcher-test.sh [dlib|sface]    both without a name. Skips, saying so, what is not there: `make matcher photos` and
#                                               `tools/matcher.sh tools` make it, with MATCHER=sface for the second
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
if [ $# = 0 ]; then
  "$0" dlib
  exec "$0" sface
fi
matcher=$1
clone=$(cd "$here/../.." && pwd)
build=$clone/.build-arm64
for folder in "models/$matcher" photos/people; do
  [ -d "$clone/.build/$folder" ] || { echo "arm64: skipped: $matcher: no .build/$folder"; exit; }
done
"$here/build.sh" "face-$matcher.so" >/dev/null
sdk=/sdk/gatehouse.artifactbundle/aarch64/sysroot
if ! "$here/inside.sh" "$build" make --silent --file Sources/Matchers/common/Makefile .build/matcher-tests/rates \
  LIBRARIES=$sdk/usr/lib/aarch64-linux-gnu CXX="clang++ --target=aarch64-linux-gnu --sysroot=$sdk -fuse-ld=lld" >"$build/build.log" 2>&1; then
  cat "$build/build.log" >&2
  exit 1
fi
# In there, what the clone has built for this machine is not seen.
work=$build/matcher-test
rm -rf "$work"
mkdir -p "$work"
trap 'rm -rf "$work"' EXIT
cp -r "$clone/.build/models/$matcher" "$work/models"
cp -r "$clone/.build/photos/people" "$work/photos"

# shellcheck disable=SC2016
ARM64_TEST=1 "$here/inside.sh" "$build" bash -euc '
  file --brief --dereference .build/matcher-tests/rates | grep --quiet "ARM aarch64"
  cd .build/matcher-test
  ../matcher-tests/rates "../out/face-$1.so" models photos
' matcher-test "$matcher" >"$work/arm64"
expected=$(find "$work/photos" -type f | wc -l)
made=$(awk '$1 == "picture" && $4 == 0' "$work/arm64" | wc -l)
[ "$made" = "$expected" ] || { echo "arm64: $matcher made templates of $made of $expected photographs" >&2; exit 1; }

native=$clone/.build/matcher-tests/rates plugin=$clone/.build/plugins/face-$matcher.so
if [ ! -x "$native" ] || [ ! -e "$plugin" ]; then
  echo "arm64: $matcher made templates of $made photographs; not compared: no .build/matcher-tests/rates and $plugin"
  exit
fi
(cd "$work" && "$native" "$plugin" models photos) >"$work/native"
# The order of additions differs between the two machines' instructions: what is compared as numbers differs in the last digits and no more.
paste -d ' ' "$work/arm64" "$work/native" | awk -v pictures="$expected" -v matcher="$matcher" '
  function differs(a, b, most) { a -= b; return a > most || -a > most }
  NF % 2 { exit failed = 1 }
  {
    half = NF / 2
    for (i = 1; i <= half; i++) {
      counts = $1 == "picture" && i >= 6 && i <= 8 || $1 == "pair" && i == 4
      if (counts ? differs($i, $(half + i), $1 == "pair" ? 0.001 : 0.1) : $i != $(half + i)) failed = 1
    }
    if ($1 == "pair") { pairs++; d = $4 - $8; if (d < 0) d = -d; if (d > most) most = d }
  }
  END {
    if (failed || pairs != pictures * (pictures - 1) / 2) { print "arm64: " matcher " says other things than the one of this machine" >"/dev/stderr"; exit 1 }
    printf "arm64: %s says of %d photographs and %d pairs what the one of this machine says; scores differ by %g at most\n", matcher, pictures, pairs, most
  }' || { diff "$work/arm64" "$work/native" >&2; exit 1; }
