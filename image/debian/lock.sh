# Locks of Debian packages, and downloads held against them. Sourced.
#
# A lock has a package a line: PURPOSE SUITE NAME VERSION ARCHITECTURE SHA-256.
# What is wanted is said in lines of PURPOSE SUITE ARCHITECTURE all|alone PACKAGE…; `all`: with everything these depend on.
#
#   resolve <WANTED           the lock of what the archive has now
#   fetch LOCK                has every package of the lock in the cache, with its digest, and refuses what differs.
#                             3: the archive has moved on; which version the lock has, and which the archive has, is said
#   renew LOCK USED <WANTED   USED becomes the lock of what the archive has now; what differs from LOCK is said
#   fetch_or_renew LOCK USED WANTED   for test machines: USED becomes what LOCK has for the purposes that the command WANTED prints, and is
#   fetched;
#                             where the archive has moved on, or with DEBIAN_UNLOCKED=1, what the archive has now: of what WANTED prints
#                             when it is told `newest`. MACHINE_PINNED=1: then it fails instead
#   files LOCK PURPOSE…       the files of these packages, in the lock's order
#   unpack FILE FOLDER [tar's options]
#   merged_usr FOLDER [NAME…] a folder that packages can be unpacked into
# shellcheck source=archive.sh
. "${BASH_SOURCE[0]%/*}/archive.sh"
debs=$kept/debs

file_name() { echo "$1_${2//:/%3a}_$3.deb"; }

# Whether the file has the digest; says nothing.
has_digest() { [ -f "$1" ] && echo "$2  $1" | sha256sum --check --status --strict -; }

rows() { grep -v -e '^#' -e '^$' "$1" || true; }

resolve() {
  local purpose suite architecture how packages configuration command
  while read -r purpose suite architecture how packages; do
    case $purpose in '' | '#'*) continue ;; esac
    configuration=$(index "$suite" "$architecture") || exit
    if [ "$how" = all ]; then command=(install --yes); else command=(download); fi
    # shellcheck disable=SC2086
    APT_CONFIG=$configuration apt-get --quiet --quiet --print-uris "${command[@]}" $packages |
      awk -v purpose="$purpose" -v suite="$suite" '
        /SHA256:/ {
          split($2, part, "_"); version = part[2]; gsub("%3a", ":", version); architecture = part[3]; sub("[.]deb$", "", architecture)
          sub("SHA256:", "", $4); print purpose, suite, part[1], version, architecture, $4
        }' || exit
  done | LC_ALL=C sort --unique
}

# The packages of a lock that are not in the cache as they should be: lines of `suite architecture name version digest file`.
absent() {
  local purpose suite name version architecture digest file
  rows "$1" | while read -r purpose suite name version architecture digest; do
    file=$(file_name "$name" "$version" "$architecture")
    has_digest "$debs/$file" "$digest" && continue
    if [ -e "$debs/$file" ]; then
      echo "debian: $name $version in the cache is not the package of the lock: thrown away" >&2
      rm -f "$debs/$file"
    fi
    # A package for all architectures is in the index of each: in that of another package of the lock, which is asked for anyway.
    [ "$architecture" != all ] || architecture=$(awk -v s="$suite" '$2 == s && $5 != "all" { print $5; exit }' "$1")
    echo "$suite ${architecture:-amd64} $name $version $digest $file"
  done | LC_ALL=C sort --unique
}

fetch() (
  mkdir -p "$debs/partial"
  # Two that fetch the same would write the same file.
  exec 8>"$debs/.lock"
  flock 8
  missing=$(mktemp "$scratch/missing.XXXXXX") || exit
  absent "$1" >"$missing" || exit
  [ -s "$missing" ] || exit 0
  moved=
  while read -r suite architecture; do
    compare "$suite" "$architecture" "$missing" || { [ $? = 3 ] && moved=1; } || exit 1
  done < <(cut -d' ' -f1,2 "$missing" | sort --unique)
  if [ -n "$moved" ]; then
    echo 'debian: the archive has moved on; DEBIAN_UNLOCKED=1 builds with what it has, DEBIAN_MIRROR=address asks one that has these' >&2
    exit 3
  fi
  while read -r suite architecture; do
    download "$suite" "$architecture" "$missing" || exit 1
  done < <(cut -d' ' -f1,2 "$missing" | sort --unique)
)

