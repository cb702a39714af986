#pragma once
#include "failure.h"
#include <cstddef>
#include <cstdint>
#include <string_view>

/// Octets of a model file, looked at where they lie.
struct Octets {
    const uint8_t *data = nullptr;
    size_t count = 0;

    std::string_view text() const { return {reinterpret_cast<const char *>(data), count}; }
};

/// What a model file says has to hold, or the file is refused. Throws `Failure`: FMP_E_MODEL.
inline void require(bool holds) {
    if (!holds) throw Failure{FMP_E_MODEL};
}

/// Walks the fields of one message in protobuf's wire format (protobuf.dev, Encoding). Throws FMP_E_MODEL where the octets end early or are
/// no fields.
class WireReader {
public:
    enum class Type { varint = 0, fixed64 = 1, octets = 2, fixed32 = 5 };

    explicit WireReader(Octets message) : place(message.data), end(message.data + message.count) {}

    /// Goes to the next field; false at the end. A field whose value was not taken is passed over.
    bool next();
    uint32_t field() const { return number; }
    Type type() const { return kind; }

    /// The value of this field. Another type than the field's is refused.
    uint64_t varint();
    float fixed32();
    Octets octets();
    std::string_view text() { return octets().text(); }

private:
    uint64_t readVarint();
    const uint8_t *take(size_t count);
    void skip();

    const uint8_t *place, *end;
    uint32_t number = 0;
    Type kind = Type::varint;
    bool isTaken = true;
};

/// The numbers of a packed field, one after the other.
class PackedReader {
public:
    explicit PackedReader(Octets octets) : place(octets.data), end(octets.data + octets.count) {}
    bool isAtEnd() const { return place == end; }
    uint64_t varint();

private:
    const uint8_t *place, *end;
};
