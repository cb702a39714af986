"""Every state in every language on every size of screen, as `gatehouse screen` draws it: read by two readers of codes, and looked at."""
import subprocess

import numpy
import pytest
import zxingcpp
from gate import command, is_reference
from PIL import Image
from swift_sources import ROOT

pytestmark = pytest.mark.skipif(is_reference(), reason="the reference gate has no screen")
LANGUAGES = ["ar", "en", "es", "fil", "fr", "hi", "pt"]
STATES = ["starting", "scan", "hold", "press", "foreign", "connected", "choose", "approve", "receiving", "checking", "look", "nobody", "closer", "light", "shade", "turn", "upright", "uncover", "still",
          "alone", "accepted", "rejected", "failed", "fault", "closed", "unset"]
WITHOUT_CODE = {"starting", "fault"}
SIZES = ["240x240", "320x240", "480x320", "800x480", "1280x720", "1920x1080", "240x320", "480x800"]
URI = "OPENID4VP://connect?name=Gatehouse&key=8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a"


def code_of(state: str) -> str:
    """A board that nobody has set up has its own number there, and nothing for wallets."""
    return "10000000abcdef01" if state == "unset" else URI


@pytest.fixture(scope="module")
def words():
    folder = ROOT / ".build" / "words"
    subprocess.run([ROOT / "tools" / "words.sh", folder], check=True, capture_output=True)
    return folder


def rendered(folder, words, *options) -> dict[tuple[str, str], Image.Image]:
    subprocess.run([*command(), "screen", "--render", folder, "--words", words, *options], check=True, capture_output=True)
    return {tuple(path.stem.split("-", 1)): Image.open(path).convert("RGB") for path in folder.glob("*-*.png")}


def assert_words_are_there_whole(picture: Image.Image, language: str, state: str) -> None:
    """Where words find no room they are left out: the lower part has letters, and none of them at an edge."""
    pixels = numpy.asarray(picture.convert("L")).astype(int)
    width, height = picture.size
    share = height * (26 if height * 4 > width * 5 else 21) // 100
    # Of a state with a code or a bar below the words, the words alone.
    lower = pixels[height - share : height - share // 3 if state in {"receiving", "rejected", "closed", "fault"} else height]
    ground = pixels[height - 1, width - 1]
    marked = numpy.abs(lower - ground) > 60
    assert marked.sum() > 60, (language, state)
    columns = numpy.flatnonzero(marked.any(axis=0))
    assert columns[0] >= 1 and columns[-1] <= width - 2, (language, state)
    assert columns[-1] - columns[0] >= width // 16, (language, state)


@pytest.mark.parametrize("size", SIZES)
def test_every_state_in_every_language(tmp_path, words, size):
    pictures = rendered(tmp_path, words, "--size", size)
    assert set(pictures) == {(language, state) for language in LANGUAGES for state in STATES}
    for (language, state), picture in pictures.items():
        assert_words_are_there_whole(picture, language, state)
    width, height = (int(number) for number in size.split("x"))
    with_code = []
    for (language, state), picture in pictures.items():
        assert picture.size == (width, height)
        pixels = numpy.asarray(picture)
        codes = [code.text for code in zxingcpp.read_barcodes(pixels)]
        assert codes == ([] if state in WITHOUT_CODE else [code_of(state)]), (language, state)
        if state not in WITHOUT_CODE:
            with_code.append((tmp_path / f"{language}-{state}.png", code_of(state)))
        # Nothing is cut off at an edge: the ground is all there is.
        for edge in (pixels[0], pixels[-1], pixels[:, 0], pixels[:, -1]):
            assert len(numpy.unique(edge, axis=0)) <= 2, (language, state)
    # The last verdicts stand beside the code as well.
    recent = tmp_path / "recent.png"
    # Lines of letters may look like bars to a reader of all kinds of code; a wallet looks for one kind.
    found = zxingcpp.read_barcodes(numpy.asarray(Image.open(recent).convert("RGB")), formats=zxingcpp.BarcodeFormat.QRCode)
    assert [code.text for code in found] == [URI]
    with_code.append((recent, URI))
    files = [file for file, _ in with_code]
    read = subprocess.run(["zbarimg", "--raw", "--quiet", "-Sdisable", "-Sqrcode.enable", *files], check=True, capture_output=True, text=True)
    assert read.stdout.splitlines() == [code for _, code in with_code]
    # No two languages say the same, and no two states of one.
    for state in STATES:
        assert len({pictures[language, state].tobytes() for language in LANGUAGES}) == len(LANGUAGES), state
    for language in LANGUAGES:
        assert len({pictures[language, state].tobytes() for state in STATES}) == len(STATES), language


@pytest.mark.parametrize("scale", ["50", "150", "200"])
def test_larger_and_smaller_words_leave_the_code_readable(tmp_path, words, scale):
    pictures = rendered(tmp_path, words, "--size", "800x480", "--scale", scale, "--language", "en")
    assert len(pictures) == len(STATES)
    assert [code.text for code in zxingcpp.read_barcodes(numpy.asarray(pictures["en", "scan"]))] == [URI]


def test_a_damaged_sheet_is_named(tmp_path, words):
    octets = (words / "fr.sheet").read_bytes()
    (tmp_path / "fr.sheet").write_bytes(octets[: len(octets) // 2])
    done = subprocess.run([*command(), "screen", "--render", tmp_path / "out", "--words", tmp_path], capture_output=True, text=True)
    assert done.returncode == 2 and "fr.sheet: it is no sheet of words, or damaged" in done.stderr


def test_a_language_that_is_not_there_is_named(tmp_path, words):
    done = subprocess.run([*command(), "screen", "--render", tmp_path / "out", "--words", words, "--language", "tlh"], capture_output=True, text=True)
    assert done.returncode == 2 and "tlh.sheet" in done.stderr
