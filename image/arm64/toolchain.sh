#!/usr/bin/env bash
# Makes the cross toolchain for arm64 from the Debian packages of packages.lock. Nothing is installed: they are unpacked into the cache. A
# second run does nothing.
#
#   image/arm64/toolchain.sh            3 minutes and 1.2 GB of downloads the first time, 20 seconds from the cache's downloads
#   image/arm64/toolchain.sh lock       writes packages.lock anew, of what the archive has
#   DEBIAN_UNLOCKED=1                   takes what the archive has now, and writes the lock of that into the cache
#
# The cache is ${GATEHOUSE_CACHE:-${XDG_CACHE_HOME:-~/.cache}/gatehouse}; the downloads are in its debs/, and in its arm64/:
#   sources/      the Swift packages Gatehouse depends on
#   toolchain-…/  compiler/, a small amd64 system: Swift's compiler, clang, what they need, and an emulator for the tests; entered by
#   inside.sh
#                 sdk/, a Swift SDK: trixie for arm64 with its headers, and the Swift runtime
# A toolchain that was not used for a week is removed when another is made.
# The runtime needs the C library of trixie, 2.38 or later: what is built here does not run on bookworm.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=cache.sh
. "$here/cache.sh"
# shellcheck source=../debian/lock.sh
. "$here/../debian/lock.sh"
# shellcheck source=sources.sh
. "$here/sources.sh"
say() { echo "arm64: $*" >&2; }

for program in apt-get dpkg-deb flock git sha256sum tar unshare; do
  command -v "$program" >/dev/null || { say "$program is missing"; exit 1; }
done
[ "$(uname -m)" = x86_64 ] || { say 'the compiler runs on x86_64 only'; exit 1; }

# The compiler without what a build never needs: debugger, editor services, other platforms' libraries.
compiler_leaves=('*/bin/lldb*' '*/bin/clangd' '*/bin/sourcekit-lsp' '*/bin/docc' '*/bin/llvm-objdump' '*/bin/swift-format' '*/lib/liblldb*'
  '*/lib/libsourcekitd*' '*/lib/libclang.so*' '*/lib/libLTO*' '*/lib/libIndexStore*' '*/lib/libSwiftSourceKit*' '*/lib/swift/embedded'
  '*/lib/swift_static' '*/python3*' './usr/share/doc' './usr/share/man' '*.swiftinterface' '*.abi.json' '*.swiftdoc')
runtime_leaves=('*/lib/swift/host' '*/embedded' '*/lib/swift/migrator' '*/lib/swift/clang' '*/lib/swift_static/clang' '*.abi.json' '*.swiftdoc')

make_compiler() {
  local deb
  merged_usr "$1"
  for deb in $(files "$lock" compiler); do unpack "$deb" "$1" "${compiler_leaves[@]/#/--exclude=}"; done
  for deb in $(files "$lock" emulator); do unpack "$deb" "$1" --wildcards './usr/bin/qemu-aarch64'; done
  ln -sf bash "$1/usr/bin/sh"
  # SwiftPM links the manifest, for this machine, by `ld`.
  ln -sf /usr/libexec/swift/bin/lld "$1/usr/bin/ld"
  mkdir -p "$1"/{proc,dev,tmp,root,sdk,gatehouse,shared/data}
  # An emulated program finds its libraries where a board has them.
  ln -s /sdk/gatehouse.artifactbundle/aarch64/sysroot/usr/lib/{aarch64-linux-gnu,ld-linux-aarch64.so.1} "$1/usr/lib/"
}

make_sdk() {
  local deb sysroot=$1/gatehouse.artifactbundle/aarch64/sysroot name version
  merged_usr "$sysroot"
  for deb in $(files "$lock" sysroot); do unpack "$deb" "$sysroot" --exclude=./usr/share/doc --exclude=./usr/share/man; done
  for deb in $(files "$lock" runtime); do
    unpack "$deb" "$1/runtime" "${runtime_leaves[@]/#/--exclude=}" --exclude='./usr/libexec/swift/bin'
  done
  mv "$1"/runtime/usr/libexec/swift/lib/{swift,swift_static} "$sysroot/usr/lib/"
  rm -r "$1/runtime"
  version=$(cd "$2/usr/libexec/swift/lib/clang" && echo *)
  for name in swift swift_static; do ln -s "/usr/libexec/swift/lib/clang/$version" "$sysroot/usr/lib/$name/clang"; done
  cp "$here/sdk/info.json" "$1/gatehouse.artifactbundle/"
  cp "$here"/sdk/{swift-sdk,toolset}.json "$1/gatehouse.artifactbundle/aarch64/"
}

# A compiler reads no other version's modules. Debian rebuilds one architecture without the other, as `+b1`: the same version all the same.
must_match() {
  local versions
  versions=$(awk '$3 == "swiftlang" || $3 == "libswiftlang" { sub("[+]b[0-9]+$", "", $4); print $4 }' "$lock" | sort -u)
  [ "$(wc -l <<<"$versions")" = 1 ] && [ -n "$versions" ] && return
  say "the compiler and the runtime are of different versions: $(paste -sd ' ' <<<"$versions")"
  return 1
}

mkdir -p "$cache"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
if [ "${1:-}" = lock ]; then
  resolve <"$here/packages" >"$scratch/lock"
  mv "$scratch/lock" "$here/packages.lock"
  exit
fi
exec 9>"$cache/lock"
flock 9
[ -z "${DEBIAN_UNLOCKED:-}" ] || renew "$here/packages.lock" "$lock" <"$here/packages"
must_match
fetch_sources
made=$(toolchain)
if [ -d "$made" ]; then
  touch "$made"
  exit
fi
[ "$(df --output=avail -k "$cache" | tail -1)" -gt 5000000 ] || { say "5 GB of free disk are needed in $cache"; exit 1; }
fetch "$lock"
say 'unpacking'
find "$cache" -maxdepth 1 -name 'toolchain-*' -mtime +7 -exec rm -rf {} +
rm -rf "$cache/making"
make_compiler "$cache/making/compiler"
make_sdk "$cache/making/sdk" "$cache/making/compiler"
mv "$cache/making" "$made"
