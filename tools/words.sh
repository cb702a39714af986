#!/bin/sh
# words.sh FOLDER writes a sheet of the screen's words for each language of tools/words into FOLDER (tools/words/sheets.py), with Debian's
# Pillow, FriBidi and Noto fonts.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
"$root/image/host.sh" python3 python3-pil libfribidi0 fonts-noto-core
# Not whatever python3 comes first on the path: Debian's has Debian's Pillow.
exec /usr/bin/python3 "$root/tools/words/sheets.py" "$root/tools/words" "$1"
