"""The air: two software controllers of Google's Bumble on one simulated link. The gate's is an H4 unix socket, the phone's is in this process.

There is no radio and no pacing here: a packet crosses as soon as Python gets to it, and the link itself never loses one. Loss, corruption and
order are the phone's to play. What this file adds to Bumble's controllers is what a real air would do and Bumble 0.0.236 does not:

- the phone hears the scan response the other side really set (Bumble repeats the advertising data there), and so does the gate;
- who scans by the legacy command is sent legacy reports (Bumble looks at the controller's features);
- data towards the gate arrives in fragments (Bumble hands over whole L2CAP packets, whatever length it declared);
- a connection to an advertiser that is already taken fails with 0x3E (Bumble's central believes it is connected);
- of two phones that answer the same advertisement each may be the one that is heard (Bumble has the same one win, all day);
- a cancelled connection attempt is over (Bumble refuses every later one);
- LE Set PHY and LE Set Data Length, which it declares and does not have, are answered; so is every other command it lacks;
- HCI Reset drops links and stops advertising, and a gate that dies leaves the air silent;
- a link may be lost without a word: supervision time-out on both sides.
"""
import asyncio
import contextlib
import logging
import os
import random

from bumble import hci
from bumble.controller import Controller
from bumble.device import Device
from bumble.host import Host
from bumble.link import LocalLink
from bumble.transport.common import AsyncPipeSink, PacketParser

SCAN_RESPONSES = (
    hci.HCI_LE_Advertising_Report_Event.EventType.SCAN_RSP,
    hci.HCI_LE_Extended_Advertising_Report_Event.EventType.SCAN_RESPONSE,
)
SUPERVISION_TIMEOUT = 0x08
FAILED_TO_BE_ESTABLISHED = 0x3E
UNKNOWN_COMMAND = 0x01
UNKNOWN_CONNECTION = 0x02
DATA_LENGTH = 251


def random_address() -> hci.Address:
    octets = bytearray(random.SystemRandom().randbytes(6))
    octets[0] |= 0xC0  # static random
    return hci.Address(":".join(f"{octet:02X}" for octet in octets), hci.Address.RANDOM_DEVICE_ADDRESS)


class HonestController(Controller):
    """A controller that tells of the scan responses that were really set, and whose connection attempts can fail."""

    def send_hci_packet(self, packet):
        for report in getattr(packet, "reports", ()):
            if report.event_type in SCAN_RESPONSES:
                report.data = self.scan_response_of(report.address)
        super().send_hci_packet(packet)

    def scan_response_of(self, address) -> bytes:
        peer = self.link.find_le_controller(address)
        if peer is None:
            return b""
        if peer.le_legacy_advertiser.enabled:
            return bytes(peer.le_legacy_advertiser.scan_response_data)
        return next((bytes(s.scan_response_data) for s in peer.advertising_sets.values() if s.enabled), b"")

    def create_le_connection(self, peer_address):
        super().create_le_connection(peer_address)
        asyncio.get_running_loop().call_later(0.05, self.check_established, peer_address)

    def check_established(self, peer_address) -> None:
        connection = self.le_connections.get(peer_address)
        peer = self.link.find_le_controller(peer_address)
        if connection and (peer is None or connection.self_address not in peer.le_connections):
            self.on_le_disconnected(connection, FAILED_TO_BE_ESTABLISHED)

    def on_hci_le_create_connection_cancel_command(self, command):
        if (pending := self.pending_le_connection) is not None:
            self.pending_le_connection = None
            self.send_hci_packet(
                hci.HCI_LE_Connection_Complete_Event(
                    status=UNKNOWN_CONNECTION, connection_handle=0, role=0, peer_address_type=pending.peer_address_type,
                    peer_address=pending.peer_address, connection_interval=0, peripheral_latency=0, supervision_timeout=0,
                    central_clock_accuracy=0,
                )
            )
        return super().on_hci_le_create_connection_cancel_command(command)


