"""A phone with a DIDComm wallet on Bumble's software air, as react-native-ble-didcomm and Credo behave, honest or not (aries.md section 1).

- android    asks for an MTU of 512, writes pieces of MTU - 12 by Write Requests
- ios        brings an MTU of 185, writes pieces of 500: CoreBluetooth makes long writes of them
"""
import asyncio
import contextlib
import json
from dataclasses import dataclass, field

from bumble import att, hci
from bumble.core import UUID, AdvertisingData
from bumble.device import Peer

from air import Air, random_address
from aries_holder import AriesHolder
from aries_messages import Answer, read_invitation, service_of

WRITE, INDICATE = UUID("c3103ded-afd7-477c-b279-2ad264e20e74"), UUID("e6e97879-780a-4c9b-b4e6-dcae3793a3e8")
MARKER, HEADROOM = b"EOM", 12
MTU = {"android": 512, "ios": 185}
LISTS = (AdvertisingData.COMPLETE_LIST_OF_128_BIT_SERVICE_CLASS_UUIDS, AdvertisingData.INCOMPLETE_LIST_OF_128_BIT_SERVICE_CLASS_UUIDS)


@dataclass(frozen=True)
class AriesPlan:
    profile: str = "android"
    fault: str = "none"         # a name from aries_faults.py
    did_sov: bool = False       # message types with the older prefix, as Bifold sends them
    mtu: int = 0                # another than the profile's
    piece: int = 0              # octets of a write, where not the profile's
    fragment: int = 0           # octets of a Prepare Write, where not what the MTU takes
    patience: float = 60.0      # seconds to wait for any one thing


@dataclass
class AriesVisit:
    """What the phone saw."""

    result: str = "failed"      # accepted, refused, declined, disconnected, silent, failed
    code: str | None = None     # of the gate's problem report
    why: str = ""
    second: str = ""            # what became of a second message
    mtu: int = 23
    sent: int = 0
    invitation: bytes = b""     # over the air
    pieces: list[int] = field(default_factory=list)  # octets of each indication
    shown: dict = field(default_factory=dict)        # the presentation


class AriesPhone:
    def __init__(self, air: Air, device) -> None:
        self.air, self.device = air, device

    @staticmethod
    async def on(air: Air) -> "AriesPhone":
        return AriesPhone(air, await air.new_phone())

    async def visit(self, url: str, holder: AriesHolder, plan: AriesPlan = AriesPlan()) -> AriesVisit:
        """One visit by the code on the screen, from the scan to the end of the link."""
        address = random_address()
        await self.device.send_sync_command(hci.HCI_LE_Set_Random_Address_Command(random_address=address))
        self.device.random_address = address
        link = AriesConversation(self.device, plan, Answer(holder, plan.fault, plan.did_sov))
        try:
            await link.run(read_invitation(url))
        except asyncio.TimeoutError:
            link.seen.result = "silent"
        except (Exception, asyncio.CancelledError) as error:  # Bumble cancels what waits for a link that ends
            gone = "declined" if plan.fault == "decline" else "disconnected"
            link.seen.result, link.seen.why = gone if link.is_gone else "failed", repr(error)[:200]
        finally:
            await link.leave()
        return link.seen