# Whether the archive still has the versions that are missing; 3, and says which it has instead, where not.
compare() {
  local has
  # shellcheck disable=SC2046
  has=$(versions "$1" "$2" $(awk -v s="$1" -v a="$2" '$1 == s && $2 == a { print $3 }' "$3")) || return 1
  awk -v s="$1" -v a="$2" '
    NR == FNR { has[$1] = has[$1] " " $2; is[$1, $2] = 1; next }
    $1 == s && $2 == a && !is[$3, $4] {
      print "debian: " $3 " (" s ", " a "): the lock has " $4 ", the archive has" ($3 in has ? has[$3] : " none"); moved = 3
    }
    END { exit moved }' <(echo "$has") "$3" >&2
}

# Packages that came whole before a download was broken off are in partial/, and are not fetched again.
download() {
  local suite architecture name version digest file configuration
  configuration=$(index "$1" "$2") || return
  echo "debian: downloading $(awk -v s="$1" -v a="$2" '$1 == s && $2 == a' "$3" | wc -l) packages of $1 for $2" >&2
  # shellcheck disable=SC2046
  (cd "$debs/partial" && APT_CONFIG=$configuration apt-get --quiet --quiet download $(awk -v s="$1" -v a="$2" '$1 == s && $2 == a { print $3 "=" $4 }' "$3")) || return
  while read -r suite architecture name version digest file; do
    [ "$suite/$architecture" = "$1/$2" ] || continue
    if ! has_digest "$debs/partial/$file" "$digest"; then
      echo "debian: $name $version was downloaded with another SHA-256 than the lock's: refused" >&2
      rm -f "$debs/partial/$file"
      return 1
    fi
    mv "$debs/partial/$file" "$debs/$file"
  done <"$3"
}

renew() {
  resolve >"$2.new" || return
  awk '
    { package = $3 " (" $2 ", " $5 ")" }
    NR == FNR { locked[package] = $4; file[package] = $4 " " $6; next }
    !(package in locked) { print "debian: " package ": the lock has none, the archive has " $4; other = 1 }
    package in locked && file[package] != $4 " " $6 { print "debian: " package ": the lock has " locked[package] ", the archive has " $4; other = 1 }
    { needed[package] }
    END {
      for (package in locked) if (!(package in needed)) { print "debian: " package ": the lock has " locked[package] ", and nothing needs it now"; other = 1 }
      if (other) print "debian: built with what the archive has now: " used
    }' used="$2" <(rows "$1") "$2.new" | LC_ALL=C sort --unique >&2
  mv "$2.new" "$2"
}

fetch_or_renew() {
  local wanted status=3
  wanted=$("$3") || return
  awk 'NR == FNR { wanted[$1]; next } $1 in wanted' <(echo "$wanted") "$1" >"$2.locked"
  if [ -z "${DEBIAN_UNLOCKED:-}" ] && has_all "$2.locked" <<<"$wanted"; then
    status=0
    fetch "$2.locked" || status=$?
  fi
  if [ $status = 0 ]; then
    mv "$2.locked" "$2"
    return
  fi
  [ $status = 3 ] && [ -z "${MACHINE_PINNED:-}" ] || return $status
  wanted=$("$3" newest) || return
  renew "$2.locked" "$2" <<<"$wanted" || return
  rm "$2.locked"
  fetch "$2"
}

# Whether the lock has every package that is wanted; says which it has not.
has_all() {
  awk 'NR == FNR { has[$1, $3]; next }
    { for (i = 5; i <= NF; i++) if (!(($1, $i) in has)) { print "debian: the lock has no " $i; lacks = 1 } }
    END { exit lacks }' "$1" - >&2
}

files() {
  local lock=$1 purpose suite name version architecture digest
  shift
  rows "$lock" | while read -r purpose suite name version architecture digest; do
    case " $* " in *" $purpose "*) echo "$debs/$(file_name "$name" "$version" "$architecture")" ;; esac
  done
}

# With the links of a merged /usr kept. No file is anybody's but root's.
unpack() {
  local file=$1 folder=$2
  shift 2
  mkdir -p "$folder"
  dpkg-deb --fsys-tarfile "$file" | tar --extract --keep-directory-symlink --no-same-owner --directory "$folder" "$@"
}

merged_usr() {
  local folder=$1 name
  shift
  [ $# -gt 0 ] || set -- bin sbin lib lib64
  for name; do
    mkdir -p "$folder/usr/$name"
    ln -s "usr/$name" "$folder/$name"
  done
}
