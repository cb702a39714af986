"""One connection from an emulated board carried on to a port of this machine, for QEMU's guestfwd: `forward.py PORT`. The board reaches nothing else."""
import os
import selectors
import socket
import sys


def write(descriptor: int, octets: bytes) -> None:
    while octets:
        octets = octets[os.write(descriptor, octets):]


with socket.create_connection(("127.0.0.1", int(sys.argv[1]))) as far, selectors.DefaultSelector() as selector:
    selector.register(0, selectors.EVENT_READ, far.fileno())
    selector.register(far, selectors.EVENT_READ, 1)
    while True:
        for key, _ in selector.select():
            octets = os.read(key.fd, 1 << 16)
            if octets:
                write(key.data, octets)
            elif key.fd == 0:
                # The board has said all; the answer may be on its way still.
                far.shutdown(socket.SHUT_WR)
                selector.unregister(0)
            else:
                sys.exit()
