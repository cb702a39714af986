#!/usr/bin/env python3
"""YuNet and SFace on our engine against OpenCV's, which reads the same weights in single precision.

    compare.py MODELS PHOTOS BUILD          BUILD has look-sface and layers-sface; needs opencv-python-headless and onnx of PyPI
    compare.py MODELS PHOTOS BUILD layers   every activation of both networks for one picture

For every picture, as a camera's frame: the same number of faces, boxes within 2 pixels, points within 1, embeddings with a cosine of 0.999
at least. What is compared is the first look; the matcher then looks at the face once more, which OpenCV does not.
"""
import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

import cv2
import numpy
import onnx
from flat import flatten, flattened

WIDTH, HIGHEST, SCORE, OVERLAP, MOST = 320, 480, 0.6, 0.3, 5000
YUNET, SFACE = "face_detection_yunet_2023mar_int8bq.onnx", "face_recognition_sface_2021dec_int8bq.onnx"


def searched(picture: numpy.ndarray) -> numpy.ndarray:
    """At the size that the matcher searches."""
    height, width = picture.shape[:2]
    factor = min(1, WIDTH / width, HIGHEST / height)
    size = (max(1, round(width * factor)), max(1, round(height * factor)))
    return picture if size == (width, height) else cv2.resize(picture, size, interpolation=cv2.INTER_AREA)


class OpenCV:
    """FaceDetectorYN and FaceRecognizerSF."""

    def __init__(self, models: Path, work: Path) -> None:
        yunet = flatten(models / YUNET, work / "yunet.onnx")
        self.detector = cv2.FaceDetectorYN.create(str(yunet), "", (WIDTH, WIDTH), SCORE, OVERLAP, MOST)
        self.recogniser = cv2.FaceRecognizerSF.create(str(flatten(models / SFACE, work / "sface.onnx")), "")

    def faces(self, picture: numpy.ndarray) -> numpy.ndarray:
        """In pixels of the picture, the largest first: x, y, width, height, ten of points, score."""
        small = searched(picture)
        self.detector.setInputSize((small.shape[1], small.shape[0]))
        found = self.detector.detect(small)[1]
        if found is None:
            return numpy.zeros((0, 15))
        found = found.astype(float)
        across, down = picture.shape[1] / small.shape[1], picture.shape[0] / small.shape[0]
        found[:, 0:14:2] *= across
        found[:, 1:14:2] *= down
        return found[numpy.argsort(-found[:, 2] * found[:, 3], kind="stable")]

    def embedding(self, picture: numpy.ndarray, face: numpy.ndarray) -> numpy.ndarray:
        return self.recogniser.feature(self.recogniser.alignCrop(picture, face.astype(numpy.float32).reshape(1, -1)))[0].astype(float)


class Ours:
    """What look-sface says of pictures."""

    def __init__(self, program: Path, models: Path, pictures: list[Path]) -> None:
        said = subprocess.run([program, models, "probe", *pictures], check=True, capture_output=True, text=True).stdout
        self.faces: list[list[list[float]]] = []
        self.embeddings: list[numpy.ndarray | None] = []
        for line in said.splitlines():
            word, *rest = line.split()
            if word == "picture":
                self.faces.append([])
                self.embeddings.append(None)
            elif word == "face":
                self.faces[-1].append([float(number) for number in rest])
            elif word == "embedding":
                self.embeddings[-1] = numpy.array([float(number) for number in rest])


def nearest(face: list[float], others: numpy.ndarray) -> numpy.ndarray:
    return others[numpy.argmin(numpy.abs(others[:, :4] - numpy.array(face[:4])).sum(axis=1))]


