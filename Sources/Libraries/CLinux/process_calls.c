#define _GNU_SOURCE
#include "process_calls.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

// MARK: descriptors over a socket

// Room for two: whoever sends more than one is found out.
enum { MOST_DESCRIPTORS = 2 };
union control {
    char octets[CMSG_SPACE(MOST_DESCRIPTORS * sizeof(int))];
    struct cmsghdr header;
};

int channel_send(int channel, const void *octets, size_t count, int descriptor) {
    union control control;
    memset(&control, 0, sizeof control);
    struct iovec part = {(void *)octets, count};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    if (descriptor >= 0) {
        message.msg_control = control.octets;
        message.msg_controllen = CMSG_SPACE(sizeof descriptor);
        struct cmsghdr *header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(sizeof descriptor);
        memcpy(CMSG_DATA(header), &descriptor, sizeof descriptor);
    }
    ssize_t sent;
    do sent = sendmsg(channel, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
    while (sent < 0 && errno == EINTR);
    return sent < 0 ? errno : 0;
}

long channel_receive(int channel, void *octets, size_t count, int *descriptor) {
    union control control;
    struct iovec part = {octets, count};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = control.octets, .msg_controllen = sizeof control.octets};
    *descriptor = -1;
    ssize_t received;
    do received = recvmsg(channel, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    while (received < 0 && errno == EINTR);
    if (received < 0) return -errno;
    int found[MOST_DESCRIPTORS], total = 0;
    for (struct cmsghdr *header = CMSG_FIRSTHDR(&message); header; header = CMSG_NXTHDR(&message, header)) {
        if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
        size_t length = header->cmsg_len - CMSG_LEN(0);
        for (size_t at = 0; at + sizeof(int) <= length && total < MOST_DESCRIPTORS; at += sizeof(int))
            memcpy(&found[total++], CMSG_DATA(header) + at, sizeof(int));
    }
    if (total > 1 || message.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) {
        while (total > 0) close(found[--total]);
        return -EMSGSIZE;
    }
    if (total == 1) *descriptor = found[0];
    return received;
}

// MARK: programs

static int prepare_files(posix_spawn_file_actions_t *files, const struct program *program) {
    int code = posix_spawn_file_actions_addopen(files, 0, "/dev/null", O_RDONLY, 0);
    if (!code)
        code = program->output >= 0 ? posix_spawn_file_actions_adddup2(files, program->output, 1)
                                    : posix_spawn_file_actions_addopen(files, 1, "/dev/null", O_WRONLY, 0);
    if (!code)
        code = program->errors >= 0 ? posix_spawn_file_actions_adddup2(files, program->errors, 2)
                                    : posix_spawn_file_actions_addopen(files, 2, "/dev/null", O_WRONLY, 0);
    // Onto itself, it no longer closes on exec.
    if (!code && program->channel >= 0) code = posix_spawn_file_actions_adddup2(files, program->channel, 3);
    if (!code && program->listener >= 0) code = posix_spawn_file_actions_adddup2(files, program->listener, 4);
    int first = program->listener >= 0 ? 5 : program->channel >= 0 ? 4 : 3;
    if (!code) code = posix_spawn_file_actions_addclosefrom_np(files, first);
    return code;
}

static int prepare_signals(posix_spawnattr_t *attributes, const struct program *program) {
    sigset_t blocked, defaults;
    sigemptyset(&blocked);
    if (program->holds_on) {
        sigaddset(&blocked, SIGTERM);
        sigaddset(&blocked, SIGINT);
        sigaddset(&blocked, SIGHUP);
    }
    sigfillset(&defaults);
    int code = posix_spawnattr_setsigmask(attributes, &blocked);
    if (!code) code = posix_spawnattr_setsigdefault(attributes, &defaults);
    if (!code) code = posix_spawnattr_setpgroup(attributes, 0);
    if (!code) code = posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
    return code;
}

int program_start(const struct program *program, int32_t *process) {
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    int code = posix_spawn_file_actions_init(&files);
    if (code) return code;
    code = posix_spawnattr_init(&attributes);
    if (!code) {
        code = prepare_files(&files, program);
        if (!code) code = prepare_signals(&attributes, program);
        pid_t started = -1;
        if (!code) code = posix_spawn(&started, program->path, &files, &attributes, program->arguments, program->environment);
        if (!code) *process = started;
        posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&files);
    return code;
}

int program_become(char *const *arguments, char *const *environment) {
    execve(arguments[0], arguments, environment);
    return errno;
}

int process_follow_parent(int signal) {
    return prctl(PR_SET_PDEATHSIG, (unsigned long)signal, 0UL, 0UL, 0UL) < 0 ? errno : 0;
}

// MARK: signals and pipes

int signals_open(void) {
    sigset_t read, blocked;
    sigemptyset(&read);
    sigaddset(&read, SIGCHLD);
    sigaddset(&read, SIGUSR1);
    blocked = read;
    sigaddset(&blocked, SIGTERM);
    sigaddset(&blocked, SIGINT);
    sigaddset(&blocked, SIGHUP);
    sigaddset(&blocked, SIGPIPE);
    if (sigprocmask(SIG_BLOCK, &blocked, NULL) < 0) return -errno;
    int descriptor = signalfd(-1, &read, SFD_NONBLOCK | SFD_CLOEXEC);
    return descriptor < 0 ? -errno : descriptor;
}

void signals_drain(int signals) {
    struct signalfd_siginfo info;
    while (read(signals, &info, sizeof info) == sizeof info) continue;
}

int pipe_open(int ends[2]) {
    return pipe2(ends, O_CLOEXEC) < 0 ? errno : 0;
}
