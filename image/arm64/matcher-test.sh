#!/usr/bin/env bash
# Loads the matcher that was cross-built, face-dlib.so, into a program for arm64 as a worker does, and holds what it says of photographs
# against what this machine's own says of them: the faces, where they are, and how alike each pair is.
#
#   image/arm64/matcher-test.sh    skips, saying so, what is not there: `make matcher photos` and `tools/matcher.sh tools` make it
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
clone=$(cd "$here/../.." && pwd)
build=$clone/.build-arm64
for folder in models/dlib photos/people; do
  [ -d "$clone/.build/$folder" ] || { echo "arm64: skipped: the matcher: no .build/$folder"; exit; }
done
"$here/build.sh" face-dlib.so >/dev/null
sdk=/sdk/gatehouse.artifactbundle/aarch64/sysroot
if ! "$here/inside.sh" "$build" make --silent --file Sources/Matchers/dlib/Makefile OUT=.build/matcher .build/matcher/rates-dlib \
  LIBRARIES=$sdk/usr/lib/aarch64-linux-gnu CXX="clang++ --target=aarch64-linux-gnu --sysroot=$sdk -fuse-ld=lld" >"$build/build.log" 2>&1; then
  cat "$build/build.log" >&2
  exit 1
fi
# In there, what the clone has built for this machine is not seen.
work=$build/matcher-test
rm -rf "$work"
mkdir -p "$work"
trap 'rm -rf "$work"' EXIT
cp -r "$clone/.build/models/dlib" "$work/models"
cp -r "$clone/.build/photos/people" "$work/photos"

ARM64_TEST=1 "$here/inside.sh" "$build" bash -euc '
  file --brief --dereference .build/matcher/rates-dlib | grep --quiet "ARM aarch64"
  cd .build/matcher-test
  ../matcher/rates-dlib ../out/face-dlib.so models photos
' >"$work/arm64"
expected=$(find "$work/photos" -type f | wc -l)
made=$(awk '$1 == "picture" && $4 == 0' "$work/arm64" | wc -l)
[ "$made" = "$expected" ] || { echo "arm64: the matcher made templates of $made of $expected photographs" >&2; exit 1; }

native=$clone/.build/matcher/rates-dlib plugin=$clone/.build/plugins/face-dlib.so
if [ ! -x "$native" ] || [ ! -e "$plugin" ]; then
  echo "arm64: the matcher made templates of $made photographs; not compared: no .build/matcher/rates-dlib and .build/plugins/face-dlib.so"
  exit
fi
(cd "$work" && "$native" "$plugin" models photos) >"$work/native"
# The order of additions differs between the two machines' instructions: what is compared as numbers differs in the last digits and no more.
paste -d ' ' "$work/arm64" "$work/native" | awk -v pictures="$expected" '
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
    if (failed || pairs != pictures * (pictures - 1) / 2) { print "arm64: the matcher says other things than the one of this machine" >"/dev/stderr"; exit 1 }
    printf "arm64: the matcher says of %d photographs and %d pairs what the one of this machine says; scores differ by %g at most\n", pictures, pairs, most
  }' || { diff "$work/arm64" "$work/native" >&2; exit 1; }
