#pragma once
#include "embedder.h"
#include "face.h"
#include "limits.h"
#include <dlib/image_processing/frontal_face_detector.h>
#include <dlib/image_processing/shape_predictor.h>

/// What was found in a picture: the faces, the largest first, and that one's points and chip.
struct Finding {
    std::vector<FoundFace> faces;
    dlib::full_object_detection points;
    Chip chip;
    /// Widths of the host's picture in widths of the one `faces` and `points` are of.
    double scale = 1;
};

/// Where the last probe's face was. Boxes and times, nothing of anybody's face.
struct LastFace {
    dlib::rectangle box;
    long width = 0, height = 0;
    /// When the last whole picture was searched that showed this one face and no other, CLOCK_MONOTONIC; 0 for no face.
    uint64_t searched = 0;
};

/// Finds faces, the five points of the largest, and cuts it out upright at the size the network takes.
class Finder {
public:
    /// `eyeDistance`: pixels between the eyes of the smallest face of a probe that has to be found; 0 where every face has to be. Throws
    /// dlib's errors where the octets are no such model.
    Finder(const ModelFile &model, double eyeDistance);

    /// A reference is searched at a portrait's size first, and larger where its face is small or none is found. The probe after it is
    /// searched as a whole. Throws `Failure` as `Limits::check`.
    Finding reference(const Picture &picture, const Limits &limits);

    /// A probe is searched no larger than the smallest face asks for; where the probe before showed one face alone and was taken less than
    /// a second ago, around that face first. `captured` is 0 where nobody knows. Throws `Failure` as `Limits::check`.
    Finding probe(const Picture &picture, uint64_t captured, const Limits &limits);

private:
    template <typename Image> std::vector<FoundFace> faces(const Image &image);
    /// The faces in a part of a picture, in the picture's pixels; `scale` is the width that is searched in widths of the part.
    std::vector<FoundFace> faces(const Picture &picture, const dlib::rectangle &part, double scale);
    std::vector<FoundFace> enlarged(const Picture &picture, double scale);
    std::vector<FoundFace> nearLast(const Picture &picture, uint64_t captured, double scale);
    template <typename Image> void cutOut(const Image &image, Finding &finding, const Limits &limits);

    dlib::frontal_face_detector detector;
    /// The smallest picture that is searched, of one colour.
    Pixels blank;
    dlib::shape_predictor predictor;
    double eyeDistance;
    LastFace last;
};
