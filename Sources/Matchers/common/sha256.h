#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

/// SHA-256 (FIPS 180-4) of octets that come in pieces.
class SHA256 {
public:
    void add(const uint8_t *octets, size_t count);
    /// 64 lower-case hexadecimal digits. Nothing may be added afterwards.
    std::string hexadecimal();

private:
    void addBlock(const uint8_t *block);

    std::array<uint32_t, 8> state{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    std::array<uint8_t, 64> rest{};
    size_t inRest = 0;
    uint64_t length = 0;
};
