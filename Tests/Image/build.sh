#!/usr/bin/env bash
# Builds what the emulated board needs beside the image, once: a read-only disk of test tools for arm64 (Python, BlueZ and its emulator, the
# wallet of Tests/Peers, the kernel modules Debian leaves out). No program of another processor runs here. About three minutes
# the first time, from Debian's packages and the Python environment of Tests/Scripts/peers.sh.
#
#   Tests/Image/build.sh [KERNEL-RELEASE]    into .build-image/test, or $IMAGE_TEST_CACHE; the kernel of packages.lock by default
#   Tests/Image/build.sh lock                writes packages.lock anew, for the image's kernel, of what the archive has
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
cache=${IMAGE_TEST_CACHE:-$here/../../.build-image/test}
mkdir -p "$cache"
cache=$(cd "$cache" && pwd)
who=image-test lock=$here/packages.lock
# shellcheck source=../Machine/system.sh
. "$here/../Machine/system.sh"

tools="base-files base-passwd libc-bin bash dash mount coreutils grep sed kmod busybox-static bluez bluez-test-tools dbus-daemon dbus-bin gpiod
  python3 python3-cryptography e2fsprogs util-linux openssl hostapd"
wanted_tools() {
  # shellcheck disable=SC2086  # words, one a package
  echo "tools trixie arm64 all" $tools
  echo "python trixie amd64 alone libc6 libexpat1 zlib1g libpython3.13-minimal python3.13-minimal libpython3.13-stdlib"
}
wanted_kernel() {
  echo "kernel trixie arm64 alone linux-image-$release"
  echo "headers trixie arm64 alone linux-headers-$release"
  echo "kbuild trixie amd64 alone $(kbuild_of "$release")"
}

# In the order in which they can be loaded: the image may have left some of them out. Kept for each kernel, until it is made otherwise.
modules_for() {
  local release=$1 kernel=$cache/kernel folder=$cache/modules-$1 module file name
  local digest
  digest=$(cat "$0" "$clone/Tests/Machine/modules.sh" | sha256sum)
  [ "$(cat "$folder.of" 2>/dev/null)" != "$digest" ] || return 0
  local wanted="bluetooth hci_vhci algif_hash algif_skcipher cmac gpio-sim virtio_net"
  fetch_or_renew "$lock" "$scratch/kernel.lock" wanted_kernel
  rm -rf "$kernel" "$folder"
  modules "$release" "$kernel/built" "$scratch/kernel.lock"
  kernel_tree "$kernel/root" "$(files "$scratch/kernel.lock" kernel)"
  mkdir -p "$kernel/root/usr/lib/modules/$release/extra" "$folder"
  cp "$kernel"/built/*.ko "$kernel/root/usr/lib/modules/$release/extra/"
  depmod -b "$kernel/root" "$release"
  for module in $wanted; do
    modprobe -d "$kernel/root" -S "$release" --show-depends "$module" | awk '$1 == "insmod" { print $2 }'
  done | awk '!seen[$0]++' | while read -r file; do
    name=${file##*/} name=${name%.xz}
    plain "$file" >"$folder/$name"
    echo "$name"
  done >"$folder/order"
  echo "$digest" >"$folder.of"
  rm -rf "$kernel"
}

# Debian compiles Python's own modules when it is installed. Here the same version for this machine does it: in the board it takes minutes.
compile() {
  local folder=$1 work=$scratch/python file
  merged_usr "$work"
  for file in $(files "$cache/tools.lock" python); do unpack "$file" "$work"; done
  PYTHONHOME=$work/usr "$work/usr/lib64/ld-linux-x86-64.so.2" --library-path "$work/usr/lib/x86_64-linux-gnu" "$work/usr/bin/python3.13" -B -m compileall \
    -q -q -s "$folder" -p / --invalidation-mode unchecked-hash "$folder/usr/lib/python3.13" "$folder/usr/lib/python3" "$folder/gatehouse" || true
  rm -rf "$work"
}

# The packages' files, kept until the lock changes.
packages() {
  local folder=$cache/tools digest
  digest="$(cat "$lock" "$0" "$clone/Tests/Machine/system.sh" | sha256sum) ${DEBIAN_UNLOCKED:-}"
  [ "$(cat "$cache/tools.of" 2>/dev/null)" != "$digest" ] || return 0
  fetch_or_renew "$lock" "$cache/tools.lock" wanted_tools
  # shellcheck disable=SC2046
  system "$folder" $(files "$cache/tools.lock" tools)
  rm -r "$folder"/usr/share/{doc,man,locale,info,lintian,zoneinfo} "$folder"/usr/lib/udev/hwdb.d
  # The programs of Tests/Machine look for the tools there; here they are among them.
  ln -s . "$folder/tools"
  mkdir -p "$folder"/{data,gatehouse}
  cp -r "$clone"/.venv/lib/python3*/site-packages/dbus_fast "$folder/gatehouse/"
  find "$folder/gatehouse" '(' -name '*.so' -o -name __pycache__ ')' -prune -exec rm -rf {} +
  compile "$folder"
  echo "$digest" >"$cache/tools.of"
}

# The programs of this clone, as they are now. The few Python files are compiled where they run.
disk() {
  local folder=$cache/tools release=$1
  rm -rf "$folder/modules"
  cp -r "$cache/modules-$release" "$folder/modules"
  cp "$clone"/Tests/Peers/phones/{wallet,visit,mischief}.py "$clone"/Tests/Machine/guest/{bluez,emulator,vhci,gpio}.py "$here"/guest/* "$folder/gatehouse/"
  mksquashfs "$folder" "$cache/tools.part" -quiet -no-progress -noappend -comp zstd -Xcompression-level 3 -all-root >/dev/null
  mv "$cache/tools.part" "$cache/tools.img"
}

if [ "${1:-}" = lock ]; then
  release=$(awk '$1 == "kernel" { sub("linux-image-", "", $3); print $3 }' "$clone/board/qemu-virt/packages.lock")
  { wanted_tools && wanted_kernel; } | resolve | LC_ALL=C sort >"$scratch/lock"
  mv "$scratch/lock" "$lock"
  exit
fi
"$clone/image/host.sh" qemu-system-arm qemu-utils squashfs-tools u-boot-tools mtools cpio kmod lz4 zstd xz-utils make gcc gcc-aarch64-linux-gnu
release=${1:-$(awk '$1 == "kernel" { sub("linux-image-", "", $3); print $3 }' "$lock")}
sources="$(cat "$0" "$lock" "$clone"/Tests/Machine/{system,modules}.sh "$clone"/Tests/Peers/phones/{wallet,visit,mischief}.py \
  "$clone"/Tests/Machine/guest/{bluez,emulator,vhci,gpio}.py "$here"/guest/* | sha256sum) ${DEBIAN_UNLOCKED:-}"
[ "$(cat "$cache/of" 2>/dev/null)" != "$sources $release" ] || exit 0
say "tools for kernel $release"
modules_for "$release"
packages
disk "$release"
echo "$sources $release" >"$cache/of"
say "ready: $(du -h "$cache/tools.img" | cut -f1) of tools"
