#pragma once
// What the attempts are written with.
#include "trespass.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>

#define ATTEMPT(name) static int name(const struct trespass_scene *scene)
#define ANYWHERE (void)scene
#define KILLED TRESPASS_KILLED
#define REFUSED TRESPASS_REFUSED
#define ALLOWED TRESPASS_ALLOWED

static inline int done(long value) {
    return value < 0 ? errno : 0;
}

// Of two paths at a time.
static inline const char *in(const char *folder, const char *name) {
    static char paths[2][512];
    static int next;
    char *path = paths[next++ & 1];
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

static inline int opened(const char *path, int flags) {
    return done(open(path, flags | O_CLOEXEC | O_NONBLOCK, 0600));
}

// Those of listener.c.
extern const struct trespass listener_trespasses[];
extern const int listener_trespass_count;
