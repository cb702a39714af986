#!/usr/bin/env bash
# Makes the manual of finished programs and their completions, by swift-argument-parser's own generator. Only a program with the parser's
# own Foundation.swift can say what its commands are: those that are cross-built have another (image/arm64/replaced).
#
#   packages/manual.sh FOLDER SECONDS PROGRAM…     FOLDER/NAME/manual and FOLDER/NAME/completions, dated by SECONDS since 1970
set -euo pipefail
folder=$1 seconds=$2
shift 2
repository=$(cd "$(dirname "$0")/.." && pwd)
here=$repository/image/arm64
# shellcheck source=../image/arm64/cache.sh
. "$here/cache.sh"
# shellcheck source=../image/arm64/sources.sh
. "$here/sources.sh"
fetch_sources
read -r name _ revision < <(grep '^swift-argument-parser ' "$here/sources.lock")
scratch=$repository/.build-deb/generator
# The checkout is the cache's, which nothing writes to.
mkdir -p "$scratch"
swift build --quiet --ignore-lock --package-path "$cache/sources/$name-$revision" --scratch-path "$scratch" --product generate-manual \
  >"$scratch.log" 2>&1 || { cat "$scratch.log" >&2; exit 1; }
rm -rf "$folder"
for program; do
  program=$(realpath "$program")
  name=$(basename "$program") to=$folder/$(basename "$program")
  mkdir -p "$to"/manual "$to"/completions/{bash,zsh,fish}
  "$scratch/debug/generate-manual" "$program" --multi-page --section 8 --date "$(date --utc --date "@$seconds" +%F)" \
    --output-directory "$to/manual"
  /usr/bin/python3 "$repository/packages/manual_pages.py" "$to/manual" "$name"
  # Completions are sourced: an interpreter's line says otherwise.
  for shell in "bash:$name" "zsh:_$name" "fish:$name.fish"; do
    "$program" --generate-completion-script "${shell%%:*}" | sed '1{/^#!/d}' >"$to/completions/${shell%%:*}/${shell#*:}"
  done
done
# Those of programs without commands were written. Two of them come with the gate, and the third in a package of its own.
mkdir -p "$folder/gatehouse-osdp/manual"
for page in "$repository"/packages/debian/*.8; do
  case $page in */gatehouse-osdp.8) to=$folder/gatehouse-osdp ;; *) to=$folder/gatehouse ;; esac
  sed "s/@DATE@/$(LC_ALL=C date --utc --date "@$seconds" '+%B %-d, %Y')/" "$page" >"$to/manual/$(basename "$page")"
done
