"""One gate for many visits. A test that needs a gate of its own starts one."""
import asyncio
import os
import shutil
import time

import pytest

import issuer
import oracle
from air import Air
from gate import BUILT, Gate, command, is_reference
from phone import Phone, Plan, Visit


def pytest_configure(config):
    config.addinivalue_line("markers", "slow: waits for a time-out of the protocol (half a minute); -m 'not slow' leaves it out")


def pytest_report_header(config):
    return "gate under test: " + ("reference gate (Bumble)" if is_reference() else " ".join(command()))


def pytest_collection_modifyitems(config, items):
    of_a_gate = {"rig", "own_rig", "gatehouse", "bundled", "trusted", "judge", "demos"}
    if any(of_a_gate & set(item.fixturenames) for item in items) and shutil.which(command()[0]) is None:
        pytest.exit(f"no gate at {command()[0]}: build it (swift build -c release), or set GATEHOUSE to a program or to 'reference'", 2)


# One for all airs: a gate whose air is not served meets a controller that does not answer.
LOOP = asyncio.new_event_loop()


class Rig:
    """An air, a gate on it, two phones, and a trusted issuer for every algorithm."""

    def __init__(self, folder, *options: str, fragment: int = 251, algorithms=issuer.ALGORITHMS) -> None:
        self.folder, self.options = folder, options
        self.issuers = {a: issuer.Issuer(a, f"https://{a.lower()}.demo.gatehouse.example") for a in algorithms}
        self.issuer = self.issuers["ES256"]
        self.trust = issuer.write_trust(folder / "trust", *self.issuers.values())
        self.air = Air(folder / "air", fragment)
        self.gate: Gate | None = None

    def run(self, coroutine):
        try:
            return LOOP.run_until_complete(coroutine)
        finally:
            self.served = time.monotonic()

    def restart_if_left_alone(self) -> None:
        """While tests without an air run, nobody answers the gate, and it takes its controller for broken: then a new one."""
        if self.gate.process.returncode is None and time.monotonic() - self.served > 1:
            self.run(self.gate.__aexit__())
        if self.gate.process.returncode is not None:
            self.start()

    def open(self) -> "Rig":
        self.run(self.air.__aenter__())
        self.phone, self.other = self.run(Phone.on(self.air)), self.run(Phone.on(self.air))
        self.start()
        return self

    def start(self) -> None:
        self.gate = Gate(self.air.path, self.trust, self.folder / "data", *self.options)
        self.run(self.gate.start())

    def close(self) -> None:
        self.run(self.gate.__aexit__())
        self.run(self.air.__aexit__())

    def uri(self) -> str:
        return self.run(self.gate.uri())

    def good(self, portrait: int = 3000, algorithm: str = "ES256") -> bytes:
        return issuer.wrap(self.issuers[algorithm].credential(portrait))

    def visit(self, plan: Plan = Plan(), payload: bytes | None = None, uri: str | None = None) -> Visit:
        return self.run(self.gate.visit(self.phone, payload if payload is not None else self.good(), plan, uri=uri))

    def still_serves(self, profile: str = "ios") -> None:
        """What every accident is followed by: a complete visit."""
        visit = self.visit(Plan(profile))
        assert visit.accepted, f"the visit after: {visit}; gate: {self.gate.errors[-5:]}"

    def light(self, state: str, since: float) -> float:
        return self.run(self.gate.light(state, since))


@pytest.fixture(scope="session")
def shared_rig(tmp_path_factory):
    rig = Rig(tmp_path_factory.mktemp("rig")).open()
    yield rig
    rig.close()


@pytest.fixture
def rig(shared_rig):
    """The shared gate; a new one if the test before ended it, or other tests kept its air waiting."""
    shared_rig.restart_if_left_alone()
    return shared_rig


@pytest.fixture
def own_rig(tmp_path):
    rig = Rig(tmp_path).open()
    yield rig
    rig.close()


@pytest.fixture
def rig_with(tmp_path):
    """A gate with options of its own: `rig_with("--wire", "0.4")`."""
    rigs = []

    def make(*options: str) -> Rig:
        rigs.append(Rig(tmp_path, *options, algorithms=("ES256",)).open())
        return rigs[-1]

    yield make
    for rig in rigs:
        rig.close()


@pytest.fixture(scope="session")
def oracle_check():
    if shutil.which(oracle.program()) is None:
        pytest.exit(f"no {oracle.program()}: build it (swift build -c release), or set GATEHOUSE_ORACLE", 2)


@pytest.fixture
def reference(monkeypatch):
    monkeypatch.setenv("GATEHOUSE", "reference")
