#!/usr/bin/env bash
# Says what was built: each program's size, kind, and the libraries the board has to have for it.
#
#   image/arm64/report.sh FOLDER PROGRAM…
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
folder=$1
shift
# shellcheck disable=SC2016
"$here/inside.sh" "$folder" bash -euc '
  cd .build/out
  for program in "$@"; do
    printf "%-20s %9d octets  %s\n%31s needs %s\n" "$program" "$(stat --format %s "$program")" \
      "$(file --brief "$program" | mawk -F", " "{ print \$1 \", \" \$2 }")" "" \
      "$(readelf --dynamic --wide "$program" | mawk -F"[][]" "/NEEDED/ { printf \"%s \", \$2 }")"
  done
' report "$@"
