"""What a Debian package says its licences are: the machine-readable form of debian/copyright, as an SPDX expression."""

import re

# Short names of debian/copyright that SPDX calls otherwise; those with a version are made by rule.
SPDX = {
    "apache-2.0": "Apache-2.0",
    "artistic": "Artistic-1.0-Perl",
    "bsd-2-clause": "BSD-2-Clause",
    "bsd-3-clause": "BSD-3-Clause",
    "bsd-4-clause": "BSD-4-Clause",
    "bsl-1.0": "BSL-1.0",
    "boost-1.0": "BSL-1.0",
    "cc0": "CC0-1.0",
    "cc0-1.0": "CC0-1.0",
    "curl": "curl",
    "expat": "MIT",
    "mit": "MIT",
    "isc": "ISC",
    "openssl": "OpenSSL",
    "mpl-2.0": "MPL-2.0",
    "unlicense": "Unlicense",
    "zlib": "Zlib",
    "libpng": "Libpng",
    "ofl-1.1": "OFL-1.1",
    "psf-2": "PSF-2.0",
    "wtfpl": "WTFPL",
    "x11": "X11",
}


def spdx(name: str) -> str | None:
    """The SPDX identifier of a short name; None where there is none."""
    name = name.lower()
    if name in SPDX:
        return SPDX[name]
    gnu = re.fullmatch(r"(l?gpl|agpl|gfdl)-?v?([0-9](?:\.[0-9])?)(\+?)", name)
    if gnu:
        family, version, later = gnu.groups()
        return f"{family.upper()}-{version if '.' in version else version + '.0'}-{'or-later' if later else 'only'}"
    return None


def reference(name: str) -> str:
    """A licence that SPDX has no name for, by Debian's."""
    return "LicenseRef-debian-" + re.sub(r"[^A-Za-z0-9.-]+", "-", name).strip("-")


class Copyright:
    """`expression`: all licences of the files, joined; None where the file is written for people only.
    `texts`: those that SPDX does not know, by reference."""

    def __init__(self, text: str) -> None:
        self.expression: str | None = None
        self.texts: dict[str, str] = {}
        if not re.match(r"\s*Format:", text):
            return
        found: set[str] = set()
        for paragraph in re.split(r"\n\s*\n", text):
            if not re.search(r"^Files:", paragraph, re.MULTILINE):
                continue
            line = re.search(r"^License:[ \t]*(.+)$", paragraph, re.MULTILINE)
            if not line:
                # Less than all would be untrue.
                self.texts.clear()
                return
            found.update(self._terms(line.group(1).strip()))
        if found:
            self.expression = " AND ".join(sorted(found))
        for one, name in list(self.texts.items()):
            stanza = re.search(rf"^License:[ \t]*{re.escape(name)}[ \t]*\n((?:[ \t]+.*\n?)+)", text, re.MULTILINE)
            self.texts[one] = (
                re.sub(r"^[ \t]", "", stanza.group(1), flags=re.MULTILINE).strip()
                if stanza
                else f"Debian calls it {name}; see the package's copyright file."
            )

    def _terms(self, text: str) -> list[str]:
        """What has to be kept all together. `GPL-2+ or Artistic, and MIT`: a comma ends what `or` binds."""
        terms: list[str] = []
        for part in re.split(r",\s*and\s+|,\s*", text):
            choices = [
                [self._name(name) for name in re.split(r"\s+and\s+", choice)] for choice in re.split(r"\s+(?:and/)?or\s+", part.strip()) if choice
            ]
            if len(choices) == 1:
                terms += choices[0]
            elif choices:
                terms.append("(" + " OR ".join(" AND ".join(choice) for choice in choices) + ")")
        return terms

    def _name(self, text: str) -> str:
        name = re.sub(r"\s+with\s+.*$", "", text.strip())
        plain = spdx(name) if name == text.strip() else None
        if plain:
            return plain
        # With an exception: Debian's name is kept as it is, because the exceptions' names are free text.
        self.texts[reference(text.strip())] = text.strip()
        return reference(text.strip())
