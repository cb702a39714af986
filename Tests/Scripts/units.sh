#!/usr/bin/env bash
# The modules' tests, of the release build: says what failed, what was skipped, and the last line; all of it where it is not even a test
# that failed.
set -euo pipefail
cd "$(dirname "$0")/../.."
log=$(mktemp)
trap 'rm -f "$log"' EXIT
swift build --quiet --configuration release --build-tests
status=0
swift test --configuration release --skip-build --parallel >"$log" 2>&1 || status=$?
grep -aE 'recorded an issue|skipped|✘' "$log" || [ "$status" = 0 ] || cat "$log"
tail -n 1 "$log"
exit "$status"
