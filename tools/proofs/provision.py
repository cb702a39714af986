#!/usr/bin/env python3
"""Makes the file that an issuer's entry in a trust folder names, of public AnonCreds objects that were exported as JSON.

    tools/proofs/provision.py FOLDER OUT.json [--fetched TIME] [--keep LISTS]

FOLDER has *.json files: objects of the AnonCreds specification, registries' answers, maps of objects by id, or transactions and answers of
an Indy ledger. Of OUT.json, where it is there already, older status lists stay, as many of each registry as --keep says. What does not
belong together is refused, and then nothing is written. Prints what changed, and the member for the issuer's entry.

Nothing in these objects proves whose they are: the way they came does, and who signs the bundle. It runs at a desk, never on a gate.
With PyPI's package `anoncreds` installed, that looks at the shapes too.
"""
import argparse
import hashlib
import json
import os
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from belonging import check, second_opinion  # noqa: E402
from exported import Exported, Refused  # noqa: E402

VERSION = "gatehouse-anoncreds"
PARTS = ("schemas", "definitions", "registries", "lists")
# What a gate reads of one file.
LARGEST = 1 << 20
TIME = "%Y-%m-%dT%H:%M:%SZ"


def read(folder: Path) -> Exported:
    found, files = Exported(), sorted(folder.glob("*.json"))
    if not files:
        raise Refused(f"{folder}: has no *.json")
    for file in files:
        try:
            content = json.loads(file.read_text())
        except (OSError, ValueError) as error:
            raise Refused(f"{file}: {error}") from error
        found.take(content, str(file))
    return found


def before(out: Path) -> dict:
    """What is there already."""
    if not out.exists():
        return {part: [] for part in PARTS}
    try:
        known = json.loads(out.read_text())
        if known[VERSION] != 1:
            raise Refused(f"{out}: is of another version")
        return {part: known.get(part, []) for part in PARTS}
    except (KeyError, TypeError, ValueError) as error:
        raise Refused(f"{out}: is there, and is no file of AnonCreds objects") from error


def lists(found: Exported, known: list[dict], fetched: str, keep: int) -> list[dict]:
    """The newest of each registry. Those that were just exported were just fetched."""
    rows: dict[tuple[str, int], dict] = {(row["registry"], row["timestamp"]): row for row in known if row["registry"] in found.registries}
    for key, row in found.lists.items():
        if key in rows and rows[key]["accumulator"] != row["accumulator"]:
            raise Refused(f"the list of {key[0]} of {key[1]}: is another one than before")
        rows[key] = row | {"fetched": fetched}
    for registry in found.registries:
        newest = max((stamp for name, stamp in found.lists if name == registry), default=None)
        was = max((row["timestamp"] for row in known if row["registry"] == registry), default=None)
        if newest is not None and was is not None and newest < was:
            raise Refused(f"the list of {registry}: the newest exported is older than the one of {was} that is there")
    return [row for registry in sorted(found.registries)
            for row in sorted((row for row in rows.values() if row["registry"] == registry), key=lambda row: row["timestamp"])[-keep:]]


def changes(was: dict, now: dict):
    for part in PARTS[:3]:
        old, new = ({row["id"]: row for row in content[part]} for content in (was, now))
        for id in sorted(old.keys() | new.keys()):
            if id not in old:
                yield f"+ {part} {id}"
            elif id not in new:
                yield f"- {part} {id}"
            elif old[id] != new[id]:
                yield f"~ {part} {id}"
    old, new = ({(row["registry"], row["timestamp"]) for row in content["lists"]} for content in (was, now))
    for sign, rows in (("+", new - old), ("-", old - new)):
        for registry, stamp in sorted(rows):
            yield f"{sign} list of {registry} of {time.strftime(TIME, time.gmtime(stamp))}"


def write(out: Path, content: dict) -> bytes:
    octets = (json.dumps({VERSION: 1, **content}, indent=1, ensure_ascii=False) + "\n").encode()
    if len(octets) > LARGEST:
        raise Refused(f"{out}: would have {len(octets)} octets, and {LARGEST} are the most: make one for each issuer")
    temporary = out.with_name(out.name + ".new")
    temporary.write_bytes(octets)
    os.replace(temporary, out)
    return octets


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("folder", type=Path, help="where the exported objects are")
    options.add_argument("out", type=Path, help="the file in the trust folder, anoncreds/town.json")
    options.add_argument("--fetched", default=time.strftime(TIME, time.gmtime()), help="when the objects were exported (default: now)")
    options.add_argument("--keep", type=int, default=2, choices=range(1, 9), help="status lists of each registry (default: 2)")
    chosen = options.parse_args()
    try:
        time.strptime(chosen.fetched, TIME)
    except ValueError:
        options.error("--fetched: write it as 2026-11-20T06:00:00Z")
    try:
        found, was = read(chosen.folder), before(chosen.out)
        check(found)
        if not second_opinion(found):
            print("without the package anoncreds there is no second opinion on shapes", file=sys.stderr)
        now = {
            "schemas": [found.schemas[id] for id in sorted(found.schemas)],
            "definitions": [found.definitions[id] for id in sorted(found.definitions)],
            "registries": [found.registries[id] for id in sorted(found.registries)],
            "lists": lists(found, was["lists"], chosen.fetched, chosen.keep),
        }
        octets = write(chosen.out, now)
    except Refused as error:
        print(f"refused: {error}", file=sys.stderr)
        return 1
    for row in changes(was, now):
        print(row)
    for id in sorted({definition["issuerId"] for definition in now["definitions"]}):
        print(f"issuer {id}: has to be among the ids of the entry")
    print(f"{chosen.out}: {len(octets)} octets; for the entry, with the file's name in the folder:")
    print(json.dumps({"anoncreds": {"file": f"{chosen.out.parent.name}/{chosen.out.name}", "sha256": hashlib.sha256(octets).hexdigest()}}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
