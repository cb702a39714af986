"""Codes without end, workers that end, and the cameras they come from."""
import contextlib
import os
import random
import signal
import threading

import pytest

import cards
import faces
from code_rig import TYPE, CodeRig, gate, photo, printed, shots
from face_rig import RED, standing
from gate import is_reference
from phone import Plan

pytestmark = pytest.mark.skipif(is_reference(), reason="the reference gate has no camera")


# MARK: strangers


def test_a_flood_of_codes_keeps_no_phone_out(tmp_path):
    """Whoever shows one forged card after another is looked at ever more seldom; who comes by radio is served all the same."""
    with gate(tmp_path, "--codes-without-face", TYPE) as made:
        good = cards.CardIssuer(made.issuer.algorithm, made.issuer.name)
        film = made.draws(lambda: [shots(good.card(person={1: str(number)}))[0] for number in range(40)])
        mark = made.mark()
        made.shows(film)
        first = made.record(mark)
        assert first["outcome"] == "rejected" and first["presentation"] == "code"
        # One that has only connected yields to a code, and whoever holds the phone tries again: the time between two forgeries grows.
        tries = [made.rig.visit(Plan("ios"))]
        while not tries[-1].accepted and len(tries) < 8:
            tries.append(made.rig.visit(Plan("ios")))
        assert tries[-1].accepted, (tries, made.gate.errors[-5:])
        flood = [record for record in made.gate.verdicts()[mark:] if record.get("presentation") == "code"]
        assert len(flood) < 40 and {record["outcome"] for record in flood} == {"rejected"}
        made.leaves()
        # What was on its way to the worker is judged first.
        made.waits(1.5)
        made.still_serves()


def test_codes_in_a_row_take_no_memory(tmp_path):
    """A hundred, or CODES of them: none is missed, none is judged twice, and the gate does not grow. `make soak` has a thousand."""
    count = int(os.environ.get("CODES", "100"))
    with gate(tmp_path, "--codes-without-face", TYPE) as made:
        mark, resident = made.mark(), []
        for number in range(count):
            faces.play(made.frames, [printed(made.card())])
            made.run(made.gate.until(lambda: sum("accepted by code" in line for line in made.gate.errors) > number, what="the verdict"))
            if number % 20 == 0:
                resident.append(made.gate.resident())
        records = made.gate.verdicts()[mark:]
        assert len(records) == count and {record["outcome"] for record in records} == {"accepted"}
        assert {record["presentation"] for record in records} == {"code"}
        # What is used for the first time is got once.
        assert resident[-1] - resident[min(2, len(resident) - 1)] < 1024, resident
        made.leaves()
        made.rig.still_serves()


# MARK: the worker


@pytest.mark.parametrize("number", (signal.SIGKILL, signal.SIGSTOP))
def test_a_worker_that_dies_or_hangs(open_gate, number):
    """Killed in the middle, or late: another one reads the next code."""
    open_gate.accepts()
    worker = open_gate.worker()
    os.kill(worker, number)
    try:
        open_gate.accepts()
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.kill(worker, signal.SIGKILL)
    assert open_gate.workers() != [worker]
    open_gate.still_serves()


def test_a_worker_that_dies_in_a_picture(open_gate):
    """While frames come without end: whenever it is killed, the gate goes on."""
    film = open_gate.draws(shots, open_gate.card())
    mark = open_gate.mark()
    for _ in range(3):
        for worker in open_gate.workers():
            os.kill(worker, signal.SIGKILL)
        open_gate.waits(random.uniform(0, 0.3))
    open_gate.shows(film)
    assert open_gate.record(mark)["outcome"] == "accepted"
    open_gate.leaves()
    open_gate.still_serves()


def test_the_worker_of_codes_and_that_of_faces(strict_gate):
    """Each has a process of its own, and the death of one is not the other's."""
    # The gate itself ends a reader that does not answer for two seconds, which may happen once, and not each time.
    for _ in range(5):
        text, reason = strict_gate.bad("expired", photo())
        strict_gate.mark()
        reader, matcher = strict_gate.worker("code"), strict_gate.worker("matcher")
        os.kill(matcher, signal.SIGKILL)
        strict_gate.refuses(text, reason)
        strict_gate.run(strict_gate.gate.until(lambda: strict_gate.workers("matcher") not in ([], [matcher]), what="another matcher"))
        if strict_gate.workers("code") == [reader]:
            break
    assert strict_gate.workers("code") == [reader]
    assert strict_gate.looked_at(strict_gate.card(photo()), RED)["outcome"] == "accepted"


def test_pictures_that_are_none(open_gate):
    whole = open_gate.draws(shots, open_gate.card())[0]
    mark = open_gate.mark()
    open_gate.shows([whole[:200], whole[:len(whole) // 2], b"", bytes(5000), whole[:1000] + bytes(1000) + whole[2000:], b"\xff\xd8\xff\xd9"])
    open_gate.waits(1)
    open_gate.accepts()
    assert len(open_gate.gate.verdicts()) == mark + 1


# MARK: other cameras


def test_a_film(tmp_path):
    made = CodeRig(tmp_path, "--codes-without-face", TYPE, camera="file")
    text = made.card()
    (tmp_path / "film.mjpeg").write_bytes(b"".join(standing()) + b"".join(shots(text)))
    made.open()
    try:
        record = made.record(0)
        assert (record["presentation"], record["outcome"]) == ("code", "accepted")
    finally:
        made.close()


def test_pictures_on_standard_input(tmp_path):
    made = CodeRig(tmp_path, "--codes-without-face", TYPE, camera="stdin")
    pictures, is_over = shots(made.card()), threading.Event()
    reading, writing = os.pipe()
    made.rig.input = reading

    def film() -> None:
        with contextlib.suppress(OSError):
            while not is_over.is_set():
                for picture in pictures:
                    os.write(writing, picture)
                    is_over.wait(0.1)

    threading.Thread(target=film, daemon=True).start()
    made.open()
    try:
        record = made.record(0)
        assert (record["presentation"], record["outcome"]) == ("code", "accepted")
    finally:
        is_over.set()
        made.close()
