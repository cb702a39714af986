"""A PWM chip of the kernel: Debian's stub of an I2C bus, the kernel's own driver of a PCA9685 on it, and what arrives in the chip's registers.

The registers are the chip's (NXP PCA9685, 7.3): its frequency is 25 MHz by 4096 and a divider, of which 24 to 1526 Hz can be had.
"""
import ctypes
import fcntl
import os
import re
import subprocess
import time
from pathlib import Path

from kernel_trace import Recording

ADDRESS = 0x40
SLAVE_FORCE, SMBUS = 0x0706, 0x0720
OFF_HIGH, PRESCALE = 0x09, 0xFE
FULL_OFF = 0x10
WRITTEN = re.compile(r"i2c-\d+ a=040 f=\S+ c=([0-9a-f]+) (\w+) l=\d+ \[([0-9a-f-]+)\]")


class Transfer(ctypes.Structure):
    """`struct i2c_smbus_ioctl_data` (linux/i2c-dev.h)."""

    _fields_ = [("is_read", ctypes.c_uint8), ("command", ctypes.c_uint8), ("size", ctypes.c_uint32), ("data", ctypes.c_void_p)]


def frequency(divider: int) -> float:
    """Hz of this divider, as it stands in the register."""
    return 25e6 / 4096 / (divider + 1)


def divider(wanted: int) -> int:
    """The nearest the chip has."""
    return round(25e6 / 4096 / wanted) - 1


class PWMChip:
    """On its bus from the start; `plug` and `unplug` give it to the kernel's driver and take it away."""

    def __init__(self) -> None:
        for module in (["i2c-dev"], ["i2c-stub", f"chip_addr={ADDRESS:#x}"], ["pwm-pca9685"]):
            subprocess.run(["modprobe", *module], check=True)
        names = Path("/sys/bus/i2c/devices").glob("i2c-*/name")
        self.bus = next(name.parent for name in names if name.read_text().startswith("SMBus stub"))
        self.device = os.open(f"/dev/{self.bus.name}", os.O_RDWR | os.O_CLOEXEC)
        # The driver has the address.
        fcntl.ioctl(self.device, SLAVE_FORCE, ADDRESS)
        self.number: int | None = None

    @property
    def channel(self) -> str:
        return f"/sys/class/pwm/pwmchip{self.number}/pwm0"

    def plug(self) -> "PWMChip":
        # As the chip is after power-on (7.3): 200 Hz, every output off.
        for register, value in ((PRESCALE, 0x1E), (OFF_HIGH, FULL_OFF)):
            self.write(register, value)
        (self.bus / "new_device").write_text(f"pca9685 {ADDRESS:#x}")
        folder = Path("/sys/bus/i2c/devices", f"{self.bus.name.removeprefix('i2c-')}-{ADDRESS:04x}", "pwm")
        end = time.monotonic() + 30
        while not (found := list(folder.glob("pwmchip*"))):
            assert time.monotonic() < end, "the driver has no chip"
            time.sleep(0.02)
        self.number = int(found[0].name.removeprefix("pwmchip"))
        return self

    def unplug(self) -> None:
        (self.bus / "delete_device").write_text(f"{ADDRESS:#x}")

    def close(self) -> None:
        if list(Path("/sys/bus/i2c/devices").glob(f"*-{ADDRESS:04x}")):
            self.unplug()
        os.close(self.device)
        for module in ("pwm-pca9685", "i2c-stub"):
            subprocess.run(["modprobe", "-r", module], check=True)

    def write(self, register: int, value: int) -> None:
        data = ctypes.create_string_buffer(bytes([value]), 34)
        fcntl.ioctl(self.device, SMBUS, Transfer(0, register, 2, ctypes.addressof(data)))

    def read(self, register: int) -> int:
        data = ctypes.create_string_buffer(34)
        fcntl.ioctl(self.device, SMBUS, Transfer(1, register, 2, ctypes.addressof(data)))
        return data.raw[0]

    @property
    def is_silent(self) -> bool:
        """Read from the chip."""
        return bool(self.read(OFF_HIGH) & FULL_OFF)


class Tones(Recording):
    """What was written to the chip while this was open."""

    def __init__(self) -> None:
        super().__init__("smbus/smbus_write")

    def pulses(self) -> list[tuple[float, float]]:
        """Each tone of the first channel that is over: its begin and its length in seconds."""
        return [(begin, length) for begin, length, _, _ in self.heard()]

    def heard(self) -> list[tuple[float, float, int, float]]:
        """With the divider and the share of a period that is high."""
        found, begin, registers = [], None, {PRESCALE: 0x1E}
        for at, _, text in self.all():
            if not (match := WRITTEN.match(text)):
                continue
            octets, register = bytes.fromhex(match[3].replace("-", "")), int(match[1], 16)
            # Of a block the first octet is its length; its registers follow each other.
            written = {register + number: octet for number, octet in enumerate(octets["BLOCK" in match[2]:])}
            registers |= written
            if OFF_HIGH not in written:
                continue
            if registers[OFF_HIGH] & FULL_OFF:
                if begin is not None:
                    found.append((begin[0], at - begin[0], *begin[1:]))
                begin = None
            elif begin is None:
                begin = (at, registers[PRESCALE], (registers[OFF_HIGH] << 8 | registers.get(0x08, 0)) / 4096)
        return found
