"""A door's lines as the gate's own C has them (Sources/Libraries/CGPIO), over libgpiod 1.6 or 2, without a gate around."""
import ctypes
import os
import select
from ctypes import byref, c_bool, c_char_p, c_int, c_uint32, c_uint64, c_void_p
from pathlib import Path

CACHE = Path(os.environ.get("MACHINE_CACHE", Path(__file__).resolve().parents[3] / ".build-machine")).absolute()
OK, NO_CHIP, NO_LINE, TAKEN, REPEATED, NOT_PERMITTED, FAILED = range(7)
AS_IT_IS, PULL_UP, PULL_DOWN = range(3)


class Edge(ctypes.Structure):
    _fields_ = [("line", c_uint32), ("active", c_bool), ("nanoseconds", c_uint64)]


class Refused(Exception):
    """`code` of the request, and the line at fault."""

    def __init__(self, code: int, culprit: int, number: int) -> None:
        super().__init__(f"code {code}, line {culprit}, errno {number}")
        self.code, self.culprit, self.number = code, culprit, number


class Library:
    """Made by Tests/Machine/lines.sh."""

    def __init__(self, version: int) -> None:
        self.c = ctypes.CDLL(str(CACHE / "gpio-lines" / f"lines-{version}.so"))
        for name in ("gpio_lines_new", "gpio_inputs_new"):
            getattr(self.c, name).restype = c_void_p
        self.c.gpio_lines_api.restype = c_char_p
        self.api = self.c.gpio_lines_api().decode()


class Outputs:
    """Output lines of one request, taken inactive."""

    def __init__(self, library: Library, chip: str, *lines: str | int, active_low: bool = False) -> None:
        self.c = library.c
        self.lines = c_void_p(self.c.gpio_lines_new(chip.encode(), c_bool(active_low)))
        for line in lines:
            if isinstance(line, int):
                assert self.c.gpio_lines_add_offset(self.lines, c_uint32(line)) == 0
            else:
                assert self.c.gpio_lines_add_name(self.lines, line.encode()) == 0
        culprit = c_uint32()
        code = self.c.gpio_lines_request(self.lines, b"gatehouse", byref(culprit))
        if code != OK:
            number = self.c.gpio_lines_errno(self.lines)
            self.close()
            raise Refused(code, culprit.value, number)

    def set(self, levels: int) -> int:
        """0, or the errno."""
        return 0 if self.c.gpio_lines_set(self.lines, c_uint32(levels)) == OK else self.c.gpio_lines_errno(self.lines)

    def close(self) -> None:
        self.c.gpio_lines_free(self.lines)
        self.lines = None


class Inputs:
    """Input lines that tell their edges; each is a name or an offset, or that with whether it is active low and its bias."""

    def __init__(self, library: Library, chip: str, *lines) -> None:
        self.c = library.c
        self.inputs = c_void_p(self.c.gpio_inputs_new(chip.encode()))
        for line in lines:
            name, low, bias = line if isinstance(line, tuple) else (line, False, AS_IT_IS)
            by_name, offset = (None, name) if isinstance(name, int) else (name.encode(), 0)
            assert self.c.gpio_inputs_add(self.inputs, c_char_p(by_name), c_uint32(offset), c_bool(low), c_int(bias)) == 0
        culprit = c_uint32()
        code = self.c.gpio_inputs_request(self.inputs, b"gatehouse", byref(culprit))
        if code != OK:
            number = self.c.gpio_inputs_errno(self.inputs)
            self.close()
            raise Refused(code, culprit.value, number)

    @property
    def descriptor(self) -> int:
        return self.c.gpio_inputs_descriptor(self.inputs)

    def is_readable(self, seconds: float = 0) -> bool:
        poll = select.poll()
        poll.register(self.descriptor, select.POLLIN)
        return bool(poll.poll(seconds * 1000))

    def levels(self) -> int:
        levels = c_uint32()
        if self.c.gpio_inputs_levels(self.inputs, byref(levels)) != OK:
            raise OSError(self.c.gpio_inputs_errno(self.inputs), "levels")
        return levels.value

    def next(self) -> Edge | None:
        edge = Edge()
        count = self.c.gpio_inputs_next(self.inputs, byref(edge))
        if count < 0:
            raise OSError(self.c.gpio_inputs_errno(self.inputs), "next")
        return edge if count else None

    def all(self) -> list[Edge]:
        edges = []
        while edge := self.next():
            edges.append(edge)
        return edges

    def close(self) -> None:
        self.c.gpio_inputs_free(self.inputs)
        self.inputs = None
