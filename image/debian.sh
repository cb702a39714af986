# Sourced. Debian packages for another architecture, without touching this machine's own apt: a private configuration, locks, a cache.
# A lock has one package a line: name, version, architecture, SHA-256 of the file, what it is for (root, kernel, files), by tabs.
cache=${GATEHOUSE_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/gatehouse}
debs=$cache/debs
suite=trixie
architecture=arm64

# The mirrors that this machine's own apt uses: URI and suite a line, security updates too where it has them.
# DEBIAN_MIRROR names another, such as a snapshot that still has the versions of an old lock.
mirrors() {
    if [ -n "${DEBIAN_MIRROR:-}" ]; then echo "$DEBIAN_MIRROR $suite"; return; fi
    local uris
    uris=$(awk '/^URIs:/ { for (i = 2; i <= NF; i++) print $i }' /etc/apt/sources.list.d/debian.sources 2>/dev/null || true)
    [ -n "$uris" ] ||
        uris=$(awk '$1 == "deb" { for (i = 2; i <= NF; i++) if ($i ~ /^https?:/) { print $i; break } }' /etc/apt/sources.list 2>/dev/null || true)
    [ -n "$uris" ] || { echo "no Debian mirror in this machine's apt sources: set DEBIAN_MIRROR" >&2; return 1; }
    echo "$uris" | sort -u | awk -v suite=$suite '{ print $1, /security/ ? suite "-security" : suite }'
}

# Prints the path of a private apt configuration with fresh lists.
private_apt() {
    local folder=$cache/apt/$suite-$architecture keyring=/usr/share/keyrings/debian-archive-keyring.gpg
    # Lists are fetched once an hour: a lock is renewed seldom, and a missing package asks for them at once.
    if [ -z "$(find "$folder/updated" -mmin -60 2>/dev/null)" ]; then
        mkdir -p "$folder"/{etc/apt.conf.d,etc/preferences.d,etc/trusted.gpg.d,state/lists/partial,archives/partial}
        : > "$folder/status"
        mirrors | awk -v keyring=$keyring '{ print "deb [signed-by=" keyring "] " $1, $2, "main non-free-firmware" }' > "$folder/etc/sources.list"
        cat > "$folder/apt.conf" <<A
APT::Architecture "$architecture";
APT::Architectures { "$architecture"; };
APT::Install-Recommends "false";
APT::Sandbox::User "";
Acquire::Languages "none";
Acquire::Retries "5";
Dir::Etc "$folder/etc";
Dir::Etc::Parts "$folder/etc/apt.conf.d";
Dir::State "$folder/state";
Dir::State::status "$folder/status";
Dir::Cache "$folder";
A
        APT_CONFIG=$folder/apt.conf apt-get update -qq >&2
        touch "$folder/updated"
    fi
    echo "$folder/apt.conf"
}

# deb_file NAME VERSION ARCHITECTURE: where the cache keeps that package.
deb_file() { echo "$debs/$1_${2//:/%3a}_$3.deb"; }

# fetch LOCK...: every package of the locks lies in the cache and is the one that was locked.
fetch() {
    local name version arch digest purpose file missing=()
    mkdir -p "$debs"
    while IFS=$'\t' read -r name version arch digest purpose; do
        file=$(deb_file "$name" "$version" "$arch")
        [ -s "$file" ] && [ "$(sha256sum < "$file")" = "$digest  -" ] && continue
        rm -f "$file"
        missing+=("$name=$version")
    done < <(cat "$@" | grep -v '^#')
    if [ ${#missing[@]} -gt 0 ]; then
        echo "downloading ${#missing[@]} Debian packages" >&2
        local configuration; configuration=$(private_apt)
        (cd "$debs" && APT_CONFIG=$configuration apt-get download -qq "${missing[@]}" >&2) || {
            echo "the mirror has not all of the locked versions: set DEBIAN_MIRROR to a snapshot that has, or renew the lock (image/lock.sh)" >&2
            return 1
        }
    fi
    while IFS=$'\t' read -r name version arch digest purpose; do
        file=$(deb_file "$name" "$version" "$arch")
        [ "$(sha256sum < "$file")" = "$digest  -" ] || { echo "$name $version is not the file that was locked" >&2; rm -f "$file"; return 1; }
    done < <(cat "$@" | grep -v '^#')
}

# unpack DEB FOLDER [tar options]
unpack() {
    local deb=$1 folder=$2
    shift 2
    mkdir -p "$folder"
    dpkg-deb --fsys-tarfile "$deb" | tar -x -C "$folder" --keep-directory-symlink --no-same-owner "$@"
}