class GateController(HonestController):
    """The gate's controller. It gives the gate 27 x 64 credits and sends it fragments of at most `fragment` octets."""

    fragment = DATA_LENGTH
    reports_are_legacy = False  # scanning was begun by the legacy command
    left: dict | None = None  # what a gate that ended left behind
    unanswered = 0            # so many of the next commands get no answer
    overhear = None           # is told of every command before anything comes of it

    def note_end(self) -> None:
        self.left = {"advertising": self.le_legacy_advertiser.enabled or any(s.enabled for s in self.advertising_sets.values()),
                     "links": len(self.le_connections)}

    def on_link_acl_data(self, sender_address, transport, data):
        connection = self.le_connections.get(sender_address)
        if connection is None:
            return
        for offset in range(0, len(data), self.fragment):
            part = data[offset : offset + self.fragment]
            self.send_hci_packet(hci.HCI_AclDataPacket(connection.handle, 1 if offset else 2, 0, len(part), part))

    def on_hci_command_packet(self, command):
        if self.overhear is not None:
            self.overhear(command)
        if self.unanswered:
            self.unanswered -= 1
        else:
            super().on_hci_command_packet(command)

    def on_hci_reset_command(self, command):
        self.go_silent(tell_host=False)
        return super().on_hci_reset_command(command)

    def on_hci_command(self, command):
        if isinstance(command, hci.HCI_SyncCommand):
            return super().on_hci_command(command)
        self._send_hci_command_status(UNKNOWN_COMMAND, command.op_code)

    def on_hci_le_set_data_length_command(self, command):
        if self.fragment < DATA_LENGTH:
            return hci.HCI_StatusAndConnectionHandleReturnParameters(UNKNOWN_COMMAND, command.connection_handle)
        self.send_hci_packet(hci.HCI_LE_Data_Length_Change_Event(command.connection_handle, DATA_LENGTH, 2120, DATA_LENGTH, 2120))
        return hci.HCI_StatusAndConnectionHandleReturnParameters(hci.HCI_ErrorCode.SUCCESS, command.connection_handle)

    def on_hci_le_set_phy_command(self, command):
        if self.fragment < DATA_LENGTH:
            return self._send_hci_command_status(UNKNOWN_COMMAND, command.op_code)
        self._send_hci_command_status(hci.HCI_COMMAND_STATUS_PENDING, command.op_code)
        self.send_hci_packet(hci.HCI_LE_PHY_Update_Complete_Event(0, command.connection_handle, hci.Phy.LE_2M, hci.Phy.LE_2M))

    def on_hci_le_set_scan_enable_command(self, command):
        self.reports_are_legacy = True
        return super().on_hci_le_set_scan_enable_command(command)

    def on_hci_le_set_extended_scan_enable_command(self, command):
        self.reports_are_legacy = False
        return super().on_hci_le_set_extended_scan_enable_command(command)

    def on_advertising_pdu(self, pdu):
        features = self.le_features
        if self.reports_are_legacy:
            self.le_features &= ~hci.LeFeatureMask.LE_EXTENDED_ADVERTISING
        try:
            super().on_advertising_pdu(pdu)
        finally:
            self.le_features = features

    def go_silent(self, tell_host: bool) -> None:
        """Nothing more is heard from this side: advertising stops and every peer sees its link time out."""
        self.le_legacy_advertiser.stop()
        for advertiser in self.advertising_sets.values():
            advertiser.stop()
        self.advertising_sets.clear()
        self.lose_links(tell_host)

    def lose_links(self, tell_host: bool = True) -> None:
        for connection in list(self.le_connections.values()):
            peer = self.link.find_le_controller(connection.peer_address)
            if peer and (other := peer.le_connections.get(connection.self_address)):
                peer.on_le_disconnected(other, SUPERVISION_TIMEOUT)
            if tell_host:
                self.on_le_disconnected(connection, SUPERVISION_TIMEOUT)
            else:
                del self.le_connections[connection.peer_address]


class PhoneController(HonestController):
    """A phone's controller."""

    paused = ()  # what was on the air

    def pause_advertising(self) -> None:
        """Nothing more of the phone is on the air from this moment, and its host does not know."""
        advertisers = (self.le_legacy_advertiser, *self.advertising_sets.values())
        self.paused = [advertiser for advertiser in advertisers if advertiser.enabled]
        for advertiser in self.paused:
            advertiser.stop()

    def resume_advertising(self) -> None:
        for advertiser in self.paused:
            advertiser.start()


class ChanceLink(LocalLink):
    """Who of several is reached first by an advertisement is chance, not the order of a set. Whoever is later finds the advertiser taken."""

    def send_advertising_pdu(self, sender_controller, packet):
        loop = asyncio.get_running_loop()
        for controller in random.sample(list(self.controllers), len(self.controllers)):
            if controller != sender_controller:
                loop.call_soon(controller.on_ll_advertising_pdu, packet)


class H4Server(asyncio.Protocol):
    """The gate's end of the air. A new client is a controller that was plugged in afresh; only one is served."""

    def __init__(self, controller: GateController) -> None:
        self.controller = controller
        self.transport = None

    def connection_made(self, transport):
        if self.controller.host is not None:
            transport.close()
            return
        self.transport = transport
        self.parser = PacketParser(self.controller)
        self.controller.host = self

    def data_received(self, data):
        if self.transport is not None:
            self.parser.feed_data(data)

    def connection_lost(self, error):
        if self.transport is not None:
            self.transport = None
            self.controller.note_end()
            self.controller.host = None
            self.controller.go_silent(tell_host=False)

    def on_packet(self, packet: bytes) -> None:
        if self.transport is not None and not self.transport.is_closing():
            self.transport.write(packet)


class Air:
    """`async with Air(path) as air:` then start a gate on `unix:path` and take phones from `air.new_phone()`.

    `fragment` is the data length of both controllers: 251, or 27 as before Bluetooth 4.2.
    """

    def __init__(self, path: str, fragment: int = DATA_LENGTH) -> None:
        self.path, self.fragment = str(path), fragment
        self.phones: list[Device] = []

    async def __aenter__(self):
        logging.getLogger("bumble").setLevel(logging.CRITICAL)
        with contextlib.suppress(FileNotFoundError):
            os.unlink(self.path)
        self.link = ChanceLink()
        self.gate = GateController("gate", link=self.link)
        self.gate.fragment = self.fragment
        self.server = await asyncio.get_running_loop().create_unix_server(lambda: H4Server(self.gate), self.path)
        return self

    async def __aexit__(self, *_):
        self.server.close()
        self.gate.go_silent(tell_host=False)
        for phone in self.phones:
            with contextlib.suppress(Exception):
                await phone.power_off()
        with contextlib.suppress(FileNotFoundError):
            os.unlink(self.path)

    async def new_phone(self) -> Device:
        """A powered phone."""
        controller = PhoneController("phone", link=self.link)
        controller.le_acl_data_packet_length = self.fragment
        phone = Device(address=random_address(), host=Host(controller, AsyncPipeSink(controller)))
        phone.radio = controller
        await phone.power_on()
        self.phones.append(phone)
        return phone

    def break_link(self) -> None:
        """The phone walked away: both sides learn it from the supervision timer, neither from the other."""
        self.gate.lose_links()
