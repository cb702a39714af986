"""Whole visits before a camera that is a folder of drawings, with the matcher of the tests: what the visitor's face decides, and what fails closed."""
import asyncio
import contextlib
import io
import itertools
import json
import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest
from PIL import Image, ImageDraw

import faces
from face_rig import BLUE, BRIEFLY, RED, FaceRig, drawing, standing
from gate import is_reference
from phone import Plan
from rig import LOOP, Rig

pytestmark = pytest.mark.skipif(is_reference(), reason="the reference gate has no camera")


@pytest.fixture(scope="module", autouse=True)
def plugins():
    subprocess.run([faces.ROOT / "Tests" / "Scripts" / "plugins.sh"], check=True)


class FolderRig(FaceRig):
    """A gate whose camera is a folder of drawings."""

    def __init__(self, folder: Path, plugin: str = "test_matcher", **more) -> None:
        self.frames = faces.play(folder / "frames", standing(RED))
        super().__init__(Rig(folder, *self.options(folder, f"dir:{self.frames},20", plugin, **more), algorithms=("ES256",)))
        self.rig.open()
        self.rig.run(self.rig.gate.uri())

    def shows(self, pictures: list[bytes]) -> None:
        faces.play(self.frames, pictures)


@contextlib.contextmanager
def gate(folder, *arguments, **options):
    made = FolderRig(folder, *arguments, **options)
    try:
        yield made
    finally:
        made.rig.close()


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    with gate(tmp_path_factory.mktemp("faces")) as made:
        yield made


@pytest.fixture
def rig(shared):
    shared.shows(standing(RED))
    yield shared


@pytest.fixture(scope="module")
def brief(tmp_path_factory):
    """For those whom it looks for in vain, until its time is over."""
    with gate(tmp_path_factory.mktemp("faces"), look=BRIEFLY) as made:
        yield made


# Each test has a portrait of its own, since attempts are counted by it.
tints = itertools.count()


