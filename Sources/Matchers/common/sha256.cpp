#include "sha256.h"
#include <algorithm>
#include <cstring>

namespace {
constexpr uint32_t roundConstants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be,
    0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa,
    0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85,
    0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3,
    0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f,
    0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

uint32_t rotated(uint32_t word, int bits) { return word >> bits | word << (32 - bits); }
}

void SHA256::addBlock(const uint8_t *block) {
    uint32_t schedule[64];
    for (int i = 0; i < 16; i++) {
        const uint8_t *word = block + 4 * i;
        schedule[i] = uint32_t(word[0]) << 24 | uint32_t(word[1]) << 16 | uint32_t(word[2]) << 8 | uint32_t(word[3]);
    }
    for (int i = 16; i < 64; i++) {
        const uint32_t early = schedule[i - 15], late = schedule[i - 2];
        const uint32_t sigma0 = rotated(early, 7) ^ rotated(early, 18) ^ early >> 3;
        const uint32_t sigma1 = rotated(late, 17) ^ rotated(late, 19) ^ late >> 10;
        schedule[i] = schedule[i - 16] + sigma0 + schedule[i - 7] + sigma1;
    }
    auto [a, b, c, d, e, f, g, h] = state;
    for (int i = 0; i < 64; i++) {
        const uint32_t sum1 = rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25);
        const uint32_t first = h + sum1 + ((e & f) ^ (~e & g)) + roundConstants[i] + schedule[i];
        const uint32_t sum0 = rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22);
        const uint32_t second = sum0 + ((a & b) ^ (a & c) ^ (b & c));
        h = g;
        g = f;
        f = e;
        e = d + first;
        d = c;
        c = b;
        b = a;
        a = first + second;
    }
    const uint32_t round[8] = {a, b, c, d, e, f, g, h};
    for (size_t i = 0; i < 8; i++) state[i] += round[i];
}

void SHA256::add(const uint8_t *octets, size_t count) {
    length += count;
    while (count > 0) {
        if (inRest == 0 && count >= rest.size()) {
            addBlock(octets);
            octets += rest.size();
            count -= rest.size();
            continue;
        }
        const size_t taken = std::min(count, rest.size() - inRest);
        std::memcpy(rest.data() + inRest, octets, taken);
        inRest += taken;
        octets += taken;
        count -= taken;
        if (inRest == rest.size()) {
            addBlock(rest.data());
            inRest = 0;
        }
    }
}

std::string SHA256::hexadecimal() {
    const uint64_t bits = length * 8;
    const uint8_t one = 0x80, zero = 0;
    add(&one, 1);
    while (inRest != 56) add(&zero, 1);
    uint8_t tail[8];
    for (int i = 0; i < 8; i++) tail[i] = uint8_t(bits >> (56 - 8 * i));
    add(tail, sizeof tail);
    std::string text;
    for (uint32_t word : state)
        for (int shift = 28; shift >= 0; shift -= 4) text += "0123456789abcdef"[word >> shift & 15];
    return text;
}
