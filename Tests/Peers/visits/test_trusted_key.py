"""Whole visits by Trusted Key wallets (trustedkey.md): the code on the gate's screen is read from its drawing, and the answer is a code before the gate's
camera, which is a folder of drawn pictures. Every refusal that a wallet can bring about, each followed by a visit that is accepted."""
import base64
import json
import random

import pytest

from code_rig import shots
from gate import is_reference
from key_authority import ASSURANCE, CLASS, CLIENT, NAME, OF_AGE, TYPE, KeyAuthority, address_of
from key_rig import CALLBACK, KeyRig, close_up, gate
from key_wallet import STRANGER, KeyWallet, parsed
from phone import Plan

pytestmark = pytest.mark.skipif(is_reference(), reason="the reference gate has no camera")


@pytest.fixture(scope="module")
def authority():
    return KeyAuthority()


@pytest.fixture(scope="module")
def listed_wallets(authority):
    """Two wallets whose list says that they are good no longer: one's key, the other's claim."""
    return KeyWallet(authority, CLIENT), KeyWallet(authority, CLIENT)


@pytest.fixture(scope="module")
def shared_gate(tmp_path_factory, authority, listed_wallets):
    key, claim = listed_wallets
    with gate(tmp_path_factory.mktemp("keys"), authority=authority, revoked=(key.address, address_of(claim.claims[0]))) as made:
        yield made


@pytest.fixture
def made(shared_gate):
    shared_gate.rig.restart_if_left_alone()
    return shared_gate


# MARK: what is asked, and what lets somebody in


def test_what_stands_on_the_screen(made):
    code = made.code()
    asked = parsed(code)
    assert len(code) <= 600 and asked["callbackUrl"] == CALLBACK and asked["objectIds"] == f"{NAME},{OF_AGE}", asked
    made.accepts_wallet()
    assert parsed(made.code())["nonce"] != asked["nonce"]


@pytest.mark.parametrize("condition", ("clean", "moire, JPEG 80"))
def test_a_wallet_that_answers(made, condition):
    wallet = made.wallet()
    wallet.claims = [wallet.claim({NAME: "Noor"})]
    record = made.accepts_wallet(wallet, lambda text: shots(text, condition))
    assert (record["issuer"], record["holder"]) == ("https://harbour.claims.demo.gatehouse.example", "not-bound")
    assert record["notes"] == ["holder-bound-hardware-claimed", "holder-not-bound"] and record["status"] == "good"
    made.says(f"visit {record['visit']} accepted by trustedkey")


def test_two_claims_of_one_key(made):
    wallet = made.wallet()
    wallet.claims = [wallet.authority.claim(wallet.key, {TYPE: "Harbour pass", CLASS: "Access", each: value})
                     for each, value in ((NAME, "Noor van Dijk"), (OF_AGE, "true"))]
    made.accepts_wallet(wallet, close_up)


def test_as_much_as_a_code_holds(made):
    wallet, code = made.wallet(), made.code()
    text = made.draws(wallet.filled, code, 2_880, 2_950)
    made.accepts_wallet(draw=close_up, text=text)


def test_a_card_and_a_phone_between_wallets(made):
    made.accepts_wallet()
    visit = made.rig.visit(Plan("ios"))
    assert visit.accepted
    made.accepts_wallet()


# MARK: what lets nobody in


def changed(**parameters):
    def spoil(wallet: KeyWallet) -> None:
        wallet.parameters = parameters
    return spoil


def with_payload(**members):
    def spoil(wallet: KeyWallet) -> None:
        import time
        wallet.payload = {name: value(int(time.time())) if callable(value) else value for name, value in members.items()}
    return spoil


def with_claim(objects: dict | None = None, **more):
    def spoil(wallet: KeyWallet) -> None:
        wallet.claims = [wallet.claim({NAME: "Mallory", **(objects or {})}, **more)]
    return spoil


def other_key(wallet: KeyWallet) -> None:
    wallet.claims = [KeyWallet(wallet.authority, CLIENT).claims[0]]


def other_signer(wallet: KeyWallet) -> None:
    wallet.signer = KeyWallet(wallet.authority, CLIENT).key


def of_a_stranger(wallet: KeyWallet) -> None:
    wallet.claims, wallet.chain = [wallet.claim({NAME: "Mallory"}, authority=STRANGER)], [STRANGER.issuer, STRANGER.root]


def of_two_names(wallet: KeyWallet) -> None:
    wallet.claims.append(wallet.claim({NAME: "Mallory"}))


