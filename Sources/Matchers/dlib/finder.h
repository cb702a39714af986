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

/// Finds faces, the five points of the largest, and cuts it out upright at the size the network takes.
class Finder {
public:
    /// Throws dlib's errors where the octets are no such model.
    explicit Finder(const ModelFile &model);

    /// A reference whose face is small is searched again at twice its size. Throws `Failure` as `Limits::check`.
    Finding find(const Picture &picture, bool isReference, const Limits &limits);

private:
    template <typename Image> std::vector<FoundFace> faces(const Image &image);
    template <typename Image> void cutOut(const Image &image, Finding &finding, const Limits &limits);

    dlib::frontal_face_detector detector;
    /// The smallest picture that is searched, of one colour.
    Pixels blank;
    dlib::shape_predictor predictor;
};
