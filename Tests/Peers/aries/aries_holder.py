"""A holder of AnonCreds: credentials under the test issuers of Tests/Support/Vectors/anoncreds, and presentations made of them, honest or
not, by the package `anoncreds`. What a gate has to pin for them is here, too."""
import copy
import json
import tempfile
import time
from pathlib import Path

from anoncreds import (
    Credential, CredentialDefinition, CredentialDefinitionPrivate, CredentialOffer, CredentialRequest, CredentialRevocationConfig,
    CredentialRevocationState, KeyCorrectnessProof, PresentCredentials, Presentation, RevocationRegistryDefinition, RevocationStatusList,
    Schema, create_link_secret, generate_nonce)

KEYS = Path(__file__).resolve().parents[2] / "Support/Vectors/anoncreds/issuer_keys.json"
NAME = "Zsófia Ősz-O’Neill"
VALUES = {
    "resident": {"Full Name": NAME, "family name": "Ősz-O’Neill", "birth_date": "19820227", "Years": "44", "floor": "-3",
                 "portrait": "none", "documentNumber": "007421"},
    "permit": {"holder": NAME, "years": "44", "zone": "North 7", "permit number": "+12"},
    "club": {"member": "Z. Ősz", "points": "120", "since": "2019"},
}
# Of the registry: the holder's own credential, and one that is revoked.
GOOD, REVOKED = 1, 2


def view(name: str) -> str:
    """Attributes are compared so (anoncreds.md)."""
    return name.replace(" ", "").lower()


def plain(made) -> dict:
    return json.loads(made.to_json())


class Issuers:
    """The test issuers, and a registry of revocations that is new each time."""

    def __init__(self, fresh: bool = False, now: int | None = None) -> None:
        # Registries of one time are told apart by their keys alone.
        self.now = now = now or int(time.time())
        self.keys, self.fresh = json.loads(KEYS.read_text()), fresh
        self.parts, self.schemas, self.definitions = {}, {}, {}
        for name, entry in self.keys.items():
            schema = Schema.load(json.dumps(entry["schema"]))
            public, private, proof = self.parts_of(name, entry, schema)
            self.parts[name] = (entry, public, private, proof)
            self.schemas[entry["schema_id"]], self.definitions[entry["cred_def_id"]] = schema, public
        entry, public, *_ = self.parts["permit"]
        self.registry_id = entry["issuer"] + "/anoncreds/rev-reg/wallet"
        self.registry, self.secret = RevocationRegistryDefinition.create(
            entry["cred_def_id"], public, entry["issuer"], "wallet", "CL_ACCUM", 8, tails_dir_path=tempfile.mkdtemp())
        self.first = RevocationStatusList.create(public, self.registry_id, self.registry, self.secret, entry["issuer"], True, now - 7200)
        self.before = self.first.update(public, self.registry, self.secret, [GOOD, REVOKED], None, now - 3600)
        self.after = self.before.update(public, self.registry, self.secret, None, [REVOKED], now - 600)

    def parts_of(self, name: str, entry: dict, schema: Schema):
        """Keys that are known, or others under the same ids, which nobody trusts."""
        if self.fresh:
            return CredentialDefinition.create(
                entry["schema_id"], schema, entry["issuer"], entry["cred_def"]["tag"], "CL", support_revocation=name == "permit")
        kinds = ((CredentialDefinition, "cred_def"), (CredentialDefinitionPrivate, "cred_def_private"),
                 (KeyCorrectnessProof, "key_correctness_proof"))
        return tuple(kind.load(json.dumps(entry[member])) for kind, member in kinds)

    def issue(self, name: str, values: dict, link: str, index: int | None = None) -> Credential:
        entry, public, private, proof = self.parts[name]
        revocation = CredentialRevocationConfig(self.registry, self.secret, self.first, index) if index else None
        offer = CredentialOffer.create(entry["schema_id"], entry["cred_def_id"], proof)
        request, metadata = CredentialRequest.create("entropy", None, public, link, "default", offer)
        issued = Credential.create(public, private, offer, request, values, None, revocation)
        return issued.process(metadata, link, public, self.registry if index else None)

    def exported(self, issuer: str) -> dict:
        """What one of them has published, as maps by id."""
        names = [name for name, entry in self.keys.items() if entry["issuer"] == issuer]
        ids = [self.keys[name] for name in names]
        found = {"schemas": {i["schema_id"]: plain(self.schemas[i["schema_id"]]) for i in ids},
                 "cred_defs": {i["cred_def_id"]: plain(self.definitions[i["cred_def_id"]]) for i in ids}}
        if "permit" in names:
            found |= {"rev_reg_defs": {self.registry_id: plain(self.registry)}, "rev_status_lists": [plain(self.before), plain(self.after)]}
        return found


