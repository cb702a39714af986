#include "gpio_chip.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "gpio_lines.h"

int gpio_chip_failure(int *number, int otherwise) {
    *number = errno;
    switch (errno) {
    case EBUSY: return GPIO_LINES_TAKEN;
    case EACCES: case EPERM: return GPIO_LINES_NOT_PERMITTED;
    default: return otherwise;
    }
}

bool gpio_chip_is_repeated(const unsigned offsets[], unsigned last) {
    for (unsigned i = 0; i < last; i++)
        if (offsets[i] == offsets[last]) return true;
    return false;
}

// Whether there is a chip that may not be looked into: then the one looked for may be it, and the lookup says only that there is none.
static bool is_any_chip_closed(void) {
    bool closed = false;
    struct dirent *entry;
    DIR *folder = opendir("/dev");
    if (!folder) return false;
    while (!closed && (entry = readdir(folder))) {
        if (strncmp(entry->d_name, "gpiochip", 8) != 0) continue;
        closed = faccessat(dirfd(folder), entry->d_name, R_OK | W_OK, AT_EACCESS) < 0 && errno == EACCES;
    }
    closedir(folder);
    return closed;
}

#ifdef GPIOD_IS_VERSION_1

static struct gpiod_chip *open_chip(const char *name) {
    return gpiod_chip_open_lookup(name);
}

#else

// Version 2 opens paths only.
static struct gpiod_chip *open_by_label(const char *label) {
    struct gpiod_chip *found = NULL;
    struct dirent *entry;
    DIR *folder = opendir("/dev");
    if (!folder) return NULL;
    while (!found && (entry = readdir(folder))) {
        char path[sizeof entry->d_name + 8];
        if (strncmp(entry->d_name, "gpiochip", 8) != 0) continue;
        snprintf(path, sizeof path, "/dev/%s", entry->d_name);
        struct gpiod_chip *chip = gpiod_chip_open(path);
        if (!chip) continue;
        struct gpiod_chip_info *info = gpiod_chip_get_info(chip);
        if (info && strcmp(gpiod_chip_info_get_label(info), label) == 0) found = chip;
        else gpiod_chip_close(chip);
        if (info) gpiod_chip_info_free(info);
    }
    closedir(folder);
    if (!found) errno = ENOENT;
    return found;
}

static struct gpiod_chip *open_chip(const char *name) {
    char path[300];
    if (name[0] == '/') return gpiod_chip_open(name);
    snprintf(path, sizeof path, "/dev/%s", name);
    if (gpiod_is_gpiochip_device(path)) return gpiod_chip_open(path);
    return open_by_label(name);
}

#endif

struct gpiod_chip *gpio_chip_open(const char *name) {
    struct gpiod_chip *chip = open_chip(name);
    if (!chip && name[0] != '/') {
        int number = errno;
        errno = is_any_chip_closed() ? EACCES : number;
    }
    return chip;
}
