"""A gate that is told by a board profile where its devices are, and a rig around it."""
import json
import os
import subprocess
from pathlib import Path

import issuer
from gate import Gate, command
from kernel_air import KernelAir
from rig import Rig

HERE = Path(__file__).resolve().parent
CACHE = Path(os.environ.get("MACHINE_CACHE", HERE.parents[2] / ".build-machine")).absolute()
# Made by tools/words.sh.
WORDS = HERE.parents[2] / ".build" / "words"
# Linked by Tests/Machine/gpiod2.sh.
GATE_WITH_GPIOD_2 = CACHE / "gatehouse-gpiod2" / "gatehouse"


def write_profile(path: Path, **members: str) -> Path:
    """A board profile: `lights`, `screen` and `hci` as given, the terminal, no faces and no controller where they are not."""
    path.write_text(json.dumps({"name": "machine", "hci": "hci:99", "lights": "log:", "screen": "terminal:", "face": "off", **members}))
    return path


class BoardGate(Gate):
    """`Gate`, but every device is named by the profile."""

    def __init__(self, profile: Path, trust, data, *options: str) -> None:
        super().__init__("hci:0", trust, data)
        self.arguments = [*command(), "run", "--board", str(profile), "--trust", str(trust), "--data", str(data), *options]


class BoardRig(Rig):
    """A gate with a board profile, on the user channel of a controller whose other side is Bumble's. `before` is what starts the command."""

    def __init__(self, folder: Path, *options: str, before: list[str] = [], **members: str) -> None:
        super().__init__(folder, *options, algorithms=("ES256",), air=KernelAir())
        self.before, self.members = before, members

    def start(self) -> None:
        profile = write_profile(self.folder / "board.json", hci=self.air.path, **self.members)
        self.gate = BoardGate(profile, self.trust, self.folder / "data", *self.options)
        self.gate.arguments[:0] = self.before
        self.run(self.gate.start())

    def unplug(self) -> None:
        async def unplug() -> None:
            self.air.unplug()

        self.run(unplug())

    def plug(self) -> None:
        self.run(self.air.plug())

    def until(self, condition, what: str, patience: float = 60):
        return self.run(self.gate.until(condition, patience, what))

    @staticmethod
    def bad() -> bytes:
        """A message with a credential of somebody whom the gate does not know."""
        return issuer.wrap(issuer.Issuer("ES256", "https://stranger.example").credential(500))

    def a_rejected_visit(self):
        return self.visit(payload=self.bad())


class NoAir:
    """For gates whose devices are looked at and not visited."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.trust = issuer.write_trust(folder / "trust", issuer.Issuer("ES256", "https://issuer.example"))

    def gate(self, **members: str) -> BoardGate:
        return BoardGate(write_profile(self.folder / "board.json", **members), self.trust, self.folder / "data")

    def command(self, name: str, user: int | None = None, **members: str) -> subprocess.CompletedProcess:
        """`run` or `doctor` with such a profile, to its end; as an ordinary user where one is named."""
        profile = write_profile(self.folder / "board.json", **members)
        data = self.folder / f"data-{name}-{user or 0}"
        data.mkdir(exist_ok=True)
        if user:
            # pytest's folders are their owner's alone.
            for folder in (data, *self.folder.rglob("*"), self.folder, *list(self.folder.parents)[:3]):
                os.chown(folder, user, user) if folder == data else folder.chmod(folder.stat().st_mode | 0o055)
        return subprocess.run([*command(), name, "--board", str(profile), "--trust", str(self.trust), "--data", str(data)],
                              capture_output=True, text=True, timeout=120, user=user, group=user, extra_groups=[] if user else None)
