#include "wire.h"
#include <cstring>

namespace {
/// A varint has at most ten octets, the last of which has one bit.
uint64_t varintAt(const uint8_t *&place, const uint8_t *end) {
    uint64_t value = 0;
    for (int shift = 0; shift < 70; shift += 7) {
        require(place != end);
        const uint8_t octet = *place++;
        require(shift < 63 || octet <= 1);
        value |= uint64_t(octet & 0x7f) << shift;
        if ((octet & 0x80) == 0) return value;
    }
    throw Failure{FMP_E_MODEL};
}
}

uint64_t PackedReader::varint() { return varintAt(place, end); }

uint64_t WireReader::readVarint() { return varintAt(place, end); }

const uint8_t *WireReader::take(size_t count) {
    require(count <= size_t(end - place));
    const uint8_t *taken = place;
    place += count;
    return taken;
}

bool WireReader::next() {
    if (!isTaken) skip();
    if (place == end) return false;
    const uint64_t key = readVarint();
    require(key >> 3 >= 1 && key >> 3 < uint64_t(1) << 29);
    number = uint32_t(key >> 3);
    // Groups, 3 and 4, are no longer written by anybody.
    require((key & 7) <= 2 || (key & 7) == 5);
    kind = Type(key & 7);
    isTaken = false;
    return true;
}

uint64_t WireReader::varint() {
    require(!isTaken && kind == Type::varint);
    isTaken = true;
    return readVarint();
}

float WireReader::fixed32() {
    require(!isTaken && kind == Type::fixed32);
    isTaken = true;
    float value;
    std::memcpy(&value, take(sizeof value), sizeof value);
    return value;
}

Octets WireReader::octets() {
    require(!isTaken && kind == Type::octets);
    isTaken = true;
    const uint64_t count = readVarint();
    require(count <= uint64_t(end - place));
    return {take(size_t(count)), size_t(count)};
}

void WireReader::skip() {
    switch (kind) {
    case Type::varint: varint(); return;
    case Type::octets: octets(); return;
    case Type::fixed32: fixed32(); return;
    case Type::fixed64:
        isTaken = true;
        take(8);
        return;
    }
}
