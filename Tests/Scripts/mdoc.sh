#!/usr/bin/env bash
# The suites' mdoc vectors by mdoc-check: sessions, engagements, framings. Says which are not there.
#
#   Tests/Scripts/mdoc.sh [FOLDER OF mdoc-check]
set -euo pipefail
cd "$(dirname "$0")/../.."
check=${1:-.build/release}/mdoc-check
suites=${GATEHOUSE_SUITES:-../shared/data}
failed=0
for name in cases engagements framing generated_cases; do
  file=$suites/mdoc/$name.json
  if [ ! -f "$file" ]; then
    echo "mdoc-check: skipped, $file is not there"
    continue
  fi
  echo "mdoc-check $name"
  "$check" "$file" || failed=1
done
if [ -f "$suites/mdoc/cases.json" ]; then "$check" "$suites/mdoc/cases.json" mutants 10000 || failed=1; fi
exit $failed
