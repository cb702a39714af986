"""Debian packages by a lock: what differs from it is refused, and an archive that has moved on is named.

They use the Debian archive of this machine's apt, for one small package, and are skipped without it.
"""

import os
import pathlib
import subprocess

import pytest

SCRIPTS = pathlib.Path(__file__).parents[2] / "image" / "debian"
PACKAGE = "base-files"
WANTED = f"compiler trixie amd64 alone {PACKAGE}"
PURPOSE, SUITE, NAME, VERSION, ARCHITECTURE, DIGEST = range(6)


def shell(script, folder, *arguments, **environment):
    """A command of image/debian/lock.sh, with the folder's cache."""
    (folder / "scratch").mkdir(exist_ok=True)
    program = f'set -euo pipefail; scratch="{folder}/scratch"; . "{SCRIPTS}/lock.sh"; {script}'
    without = {name: value for name, value in os.environ.items() if name not in ("DEBIAN_MIRROR", "DEBIAN_UNLOCKED", "MACHINE_PINNED")}
    return subprocess.run(
        ["bash", "-c", program, "test", *map(str, arguments)],
        env={**without, "GATEHOUSE_CACHE": str(folder / "cache"), **environment},
        capture_output=True,
        text=True,
        timeout=300,
    )


@pytest.fixture(scope="module")
def archive(tmp_path_factory):
    """A folder with the archive's index, and the lock's line of one package that the archive has."""
    folder = tmp_path_factory.mktemp("index")
    done = shell(f'resolve <<<"# a comment\n{WANTED}"', folder)
    if done.returncode != 0 or PACKAGE not in done.stdout:
        pytest.skip(f"no Debian archive within reach: {done.stderr.strip()[-200:]}")
    return folder, done.stdout.strip()


@pytest.fixture
def place(archive, tmp_path):
    """A folder with an empty cache that has the index already."""
    (tmp_path / "scratch").symlink_to(archive[0] / "scratch")
    return tmp_path


def fetch(place, line, **environment):
    (place / "lock").write_text(line + "\n")
    return shell('fetch "$1"', place, place / "lock", **environment)


def changed(line, field, value):
    fields = line.split()
    fields[field] = value
    return " ".join(fields)


def downloads(place):
    return sorted(path.name for path in (place / "cache/debs").glob("*.deb"))


def test_the_lock_of_an_archive_names_the_package_in_full(archive):
    fields = archive[1].split()
    assert fields[:3] == ["compiler", "trixie", PACKAGE] and fields[ARCHITECTURE] == "amd64"
    assert len(fields[DIGEST]) == 64 and len(fields) == 6


def test_a_package_of_the_lock_is_downloaded_once(archive, place):
    assert fetch(place, archive[1]).returncode == 0
    [name] = downloads(place)
    before = (place / "cache/debs" / name).stat().st_mtime_ns
    (place / "scratch").unlink()
    again = fetch(place, archive[1], DEBIAN_MIRROR="http://mirror.invalid/debian")
    assert again.returncode == 0 and again.stderr == ""
    assert (place / "cache/debs" / name).stat().st_mtime_ns == before


def test_what_came_before_a_download_was_broken_off_is_not_fetched_again(archive, place):
    assert fetch(place, archive[1]).returncode == 0
    [name] = downloads(place)
    debs = place / "cache/debs"
    (debs / name).rename(debs / "partial" / name)
    before = (debs / "partial" / name).stat().st_ino
    assert fetch(place, archive[1]).returncode == 0
    assert (debs / name).stat().st_ino == before


def test_a_download_with_another_digest_is_refused(archive, place):
    done = fetch(place, changed(archive[1], DIGEST, "0" * 64))
    assert done.returncode == 1
    assert "was downloaded with another SHA-256 than the lock's: refused" in done.stderr
    assert downloads(place) == []


