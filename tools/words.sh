#!/bin/sh
# words.sh FOLDER writes a sheet of the screen's words for each language of tools/words into FOLDER (tools/words/sheets.py), with Debian's
# Pillow, FriBidi and Noto fonts. It does nothing where sheets of these words by these packages are there.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
"$root/image/host.sh" python3 python3-pil libfribidi0 fonts-noto-core
mkdir -p "$1"
# Several may want them at once: the first one writes, the others find them there.
exec 9>"$1/.lock"
flock 9
of=$(cat "$root"/tools/words/*.po "$root"/tools/words/*.pot "$root/tools/words/sheets.py" | sha256sum; dpkg-query -W python3-pil libfribidi0 fonts-noto-core)
if [ -f "$1/.of" ] && [ "$of" = "$(cat "$1/.of")" ] && (cd "$1" && sha256sum --check --status .sheets 2>/dev/null); then exit; fi
# Not whatever python3 comes first on the path: Debian's has Debian's Pillow.
/usr/bin/python3 "$root/tools/words/sheets.py" "$root/tools/words" "$1"
(cd "$1" && sha256sum ./*.sheet >.sheets)
echo "$of" >"$1/.of"
