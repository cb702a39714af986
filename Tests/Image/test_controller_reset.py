"""The script that binds a controller's driver anew, on folders that stand for /sys: what it writes, and where."""
import os
import subprocess
import time
from pathlib import Path
from threading import Thread

import pytest

SCRIPT = Path(__file__).resolve().parents[2] / "image/overlay/usr/lib/gatehouse/controller-reset"


class Sys:
    """A /sys with one controller, and a request of the gate's."""

    def __init__(self, folder: Path, hci: str = "hci:0") -> None:
        self.root, self.request = folder / "sys", folder / "request"
        self.request.write_text(f"{hci}\n")
        (self.root / "class/bluetooth").mkdir(parents=True)

    def file(self, path: str) -> Path:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("")
        return file

    def link(self, path: str, to: str) -> None:
        link = self.root / path
        link.parent.mkdir(parents=True, exist_ok=True)
        link.symlink_to(self.root / to)

    def serial(self, has_driver: bool = True, is_there: bool = True) -> tuple[Path, Path, Path]:
        device = "devices/soc/serial0/serial0-0"
        (self.root / device).mkdir(parents=True)
        files = [self.file(f"bus/serial/{name}") for name in ("drivers/hci_uart_bcm/unbind", "drivers/hci_uart_bcm/bind", "drivers_probe")]
        self.link(f"{device}/subsystem", "bus/serial")
        self.link("bus/serial/devices/serial0-0", device)
        if has_driver:
            self.link(f"{device}/driver", "bus/serial/drivers/hci_uart_bcm")
        if is_there:
            self.link("class/bluetooth/hci0/device", device)
        return tuple(files)

    def run(self, patience: int = 0) -> subprocess.CompletedProcess:
        return subprocess.run([SCRIPT], capture_output=True, text=True, timeout=60, env={
            "PATH": "/usr/bin:/bin", "SYS": str(self.root), "REQUEST": str(self.request), "PAUSE": "0", "PATIENCE": str(patience)})


def await_text(file: Path) -> bool:
    while not file.read_text():
        time.sleep(0.02)
    return True


@pytest.fixture
def sys(tmp_path):
    return Sys(tmp_path)


def test_a_controller_on_a_serial_line_is_unbound_and_bound(sys):
    unbind, bind, probe = sys.serial()
    done = sys.run()
    assert done.returncode == 0 and not sys.request.exists(), done
    assert [file.read_text() for file in (unbind, bind, probe)] == ["serial0-0\n", "serial0-0\n", ""]


def test_one_that_has_vanished_with_its_driver_is_probed_again(sys):
    unbind, bind, probe = sys.serial(has_driver=False, is_there=False)
    assert sys.run().returncode == 1
    assert [file.read_text() for file in (unbind, bind, probe)] == ["", "", "serial0-0\n"]


def test_one_that_has_vanished_with_its_driver_still_there_is_bound_again(sys):
    unbind, bind, _ = sys.serial(is_there=False)
    assert sys.run().returncode == 1
    assert unbind.read_text() == bind.read_text() == "serial0-0\n"


def test_a_controller_that_comes_back_is_waited_for(sys):
    _, bind, _ = sys.serial(is_there=False)
    Thread(target=lambda: await_text(bind) and sys.link("class/bluetooth/hci0/device", "devices/soc/serial0/serial0-0")).start()
    done = sys.run(patience=50)
    assert done.returncode == 0, done


def test_one_that_does_not_come_back_is_a_failure_that_starts_the_board_anew(sys):
    sys.serial(is_there=False)
    done = sys.run()
    assert done.returncode == 1 and "hci0 has not come back" in done.stderr, done
    unit = SCRIPT.parents[2] / "lib/systemd/system/gatehouse-controller-reset.service"
    assert "OnFailure=gatehouse-restart.service\n" in unit.read_text()


def test_a_usb_controller_is_taken_from_the_bus(sys):
    device, interface = "devices/pci/usb1/1-1", "devices/pci/usb1/1-1/1-1:1.0"
    (sys.root / interface).mkdir(parents=True)
    (sys.root / "bus/usb").mkdir(parents=True)
    authorized = sys.file(f"{device}/authorized")
    sys.link(f"{interface}/subsystem", "bus/usb")
    sys.link("class/bluetooth/hci0/device", interface)
    done = sys.run()
    assert done.returncode == 0 and authorized.read_text() == "1\n" and "1-1: taken from the bus" in done.stderr, done


def test_another_controller_than_the_gates_is_left_alone(tmp_path):
    sys = Sys(tmp_path, hci="hci:1")
    sys.serial()
    # hci0 is somebody else's; hci1 may have been on the serial line.
    assert sys.run().returncode == 1


@pytest.mark.parametrize("make", [lambda path, kept: path.symlink_to(kept), lambda path, kept: os.mkfifo(path), lambda path, kept: path.mkdir()])
def test_a_request_that_is_no_file_is_none(sys, tmp_path, make):
    kept = tmp_path / "kept"
    kept.write_text("hci:0\n")
    sys.request.unlink()
    make(sys.request, kept)
    unbind, *_ = sys.serial()
    done = sys.run()
    assert done.returncode == 0 and "none of the kernel" in done.stderr and unbind.read_text() == "" and kept.exists(), done


@pytest.mark.parametrize("hci, code, words", [("none", 0, "none of the kernel"), ("hci:0;reboot", 0, "none of the kernel"), ("", 0, "none of the kernel"), ("hci:0", 1, "there is no device that could be bound anew")])
def test_where_there_is_nothing_to_bind_it_says_so(tmp_path, hci, code, words):
    sys = Sys(tmp_path, hci=hci)
    done = sys.run()
    assert done.returncode == code and words in done.stderr and not sys.request.exists(), done
