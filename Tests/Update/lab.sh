#!/bin/bash
# lab.sh prints a folder with the system of an image for this machine's processor: SWUpdate, libubootenv and BusyBox as trixie has them, the scripts
# of image/update not among them. Made once, from the mirror this machine's own apt uses, and kept in the cache. Needs root.
set -euo pipefail
folder=${GATEHOUSE_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/gatehouse}/update-lab
if [ ! -e "$folder/whole" ]; then
    mirror=$(sed -n 's/^URIs: *//p' /etc/apt/sources.list.d/debian.sources 2> /dev/null | head -n 1)
    [ -n "$mirror" ] || mirror=$(awk '$1 == "deb" && !/security/ { for (i = 2; i <= NF; i++) if ($i ~ /^http/) { print $i; exit } }' /etc/apt/sources.list)
    command -v debootstrap > /dev/null || apt-get install --yes --quiet --quiet --no-install-recommends debootstrap >&2
    rm -rf "$folder"
    mkdir -p "$(dirname "$folder")"
    debootstrap --variant=minbase --include=swupdate,libubootenv-tool,busybox-static --keyring=/usr/share/keyrings/debian-archive-keyring.gpg \
        trixie "$folder" "$mirror" >&2
    # BusyBox is the shell and the tools, as on a board.
    mkdir "$folder/applets"
    chroot "$folder" busybox --list | while read -r applet; do ln -s /usr/bin/busybox "$folder/applets/$applet"; done
    rm "$folder/applets/mount"
    ln -sf busybox "$folder/usr/bin/sh"
    touch "$folder/whole"
fi
echo "$folder"
