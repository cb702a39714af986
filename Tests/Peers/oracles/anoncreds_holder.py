"""A holder of AnonCreds credentials by the package `anoncreds`, and that package's verdict on what it presents.

The credentials are issued here, under the test issuers of the suites' `anoncreds/issuer_keys.json`: making such keys takes minutes. Link secret,
registry, status lists, credentials and every proof are new in each run.
"""
import json
import os
from dataclasses import dataclass
from pathlib import Path

from anoncreds import (
    AnoncredsError, Credential, CredentialDefinition, CredentialDefinitionPrivate, CredentialOffer, CredentialRequest,
    CredentialRevocationConfig, CredentialRevocationState, KeyCorrectnessProof, PresentCredentials, Presentation, RevocationRegistryDefinition,
    RevocationStatusList, Schema, W3cCredential, W3cPresentation, create_link_secret)

SUITES = Path(os.environ.get("GATEHOUSE_SUITES") or Path(__file__).resolve().parents[4] / "shared" / "data")
KEYS = SUITES / "anoncreds" / "issuer_keys.json"
FIRST, DAY = 1_790_000_000, 86_400
NOW = FIRST + 3 * DAY + 3600
REGISTRY = "did:web:town.example/anoncreds/rev-reg/permit-oracle"
VALUES = {
    "resident": {"Full Name": "Zsófia Ősz-O’Neill", "family name": "Ősz-O’Neill", "birth_date": "19820227", "Years": "44", "floor": "-3",
                 "portrait": "R0lGODdhAQABAIAA", "documentNumber": "007421"},
    "club": {"member": "Z. Ősz", "points": "2147483648", "since": "-2147483648"},
    "permit": {"holder": "Zsófia Ősz-O’Neill", "years": "44", "zone": "North 7", "permit number": "+12"},
}


def content(made) -> dict:
    return json.loads(made.to_json())


class Issuer:
    """One of the test issuers: schema, definition, and the private half."""

    def __init__(self, stated: dict):
        self.schema_id, self.definition_id, self.id = stated["schema_id"], stated["cred_def_id"], stated["issuer"]
        self.schema = Schema.load(json.dumps(stated["schema"]))
        self.definition = CredentialDefinition.load(json.dumps(stated["cred_def"]))
        self.private = CredentialDefinitionPrivate.load(json.dumps(stated["cred_def_private"]))
        self.proof = KeyCorrectnessProof.load(json.dumps(stated["key_correctness_proof"]))


@dataclass
class Held:
    """A credential in both forms; `index` is its place in the registry, where it has one."""
    kind: str
    issuer: Issuer
    values: dict
    forms: dict
    index: int | None = None


class Holder:
    """One link secret, a credential of each issuer, and one that was revoked between the second and the third list."""

    def __init__(self, tails: Path):
        self.issuers = {kind: Issuer(stated) for kind, stated in json.loads(KEYS.read_text()).items()}
        self.secret = create_link_secret()
        permit = self.issuers["permit"]
        self.registry, self.registry_private = RevocationRegistryDefinition.create(
            permit.definition_id, permit.definition, permit.id, "oracle", "CL_ACCUM", 16, tails_dir_path=str(tails))
        first = RevocationStatusList.create(permit.definition, REGISTRY, self.registry, self.registry_private, permit.id, True, FIRST)
        self.first = first
        self.held = {kind: self.issue(kind, VALUES[kind], 3 if kind == "permit" else None) for kind in VALUES}
        self.revoked = self.issue("permit", VALUES["permit"] | {"zone": "South 1"}, 5)
        second = first.update(permit.definition, self.registry, self.registry_private, [3, 5], None, FIRST + DAY)
        third = second.update(permit.definition, self.registry, self.registry_private, [7], [5], FIRST + 2 * DAY)
        self.lists = [second, third]

    def issue(self, kind: str, values: dict, index: int | None) -> Held:
        issuer, forms = self.issuers[kind], {}
        for form in ("classic", "w3c"):
            offer = CredentialOffer.create(issuer.schema_id, issuer.definition_id, issuer.proof)
            request, metadata = CredentialRequest.create("entropy", None, issuer.definition, self.secret, "default", offer)
            # Each form has a place of its own in the registry.
            place = None if index is None else index + (0 if form == "classic" else 8)
            revocation = None if place is None else CredentialRevocationConfig(self.registry, self.registry_private, self.first, place)
            if form == "classic":
                made = Credential.create(issuer.definition, issuer.private, offer, request, values, None, revocation)
            else:
                made = W3cCredential.create(issuer.definition, issuer.private, offer, request, values, revocation, None)
            forms[form] = made.process(metadata, self.secret, issuer.definition, self.registry if index is not None else None)
        return Held(kind, issuer, values, forms, index)

    def context(self) -> dict:
        """What the gate's bundle has for all of it: `context.json`."""
        return {"schemas": {issuer.schema_id: content(issuer.schema) for issuer in self.issuers.values()},
                "cred_defs": {issuer.definition_id: content(issuer.definition) for issuer in self.issuers.values()}}

    def state(self, held: Held, form: str, status) -> CredentialRevocationState:
        place = held.index + (0 if form == "classic" else 8)
        return CredentialRevocationState.create(self.registry, status, place, self.registry.tails_location)

    def present(self, form: str, request: dict, uses: list, attested: dict) -> dict:
        """The presentation of these uses: credential, referents revealed, referents not revealed, predicates, and the status list it is
        shown not to be revoked in, or None."""
        credentials = PresentCredentials()
        for held, revealed, hidden, predicates, status in uses:
            proven = {}
            if status is not None:
                proven = {"timestamp": content(status)["timestamp"], "rev_state": self.state(held, form, status)}
            credential = held.forms[form]
            if revealed:
                credentials.add_attributes(credential, *revealed, reveal=True, **proven)
            if hidden:
                credentials.add_attributes(credential, *hidden, reveal=False, **proven)
            if predicates:
                credentials.add_predicates(credential, *predicates, **proven)
        schemas, definitions = self.objects()
        if form == "w3c":
            return content(W3cPresentation.create(json.dumps(request), credentials, self.secret, schemas, definitions))
        return content(Presentation.create(json.dumps(request), credentials, attested, self.secret, schemas, definitions))

    def objects(self) -> tuple:
        return ({issuer.schema_id: issuer.schema for issuer in self.issuers.values()},
                {issuer.definition_id: issuer.definition for issuer in self.issuers.values()})

    def verdict(self, form: str, request: dict, presentation: dict) -> bool:
        """The package's own: what it cannot read it does not accept."""
        schemas, definitions = self.objects()
        try:
            received = (W3cPresentation if form == "w3c" else Presentation).load(json.dumps(presentation))
            return bool(received.verify(json.dumps(request), schemas, definitions, {REGISTRY: self.registry}, self.lists))
        except AnoncredsError:
            return False

    def vector(self, name: str, form: str, request: dict, presentation: dict) -> dict:
        """In the form of the suites, with the package's verdict as what is expected."""
        accepted = self.verdict(form, request, presentation)
        return {"name": name, "form": form, "expect": "accept" if accepted else "reject", "at": NOW, "pres_req": request,
                "presentation": presentation, "rev_reg_defs": {REGISTRY: content(self.registry)},
                "rev_status_lists": [content(status) for status in self.lists]}
