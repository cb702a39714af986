# Where the downloads and the toolchain are kept between clones. Read by the scripts of this folder.
cache=${GATEHOUSE_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/gatehouse}/arm64
lock=$here/packages.lock
[ -z "${ARM64_UNLOCKED:-}" ] || lock=$cache/packages.lock

# What the packages and toolchain.sh make of them is in a folder of its own: clones that differ in them share the cache all the same.
toolchain() { echo "$cache/toolchain-$(cat "$lock" "$here/toolchain.sh" "$here"/sdk/* | sha256sum | cut -c 1-16)"; }
