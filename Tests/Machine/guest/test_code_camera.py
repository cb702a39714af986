"""Codes before the kernel's own camera: a printed card and a phone's screen, held before a gate that compares faces, with its controller on the
kernel's user channel."""
import asyncio
import time

import pytest

import issuer
from code_rig import CodeRig, nothing, on_a_screen, photo, printed
from face_rig import BLUE, RED, drawing, standing
from kernel_rig import KernelRig
from mischief import MISCHIEF, Mischief
from phone import Plan
from uvccam import USBCamera

LOOK = 12  # seconds the gate looks at a visitor: the machine is emulated


class CameraRig(CodeRig):
    """The same visits, before a USB camera."""

    def __init__(self, folder, camera: USBCamera, *options: str, **faces) -> None:
        self.camera = camera
        super().__init__(folder, *options, made=KernelRig, camera=f"v4l2:{camera.path}", **faces)

    def shows(self, pictures) -> None:
        self.camera.play(pictures)

    def holds(self, text: str, condition: str = "clean") -> None:
        spoil = on_a_screen if condition == "screen" else None
        # In a hand that is not quite still: a library that misses one shot has the next.
        self.shows(self.draws(lambda: [printed(text, spoil, 90 - shift, shift) for shift in (0, 3, 8)]))

    def card(self, *arguments, **more) -> str:
        return self.draws(super().card, *arguments, **more)

    def bad(self, *arguments) -> tuple[str, str]:
        return self.draws(super().bad, *arguments)

    def lets_in(self, text: str, condition: str = "clean") -> dict:
        record = self.looked_at(text, RED, condition=condition)
        assert (record["outcome"], record["face"], record["holder"]) == ("accepted", "match", "bound"), (record, self.gate.errors[-5:])
        return record


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    camera = USBCamera(nothing()).plug()
    camera.path = camera.node()
    rig = CameraRig(tmp_path_factory.mktemp("codes"), camera, policy="required", look=LOOK).open()
    yield rig
    rig.close()
    camera.unplug()


@pytest.fixture
def rig(made):
    made.leaves()
    yield made


@pytest.fixture(scope="module")
def mine():
    """A photo of the same person for each card: attempts are counted by it."""
    return iter(photo(number=number) for number in range(100))


def test_a_printed_card_and_the_person_on_it(rig, mine):
    rig.lets_in(rig.card(next(mine)))
    rig.camera.until(lambda: rig.camera.is_streaming, "looked through for the next code")


def test_a_phones_screen(rig, mine):
    rig.lets_in(rig.card(next(mine)), "screen")


def test_another_face(rig, mine):
    record = rig.looked_at(rig.card(next(mine)), BLUE)
    assert (record["outcome"], record["reasons"]) == ("rejected", ["no-match"]), record


@pytest.mark.parametrize("name", ("tampered", "expired", "revoked", "unknown issuer"))
def test_cards_that_let_nobody_in(rig, mine, name):
    record = rig.refuses(*rig.bad(name, next(mine)))
    assert "face" not in record


def test_a_card_after_those(rig, mine):
    rig.lets_in(rig.card(next(mine)))


def test_a_phone_that_has_identified_is_not_disturbed_by_a_code(rig, mine):
    film, people = [rig.draws(printed, rig.card(next(mine)))], rig.draws(standing, RED)
    payload = rig.draws(lambda: issuer.wrap(rig.rig.issuer.credential(portrait=drawing(RED, size=(400, 400)))))
    mark, began = rig.mark(), time.monotonic()

    async def stands_there():
        await rig.gate.light("look", began)
        rig.shows(people)

    async def held_up(link):
        rig.shows(film)
        await asyncio.sleep(1)
        asyncio.ensure_future(stands_there())

    MISCHIEF["accident"] = Mischief("either", at="identified", does=held_up)
    visit = rig.rig.visit(Plan("ios", mischief="accident"), payload)
    record = rig.record(mark)
    assert visit.accepted and record["outcome"] == "accepted" and "presentation" not in record, (visit, record)


def test_a_code_is_not_disturbed_by_a_phone(rig, mine):
    uri, mark, began = rig.rig.uri(), rig.mark(), time.monotonic()
    rig.holds(rig.card(next(mine)))
    rig.rig.light("look", began)
    visit = rig.rig.visit(Plan("ios", patience=3, connecting=3), uri=uri)
    assert not visit.accepted
    rig.shows(rig.draws(standing, RED))
    record = rig.record(mark)
    assert record["presentation"] == "code" and len(rig.gate.verdicts()) == mark + 1, record


def test_the_camera_unplugged_and_plugged_in_again(rig, mine):
    rig.camera.unplug()
    rig.says("camera")
    rig.camera.plug()
    rig.camera.node()
    rig.lets_in(rig.card(next(mine)))
