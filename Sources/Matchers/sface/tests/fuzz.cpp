#include "reading.h"

// The reader of models under libFuzzer (Sources/Matchers/sface/Makefile, fuzz-sface): any octets are refused, or are a network that runs.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t count) {
    readAndRun(data, count);
    return 0;
}
