#pragma once

// What the kernel answers to questions that Swift cannot ask: variable arguments, and adjtimex(2). Asking changes nothing.

/// The version of Landlock, or -1 where the kernel has none.
int system_landlock_version(void);
/// Whether somebody keeps the clock right: 1 or 0, or -1 where the kernel does not say.
int system_clock_is_synchronised(void);
