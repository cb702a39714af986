#!/bin/bash
# lab.sh prints a folder with the system of an image for this machine's processor: SWUpdate, libubootenv, BusyBox and chrony as trixie
# has them, the scripts of image/overlay not among them; libfaketime for another clock. Made once and kept in the cache. Needs root.
set -euo pipefail
image=$(cd "$(dirname "$0")/../../image" && pwd)
# shellcheck source=image/debian/archive.sh
# shellcheck source=../../image/debian/archive.sh
. "$image/debian/archive.sh"
folder=$kept/update-lab-3
if [ ! -e "$folder/whole" ]; then
    "$image/host.sh" debootstrap
    mirror=$(mirrors | sed -n 1p)
    rm -rf "$folder"
    mkdir -p "$kept"
    debootstrap --variant=minbase --include=swupdate,libubootenv-tool,busybox-static,libfaketime,chrony --keyring=/usr/share/keyrings/debian-archive-keyring.gpg \
        trixie "$folder" "$mirror" >&2
    # BusyBox is the shell and the tools, as on a board.
    mkdir "$folder/applets"
    chroot "$folder" busybox --list | while read -r applet; do ln -s /usr/bin/busybox "$folder/applets/$applet"; done
    rm "$folder/applets/mount"
    ln -sf busybox "$folder/usr/bin/sh"
    touch "$folder/whole"
fi
echo "$folder"
