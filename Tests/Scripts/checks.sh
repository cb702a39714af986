#!/usr/bin/env bash
# What the release build has to show: no allocation, the confinement, mutants, the suites' vectors, visits from end to end, the image's
# parts. The mutants take one processor for two minutes; the rest has the other. The first that fails ends it.
#
#   Tests/Scripts/checks.sh FOLDER PYTEST...     the folder of the programs; the command for the tests in Python
set -euo pipefail
cd "$(dirname "$0")/../.."
programs=$1
shift
mutants=$(mktemp)
{ "$programs/mutation-check" && "$programs/mutation-check" --proofs 4000; } >"$mutants" 2>&1 &
mutation=$!
trap 'kill "$mutation" 2>/dev/null || true; rm -f "$mutants"' EXIT
"$programs/allocation-check"
"$programs/confinement-check"
Tests/Scripts/mdoc.sh "$programs"
Tests/Scripts/trustedkey.sh "$programs"
Tests/Scripts/anoncreds.sh "$programs"
Tests/Scripts/aries.sh "$programs"
# One after the other: both have a test_certificates.py, and Python takes modules by their names.
"$@" Tests/Peers
"$@" Tests/Image
"$@" Tests/Packages
status=0
wait "$mutation" || status=$?
cat "$mutants"
exit "$status"
