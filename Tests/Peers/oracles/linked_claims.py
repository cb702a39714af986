"""What a JSON-LD credential says of its subject, by PyLD's statements: the claims a gate must find in it, and why it must not accept it."""
import calendar
import json
import re
import time

import linked_contexts as c
from linked_issuer import LinkedIssuer, without
from oracle import canonical_json

RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
FIRST, REST, END, TYPE = RDF + "first", RDF + "rest", RDF + "nil", RDF + "type"
MOMENT = re.compile(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)Z")
# Members that decide: whatever of them makes no statement is not signed, and nothing may rest on it.
DECISIVE = ("id", "@id", "credentialSubject", "issuer", "issuanceDate", "expirationDate", "validFrom", "validUntil", "credentialStatus", "evidence")


class Statements:
    """The default graph of a document."""

    def __init__(self, dataset: dict) -> None:
        self.said: dict[str, list] = {}
        for triple in dataset.get("@default", []):
            self.said.setdefault(triple["subject"]["value"], []).append((triple["predicate"]["value"], triple["object"]))

    def objects(self, subject: str, predicate: str) -> list[dict]:
        return [value for name, value in self.said.get(subject, []) if name == predicate]

    def values(self, subject: str, predicate: str) -> list[str]:
        return [value["value"] for value in self.objects(subject, predicate)]

    def credentials(self) -> list[str]:
        return [node for node in self.said if c.CREDENTIALS + "VerifiableCredential" in self.values(node, TYPE)]

    def elements(self, node: str) -> list[dict] | None:
        """The elements of a list; None for what is none."""
        found = []
        while node != END:
            said = dict(self.said.get(node, []))
            if set(said) != {FIRST, REST} or len(self.said[node]) != 2:
                return None
            found.append(said[FIRST])
            node = said[REST]["value"]
        return found

    def value(self, term: dict, path: tuple):
        if term["type"] == "literal":
            return literal(term)
        if term["value"] == END:
            return {"@list": []}
        elements = self.elements(term["value"]) if term["type"] == "blank node" else None
        return self.node(term["value"], path) if elements is None else {"@list": [self.value(element, path) for element in elements]}

    def node(self, name: str, path: tuple = ()) -> dict:
        made = {} if name.startswith("_:") else {"@id": name}
        if name in path:
            return made
        for predicate in dict.fromkeys(predicate for predicate, _ in self.said.get(name, [])):
            if predicate == TYPE:
                made["@type"] = self.values(name, TYPE)
            else:
                found = [self.value(term, (*path, name)) for term in self.objects(name, predicate)]
                made[predicate] = found[0] if len(found) == 1 else found
        return made


def literal(term: dict):
    text, datatype = term["value"], term["datatype"]
    match datatype.removeprefix(c.XSD):
        case "string":
            return text
        case "boolean" if text in ("true", "false"):
            return text == "true"
        case "integer" if re.fullmatch(r"0|-?[1-9]\d*", text) and -(2**63) <= int(text) < 2**63:
            return int(text)
    return {"@value": text, "@language": term["language"]} if "language" in term else {"@value": text, "@type": datatype}


def ordered(claims):
    """The order of several values is not signed, but in lists."""
    if isinstance(claims, dict):
        return {name: [ordered(element) for element in value] if name == "@list" else ordered(value) for name, value in claims.items()}
    return sorted(map(ordered, claims), key=lambda value: json.dumps(value, sort_keys=True)) if isinstance(claims, list) else claims


def comparable(issuer: LinkedIssuer, claims):
    """In a form in which claims that say the same are equal."""
    return canonical_json(claims) if issuer.suite.is_canonical_json else json.dumps(ordered(claims), sort_keys=True)


def claims(issuer: LinkedIssuer, document: dict) -> dict:
    """The claims of a good credential."""
    if issuer.suite.is_canonical_json:
        subject = document["credentialSubject"]
        return subject[0] if isinstance(subject, list) else subject
    statements = Statements(issuer.oracle.dataset(without(document, "proof")))
    return statements.node(statements.values(statements.credentials()[0], c.CREDENTIALS + "credentialSubject")[0])


# MARK: Why not

def is_within(pointer: str, name: str) -> bool:
    return pointer == "/" + name or pointer.startswith(f"/{name}/")


def uncovered(dropped: list[dict]) -> bool:
    """Whether something that decides is not signed. The one exception is a type that no context defines."""
    return any(
        not entry["pointer"] or any(is_within(entry["pointer"], name) for name in DECISIVE)
        or (any(is_within(entry["pointer"], name) for name in ("type", "@type")) and entry["reason"] != "relativeType")
        for entry in dropped)


def breaks_rules(document: dict) -> bool:
    """The rules of shape that a generated document can break."""
    dates = [document[name] for name in ("issuanceDate", "expirationDate", "validFrom", "validUntil") if name in document]
    parts = [part for part in many(document.get("evidence", [])) if isinstance(part, dict)]
    names = [part["id"] for part in (*parts, *many(document["credentialSubject"])) if "id" in part]
    return (not all(map(moment, dates)) or any(not part.get("type") for part in parts) or any(name.startswith(("_:", "relative")) for name in names)
            or len(parts) < len(many(document.get("evidence", []))) or not many(document["credentialSubject"]))


def many(value) -> list:
    return value if isinstance(value, list) else [value]


def moment(text: str) -> int | None:
    found = MOMENT.fullmatch(text)
    return calendar.timegm(time.strptime(found.group(1), "%Y-%m-%dT%H:%M:%S")) if found else None


def faults(issuer: LinkedIssuer, document: dict, dropped: list[dict], now: int) -> set[str]:
    """Every reason to reject a document the issuer signed as statements; none if it is to be accepted. `dropped` is Gatehouse's journal, which
    test_oracle.py proves to be whole."""
    found = {"credential-rule"} if breaks_rules(document) else set()
    if uncovered(dropped):
        return found | {"claims-uncovered"}
    said = Statements(issuer.oracle.dataset(document))
    credentials = said.credentials()
    if len(credentials) != 1:
        return found | {"credential-ambiguous"}
    values = {name: said.values(credentials[0], c.CREDENTIALS + name) for name in DECISIVE}
    if values["issuer"] != [issuer.name]:
        found.add("issuer-mismatch")
    if len(values["credentialSubject"]) != 1:
        found.add("credential-ambiguous" if values["credentialSubject"] else "claims-uncovered")
    begins = [moment(text) for name in ("issuanceDate", "validFrom") for text in values[name]]
    ends = [moment(text) for name in ("expirationDate", "validUntil") for text in values[name]]
    if None in begins + ends:
        found.add("time-malformed")
    if any(end is not None and end <= now for end in ends):
        found.add("expired")
    if any(begin is not None and begin > now + 300 for begin in begins):
        found |= {"issued-in-future", "not-yet-valid"}
    if issuer.trust()["types"][0] not in said.values(credentials[0], TYPE):
        found.add("type-not-trusted")
    if values["credentialStatus"]:
        found.add("status-unknown")
    return found
