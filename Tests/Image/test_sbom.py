"""The bill of materials is valid SPDX and has everything that was locked. Images that were not made here are skipped, and so said."""

import json
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "image"))
from sbom import Bill  # noqa: E402

REPOSITORY = Path(__file__).resolve().parents[2]
BILLS = sorted((REPOSITORY / ".build-image").glob("*/sbom.spdx.json"))
needs_images = pytest.mark.skipif(not BILLS, reason="no image was made here (make image)")


def lock(path: Path) -> list[list[str]]:
    return [line.split() for line in path.read_text().splitlines()]


@needs_images
@pytest.mark.parametrize("bill", BILLS, ids=lambda path: path.parent.name)
def test_it_is_valid_spdx(bill):
    pytest.importorskip("spdx_tools", reason="spdx-tools is not installed")
    from spdx_tools.spdx.parser.parse_anything import parse_file
    from spdx_tools.spdx.validation.document_validator import validate_full_spdx_document

    messages = validate_full_spdx_document(parse_file(str(bill)))
    assert [message.validation_message for message in messages] == []


@needs_images
@pytest.mark.parametrize("bill", BILLS, ids=lambda path: path.parent.name)
def test_every_locked_package_is_in_it_by_its_digest(bill):
    packages = {(package["name"], package["versionInfo"]): package for package in json.loads(bill.read_text())["packages"]}
    for _, suite, name, version, architecture, digest in lock(bill.parent / "packages.lock"):
        package = packages[name, version]
        assert package["checksums"] == [{"algorithm": "SHA256", "checksumValue": digest}]
        assert package["externalRefs"][0]["referenceLocator"].endswith(f"?arch={architecture}&distro={suite}")
    names = {name for name, _ in packages}
    assert {"gatehouse", "gatehouse-vision", "gatehouse-relay", "gatehouse-osdp", "libosdp", "swift-runtime", "swift-argument-parser"} <= names
    has_faces = (bill.parent / "root/usr/lib/gatehouse/face-dlib.so").exists()
    of_faces = {name for name in names if name.startswith("face-") or name.endswith((".dat", ".onnx"))}
    assert len(of_faces) == (6 if has_faces else 0), of_faces
    assert {name for name in of_faces if name.endswith(".so")} == ({"face-dlib.so", "face-sface.so"} if has_faces else set())


def test_a_matcher_of_the_sites_own_is_not_in_it(tmp_path):
    bill, programs = Bill("board", "1", tmp_path), tmp_path / "root/usr/lib/gatehouse"
    assert bill.matchers() == []
    programs.mkdir(parents=True)
    for name in ("face-dlib.so", "face-sites-own.so"):
        (programs / name).touch()
    assert bill.matchers() == [programs / "face-dlib.so"]


def test_the_reader_at_a_panel_is_in_it_with_its_library(tmp_path):
    bill, program = Bill("board", "1", tmp_path), tmp_path / "root/usr/bin/gatehouse-osdp"
    bill.add_osdp()
    assert bill.packages == []
    program.parent.mkdir(parents=True)
    program.write_bytes(b"program")
    bill.add_osdp()
    device, library = bill.packages
    assert (device["name"], device["licenseDeclared"]) == ("gatehouse-osdp", "Apache-2.0")
    assert (library["name"], library["licenseDeclared"]) == ("libosdp", "Apache-2.0")
    # The very one that the tests' panel is of.
    pinned = (REPOSITORY / "Tests/Peers/requirements.txt").read_text().split()
    assert f"libosdp=={library['versionInfo']}" in pinned
    assert len(library["checksums"][0]["checksumValue"]) == 64
    assert {"spdxElementId": device["SPDXID"], "relationshipType": "STATIC_LINK", "relatedSpdxElement": library["SPDXID"]} in bill.relationships
