#pragma once
#include "failure.h"

/// When a call has to end before it is done. Asked between the steps: the longest, the search for faces, takes tens of milliseconds.
struct Limits {
    const fmp_host &host;
    uint64_t deadline;

    /// The host's wish for a template of what was found. Throws `Failure`: FMP_E_QUALITY where it has no use for one.
    void checkWanted(const fmp_frame_info &found) const {
        if (host.wanted != nullptr && host.wanted(host.host, &found) == 0) throw Failure{FMP_E_QUALITY};
    }

    uint64_t now() const { return host.now_ns(host.host); }

    /// Throws `Failure`: FMP_E_TIMEOUT, FMP_E_CANCELLED.
    void check() const {
        if (now() >= deadline) throw Failure{FMP_E_TIMEOUT};
        if (host.cancelled != nullptr && host.cancelled(host.host) != 0) throw Failure{FMP_E_CANCELLED};
    }
};
