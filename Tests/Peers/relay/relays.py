"""The program under test: started, killed, and asked what it says of itself."""
import json
import os
import signal
import subprocess
import time
from pathlib import Path

from gate import command


def program() -> str:
    return os.environ.get("GATEHOUSE_RELAY") or str(Path(command()[0]).with_name("gatehouse-relay"))


class Relay:
    def __init__(self, folder: Path, kind: str, log: Path, settings: dict):
        self.folder, self.kind, self.log, self.process = folder, kind, log, None
        self.state = folder / "state"
        self.state.mkdir(parents=True, exist_ok=True)
        self.settings = folder / f"{kind}.json"
        self.set(settings)

    def set(self, settings: dict) -> None:
        self.settings.write_text(json.dumps(settings))

    def command(self) -> list[str]:
        return [program(), self.kind, "--settings", str(self.settings), "--log", str(self.log), "--state", str(self.state)]

    def start(self, **environment: str) -> "Relay":
        self.errors = open(self.folder / "errors", "ab")
        self.process = subprocess.Popen(self.command(), stderr=self.errors, env={**os.environ, **environment})
        return self

    def end(self, number: int = signal.SIGTERM) -> int | None:
        if self.process is None:
            return None
        self.process.send_signal(number)
        code = self.process.wait(60)
        self.errors.close()
        self.process = None
        return code

    def said(self) -> str:
        return (self.folder / "errors").read_text()

    def status(self) -> dict:
        try:
            return json.loads((self.state / "status").read_text())
        except FileNotFoundError:
            return {}

    def cursor(self) -> int:
        try:
            return json.loads((self.state / "cursor").read_text())["seq"]
        except FileNotFoundError:
            return 0

    def wait_for(self, condition, seconds: float = 120):
        end = time.monotonic() + seconds
        while not condition():
            assert self.process.poll() is None, self.said()
            assert time.monotonic() < end, (self.status(), self.cursor(), self.said())
            time.sleep(0.05)

    def wait_for_trouble(self, code: str) -> None:
        self.wait_for(lambda: self.status().get("trouble") == code)

    def seconds(self) -> float:
        """Of processor time that it took."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def resident(self) -> int:
        """Octets, the most it had."""
        for line in Path(f"/proc/{self.process.pid}/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
        return 0
