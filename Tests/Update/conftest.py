import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from bundles import Slot, bundle, make_keys
from lab import HERE, Board


@pytest.fixture(scope="session")
def lab() -> Path:
    if os.geteuid() != 0:
        pytest.skip("mounting and loop devices are root's")
    if subprocess.run(["unshare", "--mount", "--pid", "--fork", "true"], capture_output=True).returncode:
        pytest.skip("this system gives no name spaces")
    if subprocess.run(["losetup", "--find"], capture_output=True).returncode:
        pytest.skip("this system has no loop devices")
    return Path(subprocess.run([HERE / "lab.sh"], stdout=subprocess.PIPE, text=True, check=True).stdout.strip())


@pytest.fixture(scope="session")
def keys(tmp_path_factory) -> Path:
    return make_keys(tmp_path_factory.mktemp("keys") / "ours")


@pytest.fixture(scope="session")
def slots(tmp_path_factory) -> dict[int, Slot]:
    folder = tmp_path_factory.mktemp("slots")
    return {version: Slot(folder / str(version), version) for version in (1, 2, 3, 5)}


@pytest.fixture(scope="session")
def second(slots, keys, tmp_path_factory) -> Path:
    """The bundle of version 2."""
    return bundle(slots[2], tmp_path_factory.mktemp("bundle") / "second.swu", keys)


@pytest.fixture
def board(lab, keys, tmp_path):
    with Board(lab, tmp_path / "board", keys / "ca.crt") as board:
        yield board


@pytest.fixture
def start_client(board) -> Callable[..., subprocess.Popen]:
    """Starts SWUpdate's client of a fleet server with these settings, `URL="http://…", ID=…`; all that were started end with the test."""
    clients: list[subprocess.Popen] = []

    def start(**settings: str) -> subprocess.Popen:
        board.keep("hawkbit.conf", "\n".join(f"{name}={value}" for name, value in settings.items()))
        clients.append(board.start("/usr/lib/gatehouse/hawkbit"))
        return clients[-1]

    yield start
    for one in clients:
        end(one)


def end(process: subprocess.Popen) -> None:
    process.kill()
    process.wait()
    process.stdout.close()
