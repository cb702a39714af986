#!/usr/bin/env bash
# Compiles the radio core a second time, as Embedded Swift without allocation, for this machine and for a bare
# 64-bit ARM, and fails on any symbol the core would need from outside beyond the few named below.
set -eu
cd "$(dirname "$0")/../.."
out=.build-embedded
# memcpy and friends and the stack guard come from the compiler; arc4random_buf is named by the Embedded standard
# library itself (hash seeding), by nothing of ours.
allowed='^(memcpy|memset|memmove|memcmp|__stack_chk_fail|__stack_chk_guard|arc4random_buf)$'
# One target: its objects, and what they need from outside.
embedded() {
  local target=$1 flags=() objects=()
  [ "$target" = host ] || flags=(-target "$target")
  rm -rf "${out:?}/$target" && mkdir -p "$out/$target"
  for module in Bluetooth Tuvali MdocTransport AriesTransport; do
    mapfile -t sources < <(find "Sources/Radio/$module" -name '*.swift' | sort)
    swiftc -O -wmo -parse-as-library -enable-experimental-feature Embedded -no-allocations "${flags[@]}" \
      -module-name "$module" -I "$out/$target" -emit-module -emit-module-path "$out/$target/$module.swiftmodule" \
      -c "${sources[@]}" -o "$out/$target/$module.o"
    objects+=("$out/$target/$module.o")
  done
  # What one module needs and the other defines is no need from outside.
  local defined undefined unexpected
  defined=$(nm --defined-only "${objects[@]}" | awk 'NF == 3 { print $3 }' | sort -u)
  undefined=$(nm -u "${objects[@]}" | awk '$1 == "U" { print $2 }' | sort -u)
  unexpected=$(comm -23 <(printf '%s\n' "$undefined") <(printf '%s\n' "$defined") | grep -vE "$allowed" || true)
  if [ -n "$unexpected" ]; then
    printf 'embedded %s: the radio core needs symbols it may not:\n%s\n' "$target" "$unexpected" >&2
    return 1
  fi
  printf 'embedded %s: Bluetooth, Tuvali, MdocTransport and AriesTransport compile without allocation; from outside they need: %s\n' \
    "$target" "$(comm -23 <(printf '%s\n' "$undefined") <(printf '%s\n' "$defined") | tr '\n' ' ')"
}
# In a shell of its own with `set -e`: a function in a condition goes on after what failed.
(set -e; embedded host) &
host=$!
failed=0
(set -e; embedded aarch64-none-none-elf) &
wait $! || failed=1
wait "$host" || failed=1
exit $failed
