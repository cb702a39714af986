#pragma once
#include <cstdint>
#include <istream>
#include <streambuf>

/// A stream over octets that are in memory already, for dlib's parsers.
class OctetStream : private std::streambuf, public std::istream {
public:
    OctetStream(uint8_t *octets, size_t length) : std::istream(static_cast<std::streambuf *>(this)) {
        char *start = reinterpret_cast<char *>(octets);
        setg(start, start, start + length);
    }
};
