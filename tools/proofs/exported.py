"""Public AnonCreds objects as people export them, in the form a trust folder has them in (docs/specifications/trust-format.md section 6).

Understood are objects of the AnonCreds specification with their id beside them, in a registry's answer, or as the key of a map; and
transactions of Indy ledgers (101, 102, 113, 114) and their answers (107, 108, 115, 116, 117), where a schema is named by its number.
"""
from typing import Any, Iterator


class Refused(Exception):
    """Why nothing is written, for people."""


# How a registry's answer names an object, and its id.
ANSWERS = {"schema": "schemaId", "credentialDefinition": "credentialDefinitionId", "revocationRegistryDefinition": "revocationRegistryDefinitionId"}
MAPS = ("schemas", "cred_defs", "rev_reg_defs")
# Members that only an issuer has.
SECRETS = {"p_key", "r_key", "link_secret", "master_secret_blinding_data"}


class Exported:
    """Everything that was exported, by id."""

    def __init__(self) -> None:
        self.schemas: dict[str, dict] = {}
        self.definitions: dict[str, dict] = {}
        self.registries: dict[str, dict] = {}
        self.lists: dict[tuple[str, int], dict] = {}
        # Ids of schemas by their number on a ledger.
        self.numbers: dict[str, str] = {}

    def take(self, found: Any, where: str, id: str | None = None) -> None:
        """An object, a list of them, or maps of them; `where` is for messages."""
        if isinstance(found, list):
            for element in found:
                self.take(element, where)
            return
        if not isinstance(found, dict):
            raise Refused(f"{where}: is no object")
        if secret := next((name for name in members(found) if name in SECRETS), None):
            raise Refused(f"{where}: has a secret of the issuer's or the holder's ({secret}): it does not belong here")
        try:
            taken = self.maps(found, where) or self.answer(found, where) or self.ledger(found) or self.thing(found, id or found.get("id"))
        except (KeyError, TypeError, AttributeError) as error:
            raise Refused(f"{where}: lacks {error}" if isinstance(error, KeyError) else f"{where}: has a member of another type") from error
        if not taken:
            raise Refused(f"{where}: is no schema, definition, registry or status list")

    def maps(self, found: dict, where: str) -> bool:
        for name in MAPS:
            for id, value in found.get(name, {}).items():
                self.take(value, where, id)
        self.take(found.get("rev_status_lists", []), where)
        return any(name in found for name in (*MAPS, "rev_status_lists"))

    def answer(self, found: dict, where: str) -> bool:
        for name, id in ANSWERS.items():
            if name in found and id in found:
                self.take(found[name], where, found[id])
                return True
        if "revocationStatusList" in found:
            self.take(found["revocationStatusList"], where)
            return True
        return False

    # Objects of the specification.

    def thing(self, found: dict, id: str | None) -> bool:
        if "attrNames" in found:
            self.schema(named(id), found.get("issuerId"), found["name"], found["version"], found["attrNames"])
        elif found.get("type") == "CL" and "primary" in found.get("value", {}):
            value = found["value"]
            self.definition(named(id), found.get("issuerId"), str(found["schemaId"]), found["tag"], value["primary"], value.get("revocation"))
        elif "accumKey" in found.get("value", {}).get("publicKeys", {}):
            self.registry(named(id), found["credDefId"], found["value"]["publicKeys"]["accumKey"]["z"])
        elif "currentAccumulator" in found:
            self.list(found["revRegDefId"], found["timestamp"], found["currentAccumulator"])
        else:
            return False
        if "seqNo" in found and "attrNames" in found:
            self.number(found["seqNo"], named(id))
        return True

    # Transactions of an Indy ledger, and answers about them.

    def ledger(self, found: dict) -> bool:
        if "txn" in found:
            transaction, about = found["txn"], found["txnMetadata"]
            kind, data, author = transaction["type"], transaction["data"], transaction["metadata"]["from"]
        elif isinstance(found.get("result"), dict) and "type" in found["result"]:
            about = found["result"]
            kind, author = about["type"], about.get("dest") or about.get("origin")
            data = about if kind in ("107", "108") else about["data"]
        else:
            return False
        if kind in ("101", "107"):
            schema, id = data["data"], about.get("txnId") or f"{author}:2:{data['data']['name']}:{data['data']['version']}"
            self.schema(id, author, schema["name"], schema["version"], schema["attr_names"])
            self.number(about["seqNo"], id)
        elif kind in ("102", "108"):
            id = f"{author}:3:{data['signature_type']}:{data['ref']}:{data['tag']}"
            self.definition(id, author, str(data["ref"]), data["tag"], data["data"]["primary"], data["data"].get("revocation"))
        elif kind in ("113", "115"):
            self.registry(data["id"], data["credDefId"], data["value"]["publicKeys"]["accumKey"]["z"])
        elif kind in ("114", "116"):
            self.list(data["revocRegDefId"], about["txnTime"], data["value"]["accum"])
        elif kind == "117":
            to = data["value"]["accum_to"]
            self.list(data["revocRegDefId"], to["txnTime"], to["value"]["accum"])
        else:
            return False
        return True

    # What they come to.

    def schema(self, id: str, issuer: str | None, name: str, version: str, attributes: list[str]) -> None:
        row = {"id": id, "issuerId": issuer or owner(id), "name": name, "version": version, "attrNames": attributes}
        once(self.schemas, id, row, f"schema {id}")

    def number(self, number: int, id: str) -> None:
        once(self.numbers, str(number), id, f"the schema number {number}")

    def definition(self, id: str, issuer: str | None, schema: str, tag: str, primary: dict, revocation: dict | None) -> None:
        row = {"id": id, "schemaId": schema, "issuerId": issuer or owner(id), "tag": tag, "primary": primary}
        once(self.definitions, id, row | ({"revocation": revocation} if revocation else {}), f"definition {id}")

    def registry(self, id: str, definition: str, z: str) -> None:
        once(self.registries, named(id), {"id": id, "definition": definition, "z": z}, f"registry {id}")

    def list(self, registry: str, timestamp: int, accumulator: str) -> None:
        """The bits are the wallets' affair."""
        row = {"registry": registry, "timestamp": timestamp, "accumulator": accumulator}
        once(self.lists, (registry, timestamp), row, f"the list of {registry} of {timestamp}")


def members(found: Any) -> Iterator[str]:
    """Names of members at any depth, but for the bases of a definition, whose names are attributes."""
    if isinstance(found, dict):
        for name, value in found.items():
            yield name
            if name != "r":
                yield from members(value)
    elif isinstance(found, list):
        for value in found:
            yield from members(value)


def named(id: str | None) -> str:
    if not isinstance(id, str) or not id:
        raise Refused("an object has no id: put it beside the object, as \"id\"")
    return id


def owner(id: str) -> str:
    """The issuer that an older Indy id begins with."""
    for mark in (":2:", ":3:CL:"):
        if mark in id:
            return id.split(mark)[0]
    raise Refused(f"{id}: has no issuerId, and the id does not say whose it is")


def once(known: dict, key: Any, value: Any, what: str) -> None:
    """The same twice is once; two of one name are nobody knows which."""
    if known.setdefault(key, value) != value:
        raise Refused(f"{what}: is there twice, and differs")
