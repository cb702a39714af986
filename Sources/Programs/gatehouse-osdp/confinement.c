#define _GNU_SOURCE
#include "confinement.h"

#include <errno.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include "confinement_calls.h"

static const char *const thinking[] = {
    "brk", "munmap", "mremap", "madvise", "futex", "clock_gettime", "clock_getres", "gettimeofday", "restart_syscall", "sched_yield",
    "getrandom", "getpid", "gettid", "rt_sigaction", "rt_sigprocmask", "rt_sigreturn", "exit", "exit_group", "poll", "ppoll",
    "recvfrom", NULL,
};
// What only an intruder calls.
static const char *const hostile[] = {
    "execve", "execveat", "fork", "vfork", "clone", "ptrace", "process_vm_readv", "process_vm_writev", "pidfd_getfd", "kcmp", "kill",
    "tkill", "rt_sigqueueinfo", "socket", "socketpair", "connect", "bind", "listen", "accept", "accept4", "sendmsg", "sendmmsg",
    "recvmsg", "recvmmsg", "mount", "umount2", "pivot_root", "chroot", "open_tree", "move_mount", "fsopen", "fsconfig", "fsmount",
    "fspick", "mount_setattr", "unshare", "setns", "open_by_handle_at", "quotactl", "swapon", "swapoff", "acct", "setuid", "setgid",
    "setresuid", "setresgid", "setgroups", "capset", "bpf", "perf_event_open", "userfaultfd", "io_uring_setup", "io_uring_enter",
    "io_uring_register", "modify_ldt", "iopl", "ioperm", "init_module", "finit_module", "delete_module", "kexec_load",
    "kexec_file_load", "reboot", "keyctl", "add_key", "request_key", "sched_setscheduler", "sched_setattr", "sched_setparam", NULL,
};

static int each(struct call_filter *filter, int action, const char *const *names) {
    int code = 0;
    for (; *names && !code; names++) code = call_filter_add(filter, action, *names, NULL, 0);
    return code;
}

static int when(struct call_filter *filter, const char *name, uint32_t argument, uint64_t mask, uint64_t value) {
    const struct call_condition condition = {argument, mask, value};
    return call_filter_add(filter, CALL_ALLOWED, name, &condition, 1);
}

static const uint64_t whole = UINT32_MAX;

/// What both may: think, and say something to whom a socket is connected.
static struct call_filter *begin(void) {
    struct call_filter *filter = call_filter_new(EPERM);
    int code = filter ? each(filter, CALL_ALLOWED, thinking) : ENOMEM;
    // Memory is data for good.
    if (!code) code = when(filter, "mmap", 2, PROT_EXEC, 0);
    if (!code) code = when(filter, "mprotect", 2, PROT_EXEC, 0);
    if (!code) code = when(filter, "sendto", 4, UINT64_MAX, 0);
    if (!code) code = when(filter, "tgkill", 0, whole, (uint32_t)getpid());
    if (!code) code = each(filter, CALL_KILLS, hostile);
    if (!code) return filter;
    if (filter) call_filter_free(filter);
    return NULL;
}

static int give_up_capabilities(void) {
    uint64_t effective = 0, permitted = 0, inheritable = 0;
    if (capabilities_get(&effective, &permitted, &inheritable) == 0 && permitted >> 8 & 1) {
        // As the gate does: also for programs that are executed, were there any.
        if (capabilities_set(UINT64_C(1) << 8, permitted, 0) != 0) return -1;
        for (int number = 0; number < 64; number++)
            if (capabilities_bounding_has(number) == 1 && capabilities_bounding_drop(number) != 0) return -1;
        if (capabilities_lock() != 0) return -1;
    }
    return capabilities_ambient_clear() == 0 && capabilities_set(0, 0, 0) == 0 ? 0 : -1;
}

/// No file but those of one folder, where there is one.
static int bind_files(const char *folder) {
    const int version = landlock_version();
    if (version == 0) return 0;
    uint64_t files = LANDLOCK_FS_ALL_1;
    if (version >= 2) files |= LANDLOCK_FS_REFER;
    if (version >= 3) files |= LANDLOCK_FS_TRUNCATE;
    const uint64_t network = version >= 4 ? LANDLOCK_NET_BIND_TCP | LANDLOCK_NET_CONNECT_TCP : 0;
    const uint64_t scope = version >= 6 ? LANDLOCK_SCOPE_ABSTRACT_SOCKET | LANDLOCK_SCOPE_SIGNAL : 0;
    const int rules = landlock_create(files, network, scope);
    if (rules < 0) return -1;
    int code = 0;
    if (folder)
        code = landlock_allow_path(
            rules, folder,
            LANDLOCK_FS_READ_FILE | LANDLOCK_FS_READ_DIR | LANDLOCK_FS_WRITE_FILE | LANDLOCK_FS_MAKE_REG | LANDLOCK_FS_REMOVE_FILE);
    if (!code) code = landlock_restrict(rules);
    close(rules);
    return code ? -1 : 0;
}

static int confine(struct call_filter *filter, const char *folder, int is_lenient) {
    int code = give_up_capabilities();
    if (process_set_no_new_privileges() != 0 || process_set_not_dumpable() != 0 || process_set_limits(32) != 0) code = -1;
    if (code == 0 && bind_files(folder) < 0 && !is_lenient) code = -1;
    if (code == 0 && (!filter || call_filter_load(filter) != 0) && !is_lenient) code = -1;
    if (filter) call_filter_free(filter);
    return code;
}

int confine_line(const struct descriptors *descriptors, int is_lenient) {
    struct call_filter *filter = begin();
    int code = filter ? 0 : ENOMEM;
    const uint32_t line = (uint32_t)descriptors->line;
    if (!code) code = when(filter, "read", 0, whole, line);
    if (!code) code = when(filter, "write", 0, whole, line);
    if (!code && descriptors->output >= 0) code = when(filter, "pwrite64", 0, whole, (uint32_t)descriptors->output);
    // TCGETS, TCSETSW, TCSBRK, and what newer C libraries have in their places.
    static const uint32_t requests[] = {0x5401, 0x5403, 0x5409, 0x802C542A, 0x402C542C};
    for (unsigned i = 0; i < sizeof requests / sizeof *requests && !code; i++) {
        const struct call_condition conditions[] = {{0, whole, line}, {1, whole, requests[i]}};
        code = call_filter_add(filter, CALL_ALLOWED, "ioctl", conditions, 2);
    }
    if (code && filter) {
        call_filter_free(filter);
        filter = NULL;
    }
    return confine(filter, NULL, is_lenient);
}

int confine_keeper(const char *folder, int is_lenient) {
    static const char *const keeping[] = {
        "openat", "renameat", "renameat2", "unlinkat", "fsync", "write", "close", "wait4", "waitid", "fstat", "newfstatat", NULL,
    };
    struct call_filter *filter = begin();
    if (filter && each(filter, CALL_ALLOWED, keeping) != 0) {
        call_filter_free(filter);
        filter = NULL;
    }
    return confine(filter, folder, is_lenient);
}
