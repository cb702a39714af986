#pragma once
#include <stdint.h>
#include <stddef.h>

// A serial line with an RS-485 transceiver.

/// Opens it for one process, raw, 8N1, without waiting. The descriptor, or minus the errno.
/// - Parameter turns: whether the driver turns the transceiver round; otherwise it has to do that itself.
int line_open(const char *path, uint32_t rate, int *turns);
/// Sets another speed, once what was written has gone. 0, or the errno.
int line_set(int line, uint32_t rate);
/// How many octets of them went, or -1.
int line_write(int line, const uint8_t *octets, int count);
