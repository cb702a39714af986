# Where the toolchain is kept between clones. Read by the scripts of this folder.
# shellcheck source=../debian/archive.sh
. "$here/../debian/archive.sh"
cache=$kept/arm64
lock=$here/packages.lock
[ -z "${DEBIAN_UNLOCKED:-}" ] || lock=$cache/packages.lock

# What the packages and toolchain.sh make of them is in a folder of its own: clones that differ in them share the cache all the same.
toolchain() { echo "$cache/toolchain-$(cat "$lock" "$here/toolchain.sh" "$here"/sdk/* | sha256sum | cut -c 1-16)"; }
