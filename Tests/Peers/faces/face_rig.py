"""A gate before which drawn people stand: drawings for the matcher of the tests, and visits with the record of each."""
import json
import time
from pathlib import Path

from PIL import Image, ImageDraw

import faces
import issuer
from phone import Plan

PLUGINS = faces.ROOT / ".build" / "plugins" / "test"
RED, BLUE, GREY = (200, 60, 40), (40, 60, 200), (128, 128, 128)
NO_MODEL = "0" * 64
PLAN = Plan("android", patience=120)
# Seconds that a gate looks for somebody who is there, on a machine that does a lot besides; and for nobody, which it has to see out.
LOOK, BRIEFLY = 15, 6


def drawing(*people, size=(640, 480), side: int = 200, shift: int = 0, background=GREY) -> bytes:
    """Squares of colour with black eyes: what the matcher of the tests takes for faces (Tests/Plugins/matcher.h)."""
    image = Image.new("RGB", size, background)
    draw = ImageDraw.Draw(image)
    for number, colour in enumerate(people):
        left, top = 60 + shift + number * (side + 40), 100
        draw.rectangle((left, top, left + side - 1, top + side - 1), colour)
        for eye in (left + side // 4, left + side * 3 // 4):
            half, middle = side // 16, top + side * 3 // 8
            draw.rectangle((eye - half, middle - half, eye + half, middle + half), (0, 0, 0))
    return faces.jpeg(image, 90)


def standing(*people, **more) -> list[bytes]:
    """Pictures of people who do not stand quite still; of an empty place, as the light changes: no two are the same."""
    if not people:
        return [drawing(background=(shade, shade, shade), **more) for shade in range(120, 132, 3)]
    return [drawing(*people, shift=shift, **more) for shift in range(0, 12, 3)]


class FaceRig:
    """Visits to a gate with a camera, by the rig it is part of."""

    def __init__(self, rig) -> None:
        self.rig = rig

    @staticmethod
    def options(folder: Path, camera: str, plugin: str = "test_matcher", policy: str = "required", threshold: float | None = 0.75, model: str = NO_MODEL,
                ids=("test-colour", "test-colour-pad"), look: int = LOOK, codes: str | None = "off") -> list[str]:
        """What the gate is started with; `look` is how many seconds it looks at a visitor, `codes` when its camera looks for codes, where that is
        said."""
        options = ["--camera", camera, "--face", policy, "--face-plugin", str(PLUGINS / f"{plugin}.so"), "--face-models", str(folder)]
        if codes is not None:
            options += ["--codes", codes]
        settings = folder / "settings.json"
        settings.write_text(json.dumps({"gatehouse-face-settings": 1, "lookSeconds": look, "readySeconds": 30, "referenceMinimum": 30}))
        options += ["--face-settings", str(settings)]
        if threshold is not None:
            path = folder / "thresholds.json"
            entries = [{"plugin": name, "model": model, "threshold": threshold, "evidence": "provisional", "date": "2026-11-22"} for name in ids]
            path.write_text(json.dumps({"gatehouse-face-thresholds": 1, "entries": entries}))
            options += ["--face-thresholds", str(path)]
        return options

    def visit(self, portrait: bytes | int | None = None, plan: Plan = PLAN):
        """A visit, and its record."""
        rig = self.rig
        rig.restart_if_left_alone()
        before = len(rig.gate.verdicts())
        credential = rig.issuer.credential(portrait=drawing(RED, size=(400, 400)) if portrait is None else portrait)
        visit = rig.visit(plan, issuer.wrap(credential))
        record = rig.run(rig.gate.until(lambda: rig.gate.verdicts()[before:], what="the record"))[-1]
        return visit, record

    def refuses(self, reason: str, **more) -> dict:
        visit, record = self.visit(**more)
        assert (visit.rejected, record["outcome"], record["reasons"]) == (True, "rejected", [reason]), (visit, record, self.rig.gate.errors[-5:])
        assert record["holder"] == "not-bound"
        return record

    def accepts(self, **more) -> dict:
        visit, record = self.visit(**more)
        assert (visit.accepted, record["outcome"], record["holder"]) == (True, "accepted", "bound"), (visit, record, self.rig.gate.errors[-5:])
        return record
