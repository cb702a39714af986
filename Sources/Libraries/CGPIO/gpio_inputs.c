#include "gpio_inputs.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "gpio_chip.h"
#include "gpio_lines.h"

struct wanted_input {
    uint32_t offset;
    char name[GPIO_NAME_SIZE]; // empty: by offset
    bool active_low;
    int bias;
};

struct gpio_inputs {
    char chip_name[256];
    unsigned count;
    int error;
    int descriptor;
    struct wanted_input wanted[GPIO_INPUTS_MAX];
    unsigned offsets[GPIO_INPUTS_MAX];
    struct gpiod_chip *chip;
#ifdef GPIOD_IS_VERSION_1
    struct gpiod_line *lines[GPIO_INPUTS_MAX]; // requested ones
#else
    struct gpiod_line_request *request;
    struct gpiod_edge_event_buffer *events;
#endif
};

struct gpio_inputs *gpio_inputs_new(const char *chip) {
    struct gpio_inputs *inputs = calloc(1, sizeof *inputs);
    if (!inputs || strlen(chip) >= sizeof inputs->chip_name) {
        free(inputs);
        return NULL;
    }
    strcpy(inputs->chip_name, chip);
    inputs->descriptor = -1;
    return inputs;
}

int gpio_inputs_add(struct gpio_inputs *inputs, const char *name, uint32_t offset, bool active_low, int bias) {
    if (inputs->count == GPIO_INPUTS_MAX || (name && (strlen(name) >= GPIO_NAME_SIZE || !name[0]))) return -1;
    struct wanted_input *wanted = &inputs->wanted[inputs->count++];
    wanted->offset = offset;
    if (name) strcpy(wanted->name, name);
    wanted->active_low = active_low;
    wanted->bias = bias;
    return 0;
}

int gpio_inputs_errno(const struct gpio_inputs *inputs) {
    return inputs->error;
}

int gpio_inputs_descriptor(const struct gpio_inputs *inputs) {
    return inputs->descriptor;
}

static int fail(struct gpio_inputs *inputs, int otherwise) {
    return gpio_chip_failure(&inputs->error, otherwise);
}

#ifdef GPIOD_IS_VERSION_1

static int flags(const struct wanted_input *wanted) {
    int flags = wanted->active_low ? GPIOD_LINE_REQUEST_FLAG_ACTIVE_LOW : 0;
    if (wanted->bias == GPIO_BIAS_PULL_UP) flags |= GPIOD_LINE_REQUEST_FLAG_BIAS_PULL_UP;
    if (wanted->bias == GPIO_BIAS_PULL_DOWN) flags |= GPIOD_LINE_REQUEST_FLAG_BIAS_PULL_DOWN;
    return flags;
}

// Version 1 has a descriptor for each line; an epoll descriptor stands for all of them.
int gpio_inputs_request(struct gpio_inputs *inputs, const char *consumer, uint32_t *culprit) {
    *culprit = 0;
    inputs->chip = gpio_chip_open(inputs->chip_name);
    if (!inputs->chip) return fail(inputs, GPIO_LINES_NO_CHIP);
    inputs->descriptor = epoll_create1(EPOLL_CLOEXEC);
    if (inputs->descriptor < 0) return fail(inputs, GPIO_LINES_FAILED);
    for (unsigned i = 0; i < inputs->count; i++) {
        const struct wanted_input *wanted = &inputs->wanted[i];
        struct gpiod_line_request_config config = {
            .consumer = consumer, .request_type = GPIOD_LINE_REQUEST_EVENT_BOTH_EDGES, .flags = flags(wanted)};
        struct gpiod_line *line = wanted->name[0] ? gpiod_chip_find_line(inputs->chip, wanted->name)
                                                  : gpiod_chip_get_line(inputs->chip, wanted->offset);
        *culprit = i;
        if (!line) return fail(inputs, GPIO_LINES_NO_LINE);
        inputs->offsets[i] = gpiod_line_offset(line);
        if (gpio_chip_is_repeated(inputs->offsets, i)) return GPIO_LINES_REPEATED;
        if (gpiod_line_is_used(line)) {
            inputs->error = EBUSY;
            return GPIO_LINES_TAKEN;
        }
        if (gpiod_line_request(line, &config, 0) < 0) return fail(inputs, GPIO_LINES_FAILED);
        inputs->lines[i] = line;
        struct epoll_event event = {.events = EPOLLIN, .data.u32 = i};
        int descriptor = gpiod_line_event_get_fd(line);
        if (descriptor < 0 || epoll_ctl(inputs->descriptor, EPOLL_CTL_ADD, descriptor, &event) < 0) return fail(inputs, GPIO_LINES_FAILED);
    }
    return GPIO_LINES_OK;
}

