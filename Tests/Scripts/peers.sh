#!/bin/sh
# Makes .venv at the root of the repository from Tests/Peers/requirements.txt. Does nothing when it is up to date.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
wanted="$root/Tests/Peers/requirements.txt"
stamp="$root/.venv/requirements.txt"

cmp -s "$wanted" "$stamp" && [ -x "$root/.venv/bin/python" ] && exit 0

if ! python3 -c 'import ensurepip, venv' 2>/dev/null; then
    echo "peers: installing python3-venv"
    if [ "$(id -u)" = 0 ]; then sudo=; else sudo=sudo; fi
    $sudo apt-get install --quiet --yes python3-venv >/dev/null
fi
python3 -m venv "$root/.venv"
"$root/.venv/bin/pip" install --quiet --disable-pip-version-check --requirement "$wanted"
cp "$wanted" "$stamp"
echo "peers: .venv is ready"