def test_a_package_that_was_changed_in_the_cache_is_thrown_away_and_fetched_again(archive, place):
    assert fetch(place, archive[1]).returncode == 0
    [name] = downloads(place)
    deb = place / "cache/debs" / name
    whole = deb.read_bytes()
    deb.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
    done = fetch(place, archive[1])
    assert done.returncode == 0
    assert f"debian: {PACKAGE} " in done.stderr and "is not the package of the lock: thrown away" in done.stderr
    assert deb.read_bytes() == whole


def test_a_version_the_archive_no_longer_has_is_named_beside_the_one_it_has(archive, place):
    has = archive[1].split()[VERSION]
    done = fetch(place, changed(archive[1], VERSION, "1.0-gone"))
    assert done.returncode == 3
    assert f"{PACKAGE} (trixie, amd64): the lock has 1.0-gone, the archive has {has}\n" in done.stderr
    assert "DEBIAN_UNLOCKED=1" in done.stderr
    assert downloads(place) == []


def test_a_package_the_archive_no_longer_has_is_named(archive, place):
    done = fetch(place, changed(archive[1], NAME, "no-such-package"))
    assert done.returncode == 3
    assert "no-such-package (trixie, amd64): the lock has" in done.stderr and "the archive has none\n" in done.stderr


def test_an_archive_out_of_reach_has_not_moved_on(archive, tmp_path):
    done = fetch(tmp_path, archive[1], DEBIAN_MIRROR="http://localhost:9/debian")
    assert done.returncode == 1
    assert "moved on" not in done.stderr


def test_the_mirror_that_is_named_is_used_with_its_security_updates(tmp_path):
    done = shell("mirrors", tmp_path, DEBIAN_MIRROR="http://one/debian-security/ http://one/debian/")
    assert done.stdout == "http://one/debian\nhttp://one/debian-security\n"
    assert shell("mirrors", tmp_path, DEBIAN_MIRROR="http://one/debian").stdout == "http://one/debian\n"


def fetch_or_renew(place, line, **environment):
    (place / "lock").write_text(line + "\nother trixie nothing 1 amd64 0\n")
    return shell(f'wanted() {{ echo "{WANTED}"; }}; fetch_or_renew "$1" "$2" wanted', place, place / "lock", place / "used", **environment)


def test_a_test_machine_takes_what_is_locked(archive, place):
    assert fetch_or_renew(place, archive[1]).returncode == 0
    assert (place / "used").read_text() == archive[1] + "\n"
    assert len(downloads(place)) == 1


@pytest.mark.parametrize("field, value", [(VERSION, "1.0-gone"), (NAME, "no-such-package")])
def test_a_test_machine_takes_what_the_archive_has_now_and_says_so(archive, place, field, value):
    done = fetch_or_renew(place, changed(archive[1], field, value))
    assert done.returncode == 0
    has = archive[1].split()[VERSION]
    assert f"debian: built with what the archive has now: {place}/used\n" in done.stderr
    assert f"base-files (trixie, amd64): the lock has {value if field == VERSION else 'none'}, the archive has {has}\n" in done.stderr
    assert field == VERSION or "debian: no-such-package (trixie, amd64): the lock has" in done.stderr
    assert (place / "used").read_text() == archive[1] + "\n"


def test_a_pinned_test_machine_takes_what_is_locked_or_nothing(archive, place):
    done = fetch_or_renew(place, changed(archive[1], VERSION, "1.0-gone"), MACHINE_PINNED="1")
    assert done.returncode == 3
    assert not (place / "used").exists() and downloads(place) == []


def test_another_digest_is_refused_for_a_test_machine_too(archive, place):
    done = fetch_or_renew(place, changed(archive[1], DIGEST, "0" * 64))
    assert done.returncode == 1
    assert not (place / "used").exists() and downloads(place) == []


def test_what_the_archive_has_now_is_used_when_it_is_asked_for(archive, place):
    done = fetch_or_renew(place, changed(archive[1], DIGEST, "0" * 64), DEBIAN_UNLOCKED="1")
    assert done.returncode == 0
    assert (place / "used").read_text() == archive[1] + "\n"
