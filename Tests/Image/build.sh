#!/usr/bin/env bash
# Builds what the emulated board needs beside the image, once: a read-only disk of test tools for arm64 (Python, BlueZ and its emulator, the
# wallet of Tests/Peers, the kernel modules Debian leaves out). No program of another processor runs here. About three minutes
# the first time, from Debian's packages and the Python environment of Tests/Scripts/peers.sh.
#
#   Tests/Image/build.sh [KERNEL-RELEASE]    into .build-image/test, or $IMAGE_TEST_CACHE; the newest kernel of the archive by default
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
cache=${IMAGE_TEST_CACHE:-$root/.build-image/test}
mkdir -p "$cache"
cache=$(cd "$cache" && pwd)
[ "$(uname -m)" = x86_64 ] || { echo "image-test: built on x86_64 only" >&2; exit 1; }
. "$here/../Machine/packages.sh"
. "$here/../Machine/modules.sh"
lock=$here/packages.lock
suite=trixie
with_security=1
say() { echo "image-test: $*" >&2; }

programs() {
  local wanted="qemu-system-arm qemu-utils squashfs-tools u-boot-tools mtools cpio kmod zstd xz-utils make gcc gcc-aarch64-linux-gnu" missing=() package
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

# The private indexes are fetched when something has to be, and not kept: they name the mirror.
indexes=
with_archives() {
  [ -n "$indexes" ] && return 0
  indexes=$(mktemp -d)
  trap 'rm -rf "$indexes"' EXIT
  archive "$indexes/arm64" "$suite" arm64
  archive "$indexes/amd64" "$suite"
}

newest_kernel() {
  local image
  image=$(awk '$2 ~ /^linux-image-[0-9]/ { print $2; exit }' "$lock")
  if [ -z "$image" ] || ! APT_CONFIG=$indexes/arm64/apt.conf apt-cache show "$image" >/dev/null 2>&1; then
    image=$(APT_CONFIG=$indexes/arm64/apt.conf apt-cache depends linux-image-arm64 | awk '$1 == "Depends:" && $2 ~ /^linux-image-[0-9]/ { print $2; exit }')
  fi
  echo "${image#linux-image-}"
}

# In the order in which they can be loaded: the image may have left some of them out. Kept for each kernel.
modules_for() {
  local release=$1 kernel=$cache/kernel folder=$cache/modules-$1 module file name
  [ ! -e "$folder/order" ] || return 0
  local wanted="bluetooth hci_vhci algif_hash algif_skcipher cmac gpio-sim virtio_net"
  with_archives
  rm -rf "$kernel" "$folder"
  fetch "$indexes/arm64" "$kernel/deb" "linux-image-$release"
  root "$kernel/root"
  unpack "$kernel"/deb/*.deb "$kernel/root"
  modules "$release" "$kernel/built" "$indexes/arm64" "$indexes/amd64"
  mkdir -p "$kernel/root/usr/lib/modules/$release/extra" "$folder"
  cp "$kernel"/built/*.ko "$kernel/root/usr/lib/modules/$release/extra/"
  depmod -b "$kernel/root" "$release"
  for module in $wanted; do
    modprobe -d "$kernel/root" -S "$release" --show-depends "$module" | awk '$1 == "insmod" { print $2 }'
  done | awk '!seen[$0]++' | while read -r file; do
    name=${file##*/} name=${name%.xz}
    case $file in
      *.xz) xz -dc "$file" >"$folder/$name" ;;
      *) cp "$file" "$folder/$name" ;;
    esac
    echo "$name"
  done >"$folder/order.part"
  mv "$folder/order.part" "$folder/order"
  rm -rf "$kernel"
}

