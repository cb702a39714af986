#pragma once
#include <stddef.h>
#include <stdint.h>

// Packets of OSDP (IEC 60839-11-5) out of what comes over a line. A packet is handed on when it is whole, its check holds, it is for this
// device, and its lengths fit each other; whatever else there is on the line is dropped here and counted. libosdp 3.2.9 trusts such
// lengths: a packet of six octets in a secure channel has it write before its buffer, and the name of a reserved command is no address.

enum {
    // Octets of the longest packet that is handed on, without the mark before it.
    FRAME_MOST = 255,
    // Of other devices' packets.
    FRAME_OTHERS_MOST = 1440,
    FRAME_ROOM = 4096,
    // Milliseconds of silence after which a packet that has begun is none.
    FRAME_PATIENCE = 100,
    FRAME_BROADCAST = 0x7F,
};

enum frame_drop {
    FRAME_NOISE,     // octets between packets
    FRAME_LENGTH,    // a beginning with an impossible length, or one that was not continued
    FRAME_CHECK,     // its check does not hold
    FRAME_OTHER,     // of or for another device: no trouble
    FRAME_MALFORMED, // it contradicts itself, or has a command that the standard does not have
    FRAME_DROPS,
};

struct framer {
    uint8_t address;
    uint32_t drops[FRAME_DROPS];
    int64_t heard; // when the last octet came, in milliseconds
    size_t start, end;
    int mark; // the octet before `start` is 0xFF
    uint8_t octets[FRAME_ROOM];
};

/// A packet, from its beginning octet 0x53 to its check.
struct frame {
    const uint8_t *octets; // until the next `framer_take`
    size_t count;
    int mark; // whether the sender put 0xFF before it, so that it is answered in kind
};

void framer_begin(struct framer *framer, uint8_t address);
/// Where to read the next octets to, and how many.
size_t framer_room(struct framer *framer, uint8_t **place);
/// So many were read there. `now` in milliseconds.
void framer_take(struct framer *framer, size_t count, int64_t now);
/// The next packet: 1, or 0 where there is none.
int framer_next(struct framer *framer, struct frame *frame);

// What stands in a packet.

enum {
    COMMAND_POLL = 0x60,
    COMMAND_CHALLENGE = 0x76, // osdp_CHLNG
    COMMAND_SCRYPT = 0x77,
    REPLY_CHALLENGE = 0x76, // osdp_CCRYPT
};

/// 0 to 3; 0 begins anew.
int frame_sequence(const struct frame *frame);
/// The command, or the reply; -1 where the packet is shorter.
int frame_code(const uint8_t *octets, size_t count);
