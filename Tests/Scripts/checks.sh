#!/usr/bin/env bash
# Makes the release build, and what it has to show: units, no allocation, the confinement, mutants, the suites' vectors, visits from end to
# end, the image's parts and the packages', the radio's without allocation. The parts need no program: they are looked at while the programs
# are compiled, for four minutes one module after the other. Most visits wait for somebody: beside them the units are compiled and tested,
# and the mutants tried. The first of the others that fails ends it.
#
#   Tests/Scripts/checks.sh FOLDER PYTEST...     the folder of the programs once they are built; the command for the tests in Python
set -euo pipefail
cd "$(dirname "$0")/../.."
programs=$1
shift
logs=$(mktemp --directory)
declare -A beside
# Each leads a group of processes. SwiftPM ends its own, which have groups of theirs, when it is interrupted.
# shellcheck disable=SC2317
stop() {
  local name
  for name in "${!beside[@]}"; do
    kill -INT -- "-${beside[$name]}" 2>/dev/null || true
    wait "${beside[$name]}" || true
    cat "$logs/$name"
  done
  rm -rf "$logs"
}
trap stop EXIT
# beside NAME COMMAND...: what it says is shown at the end.
beside() {
  local name=$1
  shift
  set -m
  nice -n 10 "$@" >"$logs/$name" 2>&1 </dev/null &
  set +m
  beside[$name]=$!
}
# Runs of their own: Python takes modules by their names, and a test_certificates.py is among the visits, too.
# shellcheck disable=SC2016
beside parts bash -ec 'make --no-print-directory embedded; "$@" -n 2 Tests/Image; "$@" -n 2 Tests/Packages' bash "$@"
# Compiled once, the visits' tests are not compiled by eight at the same time. What does not compile is said there.
GATEHOUSE=reference nice -n 10 "$@" -n 0 --collect-only Tests/Peers >/dev/null 2>&1 &
swift build --configuration release
# shellcheck disable=SC2016
beside mutants bash -ec '"$0/mutation-check" && "$0/mutation-check" --proofs 4000' "$programs"
beside units Tests/Scripts/units.sh
"$programs/allocation-check"
"$programs/confinement-check"
Tests/Scripts/mdoc.sh "$programs"
Tests/Scripts/trustedkey.sh "$programs"
Tests/Scripts/anoncreds.sh "$programs"
Tests/Scripts/aries.sh "$programs"
"$@" Tests/Peers
failed=0
for name in mutants units parts; do
  status=0
  wait "${beside[$name]}" || status=$?
  unset "beside[$name]"
  cat "$logs/$name"
  [ "$status" = 0 ] || { echo "checks: $name: exit code $status" >&2; failed=1; }
done
exit "$failed"
