// Attacks what the two processes are confined by, from within: each forbidden thing is tried in a process of its own, and fails or ends it;
// what they have to do is tried in the same way, and works. Each is tried without a confinement too: what fails there would prove nothing.
//
//     trespass FOLDER      that is empty
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pty.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "confinement.h"
#include "confinement_calls.h"
#include "line.h"
#include "memory.h"

static char folder[256], outside[300], state[300];
static struct descriptors all;
static int place = -1; // the state folder

// MARK: what is forbidden: 0 where it worked

static int opens(void) { return open("/etc/passwd", O_RDONLY) < 0; }
static int opens_device(void) { return open("/dev/null", O_RDWR) < 0; }
static int makes(void) { return open(outside, O_WRONLY | O_CREAT, 0600) < 0; }
static int lists(void) { return open("/", O_RDONLY | O_DIRECTORY) < 0; }
static int connects(void) {
    const struct sockaddr_un there = {AF_UNIX, "/tmp/nobody"};
    const int made = socket(AF_UNIX, SOCK_DGRAM, 0);
    return made < 0 || (connect(made, (const struct sockaddr *)&there, sizeof there) < 0 && errno != ENOENT);
}
static int listens(void) { return socket(AF_INET, SOCK_STREAM, 0) < 0; }
static int executes(void) {
    execl("/bin/true", "true", NULL);
    return 1;
}
static int forks(void) {
    const pid_t child = fork();
    if (child == 0) _exit(0);
    return child < 0;
}
static int kills(void) { return kill(getppid(), 0) < 0; }
static int makes_code(void) { return mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED; }
static int types(void) {
    char letter = 'x';
    return ioctl(all.line, TIOCSTI, &letter) < 0 && errno != EIO;
}
static int sends_elsewhere(void) {
    const struct sockaddr_un there = {AF_UNIX, "other"};
    return sendto(all.feed, "x", 1, MSG_DONTWAIT, (const struct sockaddr *)&there, sizeof there) < 0;
}
static int says(void) { return write(STDOUT_FILENO, "", 0) < 0; }
static int hurries(void) {
    const struct sched_param usual = {0};
    return sched_setscheduler(0, SCHED_OTHER, &usual) < 0;
}

// MARK: what is needed: 0 where it did not work

static int line_works(void) { return line_write(all.line, (const uint8_t *)"x", 1) == 1 && line_set(all.line, 19200) == 0; }
static int hears(void) {
    char letter;
    return recv(all.feed, &letter, 1, MSG_DONTWAIT) < 0 && errno == EAGAIN;
}
static int tells(void) { return send(all.keeper, "x", 1, MSG_DONTWAIT) == 1; }
static int drives(void) { return pwrite(all.output, "1\n", 2, 0) == 2; }
static int draws(void) {
    uint8_t octet;
    return getrandom(&octet, 1, 0) == 1;
}
static int keeps(void) {
    const uint8_t key[KEY_SIZE] = {1};
    return key_write(place, key) == 0 && key_write(place, key) == 0 && line_keep(place, 5, 9600) == 0;
}

struct trial {
    const char *name;
    int (*body)(void);
};
static const struct trial forbidden[] = {
    {"a file", opens}, {"a device", opens_device}, {"a new file", makes}, {"a folder", lists}, {"a connection", connects},
    {"a socket of the network", listens}, {"another program", executes}, {"another process", forks}, {"a signal", kills},
    {"memory as code", makes_code}, {"octets into a terminal's input", types}, {"a datagram to somebody else", sends_elsewhere},
    {"standard output", says}, {"another priority", hurries},
};
static const struct trial of_line[] = {
    {"the line", line_works}, {"the feed", hears}, {"a word to the keeper", tells}, {"the output", drives}, {"random numbers", draws},
};
static const struct trial of_keeper[] = {{"a key and a line kept", keeps}};

enum who { NOBODY, LINE, KEEPER };

/// What the body gives in a process confined as `who` is; 2 where that ended it.
static int run(const struct trial *trial, enum who who) {
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        if (who == LINE && confine_line(&all, 0) < 0) _exit(99);
        if (who == KEEPER && confine_keeper(state, 0) < 0) _exit(99);
        _exit(trial->body());
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child) exit(1);
    return WIFSIGNALED(status) ? (WTERMSIG(status) == SIGSYS ? 2 : 98) : WEXITSTATUS(status);
}

static int failures;

static void expect(int holds, const char *what, const char *who, const char *name) {
    printf("%s %s, %s: %s\n", holds ? "ok" : "FAILED", who, what, name);
    if (!holds) failures++;
}

static void prepare(const char *name) {
    int master = -1, slave = -1, ends[2];
    snprintf(folder, sizeof folder, "%s", name);
    snprintf(outside, sizeof outside, "%s/outside", name);
    snprintf(state, sizeof state, "%s/state", name);
    char feed[300], output[300], other[300];
    snprintf(feed, sizeof feed, "%s/feed", name);
    snprintf(output, sizeof output, "%s/output", name);
    snprintf(other, sizeof other, "%s/other", name);
    if (openpty(&master, &slave, NULL, NULL, NULL) < 0 || mkdir(state, 0700) < 0) exit(1);
    if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends) < 0) exit(1);
    all = (struct descriptors){slave, feed_bind(feed), open(output, O_RDWR | O_CREAT, 0600), ends[0], 0};
    place = open(state, O_RDONLY | O_DIRECTORY);
    // Paths of sockets are short.
    if (chdir(name) < 0) exit(1);
    if (all.feed < 0 || all.output < 0 || place < 0 || feed_bind(other) < 0 || line_set(slave, 9600) != 0) exit(1);
}

int main(int count, char **arguments) {
    if (count != 2) return 2;
    prepare(arguments[1]);
    const int controls = sizeof forbidden / sizeof *forbidden;
    int working = 0;
    for (int i = 0; i < controls; i++) {
        const struct trial *trial = &forbidden[i];
        working += run(trial, NOBODY) == 0;
        const int line = run(trial, LINE), keeper = run(trial, KEEPER);
        expect(line == 1 || line == 2, "forbidden", "line", trial->name);
        // Without Landlock files are its user's by their modes; what it says to people goes by standard error.
        const int is_of_files = trial->body == opens || trial->body == opens_device || trial->body == makes || trial->body == lists;
        if (trial->body == says || (is_of_files && landlock_version() == 0)) printf("skipped keeper, forbidden: %s\n", trial->name);
        else expect(keeper == 1 || keeper == 2, "forbidden", "keeper", trial->name);
        unlink(outside);
    }
    for (unsigned i = 0; i < sizeof of_line / sizeof *of_line; i++) expect(run(&of_line[i], LINE) == 1, "needed", "line", of_line[i].name);
    for (unsigned i = 0; i < sizeof of_keeper / sizeof *of_keeper; i++)
        expect(run(&of_keeper[i], KEEPER) == 1, "needed", "keeper", of_keeper[i].name);
    printf("osdp confinement: %d forbidden things, %d of which work without one; Landlock %d; %d failures\n", controls, working,
           landlock_version(), failures);
    return failures > 0 || working != controls;
}
