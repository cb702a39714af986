#define _GNU_SOURCE
#include "confinement_calls.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/securebits.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static int result(long value) {
    return value < 0 ? errno : 0;
}

// MARK: capabilities(7)

int capabilities_get(uint64_t *effective, uint64_t *permitted, uint64_t *inheritable) {
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct data[2] = {{0}};
    if (syscall(SYS_capget, &header, data) < 0) return errno;
    *effective = data[0].effective | (uint64_t)data[1].effective << 32;
    *permitted = data[0].permitted | (uint64_t)data[1].permitted << 32;
    *inheritable = data[0].inheritable | (uint64_t)data[1].inheritable << 32;
    return 0;
}

int capabilities_set(uint64_t effective, uint64_t permitted, uint64_t inheritable) {
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct data[2] = {
        {(uint32_t)effective, (uint32_t)permitted, (uint32_t)inheritable},
        {(uint32_t)(effective >> 32), (uint32_t)(permitted >> 32), (uint32_t)(inheritable >> 32)},
    };
    return result(syscall(SYS_capset, &header, data));
}

int capabilities_bounding_has(int capability) {
    return prctl(PR_CAPBSET_READ, (unsigned long)capability, 0, 0, 0);
}

int capabilities_bounding_drop(int capability) {
    return result(prctl(PR_CAPBSET_DROP, (unsigned long)capability, 0, 0, 0));
}

int capabilities_ambient_clear(void) {
    return result(prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0));
}

int capabilities_lock(void) {
    // KEEP_CAPS itself stays clear: locked that way.
    unsigned long bits = SECBIT_NOROOT | SECBIT_NOROOT_LOCKED | SECBIT_NO_SETUID_FIXUP | SECBIT_NO_SETUID_FIXUP_LOCKED | SECBIT_KEEP_CAPS_LOCKED
        | SECBIT_NO_CAP_AMBIENT_RAISE | SECBIT_NO_CAP_AMBIENT_RAISE_LOCKED;
    return result(prctl(PR_SET_SECUREBITS, bits, 0, 0, 0));
}

int capabilities_keep(void) {
    return result(prctl(PR_SET_KEEPCAPS, 1UL, 0, 0, 0));
}

int process_become(uint32_t user, uint32_t group) {
    int code = result(setresgid(group, group, group));
    return code ? code : result(setresuid(user, user, user));
}

// MARK: prctl(2) and setrlimit(2)

int process_set_no_new_privileges(void) {
    return result(prctl(PR_SET_NO_NEW_PRIVS, 1UL, 0UL, 0UL, 0UL));
}

int process_set_not_dumpable(void) {
    return result(prctl(PR_SET_DUMPABLE, 0UL, 0, 0, 0));
}

int process_has_other_threads(void) {
    struct stat facts;
    // One folder for each thread; each counts as a link, as do the folder's name and its dot.
    return stat("/proc/self/task", &facts) < 0 ? -1 : facts.st_nlink != 3;
}

static int limit(int resource, rlim_t most) {
    struct rlimit now;
    if (getrlimit(resource, &now) < 0) return errno;
    if (now.rlim_max < most) most = now.rlim_max;
    struct rlimit wanted = {most, most};
    return result(setrlimit(resource, &wanted));
}

int process_set_limits(uint64_t files) {
    int code = limit(RLIMIT_CORE, 0);
    if (!code) code = limit(RLIMIT_NPROC, 0);
    if (!code) code = limit(RLIMIT_NOFILE, files);
    return code;
}

int process_set_memory(uint64_t octets) { return limit(RLIMIT_AS, octets); }

int process_set_bounds(const struct process_bounds *bounds) {
    int code = limit(RLIMIT_CORE, 0);
    if (!code) code = limit(RLIMIT_NPROC, 0);
    if (!code) code = limit(RLIMIT_FSIZE, 0);
    if (!code) code = limit(RLIMIT_MEMLOCK, 0);
    if (!code) code = limit(RLIMIT_AS, bounds->memory);
    if (!code) code = limit(RLIMIT_STACK, bounds->stack);
    if (!code) code = limit(RLIMIT_NOFILE, bounds->files);
    return code;
}

int process_allow_seconds(uint64_t seconds) {
    struct timespec used;
    struct rlimit now;
    if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used) < 0 || getrlimit(RLIMIT_CPU, &now) < 0) return errno;
    // The kernel counts whole seconds.
    rlim_t most = (rlim_t)used.tv_sec + 1 + seconds;
    now.rlim_cur = now.rlim_max < most ? now.rlim_max : most;
    return result(setrlimit(RLIMIT_CPU, &now));
}

