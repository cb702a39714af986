#!/bin/bash
# trust.sh ROOT KEYS puts into the root tree who signs trust bundles (/etc/gatehouse/root.json, from TRUST_ROOT) and the bundle that a new
# gate begins with (/usr/share/gatehouse/bundle.cose, from TRUST_BUNDLE; without it, the gate waits for its first one), with its number as
# the lowest that a gate of this image may begin with (/usr/share/gatehouse/lowest-bundle). Without either, demonstration ones: anybody who
# has KEYS opens such a gate.
set -euo pipefail
root=$1 keys=$2
gatehouse() { qemu-aarch64-static -L "$root" "$root/usr/bin/gatehouse" "$@"; }
# The public half of an Ed25519 key as a JWK.
jwk() {
    local x; x=$(openssl pkey -in "$1" -pubout -outform DER | tail -c 32 | basenc --base64url | tr -d =)
    printf '{"kty":"OKP","crv":"Ed25519","x":"%s"}' "$x"
}

make_demonstration() {
    mkdir -p "$keys/trust"
    chmod 700 "$keys"
    local name
    for name in trust issuer; do [ -s "$keys/$name.pem" ] || openssl genpkey -algorithm ed25519 -out "$keys/$name.pem"; done
    [ -s "$keys/root.json" ] ||
        printf '{"gatehouse-root":1,"threshold":1,"signers":[{"kid":"demo","jwk":%s}]}\n' "$(jwk "$keys/trust.pem")" > "$keys/root.json"
    [ ! -s "$keys/bundle.cose" ] || return 0
    cat > "$keys/trust/issuer.json" <<J
{"gatehouse-trust": 1, "ids": ["https://issuer.demo.gatehouse.example"], "name": "Demonstration only",
 "keys": [{"kid": "demo", "jwk": $(jwk "$keys/issuer.pem")}],
 "forms": ["sd_jwt"], "algorithms": ["EdDSA"], "types": ["urn:gatehouse:demo:1"], "status": "ignore"}
J
    cat > "$keys/trust/bundle.json" <<J
{"gatehouse-bundle": 1, "sequence": 1, "notBefore": "2026-01-01T00:00:00Z", "notAfter": "2046-01-01T00:00:00Z", "clock": "accept"}
J
    gatehouse trust build "$keys/trust" --out "$keys/bundle" --created 2026-01-01T00:00:00Z > /dev/null
    gatehouse trust sign "$keys/bundle" --key "$keys/trust.pem" --kid demo --root "$keys/root.json" --out "$keys/bundle.cose" > /dev/null
    rm "$keys/bundle"
}

if [ -n "${TRUST_ROOT:-}" ]; then
    signers=$TRUST_ROOT bundle=${TRUST_BUNDLE:-}
elif [ -n "${TRUST_BUNDLE:-}" ]; then
    echo "TRUST_BUNDLE needs TRUST_ROOT, which says who signs it" >&2
    exit 2
else
    make_demonstration
    signers=$keys/root.json bundle=$keys/bundle.cose
    echo "demonstration trust: its keys are in $keys; a real image takes TRUST_ROOT=root.json TRUST_BUNDLE=bundle.cose" >&2
fi
install -D -m 644 "$signers" "$root/etc/gatehouse/root.json"
[ -n "$bundle" ] || exit 0
install -D -m 644 "$bundle" "$root/usr/share/gatehouse/bundle.cose"
# What does not verify here would not on the gate either.
check=$(mktemp -d)
trap 'rm -rf "$check"' EXIT
# Status lists that say nothing are named here: whoever signed them was asked.
gatehouse trust install "$bundle" --root "$signers" --into "$check" --allow-silent-lists > /dev/null
# A gate that has lost what it knew of the newest bundle begins with this one or a newer one, not with one from before.
gatehouse trust inspect "$bundle" | sed -n 's/^bundle \([0-9][0-9]*\).*/\1/p' | head -n 1 > "$root/usr/share/gatehouse/lowest-bundle"
[ -s "$root/usr/share/gatehouse/lowest-bundle" ] || { echo "$bundle: has no number" >&2; exit 2; }
