"""Whom a gate believes about AnonCreds credentials and keys of Trusted Key wallets: from exported objects to a bundle that is installed."""
import datetime
import hashlib
import json
import subprocess
import sys
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from gate import command, is_reference
from trust_bundle import Operators, rfc3339, trust_command

pytestmark = pytest.mark.skipif(is_reference(), reason="the reference gate has no such commands")
ROOT = Path(__file__).resolve().parents[3]
VECTORS = ROOT / "Tests/Support/Vectors/anoncreds"
TOWN, CLUB = "did:web:town.example", "Th7MpTaRZVRYnPiabds81Y"
PERMIT, REGISTRY = TOWN + "/anoncreds/cred-def/permit-north", TOWN + "/anoncreds/rev-reg/permit-north-4"
LIST = "https://harbour.example/revoked"


def objects(issuer: str) -> dict:
    """What the vectors' issuers published, as maps by id."""
    context = json.loads((VECTORS / "context.json").read_text())
    found = {part: {id: value for id, value in context[part].items() if id.startswith(issuer)} for part in context}
    if issuer == TOWN:
        accepted = json.loads((VECTORS / "vectors.json").read_text())["accepted"]
        found["rev_status_lists"] = next(vector for vector in accepted if vector["name"].startswith("a14"))["rev_status_lists"]
    return found


class Desk:
    def __init__(self, folder: Path) -> None:
        self.folder, self.trust, self.exported = folder, folder / "trust", folder / "exported"
        self.out = self.trust / "anoncreds/town.json"
        self.out.parent.mkdir(parents=True)
        self.exported.mkdir()

    def export(self, content, name: str = "town.json") -> None:
        (self.exported / name).write_text(json.dumps(content))

    def provision(self, *words) -> subprocess.CompletedProcess:
        words = [sys.executable, ROOT / "tools/proofs/provision.py", self.exported, self.out, *map(str, words)]
        return subprocess.run(words, capture_output=True, text=True, timeout=120)

    def done(self, *words) -> list[str]:
        result = self.provision(*words)
        assert result.returncode == 0, result
        return result.stdout.splitlines()

    def refused(self, says: str) -> None:
        """And what is there already stays as it is."""
        before = self.out.read_bytes() if self.out.exists() else None
        result = self.provision()
        assert (result.returncode, result.stdout) == (1, "") and result.stderr.startswith("refused: ") and says in result.stderr, result
        assert (self.out.read_bytes() if self.out.exists() else None) == before

    def entry(self, **others) -> None:
        digest = hashlib.sha256(self.out.read_bytes()).hexdigest()
        (self.trust / "town.json").write_text(json.dumps({
            "gatehouse-trust": 1, "ids": [TOWN], "name": "Town", "forms": ["anoncreds"], "claims": {"fullName": ["Full Name"]},
            "types": [TOWN + "/anoncreds/schema/resident-1.2", TOWN + "/anoncreds/schema/permit-2.0"],
            "anoncreds": {"file": "anoncreds/town.json", "sha256": digest}, "status": {"grace": 3600}, **others}))

    def harbour(self, root, addresses: list[str], **others) -> None:
        pem = root.public_bytes(serialization.Encoding.PEM).decode()
        (self.trust / "harbour.json").write_text(json.dumps({
            "gatehouse-trust": 1, "ids": ["https://harbour.example"], "forms": ["trustedkey"], "types": ["worker"],
            "claims": {"fullName": [["2.5.4.3"]]}, "x509": {"roots": [pem]},
            "trustedkey": {"clientId": "gate-2", "wallet": "https://wallet.example/request", "objects": ["2.5.4.3"], "revoked": LIST}, **others}))
        (self.trust / "lists").mkdir(exist_ok=True)
        (self.trust / "lists/harbour.txt").write_text("".join(sorted(address + "\n" for address in addresses)))
        (self.trust / "lists.json").write_text(json.dumps({"gatehouse-lists": 1, "lists": [{
            "url": LIST, "file": "lists/harbour.txt", "fetched": rfc3339(datetime.datetime.now().timestamp() - 3600),
            "kind": "trustedkey-addresses"}]}))

    def refuses(self, says: str) -> None:
        (self.trust / "bundle.json").unlink(missing_ok=True)
        words = [*command(), "trust", "build", self.trust, "--sequence", "1", "--valid-for", "9", "--out", self.folder / "x"]
        result = subprocess.run(list(map(str, words)), capture_output=True, text=True, timeout=120)
        assert result.returncode == 1 and says in result.stderr, result


@pytest.fixture
def desk(tmp_path):
    return Desk(tmp_path)


