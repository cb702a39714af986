#pragma once
#include <cstdint>
#include <istream>
#include <streambuf>
#include <vector>

/// A stream over octets that are in memory already, for dlib's parsers.
class OctetStream : private std::streambuf, public std::istream {
public:
    explicit OctetStream(std::vector<uint8_t> &octets) : std::istream(static_cast<std::streambuf *>(this)) {
        char *start = reinterpret_cast<char *>(octets.data());
        setg(start, start, start + octets.size());
    }
};
