"""The kernel's own camera driver with a USB camera made here: what goes into the camera comes out of the gate's source, octet for octet."""
import itertools
import os
import subprocess
import time
from pathlib import Path

import pytest

from looker import Looker, Taken
from pictures import black, jpeg, truncated, yuyv
from uvccam import MJPEG, YUYV, Format, Picture, USBCamera, load_drivers

WARM_UP = 4  # pictures a live camera is not believed in yet
KEEPS_DAMAGED = Path("/sys/module/uvcvideo/parameters/nodrop")


@pytest.fixture(scope="module")
def film() -> list[bytes]:
    return [jpeg(number) for number in range(12)]


@pytest.fixture
def plugged():
    """`plugged(pictures)`: a camera, plugged in, whose device file is there; pulled out at the end."""
    cameras = []

    def plug(pictures=(), **settings) -> USBCamera:
        cameras.append(USBCamera(pictures, **settings).plug())
        cameras[-1].path = cameras[-1].node()
        return cameras[-1]

    yield plug
    for camera in cameras:
        camera.unplug()


def looking(camera: USBCamera, *options: str, mode: str = "") -> Looker:
    return Looker(f"v4l2:{camera.path}{mode}", *options)


def assert_sent(taken: list[Taken], camera: USBCamera) -> None:
    """Each is what the camera sent under this number, octet for octet."""
    for frame in taken:
        sent = camera.sent[frame.sequence]
        assert (frame.octets, frame.digest) == (len(sent.octets), sent.digest), frame
        assert camera.began[frame.sequence] <= frame.captured <= time.monotonic()
    assert all(one.sequence < two.sequence for one, two in itertools.pairwise(taken))


@pytest.mark.parametrize("options", [(), ("--confined",)], ids=["unconfined", "confined"])
def test_what_the_camera_sends_comes_out_octet_for_octet(plugged, film, options):
    camera = plugged(film)
    with looking(camera, *options) as looker:
        assert not camera.is_streaming
        assert looker.start() == "on 640x480"
        taken, end = looker.frames(24)
        assert end == "done" and len(taken) == 24
        assert_sent(taken, camera)
        assert {(frame.kind, frame.size, frame.stride) for frame in taken} == {("jpeg", "640x480", 0)}
        assert len({frame.digest for frame in taken}) == len(film)
        assert taken[0].sequence >= WARM_UP and looker.drops()["warmUp"] == WARM_UP
        assert looker.allocations() == 0


@pytest.mark.parametrize("kind", ["dir", "file"])
def test_pictures_of_files_play_in_a_confined_process(film, tmp_path, kind):
    (tmp_path / "film").mkdir()
    for number, picture in enumerate(film):
        (tmp_path / "film" / f"{number:03}.jpg").write_bytes(picture)
    (tmp_path / "film.mjpeg").write_bytes(b"".join(film))
    wanted = [Picture(picture).digest for picture in film] * 2
    with Looker(f"{kind}:{tmp_path / ('film' if kind == 'dir' else 'film.mjpeg')},30", "--confined") as looker:
        for _ in range(2):
            assert looker.start() == "on "
            taken, end = looker.frames(len(wanted))
            assert end == "done" and [frame.digest for frame in taken] == wanted
            looker.stop()
        assert looker.allocations() == 0


def test_a_camera_that_is_off_is_off(plugged, film):
    camera = plugged(film)
    with looking(camera) as looker:
        for round in (1, 2, 3):
            assert looker.start() == "on 640x480"
            assert camera.is_streaming and camera.streams == round
            assert looker.frames(2)[1] == "done"
            looker.stop()
            camera.until(lambda: not camera.is_streaming, "told that nobody looks")
            sent = len(camera.sent)
            assert looker.frames(1, 2) == ([], "error off")
            assert len(camera.sent) == sent
            assert not any(os.readlink(link).startswith("/dev/video") for link in Path(f"/proc/{looker.process.pid}/fd").iterdir())
            assert "/dev/video" not in Path(f"/proc/{looker.process.pid}/maps").read_text()


def test_a_program_that_ends_leaves_the_camera_off(plugged, film):
    camera = plugged(film)
    with looking(camera) as looker:
        assert looker.start() == "on 640x480"
        assert "/dev/video" in Path(f"/proc/{looker.process.pid}/maps").read_text()
        assert looker.frames(1)[1] == "done"
    camera.until(lambda: not camera.is_streaming, "told that nobody looks")


