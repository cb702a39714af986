# The Debian archive, for packages of another suite or processor than this machine's: by apt, with folders of its own. Sourced by lock.sh.
#
#   mirrors                             the addresses of the archive, and of its security updates
#   index SUITE ARCHITECTURE            fetches that suite's signed index once; prints the path of an apt configuration.
#                                       ARCHITECTURE `source`: that of the source packages
#   versions SUITE ARCHITECTURE NAME…   what the archive has of these, in lines of `name version`
#   newest_kernel SUITE ARCHITECTURE METAPACKAGE   the kernel package that the metapackage stands for
#
# apt checks the archive's signature over the index, and the index's digest over each download. $scratch is a folder of the script that
# sources this, for the indexes: they are not kept, because they name the mirror.
kept=${GATEHOUSE_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/gatehouse}

# Those that this machine's own apt uses; DEBIAN_MIRROR names others, by spaces, such as a snapshot that still has the versions of an old
# lock.
mirrors() {
  # shellcheck disable=SC2016,SC2086
  if [ -n "${DEBIAN_MIRROR:-}" ]; then
    printf '%s\n' $DEBIAN_MIRROR
  else
    apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT) $(ORIGIN)' 'Created-By: Packages' 2>/dev/null |
      awk '$2 ~ /^(bookworm|trixie|forky|sid)(-security)?$/ && $3 == "main" && $4 ~ /^(Debian|[$].*)$/ { print $1 }'
  fi | awk '
    { sub("/*$", "") }
    /security/ { if (!security) security = $0; next }
    !main { main = $0 }
    END {
      if (!main) { print "debian: no Debian mirror in this machine\047s apt; DEBIAN_MIRROR=address names one" >"/dev/stderr"; exit 1 }
      print main; if (security) print security
    }'
}

index() {
  local suite=$1 architecture=$2 folder=$scratch/$1-$2 all uri kind=deb options
  # Source packages have an index of their own, the same for every processor.
  [ "$2" != source ] || { kind=deb-src architecture=amd64; }
  options="arch=$architecture signed-by=/usr/share/keyrings/debian-archive-keyring.gpg"
  if [ ! -e "$folder/apt.conf" ]; then
    all=$(mirrors) || return
    rm -rf "$folder"
    mkdir -p "$folder"/{lists/partial,cache/archives/partial,etc/apt.conf.d,etc/sources.list.d,etc/preferences.d,etc/trusted.gpg.d}
    : >"$folder/status"
    # A snapshot, or a mirror's copy of sid, may be past the date its Release file is good for.
    [ -z "${DEBIAN_MIRROR:-}" ] && [ "$suite" != sid ] || options+=' check-valid-until=no'
    for uri in $all; do
      case $uri in
        *security*) [ "$suite" = sid ] || echo "$kind [$options] $uri $suite-security main non-free-firmware" ;;
        *) echo "$kind [$options] $uri $suite main non-free-firmware" ;;
      esac
    done >"$folder/etc/sources.list"
    cat >"$folder/apt.conf.new" <<END
APT::Architecture "$architecture";
APT::Architectures { "$architecture"; };
APT::Install-Recommends "false";
APT::Sandbox::User "";
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
Dir::State::status "$folder/status";
Dir::Cache "$folder/cache";
END
    echo "debian: the index of $suite for $2" >&2
    # An index that is not to be had is no empty one.
    APT_CONFIG=$folder/apt.conf.new apt-get --quiet --quiet --error-on=any update >&2 || return
    mv "$folder/apt.conf.new" "$folder/apt.conf"
  fi
  echo "$folder/apt.conf"
}

versions() {
  local configuration
  configuration=$(index "$1" "$2") || return
  shift 2
  # It fails where one of the names is unknown.
  { APT_CONFIG=$configuration apt-cache madison "$@" 2>/dev/null || true; } | awk -F' *[|] *' '$3 ~ / Packages$/ { sub("^ *", "", $1); print $1, $2 }'
}

newest_kernel() {
  local configuration
  configuration=$(index "$1" "$2") || return
  APT_CONFIG=$configuration apt-cache depends "$3" | awk '$1 == "Depends:" && $2 ~ /^linux-image-[0-9]/ && !found { print $2; found = 1 } END { exit !found }'
}
