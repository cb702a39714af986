#!/usr/bin/env bash
# Cross-builds Gatehouse for arm64 into .build-arm64/out: each program stripped, with its symbols beside it (.debug), and face-dlib.so, the
# default matcher. Two builds of one tree give the same octets, wherever the clone and the cache lie.
#
#   image/arm64/build.sh                                         every program
#   image/arm64/build.sh gatehouse gatehouse-vision face-dlib.so   what an image needs
#   ARM64_BUILD=folder                                           instead of .build-arm64
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
build=${ARM64_BUILD:-$here/../../.build-arm64}
"$here/toolchain.sh"
mkdir -p "$build/out"
"$here/../../tools/commit.sh"
inside() { "$here/inside.sh" "$build" "$@"; }
sdk=/sdk/gatehouse.artifactbundle/aarch64/sysroot
release=.build/aarch64-unknown-linux-gnu/release

# Without debug information: what it says of C's modules differs from build to build. A trace's addresses are told by the symbols in .debug.
swift=(swift build --quiet --configuration release --scratch-path .build --disable-sandbox --swift-sdks-path /sdk --swift-sdk debian-arm64
  --static-swift-stdlib --disable-local-rpath -Xswiftc -gnone)
# A program exports nothing, and its relative relocations are packed: 1.6 MB of gatehouse.
for flag in --build-id=sha1 --gc-sections --no-export-dynamic -z pack-relative-relocs; do swift+=(-Xlinker "$flag"); done

# Compiles, and shows what was said only when it failed.
compile() {
  inside "$@" >"$build/build.log" 2>&1 && return
  cat "$build/build.log" >&2
  return 1
}

matcher() {
  compile make --silent --jobs 2 --file Sources/Matchers/dlib/Makefile PLUGIN=$release/face-dlib.so OUT=.build/matcher \
    LIBRARIES=$sdk/usr/lib/aarch64-linux-gnu CXX="clang++ --target=aarch64-linux-gnu --sysroot=$sdk -fuse-ld=lld"
}

# Every program of the package; what SwiftPM builds of its dependencies beside them is not wanted.
programs() { tr '\n' ' ' <"$here/../../Package.swift" | grep -o '\.executableTarget( *name: "[^"]*"' | sed 's/.*"\(.*\)"/\1/'; }

products=("$@")
if [ $# = 0 ]; then
  compile "${swift[@]}"
  matcher
  mapfile -t products < <(programs)
  products+=(face-dlib.so)
else
  for product in "$@"; do
    if [ "$product" = face-dlib.so ]; then matcher; else compile "${swift[@]}" --product "$product"; fi
  done
fi

# A program that is the same as before keeps its time: an image that holds it need not be made anew.
# shellcheck disable=SC2016
inside bash -euc '
  cd .build/out
  for product in "$@"; do
    llvm-objcopy --only-keep-debug "../$0/$product" "$product.debug"
    llvm-objcopy --strip-all --add-gnu-debuglink="$product.debug" "../$0/$product" "$product.new"
    if cmp --silent "$product.new" "$product"; then rm "$product.new"; else mv "$product.new" "$product"; fi
  done
' "${release#.build/}" "${products[@]}"
"$here/report.sh" "$build" "${products[@]}"