@pytest.mark.parametrize("options", [(), ("--confined",)], ids=["unconfined", "confined"])
def test_unplugged_and_plugged_in_again_without_a_restart(plugged, film, options):
    camera = plugged(film)
    with looking(camera, *options) as looker:
        for _ in range(3):
            assert looker.start() == "on 640x480"
            taken, end = looker.frames(3)
            assert end == "done"
            assert_sent(taken, camera)
            camera.unplug()
            assert looker.frames(1000)[1] == "error unplugged"
            camera.until(lambda: not Path(camera.path).exists(), "its device file gone")
            assert looker.start() == "error notFound"
            assert looker.frames(1)[1] == "error off"
            camera.plug()
            assert camera.node() == camera.path
        assert looker.start() == "on 640x480"


def test_a_camera_found_by_its_link_may_come_back_under_another_number(plugged, film, tmp_path):
    """As udev's /dev/v4l/by-id does."""
    camera = plugged(film)
    link = Path("/dev/bench-camera")
    link.symlink_to(camera.path)
    try:
        with Looker(f"v4l2:{link}", "--confined") as looker:
            assert looker.start() == "on 640x480"
            camera.unplug()
            assert looker.frames(1000)[1] == "error unplugged"
            other = plugged([black()])
            camera.plug()
            assert camera.node() != camera.path == other.path
            link.unlink()
            link.symlink_to(camera.node())
            assert looker.start() == "on 640x480"
            taken, end = looker.frames(3)
            assert end == "done"
            assert_sent(taken, camera)
    finally:
        link.unlink()


def test_a_black_picture_is_a_picture(plugged):
    """That nothing is to be seen on it, the matcher says."""
    camera = plugged([black()])
    with looking(camera) as looker:
        looker.start()
        taken, end = looker.frames(5)
        assert end == "done" and {frame.digest for frame in taken} == {Picture(black()).digest}
        assert_sent(taken, camera)


def test_a_truncated_picture_is_none(plugged, film):
    camera = plugged([truncated(picture) for picture in film])
    with looking(camera) as looker:
        looker.start()
        assert looker.frames(1, 4) == ([], "none")
        assert looker.drops()["malformed"] > 0
        # Whole ones between them come out, and nothing of the others.
        # One breaks off in a segment, whose length would go on into the next.
        camera.play([film[3][:25], film[0], truncated(film[1]), film[2]])
        taken, end = looker.frames(8)
        assert end == "done"
        assert {frame.digest for frame in taken} == {Picture(film[0]).digest, Picture(film[2]).digest}


def test_no_pictures_are_no_pictures(plugged, film):
    camera = plugged()
    with looking(camera) as looker:
        assert looker.start() == "on 640x480"
        camera.until(lambda: camera.is_streaming, "somebody looks")
        assert looker.frames(1, 3) == ([], "none")
        assert set(looker.drops().values()) == {0}
        camera.play(film)
        taken, end = looker.frames(3)
        assert end == "done"
        assert_sent(taken, camera)
        # And in the middle.
        camera.play([])
        looker.frames(10, 3)
        assert looker.frames(1, 3) == ([], "none")
        looker.stop()
        camera.until(lambda: not camera.is_streaming, "told that nobody looks")


def test_garbage_and_empty_pictures_are_none(plugged, film):
    camera = plugged([b"\xff\xd8" + bytes(3000), b"", bytes(range(256)) * 40, film[5]])
    with looking(camera) as looker:
        looker.start()
        taken, end = looker.frames(4)
        assert end == "done" and {frame.digest for frame in taken} == {Picture(film[5]).digest}


@pytest.mark.parametrize("keeps", ["0", "1"], ids=["the driver drops them", "the driver hands them out"])
def test_a_picture_the_camera_calls_damaged_is_none(plugged, film, keeps):
    load_drivers()
    before = KEEPS_DAMAGED.read_text().strip()
    KEEPS_DAMAGED.write_text(keeps)
    try:
        # Asked when the camera is found.
        camera = plugged([Picture(film[0], is_damaged=True), film[1], Picture(film[2], is_damaged=True)])
        with looking(camera) as looker:
            looker.start()
            taken, end = looker.frames(4)
            assert end == "done" and {frame.digest for frame in taken} == {Picture(film[1]).digest}
            assert_sent(taken, camera)
            assert (looker.drops()["damaged"] > 0) == (keeps == "1")
    finally:
        KEEPS_DAMAGED.write_text(before)


