#include "card.h"

#include <string.h>

size_t card_bits(struct card card, int bits, uint8_t octets[CARD_MOST_OCTETS]) {
    if ((bits != 26 && bits != 34) || (bits == 26 && card.facility > 0xFF)) return 0;
    const int half = (bits - 2) / 2;
    const uint64_t data = (uint64_t)card.facility << 16 | card.number;
    const uint64_t first = data >> half, last = data & ((UINT64_C(1) << half) - 1);
    const uint64_t even = (uint64_t)__builtin_parityll(first), odd = (uint64_t)!__builtin_parityll(last);
    // To the left of five octets.
    const uint64_t all = (even << (bits - 1) | data << 1 | odd) << (8 * CARD_MOST_OCTETS - bits);
    const size_t count = ((size_t)bits + 7) / 8;
    memset(octets, 0, CARD_MOST_OCTETS);
    for (size_t i = 0; i < count; i++) octets[i] = (uint8_t)(all >> (8 * (CARD_MOST_OCTETS - 1 - i)));
    return count;
}