def without_a_name(wallet: KeyWallet) -> None:
    wallet.claims = [wallet.claim({})]


def without_claims(wallet: KeyWallet) -> None:
    wallet.claims = []


def unsigned(wallet: KeyWallet) -> None:
    wallet.header = {"alg": "none"}


REFUSALS = {
    "a parameter nobody knows": (changed(more="1"), "answer-malformed"),
    "certificates that are none": (changed(certs=base64.b64encode(b"certificate").decode()), "answer-malformed"),
    "no token": (changed(id_token=""), "answer-malformed"),
    "another nonce": (changed(nonce=base64.b64encode(bytes(32)).decode()), "nonce-mismatch"),
    "another nonce in the token": (with_payload(nonce=base64.b64encode(bytes(32)).decode()), "nonce-mismatch"),
    "a holder who says no": (changed(result="error"), "declined"),
    "a token that nobody signed": (unsigned, "token-malformed"),
    "a token signed by another key": (other_signer, "token-signature"),
    "a token for another gate": (with_payload(aud="harbour-gate-3"), "audience-mismatch"),
    "a token that has ended": (with_payload(iat=lambda now: now - 100, exp=lambda now: now - 1), "token-expired"),
    "a token of long ago": (with_payload(iat=lambda now: now - 700), "token-time"),
    "a token of tomorrow": (with_payload(iat=lambda now: now + 86_400, exp=lambda now: now + 86_460), "token-time"),
    "somebody else's claim": (other_key, "claim-key-mismatch"),
    "a claim that has ended": (with_claim(ends=-1), "claim-expired"),
    "a claim of tomorrow": (with_claim(begins=1), "claim-not-yet-valid"),
    "a claim of a stranger's": (of_a_stranger, "claim-untrusted"),
    "two names": (of_two_names, "claim-ambiguous"),
    "no name": (without_a_name, "object-missing"),
    "a key and nothing else": (without_claims, "object-missing"),
    "another kind of claim": (with_claim({CLASS: "Loyalty", TYPE: "Harbour points"}), "type-not-trusted"),
}


@pytest.mark.parametrize("what", REFUSALS)
def test_answers_that_let_nobody_in(made, what):
    spoil, reason = REFUSALS[what]
    wallet, code = made.wallet(), made.code()
    spoil(wallet)
    made.refuses_wallet(reason, wallet.answer(code))
    # An issuer who is believed has vouched for the key: the request is used up.
    if reason in ("claim-ambiguous", "type-not-trusted") or what == "no name":
        made.used.add(code)
    made.accepts_wallet()


@pytest.mark.parametrize("which", (0, 1), ids=("the key", "the claim"))
def test_what_was_revoked(made, listed_wallets, which):
    made.refuses_wallet("revoked", listed_wallets[which].answer(made.code()))
    made.accepts_wallet()


@pytest.mark.parametrize("callback", ("http://gate.local/tk/answer?lane=4", "http://gate.local/tk/answer"))
def test_an_answer_to_another_lane(made, callback):
    made.refuses_wallet("callback-mismatch", made.wallet().answer(made.code(), callback))
    made.accepts_wallet()


def test_other_addresses_are_nobodys_business(made):
    mark = made.mark()
    for callback in ("http://gate.local/tk/answers?lane=5", "https://gate.local/tk/answer?lane=5", "http://gate.example/tk/answer?lane=5"):
        made.shows(made.draws(shots, made.wallet().answer(made.code(), callback)))
        made.waits(1)
    made.accepts_wallet()
    assert len(made.gate.verdicts()) == mark + 1


def test_the_gates_own_code_in_a_pane_of_glass(made):
    mark = made.mark()
    made.shows(made.draws(shots, made.code(), "mirrored"))
    made.waits(1)
    made.accepts_wallet()
    assert len(made.gate.verdicts()) == mark + 1


# MARK: once, and not for long


def test_the_same_answer_twice(made):
    wallet, code = made.wallet(), made.code()
    text = wallet.answer(code)
    made.accepts_wallet(text=text)
    # In other words, which no memory of codes knows: a blank in the certificates says nothing.
    assert text.count("&chain=") == 1
    made.refuses_wallet("nonce-mismatch", text.replace("&chain=", "&chain=+"))
    made.accepts_wallet()


