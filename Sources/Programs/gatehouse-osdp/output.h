#pragma once
#include <stdint.h>

// The one output that a panel has at a reader: a lasting state, and another for a time.

struct output {
    int is_on;
    int lasts;   // the state to which it returns
    int64_t end; // of the other state, in milliseconds; 0 for none
    void (*drive)(int is_on);
};

/// osdp_OUT by its code (IEC 60839-11-5, table 18), with a time in tenths of a second. 0; -1 for what is none.
int output_command(struct output *output, uint8_t code, uint16_t tenths, int64_t now);
/// Ends what is over. Whether something is to end later.
int output_pass(struct output *output, int64_t now);
