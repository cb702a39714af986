#!/usr/bin/env bash
# Builds the test machine into a cache, once: a Debian 13 kernel, a folder of Debian tools (BlueZ, D-Bus, libgpiod 2), the kernel
# module Debian leaves out, and an initramfs. Nothing is installed but the programs that do it. About a minute the first time.
#
#   Tests/Machine/build.sh            the cache is $MACHINE_CACHE, or .build-machine
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
cache=${MACHINE_CACHE:-$here/../../.build-machine}
mkdir -p "$cache"
cache=$(cd "$cache" && pwd)
[ "$(uname -m)" = x86_64 ] || { echo "machine: built on x86_64 only" >&2; exit 1; }
. "$here/packages.sh"
. "$here/modules.sh"
suite=trixie
say() { echo "machine: $*" >&2; }

programs() {
  local wanted="qemu-system-x86 seabios ipxe-qemu cpio kmod zstd xz-utils gcc make zbar-tools" missing=() package
  for package in $wanted; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q '^install ok installed$' || missing+=("$package")
  done
  [ ${#missing[@]} -gt 0 ] || return 0
  local sudo=
  [ "$(id -u)" = 0 ] || sudo=sudo
  say "installing Debian packages: ${missing[*]}"
  $sudo apt-get update --quiet --quiet
  $sudo env DEBIAN_FRONTEND=noninteractive apt-get install --quiet --quiet --yes --no-install-recommends "${missing[@]}" >/dev/null
}

# The private index is fetched when something has to be, and not kept: it names the mirror.
index=
with_archive() {
  [ -n "$index" ] && return 0
  index=$(mktemp -d)
  trap 'rm -rf "$index"' EXIT
  archive "$index" "$suite"
}

kernel() {
  [ -e "$cache/kernel/.done" ] && return 0
  with_archive
  rm -rf "$cache/kernel"
  root "$cache/kernel/root"
  local image
  image=$(awk '$2 ~ /^linux-image-[0-9]/ { print $2; exit }' "$lock")
  if [ -z "$image" ] || ! APT_CONFIG=$index/apt.conf apt-cache show "$image" >/dev/null 2>&1; then
    image=$(APT_CONFIG=$index/apt.conf apt-cache depends linux-image-amd64 | awk '$1 == "Depends:" && $2 ~ /^linux-image-[0-9]/ { print $2; exit }')
  fi
  say "kernel: $image"
  fetch "$index" "$cache/kernel/deb" "$image"
  unpack "$cache"/kernel/deb/*.deb "$cache/kernel/root"
  rm -r "$cache/kernel/deb"
  ls "$cache/kernel/root/usr/lib/modules" >"$cache/kernel/release"
  # The ELF kernel inside: nothing to decompress at boot.
  python3 "$here/vmlinux.py" "$cache/kernel/root/boot/vmlinuz-$(cat "$cache/kernel/release")" "$cache/kernel/vmlinux"
  depmod -b "$cache/kernel/root" "$(cat "$cache/kernel/release")"
  touch "$cache/kernel/.done"
}

# bluez and D-Bus are the phone's; libgpiod and what the gate links to are for its second build.
tools="base-files base-passwd libc-bin bash dash mount coreutils grep sed kmod busybox-static bluez bluez-test-tools dbus-daemon dbus-bin gpiod
  libgpiod-dev libqrencode4 libssl3t64 zlib1g libseccomp2 libstdc++6"
tools() {
  [ -e "$cache/tools/.done" ] && return 0
  with_archive
  say "tools"
  rm -rf "$cache/tools" "$cache/deb"
  root "$cache/tools"
  # shellcheck disable=SC2046,SC2086
  fetch "$index" "$cache/deb" $(closure "$index" $tools)
  local file
  for file in "$cache"/deb/*.deb; do unpack "$file" "$cache/tools"; done
  rm -r "$cache/deb"
  # What the packages' own scripts would have done.
  mkdir -p "$cache"/tools/{proc,sys,dev,run,tmp,root,host,etc,var/lib/bluetooth,etc/bluetooth}
  ln -sfn ../run "$cache/tools/var/run"
  cp "$cache/tools/usr/share/base-passwd/passwd.master" "$cache/tools/etc/passwd"
  cp "$cache/tools/usr/share/base-passwd/group.master" "$cache/tools/etc/group"
  echo 'messagebus:x:100:101::/nonexistent:/usr/sbin/nologin' >>"$cache/tools/etc/passwd"
  printf 'messagebus:x:101:\nbluetooth:x:102:\n' >>"$cache/tools/etc/group"
  printf '%032x\n' 1 >"$cache/tools/etc/machine-id"
  touch "$cache/tools/.done"
}

initramfs() {
  local release image="$cache/initramfs.cpio" folder="$cache/initramfs"
  release=$(cat "$cache/kernel/release")
  [ "$image" -nt "$here/build.sh" ] && [ "$image" -nt "$here/init" ] && [ "$image" -nt "$cache/modules/.done" ] && return 0
  local wanted="irq_sim virtio_pci virtio_console 9pnet_virtio 9p overlay virtio_rng configfs bluetooth hci_vhci hci_uart algif_skcipher
    algif_hash algif_aead ecb cbc cmac ctr ccm gcm aes_generic aesni-intel ecdh_generic crc16 gpio-sim bochs cirrus rfkill uvcvideo vhci-hcd"
  rm -rf "$folder"
  mkdir -p "$folder"/{bin,proc,sys,dev,newroot,etc,"lib/modules/$release/extra"}
  local module file name
  for module in $wanted; do
    modprobe -d "$cache/kernel/root" -S "$release" --show-depends "$module" 2>/dev/null | awk '$1 == "insmod" { print $2 }' || true
  done | sort -u | while read -r file; do
    name=${file##*/lib/modules/$release/}
    mkdir -p "$folder/lib/modules/$release/$(dirname "$name")"
    case $file in
      *.xz) xz -dc "$file" >"$folder/lib/modules/$release/${name%.xz}" ;;
      *.zst) zstd -dqc "$file" >"$folder/lib/modules/$release/${name%.zst}" ;;
      *) cp "$file" "$folder/lib/modules/$release/$name" ;;
    esac
  done
  cp "$cache"/modules/*.ko "$folder/lib/modules/$release/extra/"
  cp "$cache/kernel/root/usr/lib/modules/$release"/modules.{builtin,builtin.modinfo,order} "$folder/lib/modules/$release/"
  depmod -b "$folder" "$release"
  rm "$folder/lib/modules/$release"/modules.{builtin.modinfo,order}
  cp "$cache/tools/usr/bin/busybox" "$folder/bin/busybox"
  ln -s busybox "$folder/bin/sh"
  install -m 755 "$here/init" "$folder/init"
  (cd "$folder" && find . | LC_ALL=C sort | cpio --quiet -o -H newc -R 0:0) >"$image"
  rm -rf "$folder"
}

programs
kernel
tools
[ -e "$cache/modules/.done" ] || { with_archive && modules "$(cat "$cache/kernel/release")" "$cache/modules" "$index" "$index"; }
initramfs
say "ready: kernel $(cat "$cache/kernel/release"), BlueZ $(ls "$cache"/tools/usr/share/doc/bluez >/dev/null && "$cache/tools/usr/lib64/ld-linux-x86-64.so.2" --library-path "$cache/tools/usr/lib/x86_64-linux-gnu" "$cache/tools/usr/libexec/bluetooth/bluetoothd" --version)"
