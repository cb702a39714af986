"""What operators do at a desk: bundles built, signed, looked at and installed, orders, and audit logs exported and checked."""
import hashlib
import json

from desk import LIST, Desk
from fixed import AT, NOW

import issuer
from linked_issuer import LinkedIssuer
from status_lists import list_credential, token_jwt

GATE = "10000000abcdef01"


def bundles(desk: Desk) -> None:
    build = lambda name, source, out, *options: desk.add(
        f"trust build: {name}", "trust", "build", source, "--out", out, "--created", AT, *options, made=out)
    sign = lambda name, file, out, kid, *options, pem="": desk.add(
        f"trust sign: {name}", "trust", "sign", file, "--key", pem or f"{kid}.pem", "--kid", kid, "--out", out, *options, made=out)
    install = lambda name, file, *options, at="2026-07-01T00:00:00Z": desk.add(f"trust install: {name}", "trust", "install", file, "--root",
                                                                               "root.json", "--into", "gate", "--at", at, *options)
    (desk.folder / "gate").mkdir()
    build("the first", "source", "one")
    sign("by Alice", "one", "one-a", "alice", "--root", "root.json")
    install("one signature", "one-a")
    sign("by Bob too", "one-a", "one-ab", "bob", "--root", "root.json")
    sign("by Alice again", "one-ab", "twice", "alice", "--root", "root.json")
    sign("by Mallory", "one-a", "one-am", "mallory")
    sign("Mallory as Carol", "one-a", "x", "carol", "--root", "root.json", pem="mallory.pem")
    install("somebody else's", "one-am")
    install("too early", "one-ab", at="2025-07-01T00:00:00Z")
    install("too late", "one-ab", at="2032-07-01T00:00:00Z")
    install("signed by two", "one-ab")
    install("again", "one-ab")
    second = issuer.Issuer("ES256", "https://second.example")
    desk.source("next", {1: 1, 5: 2}, types=[issuer.VCT, "urn:another"])
    desk.write("next/second.json", issuer.trust_entry(second, name="Second"))
    build("the next", "next", "two", "--sequence", "9")
    for name, file in (("first", "one"), ("first, signed", "one-ab"), ("next", "two"), ("somebody's", "one-am"), ("absent", "absent"),
                       ("noise", "list")):
        for options in ((), ("--json", ), ("--root", "root.json")):
            desk.add(f"trust inspect: {name} {' '.join(options)}", "trust", "inspect", file, *options)
    for name, pair in (("forwards", ("one-ab", "two")), ("backwards", ("two", "one-ab")), ("the same", ("one", "one-ab")),
                       ("noise", ("one", "root.json"))):
        for options in ((), ("--json", )):
            desk.add(f"trust diff: {name} {' '.join(options)}", "trust", "diff", *pair, *options)
    sign("the next, by Alice", "two", "two-ac", "alice", "--root", "root.json")
    sign("the next, by Carol", "two-ac", "two-ac", "carol", "--root", "root.json")
    install("the next", "two-ac")
    install("an older one", "one-ab")
    install("a bundle below the lowest", "two-ac", "--lowest-bundle", "10")
    whole = (desk.folder / "two-ac").read_bytes()
    for name, octets in (("cut", whole[:-9]), ("longer", whole + b"\0"), ("changed", whole[:200] + bytes([whole[200] ^ 1]) + whole[201:]),
                         ("empty", b"")):
        desk.write("damaged", octets)
        install(name, "damaged")
        desk.add(f"trust inspect: {name}", "trust", "inspect", "damaged", "--root", "root.json")
    silent_lists(desk, build)


def silent_lists(desk: Desk, build) -> None:
    other = issuer.Issuer("EdDSA", "https://other.example")
    web = LinkedIssuer("eddsa-rdfc-2022 EdDSA", "document")
    for name, content in (("somebody else's", token_jwt(other, LIST,
                                                        {})), ("noise", "noise"), ("another's name", token_jwt(desk.issuer, "urn:x", {})),
                          ("over", token_jwt(desk.issuer, LIST, {}, expires=-0.5)), ("JSON-LD of nobody", list_credential(web, LIST, [1]))):
        desk.source(f"silent {name}")
        desk.write(f"silent {name}/list", content)
        build(f"a list that is {name}", f"silent {name}", "silent")
        build(f"a list that is {name}, allowed", f"silent {name}", "silent", "--allow-silent-lists")
    for name, change in (("no sequence", {"sequence": None}), ("ends before it begins", {"notAfter": "2025-01-01T00:00:00Z"}),
                         ("a clock", {"clock": "maybe"}), ("a member", {"colour": "red"})):
        desk.source("unsettled")
        content = {**json.loads((desk.folder / "unsettled/bundle.json").read_text()), **change}
        desk.write("unsettled/bundle.json", {name: value for name, value in content.items() if value is not None})
        build(f"settings: {name}", "unsettled", "unsettled.bundle")


