"""A gate that compares faces, and phones with documents: the portrait is asked for, and who stands there has to be the one in it."""
import asyncio
import time

import pytest

import holder as wallet
from code_rig import nothing, shots
from face_rig import BLUE, RED, drawing, standing
from gate import is_reference
from mdoc_phone import MdocPhone, MdocPlan
from mdoc_rig import gate

pytestmark = pytest.mark.skipif(is_reference(), reason="the reference gate has no camera")


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    with gate(tmp_path_factory.mktemp("faces"), policy="required", look=10) as made:
        yield made


def visit(rig, portrait, person, plan: MdocPlan = MdocPlan()) -> tuple[dict, list]:
    """The record of a visit by `person` with a document that has `portrait`, and what was asked for."""
    claims = {"issuing_country": "UT", "family_name": "Mustermann"} | ({"portrait": portrait} if portrait else {})
    mark, holder = rig.mark(), rig.holder(namespaces={wallet.NS: claims})

    async def shown():
        device = await rig.rig.air.new_phone()
        phone = MdocPhone(device, holder, plan)
        film, people = await asyncio.to_thread(shots, await phone.prepare()), await asyncio.to_thread(standing, *person)
        rig.shows(film)
        began = time.monotonic()
        try:
            seen = await phone.visit()
            rig.shows(nothing())
            if portrait:
                await rig.gate.light("look", began)
                rig.shows(people)
            return seen, (await rig.gate.until(lambda: rig.gate.verdicts()[mark:], what="the record"))[0]
        finally:
            rig.leaves()
            await device.power_off()
            rig.rig.air.phones.remove(device)

    seen, record = rig.run(shown())
    assert record["presentation"] == "mdoc", (record, seen)
    return record, seen.requests


def portrait(colour) -> bytes:
    return drawing(colour, size=(400, 400))


@pytest.mark.parametrize("plan", (MdocPlan(), MdocPlan("peripheral"), MdocPlan("peripheral", "engagement")), ids=("server", "client", "channel"))
def test_the_person_in_the_document(made, plan):
    record, (request,) = visit(made, portrait(RED), (RED,), plan)
    assert (record["outcome"], record["face"], record["holder"], record["device"]) == ("accepted", "match", "bound", "bound"), record
    assert all("portrait" in names for document in request["documents"] for names in document["nameSpaces"].values()), request


def test_somebody_else_with_the_phone(made):
    record, _ = visit(made, portrait(RED), (BLUE,))
    assert (record["outcome"], record["reasons"], record["holder"]) == ("rejected", ["no-match"], "not-bound"), record


def test_a_document_without_a_portrait(made):
    record, _ = visit(made, None, (RED,))
    assert (record["outcome"], record["reasons"]) == ("rejected", ["portrait-withheld"]), record


def test_a_portrait_that_is_no_picture(made):
    record, _ = visit(made, b"\xff\xd8\xff" + bytes(400), (RED,))
    assert record["outcome"] == "rejected" and record["reasons"] != ["no-match"], record
