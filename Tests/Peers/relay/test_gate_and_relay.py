"""A gate with visitors, and a relay at its log to which everything happens: killed, a hostile server, the board's disk full. No visit notices;
every record of the gate's arrives, octet for octet."""
import signal

import pytest

from broker import Authority
from gate import Gate, is_reference
from liar import Liar
from phone import Plan
from relays import Relay
from rig import Rig
from small_disk import SmallDisk
from scene import Scene
from test_mqtt_liars import endless_packet

pytestmark = pytest.mark.skipif(is_reference(), reason="the reference gate has no relay")


@pytest.fixture
def scene(tmp_path):
    made = Scene(tmp_path / "beside")
    yield made
    made.close()


def relay(scene, log, folder="relay", **members) -> Relay:
    made = Relay(scene.folder / folder, "mqtt", log, {**scene.settings(), **members})
    scene.relays.append(made)
    return made


def visit(rig) -> None:
    assert (seen := rig.visit(Plan("ios"))).accepted, seen


def arrived(rig, scene) -> None:
    """All that the gate has written, as it has written it: the check of the log's own chain is the gate's."""
    records = rig.gate.audit()
    scene.collector.wait(len(records))
    scene.collector.check_order()
    scene.collector.check_chain()
    assert sum(record["event"] == "visit" for record in records) >= 4


def test_a_relay_that_is_killed_between_and_in_visits(scene, own_rig):
    scene.serve()
    scene.collect()
    made = relay(scene, own_rig.gate.data)
    for turn in range(6):
        made.start()
        if turn % 2:
            scene.broker.restart(signal.SIGKILL)
        visit(own_rig)
        made.end(signal.SIGKILL)
        visit(own_rig)
    made.start()
    arrived(own_rig, scene)
    assert own_rig.gate.verdicts()[-1]["outcome"] == "accepted" and len(own_rig.gate.verdicts()) == 12


def test_a_hostile_server_beside_visits(scene, own_rig):
    """The relay is sent a packet without end, again and again, by one who has the right certificate."""
    scene.serve()
    authority = Authority(scene.folder, "hostile")
    liar = Liar(authority, endless_packet)
    hostile = relay(scene, own_rig.gate.data, "hostile-relay", port=liar.port, authorities=str(authority.path))
    for _ in range(4):
        hostile.start()
        visit(own_rig)
        hostile.wait_for_trouble("protocol-broken")
        hostile.end(signal.SIGKILL)
    assert hostile.cursor() == 0 and liar.connections >= 4
    liar.close()
    scene.collect()
    relay(scene, own_rig.gate.data).start()
    arrived(own_rig, scene)


class BoardRig(Rig):
    """A gate whose data is on a disk that can be filled."""

    disk: SmallDisk

    def start(self) -> None:
        self.gate = Gate(self.air.path, self.trust, self.disk.folder / "data", *self.options)
        self.gate.arguments = [*self.disk.inside, *self.gate.arguments]
        self.gate.data = self.disk.path(self.disk.folder / "data")
        self.run(self.gate.start())


def test_the_boards_disk_is_full(scene, tmp_path):
    """Log and cursor are on one disk, as on a board. What the gate reserved it fills; the relay cannot keep its cursor, and tells it all the same."""
    scene.serve()
    scene.collect(says_have=False)
    with SmallDisk(tmp_path / "board", 4 << 20) as disk:
        BoardRig.disk = disk
        rig = BoardRig(tmp_path, "--audit-segment", "64").open()
        try:
            made = relay(scene, disk.folder / "data", "relay")
            # Its state beside the log.
            (disk.path(disk.folder / "relay")).mkdir()
            made.command = lambda *more: [*disk.inside, *Relay.command(made)[:-1], str(disk.folder / "relay"), *more]
            made.state = disk.path(disk.folder / "relay")
            made.start()
            visit(rig)
            made.wait_for(lambda: made.cursor() > 0)
            disk.fill()
            held = made.cursor()
            for _ in range(3):
                visit(rig)
            scene.collector.wait(len(rig.gate.audit()))
            made.end(signal.SIGKILL)
            made.start()
            visit(rig)
            arrived(rig, scene)
            assert made.said().count("the cursor cannot be stored") >= 1 and made.cursor() <= len(rig.gate.audit()) and held > 0
            disk.free()
            visit(rig)
            arrived(rig, scene)
            made.wait_for(lambda: made.cursor() == len(rig.gate.audit()))
        finally:
            rig.close()
