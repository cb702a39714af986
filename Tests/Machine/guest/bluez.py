"""BlueZ as the phone: the kernel's own Bluetooth host and bluetoothd, driven over D-Bus on the phone's side only."""
import asyncio
import contextlib
import os
import subprocess
import time
from pathlib import Path

from dbus_fast import BusType, Message, MessageType, Variant
from dbus_fast.aio import MessageBus

import wallet as w
from emulator import TOOLS, in_tools
from visit import Conduct, Ended, Plan, Visit

PROPERTIES = "org.freedesktop.DBus.Properties"
ADAPTER, DEVICE, CHARACTERISTIC = "org.bluez.Adapter1", "org.bluez.Device1", "org.bluez.GattCharacteristic1"


def long(uuid: str) -> str:
    return f"0000{uuid}-0000-1000-8000-00805f9b34fb" if len(uuid) == 4 else uuid.lower()


class BlueZ:
    """D-Bus and bluetoothd. It takes every controller it finds: whoever wants a user channel has to be there before."""

    def __init__(self, index: int) -> None:
        self.adapter = f"/org/bluez/hci{index}"
        self.processes: list[subprocess.Popen] = []

    async def start(self) -> "BlueZ":
        Path(TOOLS, "etc/bluetooth/main.conf").write_text("[General]\n[Policy]\nAutoEnable=true\n")
        self.processes.append(in_tools("/usr/bin/dbus-daemon", "--system", "--nofork", "--nopidfile", log="/run/dbus.log"))
        os.environ["DBUS_SYSTEM_BUS_ADDRESS"] = "unix:path=/run/dbus/system_bus_socket"
        await self.until(lambda: Path("/run/dbus/system_bus_socket").exists())
        self.processes.append(in_tools("/usr/libexec/bluetooth/bluetoothd", "-n", log="/run/bluetoothd.log"))
        self.bus = await MessageBus(bus_type=BusType.SYSTEM, negotiate_unix_fd=True).connect()
        await self.call("/org/freedesktop/DBus", "org.freedesktop.DBus", "AddMatch", "s", "type='signal',sender='org.bluez'", to="org.freedesktop.DBus")
        # Patience for an emulated machine that shares its processors, nothing that is measured.
        end = time.monotonic() + 300
        while not await self.is_powered():
            if time.monotonic() > end:
                raise TimeoutError("bluetoothd shows no powered adapter: " + Path("/run/bluetoothd.log").read_text()[-2000:])
            await asyncio.sleep(0.1)
        return self

    async def is_powered(self) -> bool:
        with contextlib.suppress(RuntimeError):
            return (await self.call(self.adapter, PROPERTIES, "Get", "ss", ADAPTER, "Powered")).value
        return False

    async def until(self, condition, patience: float = 20) -> None:
        end = time.monotonic() + patience
        while not condition():
            if time.monotonic() > end:
                raise TimeoutError("BlueZ")
            await asyncio.sleep(0.02)

    async def call(self, path, interface, member, signature="", *body, to="org.bluez"):
        answer = await self.bus.call(Message(
            destination=to, path=path, interface=interface, member=member, signature=signature, body=list(body)))
        if answer.message_type == MessageType.ERROR:
            raise RuntimeError(f"{member}: {answer.error_name} {answer.body}")
        return answer.body[0] if answer.body else None

    async def objects(self) -> dict:
        return await self.call("/", "org.freedesktop.DBus.ObjectManager", "GetManagedObjects")

    def stop(self) -> None:
        with contextlib.suppress(Exception):
            self.bus.disconnect()
        for process in reversed(self.processes):
            process.kill()
            process.wait()
        self.processes = []


class BlueZPhone:
    """A wallet as an Android app is one, but with BlueZ's stack below: it never sees a PDU."""

    def __init__(self, bluez: BlueZ) -> None:
        self.bluez = bluez

    async def visit(self, uri: str, payload: bytes, plan: Plan = Plan(), message: bytes | None = None) -> Visit:
        link = BlueZLink(self.bluez, plan)
        try:
            await link.run(w.VerifierURI.parse(uri), payload, message)
        except Ended as end:
            link.visit.error = str(end)
        finally:
            await link.leave()
        return link.visit


