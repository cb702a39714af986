"""A reader of documents in phones on Bumble, to be compared with the gate: its host on an H4 socket, as a gate's is.

It finds the phone by the engagement, asks for the portrait, opens and decodes the response, ends the session, and verifies nothing. It is in no way
careful: an honest phone and a bench are all it is for. The text of a code comes by a line of standard input; a line of JSON is the answer.

    mdoc_reader.py unix:SOCKET
"""
import asyncio
import hashlib
import json
import logging
import struct
import sys

import cbor2
from bumble import hci, l2cap
from bumble.core import UUID, AdvertisingData
from bumble.device import Device, Peer
from bumble.gatt import Characteristic, CharacteristicValue, Service
from bumble.transport import open_transport
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

import holder as wallet
from mdoc_phone import CENTRAL, PERIPHERAL, START

MTU = 515


class Session:
    """The reader's end of an engagement (ISO/IEC 18013-5 9.1.1)."""

    def __init__(self, code: str) -> None:
        octets = wallet.base64.urlsafe_b64decode(code.removeprefix("mdoc:") + "===")
        engagement = cbor2.loads(octets)
        options = engagement[2][0][2]
        self.central, self.peripheral, self.psm = options.get(11), options.get(10), options.get(21)
        self.ident = wallet.hkdf(wallet.enc(engagement[1][1]), b"", b"BLEIdent", 16)
        device = wallet.pub_from_cose(cbor2.loads(engagement[1][1].value))
        key = ec.generate_private_key(device.curve)
        self.key = wallet.t24(wallet.cose_key(key.public_key()))
        transcript = b"\x83" + wallet.enc(wallet.t24(octets)) + wallet.enc(self.key) + b"\xf6"
        salt = hashlib.sha256(wallet.enc(wallet.t24(transcript))).digest()
        shared = key.exchange(ec.ECDH(), device)
        self.ours, self.theirs = (AESGCM(wallet.hkdf(shared, salt, name, 32)) for name in (b"SKReader", b"SKDevice"))

    def establishment(self) -> bytes:
        items = {"docType": wallet.MDL, "nameSpaces": {wallet.NS: {"portrait": False}}}
        request = wallet.enc({"version": "1.0", "docRequests": [{"itemsRequest": wallet.t24(items)}]})
        return wallet.enc({"eReaderKey": self.key, "data": self.ours.encrypt(bytes(8) + struct.pack(">I", 1), request, None)})

    def response(self, message: bytes) -> dict:
        return cbor2.loads(self.theirs.decrypt(bytes(7) + b"\x01" + struct.pack(">I", 1), cbor2.loads(message)["data"], None))


