#!/usr/bin/env bash
# Line coverage of the radio core, Bluetooth, Tuvali, MdocTransport and AriesTransport, by its tests and the gate's. Prints it for each file
# and each module, then every line that no test reached; ends with status 1 when a module has less than COVERAGE_LINES (95) per cent.
set -euo pipefail
cd "$(dirname "$0")/../.."
scratch=.build-coverage
tools=$(dirname "$(readlink -f "$(command -v swift)")")
least=${COVERAGE_LINES:-95}

swift test --scratch-path "$scratch" --enable-code-coverage --parallel --filter \
  'BluetoothTests|TuvaliTests|MdocTransportTests|AriesTransportTests|PresentationTests|VisitTests'
profile=$scratch/debug/codecov/default.profdata
tests=$(find "$scratch/debug/" -maxdepth 1 -name '*.xctest' -type f | head -n 1)

failed=0
for module in Bluetooth Tuvali MdocTransport AriesTransport; do
  # Name, lines, lines not reached.
  "$tools/llvm-cov" export "$tests" -instr-profile="$profile" -summary-only "Sources/Radio/$module" | python3 -c '
import json, os, sys
module, least = sys.argv[1], float(sys.argv[2])
report = json.load(sys.stdin)["data"][0]
for file in sorted(report["files"], key=lambda file: file["summary"]["lines"]["percent"]):
    lines = file["summary"]["lines"]
    name = os.path.relpath(file["filename"], "Sources/Radio")
    print("%7.2f %%  %4d of %4d lines  %s" % (lines["percent"], lines["covered"], lines["count"], name))
lines = report["totals"]["lines"]
print("%7.2f %%  %4d of %4d lines  %s (at least %g %%)" % (lines["percent"], lines["covered"], lines["count"], module, least))
sys.exit(lines["percent"] < least)' "$module" "$least" || failed=1
done
echo 'not reached by any test:'
"$tools/llvm-cov" show "$tests" -instr-profile="$profile" Sources/Radio/{Bluetooth,Tuvali,MdocTransport,AriesTransport} |
  awk '/^\/.*:$/ { file = $0; sub(/.*\/Sources\/Radio\//, "", file); sub(/:$/, "", file) }
    /^ *[0-9]+\| +0\|/ { split($0, part, "|"); print "  " file ":" part[1] + 0 ": " substr($0, length(part[1]) + length(part[2]) + 3) }'
exit $failed
