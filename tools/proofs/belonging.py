"""Whether exported AnonCreds objects belong together, and are what a gate can verify with (docs/specifications/anoncreds.md section 8).

The gate looks at everything again when the bundle is built and when it is loaded, also at what takes longer: points in their subgroups.
"""
import json
import math
import re
import time

from exported import Exported, Refused

# The prime of the curve's field.
P = 0x2523648240000001BA344D80000000086121000000000013A700000000000013
R = 1 << 280
POINTS_IN_G2 = ("g_dash", "h_cap", "u", "y")
POINTS_IN_G1 = ("g", "h", "h0", "h1", "h2", "htilde", "pk")
LONGEST_NUMBER = 1200
MOST_ATTRIBUTES = 125
# Seconds that the ledger's clock may be ahead of this computer's.
AHEAD = 300


def check(found: Exported) -> None:
    """Raises `Refused` with the first thing that does not belong, and puts the ids of schemas in the place of their numbers."""
    if not found.definitions:
        raise Refused("no credential definition")
    for schema in found.schemas.values():
        check_schema(schema)
    for definition in found.definitions.values():
        check_definition(definition, found)
    for registry in found.registries.values():
        what = f"registry {registry['id']}"
        definition = found.definitions.get(registry["definition"])
        if not definition:
            raise Refused(f"{what}: its definition is missing: {registry['definition']}")
        if "revocation" not in definition:
            raise Refused(f"{what}: credentials of its definition cannot be revoked")
        belongs(registry["id"], definition["issuerId"], what)
        point(registry["z"], 12, what)
    for row in found.lists.values():
        what = f"the list of {row['registry']}"
        if row["registry"] not in found.registries:
            raise Refused(f"{what}: its registry is missing")
        if type(row["timestamp"]) is not int or not 0 <= row["timestamp"] <= time.time() + AHEAD:
            raise Refused(f"{what}: is of no time, or of one to come: {row['timestamp']}")
        point(row["accumulator"], 6, what)


def view(attribute: str) -> str:
    return attribute.replace(" ", "").lower()


def belongs(id: str, issuer: str, what: str) -> None:
    """An object's id begins with its issuer's. One of another kind, such as an address, is not taken: nothing ties it to anybody."""
    if not id.startswith((issuer + "/", issuer + ":")):
        raise Refused(f"{what}: its id does not belong to its issuer, {issuer}")


def check_schema(schema: dict) -> None:
    what, names = f"schema {schema['id']}", schema["attrNames"]
    belongs(schema["id"], schema["issuerId"], what)
    if not isinstance(names, list) or not all(isinstance(name, str) and name for name in names):
        raise Refused(f"{what}: its attributes are no texts")
    if not 1 <= len(names) <= MOST_ATTRIBUTES:
        raise Refused(f"{what}: has {len(names)} attributes, 1 to {MOST_ATTRIBUTES} are allowed")
    if len({view(name) for name in names} | {"master_secret"}) != len(names) + 1:
        raise Refused(f"{what}: two of its attributes are one, in lower case and without blanks")


def check_definition(definition: dict, found: Exported) -> None:
    what = f"definition {definition['id']}"
    belongs(definition["id"], definition["issuerId"], what)
    definition["schemaId"] = found.numbers.get(definition["schemaId"], definition["schemaId"])
    schema = found.schemas.get(definition["schemaId"])
    if not schema:
        raise Refused(f"{what}: its schema is missing: {definition['schemaId']}")
    primary = definition["primary"]
    if set(primary) != {"n", "s", "rctxt", "z", "r"}:
        raise Refused(f"{what}: primary has other members than n, s, rctxt, z, r")
    n = number(primary["n"], f"{what}: n")
    if n % 2 == 0 or not 2047 <= n.bit_length() <= 2056:
        raise Refused(f"{what}: n is no modulus of 2047 to 2056 bits")
    if set(primary["r"]) != {view(name) for name in schema["attrNames"]} | {"master_secret"}:
        raise Refused(f"{what}: its bases are of other attributes than its schema's")
    for name, text in [*((name, primary[name]) for name in ("s", "z", "rctxt")), *primary["r"].items()]:
        base = number(text, f"{what}: {name}")
        if not 1 < base < n or math.gcd(base, n) != 1:
            raise Refused(f"{what}: {name} is no base of this modulus")
    revocation = definition.get("revocation")
    if revocation is None:
        return
    if set(revocation) != {*POINTS_IN_G1, *POINTS_IN_G2}:
        raise Refused(f"{what}: revocation has other members than its eleven points")
    for name, text in revocation.items():
        point(text, 6 if name in POINTS_IN_G2 else 3, f"{what}: {name}")


def number(text: object, what: str) -> int:
    if not isinstance(text, str) or len(text) > LONGEST_NUMBER or not re.fullmatch(r"0|[1-9][0-9]*", text, re.ASCII):
        raise Refused(f"{what}: no decimal number without leading zeros")
    return int(text)


def point(text: object, elements: int, what: str) -> None:
    """The text form: an excess and a residue for each element. On G1 the curve's equation, too."""
    words = text.split(" ") if isinstance(text, str) else []
    pairs = list(zip(words[::2], words[1::2]))
    if len(words) != 2 * elements or not all(
            re.fullmatch(r"[0-9]{1,4}", excess) and int(excess) and re.fullmatch(r"[0-9A-Fa-f]{1,70}", digits) for excess, digits in pairs):
        raise Refused(f"{what}: no point, or none of this group")
    if elements != 3:
        return
    x, y, z = (int(digits, 16) * pow(R, -1, P) % P for _, digits in pairs)
    if z == 0:
        raise Refused(f"{what}: is infinity")
    x, y = x * pow(z, -1, P) % P, y * pow(z, -1, P) % P
    if (y * y - x**3 - 2) % P:
        raise Refused(f"{what}: is not on the curve")


def second_opinion(found: Exported) -> bool:
    """What PyPI's `anoncreds` says of the shapes; False where it is not installed. Raises `Refused`."""
    try:
        import anoncreds
    except ImportError:
        return False
    try:
        for schema in found.schemas.values():
            anoncreds.Schema.load(json.dumps({name: schema[name] for name in ("issuerId", "name", "version", "attrNames")}))
        for definition in found.definitions.values():
            value = {name: definition[name] for name in ("primary", "revocation") if name in definition}
            anoncreds.CredentialDefinition.load(json.dumps(
                {name: definition[name] for name in ("issuerId", "schemaId", "tag")} | {"type": "CL", "value": value}))
    except anoncreds.AnoncredsError as error:
        raise Refused(f"the package anoncreds: {error}") from error
    return True
