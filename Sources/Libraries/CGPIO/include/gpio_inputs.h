#pragma once
#include <stdbool.h>
#include <stdint.h>

// Input lines of one GPIO chip with their edges, the same over libgpiod 1.6 and 2.x. Results are those of gpio_lines.h.

#define GPIO_INPUTS_MAX 8

enum {
    GPIO_BIAS_AS_IT_IS = 0,
    GPIO_BIAS_PULL_UP,
    GPIO_BIAS_PULL_DOWN,
};

struct gpio_inputs;

struct gpio_edge {
    /// The place of the line in the order in which lines were added.
    uint32_t line;
    /// The level after the edge.
    bool active;
    /// CLOCK_MONOTONIC, by the kernel's interrupt handler.
    uint64_t nanoseconds;
};

/// `chip` is a name (gpiochip0), a path or a label. NULL when there is no memory or the name is too long.
struct gpio_inputs *gpio_inputs_new(const char *chip);
/// Adds the next line, by `name`, or by `offset` where the name is NULL. 0, or -1 when there are GPIO_INPUTS_MAX already or the name does
/// not fit.
int gpio_inputs_add(struct gpio_inputs *inputs, const char *name, uint32_t offset, bool active_low, int bias);
/// Takes all lines as inputs that tell both edges. On failure `culprit` is the line at fault, where one is.
int gpio_inputs_request(struct gpio_inputs *inputs, const char *consumer, uint32_t *culprit);
/// Readable while an edge waits; also when the chip is gone.
int gpio_inputs_descriptor(const struct gpio_inputs *inputs);
/// Bit n of `levels` is line n's level now, 1 where it is active. The kernel keeps 16 edges a line and drops what comes after: whoever has
/// taken all that wait asks for the levels.
int gpio_inputs_levels(struct gpio_inputs *inputs, uint32_t *levels);
/// The next edge, without waiting: 1, 0 where none waits, -1 on failure.
int gpio_inputs_next(struct gpio_inputs *inputs, struct gpio_edge *edge);
/// errno of the last failure.
int gpio_inputs_errno(const struct gpio_inputs *inputs);
/// Releases the lines and frees everything.
void gpio_inputs_free(struct gpio_inputs *inputs);