def authority(days: int = 365, is_authority: bool = True):
    key, now = ec.generate_private_key(ec.SECP256R1()), datetime.datetime.now(datetime.timezone.utc)
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Harbour Root")])
    usage = dict.fromkeys(["content_commitment", "key_encipherment", "data_encipherment", "key_agreement", "crl_sign", "encipher_only",
                           "decipher_only"], False)
    begin = now - datetime.timedelta(days=800)
    return (x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key()).serial_number(7)
            .not_valid_before(begin).not_valid_after(now + datetime.timedelta(days=days))
            .add_extension(x509.BasicConstraints(is_authority, None), critical=True)
            .add_extension(x509.KeyUsage(key_cert_sign=is_authority, digital_signature=not is_authority, **usage), critical=True).sign(key, hashes.SHA256()))


# MARK: the tool

def test_what_was_exported_becomes_the_file_of_the_entry(desk):
    desk.export(objects(TOWN))
    said = desk.done("--fetched", "2026-11-20T06:00:00Z")
    assert f"+ definitions {PERMIT}" in said and f"+ list of {REGISTRY} of 2026-09-24T14:13:20Z" in said
    assert json.loads(said[-1])["anoncreds"] == {
        "file": "anoncreds/town.json", "sha256": hashlib.sha256(desk.out.read_bytes()).hexdigest()}
    made = json.loads(desk.out.read_text())
    assert made["gatehouse-anoncreds"] == 1 and len(made["definitions"]) == 2 and {row["fetched"] for row in made["lists"]} == {"2026-11-20T06:00:00Z"}
    # The bits are the wallets' affair.
    assert all(set(row) == {"registry", "timestamp", "accumulator", "fetched"} for row in made["lists"])
    # The same again changes nothing but when it was fetched.
    assert not any(row[0] in "+-~" for row in desk.done())
    later = objects(TOWN)
    newest = max(later["rev_status_lists"], key=lambda row: row["timestamp"])
    later["rev_status_lists"] = [newest | {"timestamp": newest["timestamp"] + 86400}]
    desk.export(later)
    assert [row for row in desk.done() if row[0] in "+-~"] == [
        f"+ list of {REGISTRY} of 2026-09-25T14:13:20Z", f"- list of {REGISTRY} of 2026-09-23T14:13:20Z"]


def test_what_does_not_belong_together_is_refused(desk):
    good = objects(TOWN)

    def changed(part: str, id: str, **others):
        return {**good, part: {**good[part], id: {**good[part][id], **others}}}

    schema = good["cred_defs"][PERMIT]["schemaId"]
    value = good["cred_defs"][PERMIT]["value"]
    primary = value["primary"]
    for content, says in [
        ({**good, "schemas": {}}, "its schema is missing"),
        ({**good, "cred_defs": {}}, "no credential definition"),
        ({**good, "rev_reg_defs": {}}, "its registry is missing"),
        (changed("schemas", schema, attrNames=["holder", "Holder"]), "two of its attributes are one"),
        (changed("schemas", schema, attrNames=["holder"]), "its bases are of other attributes"),
        (changed("cred_defs", PERMIT, issuerId="did:web:other.example"), "its id does not belong to its issuer"),
        (changed("cred_defs", PERMIT, value={**value, "primary": {**primary, "s": "0" + primary["s"]}}), "s: no decimal number"),
        (changed("cred_defs", PERMIT, value={**value, "primary": {**primary, "s": primary["n"]}}), "s is no base"),
        (changed("cred_defs", PERMIT, value={**value, "primary": {**primary, "n": "15"}}), "n is no modulus"),
        (changed("cred_defs", PERMIT, value={**value, "revocation": {**value["revocation"], "h": "1 1 1 1 1 1"}}), "h: is not on the curve"),
        (changed("cred_defs", PERMIT, value={"primary": primary}), "cannot be revoked"),
        (changed("cred_defs", PERMIT, value={**value, "p_key": {"p": "1", "q": "2"}}), "has a secret"),
        ([good, changed("schemas", schema, version="9")], "is there twice, and differs"),
        ({"anything": 1}, "is no schema, definition, registry or status list"),
        ({"attrNames": ["a"], "name": "n", "version": "1", "issuerId": TOWN}, "has no id"),
    ]:
        desk.export(content)
        desk.refused(says)
    desk.export(good)
    desk.done()
    older = {**good, "rev_status_lists": [min(good["rev_status_lists"], key=lambda row: row["timestamp"]) | {"timestamp": 5}]}
    desk.export(older)
    desk.refused("older than the one")


def test_an_indy_ledger_names_schemas_by_number(desk):
    """Made of the club's objects, which have Indy's ids."""
    club = objects(CLUB)
    (schema_id, schema), = club["schemas"].items()
    (definition_id, definition), = club["cred_defs"].items()
    number = int(definition_id.split(":")[3])
    ledger = [
        {"txn": {"type": "101", "metadata": {"from": CLUB}, "data": {"data": {
            "name": schema["name"], "version": schema["version"], "attr_names": schema["attrNames"]}}},
         "txnMetadata": {"seqNo": number, "txnId": schema_id, "txnTime": 1700000000}},
        {"op": "REPLY", "result": {"type": "108", "origin": CLUB, "ref": number, "signature_type": "CL", "tag": definition["tag"],
                                   "data": {"primary": definition["value"]["primary"]}, "seqNo": number + 1}},
    ]
    desk.export(ledger)
    desk.done()
    made = json.loads(desk.out.read_text())
    assert [(row["id"], row["issuerId"], row["schemaId"]) for row in made["definitions"]] == [(definition_id, CLUB, schema_id)]
    assert made["schemas"][0]["attrNames"] == schema["attrNames"]


