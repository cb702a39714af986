"""A gate with a signed trust bundle, over the air: JSON-LD credentials revocation, what is recorded, and bundles nobody may use."""
import json
import re
import subprocess
import time

import pytest

import issuer
import linked_contexts as c
from rig import Rig
from cwt_issuer import CWTIssuer
from gate import PATIENCE, audit_octets, command, is_reference, verify
from issuer import DAY, Issuer, wrap
from linked_issuer import LinkedIssuer, write_trust
from linked_refusals import changed
from phone import Plan
from status_lists import entry, list_credential, token_cwt, token_jwt, with_status, write_lists
from trust_bundle import Operators, rfc3339

pytestmark = pytest.mark.skipif(is_reference(), reason="the reference gate has no trust bundles")
PROFILES = ("android", "ios")
LINKED, TOKENS = ("https://issuer.demo.gatehouse.example/status/" + name for name in ("1", "2"))
CWT_TOKENS = "https://tokens.demo.gatehouse.example/status/3"
REVOKED, GOOD = 7, 9
# Words of a credential that no record may have.
PERSONAL = {"givenName": "Ashalata", "familyName": "Raosahib", "dateOfBirth": "1990-05-17", "UIN": 5512349876}


class Trusted:
    """Three issuers, one for each form, that can revoke; and the operators of the gate."""

    def __init__(self, folder, sd_jwt) -> None:
        self.folder, self.source, self.sd_jwt = folder, folder / "trust", sd_jwt
        self.linked = [LinkedIssuer("RsaSignature2018 PS256"), LinkedIssuer("ecdsa-rdfc-2019 ES256", name="did:web:second.demo.gatehouse.example")]
        self.token = CWTIssuer("ES256")
        write_trust(self.source, *self.linked)
        (self.source / "token.json").write_text(json.dumps(self.token.trust()))
        write_lists(self.source, {
            **{f"{LINKED}-{index}": list_credential(issuer, f"{LINKED}-{index}", [REVOKED]) for index, issuer in enumerate(self.linked)},
            TOKENS: token_jwt(sd_jwt, TOKENS, {REVOKED: 1}), CWT_TOKENS: token_cwt(self.token, CWT_TOKENS, {REVOKED: 1})}, int(time.time()) - 60)
        self.operators = Operators(folder / "operators")

    def install(self, into: str = "installed", **options):
        self.operators.install(self.source, self.folder / into, **options)
        return self.folder / into

    @property
    def options(self) -> tuple[str, str]:
        return "--root", str(self.operators.root)

    def credential(self, which: int = 0, index: int | None = GOOD, portrait: int = 100_000) -> dict:
        signer = self.linked[which]
        document = signer.document(portrait, **PERSONAL)
        return signer.secured(document if index is None else with_status(document, entry(f"{LINKED}-{which}", index)))


@pytest.fixture(scope="module")
def bundled(tmp_path_factory):
    rig = Rig(tmp_path_factory.mktemp("bundled"), algorithms=("ES256",))
    rig.trusted = Trusted(rig.folder, rig.issuer)
    rig.trust, rig.options = rig.trusted.install(), rig.trusted.options
    rig.open()
    yield rig
    rig.close()


def record_of(rig, visit) -> dict:
    rig.uri()
    return rig.gate.verdicts()[-1]


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("which, proof", ((0, "RsaSignature2018 security-v3"), (1, "ecdsa-rdfc-2019 document")), ids=("legacy", "Data Integrity"))
def test_json_ld_visit(bundled, profile, which, proof):
    credential = bundled.trusted.credential(which)
    before = time.monotonic()
    visit = bundled.visit(Plan(profile), wrap(credential, "ldp_vc"))
    assert visit.accepted and visit.message_length > 90_000, visit
    bundled.light("accept", before)
    record = record_of(bundled, visit)
    assert {name: record[name] for name in ("outcome", "form", "issuer", "bundle", "proof", "status", "notes")} == {
        "outcome": "accepted", "form": "ldp_vc", "issuer": bundled.trusted.linked[which].name, "bundle": 1, "proof": proof, "status": "good",
        "notes": ["holder-not-bound"]}
    # One extra claim that no signature covers.
    before = time.monotonic()
    visit = bundled.visit(Plan(profile), wrap(changed(credential, "credentialSubject", "clearance", to="all doors"), "ldp_vc"))
    assert visit.rejected, visit
    bundled.light("reject", before)
    record = record_of(bundled, visit)
    assert (record["outcome"], record["reasons"], record["bundle"]) == ("rejected", ["claims-uncovered"], 1)
    assert not {"proof", "status", "notes", "issuer"} & set(record)
    # One that was revoked.
    visit = bundled.visit(Plan(profile), wrap(bundled.trusted.credential(which, REVOKED), "ldp_vc"))
    assert visit.rejected and record_of(bundled, visit)["reasons"] == ["revoked"], visit


