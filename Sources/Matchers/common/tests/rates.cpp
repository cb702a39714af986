#include "host.h"
#include <algorithm>
#include <iostream>

// Every picture of labelled folders through the plug-in, and every pair of them: what error rates are counted from
// (Tests/Peers/bench/bench_faces.py).
//   rates plug-in models folder [eye distance]
// With an eye distance each picture, scaled down to it and compressed, is the reference for all as they are.
// One line a picture:  picture <number> <person> <status> <faces> <eye distance> <yaw> <confidence> <width> <path>
// One line a pair:     pair <reference> <probe> <similarity>

/// As an issuer's small picture is: what JPEG leaves of it at quality 70.
Image compressed(const Image &image) {
    const std::string path = std::filesystem::temp_directory_path() / ("rates-" + std::to_string(getpid()) + ".jpg");
    dlib::save_jpeg(image, path, 70);
    Image result = loaded(path);
    std::filesystem::remove(path);
    return result;
}

struct Sample {
    std::string person, path;
    Image image;
    Made probe, reference;
};

/// However long it takes: a slow or emulated machine counts the same errors.
Made patient(const Plugin &plugin, fmp_ctx *context, const Image &image, uint32_t role) {
    return make(plugin, context, look(image, role), UINT64_MAX);
}

int main(int count, char **arguments) {
    if (count < 4) return 2;
    const Plugin plugin(arguments[1]);
    fmp_ctx *context;
    if (plugin.open(arguments[2], &context) != FMP_OK) return 1;
    const float wanted = count > 4 ? float(atof(arguments[4])) : 0;
    std::vector<std::string> paths;
    for (const auto &entry : std::filesystem::recursive_directory_iterator(arguments[3]))
        if (entry.is_regular_file()) paths.push_back(entry.path());
    std::sort(paths.begin(), paths.end());
    std::vector<std::unique_ptr<Sample>> samples;
    for (const auto &path : paths) {
        auto sample = std::make_unique<Sample>();
        sample->person = std::filesystem::path(path).parent_path().filename();
        sample->path = path;
        sample->image = loaded(path);
        sample->probe = patient(plugin, context, sample->image, FMP_ROLE_PROBE);
        sample->reference = sample->probe;
        if (wanted > 0 && sample->probe.status == FMP_OK) {
            sample->reference = patient(plugin, context, compressed(scaled(sample->image, wanted / sample->probe.eyeDistance())), FMP_ROLE_REFERENCE);
        }
        const auto &shown = sample->reference;
        std::cout << "picture " << samples.size() << ' ' << sample->person << ' ' << shown.status << ' ' << shown.info.faces << ' '
                  << shown.eyeDistance() << ' ' << shown.info.face.yaw << ' ' << shown.info.face.confidence << ' '
                  << sample->image.nc() << ' ' << path << '\n';
        samples.push_back(std::move(sample));
    }
    for (size_t i = 0; i < samples.size(); i++) {
        for (size_t j = 0; j < samples.size(); j++) {
            if (i == j || (wanted == 0 && j < i) || samples[i]->reference.status != FMP_OK || samples[j]->probe.status != FMP_OK) continue;
            double similarity;
            if (plugin.table->match(context, samples[j]->probe.bytes(), samples[i]->reference.bytes(), &similarity) != FMP_OK) return 1;
            std::cout << "pair " << i << ' ' << j << ' ' << similarity << '\n';
        }
    }
    plugin.table->close(context);
}
