"""How long a visitor stands before the camera: from the credential that is believed to the verdict, in whole visits with a matcher.

The floor is what the rule itself takes: three frames 150 ms apart, and the next frame of a camera of 30 a second to begin with.

    bench_face_visit.py [ROUNDS]        MATCHER=sface: with the second matcher instead of the default one
"""
import asyncio
import statistics
import sys
import tempfile
from pathlib import Path

import faces
import issuer
from air import Air
from gate import Gate
from phone import Phone, Plan

RATE, SPACING, GOAL = 30, 150, 1.4
FLOOR = 2 * SPACING + 1000 / RATE


async def main(rounds: int) -> None:
    if absent := faces.missing():
        sys.exit(absent)
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        trusted = issuer.Issuer()
        trust = issuer.write_trust(folder / "trust", trusted)
        frames = faces.play(folder / "frames", faces.shots(faces.PHOTOS / "obama" / "obama.jpg"))
        options = ("--camera", f"dir:{frames},{RATE}", "--face-plugin", str(faces.PLUGIN), "--face-models", str(faces.MODELS))
        async with Air(folder / "air") as air, Gate(air.path, trust, folder / "data", *options) as gate:
            phone = await Phone.on(air)
            await gate.until(lambda: any("face matcher" in line for line in gate.errors), 30, "the face matcher")
            payload = issuer.wrap(trusted.credential(portrait=faces.portrait(faces.PHOTOS / "obama" / "obama2.jpg")))
            for _ in range(rounds + 1):
                visit = await gate.visit(phone, payload, Plan("android", patience=30))
                if not visit.accepted:
                    sys.exit(f"{visit}")
            records = gate.verdicts()[1:]  # the first one warms up
            await gate.stop()
    taken = [record["faceMs"] for record in records]
    print(f"before the camera, {faces.MATCHER}: {statistics.median(taken):.0f} ms from the credential to the verdict (least {min(taken)}, most {max(taken)}), "
          f"{statistics.median(taken) / FLOOR:.2f} times the {FLOOR:.0f} ms of three frames {SPACING} ms apart (goal {GOAL}); median of {rounds} visits")


asyncio.run(main(int(sys.argv[1]) if len(sys.argv) > 1 else 9))
