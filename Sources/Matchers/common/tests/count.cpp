#include "host.h"
#include <sys/syscall.h>

// A portrait and then two frames of a face, a fifth of a second apart, through a matcher. Before and after each it asks the kernel who its
// parent is, which nobody else does: by that what counts instructions (image/arm64/instructions.c) knows where one ends.
//   count plug-in models portrait frame
static void mark() { syscall(SYS_getppid); }

int main(int count, char **arguments) {
    if (count != 5) return 2;
    const Plugin plugin(arguments[1]);
    const Image portrait = loaded(arguments[3]), frame = loaded(arguments[4]);
    fmp_ctx *context;
    mark();
    if (plugin.open(arguments[2], &context) != FMP_OK) return 1;
    mark();
    const Made reference = make(plugin, context, look(portrait, FMP_ROLE_REFERENCE), UINT64_MAX);
    mark();
    if (reference.status != FMP_OK) return 1;
    for (uint64_t i = 0; i < 2; i++) {
        fmp_image probe = look(frame, FMP_ROLE_PROBE);
        probe.capture_ns = 1000000000 + i * 200000000;
        const Made made = make(plugin, context, probe, UINT64_MAX);
        mark();
        if (made.status != FMP_OK) return 1;
    }
    plugin.table->close(context);
}