class AriesConversation:
    """GATT central: finds the service of the invitation, listens, writes."""

    def __init__(self, device, plan: AriesPlan, answer: Answer) -> None:
        self.device, self.plan, self.answer = device, plan, answer
        self.seen = AriesVisit()
        self.inbox: asyncio.Queue[bytes | None] = asyncio.Queue()
        self.part, self.connection, self.is_gone = b"", None, False

    async def run(self, invitation: dict) -> None:
        endpoint, fault = service_of(invitation)["serviceEndpoint"], self.plan.fault
        assert endpoint.startswith("ble://"), endpoint
        await self.connect(UUID(endpoint[len("ble://"):]))
        if fault != "deaf":
            over_air = await self.message()
            if over_air is None:
                return self.ends("disconnected")
            # A wallet that compares: what is said over the air is what stands on the screen.
            assert json.loads(over_air) == invitation
            self.seen.invitation = over_air
        if fault == "silent":
            return self.hears(await self.message(10 * self.plan.patience))
        octets = await asyncio.to_thread(self.answer.octets, invitation)
        self.seen.shown = self.answer.presentation or {}
        await self.send(octets)
        said = await self.message()
        self.hears(said)
        if fault == "again" and said is not None:
            await self.say_again(octets)

    def ends(self, result: str) -> None:
        self.seen.result = result

    def hears(self, octets: bytes | None) -> None:
        if octets is None:
            return self.ends("declined" if self.plan.fault == "decline" else "disconnected")
        verdict = self.answer.verdict(octets)
        self.seen.result, self.seen.code, self.seen.why = verdict["result"], verdict.get("code"), verdict.get("why", "")

    async def say_again(self, octets: bytes) -> None:
        try:
            await self.send(octets)
            said = await self.message()
            self.seen.second = "disconnected" if said is None else self.answer.verdict(said)["result"]
        except Exception as error:
            self.seen.second = type(error).__name__

    # MARK: the link

    async def connect(self, service: UUID) -> None:
        address = await self.find(service)
        self.connection = await self.device.connect(address, timeout=self.plan.patience)
        self.connection.on("disconnection", self.lost)
        self.peer = Peer(self.connection)
        self.client = self.peer.gatt_client
        self.seen.mtu = await self.peer.request_mtu(self.plan.mtu or MTU[self.plan.profile])
        await self.peer.discover_services([service])
        found = self.peer.get_services_by_uuid(service)[0]
        await found.discover_characteristics()
        self.write = found.get_characteristics_by_uuid(WRITE)[0]
        indicated = found.get_characteristics_by_uuid(INDICATE)[0]
        await indicated.discover_descriptors()
        if self.plan.fault != "deaf":
            await self.peer.subscribe(indicated, self.received, prefer_notify=False)

    async def find(self, service: UUID):
        found = asyncio.get_running_loop().create_future()

        def heard(advertisement) -> None:
            uuids = [uuid for kind in LISTS for uuid in advertisement.data.get(kind) or []]
            if service in uuids and not found.done():
                found.set_result(advertisement.address)

        self.device.on("advertisement", heard)
        await self.device.start_scanning(active=True)
        try:
            return await asyncio.wait_for(found, self.plan.patience)
        finally:
            self.device.remove_listener("advertisement", heard)
            await self.device.stop_scanning()

    def lost(self, reason) -> None:
        self.is_gone = True
        self.inbox.put_nowait(None)

    async def leave(self) -> None:
        if self.connection is None or self.is_gone:
            return
        with contextlib.suppress(Exception):
            await asyncio.wait_for(self.connection.disconnect(), 5)

    # MARK: messages

    def received(self, value: bytes) -> None:
        self.seen.pieces.append(len(value))
        if value == MARKER:
            self.inbox.put_nowait(self.part)
            self.part = b""
        else:
            self.part += value

    async def message(self, patience: float | None = None) -> bytes | None:
        """The next whole message; None when the link is gone."""
        return await asyncio.wait_for(self.inbox.get(), patience or self.plan.patience)

    async def send(self, octets: bytes) -> None:
        fault = self.plan.fault
        size = self.plan.piece or (self.seen.mtu - HEADROOM if self.plan.profile == "android" else 500)
        if fault == "slow":
            # More than the least progress, and too little for 44 kB in 90 s.
            size = 300
        for offset in range(0, len(octets), size):
            if fault == "vanish" and offset >= len(octets) // 2:
                return await self.leave()
            await self.put(octets[offset : offset + size])
            self.seen.sent += len(octets[offset : offset + size])
            if fault == "slow":
                await asyncio.sleep(1)
        if fault != "no-end":
            await self.put(MARKER)
        if fault == "end-twice":
            await self.put(MARKER)

    async def put(self, value: bytes) -> None:
        """One write; a long one where the value is longer than the MTU allows."""
        if len(value) <= self.seen.mtu - 3 and not self.plan.fragment:
            return await self.peer.write_value(self.write, value, with_response=True)
        room = self.plan.fragment or self.seen.mtu - 5
        for offset in range(0, len(value), room):
            await self.ask(att.ATT_Prepare_Write_Request(self.write.handle, offset, value[offset : offset + room]))
        await self.ask(att.ATT_Execute_Write_Request(1))

    async def ask(self, request) -> None:
        answer = await self.client.send_request(request)
        if answer.op_code == att.Opcode.ATT_ERROR_RESPONSE:
            raise RuntimeError(f"{request.name}: {answer}")
