#!/usr/bin/env bash
# The suites' Trusted Key vectors by trustedkey-check. Says where they are not there.
#
#   Tests/Scripts/trustedkey.sh [FOLDER OF trustedkey-check]
set -euo pipefail
cd "$(dirname "$0")/../.."
folder=${GATEHOUSE_SUITES:-../shared/data}/trustedkey
if [ ! -f "$folder/index.json" ]; then
  echo "trustedkey-check: skipped, $folder is not there"
  exit 0
fi
echo "trustedkey-check"
"${1:-.build/release}/trustedkey-check" "$folder"
