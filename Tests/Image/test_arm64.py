"""The cross toolchain: compiler and runtime are of one version, and no repository is asked for sources during a build."""

import os
import pathlib
import shutil
import subprocess

import pytest

IMAGE = pathlib.Path(__file__).parents[2] / "image"
SCRIPTS = IMAGE / "arm64"


def shell(script, *arguments):
    return subprocess.run(["bash", "-c", f"set -euo pipefail; {script}", "test", *map(str, arguments)], capture_output=True, text=True, timeout=300)


def changed(line, field, value):
    fields = line.split()
    fields[field] = value
    return " ".join(fields)


@pytest.fixture
def clone(tmp_path):
    """The scripts and the manifest in a folder of their own, with an empty cache."""
    for folder in ("arm64", "debian"):
        shutil.copytree(IMAGE / folder, tmp_path / "image" / folder)
    shutil.copy(IMAGE.parent / "Package.swift", tmp_path)
    return tmp_path


def toolchain(clone):
    environment = {**os.environ, "GATEHOUSE_CACHE": str(clone / "cache")}
    return subprocess.run([clone / "image/arm64/toolchain.sh"], env=environment, capture_output=True, text=True, timeout=300)


def test_a_runtime_of_another_version_than_the_compiler_is_refused_before_any_download(clone):
    lock = clone / "image/arm64/packages.lock"
    lines = lock.read_text().splitlines()
    assert any(line.startswith("runtime sid libswiftlang ") for line in lines)
    lock.write_text("".join((changed(line, 3, "6.1-1") if line.startswith("runtime") else line) + "\n" for line in lines))
    done = toolchain(clone)
    assert done.returncode != 0
    assert "the compiler and the runtime are of different versions: 6.1-1 6." in done.stderr
    assert not (clone / "cache/debs").exists()


def test_a_rebuild_of_the_compiler_alone_is_the_same_version(clone):
    rebuilt = {"swiftlang": "6.2.3-1+b7", "libswiftlang": "6.2.3-1"}
    script = f'cache=; lock="$1"; say() {{ echo "$@" >&2; }}; {function("must_match")}; must_match'
    lines = (clone / "image/arm64/packages.lock").read_text().splitlines()
    of_swift = [line.split() for line in lines if line.split()[2] in rebuilt]
    lock = clone / "lock"
    lock.write_text("".join(" ".join([*fields[:3], rebuilt[fields[2]], *fields[4:]]) + "\n" for fields in of_swift))
    assert shell(script, lock).returncode == 0
    lock.write_text("")
    assert shell(script, lock).returncode != 0


def function(name):
    text = (SCRIPTS / "toolchain.sh").read_text()
    start = text.index(f"{name}() {{")
    return text[start : text.index("\n}\n", start) + 2]


def manifest(clone):
    script = 'here="$1/image/arm64"; cache=; . "$here/sources.sh"; write_manifest "$1/written"'
    return shell(script, clone)


def test_the_manifest_of_a_cross_build_names_no_repository(clone):
    assert manifest(clone).returncode == 0
    written = (clone / "written").read_text()
    assert '.package(path: "Dependencies/swift-argument-parser")' in written
    assert "https:" not in written


def test_a_dependency_without_a_pinned_revision_is_refused(clone):
    (clone / "image/arm64/sources.lock").write_text("# none\n")
    done = manifest(clone)
    assert done.returncode != 0
    assert "Package.swift names a package that sources.lock has not" in done.stderr
    assert not (clone / "written").exists()
