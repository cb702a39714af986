"""gatehouse-vision's supervisor, with a clock: it starts the worker that reads codes, and passes on what gate and worker say to each other.

A gate starts the `gatehouse-vision` that lies beside it; bench_engagement.py puts this there. For every picture in which the worker has
read a code it writes a line: when the picture was taken, when the gate had handed it over, and when its text was about to be handed to the
gate, in nanoseconds of the monotonic clock, which all processes share; then for how long the gate had been on a processor, and waited for
one.

    vision_tap.py WORKER FILE supervisor OPTIONS
"""
import array
import os
import select
import socket
import struct
import subprocess
import sys
import time
from pathlib import Path

from bench_faces import Worker

START_CODE_READER, STOP_CODE_READER = 5, 6
REPORT = struct.Struct("<BBHIi")
CODES, READING, READ = 4, 0x8004, 1
# As CodeProcess.swift has it: what the library frees is overwritten, which takes its time.
ENVIRONMENT = {"LC_ALL": "C", "MALLOC_ARENA_MAX": "1", "SWIFT_BACKTRACE": "enable=no",
               "GLIBC_TUNABLES": "glibc.malloc.perturb=165:glibc.malloc.tcache_count=0"}


def scheduled(pid: int) -> tuple[int, int]:
    """Nanoseconds for which a process with one thread was on a processor, and for which it could have been and waited for one."""
    on, waiting, _ = Path(f"/proc/{pid}/schedstat").read_text().split()
    return int(on), int(waiting)


class Tap:
    """Between the gate and one worker after the other."""

    def __init__(self, program: str, stamps: str, options: list[str]) -> None:
        self.program, self.options = program, options
        self.stamps = open(stamps, "a", buffering=1)
        self.gate = socket.socket(fileno=3)
        self.process = self.near = self.far = None
        self.serial = 0
        self.picture = (0, 0)  # taken, handed over

    def run(self) -> None:
        while True:
            ends = [self.gate, *(end for end in (self.near, self.far) if end)]
            for end in select.select(ends, [], [])[0]:
                if end is self.gate:
                    request = self.gate.recv(1)
                    if not request:
                        return self.stop()
                    if request[0] in (START_CODE_READER, STOP_CODE_READER):
                        self.stop()
                    if request[0] == START_CODE_READER:
                        self.start()
                    break
                if not (self.hand_over() if end is self.near else self.answer()):
                    self.stop()
                    break

    # MARK: the supervisor's work

    def start(self) -> None:
        self.near, gates = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        self.far, workers = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        gates.setblocking(False)
        end = workers.fileno()
        # It becomes number 3 in the worker alone; here that is the gate's.
        command = [self.program, "code", "--parent", str(os.getpid()), *self.options]
        self.process = subprocess.Popen(
            command, env=ENVIRONMENT, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, pass_fds=(3,),
            preexec_fn=lambda: os.dup2(end, 3, inheritable=True))
        workers.close()
        self.serial += 1
        passed = (socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [gates.fileno()]))
        self.gate.sendmsg([REPORT.pack(1, 0, 0, self.serial, 0)], [passed])
        gates.close()

    def stop(self) -> None:
        if self.process is None:
            return
        self.process.kill()
        status = self.process.wait()
        self.near.close()
        self.far.close()
        self.process = self.near = self.far = None
        # Where the gate is gone nobody hears it.
        try:
            self.gate.send(REPORT.pack(2, 0, 0, self.serial, -status))
        except OSError:
            pass

    # MARK: what is said

    @staticmethod
    def message(stream: socket.socket) -> bytes:
        """A whole one, or nothing at the end."""
        octets = bytearray()
        size = Worker.HEAD.size
        while len(octets) < size:
            more = stream.recv(size - len(octets))
            if not more:
                return b""
            octets += more
            if len(octets) == Worker.HEAD.size:
                size += Worker.HEAD.unpack(octets)[0]
        return bytes(octets)

    def hand_over(self) -> bool:
        """From the gate to the worker."""
        octets = self.message(self.near)
        if octets and Worker.HEAD.unpack_from(octets)[1] == CODES:
            self.picture = (Worker.PICTURE.unpack_from(octets, Worker.HEAD.size)[5], time.monotonic_ns())
        self.far.sendall(octets)
        return bool(octets)

    def answer(self) -> bool:
        """From the worker to the gate."""
        octets = self.message(self.far)
        is_text = octets and Worker.HEAD.unpack_from(octets)[1] == READING and octets[Worker.HEAD.size] == READ
        before = scheduled(os.getppid()) if is_text else ()
        now = time.monotonic_ns()
        self.near.sendall(octets)
        if is_text:
            print(*self.picture, now, *before, file=self.stamps)
        return bool(octets)


if __name__ == "__main__":
    Tap(sys.argv[1], sys.argv[2], sys.argv[4:]).run()
