"""Bumble as the phone on the emulator's air: the wallet of Tests/Peers on a controller that BlueZ plays."""
from bumble.device import Device
from bumble.hci import LeFeatureMask
from bumble.host import Host
from bumble.transport import open_transport

from air import random_address
from emulator import SOCKET
from phone import Phone


class LegacyHost(Host):
    """Scans and connects by the legacy commands: the emulator never connects an extended initiator to a legacy advertiser."""

    def supports_le_features(self, feature) -> bool:
        return not feature & LeFeatureMask.LE_EXTENDED_ADVERTISING and super().supports_le_features(feature)


class NoAir:
    def break_link(self) -> None:
        raise NotImplementedError("the emulator has no way to lose a link")


async def new_device(host=Host) -> Device:
    """A powered controller of the emulator's."""
    transport = await open_transport(f"unix-client:{SOCKET}")
    device = Device(address=random_address(), host=host(transport.source, transport.sink))
    await device.power_on()
    return device


async def bumble_phone() -> Phone:
    return Phone(NoAir(), await new_device(LegacyHost))
