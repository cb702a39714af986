"""The cross toolchain's downloads: what differs from the lock is refused, and an archive that has moved on is named.

They use the Debian archive of this machine's apt, for one small package, and are skipped without it.
"""

import os
import pathlib
import shutil
import subprocess

import pytest

SCRIPTS = pathlib.Path(__file__).parents[2] / "image" / "arm64"
PACKAGE = "base-files"


def shell(script, scratch, *arguments, **environment):
    program = f'set -euo pipefail; here="{SCRIPTS}"; scratch="{scratch}"; . "$here/archive.sh"; {script}'
    return subprocess.run(
        ["bash", "-c", program, "test", *map(str, arguments)], env={**os.environ, **environment}, capture_output=True, text=True, timeout=300
    )


@pytest.fixture(scope="module")
def archive(tmp_path_factory):
    """A folder for indexes that all tests share, and the lock's line of one package that the archive has."""
    scratch = tmp_path_factory.mktemp("index")
    wanted = scratch / "packages"
    wanted.write_text(f"# a comment\ncompiler trixie amd64 alone {PACKAGE}\n")
    done = shell('resolve "$1"', scratch, wanted)
    if done.returncode != 0 or PACKAGE not in done.stdout:
        pytest.skip(f"no Debian archive within reach: {done.stderr.strip()[-200:]}")
    return scratch, done.stdout.strip()


def fetch(archive, folder, line, **environment):
    lock = folder / "lock"
    lock.write_text(line + "\n")
    return shell('fetch "$1" "$2"', archive[0], lock, folder / "debs", **environment)


def changed(line, field, value):
    fields = line.split()
    fields[field] = value
    return " ".join(fields)


def downloads(folder):
    return sorted(path.name for path in (folder / "debs").glob("*.deb"))


def test_a_package_of_the_lock_is_downloaded_once(archive, tmp_path):
    assert fetch(archive, tmp_path, archive[1]).returncode == 0
    [name] = downloads(tmp_path)
    before = (tmp_path / "debs" / name).stat().st_mtime_ns
    again = fetch(archive, tmp_path, archive[1], GATEHOUSE_MIRROR="http://mirror.invalid/debian")
    assert again.returncode == 0 and again.stderr == ""
    assert (tmp_path / "debs" / name).stat().st_mtime_ns == before


def test_a_download_with_another_digest_is_refused(archive, tmp_path):
    done = fetch(archive, tmp_path, changed(archive[1], 5, "0" * 64))
    assert done.returncode != 0
    assert "was downloaded with another SHA-256 than the lock's: refused" in done.stderr
    assert downloads(tmp_path) == []


def test_a_package_that_was_changed_in_the_cache_is_thrown_away_and_fetched_again(archive, tmp_path):
    assert fetch(archive, tmp_path, archive[1]).returncode == 0
    [name] = downloads(tmp_path)
    deb = tmp_path / "debs" / name
    whole = deb.read_bytes()
    deb.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
    done = fetch(archive, tmp_path, archive[1])
    assert done.returncode == 0
    assert f"arm64: {PACKAGE} " in done.stderr and "is not the package of the lock: thrown away" in done.stderr
    assert deb.read_bytes() == whole


def test_a_version_the_archive_no_longer_has_is_named_beside_the_one_it_has(archive, tmp_path):
    has = archive[1].split()[3]
    done = fetch(archive, tmp_path, changed(archive[1], 3, "1.0-gone"))
    assert done.returncode != 0
    assert f"{PACKAGE} (trixie, amd64): the lock has 1.0-gone, the archive has {has}\n" in done.stderr
    assert "ARM64_UNLOCKED=1" in done.stderr
    assert downloads(tmp_path) == []


def test_a_package_the_archive_no_longer_has_is_named(archive, tmp_path):
    done = fetch(archive, tmp_path, changed(archive[1], 2, "no-such-package"))
    assert done.returncode != 0
    assert "no-such-package (trixie, amd64): the lock has" in done.stderr and "the archive has none\n" in done.stderr


@pytest.fixture
def clone(tmp_path):
    """The scripts and the manifest in a folder of their own, with an empty cache."""
    shutil.copytree(SCRIPTS, tmp_path / "image" / "arm64")
    shutil.copy(SCRIPTS.parents[1] / "Package.swift", tmp_path)
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
    assert not (clone / "cache/arm64/debs").exists()


def test_a_rebuild_of_the_compiler_alone_is_the_same_version(clone):
    rebuilt = {"swiftlang": "6.2.3-1+b7", "libswiftlang": "6.2.3-1"}
    script = f'cache=; lock="$1"; say() {{ echo "$@" >&2; }}; {function("must_match")}; must_match'
    lines = (clone / "image/arm64/packages.lock").read_text().splitlines()
    of_swift = [line.split() for line in lines if line.split()[2] in rebuilt]
    lock = clone / "lock"
    lock.write_text("".join(" ".join([*fields[:3], rebuilt[fields[2]], *fields[4:]]) + "\n" for fields in of_swift))
    assert shell(script, clone, lock).returncode == 0
    lock.write_text("")
    assert shell(script, clone, lock).returncode != 0


def function(name):
    text = (SCRIPTS / "toolchain.sh").read_text()
    start = text.index(f"{name}() {{")
    return text[start : text.index("\n}\n", start) + 2]


def manifest(clone):
    script = 'here="$1/image/arm64"; cache=; . "$here/sources.sh"; write_manifest "$1/written"'
    return shell(script, clone, clone)


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
