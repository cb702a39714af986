"""BlueZ as the gate's rival: bluetoothd serves the same attribute table, and a program takes what is written by the fastest way it offers.

Chunks come through a socket that bluetoothd hands out (AcquireWrite), not as D-Bus calls. Nothing is decoded, decrypted or checked: they are counted.
"""
import asyncio
import contextlib
import os
import socket

from dbus_fast import Variant
from dbus_fast.constants import PropertyAccess
from dbus_fast.service import ServiceInterface, dbus_property, dbus_method

import wallet as w
from bluez import BlueZ, long

ROOT = "/app"


class Service(ServiceInterface):
    def __init__(self, uuid: str = long("0001")) -> None:
        super().__init__("org.bluez.GattService1")
        self.uuid = uuid

    @dbus_property(access=PropertyAccess.READ)
    def UUID(self) -> "s":
        return self.uuid

    @dbus_property(access=PropertyAccess.READ)
    def Primary(self) -> "b":
        return True


class Characteristic(ServiceInterface):
    """`written(name, value)` of the server is called for every value; `mtu` is that of the last one's link."""

    def __init__(self, name: str, flags: list[str], server, uuid: str = "", root: str = ROOT) -> None:
        super().__init__("org.bluez.GattCharacteristic1")
        self.what, self.flags, self.server, self.value, self.root, self.mtu = name, flags, server, b"", root, 23
        self.uuid = uuid or long(w.uuid(name))

    @dbus_property(access=PropertyAccess.READ)
    def UUID(self) -> "s":
        return self.uuid

    @dbus_property(access=PropertyAccess.READ)
    def Service(self) -> "o":
        return self.root + "/service"

    @dbus_property(access=PropertyAccess.READ)
    def Flags(self) -> "as":
        return self.flags

    @dbus_property(access=PropertyAccess.READ)
    def Value(self) -> "ay":
        return self.value

    @dbus_method()
    async def WriteValue(self, value: "ay", options: "a{sv}"):
        if "mtu" in options:
            self.mtu = options["mtu"].value
        await self.server.written(self.what, bytes(value))

    @dbus_method()
    def StartNotify(self):
        pass

    @dbus_method()
    def StopNotify(self):
        pass

    def push(self, value: bytes) -> None:
        self.value = value
        self.emit_properties_changed({"Value": value})


class Chunks(Characteristic):
    """Takes its values by a socket: one packet is one write."""

    def __init__(self, server: "BlueZServer") -> None:
        super().__init__(w.SUBMIT, ["write-without-response"], server)

    @dbus_property(access=PropertyAccess.READ)
    def WriteAcquired(self) -> "b":
        return False

    @dbus_method()
    def AcquireWrite(self, options: "a{sv}") -> "hq":
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        ours.setblocking(False)
        self.ours = ours
        asyncio.get_running_loop().add_reader(ours, self.readable)
        return [os.dup(theirs.fileno()), options["mtu"].value]

    def readable(self) -> None:
        try:
            while value := self.ours.recv(4096):
                self.server.received += len(value) - w.CHUNK_HEADER
        except BlockingIOError:
            return
        asyncio.get_running_loop().remove_reader(self.ours)
        self.ours.close()


class Advertisement(ServiceInterface):
    def __init__(self, uuid: str = long("0001")) -> None:
        super().__init__("org.bluez.LEAdvertisement1")
        self.uuid = uuid

    @dbus_property(access=PropertyAccess.READ)
    def Type(self) -> "s":
        return "peripheral"

    @dbus_property(access=PropertyAccess.READ)
    def ServiceUUIDs(self) -> "as":
        return [self.uuid]

    @dbus_method()
    def Release(self):
        pass


class BlueZServer:
    """Serves on the adapter of `bluez`. `address` is where a central finds it."""

    def __init__(self, bluez: BlueZ) -> None:
        self.bluez, self.received, self.expected = bluez, 0, 0

    async def start(self) -> "BlueZServer":
        bus = self.bluez.bus
        command, push = ["write-without-response", "write"], ["notify", "indicate"]
        self.report = Characteristic(w.REPORT, push, self)
        characteristics = [Characteristic(name, command, self) for name in (w.REQUEST_SIZE, w.REQUEST, w.IDENTIFY, w.SIZE, w.REPORT_REQUEST)]
        characteristics += [Chunks(self), self.report, Characteristic(w.STATUS, push, self), Characteristic(w.DISCONNECT, push, self)]
        bus.export(ROOT + "/service", Service())
        for characteristic in characteristics:
            bus.export(f"{ROOT}/service/c{characteristic.what}", characteristic)
        bus.export("/advertisement", Advertisement())
        await self.bluez.call(self.bluez.adapter, "org.bluez.GattManager1", "RegisterApplication", "oa{sv}", ROOT, {})
        properties = await self.bluez.call(self.bluez.adapter, "org.freedesktop.DBus.Properties", "Get", "ss", "org.bluez.Adapter1", "Address")
        self.address = properties.value
        return self

    async def advertise(self) -> None:
        """Before each connection: on the emulator's controllers the kernel does not begin again after one."""
        manager = "org.bluez.LEAdvertisingManager1"
        with contextlib.suppress(RuntimeError):
            await self.bluez.call(self.bluez.adapter, manager, "UnregisterAdvertisement", "o", "/advertisement")
        await self.bluez.call(self.bluez.adapter, manager, "RegisterAdvertisement", "oa{sv}", "/advertisement", {})

    async def written(self, name: str, value: bytes) -> None:
        if name == w.SIZE:
            self.expected, self.received = int.from_bytes(value, "big"), 0
        elif name == w.REPORT_REQUEST:
            # Chunks came by another way than the request, which may have been quicker.
            while self.received < self.expected:
                await asyncio.sleep(0.001)
            self.report.push(b"\x01\x00\x00")
