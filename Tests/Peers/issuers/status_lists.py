"""Status lists as their issuers publish them: the W3C's in signed credentials, the IETF's in signed tokens."""
import gzip
import json
import time
import zlib
from pathlib import Path

import cbor2

import linked_contexts as c
from issuer import DAY, Issuer, b64, compact
from linked_issuer import LinkedIssuer, instant

# Fewer would not hide a holder among the others (Bitstring Status List section 3.2).
FEWEST = 131_072
# COSE and CWT by number: RFC 9053 section 2, RFC 9864, RFC 8392 section 4, draft-ietf-oauth-status-list section 5.2 and 14.
COSE_ALGORITHMS = {"ES256": -7, "EdDSA": -8, "ES384": -35, "PS256": -37, "ES256K": -47, "RS256": -257}
ALGORITHM, KEY_ID, TYPE = 1, 4, 16
SUBJECT, EXPIRES, ISSUED, LIST, TTL = 2, 4, 6, 65533, 65534


def most_significant_first(revoked, entries: int = FEWEST) -> bytes:
    """One bit an entry, the first in the highest."""
    octets = bytearray((entries + 7) // 8)
    for index in revoked:
        octets[index // 8] |= 0x80 >> index % 8
    return bytes(octets)


def least_significant_first(statuses: dict[int, int], bits: int = 1, entries: int = 1 << 16) -> bytes:
    """`bits` an entry, the first in the lowest."""
    octets = bytearray((entries * bits + 7) // 8)
    for index, status in statuses.items():
        octets[index * bits // 8] |= status << index * bits % 8
    return bytes(octets)


def write_lists(folder, lists: dict, fetched: int) -> None:
    """Puts lists, a credential or a token by URL, into a trust folder, as fetched at that time in seconds since 1970."""
    folder, listed = Path(folder), []
    (folder / "lists").mkdir(exist_ok=True)
    for index, (url, content) in enumerate(lists.items()):
        octets = content if isinstance(content, bytes) else (json.dumps(content) if isinstance(content, dict) else content).encode()
        (folder / f"lists/{index}").write_bytes(octets)
        listed.append({"url": url, "file": f"lists/{index}", "fetched": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(fetched))})
    (folder / "lists.json").write_text(json.dumps({"gatehouse-lists": 1, "lists": listed}, indent=2) + "\n")


# MARK: The W3C's

def entry(url: str, index: int, purpose: str = "revocation", is_2021: bool = False) -> dict:
    """`credentialStatus` of a credential that can be revoked."""
    return {"id": f"{url}#{index}", "type": "StatusList2021Entry" if is_2021 else "BitstringStatusListEntry", "statusPurpose": purpose,
            "statusListIndex": str(index), "statusListCredential": url}


def with_status(document: dict, status: dict) -> dict:
    """The document, not signed yet, with a status and the context that defines it."""
    contexts = document["@context"]
    needed = [c.STATUS_2021] if status["type"] == "StatusList2021Entry" else [] if c.V2 in contexts else [status_terms()]
    return {**document, "@context": [*contexts, *needed], "credentialStatus": status}


def status_terms() -> dict:
    """The terms of Bitstring Status List, for credentials of version 1, whose context has none."""
    return {name: term for name, term in c.CREDENTIALS_V2["@context"].items() if name.startswith("BitstringStatusList")}


def list_credential(issuer: LinkedIssuer, url: str, revoked, *, purpose: str = "revocation", issued: float = -1, expires: float | None = 30,
                    ttl: int | None = None, is_2021: bool = False, entries: int = FEWEST) -> dict:
    """A list signed by `issuer`. Times are in days from now, `ttl` in milliseconds."""
    compressed = b64(gzip.compress(most_significant_first(revoked, entries), mtime=0))
    is_second = issuer.suite.is_data_integrity
    begins, ends = ("validFrom", "validUntil") if is_second else ("issuanceDate", "expirationDate")
    kind = "StatusList2021" if is_2021 else "BitstringStatusList"
    terms = c.STATUS_2021 if is_2021 else {} if is_second else status_terms()
    subject = {"id": url + "#list", "type": kind, "statusPurpose": purpose, "encodedList": compressed if is_2021 else "u" + compressed}
    document = {
        "@context": [c.V2 if is_second else c.V1, *([terms] if terms else [])], "id": url, "type": ["VerifiableCredential", kind + "Credential"],
        "issuer": issuer.name, begins: instant(issued), "credentialSubject": subject,
    }
    if expires is not None:
        document[ends] = instant(expires)
    if ttl is not None:
        subject["ttl"] = ttl
    return issuer.secured(document)


# MARK: The IETF's

def token_jwt(issuer: Issuer, url: str, statuses: dict[int, int], *, bits: int = 1, issued: float = -1, expires: float | None = 30,
              ttl: int | None = None, entries: int = 1 << 16, header: dict = {}, **claims) -> str:
    """A Status List Token as JWT. Times are in days from now, `ttl` in seconds."""
    now = int(time.time())
    compressed = zlib.compress(least_significant_first(statuses, bits, entries), 9)
    payload = {"sub": url, "iat": now + int(issued * DAY), "status_list": {"bits": bits, "lst": b64(compressed)}, **claims}
    if expires is not None:
        payload["exp"] = now + int(expires * DAY)
    if ttl is not None:
        payload["ttl"] = ttl
    head = {"alg": issuer.algorithm, "typ": "statuslist+jwt", "kid": issuer.kid, **header}
    signed = b64(compact(head).encode()) + "." + b64(compact(payload).encode())
    return signed + "." + b64(issuer.sign(signed.encode()))


def token_cwt(issuer: Issuer, url: str, statuses: dict[int, int], *, bits: int = 1, issued: float = -1, expires: float | None = 30,
              ttl: int | None = None, entries: int = 1 << 16, header: dict = {}) -> bytes:
    """The same as CWT, in a tagged COSE_Sign1 (RFC 9052 section 4.2)."""
    now = int(time.time())
    claims = {SUBJECT: url, ISSUED: now + int(issued * DAY),
              LIST: {"bits": bits, "lst": zlib.compress(least_significant_first(statuses, bits, entries), 9)}}
    if expires is not None:
        claims[EXPIRES] = now + int(expires * DAY)
    if ttl is not None:
        claims[TTL] = ttl
    head = {ALGORITHM: COSE_ALGORITHMS[issuer.algorithm], TYPE: "application/statuslist+cwt", KEY_ID: issuer.kid.encode(), **header}
    protected, payload = cbor2.dumps(head, canonical=True), cbor2.dumps(claims, canonical=True)
    signature = issuer.sign(cbor2.dumps(["Signature1", protected, b"", payload]))
    return cbor2.dumps(cbor2.CBORTag(18, [protected, {}, payload, signature]))
