"""A phone with a Tuvali wallet: Bumble's GATT central, playing Inji on Android or on iOS, honest or not.

The phone knows what a visitor knows: the text of the gate's QR code. It finds the gate by active scan and service data, like a wallet.

- android    discovery first, then MTU 512, 185, 100 in turn; everything by write command; writes no CCCD: pushes are listened to locally, those
             of 0A and 2037 only after its own first report request was accepted by its stack (a push that comes earlier is lost, as on a real phone)
- android14  the same, but asks for MTU 517 once and never again
- ios        MTU first; CCCD 0002 on 0A, 2037, 0B after discovery; write requests for 06, 07, 09 and for chunks sent again; confirms indications

What is planned and what happened is in visit.py.
"""
import asyncio
import contextlib
import itertools
import os
import random
import struct
import time
from functools import partial

from bumble import att, core, gatt, hci
from bumble.core import UUID
from bumble.device import Peer

import wallet as w
from air import Air, random_address
from mischief import MISCHIEF, Mischief
from visit import STEPS, Conduct, Ended, Plan, Visit

IN_FLIGHT = 64            # ACL packets the phone keeps under way, like a stack that returns "busy"


class Phone:
    def __init__(self, air: Air, device) -> None:
        self.air, self.device = air, device
        self.link: Link | None = None  # of the visit under way, or of the last one

    @staticmethod
    async def on(air: Air) -> "Phone":
        return Phone(air, await air.new_phone())

    async def visit(self, uri: str, payload: bytes, plan: Plan = Plan(), message: bytes | None = None, make_link=None) -> Visit:
        """One visit from the scan to the end of the link. `message` replaces the gzip of the payload, `make_link` the wallet's own conduct."""
        address = random_address()
        await self.device.send_sync_command(hci.HCI_LE_Set_Random_Address_Command(random_address=address))
        self.device.random_address = address
        link = self.link = (make_link or Link)(self.air, self.device, plan)
        try:
            await link.run(w.VerifierURI.parse(uri), payload, message)
        except Ended as end:
            link.visit.error = str(end)
        except att.ATT_Error as error:
            link.visit.error = f"ATT error {error.error_code:#04x}"
        finally:
            if plan.stays:
                await link.stay()
            await link.leave()
        return link.visit


