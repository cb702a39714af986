#include "gpio_lines.h"
