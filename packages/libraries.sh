#!/usr/bin/env bash
# Prints the words LIBRARIES=… and LIBRARIES_DATABASE=… for `debian/rules`: the folder that has a cross-build's libraries, and a database
# in which dpkg-shlibdeps finds the packages of these, as if they had been installed there: of the packages that were unpacked into the SDK.
#
#   ARCHITECTURE=arm64|amd64 packages/libraries.sh FOLDER     writes the database into FOLDER
set -euo pipefail
folder=$1
here=$(cd "$(dirname "$0")/../image/arm64" && pwd)
# shellcheck source=../image/arm64/cache.sh
. "$here/cache.sh"
# shellcheck source=../image/debian/lock.sh
. "$here/../debian/lock.sh"
sysroot=$(sdk)/gatehouse.artifactbundle/$cpu/sysroot
rm -rf "$folder"
mkdir -p "$folder"/{info,updates}
# That names of files have the architecture; without this dpkg looks for none.
echo 1 >"$folder/info/format"
for package in $(files "$sdk_lock" sysroot); do
  # One that holds no library that a program can need is of no use here.
  name=$(dpkg-deb --field "$package" Package)
  dpkg-deb --control "$package" "$folder/control"
  if [ -e "$folder/control/shlibs" ]; then
    # As dpkg names the files of packages that are there for several architectures.
    file=$folder/info/$name
    [ "$(dpkg-deb --field "$package" Multi-Arch)" != same ] || file+=:$architecture
    for kind in shlibs symbols; do
      [ ! -e "$folder/control/$kind" ] || cp "$folder/control/$kind" "$file.$kind"
    done
    dpkg-deb --fsys-tarfile "$package" | tar --list | sed -e 's,^\.,,' -e 's,/$,,' -e 's,^/lib/,/usr/lib/,' -e "s,^,$sysroot," >"$file.list"
    { echo 'Status: install ok installed'; grep -v '^Status:' "$folder/control/control"; echo; } >>"$folder/status"
  fi
  rm -r "$folder/control"
done
echo "LIBRARIES=$sysroot/usr/lib/$cpu-linux-gnu LIBRARIES_DATABASE=$folder"
