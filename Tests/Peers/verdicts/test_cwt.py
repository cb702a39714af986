"""Verdicts on CBOR web tokens with claim 169, made by cbor2 and `cryptography`: as octets by the program, as hexadecimal text by oracle-check."""
import json
import time

import cbor2
import pytest

from cwt_issuer import ALGORITHMS, FULL_NAME, PHOTO, CWTIssuer, refusals
from gate import is_reference, verify
from issuer import b64, wrap
from oracle import verdicts

pytestmark = [pytest.mark.usefixtures("oracle_check"), pytest.mark.skipif(is_reference(), reason="the reference gate has no such command")]

FORMS = {
    "octets": lambda token: token, "hexadecimal": lambda token: token.hex().encode(), "capitals": lambda token: token.hex().upper().encode() + b"\n",
    "wrapper": lambda token: wrap(token.hex(), "cwt_vc"),
}


@pytest.fixture(params=ALGORITHMS)
def issuer(request):
    return CWTIssuer(request.param)


@pytest.fixture
def trust(issuer, tmp_path):
    (tmp_path / "trust").mkdir()
    (tmp_path / "trust" / "tokens.json").write_text(json.dumps(issuer.trust()))
    return tmp_path / "trust"


def expected(issuer: CWTIssuer, portrait: int = 60) -> dict:
    """Claim 169 in JSON."""
    return {str(label): b64(value) if isinstance(value, bytes) else value for label, value in issuer.identity(portrait).items()}


@pytest.mark.parametrize("tagged", (False, True))
@pytest.mark.parametrize("form", FORMS)
def test_good_token(issuer, trust, tmp_path, form, tagged):
    before = time.time()
    (tmp_path / "token").write_bytes(FORMS[form](issuer.token(20_000, tagged)))
    made = time.time()
    found = verify(tmp_path / "token", trust)
    assert (found["reasons"], found["notes"]) == ([], [])
    assert (found["issuer"], found["form"], found["type"], found["key"]) == (issuer.name, "cwt", "claim-169", issuer.kid)
    assert found["claims"] == (claims := expected(issuer, 20_000))
    assert found["roles"] == {"portrait": claims[str(PHOTO)], "fullName": "Asha Rao", "birthDate": "19900517"}
    assert before - 1 <= found["expires"] - 30 * 86400 <= made + 1
    assert "status" not in found and "proof" not in found


def test_identity_in_a_byte_string(issuer, trust, tmp_path):
    """As Inji puts it."""
    (tmp_path / "token").write_bytes(issuer.token(c169=cbor2.dumps(issuer.identity())))
    assert verify(tmp_path / "token", trust)["claims"] == expected(issuer)


def test_tokens_that_must_not_pass(issuer, trust, tmp_path):
    cases = refusals(issuer)
    answers = verdicts([(trust, [issuer.token().hex(), *(token.hex() for token, _ in cases.values()), issuer.token().hex()])], int(time.time()))
    assert answers[0]["reasons"] == answers[-1]["reasons"] == []
    wrong = [(name, reason, answer["reasons"]) for (name, (_, reason)), answer in zip(cases.items(), answers[1:-1]) if answer["reasons"] != [reason]]
    assert not wrong, wrong
    for name, (token, reason) in cases.items():
        (tmp_path / "token").write_bytes(token)
        assert [each["code"] for each in verify(tmp_path / "token", trust)["reasons"]] == [reason], name


def test_any_bit_of_a_token(issuer, trust):
    """One bit of each octet: rejected, or the same token in other octets."""
    token = issuer.token()
    spoiled = [token[:place] + bytes([token[place] ^ 1 << place % 8]) + token[place + 1 :] for place in range(len(token))]
    answers = verdicts([(trust, [one.hex() for one in spoiled])], int(time.time()))
    assert all(answer["reasons"] for answer in answers), [place for place, answer in enumerate(answers) if not answer["reasons"]]


def test_what_the_entry_says(issuer, tmp_path):
    token = issuer.token()
    nameless = {label: value for label, value in issuer.identity().items() if label != FULL_NAME}
    for index, (changes, content, reason) in enumerate((
            ({"types": ["another"]}, token, "type-not-trusted"), ({"forms": ["sd_jwt"]}, token, "form-not-trusted"),
            ({"requires": ["fullName"]}, issuer.token(c169=nameless), "claim-missing"), ({"requires": ["fullName"]}, token, None))):
        folder = tmp_path / str(index)
        folder.mkdir()
        (folder / "tokens.json").write_text(json.dumps(issuer.trust(**changes)))
        answer = verdicts([(folder, [content.hex()])], int(time.time()))[0]
        assert answer["reasons"] == ([reason] if reason else []), changes
