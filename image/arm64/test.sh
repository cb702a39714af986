#!/usr/bin/env bash
# Cross-builds the unit tests and runs them by qemu-user, and skips, saying so, what an emulated process cannot do.
#
#   image/arm64/test.sh            all; a build of 5 minutes, then ten of tests
#   image/arm64/test.sh FILTER…    what swift-testing's --filter takes
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
clone=$(cd "$here/../.." && pwd)
"$here/toolchain.sh"
build=$clone/.build-arm64/tests
tests=.build/aarch64-unknown-linux-gnu/debug/gatehousePackageTests.xctest
libraries=/sdk/gatehouse.artifactbundle/aarch64/sysroot/usr/lib/swift/linux
mkdir -p "$build"

# The runtime is the shared one here: of Swift's testing library Debian has no other.
"$here/inside.sh" "$build" swift build --quiet --build-tests --scratch-path .build --disable-sandbox --swift-sdks-path /sdk --swift-sdk debian-arm64 \
  -Xlinker -rpath=$libraries

arguments=()
for filter in "$@"; do arguments+=(--filter "$filter"); done
while read -r pattern reason; do
  case $pattern in '' | '#'*) continue ;; esac
  echo "arm64: skipped: $pattern: $reason"
  arguments+=(--skip "$pattern")
done <"$here/skipped"
ARM64_EMULATE=1 "$here/inside.sh" "$build" env PATH=/gatehouse/image/arm64/tools:/usr/libexec/swift/bin:/usr/bin:/bin \
  "$tests" --testing-library swift-testing "${arguments[@]}"
