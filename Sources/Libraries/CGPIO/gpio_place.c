#include "gpio_place.h"

#include <string.h>

#include "gpio_chip.h"

static int copy_name(struct gpio_place *place, const char *name) {
    if (!name || strlen(name) >= sizeof place->chip) return -1;
    strcpy(place->chip, name);
    return 0;
}

#ifdef GPIOD_IS_VERSION_1

static int find(struct gpiod_chip *chip, const char *name, struct gpio_place *place) {
    if (copy_name(place, gpiod_chip_name(chip)) < 0) return -1;
    if (!name) return place->offset < gpiod_chip_num_lines(chip) ? 0 : -1;
    struct gpiod_line *line = gpiod_chip_find_line(chip, name);
    if (!line) return -1;
    place->offset = gpiod_line_offset(line);
    return 0;
}

#else

static int find(struct gpiod_chip *chip, const char *name, struct gpio_place *place) {
    struct gpiod_chip_info *info = gpiod_chip_get_info(chip);
    if (!info) return -1;
    int result = copy_name(place, gpiod_chip_info_get_name(info));
    if (result == 0 && !name && place->offset >= gpiod_chip_info_get_num_lines(info)) result = -1;
    gpiod_chip_info_free(info);
    if (result < 0 || !name) return result;
    int offset = gpiod_chip_get_line_offset_from_name(chip, name);
    if (offset < 0) return -1;
    place->offset = (uint32_t)offset;
    return 0;
}

#endif

int gpio_place_find(const char *chip_name, const char *name, uint32_t offset, struct gpio_place *place) {
    struct gpiod_chip *chip = gpio_chip_open(chip_name);
    if (!chip) return -1;
    place->offset = offset;
    int result = find(chip, name, place);
    gpiod_chip_close(chip);
    return result;
}