int gpio_inputs_levels(struct gpio_inputs *inputs, uint32_t *levels) {
    *levels = 0;
    for (unsigned i = 0; i < inputs->count; i++) {
        int value = inputs->lines[i] ? gpiod_line_get_value(inputs->lines[i]) : -1;
        if (value < 0) return fail(inputs, GPIO_LINES_FAILED);
        *levels |= (uint32_t)(value != 0) << i;
    }
    return GPIO_LINES_OK;
}

int gpio_inputs_next(struct gpio_inputs *inputs, struct gpio_edge *edge) {
    struct epoll_event ready;
    struct gpiod_line_event event;
    int count = epoll_wait(inputs->descriptor, &ready, 1, 0);
    if (count == 0 || (count < 0 && errno == EINTR)) return 0;
    if (count > 0 && ready.events & EPOLLIN) {
        if (gpiod_line_event_read(inputs->lines[ready.data.u32], &event) == 0) {
            edge->line = ready.data.u32;
            edge->active = event.event_type == GPIOD_LINE_EVENT_RISING_EDGE;
            edge->nanoseconds = (uint64_t)event.ts.tv_sec * 1000000000 + (uint64_t)event.ts.tv_nsec;
            return 1;
        }
    } else if (count > 0) {
        // No edge, and yet awake: the chip is gone.
        errno = ENODEV;
    }
    fail(inputs, GPIO_LINES_FAILED);
    return -1;
}

void gpio_inputs_free(struct gpio_inputs *inputs) {
    if (!inputs) return;
    for (unsigned i = 0; i < inputs->count; i++)
        if (inputs->lines[i]) gpiod_line_release(inputs->lines[i]);
    if (inputs->descriptor >= 0) close(inputs->descriptor);
    if (inputs->chip) gpiod_chip_close(inputs->chip);
    free(inputs);
}

#else

static int add_settings(struct gpiod_line_config *config, const struct wanted_input *wanted, unsigned offset) {
    struct gpiod_line_settings *settings = gpiod_line_settings_new();
    if (!settings) return -1;
    int result = gpiod_line_settings_set_direction(settings, GPIOD_LINE_DIRECTION_INPUT);
    if (result == 0) result = gpiod_line_settings_set_edge_detection(settings, GPIOD_LINE_EDGE_BOTH);
    if (result == 0) result = gpiod_line_settings_set_event_clock(settings, GPIOD_LINE_CLOCK_MONOTONIC);
    gpiod_line_settings_set_active_low(settings, wanted->active_low);
    if (result == 0 && wanted->bias == GPIO_BIAS_PULL_UP) result = gpiod_line_settings_set_bias(settings, GPIOD_LINE_BIAS_PULL_UP);
    if (result == 0 && wanted->bias == GPIO_BIAS_PULL_DOWN) result = gpiod_line_settings_set_bias(settings, GPIOD_LINE_BIAS_PULL_DOWN);
    if (result == 0) result = gpiod_line_config_add_line_settings(config, &offset, 1, settings);
    gpiod_line_settings_free(settings);
    return result;
}

