"""`gatehouse verify --code`: what a gate would make of a code, from a picture or from its text; and what `doctor` says of the reading of codes."""
import io
import json
import os
import subprocess

import pytest
from PIL import Image

import issuer
from cards import pixelpass, text_code
from code_frames import VGA, held, modules
from gate import command, is_reference

pytestmark = pytest.mark.skipif(is_reference(), reason="the reference gate has no such command")
DEMO = issuer.Issuer()
CREDENTIAL = DEMO.credential(portrait=64)


@pytest.fixture(scope="module")
def trust(tmp_path_factory):
    return issuer.write_trust(tmp_path_factory.mktemp("trust") / "trust", DEMO)


@pytest.fixture
def gatehouse(tmp_path):
    program, *words = command()
    program = os.path.abspath(program) if "/" in program else program

    def run(*arguments, input: bytes = b""):
        return subprocess.run([program, *words, *map(str, arguments)], input=input, capture_output=True, timeout=120, cwd=tmp_path)
    return run


@pytest.fixture
def verify(gatehouse, trust):
    """Of a code, from standard input."""
    return lambda octets, *options: gatehouse("verify", "--code", "-", "--trust", trust, *options, input=octets)


def encoded(image: Image.Image, kind: str = "PNG") -> bytes:
    octets = io.BytesIO()
    image.save(octets, kind)
    return octets.getvalue()


def picture(text: str, kind: str = "PNG") -> bytes:
    return encoded(held(modules(text), VGA, 0.9), kind)


def refused(done, *words: str) -> None:
    """Exit code 2, nothing on standard output, and a sentence with these words."""
    sentence = done.stderr.decode()
    assert (done.returncode, done.stdout) == (2, b""), done
    assert sentence.startswith("Error: --code ") and all(word in sentence for word in words), sentence


# MARK: what is a credential

@pytest.mark.parametrize("text", (CREDENTIAL, CREDENTIAL + "\n", CREDENTIAL + "\r\n", text_code(CREDENTIAL)), ids=("text", "line", "CRLF", "PixelPass"))
def test_text(verify, text):
    done = verify(text.encode())
    lines = done.stdout.decode().splitlines()
    assert (done.returncode, done.stderr, lines[0]) == (0, b"", "accept")
    assert "form sd_jwt" in lines and f"code credential, {len(text.rstrip())} octets" in lines


@pytest.mark.parametrize("kind", ("PNG", "JPEG"))
def test_picture(verify, kind):
    text = text_code(CREDENTIAL)
    done = verify(picture(text, kind))
    assert (done.returncode, done.stderr, done.stdout.decode().splitlines()[0]) == (0, b"", "accept")
    # The same as of its text.
    assert done.stdout == verify(text.encode()).stdout
    report = json.loads(verify(picture(text, kind), "--json").stdout)
    assert report["verdict"] == "accept" and report["code"] == {"kind": "credential", "octets": len(text)}


def test_a_file_is_named_like_standard_input(gatehouse, verify, trust, tmp_path):
    octets = picture(text_code(CREDENTIAL))
    (tmp_path / "card.png").write_bytes(octets)
    assert gatehouse("verify", "--trust", trust, "--code", "card.png").stdout == verify(octets).stdout



def test_reject_has_its_reason(verify):
    done = verify(text_code(DEMO.credential(issued=-60, expires=-1, portrait=64)).encode(), "--json")
    report = json.loads(done.stdout)
    assert done.returncode == 1 and report["reasons"][0]["code"] == "expired" and report["code"]["kind"] == "credential"


def test_engagement_is_rejected_by_name(verify):
    done = verify(b"MDOC:owBjMS4wAYIB2BhYS6QBAiABIVgg", "--json")
    report = json.loads(done.stdout)
    assert done.returncode == 1 and report["code"]["kind"] == "engagement"
    assert report["reasons"][0]["code"] == "unsupported-form" and report["reasons"][0]["detail"] == "mso_mdoc"


def test_health_certificate_is_rejected_by_name(verify):
    done = verify(b"HC1:6BFOXN%TS3DH0YOJ58S", "--json")
    assert done.returncode == 1 and json.loads(done.stdout)["code"]["kind"] == "refused"


# MARK: what is none

@pytest.mark.parametrize("text", ("https://gatehouse.example/poster", "OPENID4VP://connect?name=Gatehouse&key=00", "shc:/5676290952432060346029243740"))
def test_somebody_elses_code(verify, text):
    refused(verify(text.encode()), "a gate ignores this code", "somebody else")
    refused(verify(picture(text)), "a gate ignores this code", "somebody else")


def test_no_credential(verify):
    refused(verify(b"seat 14, row F"), "no credential")
    refused(verify(pixelpass(b"seat 14, row F").encode()), "a gate ignores this code")


def test_damaged_pixelpass(verify):
    text = text_code(CREDENTIAL)
    refused(verify((text[:60] + text[63:]).encode()), "a gate ignores this code")


def test_picture_without_a_code(verify):
    refused(verify(encoded(Image.new("L", VGA, 128))), "no code is found in the picture")


