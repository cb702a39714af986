#pragma once
#include "face_plugin.h"
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

/// A picture as the tests hand it over: a binary PPM of 8 bits.
struct PPM {
    size_t width = 0, height = 0;
    std::vector<uint8_t> octets;

    explicit PPM(const std::string &path) {
        std::ifstream file(path, std::ios::binary);
        std::string magic;
        size_t most = 0;
        file >> magic >> width >> height >> most;
        file.get();
        constexpr size_t longest = 8192;
        const bool isPPM = magic == "P6" && most == 255 && width > 0 && height > 0 && width <= longest && height <= longest;
        if (!isPPM) throw std::runtime_error(path + " is no PPM");
        octets.resize(3 * width * height);
        file.read(reinterpret_cast<char *>(octets.data()), std::streamsize(octets.size()));
        if (!file) throw std::runtime_error(path + " is too short");
    }

    fmp_image image() const {
        fmp_image image{};
        image.struct_size = sizeof image;
        image.format = FMP_FMT_RGB24;
        image.width = uint32_t(width);
        image.height = uint32_t(height);
        image.stride = uint32_t(3 * width);
        image.bytes = {octets.data(), octets.size()};
        return image;
    }
};
