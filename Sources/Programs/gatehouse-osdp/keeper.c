#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "confinement.h"
#include "memory.h"
#include "process.h"

enum { AGAIN = 5000 }; // milliseconds until what could not be kept is tried once more

void say(const char *format, ...) {
    char line[1024];
    va_list arguments;
    va_start(arguments, format);
    const int count = vsnprintf(line, sizeof line - 1, format, arguments);
    va_end(arguments);
    if (count < 0) return;
    size_t size = (size_t)count < sizeof line - 1 ? (size_t)count : sizeof line - 2;
    line[size++] = '\n';
    if (write(STDERR_FILENO, line, size) < 0) return;
}

struct keeping {
    int folder, notify;
    struct word key, line; // what is still to be kept
    const char *trouble;
    struct condition told;
    int is_ready;
};

static void notify(const struct keeping *keeping, const char *text) {
    if (keeping->notify >= 0 && send(keeping->notify, text, strlen(text), MSG_DONTWAIT | MSG_NOSIGNAL) < 0) return;
}

/// One line of words and numbers: what `systemctl status` shows.
static void tell_condition(struct keeping *keeping, const struct condition *now) {
    char text[1024];
    snprintf(
        text, sizeof text,
        "%sSTATUS=mode=%s channel=%s address=%u rate=%u realtime=%s locked=%s turns=%s key=%s delivered=%u stale=%u away=%u full=%u "
        "missed=%u strange=%u led=%u leds=%u tones=%u texts=%u outputs=%u output=%s repeats=%u refused=%u complaints=%u "
        "noise=%u length=%u check=%u other=%u malformed=%u",
        keeping->is_ready ? "" : "READY=1\n", now->is_installing ? "install" : "secure", now->is_up ? "up" : "down", now->address,
        now->rate, now->is_realtime ? "yes" : "no", now->is_locked ? "yes" : "no", now->turns_by_driver ? "driver" : "itself",
        keeping->trouble ? keeping->trouble : "kept", now->delivered, now->stale, now->away, now->full, now->missed, now->strange, now->led,
        now->leds, now->tones, now->texts, now->outputs, now->has_output ? now->output ? "on" : "off" : now->output ? "on-nowhere" : "none",
        now->repeats, now->refused, now->complaints, now->drops[FRAME_NOISE], now->drops[FRAME_LENGTH], now->drops[FRAME_CHECK],
        now->drops[FRAME_OTHER], now->drops[FRAME_MALFORMED]);
    notify(keeping, text);
    const struct condition *told = &keeping->told;
    if (!keeping->is_ready) {
        say("at address %u, %u baud, %s; real-time priority: %s, memory locked: %s, the transceiver is turned by %s", now->address,
            now->rate, now->is_installing ? "INSTALL MODE: the panel that is there may set the key" : "secure channel only",
            now->is_realtime ? "yes" : "no", now->is_locked ? "yes" : "no", now->turns_by_driver ? "its driver" : "itself");
        if (!now->is_realtime) say("without real-time priority an answer may come too late, and the panel leaves for minutes");
    }
    if (told->is_installing && !now->is_installing) say("install mode is over: secure channel only");
    if (told->is_up != now->is_up) say("secure channel %s", now->is_up ? "up" : "down");
    if (told->address != now->address || told->rate != now->rate)
        if (keeping->is_ready) say("the panel has set address %u, %u baud", now->address, now->rate);
    keeping->told = *now;
    keeping->is_ready = 1;
}

static void keep(struct keeping *keeping) {
    int code = 0;
    if (keeping->key.kind) {
        code = key_write(keeping->folder, keeping->key.key);
        if (code) say("THE KEY THAT THE PANEL HAS SET CANNOT BE KEPT (%s): with the end of this process it is lost", strerror(code));
        else {
            explicit_bzero(&keeping->key, sizeof keeping->key);
            say("the panel has set a key, and it is kept");
        }
    }
    if (keeping->line.kind) {
        const int failed = line_keep(keeping->folder, keeping->line.line.address, keeping->line.line.rate);
        if (failed) say("the address and speed that the panel has set cannot be kept (%s)", strerror(failed));
        else keeping->line.kind = 0;
        if (failed) code = failed;
    }
    keeping->trouble = code ? "not-kept" : NULL;
}

static void take(struct keeping *keeping, const struct word *word) {
    switch (word->kind) {
    case WORD_CONDITION: tell_condition(keeping, &word->condition); break;
    case WORD_KEY: keeping->key = *word; keep(keeping); break;
    case WORD_LINE: keeping->line = *word; keep(keeping); break;
    }
}

static _Noreturn void end(struct keeping *keeping, int process) {
    int status = 0;
    while (waitpid(process, &status, 0) < 0 && errno == EINTR) {}
    if (keeping->key.kind || keeping->line.kind) keep(keeping);
    if (WIFSIGNALED(status)) {
        say("the line's process was ended by signal %d", WTERMSIG(status));
        _exit(EXIT_SYSTEM);
    }
    switch (WEXITSTATUS(status)) {
    case EXIT_KEY: say("install mode is over, and no panel has set a key: ended"); break;
    case EXIT_LINE: say("the line is gone"); break;
    case EXIT_NOT_CONFINED: say("it cannot be confined; --confine as-possible does without"); break;
    case EXIT_CIPHER: say("libcrypto gives no cipher or no random numbers"); break;
    }
    _exit(WEXITSTATUS(status));
}

_Noreturn void keeper_process(const struct settings *settings, int process, int channel, int folder, int notify) {
    struct keeping keeping = {.folder = folder, .notify = notify};
    if (confine_keeper(settings->state, settings->is_lenient) < 0) {
        say("its keeper cannot be confined; --confine as-possible does without");
        _exit(EXIT_NOT_CONFINED);
    }
    for (;;) {
        struct pollfd source = {channel, POLLIN, 0};
        const int count = poll(&source, 1, keeping.trouble ? AGAIN : -1);
        if (count < 0 && errno != EINTR) _exit(EXIT_SYSTEM);
        if (count == 0) keep(&keeping);
        if (count <= 0) continue;
        struct word word;
        const ssize_t size = recv(channel, &word, sizeof word, MSG_DONTWAIT);
        if (size < 0 && (errno == EAGAIN || errno == EINTR)) continue;
        if (size != (ssize_t)sizeof word) end(&keeping, process);
        take(&keeping, &word);
        explicit_bzero(&word, sizeof word);
    }
}