def test_a_camera_another_program_uses_is_busy(plugged, film):
    camera = plugged(film)
    with looking(camera) as first, looking(camera) as second:
        assert first.start() == "on 640x480"
        assert second.start() == "error busy"
        assert first.frames(3)[1] == "done", "and the other one is not disturbed"
        first.stop()
        assert second.start() == "on 640x480"
        assert second.frames(3)[1] == "done"


def test_without_mjpeg_the_pictures_are_taken_raw(plugged):
    pictures = [yuyv(number) for number in range(5)]
    camera = plugged(pictures, formats=[Format(YUYV, ((640, 480),))], rate=5)
    with looking(camera) as looker:
        assert looker.start() == "on 640x480"
        taken, end = looker.frames(8)
        assert end == "done"
        assert_sent(taken, camera)
        assert {(frame.kind, frame.size, frame.stride, frame.octets) for frame in taken} == {("yuyv", "640x480", 1280, 614_400)}
        assert looker.allocations() == 0


def test_a_raw_picture_that_is_cut_is_none(plugged):
    whole = yuyv(1, 320, 240)
    camera = plugged([truncated(whole), whole], formats=[Format(YUYV, ((320, 240),))])
    with looking(camera) as looker:
        assert looker.start() == "on 320x240"
        taken, end = looker.frames(4)
        assert end == "done" and {frame.digest for frame in taken} == {Picture(whole).digest}


SIZES = ((320, 240), (640, 480), (1280, 720))


@pytest.mark.parametrize("mode, size", [("", (640, 480)), (",1920x1080", (1280, 720)), (",300x200", (320, 240)), (",640x360,5", (640, 480))])
def test_mjpeg_is_liked_best_in_the_nearest_size(plugged, mode, size):
    camera = plugged([jpeg(1, *size)], formats=[Format(YUYV, SIZES), Format(MJPEG, SIZES)])
    with looking(camera, mode=mode) as looker:
        assert looker.start() == "on {}x{}".format(*size)
        assert camera.chosen == (2, 1 + SIZES.index(size))
        taken, end = looker.frames(2)
        assert end == "done" and taken[0].kind == "jpeg"
        assert_sent(taken, camera)


def test_the_newest_picture_wins(plugged, film):
    camera = plugged(film)
    with looking(camera) as looker:
        looker.start()
        first = looker.frames(1)[0][0]
        # Nobody asks while more are sent than there are buffers for: those the driver kept are old by then.
        camera.until(lambda: time.monotonic() > camera.began[first.sequence] + 4, "time")
        sent = len(camera.sent)
        second = looker.frames(1)[0][0]
        assert_sent([first, second], camera)
        assert second.sequence >= sent - 1 > first.sequence + 4
        assert looker.drops()["outdated"] >= 2


def test_a_camera_that_stops_answering_is_named(plugged, film):
    camera = plugged(film)
    with looking(camera) as looker:
        assert looker.start() == "on 640x480"
        assert looker.frames(1)[1] == "done"
        looker.stop()
        camera.is_mute = True
        assert looker.start() == "error notResponding"
        camera.is_mute = False
        assert looker.start() == "on 640x480"
        assert looker.frames(1)[1] == "done"


def test_what_is_no_camera_is_named(plugged, film):
    camera = plugged(film)
    with Looker("v4l2:/dev/null") as looker:
        assert looker.start() == "error notCamera"
    # A camera's second device file, for what it says beside its pictures.
    second = [f"/dev/{folder.name}" for folder in Path("/sys/class/video4linux").glob("video*")
              if camera.name in (folder / "name").read_text() and (folder / "index").read_text().strip() != "0"]
    for path in second:
        with Looker(f"v4l2:{path}") as looker:
            assert looker.start() == "error notCamera"


def test_a_camera_that_may_not_be_used_is_named(plugged, film):
    camera = plugged(film)
    os.chmod(camera.path, 0o600)
    program = Looker(f"v4l2:{camera.path}").process.args[0]
    done = subprocess.run([program, f"v4l2:{camera.path}"], input="start\n", capture_output=True, text=True, timeout=60, user=1000, group=1000,
                          extra_groups=[])
    assert done.stdout == "error notPermitted\n"
