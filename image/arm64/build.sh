#!/usr/bin/env bash
# Cross-builds Gatehouse for arm64 into .build-arm64/out: each program stripped, with its symbols beside it (.debug), and the matchers,
# face-dlib.so and face-sface.so; and where it is named gatehouse-osdp, whose library comes from PyPI. Two builds of one tree give the same
# octets, wherever the clone and the cache lie.
#
#   image/arm64/build.sh                                         every program
#   image/arm64/build.sh gatehouse gatehouse-http ...            these programs; image/build.sh has those of an image
#   ARM64_BUILD=folder                                           instead of .build-arm64
#   ARCHITECTURE=amd64                                           for PCs with Debian 13, into .build-amd64/out: for Debian packages
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=cache.sh
. "$here/cache.sh"
build=${ARM64_BUILD:-$here/../../.build-$architecture}
if [ "$architecture" = arm64 ]; then "$here/toolchain.sh"; else "$here/sdk-amd64.sh"; fi
mkdir -p "$build/out"
"$here/../../tools/commit.sh"
inside() { "$here/inside.sh" "$build" "$@"; }
sysroot=/sdk/gatehouse.artifactbundle/$cpu/sysroot
release=.build/$triple/release

# Without debug information: what it says of C's modules differs from build to build. A trace's addresses are told by the symbols in .debug.
swift=(env GATEHOUSE_SHIPPED=1 swift build --quiet --configuration release --scratch-path .build --disable-sandbox --swift-sdks-path /sdk --swift-sdk "debian-$architecture"
  --static-swift-stdlib --disable-local-rpath -Xswiftc -gnone)
# A program exports nothing, and its relative relocations are packed: 1.6 MB of gatehouse.
for flag in --build-id=sha1 --gc-sections --no-export-dynamic -z pack-relative-relocs; do swift+=(-Xlinker "$flag"); done

# Compiles, and shows what was said only when it failed.
compile() {
  inside "$@" >"$build/build.log" 2>&1 && return
  cat "$build/build.log" >&2
  return 1
}

# Of the name of a matcher.
matcher() {
  compile make --silent --jobs 2 --file "Sources/Matchers/$1/Makefile" PLUGIN="$release/face-$1.so" OUT=".build/matcher-$1" \
    LIBRARIES="$sysroot/usr/lib/$cpu-linux-gnu" CXX="clang++ --target=$cpu-linux-gnu --sysroot=$sysroot -fuse-ld=lld"
}

# The reader at a panel. There is no network in there: its library is fetched before.
osdp() {
  "$here/../../tools/osdp.sh" source
  mkdir -p "$build/osdp/source"
  cp -a "$here/../../.build/osdp/source/." "$build/osdp/source/"
  compile make --silent --jobs 2 --file Sources/Programs/gatehouse-osdp/Makefile PROGRAM="$release/gatehouse-osdp" \
    CC="clang --target=$cpu-linux-gnu --sysroot=$sysroot -fuse-ld=lld -Wno-unused-command-line-argument"
}

# Every program of the package; what SwiftPM builds of its dependencies beside them is not wanted.
programs() { tr '\n' ' ' <"$here/../../Package.swift" | grep -o '\.executableTarget( *name: "[^"]*"' | sed 's/.*"\(.*\)"/\1/'; }

products=("$@")
if [ $# = 0 ]; then
  compile "${swift[@]}"
  matcher dlib
  matcher sface
  mapfile -t products < <(programs)
  products+=(face-dlib.so face-sface.so)
else
  for product in "$@"; do
    case $product in
      gatehouse-osdp) osdp ;;
      face-*.so) product=${product#face-} && matcher "${product%.so}" ;;
      *) compile "${swift[@]}" --product "$product" ;;
    esac
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
