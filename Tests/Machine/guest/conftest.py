"""Inside the test machine: the tests of Tests/Peers' phone and gate, on the kernel's own devices. Prints each case with its time."""
import os
import socket
from pathlib import Path

import pytest

# A Python that was built without the kernel's Bluetooth headers lacks the names, not the calls.
for name, value in (("AF_BLUETOOTH", 31), ("BTPROTO_HCI", 1)):
    if not hasattr(socket, name):
        setattr(socket, name, value)

from bluez import BlueZ, BlueZPhone  # noqa: E402
from bumble_phone import bumble_phone  # noqa: E402
from emulator import Bridge, EmulatedAir  # noqa: E402
from kernel_rig import KernelRig  # noqa: E402
from rig import Rig  # noqa: E402


def pytest_configure(config):
    if not Path("/control/command.sh").exists():
        pytest.exit("these tests run in the test machine: make test-machine", 2)


def pytest_report_teststatus(report, config):
    if report.when == "call" or report.outcome != "passed":
        if report.when != "call" and report.outcome == "passed":
            return None
        word = {"passed": "ok", "failed": "FAILED", "skipped": "skipped"}[report.outcome]
        return report.outcome, "", f"{word} {report.duration:.1f} s"
    return None


@pytest.fixture
def kernel_rig(tmp_path):
    """`kernel_rig("--wire", "0.4")`: a gate and its controller, made for this case."""
    rigs = []

    def make(*options: str, **air) -> KernelRig:
        rigs.append(KernelRig(tmp_path, *options, **air).open())
        return rigs[-1]

    yield make
    for rig in rigs:
        rig.close()


@pytest.fixture(scope="module")
def one_rig(tmp_path_factory):
    rig = KernelRig(tmp_path_factory.mktemp("steady")).open()
    yield rig
    rig.close()


@pytest.fixture
def steady_rig(one_rig):
    """One gate for the cases of a file, whatever becomes of its controllers; what a failed case left behind is put in order."""
    one_rig.repair()
    return one_rig


class BlueZRig(Rig):
    """A gate on hci0 of BlueZ's emulator, which is BlueZ's to visit as `phone` and Bumble's as `other`."""

    def __init__(self, folder, *options: str) -> None:
        super().__init__(folder, *options, algorithms=("ES256",), air=EmulatedAir())

    def open(self) -> "BlueZRig":
        self.run(self.air.__aenter__())
        # The user channel before bluetoothd, which takes every controller it finds.
        self.start()
        self.run(self.gate.uri(20))
        self.bridge = self.run(Bridge().plug())
        self.bluez = self.run(BlueZ(self.bridge.index).start())
        self.phone, self.other = BlueZPhone(self.bluez), self.run(bumble_phone())
        return self

    def close(self) -> None:
        self.bluez.stop()
        self.run(self.unplug())
        super().close()

    async def unplug(self) -> None:
        self.bridge.unplug()


@pytest.fixture(scope="session")
def bluez_rig(tmp_path_factory):
    rig = BlueZRig(tmp_path_factory.mktemp("bluez")).open()
    yield rig
    rig.close()
