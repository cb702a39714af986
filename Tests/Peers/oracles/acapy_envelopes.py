"""ACA-Py's own envelopes, DIDComm v1 by Askar, one JSON text a line in and one out: run by the Python of Tests/Scripts/acapy.sh, not by the tests'.

{"open": text of an envelope, "seed": hexadecimal} has {"message": hexadecimal, "sender": kid or null} or {"fault": text}; {"pack": hexadecimal,
"to": [kid], "seed": hexadecimal or null} has {"envelope": text}; {"kid": hexadecimal of a seed} has {"kid": text}.
"""
import asyncio
import json
import sys
from types import SimpleNamespace

from acapy_agent.askar.didcomm.v1 import pack_message, unpack_message
from acapy_agent.wallet.util import bytes_to_b58
from aries_askar import Key, KeyAlg


def key(seed: str) -> Key:
    return Key.from_secret_bytes(KeyAlg.ED25519, bytes.fromhex(seed))


def kid(pair: Key) -> str:
    return bytes_to_b58(pair.get_public_bytes())


class OneKey:
    """A wallet of one key, as the agent's session gives it out."""

    def __init__(self, pair: Key):
        self.pair = pair

    async def fetch_key(self, name: str):
        return SimpleNamespace(key=self.pair) if name == kid(self.pair) else None


def answer(request: dict) -> dict:
    if "kid" in request:
        return {"kid": kid(key(request["kid"]))}
    if "pack" in request:
        sender = key(request["seed"]) if request.get("seed") else None
        return {"envelope": pack_message(request["to"], sender, bytes.fromhex(request["pack"])).decode()}
    try:
        message, _, sender = asyncio.run(unpack_message(OneKey(key(request["seed"])), request["open"].encode()))
        return {"message": message.hex(), "sender": sender}
    except Exception as error:  # Every one of its own, of Askar's, of marshmallow's: refused is refused.
        return {"fault": f"{type(error).__name__}: {error}"[:200]}


for line in sys.stdin:
    print(json.dumps(answer(json.loads(line))), flush=True)
