#!/bin/sh
# Installs the Debian packages the build needs, where they are missing, and says so.
set -eu
wanted="libssl-dev libbluetooth-dev zlib1g-dev libgpiod-dev libjpeg-dev libpng-dev libqrencode-dev libseccomp-dev"
missing=""
for package in $wanted; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q '^install ok installed$' && continue
    # A virtual package counts when one that provides it is there.
    dpkg-query -W -f='${Provides} ${Status}\n' 2>/dev/null | grep -q "\b$package\b.*install ok installed" && continue
    missing="$missing $package"
done
[ -z "$missing" ] && exit 0
command -v apt-get >/dev/null || { echo "missing:$missing (install them with your package manager)" >&2; exit 1; }
if [ "$(id -u)" = 0 ]; then sudo=; else sudo=sudo; fi
echo "installing Debian packages:$missing"
$sudo apt-get update --quiet --quiet
# shellcheck disable=SC2086
$sudo env DEBIAN_FRONTEND=noninteractive apt-get install --quiet --quiet --yes $missing >/dev/null
