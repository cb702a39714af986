#include "frame.h"

#include <string.h>

enum {
    BEGINNING = 0x53,
    MARK = 0xFF,
    HEAD = 5,
    REPLY = 0x80, // of a device, in the address
    SEQUENCE = 0x03,
    HAS_CRC = 0x04,
    HAS_SECURITY = 0x08,
    MAC = 4,
    BLOCK = 16,
};

void framer_begin(struct framer *framer, uint8_t address) {
    memset(framer, 0, sizeof *framer);
    framer->address = address;
}

static void drop(struct framer *framer, enum frame_drop what) {
    if (framer->drops[what] < UINT32_MAX) framer->drops[what]++;
}

size_t framer_room(struct framer *framer, uint8_t **place) {
    if (framer->start > 0) {
        memmove(framer->octets, framer->octets + framer->start, framer->end - framer->start);
        framer->end -= framer->start;
        framer->start = 0;
    }
    *place = framer->octets + framer->end;
    return FRAME_ROOM - framer->end;
}

void framer_take(struct framer *framer, size_t count, int64_t now) {
    // Nothing whole waits between two of these, so what is there has begun and was not continued.
    if (count > 0 && framer->end > framer->start && now - framer->heard > FRAME_PATIENCE) {
        drop(framer, FRAME_LENGTH);
        memmove(framer->octets, framer->octets + framer->end, count);
        framer->start = framer->end = 0;
        framer->mark = 0;
    }
    framer->heard = now;
    framer->end += count;
}

// MARK: checks

// CRC-16 of the standard, annex C: polynomial 0x1021 from 0x1D0F.
static uint16_t crc(const uint8_t *octets, size_t count) {
    uint16_t value = 0x1D0F;
    for (size_t i = 0; i < count; i++) {
        value = (uint16_t)(value >> 8 | value << 8);
        value ^= octets[i];
        value ^= (value & 0xFF) >> 4;
        value = (uint16_t)(value ^ value << 12);
        value = (uint16_t)(value ^ (value & 0xFF) << 5);
    }
    return value;
}

static size_t tail(const uint8_t *packet) {
    return packet[4] & HAS_CRC ? 2 : 1;
}

static int check_holds(const uint8_t *packet, size_t count) {
    if (packet[4] & HAS_CRC) return crc(packet, count - 2) == (packet[count - 2] | packet[count - 1] << 8);
    uint8_t sum = 0;
    for (size_t i = 0; i < count; i++) sum += packet[i];
    return sum == 0;
}

// Commands that libosdp answers, if only by a refusal. It has no name for any other from 0x60 to 0xA7, osdp_GENAUTH among them, and reads
// it all the same.
static int is_command(uint8_t code) {
    static const uint8_t known[] = {
        0x60, 0x61, 0x62, 0x64, 0x65, 0x66, 0x67, 0x68, 0x69, 0x6A, 0x6B, 0x6C, 0x6D, 0x6E, 0x73, 0x74, 0x75, 0x76, 0x77, 0x7B, 0x7C, 0x80,
        0xA1, 0xA2, 0xA3, 0xA5, 0xA7,
    };
    return memchr(known, code, sizeof known) != NULL;
}

// A packet's security block, what it says of the rest, and the command, fit each other and the packet's length.
static int is_well_formed(const uint8_t *packet, size_t count) {
    const size_t body = count - HEAD - tail(packet);
    if (!(packet[4] & HAS_SECURITY))
        return body >= 1 && is_command(packet[HEAD]) && packet[HEAD] != COMMAND_CHALLENGE && packet[HEAD] != COMMAND_SCRYPT;
    if (body < 3) return 0;
    const size_t block = packet[HEAD];
    if (body <= block || block < 2) return 0;
    const uint8_t type = packet[HEAD + 1], command = packet[HEAD + block];
    const size_t rest = body - block;
    switch (type) {
    case 0x11: return block == 3 && rest == 1 + 8 && command == COMMAND_CHALLENGE;
    case 0x13: return block == 3 && rest == 1 + 16 && command == COMMAND_SCRYPT;
    case 0x15: case 0x17: break;
    default: return 0;
    }
    if (block != 2 || rest < 1 + MAC || !is_command(command) || command == COMMAND_CHALLENGE || command == COMMAND_SCRYPT) return 0;
    const size_t data = rest - 1 - MAC;
    return type == 0x15 || (data > 0 && data % BLOCK == 0);
}

// MARK: packets

static void skip(struct framer *framer) {
    framer->mark = framer->octets[framer->start++] == MARK;
}

int framer_next(struct framer *framer, struct frame *frame) {
    while (framer->start < framer->end) {
        const uint8_t *packet = framer->octets + framer->start;
        const size_t left = framer->end - framer->start;
        if (packet[0] != BEGINNING) {
            if (packet[0] != MARK) drop(framer, FRAME_NOISE);
            skip(framer);
            continue;
        }
        if (left < HEAD) return 0;
        const size_t count = packet[2] | (size_t)packet[3] << 8;
        if (count < HEAD + 1 + tail(packet) || count > FRAME_OTHERS_MOST) {
            drop(framer, FRAME_LENGTH);
            skip(framer);
            continue;
        }
        if (left < count) return 0;
        if (!check_holds(packet, count)) {
            drop(framer, FRAME_CHECK);
            skip(framer);
            continue;
        }
        *frame = (struct frame){packet, count, framer->mark};
        framer->start += count;
        framer->mark = 0;
        // What stands in another's packet is not looked at: a beginning in it is none.
        if (packet[1] != framer->address && packet[1] != FRAME_BROADCAST) {
            drop(framer, FRAME_OTHER);
            continue;
        }
        if (count > FRAME_MOST || !is_well_formed(packet, count)) {
            drop(framer, FRAME_MALFORMED);
            continue;
        }
        return 1;
    }
    return 0;
}

int frame_sequence(const struct frame *frame) {
    return frame->octets[4] & SEQUENCE;
}

int frame_code(const uint8_t *octets, size_t count) {
    if (count > 0 && octets[0] == MARK) octets++, count--;
    if (count <= HEAD) return -1;
    const size_t place = octets[4] & HAS_SECURITY ? HEAD + (size_t)octets[HEAD] : HEAD;
    return place < count ? octets[place] : -1;
}
