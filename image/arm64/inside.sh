#!/usr/bin/env bash
# Runs a command in the compiler's tree, with the clone at /gatehouse, read-only, and the SDK at /sdk: the paths a build sees are the same
# wherever the clone and the cache lie. There is no network in there.
#
#   image/arm64/inside.sh FOLDER COMMAND…       FOLDER, which may be written to, is /gatehouse/.build
#   ARCHITECTURE=amd64                          with the SDK for PCs instead
#   ARM64_TEST=1                                for the tests: programs for arm64 run as well, by an emulator that the kernel knows of in
#   there and
#                                               nowhere else; and there are users, a loopback interface and the samples
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=cache.sh
. "$here/cache.sh"
# shellcheck source=sources.sh
. "$here/sources.sh"
mkdir -p "$1"
build=$(cd "$1" && pwd)
shift
write_manifest "$build/Package.swift"
# Who is not root here is it in a namespace of users. Such a one also has its own list of the programs that run others.
namespaces=(unshare --mount --net)
[ "$(id -u)" = 0 ] && [ -z "${ARM64_TEST:-}" ] || namespaces+=(--map-root-user)
exec "${namespaces[@]}" bash -euc '
  clone=$1 build=$2 cache=$3 toolchain=$4 here=$5 testing=$6 samples=$7 sdk=$8
  shift 8
  root=$toolchain/compiler
  inside=$root/gatehouse
  mount --rbind /proc "$root/proc"
  mount --rbind /dev "$root/dev"
  mount -t tmpfs tmpfs "$root/tmp"
  mount --rbind "$sdk" "$root/sdk"
  mount -t tmpfs tmpfs "$inside"
  # What a user may not undo has to be said again.
  show() { mount --bind "$1" "$2"; mount -o remount,bind,ro "$2" 2>/dev/null || mount -o remount,bind,ro,nosuid,nodev "$2"; }
  for name in "$clone"/*; do
    name=${name##*/}
    [[ $name != Package.* ]] || continue
    if [ -d "$clone/$name" ]; then mkdir "$inside/$name"; else : >"$inside/$name"; fi
    show "$clone/$name" "$inside/$name"
  done
  : >"$inside/Package.swift"
  show "$build/Package.swift" "$inside/Package.swift"
  while read -r name _ revision; do
    case $name in "" | "#"*) continue ;; esac
    mkdir -p "$inside/Dependencies/$name"
    show "$cache/sources/$name-$revision" "$inside/Dependencies/$name"
  done <"$here/sources.lock"
  while read -r file; do
    show "$here/replaced/$file" "$inside/Dependencies/$file"
  done < <(cd "$here/replaced" && find . -type f)
  mkdir "$inside/.build"
  mount --bind "$build" "$inside/.build"
  if [ -n "$testing" ]; then
    mount -t binfmt_misc none "$root/proc/sys/fs/binfmt_misc"
    # What the header of a program or library for arm64 looks like, and the octets of it that count. F: the emulator is opened now, and not
    # by its path.
    header="\\x7fELF\\x02\\x01\\x01\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x02\\x00\\xb7\\x00"
    counts="\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\x00\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\xfe\\xff\\xff\\xff"
    echo ":aarch64:M::$header:$counts:$root/usr/bin/qemu-aarch64:F" >"$root/proc/sys/fs/binfmt_misc/register"
    # Where the tests have an entry point of their own, SwiftPM looks for none of XCTest, for which it would want a library the tree has
    # not.
    mount -t overlay -o "ro,lowerdir=$here/tools/tests:$clone/Tests" overlay "$inside/Tests"
    # What the tests meet on any machine: users, and a network that leads nowhere else.
    mount -t overlay -o "ro,lowerdir=$here/tools/etc:$root/etc" overlay "$root/etc"
    ip link set lo up
    # What the tests are checked against, where it is.
    if [ -d "$samples" ]; then show "$samples" "$root/shared/data"; fi
  fi
  exec chroot "$root" /usr/bin/env -i HOME=/gatehouse/.build/home LANG=C.UTF-8 PATH=/usr/libexec/swift/bin:/usr/bin:/bin SOURCE_DATE_EPOCH=0 \
    /bin/bash -c "cd /gatehouse && exec \"\$@\"" inside "$@"
' inside "$(cd "$here/../.." && pwd)" "$build" "$cache" "$(toolchain)" "$here" "${ARM64_TEST:-}" "${GATEHOUSE_SUITES:-$here/../../../shared/data}" \
  "$(sdk)" "$@"
