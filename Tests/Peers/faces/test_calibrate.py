"""`gatehouse calibrate`: its figures against a computation of our own, with the exact bounds of scipy, and what it refuses."""
import itertools
import json
import random
import re
import subprocess
from dataclasses import dataclass
from xml.dom import minidom

import pytest

import drawn_faces as drawn
from gate import command

pytestmark = pytest.mark.skipif(drawn.missing() is not None, reason=drawn.missing() or "")
STRONG = [(200, 60, 40), (40, 60, 200), (190, 190, 40), (40, 200, 60), (205, 95, 45), (60, 180, 200)]
ROW = re.compile(r"^ *([01]\.\d{6})([* ]) +(\d+)/(\d+) +([\d.]+) % +([\d.]+)-([\d.]+) +(\d+)/(\d+) +([\d.]+) % +([\d.]+)-([\d.]+) *$", re.M)


@dataclass
class Result:
    status: int
    out: str
    errors: str

    def refused(self, *words: str) -> None:
        assert self.status == 2, self
        assert self.errors.startswith("Error: "), self
        for word in words:
            assert word in self.errors, (word, self)


def calibrate(folder, *options, plugin="test_matcher") -> Result:
    arguments = [*command(), "calibrate", folder, "--face-plugin", drawn.PLUGINS / f"{plugin}.so", "--face-models", drawn.PLUGINS, *options]
    done = subprocess.run([str(word) for word in arguments], capture_output=True, timeout=120)
    return Result(done.returncode, done.stdout.decode(), done.stderr.decode())


class People:
    """A folder of drawn people whose similarities are known."""

    def __init__(self, folder, people: int, each: int, seed: int = 5):
        self.folder, self.colours, chance = folder, {}, random.Random(seed)
        for person, number in itertools.product(range(people), range(each)):
            colour = tuple(channel + chance.randint(-18, 18) for channel in STRONG[person])
            self.add(f"person{person}", f"{number}.png", drawn.octets(drawn.picture(colour)), colour)

    def add(self, person: str, name: str, octets: bytes, colour=None) -> None:
        (self.folder / person).mkdir(parents=True, exist_ok=True)
        (self.folder / person / name).write_bytes(octets)
        if colour:
            self.colours[f"{person}/{name}"] = colour

    def scores(self, same: bool) -> list[float]:
        pairs = itertools.combinations(self.colours.items(), 2)
        return [drawn.similarity(a, b) for (one, a), (other, b) in pairs if (one.split("/")[0] == other.split("/")[0]) == same]


@pytest.fixture
def people(tmp_path):
    return People(tmp_path / "people", 3, 2)


def percent(text: str) -> float:
    return float(text) / 100


def close(printed: str, exact: float) -> bool:
    """Printed with three digits that count."""
    return abs(percent(printed) - exact) <= 0.006 * exact + 1e-7


def test_figures_are_those_of_another_computation(tmp_path):
    # A second and a half, which each of eight processes that collect the tests would take.
    from scipy.stats import beta, binomtest

    people = People(tmp_path / "people", 6, 4)
    files = ("--scores", tmp_path / "scores", "--write", tmp_path / "thresholds", "--svg", tmp_path / "det.svg", "--histogram", tmp_path / "histogram.svg")
    result = calibrate(people.folder, "--fmr", "0.02", *files)
    assert (result.status, result.errors) == (0, ""), result
    impostor, genuine = people.scores(same=False), people.scores(same=True)
    assert f"pairs          {len(genuine)} of one person, {len(impostor)} of two" in result.out

    lines = [json.loads(line) for line in (tmp_path / "scores").read_text().splitlines()]
    assert len(lines) == len(people.colours) * (len(people.colours) - 1)
    for line in lines:
        expected = drawn.similarity(people.colours[line["reference"]], people.colours[line["probe"]])
        assert abs(line["similarity"] - expected) < 1e-12

    rows = ROW.findall(result.out)
    assert len(rows) >= 10
    for text, _, *cells in rows:
        for (errors, trials, rate, low, high), wrong in zip((cells[:5], cells[5:]), (
                [score >= float(text) for score in impostor], [score < float(text) for score in genuine])):
            assert (int(errors), int(trials)) == (sum(wrong), len(wrong)), text
            exact = binomtest(sum(wrong), len(wrong)).proportion_ci(method="exact")
            assert close(rate, sum(wrong) / len(wrong)) and close(low, exact.low) and close(high, exact.high), text

    # As many false matches as the bound has room for, and the threshold right above the next.
    allowed = max(errors for errors in range(len(impostor)) if beta.ppf(0.95, errors + 1, len(impostor) - errors) <= 0.02)
    next_best = sorted(impostor, reverse=True)[allowed]
    entry = json.loads((tmp_path / "thresholds").read_text())["entries"][0]
    assert next_best < entry["threshold"] <= next_best + 1e-6
    bound = beta.ppf(0.95, allowed + 1, len(impostor) - allowed)
    assert abs(entry.pop("bound") - bound) < 1e-12
    assert re.fullmatch(r"20\d\d-\d\d-\d\d", entry.pop("date")) and entry.pop("threshold")
    assert entry == {"plugin": drawn.PLUGIN_ID, "model": drawn.MODEL, "evidence": "measured", "impostorPairs": len(impostor), "people": 6,
                     "falseMatches": sum(score > next_best for score in impostor)}
    assert "NOT SHOWN" not in result.out
    plot = minidom.parse(str(tmp_path / "det.svg"))
    assert len(plot.getElementsByTagName("polyline")[0].getAttribute("points").split()) > 10
    histogram = minidom.parse(str(tmp_path / "histogram.svg"))
    assert len([path for path in histogram.getElementsByTagName("path") if path.hasAttribute("fill-opacity")]) == 2


