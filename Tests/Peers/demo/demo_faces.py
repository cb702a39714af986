"""The part of `make run` with a camera: a portrait in a signed credential, and who stands before the gate."""
import shutil
from pathlib import Path

import faces
import issuer
from air import Air
from gate import Gate
from phone import Phone, Plan

PERSON, OTHER = faces.PHOTOS / "obama", faces.PHOTOS / "biden"


async def show_faces(make_demo, trusted, folder: Path) -> bool:
    """Three visits with one credential. False where one went another way than it should."""
    frames = folder / "frames"
    faces.play(frames, faces.shots(PERSON / "obama.jpg"))
    options = ("--camera", f"dir:{frames}", "--face", "required", "--face-plugin", str(faces.PLUGIN), "--face-models", str(faces.MODELS))
    async with (Air(folder / "air-faces.sock") as air,
                Gate(air.path, trusted.folder, folder / "data-faces", "--root", str(trusted.operators.root), *options) as gate):
        demo = make_demo(gate, await Phone.on(air))
        await gate.until(lambda: any("face matcher" in line for line in gate.errors), 30, "the face matcher")
        payload = issuer.wrap(trusted.sd_jwt.credential(portrait=faces.portrait(PERSON / "obama2.jpg")))
        plan = Plan("android", patience=40)
        await demo.visit("a credential with a photo, and the person in it before the camera", payload, plan, "accepted")
        faces.play(frames, faces.shots(OTHER / "biden.jpg"))
        await demo.visit("the same credential, copied to somebody else's phone", payload, plan, "rejected", "no-match")
        shutil.rmtree(frames)
        await demo.visit("the same credential, and the camera is unplugged", payload, plan, "rejected", "camera-failed")
        return await gate.stop() == 0 and demo.is_as_expected
