#pragma once
#include "process.h"

// What the two processes give up, for good. 0, or -1 where something could not be had; lenient, they do without Landlock and the list of
// system calls.

int confine_line(const struct descriptors *descriptors, int is_lenient);
int confine_keeper(const char *folder, int is_lenient);
