"""The soak of Tests/Peers over the kernel's user channel: one gate, and a controller that is truly unplugged and plugged in again."""
import asyncio
import sys

import conftest  # noqa: F401: the socket family that this Python may lack
import soak
from kernel_air import KernelAir

ABSENT = 0.2  # seconds


class Replugged:
    """The soak closes a transport to take the controller away; it comes back by itself."""

    def __init__(self, air: "SoakAir") -> None:
        self.air = air

    def close(self) -> None:
        self.air.unplug()
        asyncio.get_running_loop().call_later(ABSENT, lambda: asyncio.ensure_future(self.air.plug()))


class SoakAir(KernelAir):
    def __init__(self, path) -> None:
        super().__init__()

    async def plug(self, controller=None) -> None:
        await super().plug(controller)
        self.plugged.transport = Replugged(self)


soak.Soak.make_air = SoakAir
sys.exit(soak.main())
