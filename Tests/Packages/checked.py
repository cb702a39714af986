"""The packages as files: each suite's lintian, and of arm64's, that Debian 13 has what they need and that the programs run in an emulator (`ARM64_TEST` of
image/arm64/inside.sh). `make deb-test`.
"""
import os
import shutil
import subprocess

import pytest

from fresh_root import PACKAGES, REPOSITORY, ROOTS, SUITES, FreshRoot, made


@pytest.mark.parametrize("suite", sorted(SUITES))
def test_lintian_has_no_error(suite, tmp_path):
    """Of the packages' own suite, in a root of it: what each of its tags wants is known there. Warnings are shown (`-rP`)."""
    packages = [path for architecture in ("amd64", "arm64") for path in made(SUITES[suite], architecture).values()]
    if not packages:
        pytest.skip(f"there are no packages of {suite}: make deb")
    subprocess.run([REPOSITORY / "Tests/Packages/root.sh", suite, ROOTS, "lintian"], check=True)
    root = FreshRoot(ROOTS / f"{suite}-lintian.tar", tmp_path / "root", PACKAGES)
    done = root.run("lintian", "--fail-on", "error", "--tag-display-limit", "0", "--allow-root", *(f"/packages/{path.name}" for path in packages), check=False)
    shutil.rmtree(root.place, ignore_errors=True)
    print(done.stdout)
    assert done.returncode == 0, done.stdout


def test_debian_13_has_what_the_boards_packages_need(tmp_path):
    packages = made("13", "arm64")
    if not packages:
        pytest.skip("there are no packages for arm64: make deb")
    script = '. image/debian/lock.sh && configuration=$(index trixie arm64) && APT_CONFIG=$configuration apt-get --simulate --yes install "$@"'
    done = subprocess.run(
        ["bash", "-euc", script, "index", *packages.values()], cwd=REPOSITORY, capture_output=True, text=True, env=os.environ | {"scratch": str(tmp_path)})
    assert done.returncode == 0, done.stdout + done.stderr
    for name in packages:
        assert f"Inst {name} " in done.stdout
    for library in ("libgpiod3", "libssl3t64", "libzxing3", "libmosquitto1", "libcurl3t64-gnutls"):
        assert f"Inst {library} " in done.stdout


def test_the_boards_programs_run_in_an_emulator(tmp_path):
    packages = made("13", "arm64")
    if not packages:
        pytest.skip("there are no packages for arm64: make deb")
    build = REPOSITORY / ".build-deb/emulated"
    build.mkdir(exist_ok=True)
    for name in ("gatehouse", "gatehouse-osdp"):
        subprocess.run(["dpkg-deb", "--extract", packages[name], build / "root"], check=True)
    for program, argument, says in (("gatehouse", "--version", "gatehouse "), ("gatehouse-osdp", "--help", "gatehouse-osdp: ")):
        done = subprocess.run(
            [REPOSITORY / "image/arm64/inside.sh", build, f".build/root/usr/bin/{program}", argument], capture_output=True, text=True,
            env=os.environ | {"ARM64_TEST": "1"})
        assert done.returncode == 0 and done.stdout.startswith(says), done.stdout + done.stderr
    shutil.rmtree(build / "root")
