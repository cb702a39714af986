"""What a wallet reads of an invitation and says to it: present-proof messages as Credo and Bifold write them, honest or not."""
import json
import uuid
from urllib.parse import parse_qs, urlsplit

from aries_envelopes import Key, b64, b64url, compact, pack, public_of, unb64, unpack
from aries_holder import AriesHolder

DIDCOMM, DID_SOV = "https://didcomm.org/", "did:sov:BzCbsNYhMrjHiqZDTUASHg;spec/"
FORMATS = ("anoncreds/proof-request@v1.0", "hlindy/proof-req@v2.0")


def read_invitation(text: str) -> dict:
    query = parse_qs(urlsplit(text.strip()).query)
    return json.loads(unb64((query.get("oob") or query.get("_oob") or query.get("c_i"))[0]))


def service_of(invitation: dict) -> dict:
    return next(service for service in invitation["services"] if isinstance(service, dict))


def asked_in(request: dict) -> tuple[dict, str]:
    """The proof request in a message, and its format."""
    forms = {entry["attach_id"]: entry["format"] for entry in request.get("formats", [])}
    for attachment in request["request_presentations~attach"]:
        form = forms.get(attachment["@id"], FORMATS[1])
        if form in FORMATS:
            data = attachment["data"]
            return data.get("json") or json.loads(unb64(data["base64"])), form
    raise LookupError("no AnonCreds request")


class Answer:
    """A wallet's part of one visit: the message that answers an invitation, and what the gate says to that."""

    def __init__(self, holder: AriesHolder, fault: str = "none", did_sov: bool = False) -> None:
        self.holder, self.fault, self.key = holder, fault, Key()
        self.prefix = DID_SOV if did_sov else DIDCOMM
        self.presentation: dict | None = None

    def octets(self, invitation: dict) -> bytes:
        """What goes to the gate."""
        if self.fault == "garbage":
            return b"\x00\xff not json"
        if self.fault == "empty":
            return b""
        message = compact(self.message(invitation))
        if self.fault == "large":
            message = message[:-1] + b',"x":"' + b"x" * (3 << 20) + b'"}'
        if self.fault == "plain":
            return message
        recipient = Key().public if self.fault == "recipient" else public_of(service_of(invitation)["recipientKeys"][0])
        envelope = pack(message, recipient, None if self.fault == "anoncrypt" else self.key)
        if self.fault == "tag":
            envelope["tag"] = ("B" if envelope["tag"][0] == "A" else "A") + envelope["tag"][1:]
        if self.fault == "protected":
            envelope["protected"] = b64url(unb64(envelope["protected"]).replace(b"Authcrypt", b"Anoncrypt"))
        return compact(envelope)

    def message(self, invitation: dict) -> dict:
        request, service = invitation["requests~attach"][0]["data"]["json"], service_of(invitation)
        is_old = "/present-proof/1." in request["@type"]
        family = self.prefix + ("present-proof/1.0/" if is_old else "present-proof/2.0/")
        thread = {"thid": str(uuid.uuid4()) if self.fault == "thread" else request["@id"], "pthid": invitation["@id"]}
        ours = {"recipientKeys": [self.key.kid], "routingKeys": [], "serviceEndpoint": service["serviceEndpoint"]}
        common = {"@id": str(uuid.uuid4()), "~thread": thread, "~service": ours, "~transport": {"return_route": "all"}}
        if self.fault == "decline":
            return {"@type": family + "problem-report", **common, "description": {"code": "abandoned", "en": "the holder declined"}}
        asked, form = asked_in(request)
        self.presentation = self.holder.answer(asked, self.fault)
        data = "!" if self.fault == "base64" else b64(compact(self.presentation))
        attachment = {"@id": "libindy-presentation-0" if is_old else "anoncreds", "mime-type": "application/json", "data": {"base64": data}}
        kind = "ack" if self.fault == "type" else "presentation"
        message = {"@type": family + kind, **common, "presentations~attach": [] if self.fault == "no-attachment" else [attachment]}
        if not is_old:
            form = form.replace("proof-request", "proof").replace("proof-req", "proof")
            message |= {"last_presentation": True, "formats": [{"attach_id": "anoncreds", "format": form}]}
        return message

    def verdict(self, octets: bytes) -> dict:
        """What the gate's answer says: `result`, and the code of a problem report."""
        try:
            message = json.loads(octets)
            if "protected" in message:
                message = json.loads(unpack(message, self.key)[0])
        except Exception as error:
            return {"result": "failed", "why": f"unreadable answer: {error!r}"}
        kind, thread = message.get("@type", "").rsplit("/", 1)[-1], message.get("~thread", {}).get("thid")
        if kind == "ack" and message.get("status") == "OK":
            return {"result": "accepted", "thread": thread}
        if kind == "problem-report":
            return {"result": "refused", "code": message.get("description", {}).get("code"), "thread": thread}
        return {"result": "failed", "why": f"unexpected {message.get('@type')}"}