def portrait(colour=RED, **more) -> bytes:
    number = next(tints)
    more.setdefault("background", (100 + number % 50, 100 + number % 50, 100 + number % 50))
    more.setdefault("size", (400 + 4 * (number // 50), 400))
    return drawing(colour, **more)


# MARK: who stands there


def test_the_person_in_the_credential_is_let_in(rig):
    record = rig.accepts(portrait=portrait())
    assert record["face"] == "match" and record["faceBin"] == "above" and 3 <= record["faceFrames"] <= 12
    assert "notes" not in record and 0 <= record["faceMs"] <= 6000
    assert "score" not in json.dumps(record).lower() and "similarity" not in json.dumps(record).lower()


def test_somebody_else_is_not(rig):
    rig.shows(standing(BLUE))
    record = rig.refuses("no-match", portrait=portrait())
    assert (record["face"], record["faceBin"]) == ("no-match", "far-below") and "faceFlaw" not in record


def test_nobody(brief):
    brief.shows(standing())
    brief.refuses("no-face", portrait=portrait())


def test_two_people_even_if_the_right_one_is_among_them(brief):
    brief.shows(standing(RED, BLUE))
    brief.refuses("several-faces", portrait=portrait())


def test_somebody_far_away(brief):
    brief.shows(standing(RED, side=80))
    assert brief.refuses("poor-quality", portrait=portrait())["faceFlaw"] == "small"


def test_a_covered_camera(brief):
    brief.shows([drawing(background=(shade, shade, shade)) for shade in (0, 1, 2)])
    brief.refuses("camera-failed", portrait=portrait())


def test_frames_that_are_cut_off(brief):
    brief.shows([picture[: len(picture) // 2] for picture in standing(RED)])
    brief.refuses("camera-failed", portrait=portrait())


def test_people_who_take_turns(brief):
    brief.shows([drawing(colour, shift=shift + number) for number in range(4) for colour, shift in ((RED, 0), (BLUE, 300))])
    visit, record = brief.visit(portrait=portrait())
    # Whom the camera saw more often is chance: the wrong one, or the right one who was never there for long enough.
    assert visit.rejected and record["reasons"][0] in ("no-match", "face-timed-out") and record["faceFrames"] >= 4


# MARK: the portrait


@pytest.mark.parametrize("reason, octets", (
    ("unsupported-portrait", b"\x00\x00\x00\x18ftypheic" + bytes(100)), ("unsupported-portrait", b"GIF89a" + bytes(100)),
    ("portrait-unreadable", b"\xff\xd8\xff\xe0" + bytes(100)), ("portrait-unreadable", b"\x00\x00\x00\x0cjP  \r\n\x87\n" + bytes(100)),
    ("portrait-unreadable", b"RIFF\x60\x00\x00\x00WEBP" + bytes(100)), ("portrait-unreadable", b"\x00\x00\x00\x10ftypavif" + bytes(100)),
    ("reference-too-small", 40), ("reference-unusable", None)))
def test_portraits_that_will_not_do(rig, reason, octets):
    if octets is None:
        octets = drawing(size=(300, 300))
    elif isinstance(octets, int):
        octets = portrait(side=octets)
    rig.refuses(reason, portrait=octets)
    rig.accepts(portrait=portrait())


@pytest.mark.parametrize("format, options", (
    ("PNG", {}), ("WEBP", {"quality": 90}), ("WEBP", {"lossless": True}), ("JPEG2000", {}), ("JPEG2000", {"no_jp2": True}), ("AVIF", {"quality": 90})))
def test_portraits_in_each_format(rig, format, options):
    """Decoded in the confined worker, which has no thread and no file for it."""
    made = io.BytesIO()
    Image.open(io.BytesIO(portrait())).save(made, format, **options)
    rig.accepts(portrait=made.getvalue())


def test_a_portrait_cut_off(rig):
    whole = portrait()
    rig.refuses("portrait-unreadable", portrait=whole[: len(whole) * 2 // 3])


# MARK: the camera


def test_no_camera_and_the_camera_back(rig):
    shutil.rmtree(rig.frames)
    rig.refuses("camera-failed", portrait=portrait())
    rig.shows(standing(RED))
    rig.accepts(portrait=portrait())


def test_the_camera_is_off_between_visits(rig):
    rig.accepts(portrait=portrait())

    def timers() -> int:
        folder = Path(f"/proc/{rig.rig.gate.process.pid}/fd")
        return sum("timerfd" in os.readlink(link) for link in folder.iterdir())

    # The loop's own stays.
    end = time.monotonic() + 60
    while timers() != 1 and time.monotonic() < end:
        time.sleep(0.02)
    assert timers() == 1


def appears_in_the_middle(rig) -> None:
    shutil.rmtree(rig.frames)
    pictures = standing(RED)

    async def plug_in():
        await rig.rig.gate.light("look", time.monotonic())
        faces.play(rig.frames, pictures)

    loop_task = asyncio.ensure_future(plug_in(), loop=LOOP)
    rig.accepts(portrait=portrait(), plan=Plan("android", patience=60))
    assert loop_task.done()


def test_a_camera_that_appears_in_the_middle(tmp_path):
    with gate(tmp_path, look=30) as made:
        appears_in_the_middle(made)


def test_a_camera_that_codes_look_through_as_well_goes_and_appears_in_the_middle(tmp_path):
    """Between visits it was looked through for codes, failed there, and is tried again for the face."""
    with gate(tmp_path, codes="always", look=30) as made:
        made.accepts(portrait=portrait())
        appears_in_the_middle(made)
        made.accepts(portrait=portrait())


# MARK: the visit around it


def test_the_wallet_hears_nothing_before_the_decision_and_the_lamp_says_look(rig):
    began = time.monotonic()
    rig.accepts(portrait=portrait())
    lamps = [lit for at, lit in rig.rig.gate.lights if at >= began - 0.002]
    assert lamps.index("look") < lamps.index("accept")


def test_a_wallet_that_leaves_before_the_camera(rig):
    rig.shows(standing())
    visit, record = rig.visit(portrait=portrait(), plan=Plan("ios", leave_after="success", patience=120))
    assert record["outcome"] == "left" and visit.status is None
    rig.shows(standing(RED))
    rig.accepts(portrait=portrait())


def test_three_attempts_and_no_more(rig):
    mine = portrait()
    rig.shows(standing(BLUE))
    for _ in range(3):
        rig.refuses("no-match", portrait=mine)
    rig.refuses("locked-out", portrait=mine)
    rig.shows(standing(RED))
    # Even for the right person: the gate cannot know who tried before. Another credential is served.
    rig.refuses("locked-out", portrait=mine)
    rig.accepts(portrait=portrait())


def test_leaving_before_the_decision_gives_no_further_attempts(rig):
    mine = portrait()
    rig.shows(standing(BLUE))
    for _ in range(3):
        visit, record = rig.visit(portrait=mine, plan=Plan("android", halts_after="success", patience=5))
        assert record["outcome"] in ("left", "rejected"), record
    rig.shows(standing(RED))
    rig.refuses("locked-out", portrait=mine)


# MARK: policy and threshold


def test_when_photo(tmp_path):
    with gate(tmp_path, policy="when-photo") as made:
        made.accepts()
        made.shows(standing(BLUE))
        made.refuses("no-match", portrait=portrait())


def test_a_camera_and_no_policy_means_required(tmp_path):
    with gate(tmp_path) as made:
        audit = made.rig.gate.audit()
        assert audit[0]["event"] == "started" and audit[0]["face"] == "required"


@pytest.mark.parametrize("threshold, person, reason", ((0.75, (200, 60, 90), None), (0.95, (200, 60, 90), "no-match"), (0.75, BLUE, "no-match"), (0.1, BLUE, None)))
def test_another_threshold_is_another_verdict(tmp_path, threshold, person, reason):
    with gate(tmp_path, threshold=threshold) as made:
        made.shows(standing(person))
        made.refuses(reason) if reason else made.accepts()


@pytest.mark.parametrize("change", ({"model": "1" * 64}, {"ids": ("another",)}, {"threshold": None}))
def test_a_matcher_that_was_not_calibrated_lets_nobody_in(tmp_path, change):
    with gate(tmp_path, **change) as made:
        made.refuses("not-calibrated")


def test_an_attack_beats_a_perfect_match_and_is_not_tried_again(tmp_path):
    attack = [faces.jpeg(corner(Image.open(io.BytesIO(picture))), 90) for picture in standing(RED)]
    with gate(tmp_path, plugin="test_matcher_pad") as made:
        mine = portrait()
        made.accepts(portrait=mine)
        made.shows(attack)
        for _ in range(3):
            made.refuses("presentation-attack", portrait=mine)
        made.shows(standing(RED))
        made.refuses("locked-out", portrait=mine)


def corner(image: Image.Image) -> Image.Image:
    ImageDraw.Draw(image).rectangle((0, 0, 24, 24), (255, 255, 255))
    return image


# MARK: matchers that cannot be trusted


@pytest.mark.parametrize("plugin, reason", (
    ("crash_on_probe", "worker-failed"), ("hang_on_probe", "worker-timed-out"), ("grow_without_end", "worker-failed"), ("no_template", "worker-lied"),
    ("garbage_reply", "worker-lied"), ("wrong_major", "worker-failed"), ("crash_in_open", "worker-failed")))
def test_each_ends_in_a_reject_of_its_own_and_the_gate_goes_on(tmp_path, plugin, reason):
    with gate(tmp_path, plugin=plugin, look=6) as made:
        for turn in range(2):
            visit, record = made.visit(portrait=portrait())
            # The second visitor may meet the pause after the first failure.
            reasons = (reason,) if turn == 0 else (reason, "worker-failed")
            assert visit.rejected and record["reasons"][0] in reasons, (record, made.rig.gate.errors[-5:])
        assert made.rig.gate.process.returncode is None


def test_nobody_is_left_when_the_gate_is_killed(tmp_path):
    with gate(tmp_path) as made:
        made.accepts()
        children = subprocess.run(["pgrep", "-f", f"gatehouse-vision.*{tmp_path}"], capture_output=True, text=True).stdout.split()
        assert len(children) == 2, children
        made.rig.gate.process.kill()
        end = time.monotonic() + 60
        while any(Path(f"/proc/{pid}").exists() for pid in children) and time.monotonic() < end:
            time.sleep(0.05)
        assert not [pid for pid in children if Path(f"/proc/{pid}").exists()]


def test_a_gate_that_can_start_no_matcher_any_more_ends_to_be_started_anew(tmp_path):
    with gate(tmp_path) as made:
        made.accepts()
        supervisor = subprocess.run(["pgrep", "-f", f"gatehouse-vision supervisor.*{tmp_path}"], capture_output=True, text=True).stdout.split()
        os.kill(int(supervisor[0]), 9)
        assert made.rig.run(asyncio.wait_for(made.rig.gate.process.wait(), 60)) == 1
        assert made.rig.run(made.rig.gate.stop()) == 1
        assert any("gatehouse-vision is gone" in line for line in made.rig.gate.errors)
        assert made.rig.gate.audit()