@pytest.mark.parametrize("profile", PROFILES)
def test_other_forms_under_a_bundle(bundled, profile):
    trusted = bundled.trusted
    status = lambda url, index: {"status_list": {"idx": index, "uri": url}}
    for form, payload in (("sd_jwt", lambda index: wrap(trusted.sd_jwt.credential(3000, status=status(TOKENS, index)))),
                          ("cwt", lambda index: wrap(trusted.token.token(3000, c65535=status(CWT_TOKENS, index)).hex(), "cwt_vc"))):
        visit = bundled.visit(Plan(profile), payload(GOOD))
        assert visit.accepted, visit
        record = record_of(bundled, visit)
        assert (record["form"], record["bundle"], record["status"]) == (form, 1, "good") and "proof" not in record
        visit = bundled.visit(Plan(profile), payload(REVOKED))
        assert visit.rejected and record_of(bundled, visit)["reasons"] == ["revoked"], visit


def test_json_ld_over_a_poor_link(bundled):
    plan = Plan("ios", att_mtu=185, loss=0.2, duplication=0.1, reorder=True, patience=30)
    visit = bundled.visit(plan, wrap(bundled.trusted.credential(), "ldp_vc"))
    assert visit.accepted and visit.rounds, visit


def test_records_have_nothing_of_the_person(bundled):
    for index in (GOOD, REVOKED):
        credential = bundled.trusted.credential(index=index)
        bundled.visit(payload=wrap(credential, "ldp_vc"))
    bundled.uri()
    said = audit_octets(bundled.gate.data).decode() + "\n".join(bundled.gate.errors) + "\n".join(bundled.gate.screen.lines)
    face = credential["credentialSubject"]["face"]
    for personal in (*map(str, PERSONAL.values()), "Asha", "Rao", "data:image", face[23:60], "did:example:visitor", credential["id"], "Example Way"):
        assert personal not in said, personal
    assert '"bundle":1' in said and '"proof":"RsaSignature2018 security-v3"' in said and '"revoked"' in said


# MARK: The bundle itself

@pytest.fixture
def trusted(tmp_path):
    sd_jwt = Issuer()
    issuer.write_trust(tmp_path / "trust", sd_jwt)
    return Trusted(tmp_path, sd_jwt)


def once(trusted: Trusted, folder, *options: str) -> tuple:
    """One visit of a gate of its own, the gate and its record."""
    rig = Rig(trusted.folder / "own", *options, algorithms=("ES256",))
    rig.trust = folder
    rig.open()
    try:
        visit = rig.visit(payload=wrap(trusted.credential(portrait=500), "ldp_vc"))
        return visit, record_of(rig, visit), rig.gate.errors
    finally:
        rig.close()


def test_expired_bundle_lets_nobody_in(trusted):
    """The gate runs, and says to each visitor's record why."""
    folder = trusted.install(begins=-20, ends=-1, created=-20, at=-10)
    visit, record, _ = once(trusted, folder, *trusted.options)
    assert visit.rejected, visit
    assert (record["reasons"], record["bundle"]) == (["trust-expired"], 1)


def test_unsigned_folder_is_said(trusted):
    visit, record, errors = once(trusted, trusted.source)
    assert visit.accepted and "bundle" not in record
    assert any("nobody signed the trust folder" in line for line in errors)


def refused(*arguments) -> str:
    """What a command says that does not even begin."""
    done = subprocess.run([*command(), *map(str, arguments)], capture_output=True, timeout=120)
    assert (done.returncode, done.stdout) == (2, b""), done
    return done.stderr.decode().splitlines()[0]


def test_trust_that_run_refuses(trusted, tmp_path):
    run = lambda folder, *options: refused("run", "--hci", f"unix:{tmp_path}/air", "--data", tmp_path / "data", "--trust", folder, *options)
    installed = trusted.install()
    assert "there is a bundle, and no --root" in run(installed)
    assert "root" in run(installed, "--root", tmp_path / "nowhere.json")
    assert not (tmp_path / "data").exists()


