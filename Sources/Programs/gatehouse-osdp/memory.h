#pragma once
#include <stdint.h>

#include "peripheral.h"

// What outlives the process, in one folder: `key`, 32 hexadecimal digits, mode 0600, and `line`, the address and speed that a panel set.
// Each is written as a new file that takes the old one's place.

enum key_state {
    KEY_THERE,
    KEY_MISSING,
    KEY_UNREADABLE,
    KEY_OPEN, // others may read it
    KEY_DAMAGED,
};

enum key_state key_read(int folder, uint8_t key[KEY_SIZE]);
/// Why there is none, for the person who starts it.
const char *key_sentence(enum key_state state);
/// 0, or the errno.
int key_write(int folder, const uint8_t key[KEY_SIZE]);
/// Takes what a panel has set, in place of what was asked for. 0; 1 where there is none; -1 for what cannot be read or is damaged.
int line_read(int folder, uint8_t *address, uint32_t *rate);
int line_keep(int folder, uint8_t address, uint32_t rate);
