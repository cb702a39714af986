// The one thing that libosdp has no function for: from install mode to the secure channel only, in the middle of a conversation. A new
// device in place of the old one would not know the sequence number, and the panel, refused, would stay without a channel for ten minutes.
#include <osdp_common.h>

#include "enforcement.h"

void enforce_secure(void *context) {
    struct osdp_pd *device = osdp_to_pd((struct osdp *)context, 0);
    SET_FLAG(device, PD_FLAG_ENFORCE_SECURE);
    CLEAR_FLAG(device, PD_FLAG_INSTALL_MODE);
    CLEAR_FLAG(device, PD_FLAG_SC_USE_SCBKD);
}
