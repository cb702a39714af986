/*
 * The test matcher with one bad habit, chosen by the name of its file: what a vendor's mistake or an intruder in a decoder would do.
 * `plugins.sh` gives it all the names. An attempt at something forbidden reports how it ended as its status: 100 if it worked, 100 + errno
 * if not.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "matcher.h"

enum {
    NONE,
#define HABIT_NAME(name) name,
#include "habits.h"
#undef HABIT_NAME
};
static int the_habit;
#define IS(habit) (the_habit == (habit))

static const fmp_host *the_host;

static fmp_status outcome(long value) {
    return value < 0 ? 100 + errno : 100;
}

static void spin(void) {
    for (volatile unsigned turn = 0;; turn++) continue;
}

/* Longer than a gate waits for a frame, and then an answer. */
static void compute(int seconds) {
    struct timespec now, end;
    clock_gettime(CLOCK_MONOTONIC, &end);
    end.tv_sec += seconds;
    do clock_gettime(CLOCK_MONOTONIC, &now);
    while (now.tv_sec < end.tv_sec || (now.tv_sec == end.tv_sec && now.tv_nsec < end.tv_nsec));
}

/* Without end, and every page used. */
/* Until there is no more, and then it is a crash. What is bounded is the address space: to write to all of it would only take time. */
static void grow(void) {
    for (;;) *(volatile char *)malloc(16 << 20) = 1;
}

static void *nothing(void *context) {
    return context;
}

static void say_wrong(const void *octets, size_t count) {
    if (syscall(SYS_write, 3, octets, count) < 0) _exit(1);
}

// MARK: what is tried, while loading or while working

static fmp_status try_socket(void) { return outcome(socket(AF_INET, SOCK_STREAM, 0)); }
static fmp_status try_unix_socket(void) { return outcome(socket(AF_UNIX, SOCK_DGRAM, 0)); }
static fmp_status try_read_file(void) { return outcome(open("/etc/passwd", O_RDONLY | O_CLOEXEC)); }
static fmp_status try_write_file(void) { return outcome(open("/tmp/gatehouse-hostile", O_WRONLY | O_CREAT | O_CLOEXEC, 0600)); }
static fmp_status try_fork(void) {
    long child = syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);
    if (child == 0) _exit(0);
    return outcome(child);
}
static fmp_status try_exec(void) { return outcome(execve("/bin/true", (char *[]){"true", NULL}, (char *[]){NULL})); }
static fmp_status try_kill_parent(void) { return outcome(kill(getppid(), SIGKILL)); }
static fmp_status try_trace(void) { return outcome(ptrace(PTRACE_ATTACH, 1, NULL, NULL)); }
static fmp_status try_thread(void) {
    pthread_t thread;
    errno = pthread_create(&thread, NULL, nothing, NULL);
    return errno ? 100 + errno : 100;
}
static fmp_status try_code(void) {
    void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page != MAP_FAILED) return 100;
    page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return outcome(mprotect(page, 4096, PROT_READ | PROT_EXEC));
}
static fmp_status try_dumpable(void) { return outcome(prctl(PR_SET_DUMPABLE, 1, 0, 0, 0)); }
static fmp_status try_more_memory(void) { return outcome(syscall(SYS_prlimit64, 0, 9 /* RLIMIT_AS */, (uint64_t[]){~0ull, ~0ull}, NULL)); }
static fmp_status try_output(void) {
    char octets[4096];
    memset(octets, 'x', sizeof octets);
    for (int round = 0; round < 256; round++)
        for (int descriptor = 1; descriptor <= 2; descriptor++)
            if (write(descriptor, octets, sizeof octets) < 0) return 100 + errno;
    return 100;
}

