#!/bin/bash
# network.sh BOARD ROOT gives the root tree ROOT (beside it ROOT.kernel and packages.lock) what NETWORK names: `ethernet`, `wifi` or both.
# The board's kernel modules, the firmware of its Wi-Fi chip, systemd's network daemon with settings that ask for an address and offer
# nothing, and for Wi-Fi wpa_supplicant. Without NETWORK the tree stays as it is: nothing of it starts.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
board=$1 root=$2 network=${NETWORK:-}
[ -n "$network" ] || exit 0
# shellcheck source=image/debian/lock.sh
# shellcheck source=debian/lock.sh
. "$here/debian/lock.sh"
# shellcheck source=image/kernel_modules.sh
# shellcheck source=kernel_modules.sh
. "$here/kernel_modules.sh"
ETHERNET_MODULES='' WIFI_MODULES='' WIFI_FIRMWARE=''
# shellcheck source=/dev/null
# shellcheck source=../board/qemu-virt/board.conf
. "$here/../board/$board/board.conf"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
units=$root/usr/lib/systemd/system wanted=$root/etc/systemd/system/multi-user.target.wants

add_ethernet() {
    [ -n "$ETHERNET_MODULES" ] || { echo "board/$board/board.conf names no ETHERNET_MODULES" >&2; exit 1; }
    # shellcheck disable=SC2086
    add_modules "$root.kernel" "$root" $ETHERNET_MODULES
}

# Of each package the files that are used, and no more.
add_wifi() {
    local tree=$scratch/wifi file name
    [ -n "$WIFI_MODULES" ] || { echo "board/$board/board.conf names no WIFI_MODULES" >&2; exit 1; }
    # shellcheck disable=SC2086
    add_modules "$root.kernel" "$root" $WIFI_MODULES
    fetch "$(dirname "$root")/packages.lock"
    for file in $(files "$(dirname "$root")/packages.lock" wifi); do unpack "$file" "$tree"; done
    install -m 755 "$tree/usr/sbin/wpa_supplicant" "$root/usr/sbin/"
    cp -a "$tree"/usr/lib/aarch64-linux-gnu/*.so.* "$root/usr/lib/aarch64-linux-gnu/"
    # Debian has two copies and a script that chooses; its kernel takes this one's signature.
    for name in regulatory.db regulatory.db.p7s; do install -D -m 644 "$tree/usr/lib/firmware/$name-debian" "$root/usr/lib/firmware/$name"; done
    (
        cd "$tree/usr/lib/firmware"
        # shellcheck disable=SC2086
        for file in $WIFI_FIRMWARE; do
            [ -e "$file" ] || { echo "no package of $board has the firmware $file" >&2; exit 1; }
            # Where the package has a link to another chip's or board's file, that file by this name.
            install -D -m 644 "$file" "$root/usr/lib/firmware/$file"
        done
    )
    chmod 755 "$root/usr/lib/firmware"
}

# copy OVERLAY: as root.sh copies those of every image.
copy() { tar -c -C "$here/$1" --mode=u=rwX,go=rX . | tar -x -C "$root" --no-same-owner --keep-directory-symlink; }

mkdir -p "$wanted"
case " $network " in *' ethernet '*) add_ethernet ;; esac
# What Debian's systemd would do of itself with interfaces of containers, tunnels and radios.
find "$root/usr/lib/systemd/network" -type f ! -name 99-default.link -delete
copy network
for name in systemd-networkd.service gatehouse-network.service gatehouse-resolv.path; do
    [ -e "$units/$name" ] || { echo "no unit $name" >&2; exit 1; }
    ln -sf "/usr/lib/systemd/system/$name" "$wanted/$name"
done
case " $network " in
    *' wifi '*)
        add_wifi
        copy wifi
        ln -sf /usr/lib/systemd/system/gatehouse-wifi.service "$wanted/gatehouse-wifi.service"
        ;;
esac
