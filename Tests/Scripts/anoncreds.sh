#!/usr/bin/env bash
# The suites' AnonCreds vectors by anoncreds-check. Says so where they are not there.
#
#   Tests/Scripts/anoncreds.sh [FOLDER OF anoncreds-check]
set -euo pipefail
cd "$(dirname "$0")/../.."
folder=${GATEHOUSE_SUITES:-../shared/data}/anoncreds
if [ ! -d "$folder" ]; then
  echo "anoncreds-check: skipped, $folder is not there"
  exit 0
fi
"${1:-.build/release}/anoncreds-check" "$folder"
