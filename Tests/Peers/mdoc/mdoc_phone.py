"""A phone with an mdoc wallet (ISO/IEC 18013-5, engagement by a code) on Bumble's software air, in both roles of Bluetooth LE, honest or not.

The wallet's documents, keys and faults are holder.py's; here is how it behaves on the air.

- central      mdoc central client mode: the gate is the GATT server
- peripheral   mdoc peripheral server mode: the gate scans and connects
- android      the app asks for its MTU, discovers everything, reads Ident, subscribes State, then Server2Client, each awaited, then START
- ios          the system asks for the MTU, discovery by UUID, Ident, then START without waiting for the subscriptions
"""
import asyncio
import contextlib
import os
import struct
import time
from dataclasses import dataclass, field

from bumble import att, hci, l2cap
from bumble.core import UUID, AdvertisingData
from bumble.device import Device, Peer
from bumble.gatt import Characteristic, CharacteristicValue, Service

import holder as wallet
from air import random_address

BASE = "-A123-48CE-896B-4C76973373E6"
CENTRAL = {name: UUID(f"0000000{n}" + BASE) for name, n in (("state", "5"), ("c2s", "6"), ("s2c", "7"), ("ident", "8"), ("psm", "B"))}
PERIPHERAL = {name: UUID(f"0000000{n}" + BASE) for name, n in (("state", "1"), ("c2s", "2"), ("s2c", "3"), ("psm", "A"))}
START, END = b"\x01", b"\x02"

# name -> (roles it exists in, what the phone does)
MISCHIEF = {
    "drop_connected": ("cp", "disconnects as soon as it is connected"),
    "drop_before_start": ("c", "disconnects after the subscriptions, before START"),
    "drop_on_request": ("cp", "disconnects when the first fragment of the request arrives"),
    "drop_before_answer": ("cp", "disconnects when it has the request"),
    "drop_in_answer": ("cp", "disconnects after half of the response's fragments"),
    "never_start": ("c", "connects, subscribes, never writes START"),
    "never_subscribe": ("c", "writes START but no CCCD"),
    "start_first": ("c", "START before any CCCD (iOS wallets do this), then subscribes"),
    "start_twice": ("c", "START a second time in the middle of the response"),
    "wrong_state": ("c", "writes 03 to State instead of START"),
    "empty_state": ("c", "writes an empty value to State"),
    "state_end_early": ("cp", "State END when it has the request: no consent"),
    "never_answer": ("cp", "takes the request and stays silent"),
    "bad_header": ("cp", "a fragment with header byte 02"),
    "empty_fragment": ("cp", "a value of no bytes on the data characteristic"),
    "short_fragments": ("cp", "fragments of MTU - 6, not the greatest (EUDI on iOS does this): must work"),
    "tiny_fragments": ("cp", "one byte of payload in each fragment: must work, slowly"),
    "no_last": ("cp", "every fragment says that more follows"),
    "endless": ("cp", "400 kB of fragments that say more follows"),
    "empty_last": ("cp", "the last fragment is empty: must work"),
    "write_request": ("c", "write requests where write commands are customary: must work"),
    "junk_message": ("cp", "a whole message that is not CBOR"),
    "l2cap_huge": ("cp", "over L2CAP: a length prefix of 4 GiB"),
    "l2cap_split": ("cp", "over L2CAP: the length prefix in two SDUs: must work"),
    "no_service": ("p", "advertises the UUID, has no such service"),
    "no_characteristic": ("p", "the service lacks Server2Client"),
    "other_uuid": ("cp", "advertises (or looks for) another UUID than the engagement's: nobody meets"),
    "late_advertising": ("p", "advertises only three seconds after the QR code is shown: must work"),
    "ident_unread": ("c", "never reads Ident: must work"),
}
MUST_WORK = {"start_first", "start_twice", "short_fragments", "tiny_fragments", "empty_last", "write_request", "l2cap_split", "late_advertising", "ident_unread"}


class Ended(Exception):
    """The phone's part of the visit is over, for this reason."""


@dataclass
class MdocPlan:
    role: str = "central"
    l2cap: str = "none"
    profile: str = "android"
    mischief: str | None = None
    consent: float = 0.0
    end: str = "reader"
    requests: int = 1
    mtu: int = 515
    patience: float = 20.0


