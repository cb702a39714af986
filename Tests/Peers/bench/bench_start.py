"""From the start of the process to its first advertising command, without the time the controller takes; and the memory it has then.

    bench_start.py [PATH OF gatehouse] [--rounds N]

The controller is a script on a unix socket that answers every command at once; the time between a command's arrival and its answer is
taken off. The floor is a process that does nothing.
"""
import argparse
import os
import socket
import statistics
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import issuer
from gate import BUILT
from swift_sources import ROOT

WORDS = ROOT / ".build" / "words"
ENABLE = 0x200A
ANSWERS = {
    0x1001: bytes([0, 12, 0, 0, 12, 255, 255, 1, 0]),
    0x1002: bytes([0]) + b"\xff" * 64,
    0x1003: bytes([0, 0, 0, 0, 0, 0x60, 0, 0, 0]),
    0x2003: bytes(9),
    0x2002: bytes([0, 251, 0, 8]),
    0x2060: bytes([0, 251, 0, 8, 0, 0, 0]),
    0x1009: bytes([0, 1, 2, 3, 4, 5, 6]),
}


def exactly(stream: socket.socket, count: int) -> bytes:
    octets = b""
    while len(octets) < count:
        more = stream.recv(count - len(octets))
        if not more:
            raise EOFError("the gate closed the link")
        octets += more
    return octets


def start(gate: str, trust: Path, folder: Path, *words: str) -> tuple[float, int]:
    """Seconds to the first advertising command, and resident memory in kB at that moment."""
    path = str(folder / "controller.sock")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(path)
        listener.listen(1)
        began = time.perf_counter()
        process = subprocess.Popen([gate, "run", "--hci", f"unix:{path}", "--lights", "log:", "--screen", "terminal:",
                                    "--trust", str(trust), "--data", str(folder / "data"), *words],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            stream, _ = listener.accept()
            controller = 0.0
            while True:
                kind, opcode, length = struct.unpack("<BHB", exactly(stream, 4))
                arrived = time.perf_counter()
                exactly(stream, length)
                if opcode == ENABLE:
                    text = Path(f"/proc/{process.pid}/status").read_text()
                    resident = int(text.split("VmRSS:")[1].split()[0])
                    return arrived - began - controller, resident
                answer = ANSWERS.get(opcode, b"\0")
                stream.sendall(struct.pack("<BBBBH", 4, 0x0E, 3 + len(answer), 1, opcode) + answer)
                controller += time.perf_counter() - arrived
        finally:
            process.kill()
            process.wait()
            os.unlink(path)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("gate", nargs="?", default=str(BUILT))
    parser.add_argument("--rounds", type=int, default=15)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        trust = issuer.write_trust(Path(folder) / "trust", issuer.Issuer("ES256", "https://demo.gatehouse.example"))
        rounds = []
        floors = []
        for number in range(options.rounds):
            own = Path(folder) / str(number)
            own.mkdir()
            began = time.perf_counter()
            subprocess.run(["true"], check=True)
            floors.append(time.perf_counter() - began)
            rounds.append(start(options.gate, trust, own))
        spoken = []
        for number in range(options.rounds if WORDS.is_dir() else 0):
            own = Path(folder) / f"words{number}"
            own.mkdir()
            spoken.append(start(options.gate, trust, own, "--words", str(WORDS), "--language", "fr", "--language", "ar"))
    seconds = statistics.median(r[0] for r in rounds)
    floor = statistics.median(floors)
    print(f"process start to first advertising command: {seconds * 1000:.1f} ms without the controller's own time, "
          f"{seconds / floor:.1f} times a process that does nothing ({floor * 1000:.1f} ms); goal 50 ms")
    memory = statistics.median(r[1] for r in rounds)
    print(f"resident memory then: {memory:.0f} kB")
    if spoken:
        later, more = statistics.median(r[0] for r in spoken), statistics.median(r[1] for r in spoken)
        print(f"the same with a screen of two languages: {later * 1000:.1f} ms, {later / seconds:.2f} times; {more:.0f} kB, {more / memory:.2f} times")


if __name__ == "__main__":
    sys.exit(main())
