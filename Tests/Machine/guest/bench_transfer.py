"""How long a transfer takes through the kernel: Gatehouse on its user channel against bluetoothd's GATT server, turn by turn on one machine.

The same phone (Bumble) on the same emulated air sends the same octets by the same writes. Times run from the first chunk written to the success
report; the gate's fixed wait before a session's first report, which real Android wallets need, is taken off. Gatehouse checks each chunk; what
bluetoothd serves only counts octets.
"""
import asyncio
import statistics
import sys
import tempfile
from pathlib import Path

import conftest  # noqa: F401: the path to the phone and the gate
import issuer
import wallet as w
from bench_air import WAIT, payload_for
from bluez import BlueZ
from bluez_server import BlueZServer
from bumble_phone import NoAir, bumble_phone, new_device
from bumble.hci import Address
from bumble.device import Peer
from emulator import EmulatedAir
from gate import Gate
from phone import Link, Plan

ROUNDS, SIZE = 15, 65536


class ServerLink(Link):
    """The wallet against bluetoothd's table: no code to scan, and no verdict."""

    server: BlueZServer

    async def connect(self, uri) -> None:
        self.visit.key = bytes(range(1, 33))
        self.connection = await self.device.connect(Address(self.server.address, Address.PUBLIC_DEVICE_ADDRESS), timeout=20)
        self.connection.on("disconnection", self.disconnected)
        self.peer = Peer(self.connection)
        self.client = self.peer.gatt_client
        await self.step("connect")

    async def verdict(self) -> None:
        pass


async def main() -> None:
    plain, packed = payload_for(SIZE)
    plan = Plan("ios", att_mtu=517, patience=60)
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        trust = issuer.write_trust(folder / "trust", issuer.Issuer())
        air = EmulatedAir(controllers=2)
        await air.__aenter__()
        gate = Gate(air.path, trust, folder / "data")
        await gate.start()
        await gate.uri(20)
        bluez = await BlueZ(1).start()
        server = ServerLink.server = await BlueZServer(bluez).start()
        visitor, client = await bumble_phone(), await new_device()
        times: dict[str, list[float]] = {"gatehouse": [], "bluetoothd": []}
        for turn in range(ROUNDS + 1):
            visit = await gate.visit(visitor, plain, plan, packed)
            await server.advertise()
            link = ServerLink(NoAir(), client, plan)
            await link.run(None, plain, packed)
            await link.leave()
            if "success" not in visit.at:
                sys.exit(f"gatehouse: {visit}")
            if turn:  # the first one warms up
                times["gatehouse"].append(visit.seconds("first chunk", "success") - WAIT)
                times["bluetoothd"].append(link.visit.seconds("first chunk", "success"))
        bluez.stop()
        await gate.stop()
        await air.__aexit__()

    print(f"{SIZE} octets through the kernel, MTU {visit.att_mtu} and {link.visit.att_mtu}, median of {ROUNDS}, in an emulated machine")
    for name, taken in times.items():
        print(f"{name:11}{statistics.median(taken) * 1000:8.0f} ms{min(taken) * 1000:8.0f} least{max(taken) * 1000:8.0f} most"
              f"{SIZE / 1000 / statistics.median(taken):8.0f} kB/s")
    ratio = statistics.median(g / b for g, b in zip(times["gatehouse"], times["bluetoothd"]))
    print(f"gatehouse / bluetoothd = {ratio:.2f} (below 1: Gatehouse is faster), a median of turn by turn")


asyncio.run(main())
