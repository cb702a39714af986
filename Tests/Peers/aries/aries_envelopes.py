"""DIDComm v1 envelopes (RFC 0019) as a wallet packs and opens them, by PyNaCl. Shares no code with the gate."""
import base64
import json

import base58
import nacl.bindings as sodium
import nacl.signing
import nacl.utils

MULTICODEC_ED25519 = b"\xed\x01"


def b64(octets: bytes) -> str:
    return base64.b64encode(octets).decode()


def b64url(octets: bytes) -> str:
    return base64.urlsafe_b64encode(octets).decode().rstrip("=")


def unb64(text: str) -> bytes:
    """Either alphabet, padded or not."""
    bare = text.rstrip("=")
    return base64.b64decode(bare.replace("-", "+").replace("_", "/") + "=" * (-len(bare) % 4), validate=True)


def compact(value) -> bytes:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode()


class Key:
    """An Ed25519 key pair; for envelopes it is used as X25519."""

    def __init__(self, seed: bytes | None = None) -> None:
        self.signing = nacl.signing.SigningKey(seed or nacl.utils.random(32))
        self.public = bytes(self.signing.verify_key)
        self.kid = base58.b58encode(self.public).decode()
        self.did_key = "did:key:z" + base58.b58encode(MULTICODEC_ED25519 + self.public).decode()
        self.box_public = sodium.crypto_sign_ed25519_pk_to_curve25519(self.public)
        self.box_secret = sodium.crypto_sign_ed25519_sk_to_curve25519(bytes(self.signing) + self.public)


def public_of(reference: str) -> bytes:
    """did:key, with or without a fragment, or bare base58 -> 32 octets of Ed25519."""
    if not reference.startswith("did:key:z"):
        return base58.b58decode(reference)
    octets = base58.b58decode(reference.split("#")[0][len("did:key:z"):])
    if octets[:2] != MULTICODEC_ED25519:
        raise ValueError("not an Ed25519 did:key")
    return octets[2:]


def pack(message: bytes, recipient: bytes, sender: Key | None) -> dict:
    """Authcrypt with a sender, else Anoncrypt."""
    box = sodium.crypto_sign_ed25519_pk_to_curve25519(recipient)
    key, header = nacl.utils.random(32), {"kid": base58.b58encode(recipient).decode()}
    if sender:
        nonce = nacl.utils.random(24)
        sealed = sodium.crypto_box(key, nonce, box, sender.box_secret)
        header |= {"iv": b64url(nonce), "sender": b64url(sodium.crypto_box_seal(sender.kid.encode(), box))}
    else:
        sealed = sodium.crypto_box_seal(key, box)
    protected = b64url(compact({"enc": "xchacha20poly1305_ietf", "typ": "JWM/1.0", "alg": "Authcrypt" if sender else "Anoncrypt",
                                "recipients": [{"encrypted_key": b64url(sealed), "header": header}]}))
    nonce = nacl.utils.random(12)
    sealed = sodium.crypto_aead_chacha20poly1305_ietf_encrypt(message, protected.encode(), nonce, key)
    return {"protected": protected, "iv": b64url(nonce), "ciphertext": b64url(sealed[:-16]), "tag": b64url(sealed[-16:])}


def unpack(envelope: dict, recipient: Key) -> tuple[bytes, str | None]:
    """-> message, the sender's key in base58 (None for Anoncrypt)."""
    header = json.loads(unb64(envelope["protected"]))
    entry = next(r for r in header["recipients"] if r["header"]["kid"] == recipient.kid)
    sender, locked = None, unb64(entry["encrypted_key"])
    if header["alg"] == "Authcrypt":
        sender = sodium.crypto_box_seal_open(unb64(entry["header"]["sender"]), recipient.box_public, recipient.box_secret).decode()
        theirs = sodium.crypto_sign_ed25519_pk_to_curve25519(base58.b58decode(sender))
        key = sodium.crypto_box_open(locked, unb64(entry["header"]["iv"]), theirs, recipient.box_secret)
    elif header["alg"] == "Anoncrypt":
        key = sodium.crypto_box_seal_open(locked, recipient.box_public, recipient.box_secret)
    else:
        raise ValueError(header["alg"])
    sealed = unb64(envelope["ciphertext"]) + unb64(envelope["tag"])
    text = sodium.crypto_aead_chacha20poly1305_ietf_decrypt(sealed, envelope["protected"].encode(), unb64(envelope["iv"]), key)
    return text, sender
