/* Loaded before a program (LD_PRELOAD): stops it at a chosen octet, call or system call, as often as asked, each time in a new child.
 *
 * The program's own main begins only in such a child, so its start is paid for once. A request is a line on standard input,
 * `MODE\tNUMBER\tERRNO\tARGUMENT\t...`, the answer a line on standard output, `exit N SEEN` or `signal N SEEN`, where SEEN says how many
 * octets, calls or stops there were. What the child says goes into the file that CUT_OUTPUT names.
 *
 *   octets  NUMBER octets are written into files; then SIGKILL, or ERRNO for every write from there on
 *   call    the NUMBERth call of those below fails with ERRNO, once
 *   calls   and all that follow
 *   stop    SIGKILL at the NUMBERth stop: before and after each system call there is one
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

enum mode { NONE, OCTETS, CALL, CALLS, STOP };
static struct { enum mode mode; long number; int error; } plan;
/* Shared with the children, which may end without a word. */
static long *seen;

static int fails(void) {
    if (!seen || (plan.mode != CALL && plan.mode != CALLS)) return 0;
    long place = ++*seen;
    if (plan.mode == CALL ? place != plan.number : place < plan.number) return 0;
    errno = plan.error;
    return 1;
}

/* How many of `count` octets may be written; -1: none, and errno says why. */
static ssize_t allowed(int file, size_t count) {
    struct stat facts;
    if (file <= 2 || fstat(file, &facts) || !S_ISREG(facts.st_mode)) return (ssize_t)count;
    if (fails()) return -1;
    if (!seen || plan.mode != OCTETS) return (ssize_t)count;
    long left = plan.number - *seen;
    if (left <= 0) {
        if (!plan.error) raise(SIGKILL);
        errno = plan.error;
        return -1;
    }
    ssize_t taken = (long)count < left ? (ssize_t)count : left;
    *seen += taken;
    return taken;
}

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

ssize_t write(int file, const void *octets, size_t count) {
    ssize_t taken = allowed(file, count);
    return taken < 0 ? -1 : NEXT(write)(file, octets, (size_t)taken);
}
ssize_t pwrite(int file, const void *octets, size_t count, off_t at) {
    ssize_t taken = allowed(file, count);
    return taken < 0 ? -1 : NEXT(pwrite)(file, octets, (size_t)taken, at);
}
ssize_t pwrite64(int file, const void *octets, size_t count, off64_t at) {
    ssize_t taken = allowed(file, count);
    return taken < 0 ? -1 : NEXT(pwrite64)(file, octets, (size_t)taken, at);
}

#define OPEN(name)                                                                          \
    int name(const char *path, int flags, ...) {                                            \
        va_list rest;                                                                       \
        va_start(rest, flags);                                                              \
        mode_t mode = va_arg(rest, mode_t);                                                 \
        va_end(rest);                                                                       \
        return fails() ? -1 : NEXT(name)(path, flags, mode);                                \
    }
OPEN(open)
OPEN(open64)
#define OPENAT(name)                                                                        \
    int name(int folder, const char *path, int flags, ...) {                                \
        va_list rest;                                                                       \
        va_start(rest, flags);                                                              \
        mode_t mode = va_arg(rest, mode_t);                                                 \
        va_end(rest);                                                                       \
        return fails() ? -1 : NEXT(name)(folder, path, flags, mode);                        \
    }
OPENAT(openat)
OPENAT(openat64)

#define HOOK(name, parameters, arguments) \
    int name parameters { return fails() ? -1 : NEXT(name) arguments; }
HOOK(fsync, (int file), (file))
HOOK(fdatasync, (int file), (file))
HOOK(syncfs, (int file), (file))
HOOK(ftruncate, (int file, off_t length), (file, length))
HOOK(ftruncate64, (int file, off64_t length), (file, length))
HOOK(mkdir, (const char *path, mode_t mode), (path, mode))
HOOK(rename, (const char *old, const char *new), (old, new))
HOOK(renameat, (int at, const char *old, int to, const char *new), (at, old, to, new))
HOOK(linkat, (int at, const char *old, int to, const char *new, int flags), (at, old, to, new, flags))
HOOK(unlink, (const char *path), (path))
HOOK(unlinkat, (int at, const char *path, int flags), (at, path, flags))

