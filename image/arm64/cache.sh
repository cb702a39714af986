# Where the toolchain is kept between clones. Read by the scripts of this folder.
# shellcheck source=../debian/archive.sh
. "$here/../debian/archive.sh"
cache=$kept/arm64
lock=$here/packages.lock
[ -z "${DEBIAN_UNLOCKED:-}" ] || lock=$cache/packages.lock

# What the packages and toolchain.sh make of them is in a folder of its own: clones that differ in them share the cache all the same.
toolchain() { echo "$cache/toolchain-$(cat "$lock" "$here/toolchain.sh" "$here"/sdk/* | sha256sum | cut -c 1-16)"; }

# Boards are arm64. ARCHITECTURE=amd64 builds for PCs with the same suite, for Debian packages: by the same compiler, with an SDK of its own
# (sdk-amd64.sh).
architecture=${ARCHITECTURE:-arm64}
case $architecture in
  arm64) cpu=aarch64 triple=aarch64-unknown-linux-gnu sdk_lock=$lock ;;
  amd64)
    # As Debian's compiler calls it, and its modules.
    cpu=x86_64 triple=x86_64-pc-linux-gnu sdk_lock=$here/packages-amd64.lock
    [ -z "${DEBIAN_UNLOCKED:-}" ] || sdk_lock=$cache/packages-amd64.lock ;;
  *) echo "arm64: ARCHITECTURE=$architecture? arm64 or amd64" >&2; exit 2 ;;
esac
sdk() {
  if [ "$architecture" = arm64 ]; then
    echo "$(toolchain)/sdk"
  else
    echo "$cache/sdk-$architecture-$(cat "$lock" "$sdk_lock" "$here/sdk-amd64.sh" "$here"/sdk/* | sha256sum | cut -c 1-16)"
  fi
}
