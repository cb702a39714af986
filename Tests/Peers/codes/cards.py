"""What a visitor may hold before the camera: printed claim-169 cards, credentials in PixelPass codes, and codes that are none of ours.

A card is text, as it stands in its code (pixelpass.md sections 1 and 3): base45 of zlib of a CBOR web token, or of a credential. Nothing here
is shared with what reads it. No identity here is real.
"""
import io
import json
import time
import zlib

import cbor2
from PIL import Image

import issuer as sd_jwt
from cwt_issuer import BASE45, FULL_NAME, IDENTITY, JPEG, PHOTO, PHOTO_FORMAT, STATUS, CWTIssuer, altered, pixelpass, wrapped
from status_lists import token_cwt, write_lists

STATUS_LIST = "https://tokens.demo.gatehouse.example/status/1"


# MARK: the wrapping

def unwrapped(text: str) -> bytes:
    """The octets of a PixelPass text."""
    values, octets = [BASE45.index(character) for character in text], bytearray()
    for place in range(0, len(values), 3):
        part = values[place:place + 3]
        number = sum(value * 45 ** power for power, value in enumerate(part))
        octets += number.to_bytes(2 if len(part) == 3 else 1, "big")
    return zlib.decompress(bytes(octets))


def json_code(document: dict) -> str:
    """A credential of JSON, as PixelPass packs it: CBOR with texts as keys."""
    return pixelpass(document)


def text_code(credential: str) -> str:
    return pixelpass(credential)


# MARK: photos, small enough for a code

def small_photo(image: Image.Image, kind: int = JPEG, side: int = 120, quality: int = 40) -> bytes:
    """As an issuer shrinks it for print. A code holds 2,860 octets in all."""
    image = image.convert("RGB")
    image.thumbnail((side, side))
    octets = io.BytesIO()
    match kind:
        case 1: image.save(octets, "JPEG", quality=quality, optimize=True)
        case 2: image.save(octets, "JPEG2000", quality_mode="rates", quality_layers=[image.width * image.height * 3 / 1500])
        case 3: image.save(octets, "AVIF", quality=quality)
        case 4: image.save(octets, "WEBP", quality=quality, method=6)
    return octets.getvalue()


# MARK: cards

class CardIssuer(CWTIssuer):
    """Prints claim-169 cards. `cards` says what a trust file has to have for them."""

    def __init__(self, algorithm: str = "ES256", name: str = "https://cards.demo.gatehouse.example", key=None) -> None:
        super().__init__(algorithm, name, key)

    def token_with(self, photo: bytes | None = None, kind: int = JPEG, person: dict = {}, header: dict = {}, tagged: bool = True, **claims) -> bytes:
        """A token with this photo, or with none. `person` is by label of claim 169; of the token's claims, see `CWTIssuer.claims`."""
        identity = {**self.identity(), **person}
        for label, value in ((PHOTO, photo), (PHOTO_FORMAT, kind if photo is not None else None)):
            identity[label] = value
        identity = {label: value for label, value in identity.items() if value is not None}
        return self.signed({**self.claims(**claims), IDENTITY: identity}, header, tagged=tagged)

    def card(self, photo: bytes | None = None, kind: int = JPEG, **more) -> str:
        return pixelpass(self.token_with(photo, kind, **more))

    def revoked(self, index: int, photo: bytes | None = None, **more) -> str:
        """One that its list has at this place."""
        return self.card(photo, **{f"c{STATUS}": {"status_list": {"idx": index, "uri": STATUS_LIST}}}, **more)


def tampered(card: str, name: str = "Mallory") -> str:
    """Another name, after signing."""
    token = cbor2.loads(unwrapped(card))
    is_tagged = token.tag == 61
    protected, unprotected, payload, signature = token.value.value if is_tagged else token.value
    claims = cbor2.loads(payload)
    claims[IDENTITY][FULL_NAME] = name
    return pixelpass(wrapped([protected, unprotected, cbor2.dumps(claims, canonical=True), signature], is_tagged))


def bad_cards(issuer: CardIssuer, photo: bytes | None = None) -> dict[str, tuple[str, str]]:
    """Cards a gate that trusts `issuer` must reject, whoever holds them, with the reason, by name."""
    good = issuer.card(photo)
    stranger = CardIssuer(issuer.algorithm, "https://stranger.demo.gatehouse.example")
    return {
        "tampered": (tampered(good), "signature-invalid"),
        "signature flipped": (pixelpass(altered(issuer.token_with(photo, tagged=False), 3, 5)), "signature-invalid"),
        "expired": (issuer.card(photo, issued=-60, expires=-1), "expired"),
        "not yet valid": (issuer.card(photo, issued=2, c6=None), "not-yet-valid"),
        "unknown issuer": (stranger.card(photo), "issuer-unknown"),
        "unknown key": (CardIssuer(issuer.algorithm, issuer.name).card(photo), "key-unknown"),
    }


# MARK: what is not ours

FOREIGN = {
    "a poster": "https://example.org/concert?ticket=1",
    "a request for a wallet": "OPENID4VP://connect?name=GATE&key=00",
    "the same in small letters": "openid4vp://authorize?client_id=x",
    "a health card": "shc:/5676290952432060346029243740446031222959532654603460292540772804336028702864716745222809286255264245",
    "contacts": "BEGIN:VCARD\nVERSION:3.0\nN:Rao;Asha\nEND:VCARD",
    "a network": "WIFI:T:WPA;S=guest;P=none;;",
    "digits": "4006381333931",
    "a word": "HELLO",
    "a payment": "00020101021226580014BR.GOV.BCB.PIX",
}
# What looks like ours and is refused by name, or not at all.
HEALTH_CERTIFICATE = "HC1:" + pixelpass(b"\xd2\x84\x40\xa0\x40\x40")
ENGAGEMENT = "mdoc:owBjMS4wAYIB2BhYS6QBAiABIVggWojRgrzl9C76WIJf4PYQOtDPOaElvWy8C_GZJc8RaPMiWCC5Fe95bWUmbjxXLkbK92Z4UsSIDl0-CjKl4bhHZLpRfQ"


def filled_card(issuer: CardIssuer, characters: int, photo: bytes) -> str:
    """A card that is as long as a code has room for, and at most three characters shorter: with a photo of that many octets of `photo`."""
    overhead = len(issuer.card(b""))
    count = max(0, (characters - overhead) * 2 // 3)
    while len(text := issuer.card(photo[:count])) > characters:
        count -= max(1, (len(text) - characters) * 2 // 3)
    return text


def lists_of(issuer: CardIssuer, revoked: int) -> dict:
    """The issuer's status list, with this one on it."""
    return {STATUS_LIST: token_cwt(issuer, STATUS_LIST, {revoked: 1})}


def write_card_trust(folder, *issuers: CardIssuer, lists: dict | None = None, **changes) -> None:
    """The trust files of these issuers, beside what is in the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for number, issuer in enumerate(issuers):
        (folder / f"cards-{number}.json").write_text(json.dumps(issuer.trust(**changes), indent=2) + "\n")
    if lists is not None:
        write_lists(folder, lists, int(time.time()))


def sd_jwt_code(issuer: sd_jwt.Issuer, photo: bytes, **claims) -> str:
    """A visitor's SD-JWT as a phone shows it in a code: the whole text, packed."""
    return text_code(issuer.credential(portrait=photo, **claims))

