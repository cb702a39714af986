#!/usr/bin/env bash
# Cross-builds the unit tests and runs them by qemu-user, a module at a time, then the matcher. Skips, saying so, what an emulated process
# cannot do.
#
#   image/arm64/test.sh            all
#   image/arm64/test.sh FILTER…    the unit tests that swift-testing's --filter takes, such as CBORTests
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
clone=$(cd "$here/../.." && pwd)
"$here/toolchain.sh"
build=$clone/.build-arm64/tests
tests=.build/aarch64-unknown-linux-gnu/debug/gatehousePackageTests.xctest
libraries=/sdk/gatehouse.artifactbundle/aarch64/sysroot/usr/lib/swift/linux
logs=$build/logs
rm -rf "$logs"
mkdir -p "$logs"
inside() { ARM64_TEST=1 "$here/inside.sh" "$build" "$@"; }

# Optimized, as what a board gets is, and because emulation takes its time.
# The runtime is the shared one here: of Swift's testing library Debian has no other, and of what joins that with Foundation only the
# interface.
if ! inside swift build --quiet --build-tests --scratch-path .build --disable-sandbox --disable-index-store --swift-sdks-path /sdk \
  --swift-sdk debian-arm64 -Xswiftc -O -Xswiftc -gnone -Xswiftc -Xfrontend -Xswiftc -disable-cross-import-overlays \
  -Xlinker -rpath=$libraries >"$logs/build.log" 2>&1; then
  cat "$logs/build.log" >&2
  exit 1
fi
path=/gatehouse/image/arm64/tools:/usr/libexec/swift/bin:/usr/bin:/bin
# What a test would otherwise have compiled by an emulated process.
inside env PATH=$path Tests/Scripts/plugins.sh
# The longest module takes minutes; what takes an hour hangs.
emulated() { inside env PATH=$path timeout --kill-after=10 3600 "$tests" --testing-library swift-testing "$@"; }

filters=() skips=() skipped=(-e '^$')
for filter in "$@"; do filters+=(--filter "$filter"); done
while read -r pattern reason; do
  case $pattern in '' | '#'*) continue ;; esac
  echo "arm64: skipped: $pattern: $reason"
  skips+=(--skip "$pattern")
  skipped+=(-e "$pattern")
done <"$here/skipped"
# The list is of all tests, whatever is asked for.
asked=(-e .)
[ $# = 0 ] || asked=("${@/#/-e}")
emulated --list-tests 2>/dev/null | grep -E '^[A-Za-z]+Tests[.]' | grep -E "${asked[@]}" >"$logs/wanted" || true
grep -vE "${skipped[@]}" "$logs/wanted" >"$logs/run" || { echo 'arm64: no such test' >&2; exit 2; }

passed=0 absent=0 failed=()
if [ $# = 0 ]; then mapfile -t modules < <(cut -d . -f 1 "$logs/run" | sort -u); else modules=(tests); fi
for module in "${modules[@]}"; do
  log=$logs/$module.log status=0 started=$SECONDS run=$(wc -l <"$logs/run") only=("${filters[@]}")
  # A module in a process of its own: one that ends, ends alone.
  if [ $# = 0 ]; then only=(--filter "^${module}[.]") run=$(grep -c "^${module}[.]" "$logs/run"); fi
  emulated "${only[@]}" "${skips[@]}" >"$log" 2>&1 || status=$?
  # Such as what needs samples that are not beside this clone. The sum at the log's end has them in it.
  own=$(grep -cE '^➜ Test .* skipped' "$log" || true)
  if [ $status = 0 ] && grep -qE "^. Test run with $run tests? .*passed" "$log"; then
    passed=$((passed + run - own)) absent=$((absent + own))
    echo "arm64: $module: $((run - own)) passed, $own skipped by themselves, $((SECONDS - started)) s"
  else
    failed+=("$module")
    { grep -E '^✘' "$log" || tail -20 "$log"; } >&2
    echo "arm64: $module failed, or did not end (status $status): ${log#"$clone"/}" >&2
  fi
done
wanted=$(wc -l <"$logs/wanted")
echo "arm64: of $wanted tests $passed passed, $((wanted - $(wc -l <"$logs/run"))) are skipped as above, $absent skipped themselves; failed: ${failed[*]:-none}"
[ ${#failed[@]} = 0 ] || exit 1
[ $# -gt 0 ] || "$here/matcher-test.sh"
