#define _GNU_SOURCE
#include "system_facts.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/falloc.h>
#include <sys/timex.h>
#include <unistd.h>

int system_clock_is_synchronised(void) {
    struct timex state = {0};
    return adjtimex(&state) < 0 ? -1 : !(state.status & STA_UNSYNC);
}

int system_reserve(int descriptor, long long length) {
    int result;
    do {
        result = fallocate(descriptor, FALLOC_FL_KEEP_SIZE, 0, length);
    } while (result != 0 && errno == EINTR);
    return result == 0 ? 0 : errno;
}

int system_sync_all(int descriptor) {
    return syncfs(descriptor) == 0 ? 0 : errno;
}