class AriesHolder:
    """One link secret and its credentials."""

    def __init__(self, issuers: Issuers) -> None:
        self.issuers = issuers
        self.secret, self.other = create_link_secret(), create_link_secret()
        issue = issuers.issue
        self.credentials = {name: issue(name, VALUES[name], self.secret, GOOD if name == "permit" else None) for name in VALUES}
        self.revoked = issue("permit", dict(VALUES["permit"], zone="South 1"), self.secret, REVOKED)
        self.foreign = issue("club", VALUES["club"], self.other)
        self.last: dict | None = None

    def matches(self, name: str, wanted: list[str], restrictions) -> bool:
        entry = self.issuers.keys[name]
        if not {view(w) for w in wanted} <= {view(a) for a in entry["schema"]["attrNames"]}:
            return False
        facts = {"schema_id": entry["schema_id"], "cred_def_id": entry["cred_def_id"], "schema_name": entry["schema"]["name"],
                 "schema_version": entry["schema"]["version"]}
        facts |= dict.fromkeys(("issuer_id", "issuer_did", "schema_issuer_id", "schema_issuer_did"), entry["issuer"])
        rows = restrictions if isinstance(restrictions, list) else [restrictions] if restrictions else []
        return not rows or any(all(facts.get(k) == v for k, v in row.items() if not k.startswith("attr::")) for row in rows)

    def answer(self, request: dict, fault: str = "none") -> dict:
        """The presentation for a request, as a wallet makes it whose holder agrees to everything."""
        if fault == "replay" and self.last:
            return self.last
        request = self.altered(request, fault)
        present, attested = PresentCredentials(), {}
        for kind in ("requested_attributes", "requested_predicates"):
            for referent, asked in request.get(kind, {}).items():
                self.add(present, attested, kind, referent, asked, request, fault)
        issuers = self.issuers
        made = plain(Presentation.create(json.dumps(request), present, attested, self.secret, issuers.schemas, issuers.definitions))
        self.spoil(made, request, fault)
        self.last = made
        return made

    @staticmethod
    def altered(request: dict, fault: str) -> dict:
        request = copy.deepcopy(request)
        predicates = request.get("requested_predicates", {})
        if fault == "other-nonce":
            request["nonce"] = generate_nonce()
        if fault == "threshold":
            for asked in predicates.values():
                asked["p_value"] += -5 if asked["p_type"][0] == ">" else 50_000
        if fault == "no-revocation":
            for asked in (request, *request["requested_attributes"].values(), *predicates.values()):
                asked.pop("non_revoked", None)
        return request

    def add(self, present, attested: dict, kind: str, referent: str, asked: dict, request: dict, fault: str) -> None:
        wanted = asked.get("names") or [asked["name"]]
        name = next((n for n in self.credentials if self.matches(n, wanted, asked.get("restrictions"))), None)
        if name is None:
            if kind != "requested_attributes" or asked.get("restrictions") or "name" not in asked:
                raise LookupError(f"no credential for {referent}")
            attested[referent] = "self-attested"
            return
        is_revoked, more = fault == "revoked" and name == "permit", {}
        if name == "permit" and (asked.get("non_revoked") or request.get("non_revoked")):
            more = self.unrevoked(*((self.issuers.before, REVOKED) if is_revoked else (self.issuers.after, GOOD)))
        credential = self.revoked if is_revoked else self.credentials[name]
        if kind == "requested_attributes":
            present.add_attributes(credential, referent, reveal=True, **more)
        else:
            present.add_predicates(credential, referent, **more)

    def unrevoked(self, status: RevocationStatusList, index: int) -> dict:
        registry = self.issuers.registry
        return {"timestamp": plain(status)["timestamp"],
                "rev_state": CredentialRevocationState.create(registry, status, index, registry.tails_location)}

    def spoil(self, made: dict, request: dict, fault: str) -> None:
        if fault == "raw":
            proof = made["requested_proof"]
            shown = list(proof.get("revealed_attrs", {}).values())
            shown += [value for group in proof.get("revealed_attr_groups", {}).values() for value in group["values"].values()]
            shown[0]["raw"] = "Somebody Else"
        if fault == "no-predicate":
            for proof in made["proof"]["proofs"]:
                proof["primary_proof"]["ge_proofs"] = []
        if fault == "other-holder":
            # The library refuses two link secrets: the second proof is pasted in.
            lone = {"nonce": request["nonce"], "name": "x", "version": "1.0", "requested_attributes": {"x": {"name": "member"}},
                    "requested_predicates": {}}
            theirs = PresentCredentials()
            theirs.add_attributes(self.foreign, "x", reveal=True)
            issuers = self.issuers
            pasted = plain(Presentation.create(json.dumps(lone), theirs, {}, self.other, issuers.schemas, issuers.definitions))
            made["proof"]["proofs"][-1] = pasted["proof"]["proofs"][0]