class BlueZLink(Conduct):
    def __init__(self, bluez: BlueZ, plan: Plan) -> None:
        self.bluez, self.plan, self.visit = bluez, plan, Visit(plan)
        self.pushes: asyncio.Queue[tuple[str, bytes]] = asyncio.Queue()
        self.device = ""
        self.paths: dict[str, str] = {}
        self.private, self.nonce = os.urandom(32), os.urandom(12)
        bluez.bus.add_message_handler(self.heard)

    def heard(self, message) -> None:
        if message.member != "PropertiesChanged" or not message.body:
            return
        interface, changed = message.body[0], message.body[1]
        if interface == CHARACTERISTIC and "Value" in changed:
            name = next((n for n, path in self.paths.items() if path == message.path), None)
            if name:
                self.pushes.put_nowait((name, bytes(changed["Value"].value)))
        elif interface == DEVICE and message.path == self.device and "Connected" in changed and not changed["Connected"].value:
            self.pushes.put_nowait(("", b""))

    def step(self, name: str) -> None:
        self.visit.events.append(name)
        self.visit.at[name] = time.monotonic()
        if self.plan.leave_after == name:
            raise Ended("left after " + name)

    async def run(self, uri, payload: bytes, packed: bytes | None) -> None:
        await self.find(uri)
        await self.connect()
        self.step("connect")
        await self.discover()
        self.step("mtu")  # bluetoothd agrees on it before discovery is reported
        self.step("discovery")
        for name in (w.REPORT, w.STATUS, w.DISCONNECT):
            await self.bluez.call(self.paths[name], CHARACTERISTIC, "StartNotify")
        key = w.verifier_key(self.private, self.visit.key)
        sealed = w.seal(key, self.nonce, packed if packed is not None else w.gzip(payload))
        chunks = w.chunks(sealed, w.max_data(self.visit.att_mtu))
        self.visit.message_length, self.visit.chunk_count = len(sealed), len(chunks)
        await self.write(w.IDENTIFY, self.nonce + w.public_key(self.private))
        self.step("identify")
        await self.write(w.SIZE, len(sealed).to_bytes(4, "big"))
        self.step("size")
        await self.send(chunks, range(1, len(chunks) + 1))
        self.step("chunks")
        await self.write(w.REPORT_REQUEST, b"\x01")
        self.step("report")
        await self.conclude(chunks)

    async def find(self, uri) -> None:
        adapter = self.bluez.adapter
        self.visit.at["scan"] = time.monotonic()
        await self.bluez.call(adapter, ADAPTER, "SetDiscoveryFilter", "a{sv}", {"Transport": Variant("s", "le"), "DuplicateData": Variant("b", True)})
        end = time.monotonic() + self.plan.patience
        # A radio repeats its advertisement many times a second; the emulator reports it once a scan, so the phone looks anew.
        while time.monotonic() < end:
            if await self.scanned(uri, adapter):
                return
        raise Ended("no such gate on the air")

    async def scanned(self, uri, adapter: str, seconds: float = 2) -> bool:
        await self.bluez.call(adapter, ADAPTER, "StartDiscovery")
        try:
            end = time.monotonic() + seconds
            while time.monotonic() < end:
                for path, interfaces in (await self.bluez.objects()).items():
                    if DEVICE in interfaces and path.startswith(adapter) and (key := self.key(uri, interfaces[DEVICE])):
                        self.device, self.visit.key = path, key
                        self.visit.address = interfaces[DEVICE]["Address"].value
                        return True
                await asyncio.sleep(0.05)
            return False
        finally:
            with contextlib.suppress(RuntimeError):
                await self.bluez.call(adapter, ADAPTER, "StopDiscovery")

    @staticmethod
    def key(uri, device: dict) -> bytes | None:
        """bluetoothd merges advertisement and scan response by itself."""
        data = device.get("ServiceData")
        if data is None or long("0001") not in device["UUIDs"].value:
            return None
        head, tail = (data.value.get(long(tag)) for tag in ("0001", "0002"))
        if head is None or tail is None or bytes(head.value) != uri.name.encode() + b"_" + uri.key[:5]:
            return None
        return bytes(head.value)[-5:] + bytes(tail.value)

    async def connect(self) -> None:
        try:
            await asyncio.wait_for(self.bluez.call(self.device, DEVICE, "Connect"), 20)
        except (RuntimeError, asyncio.TimeoutError) as error:
            raise Ended(f"no connection: {error}") from None

    async def discover(self) -> None:
        end = time.monotonic() + 20
        while not (await self.bluez.call(self.device, PROPERTIES, "Get", "ss", DEVICE, "ServicesResolved")).value:
            if time.monotonic() > end:
                raise Ended("services are never resolved")
            await asyncio.sleep(0.02)
        names = (w.REQUEST_SIZE, w.REQUEST, w.IDENTIFY, w.SIZE, w.SUBMIT, w.REPORT_REQUEST, w.REPORT, w.STATUS, w.DISCONNECT)
        by_uuid = {long(w.uuid(name)): name for name in names}
        for path, interfaces in (await self.bluez.objects()).items():
            if path.startswith(self.device) and CHARACTERISTIC in interfaces:
                if name := by_uuid.get(interfaces[CHARACTERISTIC]["UUID"].value):
                    self.paths[name] = path
                    self.visit.att_mtu = interfaces[CHARACTERISTIC]["MTU"].value
        if len(self.paths) < len(names):
            raise Ended("characteristics missing")

    async def write(self, name: str, value: bytes) -> None:
        try:
            await self.bluez.call(self.paths[name], CHARACTERISTIC, "WriteValue", "aya{sv}", value, {"type": Variant("s", "command")})
        except RuntimeError as error:
            raise Ended(f"link lost: {error}") from None

    async def send(self, chunks: list[bytes], sequence) -> None:
        for number in sequence:
            await self.write(w.SUBMIT, chunks[number - 1])

    async def conclude(self, chunks: list[bytes]) -> None:
        while True:
            name, value = await self.pushed()
            if name == w.STATUS:
                self.visit.status = value[0] if value else None
                self.visit.at["status"] = time.monotonic()
                return
            report = w.Report.parse(value)
            if report.success:
                self.step("success")
                continue
            self.visit.rounds += 1
            await self.send(chunks, report.missing)
            await self.write(w.REPORT_REQUEST, b"\x01")

    async def leave(self) -> None:
        self.bluez.bus.remove_message_handler(self.heard)
        if not self.device:
            return
        with contextlib.suppress(RuntimeError):
            await self.bluez.call(self.device, DEVICE, "Disconnect")
        # The next visit has another address; what bluetoothd remembers of this one would only slow it down.
        with contextlib.suppress(RuntimeError):
            await self.bluez.call(self.bluez.adapter, ADAPTER, "RemoveDevice", "o", self.device)
