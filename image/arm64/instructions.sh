#!/usr/bin/env bash
# Counts the instructions of a face matcher as a program for arm64, under QEMU's user emulation: of opening it, of a portrait, of the first
# frame of a face and of the next. OpenBLAS chooses its kernels by the processor that is emulated.
#
#   image/arm64/instructions.sh PORTRAIT FRAME [CPU…]   prints `MATCHER CPU OPENING PORTRAIT FIRST NEXT`, in instructions; cortex-a53,
#                                                       cortex-a72 and cortex-a76 by default
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
clone=$(cd "$here/../.." && pwd)
build=$clone/.build-arm64
portrait=$1 frame=$2
shift 2
[ $# -gt 0 ] || set -- cortex-a53 cortex-a72 cortex-a76
"$here/../host.sh" qemu-user gcc libc6-dev
"$here/build.sh" face-dlib.so face-sface.so >/dev/null
# shellcheck source=cache.sh
. "$here/cache.sh"
sdk=/sdk/gatehouse.artifactbundle/aarch64/sysroot
"$here/inside.sh" "$build" make --silent --file Sources/Matchers/common/Makefile .build/matcher-tests/count \
  LIBRARIES=$sdk/usr/lib/aarch64-linux-gnu CXX="clang++ --target=aarch64-linux-gnu --sysroot=$sdk -fuse-ld=lld" >"$build/build.log" 2>&1 ||
  { cat "$build/build.log" >&2; exit 1; }
plugin=$build/matcher-tests/instructions.so
[ "$plugin" -nt "$here/instructions.c" ] || gcc -O2 -Wall -Wextra -Werror -shared -fPIC "$here/instructions.c" -o "$plugin"
# shellcheck disable=SC2154
root=$(toolchain)$sdk
for matcher in dlib sface; do
  for cpu; do
    said=$(qemu-aarch64 -cpu "$cpu" -L "$root" -d plugin -plugin "$plugin" "$build/matcher-tests/count" "$build/out/face-$matcher.so" \
      "$clone/.build/models/$matcher" "$portrait" "$frame" 2>&1) || { echo "arm64: $matcher on $cpu: $said" >&2; exit 1; }
    mapfile -t counts < <(sed -n 's/^instructions \([0-9]*\)$/\1/p' <<<"$said")
    [ ${#counts[@]} = 5 ] || { echo "arm64: $matcher on $cpu: $said" >&2; exit 1; }
    # The first is of loading pictures.
    echo "$matcher $cpu ${counts[*]:1}"
  done
done
