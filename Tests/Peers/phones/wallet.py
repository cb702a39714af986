"""The rules of a Tuvali wallet, 0.5 or 0.4, that need no radio: URI, advertisement, keys, chunks, reports. Shares no code with the gate."""
import random
import struct
import zlib
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

SERVICE, SCAN_TAG = 0x0001, 0x0002
IDENTIFY, SIZE, SUBMIT, REPORT_REQUEST, REPORT, DISCONNECT, STATUS = "06", "07", "08", "09", "0a", "0b", "2037"
REQUEST_SIZE, REQUEST = "04", "05"
CHUNK_HEADER, LARGEST_MTU, LEAST_DATA, RETRY_ROUNDS = 4, 512, 64, 15


OLD_SERVICE, OLD_SCAN_TAG = 0xAB29, 0xAB2A
OLD_UUIDS = {IDENTIFY: "2030", REQUEST_SIZE: "2031", REQUEST: "2032", SIZE: "2033", SUBMIT: "2034", REPORT_REQUEST: "2035", REPORT: "2036",
             STATUS: "2037", DISCONNECT: "2038"}


def uuid(characteristic: str, wire: str = "0.5") -> str:
    if wire == "0.4":
        return OLD_UUIDS[characteristic]
    return characteristic if len(characteristic) == 4 else f"000000{characteristic.upper()}-5026-444A-9E0E-D6F2450F3A77"


def service(wire: str = "0.5") -> int:
    return OLD_SERVICE if wire == "0.4" else SERVICE


# MARK: keys and bytes

def _crc_row(octet: int) -> int:
    for _ in range(8):
        octet = (octet >> 1) ^ 0x8408 if octet & 1 else octet >> 1
    return octet


_CRC = [_crc_row(octet) for octet in range(256)]


def crc16_kermit(data: bytes) -> int:
    crc = 0
    for octet in data:
        crc = (crc >> 8) ^ _CRC[(crc ^ octet) & 0xFF]
    return crc


def public_key(private: bytes) -> bytes:
    key = X25519PrivateKey.from_private_bytes(private).public_key()
    return key.public_bytes(serialization.Encoding.Raw, serialization.PublicFormat.Raw)


def verifier_key(private: bytes, peer: bytes) -> bytes:
    """The AES key of what the wallet sends, for either side."""
    shared = X25519PrivateKey.from_private_bytes(private).exchange(X25519PublicKey.from_public_bytes(peer))
    return HKDF(algorithm=hashes.SHA256(), length=32, salt=b"SHA-256", info=b"SKVerifier").derive(shared)


def gzip(plain: bytes) -> bytes:
    packer = zlib.compressobj(-1, zlib.DEFLATED, 31)
    return packer.compress(plain) + packer.flush()


def stored_gzip(plain: bytes, os_octet: int = 0) -> bytes:
    """A gzip member that does not compress: its length is known beforehand."""
    out = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00" + bytes([os_octet])
    parts = [plain[i : i + 65535] for i in range(0, len(plain), 65535)] or [b""]
    for i, part in enumerate(parts):
        out += bytes([i == len(parts) - 1]) + struct.pack("<HH", len(part), len(part) ^ 0xFFFF) + part
    return out + struct.pack("<II", zlib.crc32(plain), len(plain) & 0xFFFFFFFF)


def seal(key: bytes, nonce: bytes, packed: bytes) -> bytes:
    return AESGCM(key).encrypt(nonce, packed, None)


def prng_text(count: int, seed: int) -> str:
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    return "".join(random.Random(seed).choices(alphabet, k=count))


# MARK: chunks and reports

def max_data(att_mtu: int) -> int:
    return min(att_mtu, LARGEST_MTU) - 3


def chunk(sequence: int, payload: bytes) -> bytes:
    return struct.pack(">HH", sequence & 0xFFFF, crc16_kermit(payload)) + payload


def chunks(message: bytes, data: int) -> list[bytes]:
    payload = data - CHUNK_HEADER
    return [chunk(i // payload + 1, message[i : i + payload]) for i in range(0, len(message), payload)]


@dataclass
class Report:
    success: bool
    pages: int
    missing: list[int]

    @staticmethod
    def build(missing: list[int], data: int) -> bytes:
        if not missing:
            return b"\x01\x00\x00"
        page = (data - 3) // 2
        return struct.pack(">BH", 0, -(-len(missing) // page)) + b"".join(struct.pack(">H", s) for s in missing[:page])

    @staticmethod
    def parse(value: bytes) -> "Report":
        if len(value) < 3 or value[0] > 1:
            raise ValueError("report")
        listed = [struct.unpack_from(">H", value, i)[0] for i in range(3, len(value) - 1, 2)]
        return Report(value[0] == 1, struct.unpack_from(">H", value, 1)[0], listed)


# MARK: finding the gate

@dataclass(frozen=True)
class VerifierURI:
    name: str
    key: bytes

    @staticmethod
    def parse(text: str) -> "VerifierURI":
        if not text.startswith("OPENID4VP://"):
            raise ValueError("the wallet does not take this code: " + text[:40])
        fields: dict[str, str] = {}
        for part in urlsplit(text).query.split("&"):
            key, _, value = part.partition("=")
            fields.setdefault(unquote(key), unquote(value))  # '+' stays '+', as on iOS
        if not fields.get("name") or not fields.get("key"):
            raise ValueError("name and key are required")
        return VerifierURI(fields["name"], bytes.fromhex(fields["key"]))


def structures(data: bytes):
    """The (type, value) structures of advertising data."""
    at = 0
    while at < len(data) and data[at] and at + 1 + data[at] <= len(data):
        yield data[at + 1], data[at + 2 : at + 1 + data[at]]
        at += 1 + data[at]


def match(uri: VerifierURI, data: bytes, wire: str = "0.5") -> bytes | None:
    """What a wallet does with the merged report: the verifier's public key, or None."""
    services, service_data = set(), {}
    for kind, value in structures(data):
        if kind in (2, 3):
            services |= {struct.unpack_from("<H", value, i)[0] for i in range(0, len(value) - 1, 2)}
        elif kind == 0x16 and len(value) >= 2:
            service_data[struct.unpack_from("<H", value)[0]] = value[2:]
    head, tail = service_data.get(service(wire)), service_data.get(OLD_SCAN_TAG if wire == "0.4" else SCAN_TAG)
    if service(wire) not in services or head is None or tail is None or head != uri.name.encode() + b"_" + uri.key[:5]:
        return None
    key = head[-5:] + tail  # the QR code's other 27 octets are not compared by any wallet
    return key if len(key) == 32 else None
