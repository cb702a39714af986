"""By how much a pulse of the lock is longer than it should be, by the kernel's own record of the line: at rest, and in a machine that is busy.

Each pulse is an accepted visit's: one of the exit button counts from the press, and has lost what the gate saw it late by. Beside it stands one
of a bare program (pulse_floor.c) on a line of the same chip, begun while the lock is open: what the kernel and this machine take.
"""
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import conftest  # noqa: F401: the path to the phone and the gate
from board import BoardRig
from gpio import Chip, Switchings

PULSES = int(os.environ.get("BENCH_PULSES", "12"))
PULSE = 3  # seconds
HERE = Path(__file__).resolve().parent
CGPIO = HERE.parents[2] / "Sources/Libraries/CGPIO"
SPIN = "while True: pass"
WRITE = "import os\nfile = open({path!r}, 'wb')\nwhile True:\n file.seek(0)\n file.write(bytes(1 << 20))\n file.flush()\n os.fsync(file.fileno())"


class Floor:
    def __init__(self, folder: Path, line: str) -> None:
        program = folder / "pulse_floor"
        subprocess.run(["gcc", "-O1", f"-I{CGPIO}/include", str(HERE / "pulse_floor.c"), *map(str, CGPIO.glob("*.c")), "-o", str(program), "-lgpiod"], check=True)
        self.process = subprocess.Popen([str(program), "gate", line, str(PULSE)], stdin=subprocess.PIPE)

    def begin(self) -> None:
        self.process.stdin.write(b"1")
        self.process.stdin.flush()

    def close(self) -> None:
        self.process.stdin.close()
        self.process.wait()


class Load:
    """As many busy loops as there are processors, and one that writes to the host's disk."""

    def __init__(self, is_busy: bool) -> None:
        self.scratch = Path("/control/scratch")
        programs = [SPIN] * (os.cpu_count() or 1) + [WRITE.format(path=str(self.scratch))] if is_busy else []
        self.processes = [subprocess.Popen([sys.executable, "-c", program]) for program in programs]

    def close(self) -> None:
        for process in self.processes:
            process.kill()
            process.wait()
        self.scratch.unlink(missing_ok=True)


def measure(rig, chip, floor, is_busy: bool) -> tuple[list[float], list[float]]:
    """Milliseconds beyond the pulse's length, of the gate and of the floor."""
    load = Load(is_busy)
    try:
        with Switchings(chip) as switchings:
            for number in range(1, PULSES + 1):
                assert rig.visit().accepted
                floor.begin()
                rig.until(lambda: all(len(switchings.pulses(line)) == number for line in ("LOCK", "FLOOR")), "closed")
            return tuple([(length - PULSE) * 1000 for _, length in switchings.pulses(line)] for line in ("LOCK", "FLOOR"))
    finally:
        load.close()


def main() -> None:
    chip = Chip("gate", ["LOCK", "FLOOR"])
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        floor = Floor(folder, "FLOOR")
        rig = BoardRig(folder, door="gpio:gate/lock=LOCK").open()
        rig.uri()
        found = {("gate", "floor")[which] + state: times for state, is_busy in ((", at rest", False), (", busy", True))
                 for which, times in enumerate(measure(rig, chip, floor, is_busy))}
        floor.close()
        rig.close()
    chip.remove()
    print(f"a pulse of {PULSE} s, milliseconds longer than that, {PULSES} each, in an emulated machine of {os.cpu_count()} processor(s)")
    print(f"{'':18}{'least':>9}{'median':>9}{'most':>9}")
    for name, times in found.items():
        print(f"{name:18}{min(times):9.2f}{statistics.median(times):9.2f}{max(times):9.2f}")
    for state in (", at rest", ", busy"):
        ratios = [measure_of(found["gate" + state]) / measure_of(found["floor" + state]) for measure_of in (statistics.median, max)]
        print(f"gate / floor{state}: median {ratios[0]:.2f}, most {ratios[1]:.2f}")


if __name__ == "__main__":
    main()
