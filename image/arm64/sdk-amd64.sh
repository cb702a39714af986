#!/usr/bin/env bash
# Makes the SDK for amd64 in the cache, of packages-amd64.lock and of the compiler's own packages in packages.lock. A second run does
# nothing. build.sh runs it where ARCHITECTURE=amd64; the rest of the toolchain is the one for boards.
#
#   image/arm64/sdk-amd64.sh            30 MB of downloads the first time
#   image/arm64/sdk-amd64.sh lock       writes packages-amd64.lock anew, of what the archive has
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
ARCHITECTURE=amd64
# shellcheck source=cache.sh
. "$here/cache.sh"
# shellcheck source=../debian/lock.sh
. "$here/../debian/lock.sh"
mkdir -p "$cache"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
if [ "${1:-}" = lock ]; then
  resolve <"$here/packages-amd64" >"$scratch/lock"
  mv "$scratch/lock" "$here/packages-amd64.lock"
  exit
fi
# The compiler comes with this: its packages are here then.
"$here/toolchain.sh"
exec 9>"$cache/lock"
flock 9
[ -z "${DEBIAN_UNLOCKED:-}" ] || renew "$here/packages-amd64.lock" "$sdk_lock" <"$here/packages-amd64"
made=$(sdk)
if [ -d "$made" ]; then
  touch "$made"
  exit
fi
fetch "$sdk_lock"
echo 'arm64: unpacking the SDK for amd64' >&2
find "$cache" -maxdepth 1 -name 'sdk-*' -mtime +7 -exec rm -rf {} +
making=$cache/making-sdk
rm -rf "$making"
bundle=$making/gatehouse.artifactbundle sysroot=$making/gatehouse.artifactbundle/$cpu/sysroot
merged_usr "$sysroot"
for deb in $(files "$sdk_lock" sysroot); do unpack "$deb" "$sysroot" --exclude=./usr/share/doc --exclude=./usr/share/man; done
for deb in $(files "$lock" compiler | grep -E '/(lib)?swiftlang_'); do
  unpack "$deb" "$making/runtime" --wildcards --exclude='*/lib/swift/host' --exclude='*/embedded' --exclude='*/lib/swift/migrator' \
    --exclude='*/lib/swift/clang' --exclude='*/lib/swift_static/clang' --exclude='*.abi.json' --exclude='*.swiftdoc' \
    './usr/libexec/swift/lib/swift' './usr/libexec/swift/lib/swift_static' 2>"$scratch/tar" || grep -q 'Not found in archive' "$scratch/tar"
done
mv "$making"/runtime/usr/libexec/swift/lib/{swift,swift_static} "$sysroot/usr/lib/"
rm -r "$making/runtime"
clang=$(cd "$(toolchain)/compiler/usr/libexec/swift/lib/clang" && echo *)
for name in swift swift_static; do ln -s "/usr/libexec/swift/lib/clang/$clang" "$sysroot/usr/lib/$name/clang"; done
for file in info.json:. swift-sdk.json:"$cpu" toolset.json:"$cpu"; do
  sed "s/debian-arm64/debian-amd64/; s/aarch64-unknown-linux-gnu/$triple/; s/aarch64/$cpu/g" "$here/sdk/${file%%:*}" >"$bundle/${file#*:}/${file%%:*}"
done
mv "$making" "$made"