class Link(Conduct):
    """One connection and what the wallet does on it."""

    def __init__(self, air: Air, device, plan: Plan) -> None:
        self.air, self.device, self.plan = air, device, plan
        self.visit = Visit(plan)
        self.random = random.Random(plan.seed)
        self.mischief: Mischief | None = MISCHIEF[plan.mischief] if plan.mischief else None
        self.connection = None
        self.gone = asyncio.Event()
        self.pushes: asyncio.Queue[tuple[str, bytes]] = asyncio.Queue()
        self.listening: set[str] = set()
        self.characteristics: dict[str, object] = {}
        self.private, self.nonce = os.urandom(32), os.urandom(12)
        self.ios = plan.profile == "ios"
        self.service = UUID.from_16_bits(w.service(plan.wire))

    # MARK: the visit

    async def run(self, uri: w.VerifierURI, payload: bytes, packed: bytes | None) -> None:
        await self.connect(uri)
        await self.step("connect")
        for step in ((self.exchange_mtu, self.discover) if self.ios else (self.discover, self.exchange_mtu)):
            await step()
        self.data = w.max_data(self.client.mtu)
        self.visit.att_mtu = self.client.mtu
        if self.ios and self.data < w.LEAST_DATA and self.plan.strict:
            raise Ended("TVW_CON_002")
        self.prepare(payload, packed)

        await self.mischief_at("connected")
        self.listening.add(w.DISCONNECT)
        await self.write(w.IDENTIFY, self.nonce + w.public_key(self.private))
        await self.step("identify")
        await self.mischief_at("identified")
        await self.write(w.SIZE, struct.pack(">I", len(self.message)))
        await self.step("size")
        await self.mischief_at("sized")
        await self.send(range(1, len(self.chunks) + 1))
        await self.mischief_at("sent")
        await self.request_report()
        await self.reports()
        await self.verdict()

    def prepare(self, payload: bytes, packed: bytes | None) -> None:
        """Everything that can be computed beforehand is, so that timings are the air's and the gate's."""
        key = w.verifier_key(self.private, self.visit.key)
        packed = packed if packed is not None else w.gzip(payload)
        if self.mischief and self.mischief.packed:
            packed = self.mischief.packed(payload)
        self.message = w.seal(key, self.nonce, packed)
        if self.mischief and self.mischief.message:
            self.message = self.mischief.message(self.message)
        self.chunks = w.chunks(self.message, self.data)
        self.visit.message_length, self.visit.chunk_count = len(self.message), len(self.chunks)

    # MARK: link

    async def connect(self, uri: w.VerifierURI) -> None:
        self.mark("scan")
        address, self.visit.key = await self.find(lambda: uri)
        self.visit.address = str(address)
        self.mark("found")
        try:
            self.connection = await self.device.connect(address, timeout=self.plan.connecting)
        except Exception as error:
            raise Ended(f"no connection: {error}") from None
        self.connection.on("disconnection", self.disconnected)
        self.peer = Peer(self.connection)
        self.client = self.peer.gatt_client
        self.ignore_unasked_responses()
        if not self.plan.confirms:
            self.client.send_confirmation = lambda confirmation: None

    async def find(self, code) -> tuple[object, bytes]:
        """Address and key of the gate whose code `code()` returns: the one on its screen while the phone looks."""
        found = asyncio.get_running_loop().create_future()
        others = itertools.count(1)

        def heard(advertisement) -> None:
            if found.done():
                return
            if key := w.match(code(), bytes(advertisement.data), self.plan.wire):
                found.set_result((advertisement.address, key))
            elif next(others) == self.plan.others:
                found.set_exception(Ended("no such gate on the air"))

        self.device.on("advertisement", heard)
        await self.device.start_scanning(active=True)
        try:
            return await asyncio.wait_for(found, self.plan.patience)
        except asyncio.TimeoutError:
            raise Ended("no such gate on the air") from None
        finally:
            self.device.remove_listener("advertisement", heard)
            await self.device.stop_scanning()

    def ignore_unasked_responses(self) -> None:
        """Bumble's client raises on a response nobody waits for; a phone that sends nonsense gets some."""
        take = self.client.on_gatt_pdu

        def taken(pdu) -> None:
            waiting = self.client.pending_response
            if pdu.op_code not in att.ATT_RESPONSES or (waiting is not None and not waiting.done()):
                take(pdu)

        self.client.on_gatt_pdu = taken

    def disconnected(self, reason: int) -> None:
        self.visit.link_lost = reason
        self.mark("gone")
        self.gone.set()
        self.pushes.put_nowait(("", b""))

    async def stay(self) -> None:
        """Whatever the gate says, until it or the air ends the link."""
        if self.connection is not None:
            with contextlib.suppress(asyncio.TimeoutError):
                await asyncio.wait_for(self.gone.wait(), self.plan.patience)

    async def leave(self) -> None:
        if self.connection is None or self.gone.is_set():
            return
        with contextlib.suppress(Exception):
            await asyncio.wait_for(self.connection.disconnect(), 2)
        self.visit.link_lost = None  # the phone's own doing

    async def exchange_mtu(self) -> None:
        if self.ios or not self.plan.strict:
            await self.request_mtu(min(527, self.plan.att_mtu))
        else:
            for wanted in (512, 185, 100):
                if self.plan.profile == "android" or not self.client.mtu_exchange_done:
                    await self.request_mtu(min(517 if self.plan.profile == "android14" else wanted, self.plan.att_mtu))
                if min(self.client.mtu, w.LARGEST_MTU) == wanted:
                    break
            else:
                raise Ended("TVW_CON_002")
        await self.step("mtu")

    async def request_mtu(self, mtu: int) -> None:
        self.client.mtu_exchange_done = False  # Bumble asks once; older Android asks again
        await self.guard(self.client.request_mtu(mtu))
        await asyncio.sleep(self.plan.settle)

    async def discover(self) -> None:
        if self.ios:
            self.connection.send_l2cap_pdu(0x3A, b"\x00\x00")  # Apple probes this channel; a host ignores it
            await self.guard(self.client.discover_service(self.service))
        else:
            await self.guard(self.client.discover_services())
        services = [s for s in self.client.services if s.uuid == self.service]
        if not services:
            raise Ended("TVW_CON_003")
        for service in self.client.services:
            if not self.ios:
                await self.guard(self.client.discover_included_services(service))
            for characteristic in await self.guard(self.client.discover_characteristics((), service)):
                if not self.ios:
                    await self.guard(self.client.discover_descriptors(characteristic))
        names = (w.REQUEST_SIZE, w.REQUEST, w.IDENTIFY, w.SIZE, w.SUBMIT, w.REPORT_REQUEST, w.REPORT, w.STATUS, w.DISCONNECT)
        by_uuid = {c.uuid: c for c in services[0].characteristics}
        self.characteristics = {n: by_uuid[uuid] for n in names if (uuid := UUID(w.uuid(n, self.plan.wire))) in by_uuid}
        if len(self.characteristics) < len(names):
            raise Ended("characteristics missing")
        for name in (w.REPORT, w.STATUS, w.DISCONNECT):
            self.listen(name)
        if self.ios:
            for name in (w.REPORT, w.STATUS, w.DISCONNECT):
                await self.subscribe(name)
        await self.step("discovery")

    def listen(self, name: str) -> None:
        """Local registration: no octet crosses the air. A push that is not listened to yet is lost."""

        def pushed(kind: str, value: bytes) -> None:
            self.visit.pushes.append((kind, name, bytes(value)))
            if name in self.listening:
                self.pushes.put_nowait((name, bytes(value)))
            else:
                self.visit.lost_pushes += 1

        handle = self.characteristics[name].handle
        self.client.notification_subscribers[handle] = {partial(pushed, "notification")}
        self.client.indication_subscribers[handle] = {partial(pushed, "indication")}

    async def subscribe(self, name: str) -> None:
        self.listening.add(name)
        characteristic = self.characteristics[name]
        await self.guard(self.client.discover_descriptors(characteristic))
        if (cccd := characteristic.get_descriptor(gatt.GATT_CLIENT_CHARACTERISTIC_CONFIGURATION_DESCRIPTOR)) is not None:
            with contextlib.suppress(att.ATT_Error):  # iOS wallets ignore subscription errors
                await self.guard(self.client.write_value(cccd, b"\x02\x00", with_response=True))

    # MARK: writing

    async def write(self, name: str, value: bytes, request: bool | None = None) -> None:
        if self.gone.is_set():
            raise Ended("link lost")
        if request if request is not None else self.ios:
            await self.guard(self.client.write_value(self.characteristics[name].handle, value, with_response=True))
        else:
            await self.client.write_value(self.characteristics[name].handle, value, with_response=False)
            await self.drain(IN_FLIGHT)

    async def drain(self, most: int = 0) -> None:
        queue = self.device.host.get_data_packet_queue(self.connection.handle)
        while queue is not None and queue.pending > most and not self.gone.is_set():
            await asyncio.sleep(0)

    async def guard(self, request):
        """Bumble cancels a request whose link is lost; that is not a cancelled task."""
        if self.gone.is_set():
            request.close()
            raise Ended("link lost")
        try:
            return await asyncio.wait_for(request, self.plan.patience)
        except asyncio.CancelledError:
            if self.gone.is_set() or self.connection.handle not in self.device.connections:
                raise Ended("link lost") from None
            raise
        except (asyncio.TimeoutError, core.TimeoutError):
            # Bumble waits for an answer also where the link was lost in the moment between the look above and the request.
            raise Ended("link lost" if self.gone.is_set() else "no answer") from None

    async def send(self, sequences, again: bool = False) -> None:
        """One pass over the chunks, with this plan's accidents."""
        order = list(sequences)
        share = lambda part: set(self.random.sample(order, int(part * len(order))))
        lost, damaged, doubled = share(self.plan.loss), share(self.plan.corruption), share(self.plan.duplication)
        if self.plan.reorder:
            self.random.shuffle(order)
        request = self.ios and again
        half = len(order) // 2
        if not again:
            self.mark("first chunk")
        for index, sequence in enumerate(order):
            if index == half and not again:
                await self.mischief_at("half")
                await self.step("chunks")
            value = self.chunks[sequence - 1]
            if sequence in damaged:
                at = self.random.randrange(w.CHUNK_HEADER, len(value))
                value = value[:at] + bytes([value[at] ^ 1 << self.random.randrange(8)]) + value[at + 1 :]
            if sequence not in lost and sequence != self.plan.always_lost:
                for _ in range(1 + (sequence in doubled)):
                    await self.write(w.SUBMIT, value, request)
            if self.plan.pace:
                await asyncio.sleep(self.plan.pace)

    async def request_report(self) -> None:
        self.mark("report requested", again=True)
        is_late = not self.ios and w.REPORT not in self.listening and self.plan.listens_after > 0
        if not self.ios and not is_late:
            self.listening |= {w.REPORT, w.STATUS}
        await self.write(w.REPORT_REQUEST, b"\x01")
        if is_late:
            await self.drain()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self.gone.wait(), self.plan.listens_after)
            self.listening |= {w.REPORT, w.STATUS}
        await self.step("report")

    # MARK: what the gate says

    async def reports(self) -> None:
        while True:
            name, value = await self.pushed()
            if name == w.STATUS:
                return self.conclude(value)
            if name != w.REPORT:
                continue
            try:
                report = w.Report.parse(value)
            except ValueError:
                raise Ended("TVW_UNK_002") from None
            if report.success:
                self.mark("success")
                await self.step("success")
                return
            if self.visit.rounds >= w.RETRY_ROUNDS:
                raise Ended("TVW_REP_001")
            if not report.missing or any(not 1 <= s <= len(self.chunks) for s in report.missing):
                raise Ended("CRASH: a wallet does not survive this report")
            self.visit.rounds += 1
            await self.send(report.missing, again=True)
            await self.request_report()

    async def verdict(self) -> None:
        while self.visit.status is None:
            name, value = await self.pushed()
            if name == w.STATUS:
                self.conclude(value)

    def conclude(self, value: bytes) -> None:
        self.mark("status")
        self.visit.status = value[0] if value else None
        self.visit.events.append("ACCEPTED" if value[:1] == b"\x00" else "REJECTED")

    # MARK: accidents

    async def step(self, name: str) -> None:
        if name not in self.visit.events:
            self.visit.events.append(name)
            self.mark(name)
            if self.plan.leave_after == name:
                await self.drain()
                if self.plan.vanish:
                    self.air.break_link()
                    await asyncio.wait_for(self.gone.wait(), 2)
                raise Ended("left after " + name)
            while self.plan.halts_after == name:
                await self.pushed()

    async def mischief_at(self, moment: str) -> None:
        if self.mischief is None or self.mischief.at != moment or self.mischief.does is None:
            return
        await self.mischief.does(self)
        await self.drain()

    async def raw(self, channel: int, pdu: bytes) -> None:
        """Any octets on any L2CAP channel."""
        if not self.gone.is_set():
            self.connection.send_l2cap_pdu(channel, pdu)
            await self.drain(IN_FLIGHT)
