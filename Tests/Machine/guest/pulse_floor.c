// The least a pulse takes: a line is set, a timer of the kernel waited for, the line reset. Reads one octet for each pulse.
#include "gpio_lines.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/timerfd.h>
#include <unistd.h>

int main(int count, char **arguments) {
    if (count != 4) return 2;
    struct gpio_lines *lines = gpio_lines_new(arguments[1], false);
    uint32_t culprit;
    if (!lines || gpio_lines_add_name(lines, arguments[2]) != 0 || gpio_lines_request(lines, "floor", &culprit) != GPIO_LINES_OK) return 1;
    int timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
    struct itimerspec length = {.it_value = {.tv_sec = atoi(arguments[3])}};
    char order;
    while (read(0, &order, 1) == 1) {
        uint64_t passed;
        gpio_lines_set(lines, 1);
        timerfd_settime(timer, 0, &length, NULL);
        if (read(timer, &passed, sizeof passed) != sizeof passed) return 1;
        gpio_lines_set(lines, 0);
    }
    gpio_lines_free(lines);
    return 0;
}
