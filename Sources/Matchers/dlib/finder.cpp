#include "finder.h"
#include "octetstream.h"
#include <algorithm>
#include <dlib/image_transforms.h>

namespace {
/// Larger pictures are searched at a whole fraction of their size; points and chip are taken from the picture itself.
constexpr long longestSearched = 1280;
/// The detector's window has 80 pixels and may stick out of the picture; less than this shows no face to it.
constexpr long shortestSearched = 40;
/// A reference is searched at twice its size where its face is smaller than the chip, unless it has more pixels a side than this.
constexpr long longestDoubled = 800;
}

Finder::Finder(const ModelFile &model) : detector(dlib::get_frontal_face_detector()), blank(shortestSearched, shortestSearched) {
    dlib::assign_all_pixels(blank, dlib::rgb_pixel(0, 0, 0));
    OctetStream stream(model.octets, model.length);
    deserialize(predictor, stream);
}

template <typename Image> std::vector<FoundFace> Finder::faces(const Image &image) {
    if (std::min(num_rows(image), num_columns(image)) < shortestSearched) return {};
    // The detector keeps the features of the last picture: let that be one without anybody.
    struct Forgetting {
        Finder &finder;
        ~Forgetting() {
            try {
                finder.detector(finder.blank);
            } catch (...) {
            }
        }
    } forgetting{*this};
    std::vector<dlib::rect_detection> detections;
    detector(image, detections);
    std::vector<FoundFace> faces;
    for (const auto &detection : detections) faces.push_back({detection.rect, detection.detection_confidence});
    std::stable_sort(faces.begin(), faces.end(), [](const FoundFace &a, const FoundFace &b) { return a.box.area() > b.box.area(); });
    return faces;
}

template <typename Image> void Finder::cutOut(const Image &image, Finding &finding, const Limits &limits) {
    if (finding.faces.empty()) return;
    limits.check();
    finding.points = predictor(image, finding.faces[0].box);
    dlib::extract_image_chip(image, dlib::get_face_chip_details(finding.points, chipSide, 0.25), finding.chip);
}

Finding Finder::find(const Picture &picture, bool isReference, const Limits &limits) {
    const long longest = std::max(picture.width, picture.height);
    Finding finding;
    limits.check();
    if (longest > longestSearched) {
        const long factor = (longest + longestSearched - 1) / longestSearched;
        finding.faces = faces(reduced(picture, factor));
        for (auto &face : finding.faces) {
            const auto box = face.box;
            face.box = dlib::rectangle(box.left() * factor, box.top() * factor, (box.right() + 1) * factor - 1, (box.bottom() + 1) * factor - 1);
        }
    } else {
        finding.faces = faces(picture);
    }
    const bool isSmall = finding.faces.empty() || long(finding.faces[0].box.width()) < chipSide;
    if (isReference && isSmall && longest <= longestDoubled) {
        limits.check();
        Pixels doubled(2 * picture.height, 2 * picture.width);
        dlib::resize_image(picture, doubled, dlib::interpolate_bilinear());
        auto found = faces(doubled);
        if (!found.empty()) {
            finding.faces = std::move(found);
            finding.scale = 0.5;
            cutOut(doubled, finding, limits);
            return finding;
        }
    }
    cutOut(picture, finding, limits);
    return finding;
}
