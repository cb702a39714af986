#include "models.h"
#include "failure.h"
#include "sha256.h"
#include <cerrno>
#include <fcntl.h>
#include <string>
#include <unistd.h>

namespace {
struct Descriptor {
    int number;
    ~Descriptor() {
        if (number >= 0) close(number);
    }
};

/// The whole file, which has `length` octets and not one more.
std::vector<uint8_t> contents(const std::string &path, size_t length) {
    Descriptor file{open(path.c_str(), O_RDONLY | O_CLOEXEC)};
    if (file.number < 0) throw Failure{FMP_E_MODEL};
    std::vector<uint8_t> octets(length + 1);
    size_t filled = 0;
    while (filled < octets.size()) {
        const ssize_t count = read(file.number, octets.data() + filled, octets.size() - filled);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) throw Failure{FMP_E_MODEL};
        if (count == 0) break;
        filled += size_t(count);
    }
    if (filled != length) throw Failure{FMP_E_MODEL};
    octets.resize(length);
    return octets;
}
}

Models::Models(const char *folder) {
    const std::string path = std::string(folder) + "/";
    network = contents(path + "dlib_face_recognition_resnet_model_v1.dat", 22466066);
    points = contents(path + "shape_predictor_5_face_landmarks.dat", 9150489);
    SHA256 digest;
    digest.add(network.data(), network.size());
    digest.add(points.data(), points.size());
    if (digest.hexadecimal() != modelDigest) throw Failure{FMP_E_MODEL};
}
