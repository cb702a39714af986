#pragma once
#include <stdint.h>

// What a process can give up, where Swift cannot say it: variadic calls, calls the C library has no function for, and constants younger
// than the oldest kernel headers this is compiled with. Every int is 0 or the errno, unless it says otherwise.

// MARK: capabilities(7), sets as bits

int capabilities_get(uint64_t *effective, uint64_t *permitted, uint64_t *inheritable);
int capabilities_set(uint64_t effective, uint64_t permitted, uint64_t inheritable);
/// Whether the bounding set has a capability; -1 for a number the kernel does not know.
int capabilities_bounding_has(int capability);
int capabilities_bounding_drop(int capability);
int capabilities_ambient_clear(void);
/// Root is nobody special, and no later change of user brings a capability back: set and locked.
int capabilities_lock(void);
/// The permitted set outlives the next change of user.
int capabilities_keep(void);

/// setresgid and setresuid, all three of each, which Swift's import of the C library lacks.
int process_become(uint32_t user, uint32_t group);

// MARK: prctl(2) and setrlimit(2)

int process_set_no_new_privileges(void);
int process_set_not_dumpable(void);
/// Whether anybody but the caller runs in this process; -1 when that cannot be told.
int process_has_other_threads(void);
/// RLIMIT_CORE and RLIMIT_NPROC 0, RLIMIT_NOFILE at most `files`; for good.
int process_set_limits(uint64_t files);
// Octets of address space.
int process_set_memory(uint64_t octets);

/// What a process may take of the machine; for good.
struct process_bounds {
    uint64_t memory; // octets of address space
    uint64_t stack;  // octets
    uint64_t files;  // open at a time
};
/// RLIMIT_CORE, RLIMIT_NPROC, RLIMIT_FSIZE and RLIMIT_MEMLOCK 0, and `bounds`.
int process_set_bounds(const struct process_bounds *bounds);
/// So many seconds of processor time from now on, then SIGXCPU. May be asked for again and again.
int process_allow_seconds(uint64_t seconds);
/// A network of its own, with nothing in it. `by_namespace` is for who may have one only in a user namespace: all users are nobody in it.
int process_leave_network(int by_namespace);
/// Closes every descriptor from this one on.
int process_close_from(int descriptor);

// MARK: landlock(7)

enum {
    LANDLOCK_FS_EXECUTE = 1 << 0,
    LANDLOCK_FS_WRITE_FILE = 1 << 1,
    LANDLOCK_FS_READ_FILE = 1 << 2,
    LANDLOCK_FS_READ_DIR = 1 << 3,
    LANDLOCK_FS_REMOVE_FILE = 1 << 5,
    LANDLOCK_FS_MAKE_REG = 1 << 8,
    // Everything of version 1: execute, write, read, list, and making and removing each kind of thing.
    LANDLOCK_FS_ALL_1 = (1 << 13) - 1,
    LANDLOCK_FS_REFER = 1 << 13,     // version 2
    LANDLOCK_FS_TRUNCATE = 1 << 14,  // version 3
    LANDLOCK_FS_IOCTL_DEV = 1 << 15, // version 5
    LANDLOCK_NET_BIND_TCP = 1 << 0,    // version 4
    LANDLOCK_NET_CONNECT_TCP = 1 << 1, // version 4
    LANDLOCK_SCOPE_ABSTRACT_SOCKET = 1 << 0, // version 6
    LANDLOCK_SCOPE_SIGNAL = 1 << 1,          // version 6
};

/// The version the kernel offers, from 1; 0 where it offers none.
int landlock_version(void);
/// A rule set that refuses these things wherever no rule allows them: a descriptor, or minus the errno.
int landlock_create(uint64_t files, uint64_t network, uint64_t scope);
/// Allows `files` under `path`, or as many of them as a file can have where it is no folder. Follows links.
int landlock_allow_path(int rules, const char *path, uint64_t files);
int landlock_allow_port(int rules, uint64_t rights, uint16_t port);
int landlock_restrict(int rules);

// MARK: seccomp(2), by libseccomp

/// Whether the system would take a filter that can end the process: 0, or the errno.
int call_filter_refusal(void);

struct call_filter;

enum {
    CALL_ALLOWED = 0,
    CALL_KILLS = -1, // otherwise the errno a call fails with
};

struct call_condition {
    uint32_t argument;
    uint64_t mask, value; // argument & mask == value
};

/// A filter in which every call fails with this errno, and a call by the rules of another processor ends the process. NULL when there is
/// no memory.
struct call_filter *call_filter_new(int error);
/// Adds a rule for a call by name, with at most six conditions that hold together. A name this processor or this libseccomp does not have
/// is passed over.
int call_filter_add(struct call_filter *filter, int action, const char *name, const struct call_condition *conditions, uint32_t count);
/// Puts it into force in every thread, for good.
int call_filter_load(struct call_filter *filter);
void call_filter_free(struct call_filter *filter);

/// The version of the libseccomp that is loaded: major, minor, micro; zeros where it does not say.
void seccomp_library_version(uint32_t numbers[3]);
