"""A broker that lies: it has the right certificate, takes anybody, and then does what a test says."""
import socket
import ssl
import struct
import threading


def length(count: int) -> bytes:
    octets = b""
    while True:
        count, step = divmod(count, 128)
        octets += bytes([step | (0x80 if count else 0)])
        if not count:
            return octets


def packet(kind: int, body: bytes) -> bytes:
    return bytes([kind]) + length(len(body)) + body


ACCEPTED = packet(0x20, b"\0\0\0")


def publication(topic: str, payload: bytes) -> bytes:
    name = topic.encode()
    return packet(0x30, struct.pack(">H", len(name)) + name + b"\0" + payload)


def packets(connection):
    """What comes, packet by packet: its first octet and its body. Bodies of up to 16 KB."""
    octets = b""
    while more := connection.recv(4096):
        octets += more
        while len(octets) >= 2:
            count, head = octets[1] & 0x7F, 2
            if octets[1] & 0x80:
                if len(octets) < 3:
                    break
                count, head = count | octets[2] << 7, 3
            if len(octets) < head + count:
                break
            yield octets[0], octets[head:head + count]
            octets = octets[head + count:]


class Liar:
    """`answer(connection)` is called after TLS and the first octets of each connection."""

    def __init__(self, authority, answer):
        certificate, key = authority.make("liar")
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.load_cert_chain(certificate, key)
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port, self.answer, self.connections = self.listener.getsockname()[1], answer, 0
        self.thread = threading.Thread(target=self.serve, daemon=True)
        self.thread.start()

    def serve(self):
        while True:
            try:
                plain, _ = self.listener.accept()
            except OSError:
                return
            self.connections += 1
            try:
                with self.context.wrap_socket(plain, server_side=True) as connection:
                    self.first = connection.recv(4096)
                    self.answer(connection)
            except OSError:
                pass

    def close(self):
        self.listener.close()
