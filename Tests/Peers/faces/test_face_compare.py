"""`gatehouse face compare`: MOSIP's Face SDK, whose every error is no match."""
import json
import subprocess

import pytest

import drawn_faces as drawn
from gate import command

pytestmark = pytest.mark.skipif(drawn.missing() is not None, reason=drawn.missing() or "")
RED, REDDISH, BLUE = (200, 60, 40), (200, 92, 40), (40, 60, 200)
HEIC = b"\0\0\0\x18ftypheic" + bytes(100)


class Comparison:
    def __init__(self, folder):
        self.folder = folder
        self.threshold(0.9)

    def threshold(self, threshold, plugin=drawn.PLUGIN_ID, model=drawn.MODEL) -> None:
        entry = {"plugin": plugin, "model": model, "threshold": threshold, "evidence": "provisional", "date": "2026-01-01"}
        (self.folder / "thresholds").write_text(json.dumps({"gatehouse-face-thresholds": 1, "entries": [entry]}))

    def __call__(self, captured: bytes, photo: bytes, *options, plugin="test_matcher") -> subprocess.CompletedProcess:
        (self.folder / "captured").write_bytes(captured)
        (self.folder / "photo").write_bytes(photo)
        arguments = [*command(), "face", "compare", self.folder / "captured", self.folder / "photo", "--face-plugin", drawn.PLUGINS / f"{plugin}.so",
                     "--face-models", drawn.PLUGINS, "--face-thresholds", self.folder / "thresholds", *options]
        return subprocess.run([str(word) for word in arguments], capture_output=True, text=True, timeout=120)


@pytest.fixture
def compare(tmp_path):
    return Comparison(tmp_path)


def face(*colours, kind="PNG", **how) -> bytes:
    return drawn.octets(drawn.picture(*colours, **how), kind)


def is_match(done) -> None:
    assert (done.returncode, done.stdout, done.stderr) == (0, "match\n", ""), done


def is_no_match(done) -> None:
    assert (done.returncode, done.stdout, done.stderr) == (1, "no-match\n", ""), done


def failed(done, code: str) -> None:
    assert (done.returncode, done.stdout) == (2, ""), done
    assert done.stderr.startswith(f"Error: no comparison: {code}"), done


def test_same_face_matches_and_another_does_not(compare):
    is_match(compare(face(RED), face(RED, kind="JPEG")))
    is_no_match(compare(face(BLUE), face(RED)))


def test_changed_threshold_changes_the_verdict(compare):
    assert 0.87 < drawn.similarity(RED, REDDISH) < 0.88
    is_no_match(compare(face(REDDISH), face(RED)))
    compare.threshold(0.87)
    is_match(compare(face(REDDISH), face(RED)))
    compare.threshold(0.88)
    is_no_match(compare(face(REDDISH), face(RED)))


@pytest.mark.parametrize("other", [{"model": "1" * 64}, {"plugin": "test-color"}])
def test_another_model_or_matcher_is_not_calibrated(compare, other):
    compare.threshold(0.1, **other)
    failed(compare(face(RED), face(RED)), "not-calibrated")


def test_data_uris_and_bare_base64_are_pictures(compare):
    uri = drawn.data_uri(face(RED, kind="JPEG"), "image/jpeg")
    is_match(compare(uri.encode(), (uri + "\n").encode()))
    is_match(compare(uri.partition(",")[2].encode(), face(RED)))
    # What is said of the type does not matter: the octets do.
    is_match(compare(drawn.data_uri(face(RED), "image/heic").encode(), face(RED)))


@pytest.mark.parametrize("octets, name", [(HEIC, "heic"), (b"GIF89a" + bytes(50), "gif"), (b"\x01\x02\x03\xff", "unknown")])
def test_other_formats_are_unsupported_by_name(compare, octets, name):
    failed(compare(octets, face(RED)), f"unsupported (the captured picture is {name})")
    failed(compare(face(RED), octets), f"unsupported (the credential picture is {name})")


def test_every_error_has_its_own_code(compare):
    failed(compare(b"data:image/jpeg;base64,%%%", face(RED)), "unreadable (the captured picture)")
    failed(compare(face(RED), face()), "reference-unusable")
    failed(compare(face(RED), face(RED, BLUE)), "reference-unusable")
    failed(compare(face(), face(RED)), "no-face")
    failed(compare(face(RED, RED), face(RED)), "several-faces")
    failed(compare(face(RED, side=64), face(RED)), "poor-quality: The face is too small: come nearer.")
    failed(compare(face(RED), face(RED)[:200]), "portrait-unreadable")


def test_attack_beats_a_perfect_match(compare):
    compare.threshold(0.1, plugin="test-colour-pad")
    is_match(compare(face(RED), face(RED), plugin="test_matcher_pad"))
    failed(compare(face(RED, corner=True), face(RED), plugin="test_matcher_pad"), "presentation-attack")
    # On the photo of a credential it means nothing.
    is_match(compare(face(RED), face(RED, corner=True), plugin="test_matcher_pad"))


@pytest.mark.parametrize("plugin", ["crash", "crash_on_probe", "nan_score", "infinite_score", "no_template", "exit_itself"])
def test_matcher_that_fails_is_no_match(compare, plugin):
    compare.threshold(0.01)
    done = compare(face(RED), face(RED), plugin=plugin)
    failed(done, "worker-")


@pytest.mark.parametrize("plugin", ["hang", "hang_on_probe"])
def test_timeout_ends_it(compare, plugin):
    failed(compare(face(RED), face(RED), "--timeout", "1", plugin=plugin), "timed-out")


def test_matcher_that_takes_longer_than_a_gate_waits_is_heard_out(compare):
    is_match(compare(face(RED), face(RED), "--timeout", "300", plugin="slow_on_probe"))


@pytest.mark.parametrize("timeout", ["0", "-1", "301", "99999999999"])
def test_timeout_that_is_none(compare, timeout):
    failed(compare(face(RED), face(RED), f"--timeout={timeout}"), "bad-timeout")


@pytest.mark.parametrize("plugin", ["crash_in_open", "no_entry", "nowhere"])
def test_matcher_that_cannot_be_had_is_told(compare, plugin):
    done = compare(face(RED), face(RED), plugin=plugin)
    assert done.returncode == 2 and done.stderr.startswith("Error: the face matcher is not to be had: "), done


def test_thresholds_that_are_none_are_told(compare):
    (compare.folder / "thresholds").write_text("[]")
    done = compare(face(RED), face(RED))
    assert done.returncode == 2 and "the file of thresholds is not a JSON object" in done.stderr, done
