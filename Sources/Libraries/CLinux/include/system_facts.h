#pragma once

#include <stddef.h>

/// Whether somebody keeps the clock right, by adjtimex(2), which Swift's import of the C library lacks: 1 or 0, or -1 where the kernel
/// does not say. Asking changes nothing.
int system_clock_is_synchronised(void);

/// Has the file system set aside room for the first `length` octets of a file, by fallocate(2), which Swift's import of the C library
/// lacks. The file's length stays. 0, or the error: EOPNOTSUPP where the file system has no such thing.
int system_reserve(int descriptor, long long length);

/// Waits until all of a descriptor's file system is on its medium, by syncfs(2), which Swift's import of the C library lacks. 0, or the
/// error.
int system_sync_all(int descriptor);

/// The commit this program was built from, with a + behind it where the tree had changes; NULL where nobody noted it.
const char *system_commit(void);
