#!/usr/bin/env bash
# Makes the manual of a finished `gatehouse` and its completions, by swift-argument-parser's own generator. Only a program with the parser's
# own Foundation.swift can say what its commands are: those that are cross-built have another (image/arm64/replaced).
#
#   packages/manual.sh PROGRAM FOLDER [SECONDS]     FOLDER/manual and FOLDER/completions, dated by SECONDS since 1970
set -euo pipefail
program=$(realpath "$1") folder=$2 seconds=${3:-0}
repository=$(cd "$(dirname "$0")/.." && pwd)
here=$repository/image/arm64
# shellcheck source=../image/arm64/cache.sh
. "$here/cache.sh"
# shellcheck source=../image/arm64/sources.sh
. "$here/sources.sh"
fetch_sources
read -r name _ revision < <(grep '^swift-argument-parser ' "$here/sources.lock")
scratch=$repository/.build-deb/generator
generator=$scratch/debug/generate-manual
# The checkout is the cache's, which nothing writes to.
mkdir -p "$scratch"
swift build --quiet --ignore-lock --package-path "$cache/sources/$name-$revision" --scratch-path "$scratch" --product generate-manual \
  >"$scratch.log" 2>&1 || { cat "$scratch.log" >&2; exit 1; }
rm -rf "$folder"
mkdir -p "$folder"/manual "$folder"/completions/{bash,zsh,fish}
"$generator" "$program" --multi-page --section 8 --date "$(date --utc --date "@$seconds" +%F)" --output-directory "$folder/manual"
/usr/bin/python3 "$repository/packages/manual_pages.py" "$folder/manual"
for page in "$repository"/packages/debian/*.8; do
  sed "s/@DATE@/$(LC_ALL=C date --utc --date "@$seconds" '+%B %-d, %Y')/" "$page" >"$folder/manual/$(basename "$page")"
done
# Completions are sourced: an interpreter's line says otherwise.
for shell in bash:gatehouse zsh:_gatehouse fish:gatehouse.fish; do
  "$program" --generate-completion-script "${shell%%:*}" | sed '1{/^#!/d}' >"$folder/completions/${shell%%:*}/${shell#*:}"
done