def compare(models: Path, photos: Path, build: Path, work: Path) -> bool:
    paths = sorted(path for path in photos.rglob("*") if path.is_file())
    pictures = [cv2.imread(str(path)) for path in paths]
    written = [work / f"{number}.ppm" for number in range(len(paths))]
    for path, picture in zip(written, pictures):
        cv2.imwrite(str(path), picture)
    peer, ours = OpenCV(models, work), Ours(build / "look-sface", models, written)
    good, faces, box, point, least = True, 0, 0.0, 0.0, 1.0
    for path, picture, found, embedding in zip(paths, pictures, ours.faces, ours.embeddings):
        theirs = peer.faces(picture)
        if len(theirs) != len(found):
            print(f"{path}: {len(found)} faces, OpenCV {len(theirs)}")
            good = False
            continue
        for face in found:
            other = nearest(face, theirs)
            apart = float(numpy.abs(other[:4] - face[:4]).max()), float(numpy.abs(other[4:14] - face[5:]).max())
            box, point, faces = max(box, apart[0]), max(point, apart[1]), faces + 1
            if apart[0] > 2 or apart[1] > 1:
                print(f"{path}: a box {apart[0]:.2f} pixels apart, points {apart[1]:.2f}")
                good = False
        if embedding is not None:
            peers = peer.embedding(picture, nearest(found[0], theirs))
            cosine = float(embedding @ peers / numpy.linalg.norm(peers) / numpy.linalg.norm(embedding))
            least = min(least, cosine)
            if cosine < 0.999:
                print(f"{path}: a cosine of {cosine:.5f}")
                good = False
    print(f"{len(paths)} pictures, {faces} faces: boxes at most {box:.3f} pixels from OpenCV {cv2.__version__}'s, points {point:.3f}, "
          f"cosine of embeddings at least {least:.6f}")
    return good


def layers(models: Path, photos: Path, build: Path, work: Path) -> bool:
    picture = cv2.imread(str(sorted(photos.rglob("*.jpg"))[0]))
    worst = 0.0
    for name, side in ((YUNET, 320), (SFACE, 112)):
        small = cv2.resize(picture, (side, side), interpolation=cv2.INTER_AREA)
        # Written as blue, green, red: imwrite turns the order round.
        cv2.imwrite(str(work / "picture.ppm"), small[:, :, ::-1])
        command = [build / "layers-sface", models / name, work / "picture.ppm", work]
        said = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        model = flattened(onnx.load(models / name))
        names = [line.split()[0] for line in said.splitlines()]
        known = {value.name for value in model.graph.output}
        model.graph.output.extend(onnx.helper.make_empty_tensor_value_info(name) for name in names if name not in known)
        model.graph.input[0].type.tensor_type.shape.dim[2].dim_value = model.graph.input[0].type.tensor_type.shape.dim[3].dim_value = side
        onnx.save(model, work / "layers.onnx")
        net = cv2.dnn.readNetFromONNX(str(work / "layers.onnx"))
        net.setInput(cv2.dnn.blobFromImage(small.astype(numpy.float32)))
        theirs = dict(zip(names, net.forward(names)))
        for line in said.splitlines():
            layer, channels, height, width = line.split()
            ours = numpy.fromfile(work / layer, numpy.float32).reshape(int(channels), int(height), int(width))
            other = theirs[layer]
            if other.ndim == 3:
                other = other.transpose(0, 2, 1)
            apart = float(numpy.abs(ours.ravel() - other.ravel()).max()) / max(float(numpy.abs(other).max()), 1e-6)
            worst = max(worst, apart)
            print(f"{name.split('_')[2]} {layer}: {apart:.2g} of the largest number")
    return worst < 1e-3


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("models", type=Path)
    parser.add_argument("photos", type=Path)
    parser.add_argument("build", type=Path)
    parser.add_argument("what", nargs="?", choices=["layers"])
    asked = parser.parse_args()
    cv2.setNumThreads(1)
    with tempfile.TemporaryDirectory() as work:
        return 0 if (layers if asked.what else compare)(asked.models, asked.photos, asked.build, Path(work)) else 1


if __name__ == "__main__":
    sys.exit(main())