static int find_lines(struct gpio_inputs *inputs, uint32_t *culprit) {
    for (unsigned i = 0; i < inputs->count; i++) {
        const struct wanted_input *wanted = &inputs->wanted[i];
        int offset = wanted->name[0] ? gpiod_chip_get_line_offset_from_name(inputs->chip, wanted->name) : (int)wanted->offset;
        *culprit = i;
        if (offset < 0) return fail(inputs, GPIO_LINES_NO_LINE);
        inputs->offsets[i] = offset;
        if (gpio_chip_is_repeated(inputs->offsets, i)) return GPIO_LINES_REPEATED;
        struct gpiod_line_info *info = gpiod_chip_get_line_info(inputs->chip, offset);
        if (!info) return fail(inputs, GPIO_LINES_NO_LINE);
        bool used = gpiod_line_info_is_used(info);
        gpiod_line_info_free(info);
        if (used) {
            inputs->error = EBUSY;
            return GPIO_LINES_TAKEN;
        }
    }
    *culprit = 0;
    return GPIO_LINES_OK;
}

int gpio_inputs_request(struct gpio_inputs *inputs, const char *consumer, uint32_t *culprit) {
    *culprit = 0;
    inputs->chip = gpio_chip_open(inputs->chip_name);
    if (!inputs->chip) return fail(inputs, GPIO_LINES_NO_CHIP);
    int result = find_lines(inputs, culprit);
    if (result != GPIO_LINES_OK) return result;
    struct gpiod_line_config *config = gpiod_line_config_new();
    struct gpiod_request_config *request = gpiod_request_config_new();
    inputs->events = gpiod_edge_event_buffer_new(1);
    bool ready = config && request && inputs->events;
    for (unsigned i = 0; ready && i < inputs->count; i++) ready = add_settings(config, &inputs->wanted[i], inputs->offsets[i]) == 0;
    if (ready) {
        gpiod_request_config_set_consumer(request, consumer);
        inputs->request = gpiod_chip_request_lines(inputs->chip, request, config);
    }
    if (inputs->request) inputs->descriptor = gpiod_line_request_get_fd(inputs->request);
    else result = fail(inputs, GPIO_LINES_FAILED);
    if (request) gpiod_request_config_free(request);
    if (config) gpiod_line_config_free(config);
    return result;
}

int gpio_inputs_levels(struct gpio_inputs *inputs, uint32_t *levels) {
    enum gpiod_line_value values[GPIO_INPUTS_MAX];
    *levels = 0;
    if (!inputs->request) return GPIO_LINES_FAILED;
    if (gpiod_line_request_get_values(inputs->request, values) < 0) return fail(inputs, GPIO_LINES_FAILED);
    for (unsigned i = 0; i < inputs->count; i++) *levels |= (uint32_t)(values[i] == GPIOD_LINE_VALUE_ACTIVE) << i;
    return GPIO_LINES_OK;
}

int gpio_inputs_next(struct gpio_inputs *inputs, struct gpio_edge *edge) {
    struct pollfd entry = {.fd = inputs->descriptor, .events = POLLIN};
    int count = poll(&entry, 1, 0);
    if (count == 0 || (count < 0 && errno == EINTR)) return 0;
    if (count > 0 && entry.revents & POLLIN) {
        if (gpiod_line_request_read_edge_events(inputs->request, inputs->events, 1) == 1) {
            struct gpiod_edge_event *event = gpiod_edge_event_buffer_get_event(inputs->events, 0);
            unsigned offset = gpiod_edge_event_get_line_offset(event);
            edge->active = gpiod_edge_event_get_event_type(event) == GPIOD_EDGE_EVENT_RISING_EDGE;
            edge->nanoseconds = gpiod_edge_event_get_timestamp_ns(event);
            for (edge->line = 0; edge->line < inputs->count; edge->line++)
                if (inputs->offsets[edge->line] == offset) return 1;
            errno = EINVAL;
        }
    } else if (count > 0) {
        // No edge, and yet awake: the chip is gone.
        errno = ENODEV;
    }
    fail(inputs, GPIO_LINES_FAILED);
    return -1;
}

void gpio_inputs_free(struct gpio_inputs *inputs) {
    if (!inputs) return;
    if (inputs->request) gpiod_line_request_release(inputs->request);
    if (inputs->events) gpiod_edge_event_buffer_free(inputs->events);
    if (inputs->chip) gpiod_chip_close(inputs->chip);
    free(inputs);
}

#endif
