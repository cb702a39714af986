#include "../network.h"
#include "host.h"
#include <algorithm>
#include <dlib/image_processing/frontal_face_detector.h>
#include <dlib/image_processing/shape_predictor.h>
#include <iostream>

// What the plug-in costs over the dlib calls it makes (Tests/Peers/bench/bench_faces.py asks, and measures both and the worker in turn).
//   bench-dlib bare models                 dlib, as in its examples
//   bench-dlib plugin models plug-in       the same through the plug-in
//   bench-dlib frame picture out w h zoom  a camera's frame with the picture in it, so many times as large as it fits, as JPEG
// Lines "reference PATH" and "probe PATH" are answered by: microseconds for decoding, microseconds for the rest, similarity, or -1 without
// a face; "memory" by resident and largest resident KiB.

namespace {
struct Answer {
    uint64_t decoding, matching;
    double similarity;
};

struct Subject {
    virtual ~Subject() = default;
    /// The similarity to the reference, or -1 without a face.
    virtual double probe(const Image &image) = 0;
    virtual void keep() = 0;
};

struct Bare : Subject {
    dlib::frontal_face_detector detector = dlib::get_frontal_face_detector();
    dlib::shape_predictor predictor;
    network::Embedding embedding;
    dlib::matrix<float, 0, 1> last, reference;

    explicit Bare(const std::string &models) {
        dlib::deserialize(models + "/dlib_face_recognition_resnet_model_v1.dat") >> embedding;
        dlib::deserialize(models + "/shape_predictor_5_face_landmarks.dat") >> predictor;
    }
    double probe(const Image &image) override {
        const auto faces = detector(image);
        if (faces.empty()) return -1;
        const auto largest = *std::max_element(faces.begin(), faces.end(), [](const auto &a, const auto &b) { return a.area() < b.area(); });
        dlib::matrix<dlib::rgb_pixel> chip;
        dlib::extract_image_chip(image, dlib::get_face_chip_details(predictor(image, largest), 150, 0.25), chip);
        last = embedding(chip);
        return reference.size() == 0 ? 0 : 1 - dlib::length(last - reference) / 2;
    }
    void keep() override { reference = last; }
};

struct Plugged : Subject {
    Plugin plugin;
    fmp_ctx *context = nullptr;
    Made last, reference;

    Plugged(const char *path, const char *models) : plugin(path) {
        if (plugin.open(models, &context) != FMP_OK) throw std::runtime_error("open");
    }
    double probe(const Image &image) override {
        last = make(plugin, context, image, FMP_ROLE_PROBE);
        double similarity = -1;
        if (last.status == FMP_OK) plugin.table->match(context, last.bytes(), reference.bytes(), &similarity);
        return last.status == FMP_OK && reference.octets.empty() ? 0 : similarity;
    }
    void keep() override { reference = last; }
};

Answer answer(Subject &subject, const std::string &path) {
    Image image;
    const uint64_t start = now();
    dlib::load_jpeg(image, path);
    const uint64_t decoded = now();
    const double similarity = subject.probe(image);
    return {(decoded - start) / 1000, (now() - decoded) / 1000, similarity};
}
}

int main(int count, char **arguments) {
    const std::string role = count > 1 ? arguments[1] : "";
    if (role == "frame" && count == 7) {
        const long width = atol(arguments[4]), height = atol(arguments[5]);
        const Image picture = loaded(arguments[2]);
        const double fits = std::min(double(width) / double(picture.nc()), double(height) / double(picture.nr()));
        dlib::save_jpeg(placed(scaled(picture, fits * atof(arguments[6])), width, height, 0.5, 0.5), arguments[3], 90);
        return 0;
    }
    std::unique_ptr<Subject> subject;
    if (role == "bare" && count == 3) subject = std::make_unique<Bare>(arguments[2]);
    else if (role == "plugin" && count == 4) subject = std::make_unique<Plugged>(arguments[3], arguments[2]);
    else return 2;
    std::cout << "open" << std::endl;
    std::string word, path;
    while (std::cin >> word) {
        if (word == "memory") {
            std::cout << processNumber("VmRSS") << ' ' << processNumber("VmHWM") << std::endl;
            continue;
        }
        std::cin >> path;
        const Answer answered = answer(*subject, path);
        if (word == "reference") subject->keep();
        std::cout << answered.decoding << ' ' << answered.matching << ' ' << answered.similarity << std::endl;
    }
}
