# Debian packages of other suites than this machine's: what the archive has, and downloads held against a lock. Read by toolchain.sh.
#
#   index SUITE ARCHITECTURE   fetches the suite's signed index once; prints the path of a private apt configuration
#   resolve FILE               the lock of a file like `packages`: a line of `tree suite name version architecture sha256` for each package
#   fetch LOCK FOLDER          has every package of the lock in FOLDER, with its digest; refuses what differs
#   file_name NAME VERSION ARCHITECTURE
#
# apt checks the archive's signature over the index and the index's digest over each download; the lock says besides which bytes were meant.
# $scratch is a folder for the indexes. They are not kept: they name the mirror.

# The mirror is the one this machine's own apt uses; GATEHOUSE_MIRROR names another.
mirror() {
  local uri=${GATEHOUSE_MIRROR:-}
  [ -n "$uri" ] || uri=$(apt-get indextargets --format '$(REPO_URI) $(RELEASE)' 'Created-By: Packages' 2>/dev/null |
    awk '$2 == "bookworm" || $2 == "trixie" || $2 == "sid" { print $1; exit }')
  [ -n "$uri" ] || { echo 'arm64: no Debian mirror in this machine'\''s apt; GATEHOUSE_MIRROR=address names one' >&2; return 1; }
  echo "${uri%/}"
}

index() {
  local folder=$scratch/$1-$2 uri
  if [ ! -e "$folder/.done" ]; then
    uri=$(mirror)
    mkdir -p "$folder"/{lists/partial,cache/archives/partial,etc/apt.conf.d,etc/sources.list.d,etc/preferences.d,etc/trusted.gpg.d,dpkg}
    : >"$folder/dpkg/status"
    echo "deb [arch=$2 signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $uri $1 main" >"$folder/etc/sources.list"
    # A mirror's copy of sid may be past the date its Release file is good for; the signature is still asked for.
    cat >"$folder/apt.conf" <<END
APT::Architecture "$2";
APT::Architectures { "$2"; };
APT::Install-Recommends "false";
APT::Sandbox::User "";
Acquire::Check-Valid-Until "false";
Acquire::ForceHash "SHA256";
Acquire::Languages "none";
Acquire::Retries "5";
Debug::NoLocking "1";
Dir::Etc "$folder/etc";
Dir::Etc::sourcelist "$folder/etc/sources.list";
Dir::Etc::sourceparts "$folder/etc/sources.list.d";
Dir::Etc::parts "$folder/etc/apt.conf.d";
Dir::State "$folder";
Dir::State::lists "$folder/lists";
Dir::State::status "$folder/dpkg/status";
Dir::Cache "$folder/cache";
END
    echo "arm64: the index of $1 for $2" >&2
    APT_CONFIG=$folder/apt.conf apt-get --quiet --quiet update >&2
    touch "$folder/.done"
  fi
  echo "$folder/apt.conf"
}

resolve() {
  local tree suite architecture how packages configuration command
  while read -r tree suite architecture how packages; do
    case $tree in '' | '#'*) continue ;; esac
    configuration=$(index "$suite" "$architecture")
    if [ "$how" = all ]; then command=(install --yes); else command=(download); fi
    # shellcheck disable=SC2086
    APT_CONFIG=$configuration apt-get --quiet --quiet --print-uris "${command[@]}" $packages |
      awk -v tree="$tree" -v suite="$suite" '
        /SHA256:/ {
          split($2, part, "_"); version = part[2]; gsub("%3a", ":", version); architecture = part[3]; sub("[.]deb$", "", architecture)
          sub("SHA256:", "", $4); print tree, suite, part[1], version, architecture, $4
        }'
  done <"$1" | LC_ALL=C sort --unique
}

file_name() { echo "$1_${2//:/%3a}_$3.deb"; }

# Whether the file has the digest; says nothing.
has_digest() { [ -f "$1" ] && echo "$2  $1" | sha256sum --check --status --strict -; }

fetch() {
  local lock=$1 folder=$2 tree suite name version architecture digest file missing moved=0 group
  missing=$(mktemp "$scratch/missing.XXXXXX")
  mkdir -p "$folder"
  while read -r tree suite name version architecture digest; do
    file=$folder/$(file_name "$name" "$version" "$architecture")
    has_digest "$file" "$digest" && continue
    if [ -e "$file" ]; then
      echo "arm64: $name $version in the cache is not the package of the lock: thrown away" >&2
      rm -f "$file"
    fi
    # A package for all architectures is in the index of each.
    [ "$architecture" != all ] || case $tree in compiler | emulator) architecture=amd64 ;; *) architecture=arm64 ;; esac
    echo "$suite $architecture $name $version $digest $(basename "$file")" >>"$missing"
  done <"$lock"
  for group in $(awk '{ print $1 "/" $2 }' "$missing" | sort -u); do
    check "${group%/*}" "${group#*/}" "$missing" || moved=1
  done
  if [ $moved = 1 ]; then
    echo 'arm64: the archive has moved on; ARM64_UNLOCKED=1 builds with what it has and writes the lock of that' >&2
    return 1
  fi
  for group in $(awk '{ print $1 "/" $2 }' "$missing" | sort -u); do
    download "${group%/*}" "${group#*/}" "$missing" "$folder"
  done
}

# Whether the archive still has the versions that are missing; says which it has instead.
check() {
  local configuration
  configuration=$(index "$1" "$2")
  # shellcheck disable=SC2046
  APT_CONFIG=$configuration apt-cache madison $(awk -v s="$1" -v a="$2" '$1 == s && $2 == a { print $3 }' "$3") >"$scratch/has" 2>/dev/null
  awk -F' *[|] *' -v s="$1" -v a="$2" '
    FILENAME == ARGV[1] { name = $1; sub("^ *", "", name); if ($3 ~ /Packages/) { has[name] = has[name] " " $2; is[name, $2] = 1 }; next }
    { split($0, part, " ") }
    part[1] == s && part[2] == a && !is[part[3], part[4]] {
      print "arm64: " part[3] " (" s ", " a "): the lock has " part[4] ", the archive has" (part[3] in has ? has[part[3]] : " none"); moved = 1
    }
    END { exit moved }' "$scratch/has" "$3" >&2
}

# What a download that was broken off has already fetched is in FOLDER/partial, and is not fetched again.
download() {
  local suite architecture name version digest file configuration folder=$4
  configuration=$(index "$1" "$2")
  mkdir -p "$folder/partial"
  echo "arm64: downloading $(awk -v s="$1" -v a="$2" '$1 == s && $2 == a' "$3" | wc -l) packages of $1 for $2" >&2
  # shellcheck disable=SC2046
  (cd "$folder/partial" && APT_CONFIG=$configuration apt-get --quiet --quiet download $(awk -v s="$1" -v a="$2" '$1 == s && $2 == a { print $3 "=" $4 }' "$3"))
  while read -r suite architecture name version digest file; do
    [ "$suite/$architecture" = "$1/$2" ] || continue
    if ! has_digest "$folder/partial/$file" "$digest"; then
      echo "arm64: $name $version was downloaded with another SHA-256 than the lock's: refused" >&2
      rm -f "$folder/partial/$file"
      return 1
    fi
    mv "$folder/partial/$file" "$folder/$file"
  done <"$3"
}
