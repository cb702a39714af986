#pragma once
#include "peripheral.h"

/// Reads the words the program was started with. Ends it with a sentence, and EXIT_USAGE, for what is none.
void options_read(struct settings *settings, int count, char **arguments);
