// Looks for a QR code in a grey picture, over zxing-cpp: 1.4 (Debian 12), and 2.2 or later (Debian 13), which have different names for
// the same and look for different things by themselves. No C++ exception leaves it.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum code_result {
    CODE_NOTHING = 0,
    CODE_READ,
    CODE_REFUSED,   ///< A part of several codes, another alphabet than UTF-8 or Latin-1, GS1 or AIM, QR model 1, or empty.
    CODE_TOO_LONG,  ///< More octets than the caller has room for.
    CODE_BAD_IMAGE, ///< Measures that no picture has.
    CODE_NO_MEMORY,
    CODE_FAILED,    ///< The library gave up: an exception of its own.
};

/// What else to look for. A library that looks for it by itself does so in every picture; for 1.4 it is a second look, and a third.
enum code_looks {
    CODE_LOOK_INVERTED = 1 << 0, ///< Light on dark.
    CODE_LOOK_MIRRORED = 1 << 1,
};

struct code_point {
    int32_t x;
    int32_t y;
};

struct code_reading {
    size_t count;                 ///< Octets of the text.
    struct code_point corners[4]; ///< From the code's own upper left corner on, clockwise as the code is printed. In pixels.
    bool inverted;
    bool mirrored;
};

/// Codes whose turn is remembered: twice as many as have one.
#define CODE_TURNS 16

/// Whose turn it is where a picture has several codes. `count` is 0 before the first picture.
struct code_turn {
    uint64_t (*number_of)(const uint8_t *text, size_t count); ///< From which no text can be told: a keyed digest.
    uint64_t told[CODE_TURNS];                                ///< The numbers of the codes that were told, the last one first.
    size_t count;
};

/// `text` gets the code's octets as they stand in it, whatever they are meant to be. `grey` has an octet a pixel, `stride` from row to
/// row; it may be inverted after the call, and codes in it covered. Of each call at most one code: where there are several, of the
/// eight largest the one that was told longest ago or not yet. An enum code_result; anything but CODE_READ leaves `text` as it was.
int code_read(uint8_t *grey, uint32_t width, uint32_t height, size_t stride, unsigned looks, struct code_turn *turn, uint8_t *text,
              size_t capacity, struct code_reading *reading);

/// The version of the library this was compiled for: `1.4.0`.
const char *code_library_version(void);

/// The looks that the library takes by itself.
unsigned code_library_looks(void);

#ifdef __cplusplus
}
#endif
