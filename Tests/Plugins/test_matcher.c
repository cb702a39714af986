/* The test matcher as it is, or (-DWITH_PAD) with a check for attacks: a picture whose top left corner, 16 by 16 pixels, is nearly white
   is one. */
#include "matcher.h"

#ifdef WITH_PAD
static fmp_status info_with_pad(fmp_info *out) {
    fmp_status status = matcher_info(out);
    out->caps |= FMP_CAP_PAD_PASSIVE;
    out->id = "test-colour-pad";
    return status;
}

static fmp_status corner_pad(fmp_ctx *context, const fmp_image *images, uint32_t count, uint64_t deadline, fmp_frame_info *infos, double *score) {
    (void)context, (void)deadline, (void)infos;
    *score = -1;
    if (count != 1 || images[0].width < 16 || images[0].height < 16) return FMP_E_BAD_ARG;
    unsigned sum = 0;
    for (int row = 0; row < 16; row++)
        for (int octet = 0; octet < 48; octet++) sum += images[0].bytes.data[(size_t)row * images[0].stride + octet];
    if (sum / (16 * 48) > 230) *score = 1;
    return FMP_OK;
}
#endif

static const fmp_vtable table = {
    .struct_size = sizeof(fmp_vtable),
    .open = matcher_open,
    .close = matcher_close,
    .create_template = matcher_create,
    .match = matcher_match,
#ifdef WITH_PAD
    .info = info_with_pad,
    .pad = corner_pad,
#else
    .info = matcher_info,
#endif
};

const fmp_vtable *fmp_plugin_v1(uint32_t host_major, uint32_t host_minor) {
    // It is built with its host, which says its own minor and not an older one's.
    return host_major == FMP_ABI_MAJOR && host_minor == FMP_ABI_MINOR ? &table : NULL;
}
