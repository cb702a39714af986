"""Sessions of ISO/IEC 18013-5 between the gate and a phone that shares no code with it, octets handed over without a link."""
import datetime
import shutil

import cbor2
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

import holder
import mdoc_gate
from mdoc_gate import MdocGate

CURVES = {"P-256": (ec.SECP256R1, hashes.SHA256, -7), "P-384": (ec.SECP384R1, hashes.SHA384, -35), "P-521": (ec.SECP521R1, hashes.SHA512, -36)}
ASK = (holder.MDL, {holder.NS: {"family_name": False, "portrait": False, "age_over_18": False, "nonexistent": True}})
OTHER = ("org.example.other", {"org.example.ns": {"x": False}})


@pytest.fixture(scope="module")
def gate():
    if shutil.which(mdoc_gate.program()) is None:
        pytest.exit(f"no {mdoc_gate.program()}: build it (swift build -c release), or set GATEHOUSE_MDOC_SESSION", 2)
    with MdocGate() as gate:
        yield gate


def reader(curve: str, chain: int = 1, of_another: bool = False) -> tuple[str, str]:
    """A reader's key and certificates, made for one test: the reader's, and those above it."""
    group, digest, _ = CURVES[curve]
    now = datetime.datetime.now(datetime.timezone.utc)
    keys = [ec.generate_private_key(group()) for _ in range(chain)]
    names = [x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, f"Reader {number}")]) for number in range(chain)]
    certificates = ""
    for number, key in enumerate(keys):
        above = min(number + 1, chain - 1)
        builder = (x509.CertificateBuilder().subject_name(names[number]).issuer_name(names[above]).public_key(key.public_key())
                   .serial_number(number + 1).not_valid_before(now - datetime.timedelta(1)).not_valid_after(now + datetime.timedelta(90)))
        if number == 0:
            builder = builder.add_extension(x509.ExtendedKeyUsage([x509.ObjectIdentifier("1.0.18013.5.1.6")]), True)
        certificates += builder.sign(keys[above], digest()).public_bytes(serialization.Encoding.PEM).decode()
    key = ec.generate_private_key(group()) if of_another else keys[0]
    return key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()).decode(), certificates


def meet(gate: MdocGate, phone, *documents, reader=None) -> list[bytes]:
    """The first request and what the phone answers."""
    begun = gate.begin(phone.qr(), reader)
    assert begun["ident"] == phone.ident().hex()
    replies = phone.on_session_establishment(gate.ask(*documents or (ASK,)))
    assert begun["transcript"] == phone.transcript.hex()
    return replies


@pytest.mark.parametrize("options", [
    {}, {"mode": "both"}, {"mode": "both", "split": True}, {"mode": "peripheral", "psm": 0x81}, {"engagement_version": "1.1"}, {"mac": True},
    {"faults": ("extra_keys",)},
])
@pytest.mark.parametrize("curve", CURVES)
def test_a_session_on_every_curve(gate, curve, options):
    phone, sealed = holder.Holder(session_curve=curve, device_curve=curve, **options), []
    seal, phone.seal = phone.seal, lambda plaintext, *status: sealed.append(plaintext) or seal(plaintext, *status)
    reply, = meet(gate, phone)
    answer = gate.hear(reply)
    assert [bytes.fromhex(answer["plaintext"])] == sealed and answer["status"] == ""
    assert phone.on_session_data(gate.end()) == [] and phone.closed


def test_the_phone_reads_what_was_asked(gate):
    phone = holder.Holder()
    meet(gate, phone, ASK, OTHER)
    assert phone.request["version"] == "1.0" and set(phone.request) == {"version", "docRequests"}
    asked = [cbor2.loads(one["itemsRequest"].value) for one in phone.request["docRequests"]]
    assert asked == [{"docType": name, "nameSpaces": spaces} for name, spaces in (ASK, OTHER)]
    assert phone.reader_auth == [None, None]


@pytest.mark.parametrize("chain", [1, 3])
@pytest.mark.parametrize("session", CURVES)
@pytest.mark.parametrize("curve", CURVES)
def test_the_phone_knows_who_asks(gate, curve, session, chain):
    phone = holder.Holder(session_curve=session)
    meet(gate, phone, ASK, OTHER, reader=reader(curve, chain))
    assert [one["ok"] for one in phone.reader_auth] == [True, True], phone.reader_auth
    for one in phone.request["docRequests"]:
        protected, unprotected, payload, signature = one["readerAuth"]
        assert cbor2.loads(protected) == {1: CURVES[curve][2]} and payload is None and set(unprotected) == {33}
        assert isinstance(unprotected[33], bytes) == (chain == 1)
        assert len(signature) == 2 * ((CURVES[curve][0]().key_size + 7) // 8)


def test_a_signature_is_of_its_session(gate):
    """The phone of another session does not take it."""
    phone, other = holder.Holder(), holder.Holder()
    meet(gate, phone, reader=reader("P-256"))
    other.transcript, other.request = phone.transcript[:-1] + b"\xf5", phone.request
    other.check_reader_auth(b"")
    assert phone.reader_auth[0]["ok"] and not other.reader_auth[0]["ok"]


def test_a_key_without_its_certificate_asks_nobody(gate):
    assert gate.begin(holder.Holder().qr(), reader("P-256", of_another=True)) == {"error": "no certificate is of this key"}


def test_several_requests_in_one_session(gate):
    phone = holder.Holder()
    replies = meet(gate, phone)
    for _ in range(4):
        assert cbor2.loads(bytes.fromhex(gate.hear(replies[0])["plaintext"]))["status"] == 0
        replies = phone.on_session_data(gate.ask(ASK))
    assert gate.hear(replies[0])["status"] == "" and len(phone.decoded_requests) == 5


ENDS = {
    "aead_tamper": ("decryptionError", 10), "wrong_counter": ("decryptionError", 10), "wrong_iv_id": ("decryptionError", 10),
    "garbage": ("undecodable", 11), "terminate_only": ("20", None), "session_status_10": ("10", None), "session_status_11": ("11", None),
}


@pytest.mark.parametrize("fault", ENDS)
def test_ends(gate, fault):
    reply, = meet(gate, holder.Holder(faults=(fault,)))
    said, owed = ENDS[fault]
    answer = gate.hear(reply)
    assert said in answer["end"] and "plaintext" not in answer
    assert answer["message"] == ("" if owed is None else cbor2.dumps({"status": owed}).hex())
    # It is over: nothing opens, and there is nothing to end.
    assert gate.hear(reply)["end"] == "over" and gate.end() == b""


def test_data_and_the_end_in_one_message(gate):
    reply, = meet(gate, holder.Holder(terminate=True))
    answer = gate.hear(reply)
    assert answer["plaintext"] and answer["status"] == "20" and gate.end() == b""


def test_silence(gate):
    phone = holder.Holder(faults=("no_answer",))
    assert meet(gate, phone) == []
    assert phone.on_session_data(gate.end()) == [] and phone.closed