ssize_t pread(int file, void *octets, size_t count, off_t at) { return fails() ? -1 : NEXT(pread)(file, octets, count, at); }
ssize_t pread64(int file, void *octets, size_t count, off64_t at) { return fails() ? -1 : NEXT(pread64)(file, octets, count, at); }

typedef int (*program)(int, char **, char **);
static program begin;

static void child(int count, char **words, char **environment) {
    int none = NEXT(open)("/dev/null", O_RDONLY), output = NEXT(open)(getenv("CUT_OUTPUT"), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (none < 0 || output < 0 || dup2(none, 0) < 0 || dup2(output, 1) < 0 || dup2(output, 2) < 0) _exit(99);
    close(none);
    close(output);
    /* Swift's runtime took note of the words that the program was started with, before main. */
    void (*begin_with)(char **, int) = (void (*)(char **, int))dlsym(RTLD_DEFAULT, "_swift_stdlib_overrideUnsafeArgvArgc");
    if (!begin_with) _exit(97);
    if (plan.mode == STOP) {
        if (ptrace(PTRACE_TRACEME, 0, 0, 0)) _exit(98);
        raise(SIGSTOP);
    }
    begin_with(words, count);
    exit(begin(count, words, environment));
}

static int watch(pid_t process) {
    int status = 0, passed = 0;
    while (waitpid(process, &status, 0) == process && !WIFEXITED(status) && !WIFSIGNALED(status)) {
        int sign = WSTOPSIG(status);
        if (passed++ == 0) {
            sign = 0;
            ptrace(PTRACE_SETOPTIONS, process, 0, PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL);
        } else if (sign == (SIGTRAP | 0x80)) {
            sign = 0;
            if (++*seen == plan.number) kill(process, SIGKILL);
        }
        ptrace(PTRACE_SYSCALL, process, 0, (void *)(long)sign);
    }
    return status;
}

static int serve(int count, char **words, char **environment) {
    static char line[65536];
    static const char *modes[] = {"none", "octets", "call", "calls", "stop"};
    unsetenv("LD_PRELOAD");
    while (fgets(line, sizeof line, stdin)) {
        char *arguments[256] = {words[0]}, *rest = NULL;
        int most = 1;
        line[strcspn(line, "\n")] = 0;
        char *mode = strtok_r(line, "\t", &rest), *number = strtok_r(NULL, "\t", &rest), *error = strtok_r(NULL, "\t", &rest);
        while (most < 255 && (arguments[most] = strtok_r(NULL, "\t", &rest))) most++;
        plan.mode = NONE;
        for (int place = 0; place < 5; place++)
            if (!strcmp(mode, modes[place])) plan.mode = (enum mode)place;
        plan.number = atol(number);
        plan.error = atoi(error);
        long *shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        pid_t process = fork();
        if (process == 0) {
            seen = shared;
            child(most, arguments, environment);
        }
        seen = shared;
        int status = watch(process);
        long found = *shared;
        seen = NULL;
        munmap(shared, sizeof *shared);
        printf("%s %d %ld\n", WIFEXITED(status) ? "exit" : "signal", WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status), found);
        fflush(stdout);
    }
    (void)count;
    return 0;
}

int __libc_start_main(program main, int count, char **words, void (*init)(void), void (*fini)(void), void (*loader)(void), void *end) {
    __typeof__(&__libc_start_main) next = (__typeof__(&__libc_start_main))dlsym(RTLD_NEXT, "__libc_start_main");
    begin = main;
    return next(serve, count, words, init, fini, loader, end);
}