@pytest.mark.parametrize("signers, words", (("ours", "no trust bundle is installed"), ("others", "not signed by as many of the root")))
def test_trust_that_run_does_not_believe_lets_nobody_in(trusted, tmp_path, signers, words):
    # Only what is signed is believed, once somebody may sign: files beside the bundle are nobody's, and a bundle of other signers is none.
    folder, options = (trusted.source, trusted.options) if signers == "ours" else (trusted.install(), ("--root", Operators(tmp_path / "others").root))
    gate = subprocess.Popen([*command(), "run", "--hci", f"unix:{tmp_path}/air", "--data", tmp_path / "data", "--trust", folder, *options],
                            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    said = []
    for line in gate.stderr:
        said.append(line)
        if "NOBODY CAN ENTER" in line:
            break
    gate.terminate()
    assert gate.wait(PATIENCE) == 0, said
    gate.stderr.close()
    assert words in said[0] and "no-trust-bundle" in said[-1], said


def test_bundle_that_install_refuses(trusted):
    with pytest.raises(RuntimeError, match="install: 1: refused"):
        trusted.install("few", by=1)
    with pytest.raises(RuntimeError, match="install: 1: refused"):
        trusted.install("past", begins=-20, ends=-1, created=-20)
    folder = trusted.install(sequence=2)
    before = (folder / "bundle.cose").read_bytes()
    with pytest.raises(RuntimeError, match="sequence number 1, and this gate has had 2"):
        trusted.install(sequence=1)
    assert (folder / "bundle.cose").read_bytes() == before


def judged(trusted: Trusted, folder, *options, credential: dict | None = None) -> dict:
    file = trusted.folder / "credential.json"
    file.write_text(json.dumps(credential or trusted.credential(portrait=500)))
    return verify(file, ("--trust", folder, *trusted.options), *options)


@pytest.mark.parametrize("clock", ("reject", "accept"))
def test_clock_that_is_behind(trusted, clock):
    """The bundle was made yesterday, so it is not the day before: what a clock without a battery says."""
    folder = trusted.install(created=-1, clock=clock)
    credential = trusted.linked[0].secured(trusted.linked[0].document(500, issued=-100))
    at = "--at", rfc3339(time.time() - 2 * DAY)
    found = judged(trusted, folder, *at, credential=credential)
    if clock == "reject":
        assert [reason["code"] for reason in found["reasons"]] == ["clock-unsure"]
    else:
        assert (found["reasons"], found["notes"], found["bundle"]) == ([], ["clock-unsure"], 1)
        # What has expired by the time the bundle was made stays expired.
        expired = trusted.linked[0].credential(500, issued=-100, expires=-1.5)
        assert [reason["code"] for reason in judged(trusted, folder, *at, credential=expired)["reasons"]] == ["expired"]
    assert (judged(trusted, folder, credential=credential)["reasons"], found["bundle"]) == ([], 1)


def test_newer_bundle_is_taken_at_the_next_start(trusted):
    folder = trusted.install()
    assert judged(trusted, folder)["bundle"] == 1
    url = f"{LINKED}-0"
    write_lists(trusted.source, {url: list_credential(trusted.linked[0], url, [REVOKED, GOOD])}, int(time.time()))
    trusted.install(sequence=2)
    found = judged(trusted, folder)
    assert (found["bundle"], [reason["code"] for reason in found["reasons"]]) == (2, ["revoked"])


def test_unpinned_contexts_are_not_in_the_bundle(trusted):
    """What the folder does not pin is nowhere, whatever the credential's names are."""
    listed = json.loads((trusted.source / "contexts.json").read_text())
    listed["contexts"] = [one for one in listed["contexts"] if one["url"] != c.VISITOR]
    (trusted.source / "contexts.json").write_text(json.dumps(listed))
    assert [reason["code"] for reason in judged(trusted, trusted.install())["reasons"]] == ["context-unknown"]


# MARK: doctor

def doctor(folder, *options) -> tuple[int, list[str]]:
    done = subprocess.run([*command(), "doctor", "--hci", "unix:nowhere", "--data", "nowhere", "--trust", str(folder), *options],
                          capture_output=True, timeout=120)
    return done.returncode, done.stdout.decode().splitlines()


def test_doctor_reads_the_bundle(trusted):
    status, lines = doctor(trusted.install(ends=364.5), *trusted.options)
    assert status == 1  # there is no controller
    assert "trust: bundle 1, 364 days left, 4 issuers" in lines, lines
    assert f"  {trusted.linked[0].name}: 1 key, 0 roots" in lines
    assert [line for line in lines if line.startswith("! ") and not line.startswith("! controller")] == []
    assert any(re.fullmatch(r"trust: a folder that nobody signed, 4 issuers", line) for line in doctor(trusted.source)[1])


def test_doctor_says_what_is_wrong_with_the_bundle(trusted):
    said = lambda folder: [line for line in doctor(folder, *trusted.options)[1] if re.match("! (trust|clock)", line)]
    expired = said(trusted.install("expired", begins=-20, ends=-1, created=-20, at=-10))
    assert len(expired) == 1 and "the bundle has expired" in expired[0] and "gatehouse trust install" in expired[0]
    behind = said(trusted.install("behind", sequence=2, begins=2, at=3))
    assert len(behind) == 1 and behind[0].startswith("! clock: it is behind") and "rejected meanwhile" in behind[0]
    damaged = trusted.install("damaged", sequence=3)
    octets = bytearray((damaged / "bundle.cose").read_bytes())
    octets[len(octets) // 2] ^= 1
    (damaged / "bundle.cose").write_bytes(octets)
    assert len(said(damaged)) == 1
    (damaged / "highwater").unlink()
    assert len(said(damaged)) == 1
