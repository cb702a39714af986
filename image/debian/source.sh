# Debian's source packages by a lock, for the few programs that have to be built otherwise than Debian builds them. Sourced, after lock.sh.
#
# A lock has a file a line: SUITE PACKAGE VERSION FILE SHA-256.
#
#   resolve_source SUITE PACKAGE   the lock of what the archive has now
#   fetch_source LOCK              has every file of the lock in the cache, with its digest, and refuses what differs.
#                                  3: the archive has moved on; which version the lock has, and which the archive has, is said
#   unpack_source LOCK FOLDER      the sources in FOLDER, with Debian's patches
#
# apt checks the archive's signature over the index, and the index's digest over each file: the .dsc file,
# which says the same, is not needed.
sources=$kept/sources

resolve_source() {
  local configuration
  configuration=$(index "$1" source) || return
  APT_CONFIG=$configuration apt-get --quiet --quiet source --download-only --print-uris "$2" |
    awk -v suite="$1" -v package="$2" '
      $2 ~ /[.]dsc$/ { version = $2; sub("^[^_]*_", "", version); sub("[.]dsc$", "", version) }
      $2 ~ /[.]tar[.][a-z0-9]+$/ { sub("SHA256:", "", $4); file[$2] = $4 }
      END { if (!version) exit 1; for (name in file) print suite, package, version, name, file[name] }' | LC_ALL=C sort
}

fetch_source() (
  mkdir -p "$sources/partial"
  exec 8>"$sources/.lock"
  flock 8
  while read -r suite package version file digest; do
    ! has_digest "$sources/$file" "$digest" || continue
    rm -f "$sources/$file"
    configuration=$(index "$suite" source) || exit 1
    export APT_CONFIG=$configuration
    if ! apt-cache madison "$package" | awk -F' *[|] *' -v version="$version" '$2 == version { found = 1 } END { exit !found }'; then
      has=$(apt-cache madison "$package" | awk -F' *[|] *' '{ printf " %s", $2 }')
      echo "debian: $package, source ($suite): the lock has $version, the archive has${has:- none}" >&2
      exit 3
    fi
    echo "debian: downloading $file" >&2
    part=--tar-only
    case $file in *.debian.tar.*) part=--diff-only ;; esac
    (cd "$sources/partial" && apt-get --quiet --quiet source --download-only $part "$package=$version" >/dev/null) || exit 1
    if ! has_digest "$sources/partial/$file" "$digest"; then
      echo "debian: $file was downloaded with another SHA-256 than the lock's: refused" >&2
      rm -f "$sources/partial/$file"
      exit 1
    fi
    mv "$sources/partial/$file" "$sources/$file"
  done < <(rows "$1")
)

unpack_source() {
  local suite package version file digest patch
  mkdir -p "$2"
  while read -r suite package version file digest; do
    case $file in
      *.debian.tar.*) tar --extract --no-same-owner --file "$sources/$file" --directory "$2" ;;
      *) tar --extract --no-same-owner --strip-components=1 --file "$sources/$file" --directory "$2" ;;
    esac || return
  done < <(rows "$1")
  # A package of Debian's own has none.
  [ -e "$2/debian/patches/series" ] || return 0
  rows "$2/debian/patches/series" | while read -r patch _; do
    patch --quiet --strip=1 --directory "$2" <"$2/debian/patches/$patch" >&2 || { echo "debian: $patch does not apply" >&2; exit 1; }
  done
}
