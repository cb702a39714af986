"""What the Swift sources say of codes and members, for tests that compare pages with them. Types are found by name, wherever their file is."""
import functools
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
STRING = r'"((?:[^"\\]|\\.)*)"'


@functools.cache
def files() -> dict[Path, str]:
    """Every Swift file without its comment lines."""
    return {path: re.sub(r"^\s*///?.*$", "", path.read_text(), flags=re.M) for path in sorted((ROOT / "Sources").rglob("*.swift"))}


def body(text: str, start: int) -> str:
    """What is between the brace before `start` and the one that closes it. Braces in strings are left out."""
    depth = 1
    for token in re.finditer(STRING + r"|[{}]", text[start:]):
        depth += {"{": 1, "}": -1}.get(token.group(), 0)
        if depth == 0:
            return text[start:start + token.start()]
    raise AssertionError("a brace that nothing closes")


def blocks(kind: str, name: str, within: str | None = None) -> list[str]:
    """The bodies of a type, or of its extensions, in all files or in a text."""
    pattern = rf"\b(?:{kind}) (?:\w+\.)*{name}\b[^{{}}\n]*\{{"
    texts = files().values() if within is None else [within]
    return [body(text, match.end()) for text in texts for match in re.finditer(pattern, text)]


def type_blocks(name: str) -> list[str]:
    """`Outer.Inner` is the type of that name inside the other."""
    outer, _, inner = name.rpartition(".")
    found = blocks("enum|struct|extension", inner)
    if outer:
        found = [block for text in blocks("enum|struct|class|extension", outer) for block in blocks("enum|struct", inner, text)]
    assert found, f"no type {name} in the sources any more: this test has to be told its new name"
    return found


def raw_values(name: str) -> set[str]:
    """Of an enum of strings."""
    values = set()
    for block in type_blocks(name):
        for match in re.finditer(r'^ *case ((?:\w+(?: = "[^"]*")?,\s+)*\w+(?: = "[^"]*")?)$', block, re.M):
            for item in re.split(r",\s+", match.group(1)):
                case, _, value = item.partition(" = ")
                values.add(value.strip('"') or case)
    assert values, f"{name} has no raw values"
    return values


def literal(text: str, start: int) -> str:
    """A string as it is read, from behind its first quote; an ellipsis for each interpolation, which may have strings of its own."""
    shown, position = "", start
    while text[position] != '"':
        if text.startswith("\\(", position):
            shown, position, depth = shown + "…", position + 2, 1
            while depth:
                depth += {"(": 1, ")": -1}.get(text[position], 0)
                position += 1
        elif text[position] == "\\":
            shown, position = shown + text[position + 1], position + 2
        else:
            shown, position = shown + text[position], position + 1
    return shown


def strings(name: str, variable: str) -> set[str]:
    """The strings of a variable or function that is one switch over its type."""
    values = set()
    for block in type_blocks(name):
        for match in re.finditer(rf"\bvar {variable}: \w+ \{{", block):
            cases = body(block, match.end())
            values |= {literal(cases, case.end()) for case in re.finditer(r"case [^:]+(?::[^:\"]+)*:\s*\"", cases)}
    assert values, f"{name}.{variable} is no switch any more: this test has to be told what it is"
    return values
