#define _GNU_SOURCE
#include "gpio_lines.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <gpiod.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Version 2 dropped the bulk type and its limit.
#ifdef GPIOD_LINE_BULK_MAX_LINES
#define GPIOD_IS_VERSION_1 1
#endif

#define NAME_SIZE 64

struct wanted_line {
    uint32_t offset;
    char name[NAME_SIZE]; // empty: by offset
};

struct gpio_lines {
    char chip_name[256];
    bool active_low;
    unsigned count;
    int error;
    struct wanted_line wanted[GPIO_LINES_MAX];
    struct gpiod_chip *chip;
#ifdef GPIOD_IS_VERSION_1
    struct gpiod_line_bulk bulk;
    bool requested;
#else
    struct gpiod_line_request *request;
#endif
};

struct gpio_lines *gpio_lines_new(const char *chip, bool active_low) {
    struct gpio_lines *lines = calloc(1, sizeof *lines);
    if (!lines || strlen(chip) >= sizeof lines->chip_name) {
        free(lines);
        return NULL;
    }
    strcpy(lines->chip_name, chip);
    lines->active_low = active_low;
    return lines;
}

int gpio_lines_add_offset(struct gpio_lines *lines, uint32_t offset) {
    if (lines->count == GPIO_LINES_MAX) return -1;
    lines->wanted[lines->count++].offset = offset;
    return 0;
}

int gpio_lines_add_name(struct gpio_lines *lines, const char *name) {
    if (lines->count == GPIO_LINES_MAX || strlen(name) >= NAME_SIZE || !name[0]) return -1;
    strcpy(lines->wanted[lines->count++].name, name);
    return 0;
}

int gpio_lines_errno(const struct gpio_lines *lines) {
    return lines->error;
}

static int fail(struct gpio_lines *lines, int otherwise) {
    lines->error = errno;
    switch (errno) {
    case EBUSY: return GPIO_LINES_TAKEN;
    case EACCES: case EPERM: return GPIO_LINES_NOT_PERMITTED;
    default: return otherwise;
    }
}