@pytest.mark.parametrize("octets", (b"\x89PNG\r\n\x1a\n", b"\x89PNG\r\n\x1a\n" + bytes(4096), b"\xff\xd8\xff", b"\xff\xd8\xff\xe0" + bytes(range(256)) * 8),
                         ids=("head of a PNG", "no PNG", "head of a JPEG", "no JPEG"))
def test_picture_that_does_not_decode(verify, octets):
    refused(verify(octets), "the picture")


def test_half_a_picture(verify):
    octets = picture(text_code(CREDENTIAL))
    assert verify(octets[: len(octets) // 2]).returncode == 2


@pytest.mark.parametrize("octets", (b"A" * 7090, bytes(range(256)) * 64, b"GIF89a" + bytes(8000)), ids=("text", "octets", "another picture"))
def test_longer_than_any_code(verify, octets):
    refused(verify(octets), "longer than any code")


def test_files_that_nobody_can_use(gatehouse, verify, trust, tmp_path):
    refused(verify(b""), "empty")
    refused(gatehouse("verify", "--code", "nowhere", "--trust", trust), "nowhere", "cannot be read")
    with open(tmp_path / "large", "wb") as file:
        file.truncate((4 << 20) + 1)
    refused(gatehouse("verify", "--code", "large", "--trust", trust), "longer than 4 MiB")


def test_a_file_or_a_code(gatehouse, trust, tmp_path):
    for arguments in ((), ("a", "--code", "b")):
        done = gatehouse("verify", *arguments, "--trust", trust)
        assert done.returncode == 2 and b"name a file, or a code with --code" in done.stderr


# MARK: doctor

@pytest.fixture
def examined(gatehouse, trust, tmp_path):
    """The section of `doctor`, and its troubles' codes."""
    (tmp_path / "frames").mkdir()
    (tmp_path / "frames" / "a.jpg").write_bytes(picture("https://gatehouse.example", "JPEG"))

    def doctor(*options):
        done = gatehouse("doctor", "--json", "--hci", "unix:air", "--trust", trust, "--data", tmp_path, "--face", "off", *options)
        report = json.loads(done.stdout)
        section, = (section for section in report["sections"] if section["name"] == "codes")
        rows = {row["name"]: row["value"] for row in section["rows"]}
        return section["summary"], rows, {trouble["code"] for trouble in report["troubles"]} & {"codes-no-camera", "codes-no-button", "codes-failed"}
    return doctor


CAMERA = ("--camera", "dir:frames")


def test_doctor_says_that_no_codes_are_read(examined):
    assert examined() == ("off", {}, set())
    # No face and no type without one: none could be accepted.
    assert examined(*CAMERA) == ("off", {}, set())


def test_doctor_starts_the_worker(examined):
    summary, rows, troubles = examined(*CAMERA, "--codes", "always")
    assert summary.startswith("always: ") and rows["read by"].startswith("zxing-cpp ") and not troubles
    assert "every code is rejected (copy-needs-face)" in rows["without a face"]


def test_doctor_names_the_types_without_a_face(examined):
    summary, rows, troubles = examined(*CAMERA, "--codes-without-face", "B", "--codes-without-face", "A")
    assert summary.startswith("always: ") and rows["without a face"].startswith("A, B: ") and not troubles
    assert examined(*CAMERA, "--codes-without-face", "*")[1]["without a face"].startswith("any type: ")


def test_doctor_says_what_is_missing(examined):
    summary, rows, troubles = examined("--codes", "motion")
    assert summary.startswith("motion: ") and troubles == {"codes-no-camera"} and "read by" not in rows
    summary, rows, troubles = examined(*CAMERA, "--codes", "button")
    assert summary.startswith("button: ") and troubles == {"codes-no-button"} and "read by" not in rows


def test_what_stands_before_pixelpass(verify, gatehouse, trust):
    """Somebody else's page where nobody says so, and a credential where it is said; plain PixelPass is read as well."""
    before, code = "https://id.example/?q=", text_code(CREDENTIAL)
    refused(verify((before + code).encode()), "somebody else")
    for text in (before + code, code):
        done = verify(text.encode(), "--code-prefix", before)
        assert (done.returncode, done.stdout.split()[0]) == (0, b"accept"), done
    refused(verify((before + code)[1:].encode(), "--code-prefix", before), "no credential")
    refused(verify((before + before + code).encode(), "--code-prefix", before), "somebody else")
    done = verify(code.encode(), "--code-prefix", "")
    assert done.returncode == 2 and b"--code-prefix: use 1 to 256 printable ASCII characters" in done.stderr
    done = gatehouse("verify", "-", "--trust", trust, "--code-prefix", before, input=CREDENTIAL.encode())
    assert done.returncode == 2 and b"--code-prefix is for a code" in done.stderr


def test_doctor_refuses_a_word_that_is_none(gatehouse, trust):
    done = gatehouse("doctor", "--hci", "unix:air", "--trust", trust, "--codes", "on")
    assert done.returncode == 2 and b"--codes on: use off, always, motion or button" in done.stderr
