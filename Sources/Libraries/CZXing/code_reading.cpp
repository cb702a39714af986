#include "code_reading.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

// Version 1.4 would warn of what text() will be later. Nobody calls it here.
#define ZX_USE_UTF8 1
#include <ZXing/ReadBarcode.h>
#if __has_include(<ZXing/ReaderOptions.h>)
#include <ZXing/Version.h>
#define IS_NEW 1
#else
#include <ZXing/ZXVersion.h>
#define IS_NEW 0
#endif

namespace {

// A QR code of version 1 has so many modules a side, and none is less than a pixel.
constexpr uint32_t least_side = 21;
constexpr uint32_t most_side = 8192;
constexpr size_t most_stride = 1 << 20;
// Codes of a picture among which one is chosen: as many as the library can be asked for. It takes small ones first, and a lower limit
// would drop the one that is held up.
constexpr int most_codes = 255;
// From so many on there may be others that the library has not come to, and how often it is asked for them. 1.4 comes to fewer.
constexpr size_t many_codes = IS_NEW ? 4 : 2;
constexpr int most_again = 3;
// Of them so many have a turn, the largest: who holds one up before a wall of codes waits for no more looks than that, and each is told
// again before it can be taken to have gone.
constexpr size_t most_turns = 8;

#if IS_NEW
constexpr unsigned looks_by_itself = CODE_LOOK_INVERTED | CODE_LOOK_MIRRORED;

ZXing::ReaderOptions options() {
    ZXing::ReaderOptions options;
    options.setTryInvert(true);
#else
// It reads some mirrored codes by itself, and misses most.
constexpr unsigned looks_by_itself = 0;

ZXing::DecodeHints options() {
    ZXing::DecodeHints options;
#endif
    options.setFormats(ZXing::BarcodeFormat::QRCode);
    options.setTryHarder(true).setTryRotate(true).setTryDownscale(true);
    options.setBinarizer(ZXing::Binarizer::LocalAverage);
    options.setMaxNumberOfSymbols(most_codes);
    return options;
}

using Codes = decltype(ZXing::ReadBarcodes(std::declval<ZXing::ImageView>(), options()));
using Code = Codes::value_type;

bool is_inverted(const Code &code) {
#if IS_NEW
    return code.isInverted();
#else
    (void)code;
    return false;
#endif
}

/// Whether each part of the text is in UTF-8 or in Latin-1, by the numbers AIM gives: `\000026`, between texts in which a backslash is
/// doubled.
bool is_plain_alphabet(const ZXing::ByteArray &octets) {
    static const std::string plain[] = {"000001", "000003", "000026"};
    for (size_t index = 0; index < octets.size(); index++) {
        if (octets[index] != '\\') {
            continue;
        }
        if (index + 1 < octets.size() && octets[index + 1] == '\\') {
            index += 1;
            continue;
        }
        if (octets.size() - index < 7) {
            return false;
        }
        std::string number(octets.begin() + index + 1, octets.begin() + index + 7);
        if (std::find(std::begin(plain), std::end(plain), number) == std::end(plain)) {
            return false;
        }
        index += 6;
    }
    return true;
}

bool is_wanted(const Code &code) {
    if (code.format() != ZXing::BarcodeFormat::QRCode || code.sequenceSize() != -1 || code.sequenceIndex() != -1) {
        return false;
    }
    // ISO/IEC 15424: ]Q1 is QR code model 2; ]Q0 is model 1, the others are GS1's and AIM's. Other alphabets are said apart from it.
    return !code.bytes().empty() && code.symbologyIdentifier() == "]Q1" && (!code.hasECI() || is_plain_alphabet(code.bytesECI()));
}

int32_t bounded(int value) { return std::clamp<int>(value, -(int)most_side, 2 * (int)most_side); }

/// The square of the longer diagonal: the same for a code that is turned.
int64_t size_of(const Code &code) {
    const auto &corners = code.position();
    int64_t most = 0;
    for (size_t corner = 0; corner < 2; corner++) {
        int64_t x = (int64_t)corners[corner].x - corners[corner + 2].x, y = (int64_t)corners[corner].y - corners[corner + 2].y;
        most = std::max(most, x * x + y * y);
    }
    return most;
}

/// How many others were told since the code with this number was; all of them where it is not among those remembered.
size_t age_of(uint64_t number, const code_turn &turn) {
    return (size_t)(std::find(turn.told, turn.told + turn.count, number) - turn.told);
}

void remember(uint64_t number, code_turn *turn) {
    size_t place = age_of(number, *turn);
    if (place == turn->count) {
        turn->count = std::min<size_t>(turn->count + 1, CODE_TURNS);
        place = turn->count - 1;
    }
    std::copy_backward(turn->told, turn->told + place, turn->told + place + 1);
    turn->told[0] = number;
}

int take(const Codes &codes, code_turn *turn, bool inverted, bool mirrored, uint32_t width, uint8_t *text, size_t capacity,
         code_reading *reading) {
    std::vector<const Code *> wanted;
    for (const auto &code : codes) {
        if (code.isValid() && is_wanted(code)) {
            wanted.push_back(&code);
        }
    }
    if (wanted.empty()) {
        return CODE_REFUSED;
    }
    // The largest is held closest. A poster in view is not to hide it, nor it a smaller one: the one that was told longest ago is next, and
    // before it those that were not yet. So a code that is read now and then is told as soon as it is read.
    std::sort(wanted.begin(), wanted.end(),
              [](const Code *one, const Code *two) { return size_of(*one) != size_of(*two) ? size_of(*one) > size_of(*two) : one < two; });
    wanted.resize(std::min(wanted.size(), most_turns));
    const Code *next = nullptr;
    uint64_t next_number = 0;
    for (const Code *code : wanted) {
        uint64_t number = turn->number_of(code->bytes().data(), code->bytes().size());
        if (next == nullptr || age_of(number, *turn) > age_of(next_number, *turn)) {
            std::tie(next, next_number) = std::make_tuple(code, number);
        }
    }
    const Code &code = *next;
    remember(next_number, turn);
    const auto &octets = code.bytes();
    if (octets.size() > capacity) {
        return CODE_TOO_LONG;
    }
    std::memcpy(text, octets.data(), octets.size());
    reading->count = octets.size();
    reading->inverted = inverted != is_inverted(code);
    reading->mirrored = mirrored != code.isMirrored();
    for (size_t corner = 0; corner < 4; corner++) {
        auto point = code.position()[corner];
        reading->corners[corner] = {bounded(mirrored ? (int)width - 1 - point.x : point.x), bounded(point.y)};
    }
    return CODE_READ;
}

void invert(uint8_t *grey, uint32_t width, uint32_t height, size_t stride) {
    for (uint32_t row = 0; row < height; row++) {
        for (uint32_t column = 0; column < width; column++) {
            grey[row * stride + column] ^= 0xFF;
        }
    }
}

/// Makes the code's place an even grey, so that the library finds what is beside it. Its corners are those of a view.
void cover(const Code &code, uint8_t *grey, uint32_t width, uint32_t height, size_t stride, bool mirrored) {
    const auto &corners = code.position();
    auto y_of = [&](size_t corner) { return bounded(corners[(int)corner % 4].y); };
    auto x_of = [&](size_t corner) { return bounded(corners[(int)corner % 4].x); };
    int32_t top = std::min({y_of(0), y_of(1), y_of(2), y_of(3)}), bottom = std::max({y_of(0), y_of(1), y_of(2), y_of(3)});
    for (int32_t y = std::max(top, 0); y <= std::min(bottom, (int32_t)height - 1); y++) {
        // Where the row enters and leaves the four sides.
        int32_t left = INT32_MAX, right = INT32_MIN;
        for (size_t corner = 0; corner < 4; corner++) {
            int32_t from = y_of(corner), to = y_of(corner + 1);
            if (y < std::min(from, to) || y > std::max(from, to)) {
                continue;
            }
            int32_t x = x_of(corner);
            if (from != to) {
                x += (int32_t)((int64_t)(x_of(corner + 1) - x) * (y - from) / (to - from));
            }
            left = std::min(left, x);
            right = std::max(right, x);
        }
        left = std::max(left, 0);
        right = std::min(right, (int32_t)width - 1);
        for (int32_t x = left; x <= right; x++) {
            grey[(size_t)y * stride + (mirrored ? width - 1 - (uint32_t)x : (uint32_t)x)] = 0x80;
        }
    }
}

/// Every code that the library finds in a view of the picture. Where there are many it gives up before it comes to the largest, so those
/// found are covered and the rest is looked at again, a few times at the most.
Codes all(uint8_t *grey, uint32_t width, uint32_t height, size_t stride, bool mirrored) {
    // From the last pixel of each row to the first.
    ZXing::ImageView view(grey + (mirrored ? width - 1 : 0), (int)width, (int)height, ZXing::ImageFormat::Lum, (int)stride,
                          mirrored ? -1 : 1);
    const auto wanted = options();
    Codes found = ZXing::ReadBarcodes(view, wanted);
    Codes last = found;
    for (int again = 0; again < most_again && last.size() >= many_codes; again++) {
        for (const auto &code : last) {
            cover(code, grey, width, height, stride, mirrored);
        }
        last = ZXing::ReadBarcodes(view, wanted);
        found.insert(found.end(), last.begin(), last.end());
    }
    return found;
}

int look(uint8_t *grey, uint32_t width, uint32_t height, size_t stride, unsigned looks, code_turn *turn, uint8_t *text, size_t capacity,
         code_reading *reading) {
    for (unsigned inverted = 0; inverted <= (looks & CODE_LOOK_INVERTED ? 1u : 0u); inverted++) {
        if (inverted) {
            invert(grey, width, height, stride);
        }
        for (unsigned mirrored = 0; mirrored <= (looks & CODE_LOOK_MIRRORED ? 1u : 0u); mirrored++) {
            auto codes = all(grey, width, height, stride, mirrored);
            if (std::any_of(codes.begin(), codes.end(), [](const Code &code) { return code.isValid(); })) {
                return take(codes, turn, inverted, mirrored, width, text, capacity, reading);
            }
        }
    }
    return CODE_NOTHING;
}

} // namespace

extern "C" int code_read(uint8_t *grey, uint32_t width, uint32_t height, size_t stride, unsigned looks, code_turn *turn, uint8_t *text,
                         size_t capacity, code_reading *reading) {
    *reading = {};
    if (grey == nullptr || turn->number_of == nullptr || turn->count > CODE_TURNS || width == 0 || height == 0 || width > most_side ||
        height > most_side || stride < width || stride > most_stride) {
        return CODE_BAD_IMAGE;
    }
    if (width < least_side || height < least_side) {
        return CODE_NOTHING;
    }
    try {
        return look(grey, width, height, stride, looks & ~looks_by_itself, turn, text, capacity, reading);
    } catch (const std::bad_alloc &) {
        return CODE_NO_MEMORY;
    } catch (...) {
        return CODE_FAILED;
    }
}

#define TEXT_OF(number) #number
#define VERSION_TEXT(major, minor, patch) TEXT_OF(major) "." TEXT_OF(minor) "." TEXT_OF(patch)

extern "C" const char *code_library_version(void) {
    return VERSION_TEXT(ZXING_VERSION_MAJOR, ZXING_VERSION_MINOR, ZXING_VERSION_PATCH);
}

extern "C" unsigned code_library_looks(void) { return looks_by_itself; }
