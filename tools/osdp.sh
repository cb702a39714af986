#!/usr/bin/env bash
# Builds .build/osdp/gatehouse-osdp, the gate as a reader at an access-control panel. Its library, libosdp, is fetched from PyPI, pinned by
# SHA-256; none of it is kept in the repository, which builds without it.
#
#   tools/osdp.sh                   the program, and .build/osdp/trespass, which attacks its confinement from within
#   tools/osdp.sh source            the library's sources alone, .build/osdp/source
#   tools/osdp.sh fuzz [seconds]    what comes over the line, under libFuzzer with sanitizers (60)
set -euo pipefail
cd "$(dirname "$0")/.."
makefile=Sources/Programs/gatehouse-osdp/Makefile source=.build/osdp/source
package=libosdp==3.2.9 digest=61b75ff76175ea9dba839f4682ac6870651964491678766d2857d6a671f1deab
if [ "$(cat $source/.package 2>/dev/null)" != "$package $digest" ]; then
  echo "osdp: fetching $package from PyPI"
  rm -rf "$source"
  # Two folders of the archive's stand before these. Its cipher and its panel's side stay where they are.
  STRIP=2 Tests/Scripts/sdist.sh "$package" "$digest" "$source" --exclude='*/crypto' --exclude='*/osdp_cp.c' '*/vendor/src' '*/vendor/utils' \
    '*/vendor/include'
  echo "$package $digest" >$source/.package
fi
case ${1:-} in
  source) ;;
  '')
    image/host.sh gcc make libssl-dev libseccomp-dev
    if make --question --no-print-directory --file $makefile all 2>/dev/null; then exit; fi
    echo 'osdp: compiling gatehouse-osdp'
    make --silent --jobs "${JOBS:-2}" --file $makefile all ;;
  fuzz)
    make --silent --jobs "${JOBS:-2}" --file $makefile .build/osdp/fuzz-osdp
    mkdir -p .build-fuzz/corpus/osdp .build-fuzz/findings
    log=.build-fuzz/osdp.log
    .build/osdp/fuzz-osdp -max_total_time="${2:-60}" -timeout=10 -rss_limit_mb=1024 -max_len=4096 -artifact_prefix=.build-fuzz/findings/osdp- \
      .build-fuzz/corpus/osdp Sources/Programs/gatehouse-osdp/tests/seeds >$log 2>&1 || { tail -n 30 $log >&2; exit 1; }
    grep -o 'cov: [0-9]* ft: [0-9]*' $log | tail -n 1
    tail -n 1 $log ;;
  *) echo "osdp: $1?" >&2; exit 2 ;;
esac
