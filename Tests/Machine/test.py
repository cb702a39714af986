"""Runs the machine's tests: some boots, two at a time where there are two processors. Prints each case with its time.

    test.py [--short] [NAME ...] [-k EXPRESSION]       names of boots; all by default
"""
import argparse
import io
import os
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import machine

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
NO_TESTS = 5  # pytest's word for "nothing selected"


@dataclass
class Boot:
    files: list[str]
    displays: list[str] = field(default_factory=list)
    timeout: int = 600  # seconds without a word


BOOTS = {
    "bluez": Boot(["test_bluez.py"]),
    "documents": Boot(["test_bluez_documents.py"]),
    "kernel": Boot(["test_kernel.py"]),
    "controllers": Boot(["test_controllers.py"]),
    "lights": Boot(["test_lights.py"]),
    "door": Boot(["test_door.py"]),
    "buttons": Boot(["test_buttons.py"]),
    "door-visits": Boot(["test_door_visits.py", "test_visit_lines.py"]),
    "sound": Boot(["test_buzzer.py", "test_pwm.py"]),
    "screen": Boot(["test_screen.py"], ["240x240", "480x320", "1280x720", "1024x768x16"]),
    "privilege": Boot(["test_privilege.py"], ["320x240"]),
    "camera": Boot(["test_camera.py", "test_face_visits.py"]),
    "codes": Boot(["test_code_camera.py", "test_code_row.py"], timeout=600 + 10 * int(os.environ.get("CODES", "0"))),
}
# One of each kind of device: a controller over the user channel, a phone in either role, the door's line, the confinement, a camera.
SHORT = ["camera", "bluez", "privilege", "documents", "door"]


class Whole(io.BytesIO):
    """What one boot printed, kept together where two run at once."""

    def flush(self) -> None:
        pass


def run(name: str, boot: Boot, select: str, alone: bool, printing: threading.Lock) -> int:
    started = time.monotonic()
    out = sys.stdout.buffer if alone else Whole()
    # Without plugins nobody asked for: importing them takes seconds here.
    command = [str(ROOT / ".venv/bin/python"), "-m", "pytest", "-v", "-p", "no:cacheprovider", "--no-header", "--tb=short", "-c", "/dev/null",
               "--rootdir", str(HERE / "guest"), *(["-k", select] if select else []), *(str(HERE / "guest" / file) for file in boot.files)]
    status = machine.boot(command, boot.timeout, boot.displays, out=out)
    with printing:
        if not alone:
            sys.stdout.buffer.write(out.getvalue())
        print(f"machine: {name}: {'ok' if status in (0, NO_TESTS) else f'FAILED ({status})'}, {time.monotonic() - started:.0f} s\n", flush=True)
    return 0 if status == NO_TESTS else status


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("boots", nargs="*", choices=[*BOOTS, []], metavar="NAME")
    parser.add_argument("--short", action="store_true", help="one boot for each kind of device: " + ", ".join(SHORT))
    parser.add_argument("-k", dest="select", default="", metavar="EXPRESSION")
    options = parser.parse_args()
    chosen = options.boots or (SHORT if options.short else list(BOOTS))
    if left := [name for name in BOOTS if name not in chosen]:
        print(f"machine: not booted: {', '.join(left)}", flush=True)
    # The machine has no time to compile what it imports.
    import compileall
    for folder in (ROOT / ".venv/lib", ROOT / "Tests/Peers", HERE / "guest"):
        compileall.compile_dir(folder, quiet=2)
    alone = len(chosen) == 1 or os.cpu_count() == 1
    printing = threading.Lock()
    os.chdir(ROOT)
    with ThreadPoolExecutor(1 if alone else 2) as boots:
        results = list(boots.map(lambda name: run(name, BOOTS[name], options.select, alone, printing), chosen))
    return next((status for status in results if status), 0)


if __name__ == "__main__":
    sys.exit(main())
