#!/usr/bin/env bash
# gooseBit, a server of hawkBit's protocol, for Tests/Update and Tests/Image, in a Python environment of its own, .build/goosebit: its
# packages would fix versions of what the other peers need. Prints the path of that Python. Installs nothing when it is up to date.
# Exits 3 where the packages cannot be had.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
wanted=$root/Tests/Peers/fleet/goosebit.lock
folder=$root/.build/goosebit
stamp=$folder/goosebit.lock
if ! cmp -s "$wanted" "$stamp"; then
  rm -rf "$folder"
  mkdir -p "$root/.build"
  python3 -m venv "$folder" >&2
  if ! "$folder/bin/pip" install --quiet --disable-pip-version-check --no-deps --requirement "$wanted" >&2; then
    echo "goosebit: the packages of $wanted cannot be installed" >&2
    exit 3
  fi
  cp "$wanted" "$stamp"
fi
echo "$folder/bin/python"
