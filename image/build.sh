#!/bin/bash
# build.sh BOARD [VERSION] makes .build-image/BOARD (or IMAGE_BUILD/BOARD): the root tree, slot-a (boot.img, root.img), firmware, disk.img,
# the bill of materials and the sizes. FACES=1 puts face matchers and models in, FACES=0 leaves them out; by default what board.conf
# says. NETWORK="ethernet wifi" gives it a network of its own (network.sh); NETWORK= gives it none, by default what board.conf
# says. TRUST_ROOT, TRUST_BUNDLE: whom to believe (trust.sh). UPDATE_KEYS: folder of ca.crt, who signs updates. Without them, demonstration
# keys. PROGRAMS: a folder that has the programs already, instead of a cross-build.
set -euo pipefail
export LC_ALL=C
umask 022
here=$(cd "$(dirname "$0")" && pwd)
repository=$(dirname "$here")
board=$1 version=${2:-1}
[ -e "$repository/board/$board/board.conf" ] || { echo "no board of that name: $board (board/*/board.conf)" >&2; exit 2; }
[[ $version =~ ^[1-9][0-9]{0,8}$ ]] || { echo "a version is a number from 1 to 999999999: $version" >&2; exit 2; }
out=${IMAGE_BUILD:-$repository/.build-image}/$board keys=$repository/.build-image/keys
FACES=${FACES:-}
# Who updates the gate is real, and who says whom it lets in would be anybody: by an update, every gate would lose its trust bundle.
[ -z "${UPDATE_KEYS:-}" ] || [ -n "${TRUST_ROOT:-}" ] || [ "$(realpath -m "$UPDATE_KEYS")" = "$(realpath -m "$keys")" ] || {
    echo "UPDATE_KEYS=$UPDATE_KEYS without TRUST_ROOT: the image would believe demonstration trust bundles" >&2
    exit 2
}
# Whatever takes minutes comes after what may be refused.
# shellcheck source=image/certificates.sh
# shellcheck source=certificates.sh
. "$here/certificates.sh"
[ -z "${UPDATE_KEYS:-}" ] || certificate_lasts "$UPDATE_KEYS/ca.crt" 'root of updates'
[ -n "${TRUST_ROOT:-}" ] || [ -z "${TRUST_BUNDLE:-}" ] || { echo "TRUST_BUNDLE needs TRUST_ROOT, which says who signs it" >&2; exit 2; }
for name in TRUST_ROOT TRUST_BUNDLE; do
    [ -z "${!name:-}" ] || [ -f "${!name}" ] || { echo "$name: there is no file ${!name}" >&2; exit 2; }
done
[ -n "$FACES" ] || FACES=$(sed -n 's/^FACES=//p' "$repository/board/$board/board.conf")
export FACES
[ -n "${NETWORK+said}" ] || NETWORK=$(sed -n 's/^NETWORK="\(.*\)"/\1/p' "$repository/board/$board/board.conf")
export NETWORK
for name in $NETWORK; do
    [[ $name = ethernet || $name = wifi ]] || { echo "NETWORK: ethernet, wifi or both, not $name" >&2; exit 2; }
done
"$here/host.sh" qemu-user-static u-boot-tools genimage squashfs-tools cryptsetup-bin dosfstools mtools kmod cpio lz4 zstd xz-utils binutils openssl device-tree-compiler
[ -n "${PROGRAMS:-}" ] || "$here/arm64/build.sh" gatehouse gatehouse-http gatehouse-vision gatehouse-relay gatehouse-osdp \
    face-dlib.so face-sface.so
[ "$FACES" != 1 ] || for matcher in dlib sface; do "$repository/tools/models.sh" "$matcher"; done
"$repository/tools/words.sh" "$repository/.build/words"
mkdir -p "$out"
"$here/lock.sh" used "$board" "$out/packages.lock"
"$here/root.sh" "$board" "$out/root" "$version"
"$here/trust.sh" "$out/root" "$keys"
if [ -z "${UPDATE_KEYS:-}" ]; then
    "$here/keys.sh" "$keys"
    echo "demonstration keys for updates: in $keys; a real image takes UPDATE_KEYS=folder" >&2
fi
certificate_lasts "${UPDATE_KEYS:-$keys}/ca.crt" 'root of updates'
install -D -m 644 "${UPDATE_KEYS:-$keys}/ca.crt" "$out/root/etc/gatehouse/update.pem"
"$here/slot.sh" "$board" "$out/root" "$version" "$out/slot-a"
"$here/firmware.sh" "$board" "$out/root.kernel" "$out/firmware"
python3 "$here/devicetree.py" "$board" "$out/firmware.trees" "$out/root.kernel" "$out/root" "$out/slot-a/initramfs.modules"
"$here/disk.sh" "$board" "$out/slot-a" "$out/firmware" "$out/disk.img"
python3 "$here/sbom.py" "$board" "$version" "$out"
python3 "$here/sizes.py" "$out"
