#!/usr/bin/env bash
# Fetches labelled pictures to test and measure face matchers with, into a folder; pinned by SHA-256, for evaluation only, never kept in the
# repository or given on. Does nothing when they are there.
#
#   Tests/Scripts/photos.sh [folder]        .build/photos by default:
#     people/<person>/   photographs of two people, from PyPI's face_recognition 1.3.0 (its tests; the file names are the labels)
#     johns/<person>/    150 x 150 pixels around the faces of five people, 11 of each, from the examples in Debian's source package of dlib
#     scenes/            one face, several or none, nobody named, from there too
set -euo pipefail
cd "$(dirname "$0")/../.."
folder=${1:-.build/photos}
people_digest=8b63603bfb0f73e7621d629047905d250a8b6530cc928c86bcc71e8985cb5a22
johns_digest=ea221fae70b97ac38757eba2dc53ff8ef720b9e4a5fc93a090fcbe288a5afdc1
scenes_digest=9b05b696af22531c2db450a071cf0e465180abe5c5f2eacf75c04b8a1ff056bf

# One digest for a folder: of the list of its files and their digests.
digest() { [ -d "$1" ] && (cd "$1" && find . -type f -print0 | LC_ALL=C sort --zero-terminated | xargs -0 sha256sum | sha256sum | cut -d ' ' -f 1); }
isComplete() { [ "$(digest "$folder/$1")" = "$2" ]; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# Puts a folder where it belongs if it is what was pinned.
keep() {
  local name=$1 wanted=$2
  [ "$(digest "$work/$name")" = "$wanted" ] || { echo "photos: $name are not the pictures that were pinned ($(digest "$work/$name"))" >&2; exit 1; }
  mkdir -p "$folder"
  rm -rf "${folder:?}/$name"
  mv "$work/$name" "$folder/$name"
  echo "photos: $(find "$folder/$name" -type f | wc -l) pictures in $folder/$name"
}

# The source package's one tarball with the examples in it, from the archive that this machine has its packages from.
fetch_examples() {
  local origin uri hash
  command -v apt-get >/dev/null || return 1
  origin=$(apt-cache policy libdlib-dev | awk '/^ +[0-9]+ +[a-z]+:\/\// { split($3, part, "/"); print $2, part[1], part[2]; exit }')
  [ -n "$origin" ] || return 1
  mkdir -p "$work/apt/parts" "$work/apt/lists/partial" "$work/apt/cache/archives/partial"
  echo "deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $origin" >"$work/apt/parts/source.list"
  local options=(-o Dir::Etc::sourcelist=/dev/null -o "Dir::Etc::sourceparts=$work/apt/parts" -o "Dir::State::lists=$work/apt/lists"
    -o "Dir::Cache=$work/apt/cache" -o APT::Sandbox::User=root --quiet --quiet)
  apt-get "${options[@]}" update || return 1
  read -r uri hash < <(apt-get "${options[@]}" source --print-uris dlib 2>/dev/null |
    awk '/orig\.tar\./ { gsub("\047", "", $1); print $1, $NF }')
  [ -n "$hash" ] || return 1
  /usr/lib/apt/apt-helper -o APT::Sandbox::User=root -qq download-file "$uri" "$work/examples.tar" "$hash" >/dev/null || return 1
  tar --extract --file "$work/examples.tar" --directory "$work" --no-same-owner --wildcards --transform 's,^[^/]*/,,' \
    '*/examples/johns/*' '*/examples/faces/*.jpg'
}

if ! isComplete people "$people_digest"; then
  echo 'photos: fetching face_recognition 1.3.0 (3 MB) from PyPI'
  Tests/Scripts/sdist.sh face-recognition==1.3.0 5e5efdd1686aa566af0d3cc1313b131e4b197657a8ffd03669e6d3fad92705ec "$work/tests" \
    '*/tests/test_images/*.jpg'
  mkdir -p "$work/people/obama" "$work/people/biden"
  mv "$work"/tests/obama*.jpg "$work/people/obama/"
  mv "$work"/tests/biden.jpg "$work/people/biden/"
  keep people "$people_digest"
fi
if ! isComplete johns "$johns_digest" || ! isComplete scenes "$scenes_digest"; then
  echo "photos: fetching the examples in Debian's source package of dlib (9 MB, and the list of source packages)"
  if fetch_examples; then
    mv "$work"/examples/johns "$work/johns"
    mv "$work"/examples/faces "$work/scenes"
    keep johns "$johns_digest"
    keep scenes "$scenes_digest"
  else
    echo 'photos: they are not to be had from here; the two people will have to do'
  fi
fi
