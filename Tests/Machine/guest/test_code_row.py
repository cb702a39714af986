"""Many codes in a row before the kernel's own camera and a gate that needs no face for them: none is missed or judged twice, nothing stalls, and
nothing grows."""
import os

import pytest

from code_rig import TYPE, nothing
from test_code_camera import CameraRig
from uvccam import USBCamera

MANY = int(os.environ.get("CODES", "24"))  # make soak has a thousand


@pytest.fixture
def rig(tmp_path):
    camera = USBCamera(nothing()).plug()
    camera.path = camera.node()
    made = CameraRig(tmp_path, camera, "--codes-without-face", TYPE).open()
    yield made
    made.close()
    camera.unplug()


def test_codes_in_a_row(rig):
    accepted, heard, resident, workers = 0, 0, [], set()
    for number in range(MANY):
        rig.holds(rig.card())

        def is_judged() -> bool:
            nonlocal accepted, heard
            lines = rig.gate.errors[heard:]
            heard += len(lines)
            accepted += sum("accepted by code" in line for line in lines)
            return accepted > number

        rig.run(rig.gate.until(is_judged, what=f"the verdict on code {number}"))
        if number % 10 == 0:
            resident.append(rig.gate.resident())
            workers |= set(rig.workers())
    records = rig.gate.verdicts()
    assert len(records) == MANY and {(record["outcome"], record["presentation"]) for record in records} == {("accepted", "code")}
    # What is used for the first time is got once, and one worker has read them all. A long row stays where its first half has come to.
    later = resident[len(resident) // 2:]
    growth = f"{' '.join(map(str, resident))} kB, workers {workers}"
    assert len(workers) == 1 and max(resident) - resident[0] < 8192 and (MANY < 200 or max(later) - later[0] < 256), growth
    rig.leaves()
    rig.rig.still_serves()