static fmp_status attempt(void) {
    switch (the_habit) {
    case socket_while_loading: case socket_while_working: return try_socket();
    case unix_socket_while_loading: case unix_socket_while_working: return try_unix_socket();
    case read_while_loading: case read_while_working: return try_read_file();
    case write_while_loading: case write_while_working: return try_write_file();
    case fork_while_loading: case fork_while_working: return try_fork();
    case exec_while_loading: case exec_while_working: return try_exec();
    case kill_parent_while_loading: case kill_parent_while_working: return try_kill_parent();
    case trace_while_loading: case trace_while_working: return try_trace();
    case thread_while_loading: case thread_while_working: return try_thread();
    case code_while_working: return try_code();
    case dumpable_while_working: return try_dumpable();
    case more_memory_while_working: return try_more_memory();
    case output_while_working: return try_output();
    default: return FMP_OK;
    }
}

static int is_while_loading(void) {
    switch (the_habit) {
    case socket_while_loading: case unix_socket_while_loading: case read_while_loading: case write_while_loading: case fork_while_loading:
    case exec_while_loading: case kill_parent_while_loading: case trace_while_loading: case thread_while_loading: return 1;
    default: return 0;
    }
}

// MARK: the calls

static int habit_named(const char *name, size_t count) {
    static const char *const names[] = {
        "none",
#define HABIT_NAME(name) #name,
#include "habits.h"
#undef HABIT_NAME
    };
    for (size_t habit = 0; habit < sizeof names / sizeof *names; habit++)
        if (strlen(names[habit]) == count && !memcmp(names[habit], name, count)) return (int)habit;
    abort();
}

__attribute__((constructor)) static void begin(void) {
    Dl_info self;
    if (!dladdr((const void *)begin, &self)) abort();
    const char *slash = strrchr(self.dli_fname, '/'), *name = slash ? slash + 1 : self.dli_fname, *dot = strchr(name, '.');
    the_habit = habit_named(name, dot ? (size_t)(dot - name) : strlen(name));
    if (IS(crash_while_linking)) raise(SIGSEGV);
    if (IS(hang_while_linking)) spin();
}

static fmp_status hostile_info(fmp_info *out) {
    static const char unending[] = {[0 ... 4095] = 'a'};
    fmp_status status = matcher_info(out);
    if (IS(wrong_major)) out->abi_major = 2;
    if (IS(large_template)) out->template_max = 65537;
    if (IS(no_template_size)) out->template_max = 0;
    if (IS(upper_case_id)) out->id = "Test";
    if (IS(no_id)) out->id = NULL;
    if (IS(unending_version)) out->version = unending;
    if (IS(wrong_hash)) out->model_sha256 = "00";
    if (IS(no_match_capability)) out->caps = 0;
    if (IS(info_fails)) status = FMP_E_LICENCE;
    if (IS(pad_without_call) || IS(pad_denies) || IS(pad_fails) || IS(pad_nan) || IS(pad_hangs)) out->caps |= FMP_CAP_PAD_PASSIVE;
    return status;
}

static fmp_status hostile_open(const fmp_host *host, const char *models, fmp_bytes configuration, fmp_ctx **out) {
    the_host = host;
    if (IS(hang_in_open)) spin();
    if (IS(crash_in_open)) raise(SIGSEGV);
    if (IS(open_fails)) return FMP_E_MODEL;
    if (IS(negative_open)) return -5;
    if (IS(no_context)) return FMP_OK;
    if (IS(grow_in_open)) grow();
    if (IS(words_without_end)) for (int round = 0; round < 100000; round++) host->log(host->host, 1, "still.here");
    if (IS(words_that_are_none)) host->log(host->host, 1, "Jane Doe, born 1990"), host->log(host->host, 1, NULL);
    if (is_while_loading()) return attempt();
    return matcher_open(host, models, configuration, out);
}

