"""Wallets that bring their answer by the gate's own network: a proof of AnonCreds, and a Trusted Key answer in each of its three forms. What a
stranger posts changes nothing for whoever the code on the screen is for."""
import asyncio
import contextlib
import json
import socket
import time
from urllib.parse import parse_qsl, urlsplit

import pytest

from aries_posts import PostRig
from aries_rig import GROWN_UP
from gate import PATIENCE, is_reference
from key_rig import KeyRig
from key_wallet import STRANGER, KeyWallet, parsed
from ports import free_port
from test_network_visits import ask

pytestmark = pytest.mark.skipif(is_reference(), reason="the reference gate has no network")


@contextlib.contextmanager
def opened(rig):
    rig.open()
    try:
        yield rig
    finally:
        rig.close()


def listening(rig, port: int) -> None:
    limit = time.monotonic() + PATIENCE
    while True:
        with contextlib.suppress(OSError):
            return socket.create_connection(("127.0.0.1", port), timeout=PATIENCE).close()
        assert time.monotonic() < limit
        rig.run(asyncio.sleep(0.05))


@pytest.fixture(scope="module")
def proofs(tmp_path_factory):
    with opened(PostRig(tmp_path_factory.mktemp("posted"), asks=GROWN_UP)) as made:
        yield made


def envelope(made, fault: str = "none") -> bytes:
    return made.answer_to(made.code(), fault)[1]


def test_a_proof_that_is_posted(proofs):
    mark, code = len(proofs.gate.verdicts()), proofs.code()
    status, _, _ = proofs.posted(envelope(proofs))
    record = proofs.run(proofs.gate.until(lambda: proofs.gate.verdicts()[mark:], what="the record"))[0]
    proofs.used.add(code)
    assert status in (200, 202) and record["outcome"] == "accepted", (status, record)
    assert record["presentation"] == "aries" and record["bearer"] == "http" and record["proven"], record


def test_a_proof_that_is_posted_twice_is_a_visit_once(proofs):
    mark, code, body = len(proofs.gate.verdicts()), proofs.code(), envelope(proofs)
    assert proofs.posted(body)[0] in (200, 202)
    proofs.run(proofs.gate.until(lambda: proofs.gate.verdicts()[mark:], what="the record"))
    proofs.used.add(code)
    proofs.code()
    # It does not open for the next visitor's key, and changes nothing for them.
    assert proofs.posted(body)[0] == 400
    assert len(proofs.gate.verdicts()) == mark + 1
    test_a_proof_that_is_posted(proofs)


def test_what_strangers_post_changes_nothing(proofs):
    mark, code = len(proofs.gate.verdicts()), proofs.code()
    for fault in ("tag", "recipient", "garbage", "plain"):
        assert proofs.posted(envelope(proofs, fault))[0] == 400, fault
    assert len(proofs.gate.verdicts()) == mark and proofs.code() == code
    test_a_proof_that_is_posted(proofs)


def test_a_proof_for_another_visit_is_refused_by_name_and_changes_nothing(proofs):
    def verdict_lights() -> list:
        return [light for _, light in proofs.gate.lights if light in ("accept", "reject")]

    mark, code, lights = len(proofs.gate.verdicts()), proofs.code(), verdict_lights()
    assert proofs.posted(envelope(proofs, "other-nonce"))[0] in (200, 202)
    record = proofs.run(proofs.gate.until(lambda: proofs.gate.verdicts()[mark:], what="the record"))[0]
    assert (record["outcome"], record["reasons"], record["bearer"]) == ("rejected", ["proof-invalid"], "http"), record
    assert proofs.code() == code and verdict_lights() == lights
    test_a_proof_that_is_posted(proofs)


def test_a_holder_who_does_not_want_to_is_answered_at_once(proofs):
    mark, code = len(proofs.gate.verdicts()), proofs.code()
    assert proofs.posted(envelope(proofs, "decline"))[0] == 202
    assert len(proofs.gate.verdicts()) == mark and proofs.code() == code
    test_a_proof_that_is_posted(proofs)


# MARK: Trusted Key


@pytest.fixture(scope="module")
def keys(tmp_path_factory):
    folder, port = tmp_path_factory.mktemp("keys"), free_port()
    made = KeyRig(folder, "--http", f"127.0.0.1:{port}")
    (folder / "trusted-key.json").write_text(
        json.dumps({"gatehouse-trusted-key": 1, "callback": f"http://127.0.0.1:{port}/tk/answer?lane=5"}))
    with opened(made):
        made.port = port
        listening(made.rig, port)
        yield made


def brought(made, wallet: KeyWallet, how: str, code: str) -> tuple[int, dict]:
    """The same answer in one of three forms."""
    address = urlsplit(wallet.answer(code))
    members = [pair for pair in parse_qsl(address.query) if pair[0] != "lane"]
    target = f"{address.path}?lane=5"
    if how == "query":
        octets = f"GET {address.path}?{address.query} HTTP/1.1\r\nHost: gate\r\nConnection: close\r\n\r\n".encode()
    else:
        form = address.query.removeprefix("lane=5&").encode()
        body, kind = (form, "application/x-www-form-urlencoded") if how == "form" else (json.dumps(dict(members)).encode(), "application/json")
        octets = (f"POST {target} HTTP/1.1\r\nHost: gate\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n\r\n").encode() + body
    status, _, said = ask(made.rig, made.port, octets)
    return status, json.loads(said) if said else {}


@pytest.mark.parametrize("how", ("query", "form", "json"))
def test_an_answer_that_is_brought(keys, how):
    mark, code, wallet = keys.mark(), keys.code(), keys.wallet()
    assert brought(keys, wallet, how, code) == (200, {"result": "accepted"})
    record = keys.record(mark)
    keys.used.add(code)
    assert (record["outcome"], record["presentation"], record["binding"]) == ("accepted", "trustedkey", "wallet-key"), record
    # Its nonce is used up.
    assert brought(keys, wallet, how, code)[0] == 410
    assert len(keys.gate.verdicts()) == mark + 1


@pytest.mark.parametrize("how", ("query", "form", "json"))
def test_an_answer_of_a_stranger_turns_no_light(keys, how):
    mark, code, stranger = keys.mark(), keys.code(), keys.wallet()
    stranger.claims, stranger.chain = [STRANGER.claim(stranger.key, {"2.5.4.3": "Mallory", "1.3.6.1.4.1.51341.21": "true"})], [STRANGER.issuer]
    assert brought(keys, stranger, how, code) == (200, {"result": "rejected"})
    assert len(keys.gate.verdicts()) == mark and keys.code() == code
    test_an_answer_that_is_brought(keys, how)


def test_an_answer_for_another_lane(keys):
    code = keys.code()
    other = urlsplit(keys.wallet().answer(code, parsed(code)["callbackUrl"].replace("lane=5", "lane=4")))
    octets = f"GET {other.path}?{other.query} HTTP/1.1\r\nHost: gate\r\n\r\n".encode()
    status, _, said = ask(keys.rig, keys.port, octets)
    assert (status, json.loads(said)) == (200, {"result": "rejected"}) and keys.code() == code
    test_an_answer_that_is_brought(keys, "query")
