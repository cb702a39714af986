#!/usr/bin/env bash
# ACA-Py's envelopes for Tests/Peers/oracles/test_aries.py, in a Python environment of their own, .build/acapy: its packages would fix
# versions of what the other peers need. Prints the path of that Python. Installs nothing when it is up to date.
#
# ACA-Py asks for a newer Python than Debian 12 has; what it does with envelopes does not, so that demand is left out of account.
# Exits 3 where the packages cannot be had.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
wanted=$root/Tests/Peers/oracles/acapy.lock
folder=$root/.build/acapy
stamp=$folder/acapy.lock
if ! cmp -s "$wanted" "$stamp"; then
  rm -rf "$folder"
  mkdir -p "$root/.build"
  python3 -m venv "$folder" >&2
  if ! "$folder/bin/pip" install --quiet --disable-pip-version-check --no-deps --ignore-requires-python --requirement "$wanted" >&2; then
    echo "acapy: the packages of $wanted cannot be installed" >&2
    exit 3
  fi
  cp "$wanted" "$stamp"
fi
echo "$folder/bin/python"
