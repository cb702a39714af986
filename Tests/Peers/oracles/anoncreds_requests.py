"""Requests for presentations and answers to them, drawn from a seed: what may be asked of a holder's credentials, in every combination."""
import random

from anoncreds import generate_nonce

from anoncreds_holder import NOW, Held, Holder

OPERATORS = {">=": lambda value, bound: value >= bound, ">": lambda value, bound: value > bound,
             "<=": lambda value, bound: value <= bound, "<": lambda value, bound: value < bound}
# Not revealed in the W3C form, where numbers lose their sign (anoncreds.md section 7).
NEGATIVE = {"floor", "since"}
NUMBERS = {"resident": ["birth_date", "Years", "floor", "documentNumber"], "club": ["since"], "permit": ["years", "permit number"]}


def view(name: str) -> str:
    return name.replace(" ", "").lower()


class Draw:
    """One request and what answers it."""

    def __init__(self, holder: Holder, seed: int):
        self.random = random.Random(seed)
        self.holder = holder
        self.form = self.random.choice(["classic", "classic", "w3c"])
        self.request = {"nonce": generate_nonce(), "name": "gate", "version": "1.0", "requested_attributes": {}, "requested_predicates": {}}
        self.attested, self.uses, self.count = {}, [], 0
        kinds = self.random.sample(list(holder.held), self.random.choice([1, 1, 2, 3]))
        for kind in kinds:
            self.use(holder.held[kind])
        if self.form == "classic" and self.random.random() < 0.2:
            referent = self.referent()
            self.request["requested_attributes"][referent] = {"name": "telephone"}
            self.attested[referent] = "+36 1 555 0100"

    def referent(self) -> str:
        self.count += 1
        return self.random.choice(["item", "ref ", "Ő"]) + str(self.count)

    def spelled(self, name: str) -> str:
        """A name of the same view."""
        way = self.random.randrange(4)
        return name.upper() if way == 1 else name.replace("_", "_ ") if way == 2 else name.lower() if way == 3 else name

    def restrictions(self, held: Held) -> list | dict:
        """Met by this credential and by no other."""
        issuer, schema = held.issuer, {"resident": "resident", "club": "membership", "permit": "permit"}[held.kind]
        return self.random.choice([
            [{"cred_def_id": issuer.definition_id}], [{"issuer_id": "did:web:nobody.example"}, {"schema_id": issuer.schema_id}],
            {"$and": [{"issuer_id": issuer.id}, {"schema_name": schema}]}, {"schema_name": {"$in": ["x", schema]}},
            {"$and": [{"schema_id": issuer.schema_id}, {"$not": {"schema_name": "x"}}]}])

    def use(self, held: Held):
        revealed, hidden, predicates = [], [], []
        names = [name for name in held.values if self.form == "classic" or name not in NEGATIVE]
        self.random.shuffle(names)
        for name in names[:self.random.randrange(3)]:
            revealed.append(self.attribute(held, {"name": self.spelled(name)}))
        rest = names[3:]
        if len(rest) > 1 and self.random.random() < 0.4:
            revealed.append(self.attribute(held, {"names": rest[:self.random.randrange(1, len(rest)) + 1]}))
        elif rest and self.form == "classic" and self.random.random() < 0.4:
            hidden.append(self.attribute(held, {"name": rest[0]}))
        shown = {view(name) for referent in revealed for name in self.names(referent)}
        numbers = [name for name in NUMBERS[held.kind] if view(name) not in shown]
        if self.form == "w3c":
            # Of others the package does not find its own marks.
            numbers = [name for name in numbers if name == view(name)]
        for name in self.random.sample(numbers, min(len(numbers), self.random.choice([0, 1, 1, 2]))):
            predicates.append(self.predicate(held, name))
        if not revealed and not hidden and not predicates:
            revealed.append(self.attribute(held, {"name": names[0]}))
        status = None
        if held.index is not None and self.random.random() < 0.6:
            status = self.random.choice(self.holder.lists)
            self.request["non_revoked"] = {"from": 0, "to": NOW}
        self.uses.append((held, revealed, hidden, predicates, status))

    def names(self, referent: str) -> list:
        item = self.request["requested_attributes"][referent]
        return item.get("names") or [item["name"]]

    def attribute(self, held: Held, item: dict) -> str:
        referent = self.referent()
        self.request["requested_attributes"][referent] = item | {"restrictions": self.restrictions(held)}
        return referent

    def predicate(self, held: Held, name: str) -> str:
        value, operator, referent = int(held.values[name]), self.random.choice(list(OPERATORS)), self.referent()
        away = self.random.choice([0, 1, 7, 1_000_000])
        bound = value + away * (1 if operator in ("<=", "<") else -1)
        bound = max(-2**31, min(2**31 - 1, bound))
        if not OPERATORS[operator](value, bound):
            operator, bound = (">=" if ">" in operator else "<="), value
        name = name if self.form == "classic" else name.lower()
        self.request["requested_predicates"][referent] = {
            "name": name, "p_type": operator, "p_value": bound, "restrictions": self.restrictions(held)}
        return referent

    def presentation(self) -> dict:
        return self.holder.present(self.form, self.request, self.uses, self.attested)
