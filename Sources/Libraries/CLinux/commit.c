#include "system_facts.h"

// Written by tools/commit.sh; a plain `swift build` may do without.
#if __has_include("commit.h")
#include "commit.h"
#endif

const char *system_commit(void) {
#ifdef GATEHOUSE_COMMIT
    return GATEHOUSE_COMMIT;
#else
    return NULL;
#endif
}