int process_leave_network(int by_namespace) {
    return result(unshare(by_namespace ? CLONE_NEWUSER | CLONE_NEWNET : CLONE_NEWNET));
}

int process_close_from(int descriptor) {
    return result(syscall(SYS_close_range, (unsigned)descriptor, ~0U, 0U));
}

// MARK: landlock(7)

// The C library has no functions for these, and the headers of older distributions not all of the fields.
#ifndef SYS_landlock_create_ruleset
#define SYS_landlock_create_ruleset 444
#define SYS_landlock_add_rule 445
#define SYS_landlock_restrict_self 446
#endif

struct rule_set {
    uint64_t files, network, scope;
};
struct path_rule {
    uint64_t allowed;
    int32_t parent;
} __attribute__((packed));
struct port_rule {
    uint64_t allowed, port;
};
enum { CREATE_VERSION = 1, RULE_PATH = 1, RULE_PORT = 2 };

int landlock_version(void) {
    long version = syscall(SYS_landlock_create_ruleset, NULL, 0, CREATE_VERSION);
    return version < 0 ? 0 : (int)version;
}

int landlock_create(uint64_t files, uint64_t network, uint64_t scope) {
    // A kernel that knows fewer fields takes the rest if it is zero.
    struct rule_set rules = {files, network, scope};
    long descriptor = syscall(SYS_landlock_create_ruleset, &rules, sizeof rules, 0);
    return descriptor < 0 ? -errno : (int)descriptor;
}

int landlock_allow_path(int rules, const char *path, uint64_t files) {
    const uint64_t of_a_file = LANDLOCK_FS_EXECUTE | LANDLOCK_FS_WRITE_FILE | LANDLOCK_FS_READ_FILE | LANDLOCK_FS_TRUNCATE | LANDLOCK_FS_IOCTL_DEV;
    int place = open(path, O_PATH | O_CLOEXEC);
    if (place < 0) return errno;
    struct stat facts;
    int code = result(fstat(place, &facts));
    if (!code) {
        struct path_rule rule = {S_ISDIR(facts.st_mode) ? files : files & of_a_file, place};
        code = result(syscall(SYS_landlock_add_rule, rules, RULE_PATH, &rule, 0));
    }
    close(place);
    return code;
}

int landlock_allow_port(int rules, uint64_t rights, uint16_t port) {
    struct port_rule rule = {rights, port};
    return result(syscall(SYS_landlock_add_rule, rules, RULE_PORT, &rule, 0));
}

int landlock_restrict(int rules) {
    return result(syscall(SYS_landlock_restrict_self, rules, 0));
}

// MARK: seccomp(2), by libseccomp

int call_filter_refusal(void) {
    uint32_t action = SCMP_ACT_KILL_PROCESS;
    return result(syscall(SYS_seccomp, 2 /* SECCOMP_GET_ACTION_AVAIL */, 0, &action));
}

struct call_filter *call_filter_new(int error) {
    scmp_filter_ctx context = seccomp_init(SCMP_ACT_ERRNO(error));
    if (!context) return NULL;
    // SYSRAWRC: without it every refusal of the kernel's is ECANCELED.
    if (seccomp_attr_set(context, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS) < 0 || seccomp_attr_set(context, SCMP_FLTATR_CTL_TSYNC, 1) < 0
        || seccomp_attr_set(context, SCMP_FLTATR_API_SYSRAWRC, 1) < 0) {
        seccomp_release(context);
        return NULL;
    }
    return context;
}

int call_filter_add(struct call_filter *filter, int action, const char *name, const struct call_condition *conditions, uint32_t count) {
    struct scmp_arg_cmp arguments[6];
    int number = seccomp_syscall_resolve_name(name);
    if (number < 0) return 0;
    if (count > 6) return EINVAL;
    for (uint32_t i = 0; i < count; i++)
        arguments[i] = (struct scmp_arg_cmp){conditions[i].argument, SCMP_CMP_MASKED_EQ, conditions[i].mask, conditions[i].value};
    uint32_t what = action == CALL_ALLOWED ? SCMP_ACT_ALLOW : action == CALL_KILLS ? SCMP_ACT_KILL_PROCESS : SCMP_ACT_ERRNO((uint32_t)action);
    return -seccomp_rule_add_array(filter, what, number, count, arguments);
}

int call_filter_load(struct call_filter *filter) {
    return -seccomp_load(filter);
}

void call_filter_free(struct call_filter *filter) {
    seccomp_release(filter);
}

void seccomp_library_version(uint32_t numbers[3]) {
    const struct scmp_version *version = seccomp_version();
    for (int index = 0; index < 3; index++) numbers[index] = 0;
    if (version == NULL) return;
    numbers[0] = version->major;
    numbers[1] = version->minor;
    numbers[2] = version->micro;
}