# Debian compiles Python's own modules when it is installed. Here the same version for this machine does it: in the board it takes minutes.
compile() {
  local folder=$1 work=$cache/python
  # shellcheck disable=SC2046
  fetch "$indexes/amd64" "$work/deb" libc6 libexpat1 zlib1g libpython3.13-minimal python3.13-minimal libpython3.13-stdlib
  root "$work"
  local file
  for file in "$work"/deb/*.deb; do unpack "$file" "$work"; done
  PYTHONHOME=$work/usr "$work/usr/lib64/ld-linux-x86-64.so.2" --library-path "$work/usr/lib/x86_64-linux-gnu" "$work/usr/bin/python3.13" -B -m compileall \
    -q -q -s "$folder" -p / --invalidation-mode unchecked-hash "$folder/usr/lib/python3.13" "$folder/usr/lib/python3" "$folder/gatehouse" || true
  rm -rf "$work"
}

tools="base-files base-passwd libc-bin bash dash mount coreutils grep sed kmod busybox-static bluez bluez-test-tools dbus-daemon dbus-bin gpiod
  python3 python3-cryptography e2fsprogs util-linux openssl"
# The packages' files, kept until the lock changes.
packages() {
  local folder=$cache/tools digest file
  digest=$(cat "$lock" "$0" | sha256sum | cut -d' ' -f1)
  [ "$(cat "$cache/tools.of" 2>/dev/null)" != "$digest" ] || return 0
  with_archives
  rm -rf "$folder" "$cache/deb"
  root "$folder"
  # shellcheck disable=SC2046,SC2086
  fetch "$indexes/arm64" "$cache/deb" $(closure "$indexes/arm64" $tools)
  for file in "$cache"/deb/*.deb; do unpack "$file" "$folder"; done
  rm -r "$cache/deb" "$folder"/usr/share/{doc,man,locale,info,lintian,zoneinfo} "$folder"/usr/lib/udev/hwdb.d
  # What the packages' own scripts would have done.
  mkdir -p "$folder"/{proc,sys,dev,run,tmp,root,data,etc,var/lib/bluetooth,etc/bluetooth}
  ln -sfn ../run "$folder/var/run"
  cp "$folder/usr/share/base-passwd/passwd.master" "$folder/etc/passwd"
  cp "$folder/usr/share/base-passwd/group.master" "$folder/etc/group"
  echo 'messagebus:x:100:101::/nonexistent:/usr/sbin/nologin' >>"$folder/etc/passwd"
  printf 'messagebus:x:101:\nbluetooth:x:102:\n' >>"$folder/etc/group"
  printf '%032x\n' 1 >"$folder/etc/machine-id"
  # The programs of Tests/Machine look for the tools there; here they are among them.
  ln -s . "$folder/tools"
  mkdir "$folder/gatehouse"
  cp -r "$root"/.venv/lib/python3*/site-packages/dbus_fast "$folder/gatehouse/"
  find "$folder/gatehouse" '(' -name '*.so' -o -name __pycache__ ')' -prune -exec rm -rf {} +
  compile "$folder"
  echo "$digest" >"$cache/tools.of"
}

# The programs of this clone, as they are now. The few Python files are compiled where they run.
disk() {
  local folder=$cache/tools release=$1
  rm -rf "$folder/modules"
  cp -r "$cache/modules-$release" "$folder/modules"
  cp "$root"/Tests/Peers/{wallet,visit,mischief}.py "$root"/Tests/Machine/guest/{bluez,emulator,vhci,gpio}.py "$here"/guest/* "$folder/gatehouse/"
  mksquashfs "$folder" "$cache/tools.part" -quiet -no-progress -noappend -comp zstd -Xcompression-level 3 -all-root >/dev/null
  mv "$cache/tools.part" "$cache/tools.img"
}

programs
release=${1:-}
[ -n "$release" ] || { with_archives; release=$(newest_kernel); }
sources=$(cat "$0" "$lock" "$root"/Tests/Machine/{packages,modules}.sh "$root"/Tests/Peers/{wallet,visit,mischief}.py \
  "$root"/Tests/Machine/guest/{bluez,emulator,vhci,gpio}.py "$here"/guest/* | sha256sum | cut -d' ' -f1)
[ "$(cat "$cache/of" 2>/dev/null)" != "$sources $release" ] || exit 0
say "tools for kernel $release"
modules_for "$release"
packages
disk "$release"
echo "$sources $release" >"$cache/of"
say "ready: $(du -h "$cache/tools.img" | cut -f1) of tools"
