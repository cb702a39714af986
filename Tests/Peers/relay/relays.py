"""The program under test with its settings in one piece, and asked besides what it takes of the machine."""
import os
import signal
from pathlib import Path

import outlet_rig


class Relay(outlet_rig.Relay):
    def __init__(self, folder: Path, kind: str, log: Path, settings: dict):
        super().__init__(kind, folder, log, **settings)

    def end(self, by: int = signal.SIGTERM) -> int:
        return self._end(by)

    def wait_for(self, condition, seconds: float = 120):
        def found():
            assert self.process.poll() is None, self.said()
            return condition()
        outlet_rig.until(found, lambda: f"that ({self.status()}, {self.cursor()}, {self.said()})", seconds, 0.05)

    def wait_for_trouble(self, code: str) -> None:
        self.wait_for(lambda: self.status().get("trouble") == code)

    def seconds(self) -> float:
        """Of processor time that it took."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def turns(self) -> int:
        """How often it slept and woke up."""
        text = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(text.split("\nvoluntary_ctxt_switches:", 1)[1].split()[0])

    def resident(self) -> int:
        """Octets, the most it had."""
        for line in Path(f"/proc/{self.process.pid}/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
        return 0