// Whether the last of these lines is there twice: a name and an offset may mean the same one.
static bool is_repeated(const unsigned offsets[], unsigned last) {
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

static int fail_to_open(struct gpio_lines *lines) {
    int number = errno;
    errno = lines->chip_name[0] != '/' && is_any_chip_closed() ? EACCES : number;
    return fail(lines, GPIO_LINES_NO_CHIP);
}

#ifdef GPIOD_IS_VERSION_1

const char *gpio_lines_api(void) {
    return "1.6";
}

int gpio_lines_request(struct gpio_lines *lines, const char *consumer, uint32_t *culprit) {
    static const int all_inactive[GPIO_LINES_MAX];
    struct gpiod_line_request_config config = {
        .consumer = consumer,
        .request_type = GPIOD_LINE_REQUEST_DIRECTION_OUTPUT,
        .flags = lines->active_low ? GPIOD_LINE_REQUEST_FLAG_ACTIVE_LOW : 0,
    };
    unsigned offsets[GPIO_LINES_MAX];
    *culprit = 0;
    lines->chip = gpiod_chip_open_lookup(lines->chip_name);
    if (!lines->chip) return fail_to_open(lines);
    gpiod_line_bulk_init(&lines->bulk);
    for (unsigned i = 0; i < lines->count; i++) {
        struct wanted_line *wanted = &lines->wanted[i];
        struct gpiod_line *line = wanted->name[0] ? gpiod_chip_find_line(lines->chip, wanted->name)
                                                  : gpiod_chip_get_line(lines->chip, wanted->offset);
        *culprit = i;
        if (!line) return fail(lines, GPIO_LINES_NO_LINE);
        offsets[i] = gpiod_line_offset(line);
        if (is_repeated(offsets, i)) return GPIO_LINES_REPEATED;
        // The bulk request below says only "busy"; this says which.
        if (gpiod_line_is_used(line)) {
            lines->error = EBUSY;
            return GPIO_LINES_TAKEN;
        }
        gpiod_line_bulk_add(&lines->bulk, line);
    }
    *culprit = 0;
    if (gpiod_line_request_bulk(&lines->bulk, &config, all_inactive) < 0) return fail(lines, GPIO_LINES_FAILED);
    lines->requested = true;
    return GPIO_LINES_OK;
}

int gpio_lines_set(struct gpio_lines *lines, uint32_t levels) {
    int values[GPIO_LINES_MAX];
    for (unsigned i = 0; i < GPIO_LINES_MAX; i++) values[i] = levels >> i & 1;
    if (!lines->requested) return GPIO_LINES_FAILED;
    return gpiod_line_set_value_bulk(&lines->bulk, values) < 0 ? fail(lines, GPIO_LINES_FAILED) : GPIO_LINES_OK;
}

void gpio_lines_free(struct gpio_lines *lines) {
    if (!lines) return;
    if (lines->requested) {
        gpio_lines_set(lines, 0);
        gpiod_line_release_bulk(&lines->bulk);
    }
    if (lines->chip) gpiod_chip_close(lines->chip);
    free(lines);
}

#else

const char *gpio_lines_api(void) {
    return "2.x";
}

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

int gpio_lines_request(struct gpio_lines *lines, const char *consumer, uint32_t *culprit) {
    unsigned offsets[GPIO_LINES_MAX];
    int result = GPIO_LINES_FAILED;
    *culprit = 0;
    lines->chip = open_chip(lines->chip_name);
    if (!lines->chip) return fail_to_open(lines);
    for (unsigned i = 0; i < lines->count; i++) {
        struct wanted_line *wanted = &lines->wanted[i];
        int offset = wanted->name[0] ? gpiod_chip_get_line_offset_from_name(lines->chip, wanted->name) : (int)wanted->offset;
        *culprit = i;
        if (offset < 0) return fail(lines, GPIO_LINES_NO_LINE);
        offsets[i] = offset;
        // Version 2 would take the line once, and every level after it would go to the line beside its own.
        if (is_repeated(offsets, i)) return GPIO_LINES_REPEATED;
        struct gpiod_line_info *info = gpiod_chip_get_line_info(lines->chip, offset);
        if (!info) return fail(lines, GPIO_LINES_NO_LINE);
        bool used = gpiod_line_info_is_used(info);
        gpiod_line_info_free(info);
        // The request below says only "busy"; this says which.
        if (used) {
            lines->error = EBUSY;
            return GPIO_LINES_TAKEN;
        }
    }
    *culprit = 0;
    struct gpiod_line_settings *settings = gpiod_line_settings_new();
    struct gpiod_line_config *config = gpiod_line_config_new();
    struct gpiod_request_config *request = gpiod_request_config_new();
    if (settings && config && request
        && gpiod_line_settings_set_direction(settings, GPIOD_LINE_DIRECTION_OUTPUT) == 0
        && gpiod_line_settings_set_output_value(settings, GPIOD_LINE_VALUE_INACTIVE) == 0) {
        gpiod_line_settings_set_active_low(settings, lines->active_low);
        gpiod_request_config_set_consumer(request, consumer);
        if (gpiod_line_config_add_line_settings(config, offsets, lines->count, settings) == 0)
            lines->request = gpiod_chip_request_lines(lines->chip, request, config);
    }
    result = lines->request ? GPIO_LINES_OK : fail(lines, GPIO_LINES_FAILED);
    if (request) gpiod_request_config_free(request);
    if (config) gpiod_line_config_free(config);
    if (settings) gpiod_line_settings_free(settings);
    return result;
}

int gpio_lines_set(struct gpio_lines *lines, uint32_t levels) {
    enum gpiod_line_value values[GPIO_LINES_MAX];
    for (unsigned i = 0; i < GPIO_LINES_MAX; i++)
        values[i] = levels >> i & 1 ? GPIOD_LINE_VALUE_ACTIVE : GPIOD_LINE_VALUE_INACTIVE;
    if (!lines->request) return GPIO_LINES_FAILED;
    return gpiod_line_request_set_values(lines->request, values) < 0 ? fail(lines, GPIO_LINES_FAILED) : GPIO_LINES_OK;
}

void gpio_lines_free(struct gpio_lines *lines) {
    if (!lines) return;
    if (lines->request) {
        gpio_lines_set(lines, 0);
        gpiod_line_request_release(lines->request);
    }
    if (lines->chip) gpiod_chip_close(lines->chip);
    free(lines);
}

#endif
