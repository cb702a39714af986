"""What is left of a phone's visit: nothing of its code, its keys, its session or its documents, wherever one looks."""
import base64
import random
import uuid

import holder as wallet
import pytest
from cryptography.hazmat.primitives import serialization
from gate import is_reference
from mdoc_phone import MdocPlan
from mdoc_rig import gate
from test_code_privacy import everything, found, windows

pytestmark = pytest.mark.skipif(is_reference(), reason="the reference gate has no camera")


def word() -> str:
    return "".join(random.choices("QXZJVKWYqxzjvkwy", k=24))


class Canary:
    """A person nobody else is called, in a phone nobody else has."""

    def __init__(self, made, **more) -> None:
        claims = {"family_name": word(), "given_name": word(), "issuing_country": word(), "document_number": word(), "birth_date": wallet.fulldate("1937-02-28"),
                  "portrait": wallet.tiny_jpeg(128, 160, lambda x, y: (x * 29 ^ y * 83) & 255), "age_over_18": True}
        self.claims = claims
        self.holder = made.holder(namespaces={wallet.NS: claims}, **more)

    def hidden(self) -> set[bytes]:
        phone = self.holder
        private = phone.ekey.private_numbers().private_value.to_bytes(32, "big")
        public = phone.ekey.public_key().public_bytes(serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint)
        octets = [phone.engagement(), phone.uuid, phone.uuid[::-1], phone.ident(), private, public, phone.sk_r, phone.sk_d, phone.transcript,
                  phone.establishment, *(item.value for item in phone.creds[0]["items"][wallet.NS]), self.claims["portrait"]]
        texts = [phone.qr()[5:], str(uuid.UUID(bytes=phone.uuid)), *(each for each in self.claims.values() if isinstance(each, str))]
        secrets = [text.encode() for text in texts]
        for each in octets:
            secrets += [each, each.hex().encode(), base64.b64encode(each), base64.urlsafe_b64encode(each)]
        # What every phone's messages have.
        known = b"-A123-48CE-896B-4C76973373E6 org.iso.18013.5.1.mDL eReaderKeydata elementIdentifier elementValue digestID issuing_country family_name" \
                b" given_name document_number birth_date portrait age_over_18"
        return windows(*secrets, known=known)


def test_nothing_of_a_phone_is_said_or_written(tmp_path):
    trace = tmp_path / "gate.btsnoop"
    with gate(tmp_path, "--codes-without-face", "*", "--trace", str(trace)) as made:
        good, bad, left = Canary(made), Canary(made, faults=("device_sig",)), Canary(made)
        # The gate looks for these two, and asks them for their service.
        server, channel = Canary(made), Canary(made)
        for canary, plan, outcome in ((good, MdocPlan(), "accepted"), (bad, MdocPlan(profile="ios"), "rejected"),
                                      (left, MdocPlan(mischief="drop_in_answer"), "left"), (server, MdocPlan("peripheral"), "accepted"),
                                      (channel, MdocPlan("peripheral", "engagement"), "accepted")):
            mark = made.mark()
            _, record = made.run(made.shown(canary.holder, plan, mark))
            assert record["outcome"] == outcome, record
            made.waits(4)
        made.still_serves()
        assert made.run(made.gate.stop()) == 0, made.gate.errors
        hidden = set().union(*(canary.hidden() for canary in (good, bad, left, server, channel)))
        assert len(hidden) > 1000 and found(hidden, good.holder.qr().encode())
        assert trace.stat().st_size > 10_000
        assert found(hidden, everything(made, trace)) == []
