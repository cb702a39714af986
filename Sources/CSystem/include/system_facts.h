#pragma once

/// Whether somebody keeps the clock right, by adjtimex(2), which Swift's import of the C library lacks: 1 or 0, or -1 where the kernel
/// does not say. Asking changes nothing.
int system_clock_is_synchronised(void);
