"""GPIO chips of the kernel's own simulator, made and removed at will, and every switching of their lines as the kernel saw it."""
import fcntl
import os
import re
import struct
import subprocess
import threading
import time
from pathlib import Path

CONFIGURATION = Path("/sys/kernel/config/gpio-sim")
TRACING = Path("/sys/kernel/tracing")
LINE_REQUEST = 0xC250B407  # GPIO_V2_GET_LINE_IOCTL, a struct of 592 octets
SWITCHED = re.compile(r" ([0-9.]+): gpio_value: (\d+) set +([01])")


class Chip:
    """`Chip("lamps", ["GREEN", "RED"])`: a chip with this label whose lines have these names; `pulled_up` while nobody drives them."""

    def __init__(self, label: str, names: list[str], pulled_up: bool = False) -> None:
        self.label, self.names = label, names
        self.folder = CONFIGURATION / label
        bank = self.folder / "bank0"
        bank.mkdir(parents=True)
        (bank / "num_lines").write_text(str(len(names)))
        (bank / "label").write_text(label)
        for offset, name in enumerate(names):
            if name:
                (bank / f"line{offset}").mkdir()
                (bank / f"line{offset}" / "name").write_text(name)
        (self.folder / "live").write_text("1")
        self.name = (bank / "chip_name").read_text().strip()
        self.path = "/dev/" + self.name
        self.lines = Path("/sys/devices/platform", (self.folder / "dev_name").read_text().strip(), self.name)
        if pulled_up:
            for offset in range(len(names)):
                (self.lines / f"sim_gpio{offset}" / "pull").write_text("pull-up")

    def high(self) -> set[str]:
        """The lines that are high, read one by one."""
        return {name for offset, name in enumerate(self.names) if (self.lines / f"sim_gpio{offset}" / "value").read_text().strip() == "1"}

    def level(self, name: str) -> bool:
        """Whether this line is high now."""
        return name in self.high()

    def pull(self, name: str, up: bool) -> None:
        """What a contact does to an input: the line goes high or low where nobody drives it."""
        (self.lines / f"sim_gpio{self.names.index(name)}" / "pull").write_text("pull-up" if up else "pull-down")

    def first(self) -> int:
        """The kernel's number of the chip's first line."""
        listed = Path("/sys/kernel/debug/gpio").read_text()
        return int(re.search(rf"{self.name}: GPIOs (\d+)-", listed).group(1))

    def vanish(self) -> None:
        (self.folder / "live").write_text("0")

    def come_back(self) -> None:
        (self.folder / "live").write_text("1")

    def remove(self) -> None:
        if (self.folder / "live").read_text().strip() == "1":
            self.vanish()
        for line in self.folder.glob("bank0/line*"):
            line.rmdir()
        (self.folder / "bank0").rmdir()
        self.folder.rmdir()

    def hold(self, name: str) -> int:
        """Takes a line as another program would. Closing the descriptor gives it back."""
        chip = os.open(self.path, os.O_RDWR | os.O_CLOEXEC)
        try:
            # struct gpio_v2_line_request: 64 offsets, the consumer, flags "input", the number of lines, the descriptor last.
            request = bytearray(592)
            struct.pack_into("I", request, 0, self.names.index(name))
            request[256:256 + 7] = b"another"
            struct.pack_into("Q", request, 288, 1 << 2)
            struct.pack_into("I", request, 560, 1)
            fcntl.ioctl(chip, LINE_REQUEST, request)
            return struct.unpack_from("i", request, 588)[0]
        finally:
            os.close(chip)


class Watch(threading.Thread):
    """Reads the lines as fast as it can; `seen` are the sets of high lines, each with the time from which it was seen.

    The lines are read one after the other: what is not the same twice was read while the gate switched.
    """

    def __init__(self, chip: Chip) -> None:
        super().__init__(daemon=True)
        self.chip, self.done = chip, threading.Event()
        self.seen: list[tuple[float, frozenset[str]]] = []

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_) -> None:
        self.done.set()
        self.join()

    def run(self) -> None:
        while not self.done.wait(0.003):
            try:
                now = frozenset(self.chip.high())
                if now != self.chip.high():
                    continue
            except OSError:
                continue  # the chip is not there at the moment
            if not self.seen or self.seen[-1][1] != now:
                self.seen.append((time.monotonic(), now))

    def sets(self) -> list[set[str]]:
        return [set(lines) for _, lines in self.seen]


class Switchings:
    """The kernel's own record of every line that was switched while this was open: nothing between two looks is missed."""

    def __init__(self, chip: Chip) -> None:
        self.chip = chip
        if not (TRACING / "events").exists():
            subprocess.run(["mount", "-t", "tracefs", "none", str(TRACING)], check=True)

    def __enter__(self):
        self.numbers = {self.chip.first() + offset: name for offset, name in enumerate(self.chip.names)}
        (TRACING / "trace_clock").write_text("mono")
        (TRACING / "trace").write_text("")
        (TRACING / "events/gpio/gpio_value/enable").write_text("1")
        return self

    def __exit__(self, *_) -> None:
        (TRACING / "events/gpio/gpio_value/enable").write_text("0")

    def all(self) -> list[tuple[float, str, bool]]:
        """Each with its time of the monotonic clock, the line and whether it became high."""
        found = (SWITCHED.search(line) for line in (TRACING / "trace").read_text().splitlines())
        return [(float(f[1]), self.numbers[int(f[2])], f[3] == "1") for f in found if f and int(f[2]) in self.numbers]

    def states(self) -> list[tuple[float, frozenset[str]]]:
        """The lines that are high after each switching. The gate always switches all its lines at once, which is recorded one after the other:
        where a line comes again, the next has begun.
        """
        states: list[tuple[float, frozenset[str]]] = [(0.0, frozenset())]
        levels: dict[str, bool] = {}
        begun = 0.0
        for at, name, is_high in [*self.all(), (0.0, "", False)]:
            if levels and (not name or name in levels):
                high = frozenset(line for line, level in levels.items() if level)
                if high != states[-1][1]:
                    states.append((begun, high))
                levels = {}
            if not levels:
                begun = at
            levels[name] = is_high
        return states

    def lightings(self, name: str) -> list[float]:
        """When a line became high."""
        return [at for (_, before), (at, now) in zip(self.states(), self.states()[1:]) if name in now and name not in before]

    def pulses(self, name: str, active_low: bool = False) -> list[tuple[float, float]]:
        """Each time a line was active: from when, and for how many seconds, by the kernel's clock. One that lasts has no length yet and is left
        out.
        """
        pulses, begun = [], None
        for at, line, is_high in self.all():
            if line != name:
                continue
            if is_high != active_low:
                begun = at if begun is None else begun
            elif begun is not None:
                pulses.append((begun, at - begun))
                begun = None
        return pulses
