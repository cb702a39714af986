"""A phone with a document, whose stack is the kernel's and bluetoothd's, before a gate on the kernel's user channel: in both roles."""
import asyncio

import pytest

import holder as wallet
from bluez_document import BlueZClient, BlueZServes
from code_rig import printed
from conftest import BlueZRig
from mdoc_rig import MdocRig

PHONES = {phone.mode: phone for phone in (BlueZClient, BlueZServes)}


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    rig = MdocRig(tmp_path_factory.mktemp("documents"), "--codes-without-face", "*", made=BlueZRig).open()
    yield rig
    rig.close()


@pytest.fixture
def rig(made):
    made.leaves()
    yield made


def visit(rig, mode: str, faults=(), **more):
    """What the phone saw, and the gate's record."""
    mark, holder = rig.mark(), rig.holder(faults, **more)
    phone = PHONES[mode](rig.rig.bluez, holder)

    async def shown():
        text = await phone.prepare()
        rig.shows([await asyncio.to_thread(printed, text, None, 90 - shift, shift) for shift in (0, 3, 8)])
        try:
            await phone.visit()
            rig.leaves()
            return (await rig.gate.until(lambda: rig.gate.verdicts()[mark:], 60, "the record"))[0]
        finally:
            await phone.leave()

    return phone, rig.run(shown())


@pytest.mark.parametrize("mode", PHONES)
def test_a_document_is_accepted(rig, mode):
    phone, record = visit(rig, mode)
    role = "peripheral" if mode == "central" else "central"
    assert (record["outcome"], record["docType"], record["bearer"], record["role"], record["device"]) == ("accepted", wallet.MDL, "gatt", role, "bound"), record
    assert phone.requests == 1 and phone.mtu > 185


@pytest.mark.parametrize("mode", PHONES)
def test_a_document_with_another_phones_signature_is_rejected(rig, mode):
    phone, record = visit(rig, mode, ("device_sig",))
    assert (record["outcome"], record["reasons"][0]) == ("rejected", "mdoc-invalid"), record
    assert "device" not in record and phone.requests == 1


def test_a_wallet_visits_after_them(rig):
    rig.rig.still_serves()
