"""What is left of a code, of what it says of somebody, and of pictures: nothing, wherever one looks."""
import asyncio
import base64
import os
import random
import re
import signal
from pathlib import Path

import cbor2
import numpy
import pytest
from PIL import Image

import cards
import code_frames
from code_rig import TYPE, gate, photo, shots
from face_rig import BLUE, RED
from gate import is_reference
from mischief import MISCHIEF, Mischief
from phone import Plan

pytestmark = pytest.mark.skipif(is_reference(), reason="the reference gate has no camera")
WINDOW = 8


def windows(*secrets: bytes, known: bytes = b"") -> set[bytes]:
    """Every window of a secret, but for those with little in them and of what is known to everybody."""
    public = {known[place:place + WINDOW] for place in range(len(known) - WINDOW + 1)}
    every = {each[place:place + WINDOW] for each in secrets for place in range(len(each) - WINDOW + 1)}
    return {each for each in every - public if len(set(each)) > 3}


def found(hidden: set[bytes], octets: bytes) -> list[bytes]:
    return [octets[place:place + WINDOW] for place in range(len(octets) - WINDOW + 1) if octets[place:place + WINDOW] in hidden]


class Canary:
    """A person nobody else is called, and everything of them that a gate must not keep."""

    def __init__(self, made, picture: bytes | None = None) -> None:
        self.person = {label: "".join(random.choices("QXZJVKWYqxzjvkwy", k=24)) for label in (1, 4, 5, 7, 10, 11, 12)}
        self.person[8] = "19370229"
        self.picture = picture
        self.text = made.issuer.card(picture, person=self.person)
        self.known = (made.issuer.name + made.issuer.kid).encode()

    def hidden(self, *more: str) -> set[bytes]:
        texts = [value for value in self.person.values() if isinstance(value, str)] + [self.text, *more]
        token = cards.unwrapped(self.text)
        payload = cbor2.loads(token).value.value[2]
        secrets = [text.encode() for text in texts] + [payload]
        for octets in (payload, self.picture or b""):
            secrets += [octets, octets.hex().encode(), base64.b64encode(octets), base64.urlsafe_b64encode(octets)]
        return windows(*secrets, known=self.known + b"https://0123456789abcdef")


def everything(made, *more: Path) -> bytes:
    """All that the gate said, showed and wrote."""
    said = "\n".join([*made.gate.errors, *made.gate.screen.lines, *made.gate.screen.announced]).encode()
    files = [path for folder in (made.folder / "data", *more) for path in ([folder] if folder.is_file() else folder.rglob("*")) if path.is_file()]
    return said + b"".join(path.read_bytes() for path in files)


def test_nothing_of_a_code_is_said_or_written(tmp_path):
    trace, code_of_stranger = tmp_path / "gate.btsnoop", "https://example.org/" + "".join(random.choices("QXZJVKWY", k=40))
    with gate(tmp_path, "--codes-without-face", TYPE, "--trace", str(trace)) as made:
        good, bad = Canary(made), Canary(made)
        made.accepts(good.text)
        forged = cards.tampered(bad.text)
        made.refuses(forged, "signature-invalid")
        made.shows(made.draws(shots, code_of_stranger))
        made.waits(3)
        made.shows(made.draws(shots, bad.text[:-1] + "A"))
        made.waits(1)
        made.leaves()
        made.still_serves()
        assert made.run(made.gate.stop()) == 0, made.gate.errors
        hidden = good.hidden() | bad.hidden(forged, code_of_stranger[20:])
        assert len(hidden) > 1000 and found(hidden, good.text.encode())
        assert found(hidden, everything(made, trace)) == []


def test_nothing_of_a_photo_is_said_or_written(tmp_path):
    with gate(tmp_path, policy="required") as made:
        canary = Canary(made, made.draws(photo))
        assert made.looked_at(canary.text, RED)["outcome"] == "accepted"
        assert made.looked_at(Canary(made, canary.picture).text, BLUE)["outcome"] == "rejected"
        assert made.run(made.gate.stop()) == 0, made.gate.errors
        assert found(canary.hidden(), everything(made)) == []


