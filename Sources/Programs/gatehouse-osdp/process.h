#pragma once
#include "peripheral.h"

// Two processes: the line's, which has real-time priority and no file, and the keeper of what is kept, which started it.

enum {
    WORD_CONDITION = 1,
    WORD_KEY,
    WORD_LINE,
};

/// What the line's process says to its keeper, one message each.
struct word {
    uint32_t kind;
    union {
        struct condition condition;
        uint8_t key[KEY_SIZE];
        struct {
            uint32_t rate;
            uint8_t address;
        } line;
    };
};

struct descriptors {
    int line, feed, output, keeper; // -1 for no output
    int turns;                      // the driver turns the transceiver round
};

/// Is the line's process for good.
_Noreturn void line_process(const struct settings *settings, const struct descriptors *descriptors, const uint8_t *key);
/// Is the keeper until the line's process has ended.
_Noreturn void keeper_process(const struct settings *settings, int line_process, int channel, int folder, int notify);

/// Says something to whoever started the program.
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));
