"""An air whose gate's end is a controller of the kernel's: hciN, by /dev/vhci. The phones are Bumble's, in this process, as everywhere."""
import asyncio
import contextlib
import logging
import os
from pathlib import Path

from bumble.link import LocalLink
from bumble.transport.common import PacketParser

from air import Air, GateController
from vhci import plug_in

PUBLIC_ADDRESS = "00:1B:DC:00:00:01"  # without one the kernel's own host would not take the controller


class VirtualController:
    """One open /dev/vhci: a controller that is plugged in until `unplug`."""

    def __init__(self, controller) -> None:
        self.controller = controller
        self.parser = PacketParser(controller)
        controller.host = self
        self.descriptor, self.index = plug_in()
        self.loop = asyncio.get_running_loop()
        self.loop.add_reader(self.descriptor, self.readable)

    def readable(self) -> None:
        with contextlib.suppress(BlockingIOError):
            while packet := os.read(self.descriptor, 4096):
                self.parser.feed_data(packet)

    def on_packet(self, packet: bytes) -> None:
        if self.descriptor >= 0:
            with contextlib.suppress(OSError):
                os.write(self.descriptor, packet)

    def unplug(self) -> None:
        if self.descriptor < 0:
            return
        self.loop.remove_reader(self.descriptor)
        os.close(self.descriptor)
        self.descriptor = -1
        self.controller.host = None
        self.controller.go_silent(tell_host=False)


class KernelAir(Air):
    """`controller` makes the gate's controller; `plug` and `unplug` it, or another one, as often as you like."""

    def __init__(self, fragment: int = 251, controller=GateController, is_plugged: bool = True) -> None:
        super().__init__("hci:0", fragment)
        self.make, self.is_plugged = controller, is_plugged
        self.plugged: VirtualController | None = None
        self.index = 0

    async def __aenter__(self):
        logging.getLogger("bumble").setLevel(logging.CRITICAL)
        self.link = LocalLink()
        if self.is_plugged:
            await self.plug()
        return self

    async def __aexit__(self, *_):
        self.unplug()
        for phone in self.phones:
            with contextlib.suppress(Exception):
                await phone.power_off()

    async def plug(self, controller=None) -> None:
        self.gate = (controller or self.make)("gate", link=self.link, public_address=PUBLIC_ADDRESS)
        self.gate.fragment = self.fragment
        self.plugged = VirtualController(self.gate)
        self.index = self.plugged.index
        self.path = f"hci:{self.index}"
        while not (Path("/sys/class/bluetooth") / f"hci{self.index}").exists():
            await asyncio.sleep(0.02)

    def unplug(self) -> None:
        if self.plugged is not None:
            self.plugged.unplug()
            self.plugged = None
            with contextlib.suppress(KeyError, ValueError):
                self.link.controllers.remove(self.gate)
