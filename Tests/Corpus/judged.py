"""Visits whose verdict depends on more than the credential: a signed trust bundle with status lists, and who stands before the camera."""
import itertools
import json
import shutil
import time
from pathlib import Path

from fixed import Record
from watched import Watched

import drawn_faces as drawn
import faces
import issuer
from cwt_issuer import CWTIssuer
from face_rig import BLUE, RED, FaceRig, drawing, standing
from linked_issuer import LinkedIssuer, write_trust
from linked_refusals import changed
from phone import Plan
from rig import Rig
from status_lists import entry, list_credential, token_cwt, token_jwt, with_status, write_lists
from trust_bundle import Operators

STATUS = "https://issuer.demo.gatehouse.example/status/"


class Bundled(Rig):
    """A gate with a signed bundle: an issuer for each form, each with a status list."""
    def __init__(self, folder: Path, *options: str, begins: float = -1, ends: float = 30) -> None:
        super().__init__(folder, *options, algorithms=("ES256", ))
        self.linked, self.cwt = LinkedIssuer("eddsa-rdfc-2022 EdDSA", "document"), CWTIssuer("EdDSA")
        source = write_trust(folder / "source", self.linked)
        (source / "token.json").write_text(json.dumps(issuer.trust_entry(self.issuer)))
        (source / "cwt.json").write_text(json.dumps(self.cwt.trust()))
        write_lists(
            source, {
                STATUS + "web": list_credential(self.linked, STATUS + "web", [1]), STATUS + "jwt": token_jwt(
                    self.issuer, STATUS + "jwt", {1: 1, 2: 2}, bits=2), STATUS + "cwt": token_cwt(self.cwt, STATUS + "cwt", {1: 1})
            },
            int(time.time()) - 60)
        operators = Operators(folder / "operators")
        self.trust, self.options = folder / "installed", (*options, "--root", str(operators.root))
        # As of a time at which it holds, whatever holds now.
        operators.install(source, self.trust, begins=begins, ends=ends, created=begins, at=ends - 0.001 if ends < 0 else 0)

    def web(self, index: int | None) -> dict:
        document = self.linked.document(3000)
        return self.linked.secured(document if index is None else with_status(document, entry(STATUS + "web", index)))


def bundled(record: Record) -> None:
    with Watched(record, "a trust bundle", make=Bundled) as gate:
        rig = gate.rig
        token = lambda index: issuer.wrap(rig.issuer.credential(status={"status_list": {"idx": index, "uri": STATUS + "jwt"}}))
        gate.visit("JSON-LD", payload=lambda: issuer.wrap(rig.web(0), "ldp_vc"))
        gate.visit("JSON-LD without a status", payload=lambda: issuer.wrap(rig.web(None), "ldp_vc"))
        gate.visit("JSON-LD, revoked", payload=lambda: issuer.wrap(rig.web(1), "ldp_vc"))
        gate.visit("JSON-LD, a claim more",
                   payload=lambda: issuer.wrap(changed(rig.web(0), "credentialSubject", "clearance", to="all"), "ldp_vc"))
        gate.visit("JSON-LD, a claim changed",
                   payload=lambda: issuer.wrap(changed(rig.web(0), "credentialSubject", "givenName", to="Eve"), "ldp_vc"))
        for index, name in ((0, "good"), (1, "revoked"), (2, "suspended"), (99_999_999, "beyond the list")):
            gate.visit(f"SD-JWT, {name}", payload=lambda: token(index))
        for index, name in ((0, "good"), (1, "revoked")):
            gate.visit(
                f"CWT, {name}",
                payload=lambda: issuer.wrap(rig.cwt.token(c65535={"status_list": {"idx": index, "uri": STATUS + "cwt"}}).hex(), "cwt_vc"))
        gate.visit("SD-JWT, expired", payload=lambda: issuer.wrap(rig.issuer.credential(issued=-60, expires=-1)))
    with Watched(record, "an expired bundle", make=Bundled, begins=-20, ends=-1) as gate:
        gate.visit("a good credential")


# MARK: Faces


class FolderRig(Rig):
    """A gate whose camera is a folder of drawings."""
    def __init__(self, folder: Path, plugin: str = "test_matcher", **more) -> None:
        self.frames = faces.play(folder / "frames", standing(RED))
        super().__init__(folder, *FaceRig.options(folder, f"dir:{self.frames},20", plugin, codes=None, **more), algorithms=("ES256", ))


def faced(record: Record) -> None:
    if absent := drawn.missing():
        raise SystemExit(absent)
    tints = itertools.count()
    portrait = lambda colour=RED, **more: drawing(colour, size=(400, 400), background=(100 + next(tints), ) * 3, **more)
    turned = [picture[:len(picture) // 2] for picture in standing(RED)]
    dark = [drawing(background=(shade, ) * 3) for shade in (0, 1, 2)]
    small, nobody, whole = portrait(side=40), drawing(size=(300, 300)), portrait()
    with Watched(record, "faces", make=FolderRig, quiet=0.5) as gate:

        def before(name: str, people: list[bytes], photo: bytes, plan: Plan = Plan("android", patience=25)) -> None:
            faces.play(gate.rig.frames, people)
            gate.visit(name, plan, lambda: issuer.wrap(gate.rig.issuer.credential(photo)))

        before("the person", standing(RED), portrait())
        before("somebody else", standing(BLUE), portrait())
        before("nobody", standing(), portrait())
        before("two people", standing(RED, BLUE), portrait())
        before("far away", standing(RED, side=80), portrait())
        before("a covered camera", dark, portrait())
        before("pictures cut off", turned, portrait())
        before("a portrait in JPEG 2000", standing(RED), b"\x00\x00\x00\x0cjP  \r\n\x87\n" + bytes(100))
        before("a portrait that is none", standing(RED), b"\xff\xd8\xff\xe0" + bytes(100))
        before("a portrait cut off", standing(RED), whole[:len(whole) * 2 // 3])
        before("a small portrait", standing(RED), small)
        before("a portrait of nobody", standing(RED), nobody)
        mine = portrait()
        for turn in range(4):
            before(f"somebody else, attempt {turn + 1}", standing(BLUE), mine)
        before("the person, too late", standing(RED), mine)
        before("who leaves", standing(), portrait(), Plan("ios", leave_after="success", patience=25))
        shutil.rmtree(gate.rig.frames)
        gate.visit("no camera", Plan("android", patience=25), lambda: issuer.wrap(gate.rig.issuer.credential(portrait())))
    for name, more in (("not calibrated", {"threshold": None}), ("another model", {"model": "1" * 64}), ("when there is a photo",
                                                                                                         {"policy": "when-photo"}),
                       ("a matcher that crashes", {"plugin": "crash_on_probe",
                                                   "look": 6}), ("a matcher that lies", {"plugin": "garbage_reply", "look": 6}),
                       ("a matcher that hangs", {"plugin": "hang_on_probe",
                                                 "look": 6}), ("a matcher of another kind", {"plugin": "wrong_major", "look": 6})):
        with Watched(record, f"faces, {name}", make=FolderRig, quiet=1, **more) as gate:
            gate.visit("the person", Plan("android", patience=25), lambda: issuer.wrap(gate.rig.issuer.credential(portrait())))
