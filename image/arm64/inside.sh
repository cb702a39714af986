#!/usr/bin/env bash
# Runs a command in the compiler's tree, with the clone at /gatehouse, read-only, and the SDK at /sdk: the paths a build sees are the same wherever the
# clone and the cache lie. There is no network in there.
#
#   image/arm64/inside.sh FOLDER COMMAND…       FOLDER, which may be written to, is /gatehouse/.build
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/cache.sh"
. "$here/sources.sh"
mkdir -p "$1"
build=$(cd "$1" && pwd)
shift
write_manifest "$build/Package.swift"
# Who is not root here is it in a namespace of users.
namespaces=(unshare --mount --net)
[ "$(id -u)" = 0 ] || namespaces+=(--map-root-user)
# The toolchain is not made anew while something runs in it.
exec 9>>"$cache/lock"
flock --shared 9
exec "${namespaces[@]}" bash -euc '
  clone=$1 build=$2 cache=$3 root=$3/compiler inside=$3/compiler/gatehouse here=$4
  shift 4
  mount --rbind /proc "$root/proc"
  mount --rbind /dev "$root/dev"
  mount -t tmpfs tmpfs "$root/tmp"
  mount --rbind "$cache/sdk" "$root/sdk"
  mount -t tmpfs tmpfs "$inside"
  show() { mount --bind "$1" "$2"; mount -o "remount,bind,$3" "$2"; }
  for name in "$clone"/*; do
    name=${name##*/}
    [[ $name != Package.* ]] || continue
    if [ -d "$clone/$name" ]; then mkdir "$inside/$name"; else : >"$inside/$name"; fi
    show "$clone/$name" "$inside/$name" ro
  done
  : >"$inside/Package.swift"
  show "$build/Package.swift" "$inside/Package.swift" ro
  while read -r name _ revision; do
    case $name in "" | "#"*) continue ;; esac
    mkdir -p "$inside/Dependencies/$name"
    show "$cache/sources/$name-$revision" "$inside/Dependencies/$name" ro
  done <"$here/sources.lock"
  while read -r file; do
    show "$here/replaced/$file" "$inside/Dependencies/$file" ro
  done < <(cd "$here/replaced" && find . -type f)
  mkdir "$inside/.build"
  mount --bind "$build" "$inside/.build"
  exec chroot "$root" /usr/bin/env -i HOME=/gatehouse/.build/home LANG=C.UTF-8 PATH=/usr/libexec/swift/bin:/usr/bin:/bin SOURCE_DATE_EPOCH=0 \
    /bin/bash -c "cd /gatehouse && exec \"\$@\"" inside "$@"
' inside "$(cd "$here/../.." && pwd)" "$build" "$cache" "$here" "$@"
