#include "system_facts.h"

#include <sys/timex.h>

int system_clock_is_synchronised(void) {
    struct timex state = {0};
    return adjtimex(&state) < 0 ? -1 : !(state.status & STA_UNSYNC);
}
