"""The octets a gate sends to its controller, as the controller of the tests receives them."""
import struct

import air

COMMAND, DATA = 1, 2
# Addresses and advertised keys are drawn by chance: of these commands only the length is compared.
DRAWN = {0x2005, 0x2008, 0x2009, 0x2035, 0x2037, 0x2038}


class Wire:
    """While it is entered, every packet is kept until it is taken."""

    def __init__(self) -> None:
        self.rest, self.packets = b"", []

    def __enter__(self):
        self.received = received = air.H4Server.data_received

        def kept(server, octets: bytes) -> None:
            self.rest += octets
            self.divide()
            received(server, octets)

        air.H4Server.data_received = kept
        return self

    def __exit__(self, *_):
        air.H4Server.data_received = self.received

    def divide(self) -> None:
        """Bluetooth Core, volume 4, part A, section 2: a command has an octet of length, data has two."""
        while len(self.rest) >= 5:
            length = 4 + self.rest[3] if self.rest[0] == COMMAND else 5 + struct.unpack_from("<H", self.rest, 3)[0]
            if len(self.rest) < length:
                return
            self.packets.append(self.rest[:length])
            self.rest = self.rest[length:]

    def take(self) -> str:
        """Commands in their order, then data in its: which of the two comes first is the controller's doing."""
        packets, self.packets = self.packets, []
        lines = []
        for packet in packets:
            code = struct.unpack_from("<H", packet, 1)[0]
            if packet[0] == COMMAND:
                lines.append(f"command {code:04x} " + (f"{packet[3]} octets" if code in DRAWN else packet[4:].hex()))
        lines += [f"data {packet[1:].hex()}" for packet in packets if packet[0] == DATA]
        return "".join(line.rstrip() + "\n" for line in lines)
