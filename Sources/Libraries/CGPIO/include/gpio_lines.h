#pragma once
#include <stdbool.h>
#include <stdint.h>

// Output lines of one GPIO chip, the same over libgpiod 1.6 and 2.x.

#define GPIO_LINES_MAX 8

struct gpio_lines;

enum {
    GPIO_LINES_OK = 0,
    GPIO_LINES_NO_CHIP,
    GPIO_LINES_NO_LINE,
    GPIO_LINES_TAKEN,
    GPIO_LINES_REPEATED,
    GPIO_LINES_NOT_PERMITTED,
    GPIO_LINES_FAILED,
};

/// `chip` is a name (gpiochip0), a path or a label. NULL when there is no memory or the name is too long.
struct gpio_lines *gpio_lines_new(const char *chip, bool active_low);
/// Adds the next line. 0, or -1 when there are GPIO_LINES_MAX already or the name is too long.
int gpio_lines_add_offset(struct gpio_lines *lines, uint32_t offset);
int gpio_lines_add_name(struct gpio_lines *lines, const char *name);
/// Takes all lines as outputs, inactive. On failure `culprit` is the line at fault, where one is.
int gpio_lines_request(struct gpio_lines *lines, const char *consumer, uint32_t *culprit);
/// Bit n of `levels` makes line n active.
int gpio_lines_set(struct gpio_lines *lines, uint32_t levels);
/// errno of the last failure.
int gpio_lines_errno(const struct gpio_lines *lines);
/// Makes all lines inactive, releases them and frees everything.
void gpio_lines_free(struct gpio_lines *lines);
/// "1.6" or "2.x": the interface this was compiled for.
const char *gpio_lines_api(void);
