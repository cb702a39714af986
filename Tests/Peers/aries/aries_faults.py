"""What a wallet of DIDComm can do wrong, and what the gate records of each (aries.md section 5)."""
from dataclasses import dataclass

import pytest


@dataclass(frozen=True)
class Fault:
    does: str
    outcome: str = "rejected"
    reason: str | None = None     # of a verdict
    error: str | None = None      # of a visit without one
    hears: tuple[str, ...] = ("refused",)   # what the wallet is told
    code: str | None = None       # in its problem report


ACCEPTED, REJECTED = {"outcome": "accepted", "hears": ("accepted",)}, {"code": "rejected"}
MALFORMED = {"code": "malformed"}
# Nobody waits for the answer of whoever is gone, or is not sent one.
GONE = {"hears": ("disconnected", "failed", "silent", "refused")}

FAULTS = {
    "none": Fault("an honest wallet", **ACCEPTED),
    "anoncrypt": Fault("an envelope without a sender: allowed", **ACCEPTED),
    "end-twice": Fault("two end markers after the message: allowed", **ACCEPTED),
    "again": Fault("sends the same message a second time after the answer: nobody listens", **ACCEPTED),
    "decline": Fault("answers with a problem report: the holder does not want to", "left", error="declined", hears=("declined",)),
    "other-nonce": Fault("the presentation was made for another nonce", reason="revocation-proof-invalid", **REJECTED),
    "replay": Fault("sends again what it sent in the visit before", reason="revocation-proof-invalid", **REJECTED),
    "other-issuer": Fault("credentials of an issuer that nobody knows, under the ids of a known one", reason="revocation-proof-invalid",
                          **REJECTED),
    "raw": Fault("the raw text of a revealed attribute is changed", reason="value-mismatch", **REJECTED),
    # With one credential asked for, the pasted proof shows nothing that was: the table's `value-mismatch` is of a request for two.
    "other-holder": Fault("the proof is of another holder's credential", reason="answer-mismatch", **REJECTED),
    "threshold": Fault("a predicate is proven with another threshold than the one asked for", reason="predicate-mismatch", **REJECTED),
    "no-predicate": Fault("the predicate's proof is left out", reason="predicate-mismatch", **REJECTED),
    "revoked": Fault("shows a credential that was revoked, with the proof of before", reason="revocation-interval", **REJECTED),
    "no-revocation": Fault("says nothing about revocation", reason="revocation-proof-missing", **REJECTED),
    "thread": Fault("the message belongs to another thread", reason="thread-unknown", **MALFORMED),
    "type": Fault("the message is of a protocol the gate does not know", reason="message-type-unsupported", **MALFORMED),
    "no-attachment": Fault("the presentation message has no attachment", reason="attachment-malformed", **MALFORMED),
    "base64": Fault("the attachment is not base64", reason="attachment-malformed", **MALFORMED),
    "plain": Fault("the presentation message is not in an envelope", reason="envelope-missing", **MALFORMED),
    "recipient": Fault("the envelope is for another key", reason="envelope-not-for-us", **MALFORMED),
    "tag": Fault("one octet of the envelope's tag is changed", reason="envelope-invalid", **MALFORMED),
    "protected": Fault("the protected header says another algorithm", reason="envelope-invalid", **MALFORMED),
    "garbage": Fault("octets that are no JSON", reason="message-malformed", **MALFORMED),
    "empty": Fault("a message of no octets", "failed", error="message-malformed", **MALFORMED),
    "large": Fault("a message of 3 MiB", "failed", error="message-too-large", **GONE),
    "no-end": Fault("the end marker never comes", "timed-out", error="timed-out", code="expired"),
    "slow": Fault("one write of 300 octets a second", "timed-out", error="timed-out", **GONE),
    "deaf": Fault("writes and never subscribes", "", **GONE),
    "silent": Fault("subscribes and never writes", "timed-out", error="timed-out", code="expired"),
    "vanish": Fault("disconnects in the middle of the message", "left", error="vanished", hears=("disconnected", "failed")),
}
# Those that wait for one of the gate's deadlines, in seconds.
WAITS = {"no-end": 5, "slow": 90, "silent": 300}

# The same in one request on the gate's own network: the status it is answered with. 200 is a visit, with the verdict of the table above;
# what is answered otherwise changes nothing for whoever the code on the screen is for, and is in no record (aries.md section 6). 0: nobody
# waits for an answer.
POSTED = {
    **dict.fromkeys(("none", "anoncrypt", "again", "replay", "other-nonce", "other-issuer", "raw", "other-holder", "threshold", "no-predicate",
                     "revoked", "no-revocation"), 200),
    "decline": 202, **dict.fromkeys(("thread", "type", "no-attachment", "base64", "plain", "recipient", "tag", "protected", "garbage",
                                       "empty"), 400),
    "large": 413, "vanish": 0, **dict.fromkeys(("no-end", "slow", "silent"), 408),
}
# Faults of a link: a request has neither end markers nor indications.
OF_A_LINK = {"end-twice", "deaf"}
POST_WAITS = {"silent": 10, "no-end": 60, "slow": 60}


def each(faults, waits: dict[str, int]) -> list:
    """All of them as parameters of a test. What waits for more than half a minute is left to `make soak`."""
    def marks(seconds: int) -> list:
        return [pytest.mark.soak] if seconds > 30 else [pytest.mark.slow] if seconds else []

    return [pytest.param(name, marks=marks(waits.get(name, 0))) for name in faults if name != "none"]