def test_says_what_too_few_pairs_do_not_show(people):
    result = calibrate(people.folder, "--fmr", "0.001")
    assert result.status == 0
    assert "NOT SHOWN: a false match rate of 0.100 % takes at least 2995 independent pairs" in result.out
    assert f"* threshold {max(people.scores(same=False)) + 5e-7:.5f}"[:17] in result.out


def test_counts_what_is_no_reference_and_no_frame(people, tmp_path):
    strong = STRONG[0]
    people.add("person0", "nobody.png", drawn.octets(drawn.picture()))
    people.add("person0", "small.png", drawn.octets(drawn.picture(strong, side=24)))
    people.add("person1", "two.png", drawn.octets(drawn.picture(strong, STRONG[1])))
    people.add("person1", "notes.txt", b"no picture")
    people.add("person2", "cut.png", drawn.octets(drawn.picture(strong))[:300])
    result = calibrate(people.folder, "--scores", tmp_path / "scores")
    assert result.status == 0, result
    assert "not enrolled   portrait-unreadable 1, reference-unusable 2, unsupported-portrait 1\n" in result.out
    assert "not compared   no-face 1, portrait-unreadable 1, several-faces 1, unsupported-portrait 1\n" in result.out
    assert "small 1" in result.out
    assert "person0/nobody.png" not in (tmp_path / "scores").read_text()


@pytest.mark.parametrize("case, words", [
    ("nothing", "cannot be read"), ("empty", "there is nobody in it"), ("one", "only person"), ("single", "nobody in it has two pictures"),
    ("bare", "has no files in it")])
def test_folder_that_says_nothing_is_refused(tmp_path, case, words):
    folder = tmp_path / "people"
    if case != "nothing":
        folder.mkdir()
        (folder / "beside.txt").write_text("passed over")
    if case in ("one", "single", "bare"):
        People(folder, {"one": 1, "single": 3, "bare": 2}[case], 1 if case == "single" else 2)
    if case == "bare":
        (folder / "person9").mkdir()
    calibrate(folder).refused(words)


@pytest.mark.parametrize("rate", ["0", "1", "-1", "2", "nan", "x"])
def test_rate_that_is_none_is_refused(people, rate):
    calibrate(people.folder, f"--fmr={rate}").refused("--fmr")


def test_pictures_of_one_person_in_two_folders_are_noticed(people):
    people.add("person0", "again.png", drawn.octets(drawn.picture(STRONG[0])))
    people.add("person1", "again.png", drawn.octets(drawn.picture(STRONG[0])))
    calibrate(people.folder).refused("somebody in two folders")


@pytest.mark.parametrize("plugin, words", [
    ("crash_in_open", "signal"), ("crash", "signal"), ("crash_on_probe", "signal"), ("no_entry", "it does not export"),
    ("nan_score", "no two pictures of one person could be compared")])
def test_matcher_that_fails_is_told_and_nothing_is_written(people, tmp_path, plugin, words):
    thresholds = tmp_path / "thresholds"
    calibrate(people.folder, "--write", thresholds, plugin=plugin).refused(words)
    assert not thresholds.exists()


def test_matcher_that_is_not_there_is_told(people):
    calibrate(people.folder, plugin="nowhere").refused("nowhere.so")


def test_thresholds_of_others_stay_and_its_own_is_replaced(people, tmp_path):
    thresholds = tmp_path / "thresholds"
    others = {"plugin": "other", "model": "a" * 64, "threshold": 0.5, "evidence": "provisional", "date": "2026-01-01"}
    stale = others | {"plugin": drawn.PLUGIN_ID, "model": drawn.MODEL}
    thresholds.write_text(json.dumps({"gatehouse-face-thresholds": 1, "entries": [others, stale]}))
    assert calibrate(people.folder, "--write", thresholds).status == 0
    found = json.loads(thresholds.read_text())["entries"]
    assert found[0] == others and len(found) == 2
    assert found[1]["plugin"] == drawn.PLUGIN_ID and found[1]["evidence"] == "measured"


def test_too_few_pairs_do_not_lower_the_threshold_in_force(people, tmp_path):
    thresholds = tmp_path / "thresholds"
    stricter = {"plugin": drawn.PLUGIN_ID, "model": drawn.MODEL, "threshold": 0.95, "evidence": "provisional", "date": "2026-01-01"}
    thresholds.write_text(json.dumps({"gatehouse-face-thresholds": 1, "entries": [stricter]}))
    assert "* threshold 0.950000" in calibrate(people.folder, "--write", thresholds).out
    assert json.loads(thresholds.read_text())["entries"][0]["threshold"] == 0.95
    assert "* threshold 0.950000" not in calibrate(people.folder, "--fmr", "0.5", "--write", thresholds).out
    assert json.loads(thresholds.read_text())["entries"][0]["threshold"] < 0.95


def test_a_picture_that_cannot_be_written_costs_no_thresholds(people, tmp_path):
    thresholds = tmp_path / "thresholds"
    calibrate(people.folder, "--write", thresholds, "--histogram", tmp_path / "nowhere" / "scores.svg").refused("nowhere")
    assert json.loads(thresholds.read_text())["entries"]


def test_file_of_thresholds_that_is_none_is_refused_before_the_work(people, tmp_path):
    thresholds = tmp_path / "thresholds"
    thresholds.write_text('{"gatehouse-face-thresholds":1,"entries":[{}]}')
    calibrate(people.folder, "--write", thresholds, plugin="hang").refused("lacks evidence")
    assert thresholds.read_text() == '{"gatehouse-face-thresholds":1,"entries":[{}]}'
