"""The gate's side of mdoc sessions without a link: `mdoc-session-check` (Tests/Checks/MdocSession), a line in and a line out."""
import json
import os
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
BUILT = ROOT / ".build" / "release" / "mdoc-session-check"


def program() -> str:
    return os.environ.get("GATEHOUSE_MDOC_SESSION", str(BUILT))


class MdocGate:
    """One process; a session begins with each code."""

    def __init__(self):
        self.process = subprocess.Popen([program()], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.process.stdin.close()
        self.process.wait(10)

    def say(self, **line) -> dict:
        self.process.stdin.write(json.dumps(line) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def begin(self, qr: str, reader: tuple[str, str] | None = None) -> dict:
        """`reader` is a key and its certificates, both as PEM."""
        return self.say(qr=qr, **({"key": reader[0], "certificates": reader[1]} if reader else {}))

    def ask(self, *documents: tuple[str, dict]) -> bytes:
        answer = self.say(request=[{"docType": name, "nameSpaces": spaces} for name, spaces in documents])
        assert "message" in answer, answer
        return bytes.fromhex(answer["message"])

    def hear(self, message: bytes) -> dict:
        return self.say(data=message.hex())

    def end(self) -> bytes:
        return bytes.fromhex(self.say(end=True)["message"])