class Reader:
    """One visit."""

    def __init__(self, device: Device, code: str) -> None:
        self.device, self.session = device, Session(code)
        self.message: asyncio.Queue[bytes] = asyncio.Queue()
        self.started, self.subscribed = asyncio.Event(), asyncio.Event()
        self.incoming, self.stream, self.channel = bytearray(), bytearray(), None

    async def run(self) -> dict:
        came = asyncio.get_running_loop().create_future()
        self.device.once("connection", lambda connection: came.done() or came.set_result(connection))
        await (self.serve() if self.session.central else self.look())
        self.connection = await came
        gone = asyncio.Event()
        self.connection.on("disconnection", lambda _: gone.set())
        if not self.session.central:
            await self.begin()
        await self.started.wait()
        await self.send(self.session.establishment())
        response = self.session.response(await self.message.get())
        await self.send(wallet.enc({"status": 20}))
        await gone.wait()
        return {"documents": len(response["documents"])}

    # MARK: the reader is the server

    async def serve(self) -> None:
        properties, uuid = Characteristic.Properties, UUID.from_bytes(self.session.central[::-1])
        self.state = Characteristic(CENTRAL["state"], properties.NOTIFY | properties.WRITE_WITHOUT_RESPONSE, Characteristic.WRITEABLE,
                                    CharacteristicValue(write=lambda _, value: value == START and asyncio.create_task(self.start())))
        self.out = Characteristic(CENTRAL["s2c"], properties.NOTIFY, Characteristic.READABLE, b"")
        taken = Characteristic(CENTRAL["c2s"], properties.WRITE_WITHOUT_RESPONSE, Characteristic.WRITEABLE, CharacteristicValue(write=lambda _, value: self.take(value)))
        ident = Characteristic(CENTRAL["ident"], properties.READ, Characteristic.READABLE, self.session.ident)
        self.out.on("subscription", lambda connection, notify, indicate: notify and self.subscribed.set())
        self.device.add_service(Service(uuid, [self.state, taken, self.out, ident]))
        self.device.gatt_server.max_mtu = MTU
        data = AdvertisingData([(AdvertisingData.FLAGS, b"\x06"), (AdvertisingData.COMPLETE_LIST_OF_128_BIT_SERVICE_CLASS_UUIDS, uuid.to_bytes())])
        await self.device.start_advertising(auto_restart=False, advertising_data=bytes(data), advertising_interval_min=30, advertising_interval_max=30)

    async def start(self) -> None:
        await self.subscribed.wait()
        self.started.set()

    # MARK: the phone is the server

    async def look(self) -> None:
        wanted, found = self.session.peripheral[::-1], asyncio.get_running_loop().create_future()

        def seen(advertisement):
            lists = advertisement.data.get_all(AdvertisingData.COMPLETE_LIST_OF_128_BIT_SERVICE_CLASS_UUIDS, raw=True)
            if wanted in lists and not found.done():
                found.set_result(advertisement.address)

        self.device.on("advertisement", seen)
        await self.device.start_scanning(active=False, filter_duplicates=False)
        address = await found
        self.device.remove_listener("advertisement", seen)
        await self.device.stop_scanning()
        await self.device.connect(address, timeout=5)

    async def begin(self) -> None:
        if self.session.psm:
            specification = l2cap.LeCreditBasedChannelSpec(psm=self.session.psm, mtu=2048, mps=512, max_credits=32)
            self.channel = await self.connection.create_l2cap_channel(specification)
            self.channel.sink = self.pour
            return self.started.set()
        peer = self.peer = Peer(self.connection)
        await peer.request_mtu(MTU)
        [service] = await peer.discover_service(UUID.from_bytes(self.session.peripheral[::-1]))
        await service.discover_characteristics()
        by = self.by = {c.uuid: c for c in service.characteristics}
        for name, heard in (("state", lambda value: None), ("s2c", self.take)):
            await by[PERIPHERAL[name]].discover_descriptors()
            await peer.subscribe(by[PERIPHERAL[name]], heard)
        await peer.gatt_client.write_value(by[PERIPHERAL["state"]], START, with_response=False)
        self.started.set()

    # MARK: messages

    def take(self, value: bytes) -> None:
        self.incoming += value[1:]
        if value[0] == 0:
            self.message.put_nowait(bytes(self.incoming))

    def pour(self, octets: bytes) -> None:
        self.stream += octets
        if len(self.stream) >= 4 and len(self.stream) >= 4 + struct.unpack_from(">I", self.stream)[0]:
            self.message.put_nowait(bytes(self.stream[4:]))

    async def send(self, message: bytes) -> None:
        if self.channel:
            self.channel.write(struct.pack(">I", len(message)) + message)
            return await self.channel.drain()
        room = min(self.connection.att_mtu - 3, 512) - 1
        for at in range(0, len(message), room):
            value = bytes([at + room < len(message)]) + message[at : at + room]
            if self.session.central:
                await self.device.notify_subscriber(self.connection, self.out, value)
            else:
                await self.peer.gatt_client.write_value(self.by[PERIPHERAL["c2s"]], value, with_response=False)


async def main(path: str) -> None:
    logging.getLogger("bumble").setLevel(logging.CRITICAL)
    async with await open_transport(path) as (source, sink):
        while line := await asyncio.to_thread(sys.stdin.readline):
            # Anew for each, with an attribute table of its own.
            device = Device.with_hci("reader", hci.Address("C0:00:00:00:00:01"), source, sink)
            await device.power_on()
            print(json.dumps(await Reader(device, line.strip()).run()), flush=True)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
