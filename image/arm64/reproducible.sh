#!/usr/bin/env bash
# Builds twice from nothing, from two copies of the clone in folders of different names, and fails unless every octet is the same.
#
#   image/arm64/reproducible.sh            what an image needs; or the programs that are named, as for build.sh
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
clone=$(cd "$here/../.." && pwd)
products=("$@")
[ $# -gt 0 ] || products=(gatehouse gatehouse-http gatehouse-vision gatehouse-relay gatehouse-osdp face-dlib.so face-sface.so)
work=$(mktemp -d "$clone/.build-arm64-twice.XXXXXX")
trap 'rm -rf "$work"' EXIT
for copy in one another/with/a/longer/name; do
  mkdir -p "$work/$copy"
  git -C "$clone" ls-files -z | tar --create --directory "$clone" --null --files-from - | tar --extract --directory "$work/$copy" --touch
  "$work/$copy/image/arm64/build.sh" "${products[@]}" >/dev/null
  (cd "$work/$copy/.build-arm64/out" && sha256sum -- *) >"$work/$(basename "$copy").sha256"
done
if diff "$work"/*.sha256; then
  echo "arm64: two builds, the same octets: ${products[*]}"
else
  echo 'arm64: two builds differ' >&2
  exit 1
fi
