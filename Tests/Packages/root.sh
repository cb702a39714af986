#!/usr/bin/env bash
# root.sh SUITE FOLDER makes FOLDER/SUITE.tar, a fresh Debian of that suite for this machine's architecture, by mmdebstrap: what a small
# system has that runs under systemd, and no more. A second run does nothing for a week: security updates come in then.
set -euo pipefail
suite=$1 folder=$2
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=../../image/debian/archive.sh
. "$here/../../image/debian/archive.sh"
mkdir -p "$folder"
[ -z "$(find "$folder/$suite.tar" -mtime -7 2>/dev/null)" ] || exit 0
"$here/../../image/host.sh" mmdebstrap
sources=()
for address in $(mirrors); do
  signed='signed-by=/usr/share/keyrings/debian-archive-keyring.gpg'
  case $address in
    *security*) sources+=("deb [$signed] $address $suite-security main") ;;
    *) sources+=("deb [$signed] $address $suite main") ;;
  esac
done
echo "packages: a fresh $suite, by mmdebstrap" >&2
mmdebstrap --quiet --variant=minbase --include=systemd,udev,ca-certificates --format=tar "$suite" "$folder/$suite.new" "${sources[@]}"
mv "$folder/$suite.new" "$folder/$suite.tar"