static fmp_status hostile_create(
    fmp_ctx *context, const fmp_image *images, uint32_t count, uint32_t role, uint64_t deadline, fmp_buffer *out, fmp_frame_info *infos) {
    if (IS(crash)) raise(SIGSEGV);
    if (IS(crash_on_probe) && role == FMP_ROLE_PROBE) raise(SIGSEGV);
    if (IS(abort_itself)) abort();
    if (IS(hang)) spin();
    if (IS(hang_on_probe) && role == FMP_ROLE_PROBE) spin();
    if (IS(slow_on_probe) && role == FMP_ROLE_PROBE) compute(3);
    if (IS(stop_itself)) raise(SIGSTOP);
    if (IS(exit_itself)) exit(0);
    if (IS(grow_without_end)) grow();
    if (IS(garbage_reply)) { say_wrong("\xFF\xFF\xFF\xFF garbage", 12); spin(); }
    if (IS(another_answer)) { say_wrong("\x00\x00\x00\x00\x03\x80\x01\x00\xEE\x00\x00\x00", 12); spin(); }
    if (IS(half_reply)) { say_wrong("\x60\x00\x00\x00\x01\x80\x01", 7); _exit(0); }
    if (IS(words_that_are_none)) the_host->log(the_host->host, 0, "a.word");
    fmp_status tried = is_while_loading() ? FMP_OK : attempt();
    if (tried != FMP_OK) return tried;
    fmp_status status = matcher_create(context, images, count, role, deadline, out, infos);
    if (IS(negative_status)) return -1;
    if (IS(huge_status)) return 0x10002;
    if (IS(no_template)) out->len = 0;
    if (IS(long_template)) out->len = out->cap + 1;
    if (IS(endless_template)) out->len = SIZE_MAX;
    if (IS(write_behind_buffer)) memset(out->data + out->cap, 0, 16);
    if (IS(write_far_behind_buffer)) memset(out->data, 0, 1 << 20);
    if (IS(nan_box)) infos[0].face.x = NAN;
    if (IS(infinite_eyes)) infos[0].face.eye_l[0] = -INFINITY;
    if (IS(faces_without_end)) infos[0].faces = UINT32_MAX;
    if (IS(template_without_face)) infos[0].faces = 0;
    if (IS(far_box)) infos[0].face.x = 1e9f;
    if (IS(nan_angles)) infos[0].face.yaw = infos[0].face.pitch = infos[0].quality = NAN;
    return status;
}

static fmp_status hostile_match(fmp_ctx *context, fmp_bytes probe, fmp_bytes reference, double *similarity) {
    fmp_status status = matcher_match(context, probe, reference, similarity);
    if (IS(nan_score)) *similarity = NAN;
    if (IS(infinite_score)) *similarity = INFINITY;
    if (IS(score_above_one)) *similarity = 1.5;
    if (IS(score_below_zero)) *similarity = -1;
    if (IS(match_fails)) { *similarity = 1; return FMP_E_MATCH; }
    if (IS(match_fails_below_zero)) { *similarity = 1; return -1; }
    if (IS(hang_in_match)) spin();
    return status;
}

static fmp_status hostile_match_unset(fmp_ctx *context, fmp_bytes probe, fmp_bytes reference, double *similarity) {
    (void)context, (void)probe, (void)reference, (void)similarity;
    return FMP_OK;
}

static fmp_status hostile_pad(fmp_ctx *context, const fmp_image *images, uint32_t count, uint64_t deadline, fmp_frame_info *infos, double *score) {
    (void)context, (void)images, (void)count, (void)deadline, (void)infos;
    *score = IS(pad_denies) ? 1 : IS(pad_nan) ? NAN : -1;
    if (IS(pad_hangs)) spin();
    return IS(pad_fails) ? FMP_E_UNKNOWN : FMP_OK;
}

const fmp_vtable *fmp_plugin_v1(uint32_t host_major, uint32_t host_minor) {
    static fmp_vtable table;
    (void)host_major, (void)host_minor;
    table = (fmp_vtable){
        .struct_size = IS(short_table) ? 16 : sizeof(fmp_vtable),
        .info = hostile_info,
        .open = hostile_open,
        .close = matcher_close,
        .create_template = hostile_create,
        .match = IS(no_match_call) ? NULL : IS(score_not_set) ? hostile_match_unset : hostile_match,
        .pad = IS(pad_without_call) ? NULL : hostile_pad,
    };
    return IS(no_table) ? NULL : &table;
}
