"""What somebody in the place of `gatehouse-http` may do to a gate: a program of that name beside a copy of the gate's, which has the socket
and says what it likes. `LIE` in the file beside it says what."""
import os
import socket
import struct
import sys
from pathlib import Path

HEAD = struct.Struct("<IHHI")
READY = HEAD.pack(0, 1, 1, 0)


def posted(number: int, body: bytes, kind: int = 0, target: bytes = b"") -> bytes:
    return HEAD.pack(4 + len(target) + len(body), 0x10 + kind, 1, number) + struct.pack("<I", len(target)) + target + body


def flood():
    yield READY
    number = 0
    while True:
        number += 1
        yield posted(number, b"{" * (512 << 10))


def many():
    yield READY
    for number in range(1, 100):
        yield posted(number, b"{}")


LIES = {
    "noise": lambda: iter([os.urandom(4096)]),
    "noise-when-ready": lambda: iter([READY, os.urandom(4096)]),
    "too-long": lambda: iter([READY, HEAD.pack(0xFFFFFFFF, 0x10, 1, 1), b"x" * 65536]),
    "twice": lambda: iter([READY, READY]),
    "before-ready": lambda: iter([posted(1, b"{}")]),
    "same-number": lambda: iter([READY, posted(1, b"{}") * 2, posted(1, b"{}"), posted(0, b"{}")]),
    "half": lambda: iter([READY, posted(1, b"{}" * 1000)[:100]]),
    "flood": flood,
    "many": many,
    "mute": lambda: iter([]),
    "gone": None,
    "answers": lambda: iter([READY, HEAD.pack(0, 0x8001, 1, 1)]),
    "kinds": lambda: iter([READY, *(posted(1 + kind, b"" if kind == 1 else b"{}", kind, b"/tk/answer?a") for kind in (1, 2, 3))]),
}


def listen(lie: str, channel: socket.socket) -> None:
    if LIES[lie] is None:
        return
    try:
        for octets in LIES[lie]():
            channel.sendall(octets)
        while channel.recv(65536):
            pass
    except OSError:
        pass


def main() -> None:
    """As keeper: the address is never taken, and each listener is a child that lies."""
    lie, starts = Path(sys.argv[0]).with_name("LIE").read_text(), Path(sys.argv[0]).with_name("STARTS")
    gate = socket.socket(fileno=3)
    gate.send(struct.pack("<B3xIi", 1, 0, 0))
    serial = 0
    child = 0
    while request := gate.recv(1):
        if child:
            os.kill(child, 9)
            os.waitpid(child, 0)
            child = 0
        if request != b"\x01":
            continue
        serial += 1
        # Whoever reads it finds the number before or this one, and never half a file.
        new = starts.with_name("STARTS.new")
        new.write_text(str(serial))
        new.rename(starts)
        here, there = socket.socketpair()
        child = os.fork()
        if child == 0:
            here.close()
            gate.close()
            listen(lie, there)
            os._exit(0)
        there.close()
        here.setblocking(False)
        socket.send_fds(gate, [struct.pack("<B3xIi", 3, serial, 0)], [here.fileno()])
        here.close()


if __name__ == "__main__":
    main()
