#!/usr/bin/env bash
# The suites' vectors of DIDComm v1 and Aries by aries-check: envelopes, messages, pieces. Says so where they are not there.
#
#   Tests/Scripts/aries.sh [FOLDER OF aries-check]
set -euo pipefail
cd "$(dirname "$0")/../.."
check=${1:-.build/release}/aries-check
folder=${GATEHOUSE_SUITES:-../shared/data}/aries
if [ ! -f "$folder/envelopes.json" ]; then
  echo "aries-check: skipped, $folder is not there"
  exit 0
fi
echo 'aries-check'
"$check" "$folder"
