# Debian packages of another suite than this machine's, or for another processor, unpacked and never installed. Read by build.sh.
#
#   archive DIR SUITE [ARCHITECTURE]  makes a private apt folder and fetches the suite's signed index; amd64 where none is named
#   fetch DIR FOLDER PACKAGE…  downloads exactly these packages into FOLDER, checked against packages.lock
#   closure DIR PACKAGE…       the names of these packages and of all they depend on
#
# apt checks the archive's signature over every package. packages.lock says besides which versions the tests were written with, each
# with its SHA-256, and with the processor where there are several. Where the archive has moved on, the newer version is used and named;
# MACHINE_PINNED=1 makes that an error.

lock=$here/packages.lock

# The mirror is the one this machine's own apt uses.
mirror() {
  apt-get indextargets --format '$(REPO_URI) $(RELEASE)' 'Created-By: Packages' 2>/dev/null |
    awk '$2 == "bookworm" || $2 == "trixie" || $2 == "sid" { print $1; exit }' | sed 's#/*$##'
}

# Its security updates, where it has them: empty where not.
security() {
  apt-get indextargets --format '$(REPO_URI) $(RELEASE)' 'Created-By: Packages' 2>/dev/null |
    awk '$2 ~ /^(bookworm|trixie)-security$/ { print $1; exit }' | sed 's#/*$##'
}

archive() {
  local folder=$1 suite=$2 architecture=${3:-amd64} uri
  uri=$(mirror)
  [ -n "$uri" ] || { echo "machine: no Debian mirror in this machine's apt" >&2; return 1; }
  mkdir -p "$folder"/{lists/partial,cache/archives/partial,etc/apt.conf.d,etc/sources.list.d,etc/preferences.d,etc/trusted.gpg.d,dpkg}
  : >"$folder/dpkg/status"
  echo "deb [arch=$architecture signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $uri $suite main" >"$folder/etc/sources.list"
  # The image takes its kernel from there; the test machine's lock was made without.
  if [ -n "${with_security:-}" ] && [ -n "$(security)" ]; then
    echo "deb [arch=$architecture signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $(security) $suite-security main" >>"$folder/etc/sources.list"
  fi
  cat >"$folder/apt.conf" <<END
APT::Architecture "$architecture";
APT::Architectures { "$architecture"; };
APT::Install-Recommends "false";
APT::Sandbox::User "root";
Acquire::Languages "none";
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
  echo "$architecture" >"$folder/architecture"
  APT_CONFIG=$folder/apt.conf apt-get --quiet --quiet update
}

closure() {
  local folder=$1
  shift
  APT_CONFIG=$folder/apt.conf apt-get --quiet --simulate install "$@" | awk '$1 == "Inst" { print $2 }'
}

# The version of a package that is pinned for this processor, and its SHA-256.
locked() {
  awk -v p="$1" -v a="$architecture" '$2 == p && (NF == 3 || $4 == a) { print $3, $1 }' "$lock"
}

fetch() {
  local folder=$1 into=$2 architecture package version wanted pinned=() moved=()
  architecture=$(cat "$folder/architecture")
  shift 2
  for package in "$@"; do
    wanted=$(locked "$package" | cut -d' ' -f1)
    version=$(APT_CONFIG=$folder/apt.conf apt-cache madison "$package" | awk -F' *[|] *' '{ print $2 }')
    if [ -n "$wanted" ] && grep -qxF -- "$wanted" <<<"$version"; then
      pinned+=("$package=$wanted")
    else
      moved+=("$package: ${wanted:-not pinned}, found $(head -1 <<<"$version")")
      pinned+=("$package")
    fi
  done
  if [ ${#moved[@]} -gt 0 ]; then
    printf 'machine: the archive has moved on, what it has now is used: %s\n' "${moved[@]}" >&2
    [ -z "${MACHINE_PINNED:-}" ] || return 1
  fi
  mkdir -p "$into"
  (cd "$into" && APT_CONFIG=$folder/apt.conf apt-get --quiet --quiet download "${pinned[@]}")
  local file digest
  for file in "$into"/*.deb; do
    read -r package version < <(dpkg-deb --show --showformat '${Package} ${Version}\n' "$file")
    digest=$(locked "$package" | awk -v v="$version" '$1 == v { print $2 }')
    if [ -n "$digest" ]; then
      echo "$digest  $file" | sha256sum --check --quiet --strict - || { echo "machine: $package $version is not the package that was pinned" >&2; return 1; }
    fi
    # For a new lock: MACHINE_LOCK=file collects what was taken.
    [ -z "${MACHINE_LOCK:-}" ] || echo "$(sha256sum "$file" | cut -d' ' -f1) $package $version $architecture" >>"$MACHINE_LOCK"
  done
}

# Unpacks a package, keeping the links of a merged /usr.
unpack() {
  dpkg-deb --fsys-tarfile "$1" | tar --extract --keep-directory-symlink --directory "$2"
}

# A folder that packages can be unpacked into.
root() {
  mkdir -p "$1"
  local name
  for name in bin sbin lib lib64; do
    mkdir -p "$1/usr/$name"
    ln -sfn "usr/$name" "$1/$name"
  done
}
