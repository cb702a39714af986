/*
 * A face matcher for Gatehouse, version 1. C11, LP64, little endian.
 *
 * One shared object exports one symbol, fmp_plugin_v1. It is loaded only by gatehouse-vision, a worker process without network, without
 * files to write and, once `open` has returned, without the right to open any: read every model in `open`. One thread calls, and none
 * may be made. Nothing may be thrown across this interface. All memory that is passed is the caller's, valid during the call.
 *
 * Calls and codes follow NIST FRVT 1:1 and FRVT PAD: a score is higher the more alike two faces are, -1 with an error; a PAD score is -1
 * for a person, +1 for an attack. The threshold is the host's: a plug-in has no opinion who matches.
 */
#ifndef FMP_FACE_PLUGIN_H
#define FMP_FACE_PLUGIN_H
#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif

#define FMP_ABI_MAJOR 1u /* the host refuses another */
#define FMP_ABI_MINOR 1u /* additions only: fields at the end of structs, calls at the end of the table */

typedef int32_t fmp_status; /* 0, or a reason; never below 0. Names follow NIST FRVT's ReturnCode. */
enum {
    FMP_OK = 0,
    FMP_E_UNKNOWN = 1,
    FMP_E_CONFIG = 2,         /* the configuration is not understood */
    FMP_E_REFUSED_INPUT = 3,  /* a picture that is no picture to it */
    FMP_E_EXTRACT = 4,        /* no template could be made of a face that is there */
    FMP_E_PARSE = 5,
    FMP_E_TEMPLATE = 6,       /* a template that is not its own, or damaged */
    FMP_E_NO_FACE = 8,
    FMP_E_MANY_FACES = 9,
    FMP_E_TEMPLATE_FORMAT = 10,
    FMP_E_MEMORY = 13,
    FMP_E_MATCH = 14,
    FMP_E_QUALITY = 15,       /* too small, too dark, too blurred for it */
    FMP_E_NOT_IMPLEMENTED = 16,
    FMP_E_VENDOR = 17,
    FMP_E_TIMEOUT = 18,       /* the deadline passed */
    FMP_E_CANCELLED = 19,
    FMP_E_BAD_ARG = 20,
    FMP_E_LICENCE = 21,
    FMP_E_MODEL = 22          /* a model is missing, damaged or another one */
};

enum { /* fmp_info.caps */
    FMP_CAP_MATCH = 1u << 0,
    FMP_CAP_QUALITY = 1u << 1,     /* measures fmp_frame_info.quality */
    FMP_CAP_PAD_PASSIVE = 1u << 2, /* has `pad` */
    FMP_CAP_PAD_ACTIVE = 1u << 3,
    FMP_CAP_ENCODED = 1u << 4,     /* not used by this host: pictures are decoded before */
    FMP_CAP_REENTRANT = 1u << 5
};
enum { FMP_FMT_RGB24 = 1, FMP_FMT_GRAY8 = 2, FMP_FMT_JPEG = 16, FMP_FMT_PNG = 17, FMP_FMT_HEIC = 18, FMP_FMT_JP2 = 19, FMP_FMT_TEMPLATE = 64 };
enum { FMP_ROLE_REFERENCE = 0 /* the photo in the credential */, FMP_ROLE_PROBE = 1 /* a camera frame */ };
enum { /* fmp_frame_info.quality_flags */
    FMP_Q_DARK = 1u << 0, FMP_Q_BRIGHT = 1u << 1, FMP_Q_BLUR = 1u << 2, FMP_Q_SMALL = 1u << 3, FMP_Q_POSE = 1u << 4, FMP_Q_OCCLUDED = 1u << 5,
    FMP_Q_MULTIPLE = 1u << 6
};

