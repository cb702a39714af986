# What the builds of both test machines share: Debian packages by a lock, unpacked and never installed. Sourced by their build.sh, which has
# set $who.
#
#   system FOLDER FILE…        a folder of Debian tools, from packages' files, with what the packages' own scripts would have done
#   kernel_tree FOLDER FILE…   a kernel's files from its package, for modprobe
#   plain FILE                 prints a kernel module as the kernel loads it
clone=$(cd "${BASH_SOURCE[0]%/*}/../.." && pwd)
# shellcheck source=../../image/debian/lock.sh
. "$clone/image/debian/lock.sh"
# shellcheck source=modules.sh
. "$clone/Tests/Machine/modules.sh"
[ "$(uname -m)" = x86_64 ] || { echo "$who: built on x86_64 only" >&2; exit 1; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
say() { echo "$who: $*" >&2; }

system() {
  local folder=$1 file
  shift
  rm -rf "$folder"
  merged_usr "$folder"
  for file; do unpack "$file" "$folder"; done
  mkdir -p "$folder"/{proc,sys,dev,run,tmp,root,etc,var/lib/bluetooth,etc/bluetooth}
  ln -sfn ../run "$folder/var/run"
  cp "$folder/usr/share/base-passwd/passwd.master" "$folder/etc/passwd"
  cp "$folder/usr/share/base-passwd/group.master" "$folder/etc/group"
  echo 'messagebus:x:100:101::/nonexistent:/usr/sbin/nologin' >>"$folder/etc/passwd"
  printf 'messagebus:x:101:\nbluetooth:x:102:\n' >>"$folder/etc/group"
  printf '%032x\n' 1 >"$folder/etc/machine-id"
}

kernel_tree() {
  local folder=$1 file
  shift
  rm -rf "$folder"
  merged_usr "$folder"
  for file; do unpack "$file" "$folder"; done
  depmod -b "$folder" "$(ls "$folder/usr/lib/modules")"
}

plain() {
  case $1 in
    *.xz) xz -dc "$1" ;;
    *.zst) zstd -dqc "$1" ;;
    *) cat "$1" ;;
  esac
}
