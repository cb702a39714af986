#!/usr/bin/env bash
# Builds the test machine into a cache, once: a Debian 13 kernel, a folder of Debian tools (BlueZ, D-Bus, libgpiod 2), the kernel
# module Debian leaves out, and an initramfs. Nothing is installed but the programs that do it. About a minute the first time.
#
#   Tests/Machine/build.sh            the cache is $MACHINE_CACHE, or .build-machine
#   Tests/Machine/build.sh lock       writes packages.lock anew, of what the archive has
#   MACHINE_PINNED=1                  fails where the archive has no longer what packages.lock says, instead of taking what it has
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
cache=${MACHINE_CACHE:-$here/../../.build-machine}
mkdir -p "$cache"
cache=$(cd "$cache" && pwd)
who=machine lock=$here/packages.lock
# shellcheck source=system.sh
. "$here/system.sh"

# bluez and D-Bus are the phone's; libgpiod and what the gate links to are for its second build.
tools="base-files base-passwd libc-bin bash dash mount coreutils grep sed kmod busybox-static bluez bluez-test-tools dbus-daemon dbus-bin gpiod
  libgpiod-dev libqrencode4 libssl3t64 libsodium23 zlib1g libseccomp2 libstdc++6"

# With the lock's kernel, unless what the archive has now is asked for.
wanted() {
  local kernel release
  kernel=$(awk '$1 == "kernel" { print $3 }' "$lock")
  [ "${1:-}" != newest ] || kernel=$(newest_kernel trixie amd64 linux-image-amd64) || return
  release=${kernel#linux-image-}
  echo "kernel trixie amd64 alone $kernel"
  echo "headers trixie amd64 alone linux-headers-$release"
  echo "kbuild trixie amd64 alone $(kbuild_of "$release")"
  # shellcheck disable=SC2086  # words, one a package
  echo "tools trixie amd64 all" $tools
}

kernel() {
  local root=$cache/kernel/root release
  kernel_tree "$root" "$(files "$used" kernel)"
  release=$(ls "$root/usr/lib/modules")
  echo "$release" >"$cache/kernel/release"
  # The ELF kernel inside: nothing to decompress at boot.
  python3 "$here/vmlinux.py" "$root/boot/vmlinuz-$release" "$cache/kernel/vmlinux"
  modules "$release" "$cache/modules" "$used"
}

initramfs() {
  local release image="$cache/initramfs.cpio" folder="$cache/initramfs"
  release=$(cat "$cache/kernel/release")
  [ "$image" -nt "$here/init" ] && [ "$image" -nt "$cache/of" ] && return 0
  local wanted="irq_sim virtio_pci virtio_console 9pnet_virtio 9p overlay virtio_rng configfs bluetooth hci_vhci hci_uart algif_skcipher
    algif_hash algif_aead ecb cbc cmac ctr ccm gcm aes_generic aesni-intel ecdh_generic crc16 gpio-sim bochs cirrus rfkill uvcvideo vhci-hcd
    i2c-dev i2c-stub pwm-pca9685"
  rm -rf "$folder"
  mkdir -p "$folder"/{bin,proc,sys,dev,newroot,etc,"lib/modules/$release/extra"}
  local module file name
  for module in $wanted; do
    modprobe -d "$cache/kernel/root" -S "$release" --show-depends "$module" 2>/dev/null | awk '$1 == "insmod" { print $2 }' || true
  done | sort -u | while read -r file; do
    name=${file##*/lib/modules/"$release"/}
    mkdir -p "$folder/lib/modules/$release/$(dirname "$name")"
    name=${name%.xz} name=${name%.zst}
    plain "$file" >"$folder/lib/modules/$release/$name"
  done
  cp "$cache"/modules/*.ko "$folder/lib/modules/$release/extra/"
  cp "$cache/kernel/root/usr/lib/modules/$release"/modules.{builtin,builtin.modinfo,order} "$folder/lib/modules/$release/"
  depmod -b "$folder" "$release"
  rm "$folder/lib/modules/$release"/modules.{builtin.modinfo,order}
  cp "$cache/tools/usr/bin/busybox" "$folder/bin/busybox"
  ln -s busybox "$folder/bin/sh"
  install -m 755 "$here/init" "$folder/init"
  (cd "$folder" && find . | LC_ALL=C sort | cpio --quiet -o -H newc -R 0:0) >"$image.part"
  mv "$image.part" "$image"
  rm -rf "$folder"
}

if [ "${1:-}" = lock ]; then
  wanted newest | resolve | LC_ALL=C sort >"$scratch/lock"
  mv "$scratch/lock" "$lock"
  exit
fi
"$clone/image/host.sh" qemu-system-x86 seabios ipxe-qemu cpio kmod zstd xz-utils gcc make zbar-tools
"$clone/tools/words.sh" "$clone/.build/words" >/dev/null
used=$cache/packages.lock
sources="$(cat "$lock" "$0" "$here"/{system,modules}.sh "$here/vmlinux.py" | sha256sum) ${DEBIAN_UNLOCKED:-}"
if [ "$(cat "$cache/of" 2>/dev/null)" != "$sources" ]; then
  fetch_or_renew "$lock" "$used" wanted
  say "kernel, modules and tools"
  kernel
  # shellcheck disable=SC2046
  system "$cache/tools" $(files "$used" tools)
  mkdir "$cache/tools/host"
  echo "$sources" >"$cache/of"
fi
initramfs
say "ready: kernel $(cat "$cache/kernel/release"), BlueZ $(ls "$cache"/tools/usr/share/doc/bluez >/dev/null && "$cache/tools/usr/lib64/ld-linux-x86-64.so.2" --library-path "$cache/tools/usr/lib/x86_64-linux-gnu" "$cache/tools/usr/libexec/bluetooth/bluetoothd" --version)"
