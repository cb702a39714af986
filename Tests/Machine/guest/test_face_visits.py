"""Whole visits on the kernel's user channel, before the kernel's own camera: what becomes of a visitor when something is wrong with it."""
import asyncio
import time

import pytest

import faces
from face_rig import BLUE, RED, FaceRig, drawing, standing
from pictures import black, truncated
from rig import LOOP
from uvccam import USBCamera

LOOK = 20  # seconds the gate looks at a visitor: the machine is emulated


@pytest.fixture(scope="module")
def people():
    return {colour: standing(colour) for colour in (RED, BLUE)}


@pytest.fixture(scope="module")
def made(tmp_path_factory, people):
    """One gate and one camera for all cases, whatever becomes of the camera."""
    from kernel_rig import KernelRig

    camera = USBCamera(people[RED]).plug()
    camera.path = camera.node()
    folder = tmp_path_factory.mktemp("faces")
    rig = FaceRig(KernelRig(folder, *FaceRig.options(folder, f"v4l2:{camera.path}", look=LOOK)).open())
    rig.camera = camera
    yield rig
    rig.rig.close()
    camera.unplug()


@pytest.fixture
def rig(made, people):
    made.camera.play(people[RED])
    yield made


def mine(number: int) -> bytes:
    """A portrait of its own for each case: attempts are counted by it."""
    return drawing(RED, size=(400, 400), background=(100 + number, 100 + number, 100 + number))


def when_looked_at(rig, act) -> asyncio.Future:
    """Does something as soon as the gate looks at the visitor who comes next, and the camera gives pictures."""
    async def soon():
        await rig.rig.gate.light("look", time.monotonic(), 60)
        await asyncio.sleep(0.3)
        await LOOP.run_in_executor(None, act)

    return asyncio.ensure_future(soon(), loop=LOOP)


def test_the_person_in_the_credential_and_somebody_else(rig, people):
    assert not rig.camera.is_streaming
    record = rig.accepts(portrait=mine(1))
    assert record["face"] == "match"
    rig.camera.until(lambda: not rig.camera.is_streaming, "told that the visit is over")
    rig.camera.play(people[BLUE])
    rig.refuses("no-match", portrait=mine(1))
    rig.camera.until(lambda: not rig.camera.is_streaming, "told that the visit is over")


@pytest.mark.parametrize("what", ["black", "truncated", "nothing"])
def test_a_camera_that_shows_nothing_lets_nobody_in(rig, people, what):
    rig.camera.play({"black": [black()], "truncated": [truncated(picture) for picture in people[RED]], "nothing": []}[what])
    rig.refuses("camera-failed", portrait=mine(2))
    rig.camera.play(people[RED])
    rig.accepts(portrait=mine(3))


def test_unplugged_and_plugged_in_again_in_the_middle_of_a_visit(rig, people):
    # Nobody is decided about before: the pictures show nobody until the camera is back.
    rig.camera.play([drawing()])

    def replug():
        rig.camera.unplug()
        rig.camera.play(people[RED])
        rig.camera.plug()
        rig.camera.node()

    replugged = when_looked_at(rig, replug)
    streams = rig.camera.streams
    rig.accepts(portrait=mine(4))
    assert replugged.done() and rig.camera.streams >= streams + 2


def test_unplugged_for_good_and_the_next_visitor_after_it_is_back(rig):
    rig.camera.play([drawing()])
    unplugged = when_looked_at(rig, rig.camera.unplug)
    rig.refuses("camera-failed", portrait=mine(5))
    assert unplugged.done()
    rig.camera.plug()
    rig.camera.node()
    rig.camera.play(standing(RED))
    rig.accepts(portrait=mine(6))
