"""The wallet against the protocol's published constants: RFC 7748 keys, CRC check value, a worked transfer."""
import struct

from wallet import (Report, VerifierURI, chunks, crc16_kermit, match, max_data, public_key, seal, stored_gzip, verifier_key)

ALICE = bytes.fromhex("77076d0a7318a57d3c16c17251b26645df4c2f87ebc0992ab177fba51db92c2a")
BOB = bytes.fromhex("5dab087e624a8a4b79e17f8b83800ee66f3bb1292618b6fd1c2f8b27ff88e0eb")
KEY = bytes.fromhex("8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a")
URI = "OPENID4VP://connect?name=OVPMOSIP&key=" + KEY.hex()
ADVERTISEMENT = bytes.fromhex("0201060303010011160100 4f56504d4f5349505f8520f00989".replace(" ", ""))
SCAN_RESPONSE = bytes.fromhex("1e160200" + KEY[5:].hex())


def test_crc_check_value():
    assert crc16_kermit(b"123456789") == 0x2189


def test_both_sides_derive_the_same_key():
    assert public_key(ALICE) == KEY
    expected = "3930173021376acf4d6281079b6e287df23d1571acbe100e24e88d69407dbc00"
    assert verifier_key(BOB, KEY).hex() == verifier_key(ALICE, public_key(BOB)).hex() == expected


def test_advertisement_is_matched_by_name_and_five_octets():
    uri = VerifierURI.parse(URI)
    assert match(uri, ADVERTISEMENT + SCAN_RESPONSE) == KEY
    assert match(uri, ADVERTISEMENT) is None
    assert match(VerifierURI("OTHER", KEY), ADVERTISEMENT + SCAN_RESPONSE) is None


def test_worked_transfer_at_mtu_67():
    payload = b'{"verifiableCredential":{"credential":{"id":"urn:1","credentialSubject":{"name":"Asha"}}}}'
    message = seal(verifier_key(BOB, KEY), bytes(range(12)), stored_gzip(payload))
    sent = chunks(message, max_data(67))
    assert (len(message), len(sent)) == (129, 3)
    assert [c[:4].hex() for c in sent] == ["00010ed7", "00027ff7", "00034dc8"]
    assert sent[2].hex() == "00034dc89f1855ef37402c8f87"


def test_report_carries_one_page():
    assert Report.build([], 509) == b"\x01\x00\x00"
    assert Report.build([2], 64).hex() == "0000010002"
    value = Report.build(list(range(1, 32)), 64)
    assert len(value) == 3 + 2 * 30 and struct.unpack_from(">H", value, 1) == (2,)
    assert Report.parse(value).missing == list(range(1, 31))
