#!/bin/sh
# host.sh PACKAGE... installs these Debian packages on this machine, where they are missing, and says so.
set -eu
missing=""
for package; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q '^install ok installed$' && continue
    # A virtual package counts when one that provides it is there.
    dpkg-query -W -f='${Provides} ${Status}\n' 2>/dev/null | awk -v package="$package" '
        /install ok installed$/ { n = split($0, word, "[ ,]+"); for (i = 1; i <= n; i++) if (word[i] == package) found = 1 }
        END { exit !found }' && continue
    missing="$missing $package"
done
[ -z "$missing" ] && exit 0
command -v apt-get >/dev/null || { echo "missing:$missing (install them with your package manager)" >&2; exit 1; }
if [ "$(id -u)" = 0 ]; then sudo=; else sudo=sudo; fi
echo "installing Debian packages:$missing" >&2
$sudo apt-get update --quiet --quiet
# shellcheck disable=SC2086
$sudo env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=600 install --quiet --quiet --yes --no-install-recommends $missing >/dev/null
