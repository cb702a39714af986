"""BlueZ as a phone with a document (ISO/IEC 18013-5): bluetoothd finds the gate and is its client, or advertises and is its server.

The documents, keys and messages are holder.py's. bluetoothd hides every PDU: it agrees on the MTU, discovers, and splits nothing.
"""
import asyncio
import contextlib
import itertools
import time
import uuid as uuids

from dbus_fast import Variant

import holder as wallet
from bluez import ADAPTER, CHARACTERISTIC, DEVICE, PROPERTIES, BlueZ
from bluez_server import Advertisement, Characteristic, Service
from mdoc_phone import CENTRAL, PERIPHERAL, START

PATIENCE = 60  # seconds: the machine is emulated
NUMBERS = itertools.count()


class BlueZDocument:
    """One visit. `requests` is how many the gate asked, `status` what the session ended with."""

    def __init__(self, bluez: BlueZ, holder: wallet.Holder) -> None:
        self.bluez, self.holder = bluez, holder
        self.uuid = str(uuids.UUID(bytes=holder.uuid))
        self.reassembler = wallet.Reassembler()
        self.messages: asyncio.Queue[bytes | None] = asyncio.Queue()
        self.requests, self.status, self.mtu = 0, None, 23

    def take(self, value: bytes) -> None:
        if message := self.reassembler.feed(value):
            self.messages.put_nowait(message)

    async def talk(self) -> None:
        """Answers until the session has ended, or the link."""
        while message := await asyncio.wait_for(self.messages.get(), PATIENCE):
            replies = self.holder.on_session_data(message) if self.requests else self.holder.on_session_establishment(message)
            if self.holder.closed and not replies:
                self.status = wallet.cbor2.loads(message).get("status")
                return
            self.requests += 1
            for reply in replies:
                for value in wallet.fragments(reply, self.mtu):
                    await self.send(value)


class BlueZClient(BlueZDocument):
    """mdoc central client mode: the gate advertises and is the server."""

    mode = "central"

    async def prepare(self) -> str:
        self.holder.mode, self.device, self.paths = self.mode, "", {}
        self.bluez.bus.add_message_handler(self.heard)
        return self.holder.qr()

    def heard(self, message) -> None:
        if message.member != "PropertiesChanged" or not message.body:
            return
        interface, changed = message.body[0], message.body[1]
        if interface == CHARACTERISTIC and "Value" in changed and message.path == self.paths.get("s2c"):
            self.take(bytes(changed["Value"].value))
        elif interface == DEVICE and message.path == self.device and "Connected" in changed and not changed["Connected"].value:
            self.messages.put_nowait(None)

    async def visit(self) -> None:
        end = time.monotonic() + PATIENCE
        while not await self.found():
            assert time.monotonic() < end, "no gate on the air"
        await asyncio.wait_for(self.bluez.call(self.device, DEVICE, "Connect"), PATIENCE)
        while not (await self.bluez.call(self.device, PROPERTIES, "Get", "ss", DEVICE, "ServicesResolved")).value:
            assert time.monotonic() < end, "services are never resolved"
            await asyncio.sleep(0.02)
        names = {str(uuids.UUID(bytes=uuid.to_bytes()[::-1])): name for name, uuid in CENTRAL.items()}
        for path, interfaces in (await self.bluez.objects()).items():
            if path.startswith(self.device) and CHARACTERISTIC in interfaces and (name := names.get(interfaces[CHARACTERISTIC]["UUID"].value)):
                self.paths[name], self.mtu = path, interfaces[CHARACTERISTIC]["MTU"].value
        assert bytes(await self.bluez.call(self.paths["ident"], CHARACTERISTIC, "ReadValue", "a{sv}", {})) == self.holder.ident()
        for name in ("state", "s2c"):
            await self.bluez.call(self.paths[name], CHARACTERISTIC, "StartNotify")
        await self.write("state", START)
        await self.talk()

    async def found(self, seconds: float = 2) -> bool:
        """The emulator reports an advertisement once a scan, so the phone looks anew."""
        filters = {"Transport": Variant("s", "le"), "DuplicateData": Variant("b", True), "UUIDs": Variant("as", [self.uuid])}
        await self.bluez.call(self.bluez.adapter, ADAPTER, "SetDiscoveryFilter", "a{sv}", filters)
        await self.bluez.call(self.bluez.adapter, ADAPTER, "StartDiscovery")
        try:
            end = time.monotonic() + seconds
            while time.monotonic() < end:
                for path, interfaces in (await self.bluez.objects()).items():
                    if path.startswith(self.bluez.adapter) and self.uuid in interfaces.get(DEVICE, {}).get("UUIDs", Variant("as", [])).value:
                        self.device = path
                        return True
                await asyncio.sleep(0.05)
            return False
        finally:
            with contextlib.suppress(RuntimeError):
                await self.bluez.call(self.bluez.adapter, ADAPTER, "StopDiscovery")

    async def write(self, name: str, value: bytes) -> None:
        await self.bluez.call(self.paths[name], CHARACTERISTIC, "WriteValue", "aya{sv}", value, {"type": Variant("s", "command")})

    async def send(self, value: bytes) -> None:
        await self.write("c2s", value)

    async def leave(self) -> None:
        self.bluez.bus.remove_message_handler(self.heard)
        for member, path, interface, more in (("Disconnect", self.device, DEVICE, ()), ("RemoveDevice", self.bluez.adapter, ADAPTER, ("o", self.device))):
            if self.device:
                with contextlib.suppress(RuntimeError):
                    await self.bluez.call(path, interface, member, *more)


class BlueZServes(BlueZDocument):
    """mdoc peripheral server mode: the gate looks for the phone, and is the client."""

    mode = "peripheral"

    async def prepare(self) -> str:
        self.holder.mode, self.root = self.mode, f"/document{next(NUMBERS)}"
        flags = {"state": ["notify", "write-without-response"], "c2s": ["write-without-response"], "s2c": ["notify"]}
        self.served = {name: Characteristic(name, each, self, str(uuids.UUID(bytes=PERIPHERAL[name].to_bytes()[::-1])), self.root) for name, each in flags.items()}
        bus = self.bluez.bus
        bus.export(f"{self.root}/service", Service(self.uuid))
        for name, characteristic in self.served.items():
            bus.export(f"{self.root}/service/{name}", characteristic)
        bus.export(f"{self.root}/advertisement", Advertisement(self.uuid))
        await self.bluez.call(self.bluez.adapter, "org.bluez.GattManager1", "RegisterApplication", "oa{sv}", self.root, {})
        await self.bluez.call(self.bluez.adapter, "org.bluez.LEAdvertisingManager1", "RegisterAdvertisement", "oa{sv}", f"{self.root}/advertisement", {})
        return self.holder.qr()

    async def written(self, name: str, value: bytes) -> None:
        if name == "c2s":
            self.mtu = self.served["c2s"].mtu
            self.take(value)
        elif value != START:
            self.messages.put_nowait(None)

    async def visit(self) -> None:
        await self.talk()

    async def send(self, value: bytes) -> None:
        self.served["s2c"].push(value)

    async def leave(self) -> None:
        for manager, member, path in (("LEAdvertisingManager1", "UnregisterAdvertisement", "/advertisement"), ("GattManager1", "UnregisterApplication", "")):
            with contextlib.suppress(RuntimeError):
                await self.bluez.call(self.bluez.adapter, f"org.bluez.{manager}", member, "o", self.root + path)
        for path in ("/service", *(f"/service/{name}" for name in self.served), "/advertisement"):
            self.bluez.bus.unexport(self.root + path)
