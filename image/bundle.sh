#!/bin/bash
# bundle.sh SLOT_FOLDER VERSION OUT.swu makes an update of a slot's boot.img and root.img, signed by CMS.
# BOARD: whose it is (by default the folder SLOT_FOLDER lies in). KEYS: folder of signer.crt and signer.key (.build-image/keys).
# SIGN: a command that gets the description on standard input and writes the CMS signature as DER, for keys that are not files.
# A signature that a gate without a clock would refuse, or not believe for long, is an error (certificates.sh).
# DOWNGRADE_FROM: may be installed on gates whose newest good version is at most this, though it is not newer.
# RETRY: a number, another one each time: may be installed where this version was tried and given up.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
slot=$(realpath "$1") version=$2 out=$(realpath -m "$3")
board=${BOARD:-$(basename "$(dirname "$slot")")}
keys=$(realpath -m "${KEYS:-$here/../.build-image/keys}")
[[ $version =~ ^[1-9][0-9]{0,8}$ ]] || { echo "$version: a version is a number, at most nine digits" >&2; exit 2; }
[[ ${DOWNGRADE_FROM:-1} =~ ^[1-9][0-9]{0,8}$ ]] || { echo "DOWNGRADE_FROM=$DOWNGRADE_FROM: a version is a number" >&2; exit 2; }
[[ ${RETRY:-1} =~ ^[1-9][0-9]{0,8}$ ]] || { echo "RETRY=$RETRY: a number" >&2; exit 2; }
[[ $board =~ ^[a-z0-9-]+$ ]] || { echo "$board: not the name of a board" >&2; exit 2; }
# A gate that finds another version in the slot than the bundle said would take the same bundle again, and again.
[ ! -e "$slot/version" ] || [ "$(cat "$slot/version")" = "$version" ] || {
    echo "$slot was made as version $(cat "$slot/version"), not $version" >&2
    exit 2
}
# shellcheck source=image/certificates.sh
# shellcheck source=certificates.sh
. "$here/certificates.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
digest() { sha256sum < "$1" | cut -c1-64; }

ln -s "$slot/root.img" "$work/root.img"
zstd --quiet -9 --threads=0 "$slot/boot.img" -o "$work/boot.img.zst"
# The boot image is small enough to wait in memory until its digest is known, and is written last. The root streams into the slot before its
# digest is known: without the boot image, which holds its root hash, nothing boots it.
images() {
    cat << D
        { filename = "root.img"; device = "/dev/gatehouse/root-$1"; type = "raw"; sha256 = "$(digest "$slot/root.img")"; installed-directly = true; },
        { filename = "boot.img.zst"; device = "/dev/gatehouse/boot-$1"; type = "raw"; compressed = "zstd"; sha256 = "$(digest "$work/boot.img.zst")"; }
D
}
# update-before and update-after of the image read the lines of `gatehouse` one by one: keep one value a line.
cat > "$work/sw-description" << D
software = {
  version = "$version";
  description = "Gatehouse $version for $board";
  gatehouse: {
    board = "$board";
${DOWNGRADE_FROM:+    downgrade-from = \"$DOWNGRADE_FROM\";
}${RETRY:+    retry = \"$RETRY\";
}    boot-size = "$(stat -L -c %s "$slot/boot.img")";
    boot-sha256 = "$(digest "$slot/boot.img")";
    root-size = "$(stat -L -c %s "$slot/root.img")";
    root-sha256 = "$(digest "$slot/root.img")";
  };
  $board: {
    hardware-compatibility: [ "1" ];
    stable: {
      a: { images: (
$(images a)
      ); };
      b: { images: (
$(images b)
      ); };
    };
  };
};
D
if [ -n "${SIGN:-}" ]; then
    sh -c "$SIGN" < "$work/sw-description" > "$work/sw-description.sig"
else
    openssl cms -sign -in "$work/sw-description" -out "$work/sw-description.sig" -signer "$keys/signer.crt" -inkey "$keys/signer.key" \
        -md sha256 -outform DER -nosmimecap -binary
fi
root=$keys/ca.crt
[ -e "$root" ] || root=''
signature_lasts "$work/sw-description.sig" "$work/sw-description" "$root"
mkdir -p "$(dirname "$out")"
(cd "$work" && printf '%s\n' sw-description sw-description.sig root.img boot.img.zst | cpio --create --format=crc --dereference --quiet) > "$out.new"
mv "$out.new" "$out"
