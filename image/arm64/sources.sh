# The Swift packages Gatehouse depends on, as sources.lock has them: in the cache, so that a build needs no network. Read by toolchain.sh
# and inside.sh.
#
#   fetch_sources              has the sources of every line of sources.lock in $cache/sources
#   write_manifest FILE        Package.swift, with the packages taken from the folder `Dependencies` beside it
#
# A revision is a digest of all it names, which git checks over what it fetches.

fetch_sources() {
  local name url revision folder
  while read -r name url revision; do
    case $name in '' | '#'*) continue ;; esac
    folder=$cache/sources/$name-$revision
    [ -e "$folder" ] && continue
    echo "arm64: the sources of $name" >&2
    rm -rf "$cache/sources/"{git,new}
    mkdir -p "$cache/sources/"{git,new}
    git -C "$cache/sources/git" init --quiet --bare
    # What SwiftPM fetched for this clone will do as well.
    git -C "$cache/sources/git" fetch --quiet --depth 1 "$url" "$revision" 2>/dev/null ||
      git -C "$cache/sources/git" fetch --quiet "$here/../../.build/checkouts/$name" "$revision" ||
      { echo "arm64: no $revision of $name from its repository, nor in .build" >&2; return 1; }
    git -C "$cache/sources/git" archive "$revision" | tar --extract --directory "$cache/sources/new"
    mv "$cache/sources/new" "$folder"
    rm -rf "$cache/sources/git"
  done <"$here/sources.lock"
}

write_manifest() {
  local name url revision manifest
  manifest=$(<"$here/../../Package.swift")
  while read -r name url revision; do
    case $name in '' | '#'*) continue ;; esac
    manifest=$(sed "s|\.package(url: \"$url\",[^)]*)|.package(path: \"Dependencies/$name\")|" <<<"$manifest")
  done <"$here/sources.lock"
  if grep -q '\.package(url:' <<<"$manifest"; then
    echo 'arm64: Package.swift names a package that sources.lock has not' >&2
    return 1
  fi
  [ "$manifest" = "$(cat "$1" 2>/dev/null)" ] || printf '%s\n' "$manifest" >"$1"
}
