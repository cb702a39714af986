#define _GNU_SOURCE
#include "feed.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

static uint64_t word(const uint8_t *octets) {
    uint64_t value = 0;
    for (int i = 7; i >= 0; i--) value = value << 8 | octets[i];
    return value;
}

int feed_decode(const uint8_t *octets, size_t count, struct feed_record *record) {
    if (count != FEED_SIZE || memcmp(octets, "GLF1", 4) != 0 || word(octets + 56) != 0) return -1;
    *record = (struct feed_record){
        .outcome = octets[4], .binding = octets[5], .holder = octets[6], .presentation = octets[7], .sequence = word(octets + 8),
        .wall = (int64_t)word(octets + 16), .monotonic = word(octets + 24), .visit = word(octets + 32), .number = word(octets + 40),
        .lost = word(octets + 48),
    };
    const int known = (record->outcome == FEED_ACCEPTED || record->outcome == FEED_REJECTED) && record->holder <= FEED_HOLDER_BOUND;
    return known ? 0 : -1;
}

int feed_bind(const char *path) {
    struct sockaddr_un place = {.sun_family = AF_UNIX};
    if (path[0] != '/' || strlen(path) >= sizeof place.sun_path) return -EINVAL;
    strcpy(place.sun_path, path);
    struct stat facts;
    // Of a process that has ended; anything else stays, and is what bind complains of.
    if (lstat(path, &facts) == 0 && S_ISSOCK(facts.st_mode) && unlink(path) < 0) return -errno;
    int feed = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (feed < 0) return -errno;
    const mode_t before = umask(0117);
    const int failed = bind(feed, (struct sockaddr *)&place, sizeof place) < 0;
    const int code = errno;
    umask(before);
    if (!failed) return feed;
    close(feed);
    return -code;
}

int feed_passed(void) {
    const char *process = getenv("LISTEN_PID"), *count = getenv("LISTEN_FDS");
    if (!process || !count || strtol(process, NULL, 10) != getpid() || strcmp(count, "1") != 0) return -1;
    int type = 0;
    socklen_t size = sizeof type;
    if (getsockopt(3, SOL_SOCKET, SO_TYPE, &type, &size) < 0 || type != SOCK_DGRAM) return -1;
    if (fcntl(3, F_SETFL, fcntl(3, F_GETFL) | O_NONBLOCK) < 0 || fcntl(3, F_SETFD, FD_CLOEXEC) < 0) return -1;
    return 3;
}