def test_no_core_is_left_of_a_worker(tmp_path):
    with gate(tmp_path, "--codes-without-face", TYPE) as made:
        canary = Canary(made)
        made.accepts(canary.text)
        worker = made.worker()
        for process in (worker, made.gate.process.pid):
            limits = Path(f"/proc/{process}/limits").read_text()
            assert re.search(r"^Max core file size\s+0\s+0\s", limits, re.M), limits
        os.kill(worker, signal.SIGSEGV)
        made.accepts()
        here = [path for folder in (tmp_path, Path.cwd()) for path in folder.glob("core*") if path.is_file()]
        assert here == []


# MARK: what the worker keeps


def memory(process: int) -> bytes:
    """All that a process could write to. Only root may look, and only where the kernel lets it."""
    held = b""
    try:
        with open(f"/proc/{process}/maps") as maps, open(f"/proc/{process}/mem", "rb", buffering=0) as octets:
            for line in maps:
                start, end = (int(part, 16) for part in line.split()[0].split("-"))
                if line.split()[1].startswith("rw") and "[v" not in line:
                    octets.seek(start)
                    held += octets.read(end - start) or b""
    except PermissionError:
        pytest.skip("this process may not look into another's memory")
    return held


def noise(number: int) -> bytes:
    """A picture without a code, unlike any other."""
    pixels = numpy.random.default_rng(number).integers(60, 190, (60, 80), dtype=numpy.uint8)
    return code_frames.jpeg(Image.fromarray(pixels).resize((640, 480), Image.Resampling.BICUBIC), 92)


def kept(picture: bytes, held: bytes) -> list[int]:
    """Where 16 octets of a picture's entropy-coded part are in a memory, of any 23 that are: fewer may be there by chance."""
    body = picture[len(picture) // 4:]
    windows = numpy.lib.stride_tricks.sliding_window_view(numpy.frombuffer(body, numpy.uint8), 8).copy().view(numpy.uint64)[:, 0]
    places = numpy.nonzero(numpy.isin(numpy.frombuffer(held[:len(held) // 8 * 8], numpy.uint64), windows))[0] * 8
    return [place for place in places.tolist() if held[place:place + 16] in body]


def test_a_worker_keeps_nothing_of_pictures_it_has_looked_at(tmp_path):
    """The octets of a picture, and the text of a code, are gone when others have come."""
    with gate(tmp_path, "--codes-without-face", TYPE) as made:
        old = made.draws(lambda: [noise(number) for number in range(8)])
        made.shows(old)
        made.waits(1)
        canary = Canary(made)
        made.accepts(canary.text)
        # Others, until every picture before them has been written over.
        made.shows(made.draws(lambda: [noise(number) for number in range(100, 108)]))
        made.waits(1)
        made.accepts()
        texts = (canary.text[20:60].encode(), canary.person[4].encode())

        def left_over(held: bytes) -> list:
            return [number for number, picture in enumerate(old) if kept(picture, held)] + [each for each in texts if each in held]
        # However long it takes it to look at so many.
        for _ in range(20):
            made.waits(1.5)
            held = memory(made.worker())
            if not left_over(held):
                break
        assert len(held) > 100_000 and kept(old[0], held[:80_005] + old[0] + held) != []
        assert left_over(held) == []


def turns(process: int) -> int:
    """How often a process was given a processor."""
    return int(Path(f"/proc/{process}/schedstat").read_text().split()[2])


def test_nobody_looks_while_a_visit_is_under_way(tmp_path):
    """Of a phone's visit no picture is read: what is before the camera then is nobody's business."""
    with gate(tmp_path, "--codes-without-face", TYPE) as made:
        made.accepts()
        worker, counted = made.worker(), []

        async def stays(link):
            # A picture that was on its way is looked at, and the worker told to forget, however long it takes it; then it sleeps. One that
            # looked would be given a processor ten times in each of these seconds.
            while len(counted) < 2 or len(counted) < 6 and counted[-1] != counted[-2]:
                await asyncio.sleep(1)
                counted.append(turns(worker))

        MISCHIEF["accident"] = Mischief("either", at="identified", does=stays)
        assert made.rig.visit(Plan("ios", mischief="accident"), made.rig.good(2000)).accepted
        assert counted[-1] == counted[-2], counted
        made.run(made.gate.until(lambda: turns(worker) > counted[-1], what="the worker to look again"))
