"""Visits over the software air, of every kind: accepted, refused, broken off, hostile, and how a gate ends meanwhile."""
import asyncio
import itertools
import shutil
import tempfile
from pathlib import Path

from fixed import Record, normal
from judged import bundled, faced
from watched import Watched
from wire import Wire

import issuer
from face_rig import RED, drawing
from gate import Gate, audit_octets
from mischief import MISCHIEF
from phone import STEPS, Plan
from strangers import Stranger



def accepted(record: Record) -> None:
    with Watched(record, "accepted") as gate:
        for profile in ("android", "android14", "ios"):
            gate.visit(profile, Plan(profile))
        for mtu in (67, 100, 185, 247, 512):
            gate.visit(f"mtu {mtu}", Plan("ios", att_mtu=mtu))
        for name, accident in (("loss", {"loss": 0.3}), ("corruption", {"corruption": 0.3}), ("duplication", {"duplication": 0.5}),
                               ("reorder", {"reorder": True})):
            gate.visit(name, Plan("ios", att_mtu=185, **accident))
        for algorithm in issuer.ALGORITHMS:
            gate.visit(algorithm, payload=lambda: gate.rig.good(algorithm=algorithm))
        gate.visit("a large portrait", Plan("ios", patience=30), lambda: gate.rig.good(200_000))
    with Watched(record, "wire 0.4", "--wire", "0.4", "--name", "OLD", algorithms=("ES256", )) as gate:
        for profile in ("android", "ios"):
            gate.visit(profile, Plan(profile, wire="0.4"))
    with Watched(record, "packets of 27 octets", fragment=27, algorithms=("ES256", )) as gate:
        gate.visit("accepted", Plan("ios", loss=0.3))


def octets(record: Record) -> None:
    """What the gate sends to its controller: the bring-up, then a few visits."""
    for fragment in (251, 27):
        with Wire() as wire, Watched(record, f"octets, packets of {fragment}", fragment=fragment, algorithms=("ES256", )) as gate:
            keep = lambda name: record.add(f"octets, packets of {fragment}: sent, {name}", wire.take())
            keep("start")
            for name, plan in (("android", Plan("android")), ("ios", Plan("ios", att_mtu=185)), ("strict", Plan("android14", strict=True)),
                               ("losses", Plan("ios", att_mtu=100, loss=0.3)), ("most lost", Plan("ios", att_mtu=185, loss=0.8)),
                               ("noise", Plan("ios",
                                              mischief="write to handle 0 and FFFF")), ("pairing", Plan("ios",
                                                                                                        mischief="pairing request"))):
                gate.visit(name, plan)
                keep(name)


def refused(record: Record) -> None:
    with Watched(record, "refused", algorithms=("ES256", )) as gate:
        for name in issuer.REASONS:
            gate.visit(name, Plan("ios" if len(name) % 2 else "android"), lambda: issuer.refusals(gate.rig.issuer)[name])
        gate.visit("with a key binding", payload=lambda: issuer.wrap(issuer.bound(gate.rig.issuer.credential(), issuer.Issuer("ES256"))))
        gate.visit("a photo that a face could be compared with",
                   payload=lambda: issuer.wrap(gate.rig.issuer.credential(drawing(RED, size=(400, 400)))))
        gate.visit("accepted after all that")


def mischief(record: Record) -> None:
    names, turns = list(MISCHIEF), itertools.count()
    while names:
        part, names = names[:10], names[10:]
        with Watched(record, f"mischief {next(turns)}", algorithms=("ES256", )) as gate:
            for name in part:
                gate.visit(name, Plan("ios", att_mtu=185, mischief=name), is_race=MISCHIEF[name].expect != "passes")
            gate.visit("accepted after all that", is_race=True)


def leaving(record: Record) -> None:
    for way, vanish in (("disconnects", False), ("vanishes", True)):
        with Watched(record, way, algorithms=("ES256", )) as gate:
            # Who leaves later may have been judged by then.
            for step in STEPS[:STEPS.index("report")]:
                gate.visit(f"after {step}", Plan("ios", leave_after=step, vanish=vanish), is_race=True)
            gate.visit("accepted after all that")
    with Watched(record, "in vain", algorithms=("ES256", )) as gate:
        gate.visit("most chunks lost", Plan("android", att_mtu=185, loss=0.8))
        gate.visit("one chunk lost for ever", Plan("ios", att_mtu=185, always_lost=3), is_race=True)
        gate.visit("an MTU of 66", Plan("ios", att_mtu=66))
        gate.visit("an MTU of 23", Plan("ios", att_mtu=23))
        gate.visit("stays after the status", Plan("ios", stays=True))
        gate.visit("stays after the request to go", Plan("ios", att_mtu=185, loss=0.8, stays=True))
        gate.visit("confirms nothing", Plan("ios", confirms=False, stays=True, patience=40))
        gate.visit("says nothing after Identify", Plan("ios", halts_after="identify", stays=True, patience=60))
        gate.visit("says nothing after half of the message", Plan("ios", halts_after="chunks", stays=True, patience=60))
        gate.visit("never identifies", Plan("android", halts_after="discovery", stays=True, patience=60))
    with Watched(record, "strangers", algorithms=("ES256", )) as gate:

        async def come_and_go():
            stranger = await Stranger.on(gate.rig.air)
            address = await stranger.find(await gate.rig.gate.uri())
            for _ in range(6):
                await stranger.come_and_go(address, is_fresh=True)

        gate.rig.run(come_and_go())
        gate.settle()
        gate.write("who come and go", "", is_race=True)
        gate.visit("accepted after all that", is_race=True)


def endings(record: Record) -> None:
    for step in ("connect", "identify", "size", "chunks"):
        with Watched(record, f"asked to end after {step}", algorithms=("ES256", )) as gate:
            rig = gate.rig

            async def ended():
                rig.phone.link = None
                visit = asyncio.ensure_future(rig.gate.visit(rig.phone, rig.good(), Plan("ios", halts_after=step, stays=True)))
                await rig.gate.until(lambda: rig.phone.link and step in rig.phone.link.visit.events)
                status = await rig.gate.stop()
                return status, await visit

            status, visit = rig.run(ended())
            gate.write("the visit", f"exit {status}, wallet: status {visit.status}, error {visit.error!r}\n")
    absent_controller(record)


def absent_controller(record: Record) -> None:
    """A gate without a controller: what it says and how it ends."""
    folder = Path(tempfile.mkdtemp(prefix="gatehouse-corpus-"))
    trust = issuer.write_trust(folder / "trust", issuer.Issuer())

    async def alone():
        gate = Gate(folder / "air", trust, folder / "data")
        async with gate:
            await gate.light("fault")
            status = await gate.stop()
        return "".join(line + "\n" for line in (f"exit {status}", *gate.errors, *audit_octets(gate.data).decode().splitlines()))

    record.add("no controller", normal(asyncio.run(alone()), folder))
    shutil.rmtree(folder)


def record(out: Path) -> None:
    """Writes `visits.txt`."""
    with Record(out / "visits.txt") as written:
        for part in (accepted, octets, refused, mischief, leaving, endings, bundled, faced):
            part(written)
