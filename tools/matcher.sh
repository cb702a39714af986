#!/usr/bin/env bash
# Builds a matcher, .build/plugins/face-dlib.so or face-sface.so, and installs the Debian packages it needs, where they are missing, and
# says so.
#
#   tools/matcher.sh                the default one, dlib's; MATCHER=sface the second
#   tools/matcher.sh check          its tests, with the models and the photos, as a worker would load it. sface's also reads damaged models
#                                   under sanitizers, and compares what it finds with what OpenCV finds, from PyPI
#   tools/matcher.sh fuzz [seconds] sface's reader of models under libFuzzer (60)
#   tools/matcher.sh tools          the programs for the tests and the bench
set -euo pipefail
cd "$(dirname "$0")/.."
matcher=${MATCHER:-dlib}
case $matcher in dlib | sface) ;; *) echo "matcher: MATCHER=$matcher? dlib or sface" >&2; exit 2 ;; esac
image/host.sh g++ make libdlib-dev libopenblas-serial-dev libjpeg-dev libpng-dev
plugin=.build/plugins/face-$matcher.so models=.build/models/$matcher tests=.build/matcher-tests sface=.build/matcher-sface
build() {
  local makefile=Sources/Matchers/$1/Makefile
  shift
  if make --question --no-print-directory --file "$makefile" "$@" 2>/dev/null; then return; fi
  echo "matcher: compiling $*"
  make --silent --jobs "${JOBS:-2}" --file "$makefile" "$@"
}
check_sface() {
  build sface $sface/hostile-sface $sface/look-sface $sface/layers-sface
  # The places are many in the small file, and take long in the large one.
  $sface/hostile-sface "$models/face_detection_yunet_2023mar_int8bq.onnx" "${HOSTILE_STEP:-11}"
  $sface/hostile-sface "$models/face_recognition_sface_2021dec_int8bq.onnx" "${HOSTILE_STEP:-997}"
  local wanted=Sources/Matchers/sface/tests/requirements.txt python=$sface/peer/bin/python
  if ! cmp --silent "$wanted" $sface/peer/requirements.txt; then
    echo 'matcher: fetching OpenCV (60 MB) from PyPI, to compare with'
    image/host.sh python3-venv
    python3 -m venv --clear $sface/peer
    "$python" -m pip install --quiet --disable-pip-version-check --requirement "$wanted"
    cp "$wanted" $sface/peer/
  fi
  "$python" Sources/Matchers/sface/tests/compare.py "$models" .build/photos $sface
}
build "$matcher" "$plugin"
case ${1:-} in
  '') ;;
  check)
    build common $tests/check
    tools/models.sh "$matcher"
    Tests/Scripts/photos.sh
    exported=$(nm --dynamic --defined-only "$plugin" | awk '{ print $3 }')
    [ "$exported" = fmp_plugin_v1 ] || { echo "matcher: it exports more than it should: $exported" >&2; exit 1; }
    $tests/check "$plugin" "$models" .build/photos
    [ "$matcher" != sface ] || check_sface ;;
  fuzz)
    [ "$matcher" = sface ] || { echo 'matcher: dlib reads its models itself' >&2; exit 2; }
    build sface $sface/fuzz-sface $sface/seeds
    mkdir -p .build-fuzz/corpus/face-models .build-fuzz/findings
    options=(-max_total_time="${2:-60}" -timeout=10 -rss_limit_mb=2048 -max_len=16384 -artifact_prefix=.build-fuzz/findings/face-models-)
    log=.build-fuzz/face-models.log
    $sface/fuzz-sface "${options[@]}" .build-fuzz/corpus/face-models $sface/seeds >$log 2>&1 || { tail -n 30 $log >&2; exit 1; }
    grep -o 'cov: [0-9]* ft: [0-9]*' $log | tail -n 1
    tail -n 1 $log ;;
  tools)
    build common $tests/rates
    [ "$matcher" != dlib ] || build dlib .build/matcher/bench-dlib ;;
  *) echo "matcher: $1?" >&2; exit 2 ;;
esac
