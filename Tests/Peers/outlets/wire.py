"""A line between a relay and its server that is slow, is cut, or leads to somebody else."""
import contextlib
import socket
import struct
import threading
import time


class Wire:
    """Hands on what comes to `port`, at most `rate` octets a second each way where it is set, to whoever listens at `target`."""

    def __init__(self, target: int, rate: float | None = None) -> None:
        self.target, self.rate = target, rate
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.ends: list[socket.socket] = []
        self.lock = threading.Lock()
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self) -> None:
        while True:
            try:
                near, _ = self.listener.accept()
            except OSError:
                return
            try:
                far = socket.create_connection(("127.0.0.1", self.target), 10)
            except OSError:
                near.close()
                continue
            # A server that has nothing to say for ten seconds has not gone.
            far.settimeout(None)
            for end in (near, far):
                end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                if self.rate:
                    # What waits in the middle is little, so that a slow line is one for whoever sends; with less than a packet of
                    # this machine's own network it would stand still between two probes.
                    end.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65_536)
            # From here on they may be cut at any moment.
            with self.lock:
                self.ends += [near, far]
            for one, other in ((near, far), (far, near)):
                threading.Thread(target=self.carry, args=(one, other), daemon=True).start()

    def carry(self, one: socket.socket, other: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while octets := one.recv(2048 if self.rate else 65_536):
                if self.rate:
                    time.sleep(len(octets) / self.rate)
                other.sendall(octets)
        # Also where this side broke off: nobody waits for a line that is not there.
        with contextlib.suppress(OSError):
            other.shutdown(socket.SHUT_WR)

    def cut(self) -> None:
        """All connections, at once and without a goodbye: what was on the way is gone."""
        with self.lock:
            ends, self.ends = self.ends, []
        for end in ends:
            with contextlib.suppress(OSError):
                end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                end.shutdown(socket.SHUT_RDWR)
                end.close()

    def __enter__(self) -> "Wire":
        return self

    def __exit__(self, *_) -> None:
        # Whoever waits at it would go on to wait, and have the next that comes.
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        self.cut()