@dataclass
class MdocVisit:
    """What the phone saw."""

    role: str | None = None
    bearer: str = "gatt"
    mtu: int = 23
    events: list = field(default_factory=list)
    error: str | None = None
    requests: list = field(default_factory=list)
    sent: int = 0
    ended_by_reader: str | None = None
    began: float = field(default_factory=time.monotonic)

    def say(self, name, **more):
        self.events.append({"t": round(time.monotonic() - self.began, 3), "event": name, **more})

    def as_json(self):
        return {"role": self.role, "bearer": self.bearer, "mtu": self.mtu, "error": self.error, "ended_by_reader": self.ended_by_reader, "response_bytes": self.sent,
                "requests": self.requests, "events": self.events}


class MdocPhone:
    def __init__(self, device: Device, holder: wallet.Holder, plan: MdocPlan) -> None:
        self.device, self.holder, self.plan = device, holder, plan
        self.visit_ = MdocVisit()
        self.messages: asyncio.Queue[bytes] = asyncio.Queue()   # whole messages from the reader; b"" = transport-specific end
        self.gone = asyncio.Event()
        self.started = asyncio.Event()
        self.connection = None
        self.channel = None
        self.incoming = bytearray()
        self.stream = bytearray()
        self.send_value = None
        self.write_state = None
        self.leaves = False      # the visit is over, and what is open is closed

    def does(self, name: str) -> bool:
        return self.plan.mischief == name

    # MARK: engagement

    async def prepare(self) -> str:
        """Opens what has to be open before the code is shown, at an address of its own. -> the text of the code."""
        address = random_address()
        await self.device.send_sync_command(hci.HCI_LE_Set_Random_Address_Command(random_address=address))
        self.device.random_address = address
        self.holder.mode = {"central": "central", "peripheral": "peripheral", "both": "both"}[self.plan.role]
        if self.plan.role != "central":
            await self.open_peripheral()
        return self.holder.qr()

    def other(self, uuid: bytes) -> bytes:
        return bytes(b ^ 0x55 for b in uuid) if self.does("other_uuid") else uuid

    # MARK: the visit

    async def visit(self) -> MdocVisit:
        v = self.visit_
        tasks = []
        try:
            if self.plan.role != "peripheral":
                tasks.append(asyncio.create_task(self.be_central()))
            if self.plan.role != "central":
                tasks.append(asyncio.create_task(self.be_peripheral()))
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED, timeout=self.plan.patience)
            if not done:
                raise Ended("no reader came")
            for task in tasks:
                if task not in done:
                    task.cancel()
            await asyncio.gather(*(t for t in tasks if t not in done), return_exceptions=True)
            await done.pop()
            await self.talk()
        except Ended as end:
            v.error = str(end)
        except att.ATT_Error as error:
            v.error = f"ATT error {error.error_code:#04x}"
        except (asyncio.TimeoutError, asyncio.CancelledError):
            v.error = "time-out"
        finally:
            for task in tasks:
                task.cancel()
            await self.leave()
        return v

    def mark_connection(self, connection) -> None:
        self.connection = connection
        connection.on("disconnection", self.lost)
        self.visit_.say("connected")

    def lost(self, reason) -> None:
        self.visit_.say("disconnected", reason=int(reason))
        self.gone.set()
        self.messages.put_nowait(None)

    async def leave(self) -> None:
        self.leaves = True
        with contextlib.suppress(Exception):
            await self.device.stop_advertising()
        with contextlib.suppress(Exception):
            await self.device.stop_scanning()
        if self.connection is not None and not self.gone.is_set():
            with contextlib.suppress(Exception):
                await asyncio.wait_for(self.connection.disconnect(), 2)

    async def drop(self, why: str):
        self.visit_.say("dropping", why=why)
        with contextlib.suppress(Exception):
            await asyncio.wait_for(self.connection.disconnect(), 2)
        raise Ended(why)

    # MARK: mdoc central client mode: the reader is the GATT server

    async def be_central(self) -> None:
        wanted = UUID.from_bytes(self.other(self.holder.uuid)[::-1])
        found = asyncio.get_running_loop().create_future()

        def seen(advertisement):
            for kind in (AdvertisingData.COMPLETE_LIST_OF_128_BIT_SERVICE_CLASS_UUIDS, AdvertisingData.INCOMPLETE_LIST_OF_128_BIT_SERVICE_CLASS_UUIDS):
                for data in advertisement.data.get_all(kind, raw=True):
                    if any(data[i : i + 16] == wanted.to_bytes() for i in range(0, len(data), 16)) and not found.done():
                        found.set_result(advertisement.address)

        self.device.on("advertisement", seen)
        await self.device.start_scanning(active=False, filter_duplicates=False)
        try:
            address = await found
        finally:
            self.device.remove_listener("advertisement", seen)
            with contextlib.suppress(Exception):
                await self.device.stop_scanning()
        self.visit_.say("found", address=str(address))
        self.mark_connection(await self.device.connect(address, timeout=5))
        self.visit_.role = "central"
        if self.does("drop_connected"):
            await self.drop("drop_connected")
        self.peer = Peer(self.connection)
        ios = self.plan.profile == "ios"
        if not ios:
            await self.peer.request_mtu(self.plan.mtu)          # Android: the app asks, then discovers everything
            await self.peer.discover_services()
        else:
            await self.peer.request_mtu(min(self.plan.mtu, 527))    # iOS: the system asks by itself, the app discovers by UUID
            await self.peer.discover_service(wanted)
        service = next((s for s in self.peer.services if s.uuid == wanted), None)
        if service is None:
            raise Ended("no such service")
        await service.discover_characteristics()
        by = {name: next((c for c in service.characteristics if c.uuid == uuid), None) for name, uuid in CENTRAL.items()}
        for name in ("state", "c2s", "s2c", "ident"):
            if by[name] is None:
                raise Ended("no characteristic " + name)
        client = self.peer.gatt_client
        self.visit_.mtu = client.mtu
        if not self.does("ident_unread"):
            value = await by["ident"].read_value()
            if value != self.holder.ident():
                self.visit_.say("ident differs", value=value.hex())
                raise Ended("ident differs")
        if self.plan.l2cap == "gatt" and by["psm"] is not None:
            psm = struct.unpack(">I", await by["psm"].read_value())[0]
            await self.open_channel(psm)
            return
        with_response = self.does("write_request")

        async def subscribe():
            if self.does("never_subscribe"):
                return
            for name in (("s2c", "state") if ios else ("state", "s2c")):
                await by[name].discover_descriptors()
                await self.peer.subscribe(by[name], self.on_state if name == "state" else self.on_data)

        async def start():
            if self.does("never_start"):
                await self.gone.wait()
                raise Ended("never started")
            value = {"wrong_state": b"\x03", "empty_state": b""}.get(self.plan.mischief, START)
            await client.write_value(by["state"], value, with_response=with_response)
            self.visit_.say("start written", value=value.hex())

        if ios or self.does("start_first"):
            pending = asyncio.create_task(subscribe())          # no waiting: START may arrive before the CCCD writes
            await start()
            await pending
        else:
            await subscribe()
            if self.does("drop_before_start"):
                await self.drop("drop_before_start")
            await start()

        async def send_value(value):
            await client.write_value(by["c2s"], value, with_response=with_response)

        async def write_state(value):
            await client.write_value(by["state"], value, with_response=with_response)

        self.send_value, self.write_state = send_value, write_state

    # MARK: mdoc peripheral server mode: the reader scans, connects and writes START

    async def open_peripheral(self) -> None:
        self.service_uuid = UUID.from_bytes((self.holder.peripheral_uuid or self.holder.uuid)[::-1])
        properties = Characteristic.Properties
        self.characteristics = {
            "state": Characteristic(PERIPHERAL["state"], properties.NOTIFY | properties.WRITE_WITHOUT_RESPONSE, Characteristic.WRITEABLE, CharacteristicValue(write=self.on_written_state)),
            "c2s": Characteristic(PERIPHERAL["c2s"], properties.WRITE_WITHOUT_RESPONSE, Characteristic.WRITEABLE, CharacteristicValue(write=self.on_written_data)),
            "s2c": Characteristic(PERIPHERAL["s2c"], properties.NOTIFY, Characteristic.READABLE, b""),
        }
        if self.does("no_characteristic"):
            del self.characteristics["s2c"]
        if self.plan.l2cap != "none":
            server = self.device.create_l2cap_server(l2cap.LeCreditBasedChannelSpec(mtu=2048, mps=512, max_credits=32), self.on_channel)
            if self.plan.l2cap == "engagement":
                self.holder.psm = server.psm
            else:
                self.characteristics["psm"] = Characteristic(PERIPHERAL["psm"], properties.READ, Characteristic.READABLE, struct.pack(">I", server.psm))
        if not self.does("no_service"):
            self.device.add_service(Service(self.service_uuid, list(self.characteristics.values())))
        self.device.gatt_server.max_mtu = self.plan.mtu

    async def be_peripheral(self) -> None:
        if self.does("late_advertising"):
            await asyncio.sleep(3)
        uuid = UUID.from_bytes(self.other(self.service_uuid.to_bytes()))
        data = AdvertisingData([(AdvertisingData.FLAGS, b"\x02" if self.plan.profile == "android" else b"\x1a"),
                                (AdvertisingData.COMPLETE_LIST_OF_128_BIT_SERVICE_CLASS_UUIDS, uuid.to_bytes())])
        arrived = asyncio.get_running_loop().create_future()
        # A phone that offers both roles may be looking for the reader meanwhile.
        self.device.on("connection", lambda c: c.role != hci.Role.PERIPHERAL or arrived.done() or arrived.set_result(c))
        await self.device.start_advertising(auto_restart=False, advertising_data=bytes(data), advertising_interval_min=30, advertising_interval_max=30)
        self.visit_.say("advertising")
        connection = await arrived
        self.mark_connection(connection)
        self.visit_.role = "peripheral"
        connection.on("connection_att_mtu_update", lambda: setattr(self.visit_, "mtu", connection.att_mtu))
        if self.does("drop_connected"):
            await self.drop("drop_connected")

        async def send_value(value):
            await self.device.notify_subscriber(connection, self.characteristics["s2c"], value)
            await asyncio.sleep(0)

        async def write_state(value):
            await self.device.notify_subscriber(connection, self.characteristics["state"], value)

        self.send_value, self.write_state = send_value, write_state
        first = [asyncio.create_task(self.started.wait()), asyncio.create_task(self.gone.wait())]
        done, rest = await asyncio.wait(first, return_when=asyncio.FIRST_COMPLETED, timeout=self.plan.patience)
        for task in rest:
            task.cancel()
        if self.gone.is_set():
            raise Ended("the reader left before START")
        if not done:
            raise Ended("the reader never wrote START")

    def on_written_state(self, connection, value) -> None:
        if value == START:
            self.visit_.say("start received")
            self.started.set()
        else:
            self.on_state(value)

    def on_written_data(self, connection, value) -> None:
        self.on_data(value)

    # MARK: L2CAP: 4 octets of length, big-endian, then the message

    def on_channel(self, channel) -> None:
        self.use_channel(channel)
        self.started.set()

    async def open_channel(self, psm: int) -> None:
        self.use_channel(await self.connection.create_l2cap_channel(l2cap.LeCreditBasedChannelSpec(psm=psm, mtu=2048, mps=512, max_credits=32)))

    def use_channel(self, channel) -> None:
        self.channel, self.visit_.bearer = channel, "l2cap"
        self.visit_.say("l2cap", psm=channel.psm)
        channel.sink = self.on_sdu

    def on_sdu(self, sdu: bytes) -> None:
        if self.does("drop_on_request"):
            asyncio.create_task(self.connection.disconnect())
            return
        self.stream += sdu
        while len(self.stream) >= 4 and len(self.stream) >= 4 + (n := struct.unpack_from(">I", self.stream)[0]):
            self.messages.put_nowait(bytes(self.stream[4 : 4 + n]))
            del self.stream[: 4 + n]

    # MARK: what the reader pushes or writes

    def on_data(self, value: bytes) -> None:
        if self.does("drop_on_request"):
            asyncio.create_task(self.connection.disconnect())
            return
        if not value or value[0] > 1:
            self.visit_.error = "reader sent a bad fragment"
            return
        self.incoming += value[1:]
        if value[0] == 0:
            self.messages.put_nowait(bytes(self.incoming))
            self.incoming.clear()

    def on_state(self, value: bytes) -> None:
        if value == END:
            self.visit_.say("state end from reader")
            self.messages.put_nowait(b"")

    # MARK: the conversation

    async def receive(self, within: float) -> bytes | None:
        """A message, b"" for the transport's end, None when the link is gone."""
        return await asyncio.wait_for(self.messages.get(), within)

    async def talk(self) -> None:
        v, h = self.visit_, self.holder
        try:
            message = await self.receive(self.plan.patience)
        except asyncio.TimeoutError:
            raise Ended("the reader sent no request")
        count = 0
        while True:
            if message is None:
                v.ended_by_reader = v.ended_by_reader or "disconnect"
                if count == 0:
                    raise Ended("the link ended before a request")
                return
            if message == b"":
                v.ended_by_reader = "state"
                return
            first = not hasattr(h, "establishment")
            replies = h.on_session_establishment(message) if first else h.on_session_data(message)
            if h.closed and not replies:
                v.ended_by_reader = "status %s" % wallet.cbor2.loads(message).get("status")
                v.say("status from reader")
                return
            count += 1
            v.requests.append({"documents": [wallet.cbor2.loads(d["itemsRequest"].value) for d in h.request["docRequests"]], "reader_authentication": h.reader_auth})
            v.say("request", bytes=len(message))
            if self.does("drop_before_answer"):
                await self.drop("drop_before_answer")
            if self.does("state_end_early"):
                if self.channel:
                    await self.send(h.terminate_message())
                else:
                    await self.write_state(END)
                await self.wait_gone("state_end_early")
            if self.plan.consent:
                v.say("the user looks at the request")
                await asyncio.wait({asyncio.create_task(self.gone.wait())}, timeout=self.plan.consent)
                if self.gone.is_set():
                    raise Ended("the reader left while the user was deciding")
            if self.does("never_answer") or not replies:
                await self.wait_gone("never_answer")
            last = count >= self.plan.requests
            if last and self.plan.end == "status20" and replies:
                replies = [self.with_status(replies[-1])]
            for reply in replies:
                await self.send(reply)
                v.sent += len(reply)
            v.say("response", bytes=v.sent)
            if last and self.plan.end == "drop":
                await asyncio.sleep(0.05)                       # the fragments leave the controller first
                await self.drop("drop after the response")
            if last and self.plan.end == "state" and not self.channel:
                await self.write_state(END)
            if last and self.plan.end in ("state", "status20", "nothing"):
                await self.wait_gone(None)
                return
            try:
                message = await self.receive(self.plan.patience)
            except asyncio.TimeoutError:
                raise Ended("the reader neither asked again nor ended the session")

    def with_status(self, reply: bytes) -> bytes:
        return wallet.enc({**wallet.cbor2.loads(reply), "status": 20})

    async def wait_gone(self, error: str | None) -> None:
        try:
            while True:
                message = await self.receive(self.plan.patience)
                if message is None:
                    break
                self.visit_.ended_by_reader = "state" if message == b"" else "status"
        except asyncio.TimeoutError:
            raise Ended((error or "") + ": the reader stayed")
        if error:
            raise Ended(error)

    async def send(self, message: bytes) -> None:
        if self.does("junk_message"):
            message = b"\xff" * len(message)
        if self.channel:
            await self.send_l2cap(message)
            return
        n = min(self.visit_mtu() - 3, 512)
        if self.does("short_fragments"):
            n = max(2, n - 3)
        if self.does("tiny_fragments"):
            n = 2
        n -= 1
        parts = [message[i : i + n] for i in range(0, len(message), n)] or [b""]
        if self.does("empty_last"):
            parts.append(b"")
        if self.does("endless"):
            parts = [bytes(n)] * (400_000 // n)
        more_always = self.does("no_last") or self.does("endless")
        for i, part in enumerate(parts):
            if self.gone.is_set():
                raise Ended("the reader left during the response")
            last = i == len(parts) - 1 and not more_always
            value = bytes([0 if last else 1]) + part
            if i == len(parts) // 2:
                if self.does("drop_in_answer"):
                    await self.drop("drop_in_answer")
                if self.does("bad_header"):
                    value = b"\x02" + part
                if self.does("empty_fragment"):
                    value = b""
                if self.does("start_twice"):
                    await self.write_state(START)
            await self.send_value(value)
            if i % 16 == 15:
                await asyncio.sleep(0)
        if more_always or self.does("bad_header") or self.does("empty_fragment"):
            await self.wait_gone(self.plan.mischief)

    def visit_mtu(self) -> int:
        if self.visit_.role == "peripheral":
            self.visit_.mtu = self.connection.att_mtu
        return self.visit_.mtu

    async def send_l2cap(self, message: bytes) -> None:
        prefix = struct.pack(">I", len(message))
        if self.does("drop_in_answer"):
            self.channel.write(prefix + message[: len(message) // 2])
            await self.drop("drop_in_answer")
        if self.does("l2cap_huge"):
            self.channel.write(b"\xff\xff\xff\xff" + message)
            await self.wait_gone("l2cap_huge")
        if self.does("l2cap_split"):
            self.channel.write(prefix[:2])
            await self.channel.drain()
            self.channel.write(prefix[2:])
        else:
            self.channel.write(prefix)
        self.channel.write(message)
        await self.channel.drain()
