#pragma once
#include <stddef.h>
#include <stdint.h>

// Card numbers as bits, as readers have sent them since Wiegand.

struct card {
    uint16_t facility, number;
};

enum { CARD_MOST_OCTETS = 5 };

/// 26 bits: even parity over the first 12 bits of data, 8 of facility, 16 of number, odd parity over the last 12. 34 bits: 16 and 16, each
/// half with its parity. The first bit is the most significant of the first octet; what is left of the last is 0. How many octets; 0 for
/// another number of bits, or a facility that has no room.
size_t card_bits(struct card card, int bits, uint8_t octets[CARD_MOST_OCTETS]);
