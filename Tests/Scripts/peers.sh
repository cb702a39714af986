#!/bin/sh
# Makes .venv at the root of the repository from Tests/Peers/requirements.txt, and puts the folders of Tests/Peers on its Python's path:
# their modules are imported by their bare names, from tests and scripts of every folder. Installs nothing when it is up to date.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
wanted="$root/Tests/Peers/requirements.txt"
stamp="$root/.venv/requirements.txt"

if ! cmp -s "$wanted" "$stamp" || [ ! -x "$root/.venv/bin/python" ]; then
    # Debian's own is compiled with a profile of its work: a third faster than what a version manager compiles.
    python=/usr/bin/python3
    [ -x "$python" ] || python=python3
    if ! "$python" -c 'import ensurepip, venv' 2>/dev/null; then
        echo "peers: installing python3-venv"
        if [ "$(id -u)" = 0 ]; then sudo=; else sudo=sudo; fi
        $sudo apt-get install --quiet --yes python3-venv >/dev/null
    fi
    "$python" -m venv "$root/.venv"
    # Not compiled in advance: most of it is never imported.
    "$root/.venv/bin/pip" install --quiet --disable-pip-version-check --no-compile --requirement "$wanted"
    cp "$wanted" "$stamp"
    echo "peers: .venv is ready"
fi

# Relative to the file that holds them (docs.python.org/3/library/site.html), so that a clone may be moved.
for packages in "$root"/.venv/lib/python3*/site-packages; do
    for module in "$root"/Tests/Peers/*/*.py; do
        echo "../../../../Tests/Peers/$(basename "$(dirname "$module")")"
    done | sort -u >"$packages/peers.pth"
done
