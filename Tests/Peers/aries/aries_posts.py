"""Wallets of DIDComm that post their answer on the gate's own network (aries.md section 6), honest or not."""
import asyncio
import contextlib
import select
import socket
import time
from pathlib import Path

from aries_faults import FAULTS, POSTED
from aries_messages import Answer, read_invitation
from aries_rig import PERMIT, AriesRig
from gate import PATIENCE
from listener_rig import answer, request
from ports import free_port

# Longer than any deadline of the listener's, on a machine that does a lot besides.
PATIENT = 180


class PostRig(AriesRig):
    """A gate whose code says where to post."""

    def __init__(self, folder: Path, *options: str, asks: dict = PERMIT) -> None:
        self.port = free_port()
        endpoint = f"http://127.0.0.1:{self.port}/didcomm"
        super().__init__(folder, "--http", f"127.0.0.1:{self.port}", *options, asks={**asks, "endpoint": endpoint})

    def open(self) -> "PostRig":
        super().open()
        limit = time.monotonic() + PATIENCE
        while True:
            with contextlib.suppress(OSError):
                socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE).close()
                return self
            assert time.monotonic() < limit, "nobody listens"
            self.run(asyncio.sleep(0.05))

    def answer_to(self, code: str, fault: str = "none") -> tuple[Answer, bytes]:
        """What a wallet makes of this code, and the body it posts."""
        made = Answer(self.run(self.holder_for(fault)), fault)
        return made, self.run(asyncio.to_thread(made.octets, read_invitation(code)))

    def posted(self, body: bytes, fault: str = "none") -> tuple[int, dict, bytes]:
        """What that is answered with: status, fields, body. Again while the gate rests from one that proved nothing."""
        limit = time.monotonic() + PATIENCE
        while (found := self.posted_once(body, fault))[0] == 410 and time.monotonic() < limit:
            self.run(asyncio.sleep(0.1))
        return found

    def posted_once(self, body: bytes, fault: str = "none") -> tuple[int, dict, bytes]:
        return self.run(asyncio.to_thread(deliver, self.port, body, fault))

    def accepts_post(self) -> dict:
        return self.meets_post("none")

    def meets_post(self, name: str) -> dict:
        """A body with this fault is answered, and recorded, as its table says; where nothing is recorded, whoever is asked stays so."""
        fault, mark, code = FAULTS[name], len(self.gate.verdicts()), self.code()
        wallet, body = self.answer_to(code, name)
        status, _, octets = self.posted(body, name)
        if (wanted := POSTED[name]) != 200:
            assert status == wanted and self.code() == code and len(self.gate.verdicts()) == mark, (name, status, self.gate.verdicts()[mark:])
            return {}
        record = self.run(self.gate.until(lambda: self.gate.verdicts()[mark:], what=f"the record of {name}"))[0]
        if fault.outcome == "accepted":
            self.used.add(code)
        else:
            # What proves nothing takes the question from nobody.
            assert self.code() == code, name
        context = (name, status, record)
        assert (record["outcome"], record.get("reasons", [None])[0]) == (fault.outcome, fault.reason), context
        assert (record["presentation"], record["bearer"], status) == ("aries", "http", wanted), context
        said = wallet.verdict(octets)
        assert (said["result"], said.get("code")) == (fault.hears[0], fault.code), (context, said)
        if name == "again":
            self.meets_again(body, mark)
        return record

    def meets_again(self, body: bytes, mark: int) -> None:
        """The same body for the next visitor, whose key does not open it; or while there is none yet."""
        self.code()
        assert self.posted_once(body)[0] in (400, 410) and len(self.gate.verdicts()) == mark + 1


def deliver(port: int, body: bytes, fault: str) -> tuple[int, dict, bytes]:
    octets = request(body=body)
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENT) as connection:
        if fault == "vanish":
            connection.sendall(octets[: len(octets) // 2])
            return 0, {}, b""
        if fault == "slow":
            for start in range(0, len(octets), 500):
                with contextlib.suppress(ConnectionResetError, BrokenPipeError):
                    connection.sendall(octets[start : start + 500])
                if select.select([connection], [], [], 1)[0]:
                    break
        elif fault != "silent":
            with contextlib.suppress(ConnectionResetError, BrokenPipeError):
                connection.sendall(octets[:-10] if fault == "no-end" else octets)
        return answer(connection)
