"""Ports for what a test starts. The system's own choice (port 0) is none for a server that is started later, or again: it is one of those
that connections of this machine leave by, and may be somebody's when the server comes."""
import random
import socket

# Below what the kernel gives connections (ip_local_port_range, from 32768 on).
RANGE = range(20_000, 32_000)
# Names in no file system, each bound for as long as this process lives: no other run of tests takes the port of a server that is down.
RESERVED: list[socket.socket] = []


def free_port(host: str = "127.0.0.1") -> int:
    """A port where nobody listens, and which is this process's until it ends."""
    for port in random.Random().sample(RANGE, len(RANGE)):
        reserved = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        try:
            reserved.bind(f"\0gatehouse-test-port-{port}")
            with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as probe:
                probe.bind((host, port))
        except OSError:
            reserved.close()
            continue
        RESERVED.append(reserved)
        return port
    raise AssertionError("no port is free")
