#pragma once
#include <stdint.h>

// Where a line is, whatever it is called: chips and lines have several names each.

#define GPIO_CHIP_NAME_SIZE 32

struct gpio_place {
    char chip[GPIO_CHIP_NAME_SIZE]; ///< The kernel's name: gpiochip0.
    uint32_t offset;
};

/// `chip` is a name, a path or a label; the line is that of `name`, or of `offset` where that is NULL. 0, or -1 where there is no such chip
/// or line, or it may not be looked at.
int gpio_place_find(const char *chip, const char *name, uint32_t offset, struct gpio_place *place);
