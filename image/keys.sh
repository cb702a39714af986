#!/bin/bash
# keys.sh FOLDER makes demo keys for updates: a root, whose certificate goes into the image, and a signer below it. For trying things out
# and for tests: they lie unprotected in FOLDER. docs/updates.md says how an owner keeps real ones. Does nothing where the folder has a root
# already.
set -euo pipefail
folder=${1:?folder} who=${2:-demo}
[ ! -e "$folder/ca.crt" ] || exit 0
mkdir -p "$folder"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# From long before the year 2000, in which a gate without a clock begins, for a century: such a gate believes any date.
cat > "$work/authority.cnf" <<'C'
[ca]
default_ca = authority
[authority]
new_certs_dir = $ENV::WORK
database = $ENV::WORK/index
serial = $ENV::WORK/serial
default_md = sha256
default_startdate = 19900101000000Z
default_enddate = 20991231235959Z
policy = name
email_in_dn = no
[name]
commonName = supplied
[root]
basicConstraints = critical,CA:TRUE
keyUsage = critical,keyCertSign,cRLSign
subjectKeyIdentifier = hash
[signer]
basicConstraints = critical,CA:FALSE
keyUsage = critical,digitalSignature
extendedKeyUsage = critical,emailProtection,codeSigning
subjectKeyIdentifier = hash
authorityKeyIdentifier = keyid
C
export WORK=$work
: > "$work/index"
openssl rand -hex 8 > "$work/serial"
# certify NAME SUBJECT EXTENSIONS OPTIONS...
certify() {
    local name=$1 subject=$2 extensions=$3
    shift 3
    (umask 077 && openssl ecparam -name prime256v1 -genkey -noout -out "$work/$name.key")
    openssl req -new -key "$work/$name.key" -subj "/CN=$subject" -out "$work/request"
    openssl ca -batch -config "$work/authority.cnf" -in "$work/request" -extensions "$extensions" -notext -out "$work/$name.crt" "$@" 2> "$work/log" \
        || { cat "$work/log" >&2; exit 1; }
}
certify ca "Gatehouse $who update root" root -selfsign -keyfile "$work/ca.key"
certify signer "Gatehouse $who update signer" signer -cert "$work/ca.crt" -keyfile "$work/ca.key"
# The root last: it says that the rest is there.
(umask 077 && cp "$work/ca.key" "$work/signer.key" "$folder/")
cp "$work/signer.crt" "$folder/"
cp "$work/ca.crt" "$folder/ca.crt.new"
mv "$folder/ca.crt.new" "$folder/ca.crt"
