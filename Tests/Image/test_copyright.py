"""What Debian's copyright files say becomes an SPDX expression that means the same."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "image"))
from debian_copyright import Copyright, spdx  # noqa: E402


def expression(*licences: str) -> str | None:
    files = "\n\n".join(f"Files: {number}\nCopyright: somebody\nLicense: {licence}" for number, licence in enumerate(licences))
    return Copyright("Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\n\n" + files).expression


@pytest.mark.parametrize(
    "name, identifier",
    [("GPL-2+", "GPL-2.0-or-later"), ("LGPL-2.1", "LGPL-2.1-only"), ("Expat", "MIT"), ("BSD-3-clause", "BSD-3-Clause"), ("ours", None)],
)
def test_short_names(name, identifier):
    assert spdx(name) == identifier


def test_all_files_count_and_choices_stay_choices():
    assert expression("GPL-2+ or Expat", "zlib", "zlib") == "(GPL-2.0-or-later OR MIT) AND Zlib"
    assert expression("GPL-2 or Expat, and ISC") == "(GPL-2.0-only OR MIT) AND ISC"
    assert expression("Expat and ISC") == "ISC AND MIT"


def test_an_exception_is_not_dropped():
    text = "Format: x\n\nFiles: *\nLicense: GPL-2+ with Autoconf exception\n\nLicense: GPL-2+ with Autoconf exception\n May be used\n as you like.\n"
    found = Copyright(text)
    assert found.expression == "LicenseRef-debian-GPL-2-with-Autoconf-exception"
    assert found.texts[found.expression] == "May be used\nas you like."


def test_files_without_a_licence_leave_all_of_it_to_people():
    text = "Format: x\n\nFiles: *\nLicense: ours\n\nFiles: b/*\nCopyright: somebody\n"
    assert Copyright(text).expression is None and Copyright(text).texts == {}


def test_what_is_written_for_people_is_left_to_people():
    assert Copyright("This package was debianized by somebody.").expression is None
    assert Copyright("").expression is None
