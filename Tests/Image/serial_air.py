"""A controller outside the emulated board, at the far end of its serial line: Bumble's, as the gate's other tests have it. Nothing in the board has to
play one, so the image is alone in there, as it is delivered."""
import asyncio
import threading
import time
from pathlib import Path

from air import Air
from emulated_board import BoardError


class SerialAir:
    """Served by a thread of its own from the moment it is made until `close`."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "controller"
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self.loop.run_forever, daemon=True)
        self.thread.start()
        self.air = self.run(Air(self.path).__aenter__())

    def run(self, coroutine, patience: float = 60):
        return asyncio.run_coroutine_threadsafe(coroutine, self.loop).result(patience)

    @property
    def arguments(self) -> list[str]:
        """QEMU's: the serial line that the board's profile names."""
        return ["-chardev", f"socket,id=controller,path={self.path}", "-device", "pci-serial,chardev=controller"]

    def await_advertising(self, patience: float = 300) -> float:
        """When the gate could first be found, by time.monotonic."""
        return self.run(self.advertising(patience), patience + 10)

    async def advertising(self, patience: float) -> float:
        gate, end = self.air.gate, time.monotonic() + patience
        while not (gate.le_legacy_advertiser.enabled or any(found.enabled for found in gate.advertising_sets.values())):
            if time.monotonic() > end:
                raise BoardError(f"the gate did not advertise in {patience:.0f} s")
            await asyncio.sleep(0.01)
        return time.monotonic()

    def close(self) -> None:
        self.run(self.air.__aexit__())
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join()
        self.loop.close()

    def __enter__(self) -> "SerialAir":
        return self

    def __exit__(self, *_) -> None:
        self.close()
