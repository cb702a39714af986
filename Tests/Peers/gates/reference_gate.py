"""A second gate: the same Tuvali verifier on Bumble's own GATT server, in Python, with the command line of `gatehouse run`.

It proves the phone before it is let loose on Gatehouse, and it is the peer Gatehouse's transfers are timed against.

    reference_gate.py run --hci unix:/run/air.sock --trust DIR [--data DIR] [--name NAME] [--report-wait SECONDS]
"""
import argparse
import asyncio
import contextlib
import hashlib
import json
import logging
import os
import signal
import struct
import sys
import time
import zlib
from pathlib import Path

import zxingcpp
from bumble import hci
from bumble.core import UUID
from bumble.device import AdvertisingType, Device
from bumble.gatt import Characteristic, CharacteristicValue, Service
from bumble.transport import open_transport
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

import issuer
import wallet as w
from air import random_address

LARGEST_MESSAGE, LARGEST_PLAIN, LARGEST_COUNT = 4 << 20, 16 << 20, 32767


class Assembler:
    """Ciphertext from chunks, for one transfer."""

    def __init__(self, size: int, data: int) -> None:
        self.size, self.data, self.payload = size, data, data - w.CHUNK_HEADER
        self.count = -(-size // self.payload)
        if not 0 < size <= LARGEST_MESSAGE or self.count > LARGEST_COUNT:
            raise ValueError("size")
        self.octets, self.have = bytearray(size), bytearray(self.count)

    def accept(self, value: bytes) -> None:
        if not w.CHUNK_HEADER <= len(value) <= self.data:
            return
        sequence, crc = struct.unpack_from(">HH", value)
        payload = value[w.CHUNK_HEADER :]
        if not 1 <= sequence <= self.count or self.have[sequence - 1]:
            return
        start = (sequence - 1) * self.payload
        if len(payload) != min(self.payload, self.size - start) or w.crc16_kermit(payload) != crc:
            return
        self.octets[start : start + len(payload)] = payload
        self.have[sequence - 1] = 1

    @property
    def missing(self) -> list[int]:
        return [i + 1 for i, there in enumerate(self.have) if not there]


def inflate(packed: bytes) -> bytes:
    if not packed:
        return b""
    opener = zlib.decompressobj(31)
    plain = opener.decompress(packed, LARGEST_PLAIN)
    if not opener.eof or opener.unused_data or opener.unconsumed_tail:
        raise ValueError("gzip")
    return plain


class ReferenceGate:
    def __init__(self, options) -> None:
        self.options = options
        self.issuers = issuer.read_trust(options.trust)
        self.connection = None
        log = Path(options.data or "/nowhere") / "audit.jsonl"
        self.previous = log.read_bytes().splitlines()[-1] if log.exists() else b""
        self.again = asyncio.Event()

    # MARK: what a person and a test see

    def light(self, state: str) -> None:
        print(f"lights ms={int(time.monotonic() * 1000)} lit={state}", file=sys.stderr, flush=True)

    def show(self, uri: str) -> None:
        print("uri", uri)
        barcode = zxingcpp.create_barcode(uri, zxingcpp.BarcodeFormat.QRCode)
        rows = [[cell > 127 for cell in row] for row in memoryview(zxingcpp.write_barcode_to_image(barcode, scale=1, add_quiet_zones=False)).tolist()]
        width = len(rows[0]) + 8
        rows = [[True] * width] * 4 + [[True] * 4 + row + [True] * 4 for row in rows] + [[True] * width] * 5
        for upper, lower in zip(rows[::2], rows[1::2]):
            print("".join(" ▄▀█"[2 * u + l] for u, l in zip(upper, lower)))
        sys.stdout.flush()

    def record(self, outcome: str, reason: str = "") -> None:
        self.recorded = True
        if self.options.data is None:
            return
        previous = hashlib.sha256(self.previous).hexdigest() if self.previous else "0" * 64
        line = json.dumps({"prev": previous, "event": "visit", "outcome": outcome, "reasons": [reason] if reason else []})
        self.previous = line.encode()
        with open(Path(self.options.data) / "audit.jsonl", "a") as log:
            log.write(line + "\n")

    # MARK: the visit

    async def open_visit(self) -> None:
        self.private = os.urandom(32)
        self.key, self.nonce, self.secret, self.assembler = w.public_key(self.private), b"", b"", None
        self.reported, self.decided, self.recorded = False, False, False
        address = random_address()
        self.device.random_address = address
        await self.device.send_sync_command(hci.HCI_LE_Set_Random_Address_Command(random_address=address))
        name = self.options.name
        self.show(f"OPENID4VP://connect?name={name}&key={self.key.hex()}")
        ad = lambda kind, value: bytes([len(value) + 1, kind]) + value
        await self.device.start_advertising(
            advertising_type=AdvertisingType.UNDIRECTED_CONNECTABLE_SCANNABLE,
            own_address_type=hci.OwnAddressType.RANDOM,
            advertising_interval_min=100,
            advertising_interval_max=100,
            advertising_data=ad(1, b"\x06") + ad(3, b"\x01\x00") + ad(0x16, b"\x01\x00" + name.encode() + b"_" + self.key[:5]),
            scan_response_data=ad(0x16, b"\x02\x00" + self.key[5:]),
        )
        self.light("ready")

    def written(self, name: str, connection, value: bytes) -> None:
        try:
            self.take(name, connection, bytes(value))
        except Exception:
            self.close(connection)

    def take(self, name: str, connection, value: bytes) -> None:
        if name == w.IDENTIFY:
            if len(value) >= 44 and not self.secret:
                self.nonce, self.secret = value[:12], w.verifier_key(self.private, value[12:44])
        elif name == w.SIZE and self.secret:
            if self.decided:
                return
            if w.max_data(connection.att_mtu) < w.LEAST_DATA:
                return self.close(connection)
            self.assembler = Assembler(struct.unpack(">I", value[:4])[0], w.max_data(connection.att_mtu))
        elif name == w.SUBMIT and self.assembler:
            self.assembler.accept(value)
        elif name == w.REPORT_REQUEST and value[:1] == b"\x02":
            self.close(connection)
        elif name == w.REPORT_REQUEST and value[:1] == b"\x01" and self.secret and not self.decided:
            missing = self.assembler.missing  # no assembler: the visit ends
            if 10 * len(missing) > 7 * self.assembler.count:
                return self.close(connection)
            self.decided = not missing
            asyncio.get_running_loop().create_task(self.report(connection, missing))

    async def report(self, connection, missing: list[int]) -> None:
        if not self.reported:
            self.reported = True
            await asyncio.sleep(self.options.report_wait)
        await self.push(connection, w.REPORT, w.Report.build(missing, w.max_data(connection.att_mtu)))
        if missing:
            return
        try:
            reason = issuer.judge(inflate(AESGCM(self.secret).decrypt(self.nonce, bytes(self.assembler.octets), None)), self.issuers)
        except Exception:
            reason = "transfer"
        self.light("reject" if reason else "accept")
        self.record("rejected" if reason else "accepted", reason)
        await self.push(connection, w.STATUS, b"\x01" if reason else b"\x00")
        await asyncio.sleep(1)
        await self.drop(connection)

    def close(self, connection) -> None:
        async def ask_then_drop():
            await self.push(connection, w.DISCONNECT, b"\x01")
            await asyncio.sleep(0.5)
            await self.drop(connection)

        self.light("reject")
        self.record("failed", "protocol")
        asyncio.get_running_loop().create_task(ask_then_drop())

    async def push(self, connection, name: str, value: bytes) -> None:
        """Indication to a wallet that asked for one, notification to any other: Android never asks."""
        characteristic = self.characteristics[name]
        cccd = self.device.gatt_server.subscribers.get(connection, {}).get(characteristic.handle, b"")
        with contextlib.suppress(Exception):
            if cccd == b"\x02\x00":
                await self.device.indicate_subscriber(connection, characteristic, value, force=True)
            else:
                await self.device.notify_subscriber(connection, characteristic, value, force=True)

    async def drop(self, connection) -> None:
        with contextlib.suppress(Exception):
            if connection is self.connection:
                await connection.disconnect()

    # MARK: life

    def table(self) -> Service:
        P, write, read = Characteristic.Properties, Characteristic.Permissions.WRITEABLE, Characteristic.Permissions.READABLE
        takes = lambda n: Characteristic(w.uuid(n), P.WRITE | P.WRITE_WITHOUT_RESPONSE, write,
                                         CharacteristicValue(write=lambda connection, value: self.written(n, connection, value)))
        tells = lambda n, more=P(0): Characteristic(w.uuid(n), P.INDICATE | more, read, b"")
        entries = {w.IDENTIFY: takes(w.IDENTIFY), w.REQUEST_SIZE: tells(w.REQUEST_SIZE, P.READ), w.REQUEST: tells(w.REQUEST, P.READ),
                   w.SIZE: takes(w.SIZE), w.SUBMIT: takes(w.SUBMIT), w.REPORT_REQUEST: takes(w.REPORT_REQUEST),
                   w.REPORT: tells(w.REPORT), w.STATUS: tells(w.STATUS), w.DISCONNECT: tells(w.DISCONNECT)}
        self.characteristics = entries
        return Service(UUID.from_16_bits(w.SERVICE), list(entries.values()))

    async def run(self) -> int:
        if not self.issuers:
            print("reference gate: no issuer in the trust folder", file=sys.stderr)
            return 2
        stop = asyncio.Event()
        for number in (signal.SIGTERM, signal.SIGINT):
            asyncio.get_running_loop().add_signal_handler(number, stop.set)
        transport = await open_transport(self.options.hci.replace("unix:", "unix-client:", 1))
        self.device = Device.with_hci("gate", random_address(), transport.source, transport.sink)
        self.device.gatt_server.max_mtu = 517
        self.device.add_service(self.table())

        def connected(connection):
            self.connection = connection
            self.light("busy")
            connection.on("disconnection", lambda reason: self.again.set())

        self.device.on("connection", connected)
        await self.device.power_on()
        await self.open_visit()
        while not stop.is_set():
            waits = [asyncio.ensure_future(stop.wait()), asyncio.ensure_future(self.again.wait())]
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
            for wait in waits:
                wait.cancel()
            if self.again.is_set():
                self.again.clear()
                if self.secret and not self.recorded:
                    self.record("left")
                self.connection = None
                await self.open_visit()
        self.light("none")
        return 0


def main() -> int:
    parser = argparse.ArgumentParser()
    commands = parser.add_subparsers(required=True)
    run = commands.add_parser("run")
    run.add_argument("--hci", required=True)
    run.add_argument("--trust", required=True)
    run.add_argument("--data")
    run.add_argument("--name", default="GATEHOUSE")
    run.add_argument("--lights")
    run.add_argument("--screen")
    run.add_argument("--verdict-time")
    run.add_argument("--report-wait", type=float, default=0.05)
    options = parser.parse_args()
    logging.disable(logging.CRITICAL)
    if not Path(options.trust).is_dir():
        print("reference gate: no trust folder", file=sys.stderr)
        return 2
    try:
        gate = ReferenceGate(options)
    except Exception as error:
        print(f"reference gate: trust folder: {error!r}", file=sys.stderr)
        return 2
    return asyncio.run(gate.run())


if __name__ == "__main__":
    code = main()
    sys.stdout.flush()
    os._exit(code)
