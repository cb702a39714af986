#!/usr/bin/env bash
# root.sh SUITE FOLDER makes FOLDER/SUITE.tar, a fresh Debian of that suite for this machine's architecture, by mmdebstrap: what a small
# system has that runs under systemd, and no more. A second run does nothing for a week: security updates come in then.
# root.sh SUITE FOLDER PACKAGE makes FOLDER/SUITE-PACKAGE.tar, which has that package too.
set -euo pipefail
suite=$1 folder=$2 more=${3:-}
made=$folder/$suite${more:+-$more}.tar
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=../../image/debian/archive.sh
. "$here/../../image/debian/archive.sh"
mkdir -p "$folder"
[ -z "$(find "$made" -mtime -7 2>/dev/null)" ] || exit 0
"$here/../../image/host.sh" mmdebstrap
sources=()
for address in $(mirrors); do
  signed='signed-by=/usr/share/keyrings/debian-archive-keyring.gpg'
  case $address in
    *security*) sources+=("deb [$signed] $address $suite-security main") ;;
    *) sources+=("deb [$signed] $address $suite main") ;;
  esac
done
echo "packages: a fresh $suite${more:+ with $more}, by mmdebstrap" >&2
mmdebstrap --quiet --variant=minbase --include="systemd,udev,ca-certificates${more:+,$more}" --format=tar "$suite" "$made.new" "${sources[@]}"
mv "$made.new" "$made"