# MARK: the bundle

def test_a_bundle_of_proofs_is_built_shown_and_installed(desk):
    desk.export(objects(TOWN))
    desk.done("--fetched", rfc3339(datetime.datetime.now().timestamp() - 7200))
    desk.entry()
    revoked = ["0x" + "0a" * 20, "0x" + "f0" * 20]
    desk.harbour(authority(), revoked)
    people = Operators(desk.folder / "people")
    bundle = people.sign(desk.trust)
    shown = trust_command("inspect", bundle, "--root", people.root).splitlines()
    bits = int(objects(TOWN)["cred_defs"][PERMIT]["value"]["primary"]["n"]).bit_length()
    assert f"definition {PERMIT} of {TOWN}, {bits} bits, for {TOWN}/anoncreds/schema/permit-2.0, can be revoked" in shown
    assert "  fullName is Full Name" in shown and "  never expires" in shown
    assert any(row.startswith(f"  registry {REGISTRY}, 2 lists, the newest of 2026-09-24T14:13:20Z, fetched ") for row in shown)
    assert "trusted key client gate-2, wallet https://wallet.example/request, asks for 2.5.4.3" in shown
    assert any(row.startswith(f"address list {LIST}, 2 revoked addresses, fetched ") for row in shown)
    assert not any(row.lstrip().startswith("!") for row in shown), shown
    told = json.loads(trust_command("inspect", bundle, "--json"))
    assert [row["id"] for row in told["anoncreds"]["definitions"]] == [PERMIT, TOWN + "/anoncreds/cred-def/resident-2026"]
    assert told["anoncreds"]["definitions"][0]["registries"][0]["newest"]["timestamp"] == "2026-09-24T14:13:20Z"
    assert told["trustedkey"]["clientId"] == "gate-2" and told["trustedkey"]["lists"][0]["addresses"] == 2
    gate = desk.folder / "gate"
    gate.mkdir()
    trust_command("install", bundle, "--root", people.root, "--into", gate)

    # A list that goes back, and an address that does.
    was = desk.out.read_text()
    made = json.loads(was)
    made["lists"] = [row for row in made["lists"] if row["timestamp"] == min(other["timestamp"] for other in made["lists"])]
    desk.out.write_text(json.dumps(made))
    desk.entry()
    desk.harbour(authority(-1), revoked[:1])
    second = people.sign(desk.trust, sequence=2)
    difference = trust_command("diff", bundle, second).splitlines()
    assert f"! status list of {REGISTRY}: made before the one so far: whoever was revoked since is good again" in difference
    assert f"~ address list {LIST}: 0 newly revoked, 1 good again" in difference
    told = json.loads(trust_command("diff", bundle, second, "--json"))
    assert told["anoncreds"]["newestLists"][0]["registry"] == REGISTRY and told["trustedkey"]["lists"]["changed"] == [LIST]
    assert "  ! it is not valid at this time: no claim under it is believed" in trust_command("inspect", second).splitlines()


def test_a_bundle_with_what_cannot_be_used_is_refused_by_file_and_member(desk):
    desk.export(objects(TOWN))
    desk.done()
    desk.entry(requires=["portrait"], claims={"portrait": ["portrait"]})
    desk.refuses("anoncreds/town.json: definitions[0].schemaId: has a value that this format does not allow.")
    desk.entry(anoncreds={"file": "../town.json", "sha256": "0" * 64})
    desk.refuses("town.json: anoncreds.file: has a value that this format does not allow.")
    desk.entry(anoncreds={"file": "anoncreds/town.json", "sha256": "0" * 64})
    desk.refuses("town.json: anoncreds.sha256: has a value that this format does not allow.")
    desk.entry(anoncreds={"file": "anoncreds/none.json", "sha256": "0" * 64})
    desk.refuses("anoncreds/none.json: cannot be read")
    desk.entry()
    desk.harbour(authority(is_authority=False), [])
    desk.refuses("harbour.json: x509.roots[0]: has a value that this format does not allow.")
    desk.harbour(authority(), ["0x" + "AB" * 20])
    desk.refuses("lists/harbour.txt: line 1: has a value that this format does not allow.")
    desk.harbour(authority(), [], trustedkey={"clientId": "a", "wallet": "https://wallet.example", "objects": ["2.5.4.3"]})
    desk.refuses(f"{LIST}: is named by no issuer's entry")
