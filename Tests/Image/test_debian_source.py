"""Debian's source packages by a lock: what differs from it is refused, an archive that has moved on is named, and Debian's patches are applied.

They use the Debian archive of this machine's apt, for one small package, and are skipped without it.
"""

import subprocess

import pytest
from test_debian import SCRIPTS, changed, shell

PACKAGE = "netbase"
SUITE, NAME, VERSION, FILE, DIGEST = range(5)


def source(script, folder, *arguments, **environment):
    return shell(f'. "{SCRIPTS}/source.sh"; {script}', folder, *arguments, **environment)


@pytest.fixture(scope="module")
def archive(tmp_path_factory):
    """A folder with the index of source packages, and the lock of one that the archive has."""
    folder = tmp_path_factory.mktemp("index")
    done = source(f"resolve_source trixie {PACKAGE}", folder)
    if done.returncode != 0 or PACKAGE not in done.stdout:
        pytest.skip(f"no Debian archive within reach: {done.stderr.strip()[-200:]}")
    return folder, done.stdout.splitlines()


@pytest.fixture
def place(archive, tmp_path):
    (tmp_path / "scratch").symlink_to(archive[0] / "scratch")
    return tmp_path


def fetch(place, lines, **environment):
    (place / "lock").write_text("".join(line + "\n" for line in lines))
    return source('fetch_source "$1"', place, place / "lock", **environment)


def test_the_lock_names_each_archive_and_no_signature(archive):
    for line in archive[1]:
        fields = line.split()
        assert fields[:2] == ["trixie", PACKAGE] and len(fields) == 5 and len(fields[DIGEST]) == 64 and ".tar." in fields[FILE]
        assert not fields[FILE].endswith((".dsc", ".asc"))


def test_sources_are_downloaded_once_and_unpacked(archive, place):
    assert fetch(place, archive[1]).returncode == 0
    again = fetch(place, archive[1], DEBIAN_MIRROR="http://mirror.invalid/debian")
    assert again.returncode == 0 and again.stderr == ""
    assert source('unpack_source "$1" "$2"', place, place / "lock", place / "tree").returncode == 0
    assert (place / "tree/debian/control").is_file()


def test_a_download_with_another_digest_is_refused(archive, place):
    done = fetch(place, [changed(archive[1][0], DIGEST, "0" * 64)])
    assert done.returncode == 1 and "with another SHA-256 than the lock's: refused" in done.stderr
    assert not list((place / "cache/sources").glob("*.tar.*")) and not list((place / "cache/sources/partial").glob("*.tar.*"))


def test_a_version_that_the_archive_has_no_longer_is_named(archive, place):
    done = fetch(place, [changed(archive[1][0], VERSION, "0.1")])
    assert done.returncode == 3
    assert f"debian: {PACKAGE}, source (trixie): the lock has 0.1, the archive has {archive[1][0].split()[VERSION]}" in done.stderr


def package(place, series, patch):
    """Sources of one file, and Debian's part of them with a patch, as the cache has them."""
    (place / "made/acme-1").mkdir(parents=True)
    (place / "made/acme-1/file").write_text("one\n")
    (place / "made/debian/patches").mkdir(parents=True)
    (place / "made/debian/patches/series").write_text(series)
    (place / "made/debian/patches/fix").write_text(patch)
    (place / "cache/sources").mkdir(parents=True)
    for name, member in (("acme_1.orig.tar.gz", "acme-1"), ("acme_1-1.debian.tar.xz", "debian")):
        subprocess.run(["tar", "--auto-compress", "-cf", place / "cache/sources" / name, "-C", place / "made", member], check=True)
    (place / "lock").write_text(f"trixie acme 1-1 acme_1-1.debian.tar.xz {'0' * 64}\ntrixie acme 1-1 acme_1.orig.tar.gz {'0' * 64}\n")
    return source('unpack_source "$1" "$2"', place, place / "lock", place / "tree")


def test_the_patches_of_the_series_are_applied(tmp_path):
    done = package(tmp_path, "# why\n\nfix -p1\n", "--- a/file\n+++ b/file\n@@ -1 +1 @@\n-one\n+two\n")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "tree/file").read_text() == "two\n"


def test_a_patch_that_does_not_apply_is_named(tmp_path):
    done = package(tmp_path, "fix\n", "--- a/file\n+++ b/file\n@@ -1 +1 @@\n-three\n+two\n")
    assert done.returncode == 1 and "debian: fix does not apply" in done.stderr
