"""A second opinion on linked data: canonical N-Quads by PyLD, canonical JSON by rfc8785; and what Gatehouse makes of the same documents.

PyLD is no perfect oracle. Every difference that is settled for the specification and against PyLD is a function or class here that names it, and
test_oracle.py shows each of them with an example.
"""
import copy
import hashlib
import json
import os
import subprocess
import uuid
from pathlib import Path

import rfc8785
from cachetools import LRUCache
from frozendict import frozendict
from pyld import ContextResolver, jsonld, nquads
from pyld.canon import URDNA2015

BUILT = Path(__file__).resolve().parents[3] / ".build" / "release" / "oracle-check"
ESCAPES = {8: "\\b", 9: "\\t", 10: "\\n", 12: "\\f", 13: "\\r", 34: '\\"', 92: "\\\\",
           **{code: f"\\u{code:04X}" for code in [*range(8), 11, *range(14, 32), 127]}}


def escaped(text: str) -> str:
    """RDFC-1.0 section 5.2: PyLD has no escapes for backspace, form feed, delete and the other control characters."""
    return text.translate(ESCAPES)


published_escape, nquads.escape = nquads.escape, escaped


class WithoutBase(jsonld.JsonLdProcessor):
    """JSON-LD 1.1 API section 5.1.2 with a null base: PyLD puts one at example.org in its place."""

    without_base = frozendict({"_uuid": str(uuid.uuid1()), "processingMode": "json-ld-1.1", "mappings": frozendict(), "@base": None})

    def _get_initial_context(self, options):
        return self.without_base


class WithGaps(WithoutBase):
    """JSON-LD 1.1 API section 8.3.2: an element of a list that is no term has no rdf:first. PyLD fails on it."""

    def _list_to_rdf(self, list_, issuer, triples, options):
        start = len(triples)
        head = super()._list_to_rdf(list_, issuer, triples, options)
        triples[start:] = [triple for triple in triples[start:] if triple["object"] is not None]
        return head


class WithIndexes(WithGaps):
    """JSON-LD 1.1 API section 7.2.1: the same index twice is no conflict. PyLD fails on it."""

    def _create_node_map(self, input_, graph_map, active_graph, issuer, *rest, **more):
        if isinstance(input_, dict) and "@index" in input_ and "@value" not in input_ and "@list" not in input_:
            name = input_.get("@id")
            name = issuer.get_id(name) if issuer.has_id(name) else name
            known = graph_map.get(active_graph, {}).get(name, {})
            if known.get("@index") == input_["@index"]:
                input_ = {key: value for key, value in input_.items() if key != "@index"}
        super()._create_node_map(input_, graph_map, active_graph, issuer, *rest, **more)


class Mentions(dict):
    """RDFC-1.0 section 4.3: a blank node belongs to the quads in which it occurs. PyLD counts one twice that has it as subject and object."""

    class Once(list):
        def append(self, quad) -> None:
            if not self or self[-1] is not quad:
                super().append(quad)

    def setdefault(self, name, default=None):
        return super().setdefault(name, {"quads": self.Once()})


class Labels(URDNA2015):
    """RDFC-1.0 section 4.3: the hash algorithm is a parameter. PyLD has one."""

    def __init__(self, algorithm: str) -> None:
        super().__init__()
        self.blank_node_info = Mentions()
        self.algorithm = algorithm

    def create_hash(self):
        return hashlib.new(self.algorithm)


def distinct(dataset: dict) -> dict:
    """RDF 1.1 Concepts section 3: a graph is a set. PyLD states a value twice that is written in two ways."""
    return {name: list({json.dumps(triple, sort_keys=True): triple for triple in triples}.values()) for name, triples in dataset.items()}


class Oracle:
    """PyLD under pinned contexts."""

    def __init__(self, contexts: dict) -> None:
        self.contexts = contexts
        self.resolver = ContextResolver(LRUCache(maxsize=1000), self.load)

    def load(self, url: str, options: dict) -> dict:
        if url not in self.contexts:
            raise jsonld.JsonLdError("not pinned", "jsonld.LoadDocumentError", {"url": url}, code="loading document failed")
        return {"contentType": "application/ld+json", "contextUrl": None, "documentUrl": url, "document": copy.deepcopy(self.contexts[url])}

    def dataset(self, document) -> dict:
        resolver = ContextResolver(self.resolver.shared_cache, self.load)
        return distinct(WithIndexes().to_rdf(document, {"documentLoader": self.load, "contextResolver": resolver, "base": ""}))

    def canonical(self, document, algorithm: str = "sha256") -> str:
        return Labels(algorithm).main(self.dataset(document), {"format": "application/n-quads"})


def doubles(value):
    """RFC 8785 section 3.2.2.3: every number is a double. rfc8785 refuses integers that are not exact in one."""
    if isinstance(value, dict):
        return {name: doubles(member) for name, member in value.items()}
    if isinstance(value, list):
        return [doubles(element) for element in value]
    return float(value) if isinstance(value, int) and not isinstance(value, bool) and abs(value) >= 2**53 else value


def canonical_json(value) -> str:
    return rfc8785.dumps(doubles(value)).decode()


def program() -> str:
    return os.environ.get("GATEHOUSE_ORACLE", str(BUILT))


def answers(lines: list[dict], count: int) -> list[dict]:
    """What oracle-check says to these lines, of which `count` are to be answered."""
    text = "".join(json.dumps(line) + "\n" for line in lines)
    done = subprocess.run([program()], input=text.encode(), capture_output=True, timeout=300)
    assert done.returncode == 0, (done.returncode, done.stderr[-500:])
    # By newlines alone: other line ends may stand in a text.
    found = [json.loads(line) for line in done.stdout.decode().split("\n") if line]
    assert len(found) == count, (len(found), count, done.stderr[-500:])
    return found


def gatehouse(contexts: dict, requests: list[dict]) -> list[dict]:
    """What Gatehouse answers to each request: `document`, and `algorithm` where it is not sha256."""
    return answers([{"contexts": contexts}, *requests], len(requests))


def code_verdicts(trust, codes: list[str], at: int, prefix: str = "") -> list[dict]:
    """What Gatehouse makes of the texts of codes under a trust folder: verdicts, or why a code is passed over."""
    return answers([{"trust": str(trust)}, *({"code": text, "at": at, "prefix": prefix} for text in codes)], len(codes))


def verdicts(parts: list[tuple], at: int) -> list[dict]:
    """Gatehouse's verdict on each message of each part, a trust folder and its messages, at that time in seconds; by one verifier for each part."""
    lines = [line for trust, messages in parts for line in ({"trust": str(trust)}, *({"message": text, "at": at} for text in messages))]
    return answers(lines, sum(len(messages) for _, messages in parts))
