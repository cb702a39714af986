"""What the unit of a board does when a gate has ended."""
import os
import re
import shlex
import subprocess
from pathlib import Path

from gate import command

UNIT = Path(__file__).resolve().parents[3] / "board/generic/gatehouse.service"


def after_the_gate(rig, result: str) -> None:
    """Its ExecStopPost with this machine's program and this rig's files; `result` is what systemd says of the end."""
    words = shlex.split(re.search("^ExecStopPost=-(.*)$", UNIT.read_text(), re.M).group(1))
    ours = {"/usr/bin/gatehouse": command()[0], "/etc/gatehouse/board.json": rig.folder / "board.json", "/etc/gatehouse/trust": rig.trust}
    for theirs, own in ours.items():
        words = [word.replace(theirs, str(own)) for word in words]
    subprocess.run(words, env={**os.environ, "SERVICE_RESULT": result}, check=True, timeout=60)
