"""One gate for many visits. A test that needs a gate of its own starts one."""
import os
import shutil

import pytest

import oracle
from gate import command, is_reference
from rig import Rig


def pytest_configure(config):
    config.addinivalue_line("markers", "slow: waits for a time-out of the protocol (half a minute); -m 'not slow' leaves it out")
    config.addinivalue_line("markers", "soak: waits for minutes; only where it is asked for, as make soak does: -m soak")


def pytest_report_header(config):
    return "gate under test: " + ("reference gate (Bumble)" if is_reference() else " ".join(command()))


def pytest_collection_modifyitems(config, items):
    of_a_gate = {"rig", "own_rig", "gatehouse", "bundled", "trusted", "judge", "demos"}
    if any(of_a_gate & set(item.fixturenames) for item in items) and shutil.which(command()[0]) is None:
        pytest.exit(f"no gate at {command()[0]}: build it (swift build -c release), or set GATEHOUSE to a program or to 'reference'", 2)
    if "soak" not in config.option.markexpr:
        for item in items:
            if item.get_closest_marker("soak"):
                item.add_marker(pytest.mark.skip(reason="waits for minutes: make soak, or -m soak"))
    items[:] = slow_first(items, int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", 1)))


def slow_first(items: list, workers: int) -> list:
    """Each worker begins with its share of those that wait, so that nobody waits for them at the end: pytest-xdist's `worksteal` gives each
    an equal part of the list, and takes from the ends of parts later."""
    slow = [item for item in items if item.get_closest_marker("slow")]
    rest = [item for item in items if not item.get_closest_marker("slow")]
    ordered: list = []
    for worker in range(workers):
        share = slow[worker::workers]
        count = max(0, (len(items) - len(ordered)) // (workers - worker) - len(share))
        ordered += share + rest[:count]
        del rest[:count]
    return ordered + rest


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


@pytest.fixture(scope="session")
def shared_open_gate(tmp_path_factory):
    from code_rig import TYPE, gate
    with gate(tmp_path_factory.mktemp("codes"), "--codes-without-face", TYPE) as made:
        yield made


@pytest.fixture
def open_gate(shared_open_gate):
    """A gate that takes cards without a face: whoever has a copy is let in. The site has said so."""
    shared_open_gate.leaves()
    yield shared_open_gate


@pytest.fixture(scope="session")
def shared_strict_gate(tmp_path_factory):
    from code_rig import gate
    with gate(tmp_path_factory.mktemp("faces"), policy="required") as made:
        yield made


@pytest.fixture
def strict_gate(shared_strict_gate):
    """A gate that compares faces, as every gate with a camera does where nobody says otherwise."""
    shared_strict_gate.leaves()
    yield shared_strict_gate


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    """A web server, and the authority that its certificate is of."""
    from list_server import Authority, Server
    authority = Authority(tmp_path_factory.mktemp("authority"))
    with Server(authority) as server:
        yield server, authority