def test_junk_does_not_take_the_request_away(made):
    """Somebody who only sees the screen holds up what repeats the nonce, and a visitor who scanned the code before answers it all the same."""
    wallet, code = made.wallet(), made.code()
    answer = wallet.answer(code)
    stranger = made.wallet()
    of_a_stranger(stranger)
    made.refuses_wallet("claim-untrusted", stranger.answer(code))
    made.refuses_wallet("answer-malformed", f"{CALLBACK}&nonce={random.randbytes(4).hex()}&junk=1")
    assert made.code() == code
    made.accepts_wallet(text=answer)


def test_an_answer_for_a_gate_that_has_ended_since(tmp_path):
    with gate(tmp_path) as made:
        answer = made.wallet().answer(made.code())
        made.run(made.gate.stop())
        made.rig.restart_if_left_alone()
        made.run(made.gate.uri())
        made.says("codes are read by")
        made.refuses_wallet("nonce-mismatch", answer)
        made.accepts_wallet()


# MARK: other gates


def test_nobody_knows_what_was_revoked(tmp_path):
    with gate(tmp_path, entry={"has_list": False}) as made:
        for _ in range(2):
            made.refuses_wallet("status-unknown", made.wallet().answer(code := made.code()))
            made.used.add(code)


@pytest.mark.parametrize("fetched, unknown, outcome", ((-2 * 86_400, "reject", "status-stale"), (-8 * 86_400, "accept", "status-unknown"),
                                                       (-8 * 86_400, "reject", None)))
def test_how_old_the_list_is(tmp_path, fetched, unknown, outcome):
    with gate(tmp_path, entry={"fetched": fetched, "status": {"unknown": unknown}}) as made:
        if outcome is None:
            made.refuses_wallet("status-unknown", made.wallet().answer(made.code()))
        else:
            assert outcome in made.accepts_wallet()["notes"]


def test_a_name_of_somebody_elses_claim(tmp_path):
    """Both issuers are believed, and the one who requires a name does not vouch for it."""
    other = KeyAuthority("Port")
    made = KeyRig(tmp_path)
    other.write(made.rig.trust, has_list=False, requires=())
    made.open()
    try:
        wallet, code = made.wallet(), made.code()
        kind = {TYPE: "Harbour pass", CLASS: "Access", ASSURANCE: "3.0"}
        wallet.claims = [made.authority.claim(wallet.key, {**kind, OF_AGE: "true"}), other.claim(wallet.key, {**kind, NAME: "Noor"})]
        wallet.chain = [made.authority.issuer, other.issuer]
        record = made.refuses_wallet("claim-missing", wallet.answer(code))
        assert record["detail"] == "fullName"
        made.used.add(code)
        made.accepts_wallet()
    finally:
        made.close()


def test_where_a_face_is_required_a_key_is_not_enough(tmp_path):
    with gate(tmp_path, policy="required", look=20) as made:
        code = made.code()
        made.refuses_wallet("no-portrait", made.wallet().answer(code), binding="wallet-key")


def test_nothing_is_asked_where_the_site_does_not_say_so(tmp_path):
    made = KeyRig(tmp_path)
    made.rig.options = [option for option in made.rig.options if option not in ("--trusted-key", str(tmp_path / "trusted-key.json"))]
    (tmp_path / "offer").mkdir()
    place = made.rig.options.index("--offer")
    del made.rig.options[place:place + 4]
    made.open()
    try:
        mark = made.mark()
        made.shows(made.draws(shots, f"{CALLBACK}&result=success&nonce=x"))
        made.waits(1)
        visit, _ = made.visit()
        assert visit.accepted and len(made.gate.verdicts()) == mark + 1 and not made.gate.screen.others
    finally:
        made.close()


def test_nothing_of_an_answer_is_said_or_written(tmp_path):
    name = "".join(random.choices("QXZJVKWYqxzjvkwy", k=24))
    with gate(tmp_path) as made:
        wallet, code = made.wallet(name), made.code()
        text = wallet.answer(code)
        nonce = parsed(code)["nonce"]
        made.accepts_wallet(text=text)
        bad = made.wallet(name)
        with_payload(aud="x")(bad)
        made.refuses_wallet("audience-mismatch", bad.answer(made.code()))
        assert made.run(made.gate.stop()) == 0, made.gate.errors
        written = b"".join(path.read_bytes() for path in (tmp_path / "data").rglob("*") if path.is_file()) + "\n".join(made.gate.errors).encode()
        for secret in (name, nonce, wallet.address[2:], wallet.token("")[:40], json.dumps(name)[1:20]):
            assert secret.encode() not in written, secret
