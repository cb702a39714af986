"""What somebody might change of a presentation, or of the request that it is held against."""
import copy
import random


def leaves(value, path=()):
    """Paths of texts and numbers, arrays of octets as a whole."""
    if isinstance(value, dict):
        return [leaf for name in value for leaf in leaves(value[name], path + (name,))]
    if isinstance(value, list) and not (value and isinstance(value[0], int)):
        return [leaf for index, each in enumerate(value) for leaf in leaves(each, path + (index,))]
    return [path]


def at(value, path):
    for step in path:
        value = value[step]
    return value


def put(value, path, new):
    at(value, path[:-1])[path[-1]] = new


def number_changed(draw: random.Random, request, presentation):
    paths = [path for path in leaves(presentation) if isinstance(at(presentation, path), str) and at(presentation, path).lstrip("-").isdigit()]
    if not paths:
        return None
    path = draw.choice(paths)
    number = int(at(presentation, path))
    put(presentation, path, str(draw.choice([number + 1, number - 1, number ^ 1 << draw.randrange(max(number.bit_length(), 1)), 0])))
    return path


def number_negated(draw: random.Random, request, presentation):
    paths = [path for path in leaves(presentation) if isinstance(at(presentation, path), str) and at(presentation, path).isdigit()]
    paths = [path for path in paths if int(at(presentation, path))]
    if not paths:
        return None
    path = draw.choice(paths)
    put(presentation, path, "-" + at(presentation, path))
    return path


def one_character(draw: random.Random, presentation, characters: str):
    paths = [path for path in leaves(presentation) if isinstance(at(presentation, path), str) and at(presentation, path)]
    path = draw.choice(paths)
    text = at(presentation, path)
    place = draw.randrange(len(text))
    put(presentation, path, text[:place] + draw.choice(characters) + text[place + 1:])
    return path


def text_changed(draw, request, presentation):
    return one_character(draw, presentation, "0Aaz1")


def text_blanked(draw, request, presentation):
    return one_character(draw, presentation, " ")


def octet_changed(draw, request, presentation):
    lists = [path for path in leaves(presentation) if isinstance(at(presentation, path), list) and at(presentation, path)]
    if not lists:
        return None
    path = draw.choice(lists)
    octets = at(presentation, path)
    octets[draw.randrange(len(octets))] ^= 1 << draw.randrange(8)
    return path


def member_removed(draw, request, presentation):
    path = draw.choice(leaves(presentation))
    path = path[:draw.randrange(len(path)) + 1]
    holder = at(presentation, path[:-1])
    del holder[path[-1]]
    return path


def nonce_changed(draw, request, presentation):
    request["nonce"] = str((int(request["nonce"]) + 1) % (1 << 80) or 1)
    return ("nonce",)


def threshold_changed(draw, request, presentation):
    """The request asks for more than was proven: of the same attribute, by one or by another sign."""
    if not request["requested_predicates"]:
        return None
    item = draw.choice(list(request["requested_predicates"].values()))
    if draw.random() < 0.5:
        item["p_value"] += 1 if item["p_type"] in (">=", ">") else -1
    else:
        item["p_type"] = draw.choice([sign for sign in (">=", ">", "<=", "<") if sign != item["p_type"]])
    return ("requested_predicates",)


def restriction_changed(draw, request, presentation):
    items = list(request["requested_attributes"].values()) + list(request["requested_predicates"].values())
    items = [item for item in items if item.get("restrictions")]
    if not items:
        return None
    draw.choice(items)["restrictions"] = [{"issuer_id": "did:web:nobody.example"}]
    return ("restrictions",)


def item_added(draw, request, presentation):
    request["requested_predicates"]["more"] = {"name": "years", "p_type": ">=", "p_value": 18}
    return ("requested_predicates", "more")


def interval_changed(draw, request, presentation):
    if "non_revoked" not in request:
        return None
    request["non_revoked"] = {"from": 5, "to": 10}
    return ("non_revoked",)


ALL = [number_changed, number_changed, number_negated, text_changed, text_changed, text_blanked, octet_changed, member_removed, member_removed,
       nonce_changed, threshold_changed, restriction_changed, item_added, interval_changed]


def altered(draw: random.Random, request: dict, presentation: dict):
    """One change of copies: what was changed, request, presentation; None where this change needs what is not there."""
    request, presentation = copy.deepcopy(request), copy.deepcopy(presentation)
    change = draw.choice(ALL)
    path = change(draw, request, presentation)
    return path and (f"{change.__name__} {'.'.join(map(str, path))}", request, presentation)
