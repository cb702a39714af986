#!/usr/bin/env bash
# Counts the instructions of judging proofs as a program for arm64, under QEMU's user emulation.
#
#   image/arm64/proofs.sh SUITES NAME…     prints `NAME FIRST NEXT`, in instructions of the first judgement in a process and of the second
#
# Names are those of proof-speed. libcrypto chooses its code by the processor: here by a cortex-a53.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
build=$here/../../.build-arm64
suites=$1
shift
"$here/../host.sh" qemu-user gcc libc6-dev
"$here/build.sh" proof-speed >/dev/null
# shellcheck source=cache.sh
. "$here/cache.sh"
mkdir -p "$build/matcher-tests"
plugin=$build/matcher-tests/instructions.so
[ "$plugin" -nt "$here/instructions.c" ] || gcc -O2 -Wall -Wextra -Werror -shared -fPIC "$here/instructions.c" -o "$plugin"
root=$(toolchain)/sdk/gatehouse.artifactbundle/aarch64/sysroot
for name; do
  said=$(qemu-aarch64 -cpu cortex-a53 -L "$root" -d plugin -plugin "$plugin" "$build/out/proof-speed" count "$suites" "$name" 2>&1) ||
    { echo "arm64: $name: $said" >&2; exit 1; }
  mapfile -t counts < <(sed -n 's/^instructions \([0-9]*\)$/\1/p' <<<"$said")
  [ ${#counts[@]} = 3 ] || { echo "arm64: $name: $said" >&2; exit 1; }
  # The first is of reading the vector.
  echo "$name ${counts[*]:1}"
done
