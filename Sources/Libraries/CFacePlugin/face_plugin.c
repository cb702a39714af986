#include "face_plugin.h"

/* What a plug-in that was compiled elsewhere relies on. */
_Static_assert(sizeof(void *) == 8, "LP64");
_Static_assert(sizeof(fmp_image) == 56, "fmp_image");
_Static_assert(sizeof(fmp_face) == 48, "fmp_face");
_Static_assert(sizeof(fmp_frame_info) == 80, "fmp_frame_info");
_Static_assert(sizeof(fmp_buffer) == 24, "fmp_buffer");
_Static_assert(sizeof(fmp_info) == 120, "fmp_info");
_Static_assert(FMP_HOST_SIZE_MINOR_0 == 40 && sizeof(fmp_host) == 56, "fmp_host");
_Static_assert(sizeof(fmp_vtable) == 56, "fmp_vtable");
