#include "modelfile.h"
#include "failure.h"
#include "sha256.h"
#include <cerrno>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

namespace {
struct Descriptor {
    int number;
    ~Descriptor() {
        if (number >= 0) close(number);
    }
};

/// Reads to the end of a file, or to the end of the octets; how many were read.
size_t readWhole(const char *path, uint8_t *octets, size_t room) {
    Descriptor file{open(path, O_RDONLY | O_CLOEXEC)};
    if (file.number < 0) throw Failure{FMP_E_MODEL};
    size_t filled = 0;
    while (filled < room) {
        const ssize_t count = read(file.number, octets + filled, room - filled);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) throw Failure{FMP_E_MODEL};
        if (count == 0) break;
        filled += size_t(count);
    }
    return filled;
}
}

ModelFile::ModelFile(const std::string &path, size_t length) : octets(nullptr), length(length) {
    void *memory = mmap(nullptr, length + 1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw Failure{FMP_E_MEMORY};
    octets = static_cast<uint8_t *>(memory);
    try {
        if (readWhole(path.c_str(), octets, length + 1) != length) throw Failure{FMP_E_MODEL};
    } catch (...) {
        munmap(octets, length + 1);
        throw;
    }
}

ModelFile::~ModelFile() { munmap(octets, length + 1); }

void checkDigest(const ModelFile &first, const ModelFile &second, const char *digest) {
    SHA256 made;
    made.add(first.octets, first.length);
    made.add(second.octets, second.length);
    if (made.hexadecimal() != digest) throw Failure{FMP_E_MODEL};
}
