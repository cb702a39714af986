#include "gpio_lines.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "gpio_chip.h"

struct wanted_line {
    uint32_t offset;
    char name[GPIO_NAME_SIZE]; // empty: by offset
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
    if (lines->count == GPIO_LINES_MAX || strlen(name) >= GPIO_NAME_SIZE || !name[0]) return -1;
    strcpy(lines->wanted[lines->count++].name, name);
    return 0;
}

int gpio_lines_errno(const struct gpio_lines *lines) {
    return lines->error;
}

static int fail(struct gpio_lines *lines, int otherwise) {
    return gpio_chip_failure(&lines->error, otherwise);
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
    lines->chip = gpio_chip_open(lines->chip_name);
    if (!lines->chip) return fail(lines, GPIO_LINES_NO_CHIP);
    gpiod_line_bulk_init(&lines->bulk);
    for (unsigned i = 0; i < lines->count; i++) {
        struct wanted_line *wanted = &lines->wanted[i];
        struct gpiod_line *line = wanted->name[0] ? gpiod_chip_find_line(lines->chip, wanted->name)
                                                  : gpiod_chip_get_line(lines->chip, wanted->offset);
        *culprit = i;
        if (!line) return fail(lines, GPIO_LINES_NO_LINE);
        offsets[i] = gpiod_line_offset(line);
        if (gpio_chip_is_repeated(offsets, i)) return GPIO_LINES_REPEATED;
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

int gpio_lines_request(struct gpio_lines *lines, const char *consumer, uint32_t *culprit) {
    unsigned offsets[GPIO_LINES_MAX];
    int result = GPIO_LINES_FAILED;
    *culprit = 0;
    lines->chip = gpio_chip_open(lines->chip_name);
    if (!lines->chip) return fail(lines, GPIO_LINES_NO_CHIP);
    for (unsigned i = 0; i < lines->count; i++) {
        struct wanted_line *wanted = &lines->wanted[i];
        int offset = wanted->name[0] ? gpiod_chip_get_line_offset_from_name(lines->chip, wanted->name) : (int)wanted->offset;
        *culprit = i;
        if (offset < 0) return fail(lines, GPIO_LINES_NO_LINE);
        offsets[i] = offset;
        // Version 2 would take the line once, and every level after it would go to the line beside its own.
        if (gpio_chip_is_repeated(offsets, i)) return GPIO_LINES_REPEATED;
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
