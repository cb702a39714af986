#define _GNU_SOURCE
// The process beside the gate that is a reader at somebody's panel (OSDP, IEC 60839-11-5).

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "line.h"
#include "memory.h"
#include "options.h"
#include "process.h"

/// The socket of a service manager, connected; -1 where there is none.
static int notify_socket(void) {
    const char *path = getenv("NOTIFY_SOCKET");
    struct sockaddr_un place = {.sun_family = AF_UNIX};
    if (!path || (path[0] != '/' && path[0] != '@') || strlen(path) >= sizeof place.sun_path) return -1;
    memcpy(place.sun_path, path, strlen(path));
    if (path[0] == '@') place.sun_path[0] = 0;
    const int notify = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (notify < 0) return -1;
    if (connect(notify, (struct sockaddr *)&place, (socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(path))) == 0) return notify;
    close(notify);
    return -1;
}

static _Noreturn void refuse(int code, const char *what, const char *name, const char *why) {
    say("gatehouse-osdp: %s%s: %s", what, name ? name : "", why);
    exit(code);
}

static int open_state(const struct settings *settings) {
    const int folder = open(settings->state, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0) refuse(EXIT_KEY, "--state ", settings->state, strerror(errno));
    return folder;
}

/// What is opened once, before anything is given up.
static void open_all(const struct settings *settings, struct descriptors *all) {
    all->line = line_open(settings->line, settings->rate, &all->turns);
    if (all->line < 0) refuse(EXIT_LINE, "--line ", settings->line, strerror(-all->line));
    all->feed = feed_passed();
    if (all->feed < 0 && settings->feed) all->feed = feed_bind(settings->feed);
    if (all->feed < 0) refuse(EXIT_SYSTEM, "--feed ", settings->feed, settings->feed ? strerror(-all->feed) : "no socket was passed");
    all->output = -1;
    if (!settings->output) return;
    all->output = open(settings->output, O_WRONLY | O_CLOEXEC);
    if (all->output < 0) refuse(EXIT_SYSTEM, "--output ", settings->output, strerror(errno));
}

/// The key, or nobody's: never because one is missing or cannot be read, only where a person at this board asked for install mode.
static const uint8_t *find_key(const struct settings *settings, int folder, uint8_t key[KEY_SIZE]) {
    if (settings->installs) return NULL;
    const enum key_state state = key_read(folder, key);
    if (state == KEY_THERE) return key;
    refuse(EXIT_KEY, "off", NULL, key_sentence(state));
}

int main(int count, char **arguments) {
    struct settings settings;
    options_read(&settings, count, arguments);
    uint8_t space[KEY_SIZE];
    const int folder = open_state(&settings);
    if (line_read(folder, &settings.address, &settings.rate) < 0)
        say("what a panel set before cannot be read: address %u, %u baud as the options say", settings.address, settings.rate);
    const uint8_t *key = find_key(&settings, folder, space);
    struct descriptors all;
    open_all(&settings, &all);
    const int notify = notify_socket();
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0) refuse(EXIT_SYSTEM, "a channel", NULL, strerror(errno));
    const pid_t keeper = getpid(), process = fork();
    if (process < 0) refuse(EXIT_SYSTEM, "a process", NULL, strerror(errno));
    if (process == 0) {
        close(folder);
        close(ends[0]);
        if (notify >= 0) close(notify);
        if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || getppid() != keeper) _exit(0);
        all.keeper = ends[1];
        line_process(&settings, &all, key);
    }
    explicit_bzero(space, sizeof space);
    close(ends[1]);
    close(all.line);
    close(all.feed);
    if (all.output >= 0) close(all.output);
    keeper_process(&settings, process, ends[0], folder, notify);
}
