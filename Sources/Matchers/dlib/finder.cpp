#include "finder.h"
#include "octetstream.h"
#include <algorithm>
#include <cmath>
#include <dlib/image_transforms.h>

namespace {
/// What is larger is searched smaller; points and chip are taken from the picture itself.
constexpr double longestSearched = 1280;
/// The detector's window has 80 pixels and may stick out of the picture; less than this shows no face to it.
constexpr long shortestSearched = 40;
/// A reference is searched no larger than this first: a credential's portrait has a face that is much of it.
constexpr double longestOfPortrait = 500;
/// Pixels a side of a box beside which no other is missed that has half its area, the second visitor by the gate's standard: the smallest
/// box has 80. A reference whose largest is smaller is searched once more, so that it has this size.
constexpr double certainBox = 80 * 1.42;
/// A reference in which nobody is found is searched at twice its size, unless it has more pixels a side than this.
constexpr long longestDoubled = 800;
/// Pixels between the eyes of a face that the detector's window finds, with some to spare. Measured: with 37.5 it found 92 of 92 faces,
/// with 31 91, with 25 49.
constexpr double searchedEyeDistance = 37.5;
/// Width of the box in distances between the eyes: the detector's box is an upright square from above the brows to the chin.
constexpr double searchedBox = 100;
/// What is searched around the last face, in its own widths to each side. A visitor who moves further is searched in the whole picture.
constexpr double regionMargin = 0.6;
/// Nanoseconds. A second visitor is not found around the first one's face, so the whole picture is searched that often.
constexpr uint64_t regionLasts = 1000000000;

double longest(const Picture &picture) { return double(std::max(picture.width, picture.height)); }
dlib::rectangle whole(const Picture &picture) { return {0, 0, picture.width - 1, picture.height - 1}; }

/// A box of a picture that was searched at another size, in the picture itself.
dlib::rectangle moved(const dlib::rectangle &box, const dlib::point &corner, double across, double down) {
    return {
        corner.x() + std::lround(double(box.left()) * across), corner.y() + std::lround(double(box.top()) * down),
        corner.x() + std::lround(double(box.right() + 1) * across) - 1, corner.y() + std::lround(double(box.bottom() + 1) * down) - 1};
}
}

Finder::Finder(const ModelFile &model, double eyeDistance)
    : detector(dlib::get_frontal_face_detector()), blank(shortestSearched, shortestSearched), eyeDistance(eyeDistance) {
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

std::vector<FoundFace> Finder::faces(const Picture &picture, const dlib::rectangle &part, double scale) {
    if (scale >= 1 && part == whole(picture)) return faces(picture);
    const Pixels smaller = reduced(picture, part, std::min(scale, 1.0));
    if (smaller.size() == 0) return {};
    auto found = faces(smaller);
    const double across = double(part.width()) / double(smaller.nc()), down = double(part.height()) / double(smaller.nr());
    for (auto &face : found) face.box = moved(face.box, part.tl_corner(), across, down);
    return found;
}

template <typename Image> void Finder::cutOut(const Image &image, Finding &finding, const Limits &limits) {
    if (finding.faces.empty()) return;
    limits.check();
    finding.points = predictor(image, finding.faces[0].box);
    dlib::extract_image_chip(image, dlib::get_face_chip_details(finding.points, chipSide, 0.25), finding.chip);
}

Finding Finder::reference(const Picture &picture, const Limits &limits) {
    // Another visitor: where the one before stood, and that nobody stood beside them, says nothing of this one.
    last = LastFace();
    Finding finding;
    const double first = std::min(1.0, longestOfPortrait / longest(picture)), most = std::min(1.0, longestSearched / longest(picture));
    const bool mayGrow = longest(picture) <= longestDoubled;
    limits.check();
    finding.faces = faces(picture, whole(picture), first);
    if (!finding.faces.empty()) {
        const double certain = std::min(certainBox / double(finding.faces[0].box.width()), mayGrow ? 2 : most);
        limits.check();
        auto found = certain <= first ? std::vector<FoundFace>() : certain <= 1 ? faces(picture, whole(picture), certain) : enlarged(picture, certain);
        if (!found.empty()) finding.faces = std::move(found);
    } else if (mayGrow) {
        limits.check();
        Pixels doubled(2 * picture.height, 2 * picture.width);
        dlib::resize_image(picture, doubled, dlib::interpolate_bilinear());
        finding.faces = faces(doubled);
        finding.scale = 0.5;
        cutOut(doubled, finding, limits);
        return finding;
    } else if (first < most) {
        limits.check();
        finding.faces = faces(picture, whole(picture), most);
    }
    cutOut(picture, finding, limits);
    return finding;
}

/// The faces of the picture at `scale` times its size, in the picture's pixels.
std::vector<FoundFace> Finder::enlarged(const Picture &picture, double scale) {
    Pixels larger(std::lround(double(picture.height) * scale), std::lround(double(picture.width) * scale));
    dlib::resize_image(picture, larger, dlib::interpolate_bilinear());
    auto found = faces(larger);
    const double across = double(picture.width) / double(larger.nc()), down = double(picture.height) / double(larger.nr());
    for (auto &face : found) face.box = moved(face.box, {0, 0}, across, down);
    return found;
}

Finding Finder::probe(const Picture &picture, uint64_t captured, const Limits &limits) {
    Finding finding;
    limits.check();
    // Nobody has said how small a face may be in a calibration, or an older host.
    const double asked = eyeDistance > 0 ? searchedEyeDistance / eyeDistance : 1;
    const double scale = std::min({1.0, asked, longestSearched / longest(picture)});
    finding.faces = nearLast(picture, captured, scale);
    if (finding.faces.empty()) {
        limits.check();
        finding.faces = faces(picture, whole(picture), scale);
        last.searched = finding.faces.size() == 1 ? captured : 0;
    }
    if (!finding.faces.empty()) last.box = finding.faces[0].box, last.width = picture.width, last.height = picture.height;
    cutOut(picture, finding, limits);
    return finding;
}

/// The face of the probe before, near where it was; none where there was none, too long ago, or where more than one is found: then the
/// whole picture says how many there are.
std::vector<FoundFace> Finder::nearLast(const Picture &picture, uint64_t captured, double scale) {
    if (last.searched == 0 || captured < last.searched || captured - last.searched >= regionLasts) return {};
    if (last.width != picture.width || last.height != picture.height) return {};
    const long margin = std::lround(regionMargin * double(last.box.width()));
    const auto part = dlib::grow_rect(last.box, margin).intersect(whole(picture));
    auto found = faces(picture, part, std::min(scale, searchedBox / double(last.box.width())));
    if (found.size() != 1) found.clear();
    return found;
}
