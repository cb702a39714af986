#pragma once
#include "face_plugin.h"
#include <dlfcn.h>
#include <dlib/image_io.h>
#include <dlib/image_transforms.h>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string.h>
#include <string>
#include <time.h>
#include <unistd.h>
#include <vector>

// The worker's side of the interface, as little of it as tests need.

using Image = dlib::array2d<dlib::rgb_pixel>;

inline uint64_t now(void * = nullptr) {
    timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return uint64_t(time.tv_sec) * 1000000000 + uint64_t(time.tv_nsec);
}
inline uint64_t inOneMinute() { return now() + 60000000000; }

struct Plugin {
    void *library;
    const fmp_vtable *table;
    // As small a face as the gate's standard has it.
    fmp_host host{sizeof(fmp_host), nullptr, [](void *, int32_t, const char *) {}, [](void *) { return 0; }, now, 60, nullptr};

    explicit Plugin(const char *path) : library(dlopen(path, RTLD_NOW | RTLD_LOCAL)) {
        if (library == nullptr) throw std::runtime_error(dlerror());
        const auto entry = reinterpret_cast<decltype(&fmp_plugin_v1)>(dlsym(library, FMP_ENTRY_NAME));
        table = entry == nullptr ? nullptr : entry(FMP_ABI_MAJOR, FMP_ABI_MINOR);
        if (table == nullptr) throw std::runtime_error("no fmp_plugin_v1");
    }

    fmp_status open(const char *models, fmp_ctx **context, const char *configuration = "") const {
        const std::string text = configuration;
        return table->open(&host, models, {reinterpret_cast<const uint8_t *>(text.data()), text.size()}, context);
    }
};

inline fmp_image look(const Image &image, uint32_t role) {
    fmp_image look{};
    look.struct_size = sizeof look;
    look.format = FMP_FMT_RGB24;
    look.role = role;
    look.width = uint32_t(image.nc());
    look.height = uint32_t(image.nr());
    look.stride = uint32_t(image.width_step());
    look.bytes = {static_cast<const uint8_t *>(dlib::image_data(image)), size_t(image.width_step()) * size_t(image.nr())};
    return look;
}

/// What one call of `create_template` gave.
struct Made {
    fmp_status status;
    std::vector<uint8_t> octets;
    fmp_frame_info info{};

    float eyeDistance() const { return std::hypot(info.face.eye_r[0] - info.face.eye_l[0], info.face.eye_r[1] - info.face.eye_l[1]); }
    fmp_bytes bytes() const { return {octets.data(), octets.size()}; }
};

inline Made make(const Plugin &plugin, fmp_ctx *context, const fmp_image &image, uint64_t deadline = inOneMinute()) {
    // Not the allocator's: there are tests in which it has nothing left.
    static uint8_t space[65536];
    Made made;
    made.info.struct_size = sizeof made.info;
    fmp_buffer buffer{space, sizeof space, 0};
    made.status = plugin.table->create_template(context, &image, 1, image.role, deadline, &buffer, &made.info);
    if (buffer.len > 0) made.octets.assign(space, space + buffer.len);
    explicit_bzero(space, sizeof space);
    return made;
}

inline Made make(const Plugin &plugin, fmp_ctx *context, const Image &image, uint32_t role = FMP_ROLE_PROBE) {
    return make(plugin, context, look(image, role));
}

inline Image loaded(const std::string &path) {
    Image image;
    dlib::load_image(image, path);
    return image;
}

/// At another size, by the means of the pixels first where it becomes much smaller.
inline Image scaled(const Image &image, double factor) {
    Image from, to;
    dlib::assign_image(from, image);
    while (factor < 0.5) {
        dlib::pyramid_down<2> half;
        half(from, to);
        from.swap(to);
        factor *= 2;
    }
    to.set_size(std::max(1L, std::lround(double(from.nr()) * factor)), std::max(1L, std::lround(double(from.nc()) * factor)));
    dlib::resize_image(from, to, dlib::interpolate_bilinear());
    return to;
}

/// Puts a picture into a frame, its middle at a part of the frame's width and height; what sticks out falls away.
inline void put(const Image &image, Image &frame, double across, double down) {
    const long left = std::lround(double(frame.nc()) * across) - image.nc() / 2, top = std::lround(double(frame.nr()) * down) - image.nr() / 2;
    for (long row = std::max(0L, -top); row < image.nr() && row + top < frame.nr(); row++)
        for (long column = std::max(0L, -left); column < image.nc() && column + left < frame.nc(); column++)
            frame[row + top][column + left] = image[row][column];
}

/// A grey frame with a picture in it.
inline Image placed(const Image &image, long width, long height, double across, double down) {
    Image frame(height, width);
    dlib::assign_all_pixels(frame, dlib::rgb_pixel(128, 128, 128));
    put(image, frame, across, down);
    return frame;
}

/// A camera's frame with the picture in its middle, as large as it fits.
inline Image framed(const Image &image, long width, long height) {
    return placed(scaled(image, std::min(double(width) / double(image.nc()), double(height) / double(image.nr()))), width, height, 0.5, 0.5);
}

/// A number of this process from /proc/self/status, such as VmRSS in KiB, or Threads.
inline long processNumber(const std::string &name) {
    FILE *file = fopen("/proc/self/status", "r");
    char line[256];
    long number = -1;
    while (file != nullptr && fgets(line, sizeof line, file) != nullptr)
        if (std::string(line).rfind(name + ":", 0) == 0) number = atol(line + name.size() + 1);
    if (file != nullptr) fclose(file);
    return number;
}
