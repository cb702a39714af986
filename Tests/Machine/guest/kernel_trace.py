"""What the kernel writes down by itself while something happens: its tracing, read back as lines."""
import re
import subprocess
from pathlib import Path

TRACING = Path("/sys/kernel/tracing")
LINE = re.compile(r"^\s*(.+)-(\d+)\s.*? ([0-9.]+): (\w+?)(?:\(|: )(.*)$")


def mount() -> None:
    if not (TRACING / "events").exists():
        subprocess.run(["mount", "-t", "tracefs", "none", str(TRACING)], check=True)


class Recording:
    """`Recording("smbus/smbus_write")`: these events, with the time of the monotonic clock. `beside` another record, which stays."""

    def __init__(self, *events: str, process: int = 0, beside: bool = False) -> None:
        mount()
        self.events, self.process, self.beside = [TRACING / "events" / event for event in events], process, beside

    def __enter__(self):
        if not self.beside:
            (TRACING / "trace_clock").write_text("mono")
            (TRACING / "trace").write_text("")
        for event in self.events:
            if self.process:
                (event / "filter").write_text(f"common_pid == {self.process}")
            (event / "enable").write_text("1")
        return self

    def __exit__(self, *_) -> None:
        for event in self.events:
            (event / "enable").write_text("0")
            (event / "filter").write_text("0")

    def all(self) -> list[tuple[float, str, str]]:
        """Each with its time, its name and what it says."""
        # A call is written down without the word that says it is entered.
        names = {event.name.replace("sys_enter_", "sys_") for event in self.events}
        found = (LINE.match(line) for line in (TRACING / "trace").read_text().splitlines())
        return [(float(f[3]), f[4], f[5]) for f in found if f and f[4] in names]
