#pragma once
// What output and input lines share: finding a chip, and what a failure means.
#define _GNU_SOURCE
#include <gpiod.h>
#include <stdbool.h>

// Version 2 dropped the bulk type and its limit.
#ifdef GPIOD_LINE_BULK_MAX_LINES
#define GPIOD_IS_VERSION_1 1
#endif

#define GPIO_NAME_SIZE 64

/// Opens a chip by name, path or label; NULL with errno, EACCES where it may be one that may not be looked into.
struct gpiod_chip *gpio_chip_open(const char *name);
/// Notes errno, and says which GPIO_LINES_ code it is; `otherwise` where it names no cause of its own.
int gpio_chip_failure(int *number, int otherwise);
/// Whether the last of these lines is there twice: a name and an offset may mean the same one.
bool gpio_chip_is_repeated(const unsigned offsets[], unsigned last);
