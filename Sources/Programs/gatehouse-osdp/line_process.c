#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "confinement.h"
#include "line.h"
#include "process.h"

// libosdp's callbacks have no other way to what belongs to the process.
static const struct descriptors *ends;
static struct word owed_key, owed_line;
static uint32_t rate_due;

enum {
    // Microseconds of processor time without a pause: whoever takes that has lost its way, and a board of one core.
    LONGEST_RUN = 500000,
    // Milliseconds between two words about its condition.
    CONDITION_PAUSE = 200,
    MOST_AT_ONCE = 16,
};

// MARK: what the peripheral asks for

static int send_octets(const uint8_t *octets, int count) {
    return line_write(ends->line, octets, count);
}

static void drive(int is_on) {
    if (ends->output >= 0 && pwrite(ends->output, is_on ? "1\n" : "0\n", 2, 0) < 0) return;
}

static void keep_key(const uint8_t key[KEY_SIZE]) {
    owed_key.kind = WORD_KEY;
    memcpy(owed_key.key, key, KEY_SIZE);
}

static void keep_line(uint8_t address, uint32_t rate) {
    owed_line.kind = WORD_LINE;
    owed_line.line.address = address;
    owed_line.line.rate = rate_due = rate;
}

/// Whether it went. The keeper reads while this one does not wait: what does not go now goes in the next turn.
static int tell(const struct word *word) {
    const ssize_t sent = send(ends->keeper, word, sizeof *word, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent < 0 && errno != EAGAIN && errno != EINTR && errno != ENOBUFS) _exit(0);
    return sent == (ssize_t)sizeof *word;
}

static void tell_owed(void) {
    if (owed_key.kind && tell(&owed_key)) explicit_bzero(&owed_key, sizeof owed_key);
    if (owed_line.kind && tell(&owed_line)) owed_line.kind = 0;
}

static void tell_condition(struct peripheral *peripheral, const struct word *start, int64_t now) {
    static struct word told;
    static int64_t told_at;
    struct word word = *start;
    const uint8_t realtime = word.condition.is_realtime, locked = word.condition.is_locked;
    word.condition = *peripheral_condition(peripheral);
    word.condition.is_realtime = realtime;
    word.condition.is_locked = locked;
    word.condition.turns_by_driver = (uint8_t)ends->turns;
    word.condition.has_output = ends->output >= 0;
    if (memcmp(&word, &told, sizeof word) == 0 || (told.kind && now - told_at < CONDITION_PAUSE)) return;
    if (!tell(&word)) return;
    told = word;
    told_at = now;
}

// MARK: what comes

static void read_line(struct peripheral *peripheral) {
    for (int turn = 0; turn < MOST_AT_ONCE; turn++) {
        uint8_t *place;
        const size_t room = peripheral_room(peripheral, &place);
        const ssize_t count = read(ends->line, place, room);
        if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
        // A converter that was pulled out; its file comes back as another.
        if (count < 0) _exit(EXIT_LINE);
        if (count == 0) return;
        peripheral_take(peripheral, (size_t)count);
        if (rate_due) {
            if (line_set(ends->line, rate_due) != 0) _exit(EXIT_LINE);
            rate_due = 0;
        }
    }
}

static void read_feed(struct peripheral *peripheral) {
    for (int turn = 0; turn < MOST_AT_ONCE; turn++) {
        uint8_t octets[FEED_SIZE + 1];
        const ssize_t count = recv(ends->feed, octets, sizeof octets, MSG_DONTWAIT);
        if (count < 0) return;
        peripheral_hear(peripheral, octets, (size_t)count);
    }
}

// MARK: the process

/// As much as may be had: its condition says what.
static void hurry(const struct settings *settings, struct condition *condition) {
    const struct sched_param priority = {.sched_priority = settings->priority};
    if (settings->priority > 0 && sched_getscheduler(0) != SCHED_FIFO) sched_setscheduler(0, SCHED_FIFO, &priority);
    condition->is_realtime = sched_getscheduler(0) == SCHED_FIFO;
    condition->is_locked = mlockall(MCL_CURRENT | MCL_FUTURE) == 0;
    const struct rlimit run = {LONGEST_RUN, LONGEST_RUN};
    setrlimit(RLIMIT_RTTIME, &run);
}

_Noreturn void line_process(const struct settings *settings, const struct descriptors *descriptors, const uint8_t *key) {
    struct word word = {.kind = WORD_CONDITION};
    const struct surroundings surroundings = {send_octets, drive, keep_key, keep_line};
    ends = descriptors;
    if (crypt_begin() < 0) _exit(EXIT_CIPHER);
    struct peripheral *peripheral = peripheral_new(settings, key, &surroundings);
    // Nothing that ends with a panic half way: a signal to the group ends the keeper, and this one after it.
    signal(SIGPIPE, SIG_IGN);
    hurry(settings, &word.condition);
    if (confine_line(descriptors, settings->is_lenient) < 0) _exit(EXIT_NOT_CONFINED);
    struct pollfd sources[] = {{descriptors->line, POLLIN, 0}, {descriptors->feed, POLLIN, 0}, {descriptors->keeper, POLLIN, 0}};
    drive(0);
    for (;;) {
        // Before anything is answered: what is over is over, however long this one was kept from it.
        int wait = peripheral_pass(peripheral);
        if (peripheral_is_over(peripheral)) _exit(EXIT_KEY);
        tell_owed();
        tell_condition(peripheral, &word, clock_now());
        if (wait > CONDITION_PAUSE) wait = CONDITION_PAUSE;
        if (poll(sources, 3, wait) < 0 && errno != EINTR) _exit(EXIT_SYSTEM);
        if (sources[2].revents) _exit(0);
        peripheral_pass(peripheral);
        if (sources[1].revents) read_feed(peripheral);
        if (sources[0].revents & POLLIN) read_line(peripheral);
        // Also with something to be read: of a terminal that was hung up that is its end, again and again.
        if (sources[0].revents & ~POLLIN) _exit(EXIT_LINE);
    }
}