def orders(desk: Desk) -> None:
    site = {"name": "NORTH", "wire": "0.4", "auditFull": "drop-oldest", "perGate": {GATE: {"name": "EAST"}}}
    contents = {
        "site": ("site", site), "export": ("export", {}), "time": ("time", {"time": "2026-06-01T12:00:00Z"}),
        "site of noise": ("site", {"colour": 1}), "site with a file camera": ("site", {"camera": "dir:/"}),
        "site without a name": ("site", {"name": ""})
    }
    for number, (name, (kind, content)) in enumerate(contents.items()):
        desk.write("content.json", content)
        made = f"order-{number}"
        desk.add(f"order build: {name}",
                 "order",
                 "build",
                 "--kind",
                 kind,
                 "--number",
                 "3",
                 "--all-gates",
                 "--content",
                 "content.json",
                 "--created",
                 AT,
                 "--not-after",
                 "2099-01-01T00:00:00Z",
                 "--out",
                 made,
                 made=made)
        for kid in ("alice", "bob"):
            desk.add(f"order sign: {name}, {kid}",
                     "order",
                     "sign",
                     made,
                     "--key",
                     f"{kid}.pem",
                     "--kid",
                     kid,
                     "--root",
                     "root.json",
                     "--out",
                     made,
                     made=made)
        desk.add(f"order inspect: {name}", "order", "inspect", made, "--root", "root.json")
        desk.add(f"site check: {name}", "site", "check", made)
        desk.add(f"site check: {name}, one gate", "site", "check", made, "--gate-id", GATE)
        desk.add(f"site install: {name}", "site", "install", made, "--root", "root.json", "--into", "gate", "--gate-id", GATE)
    desk.add("site install: again", "site", "install", "order-0", "--root", "root.json", "--into", "gate", "--gate-id", GATE)
    for member in ((), ("--member", "name"), ("--member", "wire"), ("--member", "timeServers"), ("--member", "colour")):
        desk.add(f"site show {' '.join(member)}", "site", "show", "--root", "root.json", "--into", "gate", "--gate-id", GATE, *member)


def audit_log(count: int) -> list[str]:
    lines, digest = [], "0" * 64
    for number in range(1, count + 1):
        lines.append(
            json.dumps(
                {"seq": number, "prev": digest, "at": NOW + number, "up": number, "event": "visit", "visit": number, "outcome": "accepted"},
                separators=(",", ":")))
        digest = hashlib.sha256(lines[-1].encode()).hexdigest()
    return lines


def audits(desk: Desk) -> None:
    lines = audit_log(20)
    sealed = "".join(line + "\n" for line in lines[:12])
    last = hashlib.sha256(lines[11].encode()).hexdigest()
    desk.write("log/audit-00000001.jsonl", sealed)
    desk.write("log/audit.jsonl",
               json.dumps({"seq": 13, "prev": last, "at": NOW, "up": 5, "event": "segment", "segment": 2}, separators=(",", ":")) + "\n")
    for options in ((), ("--json", )):
        desk.add(f"audit verify {' '.join(options)}", "audit", "verify", "log", *options)
    desk.add("audit export", "audit", "export", "--data", "log", "--into", "stick")
    desk.add("audit export: again", "audit", "export", "--data", "log", "--into", "stick")
    desk.add("audit export: all", "audit", "export", "--data", "log", "--into", "stick", "--all")
    desk.add("audit verify: the copy", "audit", "verify", "stick", "--json")
    desk.add("audit verify: no log", "audit", "verify", "source")
    for options in ((), ("--json", ), ("--since", "5", "--until", "7"), ("--until", "2020-01-01"), ("--since", "tomorrow")):
        desk.add(f"audit stats {' '.join(options)}", "audit", "stats", "log", *options)
    desk.add("audit stats: a picture", "audit", "stats", "log", "--svg", "visits.svg", made="visits.svg")
    desk.add("audit stats: no log", "audit", "stats", "source")
    for options in ((), ("--json", ), ("-n", "3"), ("-n", "-1"), ("-n", "1001")):
        desk.add(f"audit tail {' '.join(options)}", "audit", "tail", "log", *options)
    for options in (("--check", ), ()):
        desk.add(f"audit export: by order {' '.join(options)}", "audit", "export", "--data", "log", "--into", "ordered", "--request",
                 "order-1", "--root", "root.json", "--trust", "gate", "--gate-id", GATE, *options)
    damage = {
        "a verdict changed": [*lines[:3], lines[3].replace("accepted", "rejected"), *lines[4:]], "a line removed": lines[:4] + lines[5:],
        "the first removed": lines[1:], "two swapped": [*lines[:2], lines[3], lines[2],
                                                        *lines[4:]], "noise": [*lines[:6], "\0" * 40, *lines[6:]],
        "an empty line": [*lines[:6], "", *lines[6:]], "too long": [*lines[:6], "x" * 9000, *lines[6:]], "whole": lines, "nothing": []
    }
    for name, found in damage.items():
        desk.write("damaged log/audit.jsonl", "".join(line + "\n" for line in found))
        for options in ((), ("--json", )):
            for command in ("verify", "stats", "tail"):
                desk.add(f"audit {command}: {name} {' '.join(options)}", "audit", command, "damaged log", *options)
    desk.write("damaged log/audit.jsonl", "\n".join(lines))
    desk.add("audit verify: torn", "audit", "verify", "damaged log")
