#include "output.h"

static void turn(struct output *output, int is_on) {
    if (output->is_on == is_on) return;
    output->is_on = is_on;
    output->drive(is_on);
}

int output_command(struct output *output, uint8_t code, uint16_t tenths, int64_t now) {
    switch (code) {
    case 0: return 0;
    case 1: case 2:
        output->end = 0;
        output->lasts = code == 2;
        turn(output, output->lasts);
        return 0;
    case 3: case 4:
        output->lasts = code == 4;
        if (output->end == 0) turn(output, output->lasts);
        return 0;
    case 5: case 6:
        // For no time at all it would never return.
        if (tenths == 0) return -1;
        output->end = now + tenths * INT64_C(100);
        turn(output, code == 5);
        return 0;
    default: return -1;
    }
}

int output_pass(struct output *output, int64_t now) {
    if (output->end == 0) return 0;
    if (now < output->end) return 1;
    output->end = 0;
    turn(output, output->lasts);
    return 0;
}
