// The library alone: what gatehouse-vision's role `code` is measured against. Reads a line with a picture's path, JPEG or PGM, and answers
// with a line:
//
//   <microseconds of the JPEG> <microseconds of the library> <octets in hexadecimal, or - where there is no code>
//
// Compiles with zxing-cpp 1.4 (Debian 12) and 2.2 or later (Debian 13), with the options of pixelpass.md section 4.2.
#define ZX_USE_UTF8 // 1.4 asks for it
#include <ZXing/ReadBarcode.h>
#if __has_include(<ZXing/ReaderOptions.h>)
#include <ZXing/ReaderOptions.h>
#define IS_2 1
#else
#define IS_2 0
#endif
#if __has_include(<ZXing/Version.h>)
#include <ZXing/Version.h>
#else
#include <ZXing/ZXVersion.h>
#endif

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

#include <jpeglib.h>

struct Picture {
    int width = 0, height = 0;
    std::vector<uint8_t> grey;
};

// By libjpeg to the brightness alone: about half the cost of colours.
static bool decode(const std::vector<uint8_t> &octets, Picture &picture) {
    jpeg_decompress_struct state;
    jpeg_error_mgr errors;
    state.err = jpeg_std_error(&errors);
    jpeg_create_decompress(&state);
    jpeg_mem_src(&state, octets.data(), octets.size());
    if (jpeg_read_header(&state, TRUE) != JPEG_HEADER_OK) return false;
    state.out_color_space = JCS_GRAYSCALE;
    jpeg_start_decompress(&state);
    picture.width = (int)state.output_width;
    picture.height = (int)state.output_height;
    picture.grey.resize((size_t)picture.width * picture.height);
    while (state.output_scanline < state.output_height) {
        JSAMPROW row = picture.grey.data() + (size_t)state.output_scanline * picture.width;
        jpeg_read_scanlines(&state, &row, 1);
    }
    jpeg_finish_decompress(&state);
    jpeg_destroy_decompress(&state);
    return true;
}

// As Pillow writes it: P5, the size, 255, the octets.
static bool undrawn(const std::vector<uint8_t> &octets, Picture &picture) {
    int start = 0;
    if (octets.size() < 16 || sscanf((const char *)octets.data(), "P5 %d %d 255%n", &picture.width, &picture.height, &start) < 2) return false;
    picture.grey.assign(octets.begin() + start + 1, octets.end());
    return picture.grey.size() == (size_t)picture.width * picture.height;
}

int main() {
    using namespace ZXing;
    using Clock = std::chrono::steady_clock;
    const auto micros = [](Clock::duration time) { return (long long)std::chrono::duration_cast<std::chrono::microseconds>(time).count(); };
#if IS_2
    ReaderOptions options;
    options.setTryInvert(true).setTryDownscale(true).setMaxNumberOfSymbols(8);
#else
    DecodeHints options;
    options.setTryDownscale(true).setMaxNumberOfSymbols(8);
#endif
    options.setFormats(BarcodeFormat::QRCode).setTryHarder(true).setTryRotate(true).setBinarizer(Binarizer::LocalAverage);
    std::cout << "zxing-cpp " << ZXING_VERSION_MAJOR << '.' << ZXING_VERSION_MINOR << '.' << ZXING_VERSION_PATCH << std::endl;

    std::string path;
    Picture picture;
    while (std::getline(std::cin, path)) {
        std::ifstream file(path, std::ios::binary | std::ios::ate);
        std::vector<uint8_t> octets(file ? (size_t)file.tellg() : 0);
        file.seekg(0).read((char *)octets.data(), (std::streamsize)octets.size());
        const auto began = Clock::now();
        const bool is_there = !octets.empty() && (octets[0] == 'P' ? undrawn(octets, picture) : decode(octets, picture));
        const auto decoded = Clock::now();
        if (!is_there) {
            std::cout << "error" << std::endl;
            continue;
        }
        // As many as the worker looks for: it goes on when it has found one.
        const auto found = ReadBarcodes(ImageView(picture.grey.data(), picture.width, picture.height, ImageFormat::Lum), options);
        const auto read = Clock::now();
        std::cout << micros(decoded - began) << ' ' << micros(read - decoded) << ' ';
        if (!found.empty())
            for (uint8_t octet : found[0].bytes()) printf("%02x", octet);
        else
            printf("-");
        printf("\n");
        fflush(stdout);
    }
}
