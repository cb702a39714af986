#!/usr/bin/env bash
# Fuzzes what a stranger can reach: libFuzzer with address sanitizer, one target after the other. Coverage-guided inputs
# are kept in .build-fuzz/corpus and used again; what breaks a rule is written to .build-fuzz/findings. Every run begins with what lies in
# Tests/Fuzz/Corpus as well: small inputs that earlier runs found, one a line in base64, and those that once broke a rule, by name.
#
#   Tests/Scripts/fuzz.sh [seconds] [target ...]       60 seconds for each target; FUZZ_SECONDS does the same
#   Tests/Scripts/fuzz.sh keep [target ...]            renews Tests/Fuzz/Corpus: the fewest of all inputs that reach the same
#   FUZZ_TARGET=<target> .build-fuzz/fuzz <finding>    runs one input again
#   FUZZ_QUICK=1                                       without optimization, compiled in half the time, into .build-fuzz/quick
set -euo pipefail
cd "$(dirname "$0")/../.."
out=$PWD/.build-fuzz how=(-O -g)
# Without -g: unoptimized and with it, the driver wraps each module into an object of the name that the module's own has.
[ -z "${FUZZ_QUICK:-}" ] || out=$out/quick how=(-Onone)
# As the program lists them: the cases of its `Target`.
read -r -a targets <<<"$(sed -n '/^enum Target/,/^    func/s/^    case //p' Tests/Fuzz/Main.swift | tr ',\n' '  ')"
seconds=${FUZZ_SECONDS:-60}
keeps=
if [ "${1:-}" = keep ]; then keeps=1; shift; fi
if [[ ${1:-} =~ ^[0-9]+$ ]]; then seconds=$1; shift; fi
[ $# -eq 0 ] || targets=("$@")

flags=("${how[@]}" -wmo -parse-as-library -swift-version 6 -package-name gatehouse -enable-testing "-sanitize=fuzzer,address" -I "$out")
# Every C target and every system library: the folder with its module map.
while read -r map; do flags+=(-I "$(dirname "$map")"); done < <(find Sources/Libraries/C* Tests/Support/C{JPEG,Portrait}Encoding -name module.modulemap)
mkdir -p "$out"
objects=()
rebuilt=
# Compiles one module unless its object is newer than its sources and no module before it was compiled.
module() {
  local name=$1 object=$out/$1.o
  shift
  local sources=()
  mapfile -t sources < <(find "$@" -name '*.swift' | sort)
  objects+=("$object")
  if [ -z "$rebuilt" ] && [ -f "$object" ] && [ -z "$(find "$@" Tests/Scripts/fuzz.sh -newer "$object" -print -quit)" ]; then return; fi
  rebuilt=1
  echo "fuzz: compiling $name"
  rm -f "$object"
  swiftc "${flags[@]}" -module-name "$name" -emit-module -emit-module-path "$out/$name.swiftmodule" -c "${sources[@]}" -o "$object"
}
for source in Sources/Libraries/C*/*.c Tests/Support/C{JPEG,Portrait}Encoding/*.c; do
  # The relay's alone, with libraries that nothing here needs.
  case $source in */CCurl/* | */CTLS/*) continue ;; esac
  object=$out/$(basename "$source" .c).c.o
  if [ ! -f "$object" ] || [ "$source" -nt "$object" ]; then
    rebuilt=1
    clang -O1 -g -fsanitize=fuzzer-no-link,address -I"$(dirname "$source")/include" -c "$source" -o "$object"
  fi
  objects+=("$object")
done
module Bluetooth Sources/Radio/Bluetooth
module Tuvali Sources/Radio/Tuvali
module MdocTransport Sources/Radio/MdocTransport
module AriesTransport Sources/Radio/AriesTransport
module HTTP Sources/Network/HTTP
module ListenerProtocol Sources/Network/ListenerProtocol
module Cryptography Sources/Verification/Cryptography
module JSON Sources/Verification/JSON
module AnonCreds Sources/Verification/AnonCreds
module CBOR Sources/Verification/CBOR
module LinkedData Sources/Verification/LinkedData
module Envelopes Sources/Verification/Envelopes
module DIDComm Sources/Verification/DIDComm
module TrustedKeyWallet Sources/Verification/TrustedKeyWallet
module Mdoc Sources/Verification/Mdoc
module Trust Sources/Verification/Trust
module Credentials Sources/Verification/Credentials
module VisionProtocol Sources/Vision/VisionProtocol
module Faces Sources/Vision/Faces
module Pictures Sources/Vision/Pictures
module Presentation Sources/Gate/Presentation
module Door Sources/Gate/Door
module Visit Sources/Gate/Visit
module Linux Sources/Board/Linux
module Devices Sources/Board/Devices
module Audit Sources/Board/Audit
module RelayState Sources/Board/RelayState
module Relay Sources/Board/Relay
module Appliance Sources/Board/Appliance
# By its whole path: that is how it finds the vectors.
module TestSupport "$PWD/Tests/Support/TestSupport"
module ClaimTestSupport Tests/Support/ClaimTestSupport
module Fuzz Tests/Fuzz Tests/Unit/CryptographyTests/CertificateFixtures.swift Tests/Unit/LinkedDataTests/NQuadsParser.swift \
  Tests/Unit/MdocTests/DocumentFixtures.swift Tests/Unit/MdocTests/TestDocument.swift \
  Tests/Unit/MdocTests/ListsFixtures.swift Tests/Unit/MdocTests/TestList.swift \
  Tests/Unit/TrustedKeyWalletTests/TestAnswer.swift Tests/Unit/AnonCredsTests/TestBundle.swift Tests/Unit/AnonCredsTests/Vectors.swift
if [ -n "$rebuilt" ] || [ ! -x "$out/fuzz" ]; then
  # The linker warns of each of the sanitizer's assembler symbols.
  swiftc "-sanitize=fuzzer,address" "${objects[@]}" -lcrypto -lsodium -lz -ljpeg -lpng16 -lwebp -lopenjp2 -ldav1d -o "$out/fuzz" 2> >(grep -v 'Cannot export local symbol' >&2)
fi

# The finding is the message and the input; Swift's own report of a crash takes a minute under the sanitizer.
export SWIFT_BACKTRACE=enable=no
mkdir -p "$out/findings"
failed=0
# The kept inputs of a target as files, which is what libFuzzer reads.
unpack() {
  local target=$1 folder=$out/seeds/$1 name text number=0
  rm -rf "$folder" && mkdir -p "$folder"
  [ -f "Tests/Fuzz/Corpus/$target.txt" ] || return 0
  while read -r name text; do
    [ "$name" != - ] || name=$((number += 1))
    base64 -d <<<"$text" >"$folder/$name"
  done <"Tests/Fuzz/Corpus/$target.txt"
}
# What is worth keeping is small: it is read in every run and in every clone.
keep() {
  local target=$1 kept=Tests/Fuzz/Corpus/$1.txt fewest=$out/kept/$1 longest=1024 most=32768
  case $target in json | cbor) longest=256 ;; certificate | aries | trustedkey) longest=2048 ;; esac
  unpack "$target"
  rm -rf "$fewest" && mkdir -p "$fewest" "$out/corpus/$target"
  FUZZ_TARGET=$target "$out/fuzz" -set_cover_merge=1 -max_len=$longest "$fewest" "$out/seeds/$target" "$out/corpus/$target" >"$out/$target.log" 2>&1
  local size=0 file length
  {
    # What has a name was kept for a reason.
    [ ! -f "$kept" ] || grep -v '^- ' "$kept" || true
    while read -r length file; do
      [ "$length" -gt 0 ] || continue
      [ $((size += length)) -le $most ] || break
      echo "- $(base64 -w0 "$file")"
    done < <(find "$fewest" -type f -printf '%s %p\n' | sort -n)
  } >"$kept.new"
  mv "$kept.new" "$kept"
  printf 'fuzz %-12s %5d inputs kept, %6d octets\n' "$target" "$(wc -l <"$kept")" "$(wc -c <"$kept")"
}
for target in "${targets[@]}"; do
  if [ -n "$keeps" ]; then
    keep "$target"
    continue
  fi
  corpus=$out/corpus/$target log=$out/$target.log
  if [ ! -d "$corpus" ] || [ "$out/fuzz" -nt "$corpus" ]; then
    mkdir -p "$corpus"
    FUZZ_TARGET=$target FUZZ_SEEDS=$corpus "$out/fuzz"
    touch "$corpus"
  fi
  unpack "$target"
  folders=("$corpus" "$out/seeds/$target")
  # As long as what the target is about: a whole presentation, an answer with its certificates.
  longest=4096
  case $target in anoncreds) longest=32768 ;; aries | trustedkey) longest=8192 ;; esac
  # The timeout is for an endless loop: an input that takes ten seconds here may take a hundred on a machine that has others to serve.
  options=(-max_total_time="$seconds" -timeout=300 -report_slow_units=300 -rss_limit_mb=2048 -print_final_stats=1 -max_len="$longest" -artifact_prefix="$out/findings/$target-")
  [ ! -f "Tests/Fuzz/Corpus/$target.dict" ] || options+=(-dict="Tests/Fuzz/Corpus/$target.dict")
  result=ok
  FUZZ_TARGET=$target "$out/fuzz" "${options[@]}" "${folders[@]}" >"$log" 2>&1 || result=FAILED
  runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
  rate=$(sed -n 's/^stat::average_exec_per_sec: *//p' "$log")
  coverage=$(grep -o 'cov: [0-9]* ft: [0-9]*' "$log" | tail -n 1 || true)
  printf 'fuzz %-12s %10s runs %7s/s  %-24s %s\n' "$target" "${runs:-?}" "${rate:-?}" "${coverage:-}" "$result"
  if [ "$result" != ok ]; then
    failed=1
    grep -E 'broken rule|Fatal error|ERROR: |SUMMARY|Test unit written' "$log" | head -n 8 >&2 || tail -n 20 "$log" >&2
  fi
done
exit $failed
