#!/usr/bin/env bash
# Builds the default matcher, .build/plugins/face-dlib.so, and installs the Debian packages it needs, where they are missing, and says so.
#
#   tools/matcher.sh                the plug-in
#   tools/matcher.sh check          its tests, with the models and the photos, as a worker would load it
#   tools/matcher.sh tools          the programs for the tests and the bench
set -euo pipefail
cd "$(dirname "$0")/.."
image/host.sh g++ make libdlib-dev libopenblas-serial-dev libjpeg-dev libpng-dev
plugin=.build/plugins/face-dlib.so tools=.build/matcher
build() {
  if make --question --file Sources/Matchers/dlib/Makefile "$@" 2>/dev/null; then return; fi
  echo "matcher: compiling $*"
  make --silent --jobs 2 --file Sources/Matchers/dlib/Makefile "$@"
}
build $plugin
case ${1:-} in
  '') ;;
  check)
    build $tools/check-dlib
    tools/models.sh
    Tests/Scripts/photos.sh
    exported=$(nm --dynamic --defined-only $plugin | awk '{ print $3 }')
    [ "$exported" = fmp_plugin_v1 ] || { echo "matcher: it exports more than it should: $exported" >&2; exit 1; }
    $tools/check-dlib $plugin .build/models/dlib .build/photos ;;
  tools) build $tools/rates-dlib $tools/bench-dlib ;;
  *) echo "matcher: $1?" >&2; exit 2 ;;
esac
