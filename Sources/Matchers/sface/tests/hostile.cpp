#include "reading.h"
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <sanitizer/asan_interface.h>
#include <vector>

// Damaged model files, read without the comparison of their digest, under sanitizers:
//   hostile-sface MODEL.onnx [STEP]
// The file cut at every 1,000th octet; then every STEPth place (1) of those that say what something is or how long it is, altered in four
// ways. What is altered may be accepted (a number may be another); nothing may be read beyond the end, and nothing may be run that does not
// fit.

namespace {
/// The places of keys, lengths and short values in a message and the messages in it; weights and names are passed over.
void structure(const uint8_t *file, size_t from, size_t to, int depth, std::vector<size_t> &places) {
    const auto varint = [&](size_t &place) {
        uint64_t value = 0;
        for (int shift = 0; place < to; shift += 7) {
            const uint8_t octet = file[place];
            places.push_back(place++);
            value |= uint64_t(octet & 0x7f) << shift;
            if ((octet & 0x80) == 0) break;
        }
        return value;
    };
    while (from < to) {
        const uint64_t key = varint(from);
        if ((key & 7) == 0) varint(from);
        else if ((key & 7) == 5) from += 4;
        else if ((key & 7) == 1) from += 8;
        else {
            const size_t count = varint(from);
            // Of the model its graph, of the graph nodes and tensors, of nodes attributes.
            const uint64_t field = key >> 3;
            const bool isMessage = (depth == 0 && field == 7) || (depth == 1 && (field == 1 || field == 5)) || (depth == 2 && field == 5);
            if (isMessage) structure(file, from, from + count, depth + 1, places);
            from += count;
        }
    }
}
}

int main(int count, char **arguments) {
    if (count < 2) return 2;
    std::ifstream stream(arguments[1], std::ios::binary);
    const std::vector<char> read{std::istreambuf_iterator<char>(stream), {}};
    const size_t step = count > 2 ? size_t(std::atol(arguments[2])) : 1, size = read.size();
    // Memory that ends where the file does.
    const std::unique_ptr<uint8_t[]> file(new uint8_t[size]);
    std::copy(read.begin(), read.end(), file.get());
    if (!readAndRun(file.get(), size)) return std::puts("the file itself is refused"), 1;
    size_t cuts = 0, changes = 0, accepted = 0;
    // From the longest to the shortest: what was cut off may not be touched.
    for (size_t length = (size - 1) / 1000 * 1000;; length -= 1000, cuts++) {
        ASAN_POISON_MEMORY_REGION(file.get() + length, size - length > 1000 ? 1000 : size - length);
        if (readAndRun(file.get(), length)) return std::printf("accepted, cut at %zu\n", length), 1;
        if (length == 0) break;
    }
    ASAN_UNPOISON_MEMORY_REGION(file.get(), size);
    std::vector<size_t> places;
    structure(file.get(), 0, size, 0, places);
    for (size_t i = 0; i < places.size(); i += step) {
        uint8_t &octet = file[places[i]];
        const uint8_t before = octet;
        for (uint8_t other : {uint8_t(before + 1), uint8_t(before - 1), uint8_t(before ^ 0x80), uint8_t(0xff)}) {
            octet = other;
            accepted += readAndRun(file.get(), size);
            changes++;
        }
        octet = before;
    }
    std::printf("%zu cut, all refused; %zu of %zu places altered, %zu times, %zu accepted and run\n", cuts + 1,
                (places.size() + step - 1) / step, places.size(), changes, accepted);
}