typedef struct { const uint8_t *data; size_t len; } fmp_bytes;
typedef struct {
    uint32_t struct_size;
    uint32_t format, role;          /* this host passes FMP_FMT_RGB24 only */
    uint32_t width, height, stride; /* pixels, pixels, octets */
    fmp_bytes bytes;                /* stride * height octets */
    uint64_t capture_ns;            /* CLOCK_MONOTONIC */
    uint32_t seq;
    uint32_t light_rgb;             /* what the gate shone on the face, for active PAD; 0 otherwise */
} fmp_image;
typedef struct { /* pixels of the picture passed; degrees; NaN where not known */
    float x, y, w, h;
    float confidence;
    float eye_l[2], eye_r[2]; /* centres; l is the one with the smaller x */
    float yaw, pitch, roll;
} fmp_face;
typedef struct {
    uint32_t struct_size;
    uint32_t faces;         /* how many were found */
    fmp_face face;          /* the largest */
    float quality;          /* 0 to 100 as ISO/IEC 29794-5, NaN where not measured */
    uint32_t quality_flags;
    float pad_score;        /* -1 a person, +1 an attack; NaN where not measured */
    uint32_t pad_type;      /* 0 none, 1 print, 2 replay, 3 mask, 255 other */
    uint32_t elapsed_us;
    float second_area;      /* area of the second largest face, in areas of the largest; 0 where there is one face */
} fmp_frame_info;
typedef struct { uint8_t *data; size_t cap, len; } fmp_buffer; /* cap is template_max or more; len is set by the plug-in */
typedef struct {
    uint32_t struct_size;
    uint32_t abi_major, abi_minor;
    uint32_t caps;
    uint32_t template_max;  /* octets, at most 65536 */
    uint32_t reference_min; /* pixels between the eyes of a reference that can be relied on; 0 where it does not know */
    const char *id, *version, *vendor, *licence; /* static UTF-8 */
    const char *algorithm;
    const char *model_sha256; /* 64 lower-case hexadecimal digits over all models; another value has to be calibrated anew */
    double fmr_score[6];      /* the score at a false match rate of 1e-1 to 1e-6 as the vendor claims, NaN where not known */
} fmp_info;
typedef struct fmp_ctx fmp_ctx;
typedef struct { /* what the host does for a plug-in; nothing else may be assumed */
    uint32_t struct_size;
    void *host;
    void (*log)(void *host, int32_t level, const char *code); /* [a-z0-9_.]{1,48}: nothing about a person fits in */
    int32_t (*cancelled)(void *host);                         /* not 0: return FMP_E_CANCELLED soon */
    uint64_t (*now_ns)(void *host);                           /* CLOCK_MONOTONIC */
    /* From minor 1 on; struct_size says whether they are there. */
    float eye_distance; /* pixels between the eyes of the smallest face of a probe that has to be found; 0 where the host does not know */
    /* Asked with what was found in a probe, before its template is made: 0 where none is of use (too small, too dark, several, ...). Return
     * FMP_E_QUALITY then, with the info filled in: the host judges it anew. NULL: every template is wanted. */
    int32_t (*wanted)(void *host, const fmp_frame_info *found);
} fmp_host;
#define FMP_HOST_SIZE_MINOR_0 offsetof(fmp_host, eye_distance)
typedef struct {
    uint32_t struct_size;
    fmp_status (*info)(fmp_info *out);
    fmp_status (*open)(const fmp_host *host, const char *model_dir, fmp_bytes config_json, fmp_ctx **out);
    void (*close)(fmp_ctx *);
    /* A template of the largest face of n pictures of one person (this host passes one); infos has n entries. */
    fmp_status (*create_template)(
        fmp_ctx *, const fmp_image *imgs, uint32_t n, uint32_t role, uint64_t deadline_ns, fmp_buffer *tmpl, fmp_frame_info *infos);
    /* 0 to 1, higher the more alike; -1 with an error. */
    fmp_status (*match)(fmp_ctx *, fmp_bytes probe, fmp_bytes reference, double *similarity);
    /* Presentation attack: -1 a person to +1 an attack. NULL without FMP_CAP_PAD_PASSIVE. It can only deny. */
    fmp_status (*pad)(fmp_ctx *, const fmp_image *imgs, uint32_t n, uint64_t deadline_ns, fmp_frame_info *infos, double *score);
} fmp_vtable;

/* The only exported symbol. NULL where it cannot serve this major. */
#define FMP_ENTRY_NAME "fmp_plugin_v1"
const fmp_vtable *fmp_plugin_v1(uint32_t host_major, uint32_t host_minor);

#ifdef __cplusplus
}
#endif
#endif
