"""gooseBit as a process: a server of hawkBit's Direct Device Integration API that nobody here wrote. For tests only: docs/fleet.md says why."""
import json
import os
import secrets
import subprocess
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path

HERE = Path(__file__).resolve().parent
SCRIPT = HERE.parents[1] / "Scripts/goosebit.sh"
TENANT, GATE = "DEFAULT", "gate-1"
# 32 characters are the most that its table holds.
TOKEN = "0123456789abcdef"

SETTINGS = """\
tenant: {tenant}
poll_time: "00:00:01"
secret_key: {secret}
track_device_ip: false
db_uri: sqlite:///{folder}/goosebit.sqlite3
artifacts_dir: {folder}/artifacts
device_auth:
  enable: true
  mode: strict
"""


class Absent(Exception):
    """gooseBit is not to be had here: what is missing."""


def python() -> Path:
    """The Python of gooseBit's own environment; makes it where it is not there yet."""
    done = subprocess.run([SCRIPT], capture_output=True, text=True)
    if done.returncode:
        raise Absent((done.stderr.strip().splitlines() or ["Tests/Scripts/goosebit.sh fails"])[-1])
    return Path(done.stdout.strip())


class Goosebit:
    """`with Goosebit(folder) as server:`; `order` a bundle, and see `gate` and `rollout`. What it says is in `folder`/goosebit.log."""

    def __init__(self, folder: Path, gate: str = GATE, token: str = TOKEN) -> None:
        self.folder, self.gate_id, self.token = folder, gate, token
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "artifacts").mkdir(exist_ok=True)
        (folder / "goosebit.yaml").write_text(SETTINGS.format(tenant=TENANT, folder=folder, secret=secrets.token_hex(32)))
        self.python, self.port, self.bearer = python(), 0, ""
        # Its lines on standard output: which requests it answered, and how.
        self.answered: list[bytes] = []
        self.start()
        self.bearer = self.set_up("operator")

    def start(self) -> None:
        """With what it knew before, on the port that it had."""
        with open(self.folder / "goosebit.log", "ab") as log:
            self.process = subprocess.Popen(
                [self.python, HERE / "goosebit_run.py", str(self.port)], cwd=self.folder, stdout=subprocess.PIPE, stderr=log,
                env={"PATH": os.environ["PATH"], "HOME": str(self.folder), "GOOSEBIT_SETTINGS": str(self.folder / "goosebit.yaml")})
        self.port = self.said_port()
        # Whatever it says is read: a full pipe would stop it.
        threading.Thread(target=lambda lines=self.process.stdout: self.answered.extend(lines), daemon=True).start()

    def stop(self) -> None:
        self.process.kill()
        self.process.wait()

    def said_port(self) -> int:
        for line in self.process.stdout:
            if line.startswith(b"port "):
                return int(line.split()[1])
        raise RuntimeError("gooseBit did not start: " + (self.folder / "goosebit.log").read_text()[-2000:])

    def __enter__(self) -> "Goosebit":
        # In strict mode it answers only gates it was told of.
        self.ask("PUT", "devices", {"devices": [self.gate_id], "auth_token": self.token, "feed": "stable"})
        return self

    def __exit__(self, *_) -> None:
        self.stop()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def send(self, method: str, path: str, body: bytes = b"", kind: str = "application/json") -> dict:
        headers = {"Content-Type": kind, **({"Authorization": f"Bearer {self.bearer}"} if self.bearer else {})}
        request = urllib.request.Request(f"{self.url}/{path}", body or None, headers, method=method)
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.load(answer)

    def ask(self, method: str, what: str, body: dict | None = None) -> dict:
        return self.send(method, f"api/v1/{what}", json.dumps(body).encode() if body is not None else b"")

    def set_up(self, name: str) -> str:
        """Makes a user with every permission and returns their token. Whoever reaches the server can, at any time: test_goosebit.py."""
        form = urllib.parse.urlencode({"username": name, "password": secrets.token_hex(8)}).encode()
        deadline = time.monotonic() + 60
        while True:
            try:
                return self.send("POST", "setup", form, "application/x-www-form-urlencoded")["access_token"]
            except urllib.error.HTTPError:
                raise
            except OSError:
                # It listens before its loop runs.
                if time.monotonic() > deadline or self.process.poll() is not None:
                    raise
                time.sleep(0.1)

    # MARK: orders

    def upload(self, bundle: bytes, name: str) -> int:
        border = secrets.token_hex(16)
        head = f'--{border}\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\nContent-Type: application/octet-stream\r\n\r\n'
        body = head.encode() + bundle + f"\r\n--{border}--\r\n".encode()
        return self.send("PUT", "api/v1/software", body, f"multipart/form-data; boundary={border}")["id"]

    def order(self, bundle: bytes, version: int) -> int:
        """A roll-out of this bundle to every gate of the feed; its number."""
        software = self.upload(bundle, f"gatehouse-{version}.swu")
        return self.ask("PUT", "rollouts", {"name": f"version {version}", "feed": "stable", "software_id": software})["id"]

    def withdraw(self, rollout: int) -> None:
        self.ask("DELETE", "rollouts", {"ids": [rollout]})

    def pause(self, rollout: int, paused: bool = True) -> None:
        self.ask("PATCH", "rollouts", {"ids": [rollout], "paused": paused})

    def once_more(self) -> None:
        """A gate that failed is offered nothing until somebody says so."""
        self.ask("PATCH", "devices", {"devices": [self.gate_id], "force_update": True})

    # MARK: what it knows

    def gate(self) -> dict:
        return next(one for one in self.ask("GET", "devices")["devices"] if one["id"] == self.gate_id)

    def state(self) -> str:
        """Unknown, Registered, Running, Finished or Error."""
        return self.gate()["last_state"]

    def rollout(self, number: int) -> dict:
        return next(one for one in self.ask("GET", "rollouts")["rollouts"] if one["id"] == number)

    def refused(self, status: int) -> list[bytes]:
        """Requests of a gate that it answered so."""
        return [line for line in list(self.answered) if b"/controller/" in line and b" %d" % status in line]

    def said(self) -> str:
        """What the gate told of the last installation, its lines."""
        return self.ask("GET", f"devices/{self.gate_id}/log").get("log") or ""

    def until(self, condition, patience: float = 60) -> bool:
        """Whether it came to be; asks twice a second."""
        deadline = time.monotonic() + patience
        while not (found := condition()) and time.monotonic() < deadline:
            time.sleep(0.5)
        return bool(found)
