#include "host.h"
#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>
#include <iostream>
#include <malloc.h>
#include <map>
#include <sys/resource.h>
#include <sys/wait.h>

// A plug-in as a worker meets it, on its own: check face-NAME.so models photos

namespace {
int passed = 0, failed = 0;

void check(bool holds, const std::string &what) {
    (holds ? passed : failed)++;
    if (!holds) std::cout << "FAILED: " << what << std::endl;
}

/// Runs a body in a process of its own, which may limit itself, and has `seconds` to return true.
bool alone(unsigned seconds, const std::function<bool()> &body) {
    std::cout.flush();
    const pid_t child = fork();
    if (child == 0) {
        alarm(seconds);
        _exit(body() ? 0 : 1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

void limit(__rlimit_resource resource, rlim_t most) {
    rlimit limits;
    getrlimit(resource, &limits);
    limits.rlim_cur = most;
    if (setrlimit(resource, &limits) != 0) throw std::runtime_error("setrlimit");
}
rlim_t addressSpace() { return rlim_t(processNumber("VmSize")) * 1024; }

/// Takes all memory that is left to the allocator but for some MiB.
struct Hog {
    std::vector<void *> taken;

    explicit Hog(size_t room) {
        taken.reserve(100000);
        limit(RLIMIT_AS, addressSpace());
        for (size_t size : {size_t(1) << 20, size_t(1) << 15, size_t(1) << 10})
            while (void *memory = malloc(size)) taken.push_back(memory);
        for (size_t i = 0; i < room && i < taken.size(); i++) {
            free(taken[i]);
            taken[i] = nullptr;
        }
    }
    ~Hog() {
        for (void *memory : taken) free(memory);
    }
};

constexpr rlim_t workerAddressSpace = rlim_t(512) << 20;

/// What is expected of one matcher and not of another.
struct Expected {
    std::string id;
    std::string modelNames[2];
    /// True pairs of `johns` that may be refused at a similarity of 0.75, in percent, and what another person's similarity stays below.
    int refused;
    double other;
    /// Degrees that the roll of a face that was turned by 10 may be off, and the yaw of one that was mirrored. YuNet's points follow a lean
    /// by a part only.
    float rollOff, yawOff;
    /// A clock that goes on by one at each look is looked at so often for a picture, at most.
    uint64_t looks;
    /// Faces found in the two photographs in which dlib finds none: dogs, and people who are far away.
    uint32_t dogs, farAway;
    /// Faces in a photograph of a crowd, and pixels between the eyes of one that is too small.
    uint32_t crowd;
    double tooSmall;
};

const Expected matchers[] = {
    {"dlib-resnet-v1", {"dlib_face_recognition_resnet_model_v1.dat", "shape_predictor_5_face_landmarks.dat"}, 6, 0.7, 4, 6, 12, 0, 0, 10, 20},
    {"sface-2021dec", {"face_detection_yunet_2023mar_int8bq.onnx", "face_recognition_sface_2021dec_int8bq.onnx"}, 0, 0.7, 9, 8, 700, 1, 7, 10, 14},
};

Image plain(long width, long height, uint8_t grey = 90) {
    Image image(height, width);
    dlib::assign_all_pixels(image, dlib::rgb_pixel(grey, grey, grey));
    return image;
}

struct Checks {
    const Plugin &plugin;
    const Expected &expected;
    const std::string models, photos;
    fmp_ctx *context = nullptr;

    std::string photo(const std::string &name) const { return photos + "/" + name; }
    bool has(const std::string &folder) const { return std::filesystem::is_directory(photo(folder)); }
    double similarity(const Made &probe, const Made &reference) const {
        double score = -1;
        plugin.table->match(context, probe.bytes(), reference.bytes(), &score);
        return score;
    }

    void itself() const;
    void roomToOpen() const;
    void modelFiles() const;
    void people() const;
    void johns() const;
    void scenes() const;
    void places() const;
    Image closeUp(const Image &image, double eyeDistance) const;
    void atTheGate() const;
    void nearTheLast() const;
    void unwanted() const;
    void templates() const;
    void hostilePictures() const;
    void deadlines() const;
    void contexts() const;
    void confinement() const;
    void memoryRunsOut() const;
    void forgetting() const;
    void growth() const;
};

void Checks::itself() const {
    fmp_info info{};
    info.struct_size = sizeof info;
    check(plugin.table->info(&info) == FMP_OK, "says what it is");
    check(info.id == expected.id && info.abi_major == FMP_ABI_MAJOR && info.caps == FMP_CAP_MATCH, "id, version, capabilities");
    check(strlen(info.model_sha256) == 64 && info.template_max > 0 && info.template_max <= 65536 && info.reference_min > 0, "hash and sizes");
    info.struct_size = 8;
    check(plugin.table->info(&info) == FMP_E_BAD_ARG, "does not write more than the host has room for");
    check(plugin.table->info(nullptr) == FMP_E_BAD_ARG, "has nowhere to write");
    const auto entry = reinterpret_cast<decltype(&fmp_plugin_v1)>(dlsym(plugin.library, FMP_ENTRY_NAME));
    check(entry(FMP_ABI_MAJOR + 1, 0) == nullptr, "serves no other version of the interface");
    check(plugin.table->pad == nullptr, "claims no check of life");
}

/// Before anything was opened in this process: what OpenBLAS took once it keeps.
void Checks::roomToOpen() const {
    for (rlim_t room : {1, 20, 40, 60, 100, 150, 200, 220}) {
        check(alone(60, [&] {
                  limit(RLIMIT_AS, addressSpace() + (room << 20));
                  fmp_ctx *opened = nullptr;
                  return plugin.open(models.c_str(), &opened) == FMP_E_MEMORY && opened == nullptr;
              }), std::to_string(room) + " MiB left to open in");
    }
}

void Checks::modelFiles() const {
    namespace fs = std::filesystem;
    const fs::path folder = fs::temp_directory_path() / ("check-" + expected.id + "-" + std::to_string(getpid()));
    const auto &names = expected.modelNames;
    const auto status = [&] {
        fmp_ctx *opened = nullptr;
        const fmp_status status = plugin.open(folder.c_str(), &opened);
        if (opened != nullptr) plugin.table->close(opened);
        return status;
    };
    const auto restore = [&] {
        for (const auto &name : names) fs::copy_file(fs::path(models) / name, folder / name, fs::copy_options::overwrite_existing);
    };
    check(status() == FMP_E_MODEL, "no folder");
    fs::create_directory(folder);
    check(status() == FMP_E_MODEL, "an empty folder");
    restore();
    check(status() == FMP_OK, "the models are taken");
    for (const auto &name : names) {
        const auto path = folder / name;
        const long size = long(fs::file_size(path));
        for (long place : {0L, size / 2, size - 1}) {
            restore();
            std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
            file.seekg(place);
            const int octet = file.get();
            file.seekp(place);
            file.put(char(octet ^ 1));
            file.close();
            check(status() == FMP_E_MODEL, "one bit of " + name + " at " + std::to_string(place));
        }
        restore();
        fs::resize_file(path, uintmax_t(size - 1));
        check(status() == FMP_E_MODEL, name + " is one octet short");
        fs::resize_file(path, uintmax_t(size + 1));
        check(status() == FMP_E_MODEL, name + " is one octet long");
        fs::remove(path);
        check(status() == FMP_E_MODEL, name + " is missing");
        fs::create_directory(path);
        check(status() == FMP_E_MODEL, name + " is a folder");
        fs::remove(path);
    }
    fs::copy_file(fs::path(models) / names[0], folder / names[1], fs::copy_options::overwrite_existing);
    fs::copy_file(fs::path(models) / names[1], folder / names[0], fs::copy_options::overwrite_existing);
    check(status() == FMP_E_MODEL, "the two files under each other's name");
    fs::remove_all(folder);

    fmp_ctx *opened = nullptr;
    check(plugin.open(models.c_str(), &opened, "{\"threshold\":0.1}") == FMP_E_CONFIG && opened == nullptr, "there is nothing to configure");
    check(plugin.open(models.c_str(), &opened, " { }\n") == FMP_OK, "an empty configuration");
    plugin.table->close(opened);
    check(plugin.table->open(nullptr, models.c_str(), {nullptr, 0}, &opened) == FMP_E_BAD_ARG, "no host");
    check(plugin.open(nullptr, &opened) == FMP_E_BAD_ARG, "no name of a folder");
    plugin.table->close(nullptr);
}

void Checks::people() const {
    const Made biden = make(plugin, context, loaded(photo("people/biden/biden.jpg")));
    check(biden.status == FMP_OK, "the other person");
    std::vector<Made> obama;
    for (const char *name : {"obama", "obama2", "obama3", "obama_partial_face", "obama_partial_face2"}) {
        obama.push_back(make(plugin, context, loaded(photo(std::string("people/obama/") + name + ".jpg")), FMP_ROLE_REFERENCE));
        check(obama.back().status == FMP_OK, std::string(name) + " has a template");
        check(similarity(biden, obama.back()) < expected.other, std::string(name) + " is not the other person");
        check(similarity(obama.back(), obama.back()) == 1, std::string(name) + " is itself");
    }
    for (size_t i = 0; i < obama.size(); i++)
        for (size_t j = 0; j < i; j++)
            check(similarity(obama[i], obama[j]) > 0.75, "the same person, " + std::to_string(i) + " and " + std::to_string(j));
    check(similarity(obama[0], obama[1]) == similarity(obama[1], obama[0]), "alike in both directions");
}

void Checks::johns() const {
    std::map<std::string, std::vector<Made>> people;
    for (const auto &entry : std::filesystem::recursive_directory_iterator(photo("johns"))) {
        if (!entry.is_regular_file()) continue;
        people[entry.path().parent_path().filename()].push_back(make(plugin, context, loaded(entry.path()), FMP_ROLE_REFERENCE));
    }
    int genuine = 0, refused = 0, impostors = 0, accepted = 0;
    for (const auto &[person, ones] : people)
        for (const auto &[other, others] : people)
            for (const auto &a : ones)
                for (const auto &b : others) {
                    if (&a >= &b && person == other) continue;
                    const bool isAccepted = similarity(a, b) >= 0.75;
                    if (person == other) genuine++, refused += !isAccepted;
                    else impostors++, accepted += isAccepted;
                }
    check(genuine == 275 && impostors == 2 * 1210, "five people, eleven pictures each");
    check(accepted == 0, "nobody is taken for another");
    check(refused * 100 <= genuine * expected.refused, "true pairs that are refused: " + std::to_string(refused) + " of " + std::to_string(genuine));
}

void Checks::scenes() const {
    const std::pair<const char *, uint32_t> pictures[] = {{"dogs", expected.dogs}, {"2007_007763", expected.farAway}};
    for (const auto &[name, faces] : pictures) {
        const Made made = make(plugin, context, loaded(photo(std::string("scenes/") + name + ".jpg")));
        check(made.info.faces == faces, std::string(name) + " shows " + std::to_string(faces) + " faces: " + std::to_string(made.info.faces));
        check(made.status == (faces == 0 ? FMP_E_NO_FACE : FMP_OK) && made.octets.empty() == (faces == 0), std::string(name) + " and says so");
    }
    const Made crowd = make(plugin, context, loaded(photo("scenes/bald_guys.jpg")));
    check(crowd.status == FMP_OK && crowd.info.faces > expected.crowd, "a crowd is counted");
    check(crowd.info.second_area > 0.1f && crowd.info.second_area <= 1 && (crowd.info.quality_flags & FMP_Q_MULTIPLE) != 0, "and compared");
    const fmp_face &face = crowd.info.face;
    for (const float *eye : {face.eye_l, face.eye_r})
        check(eye[0] > face.x && eye[0] < face.x + face.w && eye[1] > face.y && eye[1] < face.y + face.h, "by the eyes of the largest");
}

void Checks::places() const {
    const Image image = loaded(photo("people/obama/obama.jpg"));
    const Made made = make(plugin, context, image);
    const fmp_face &face = made.info.face;
    check(made.info.faces == 1 && made.info.second_area == 0 && made.info.struct_size == sizeof made.info, "one face");
    check(std::isnan(made.info.quality) && std::isnan(made.info.pad_score) && std::isnan(face.pitch), "what is not measured is said not to be");
    for (const float *eye : {face.eye_l, face.eye_r})
        check(eye[0] > face.x && eye[0] < face.x + face.w && eye[1] > face.y && eye[1] < face.y + face.h / 2,
              "the eyes are in the upper half of the face");
    check(face.eye_l[0] < face.eye_r[0] && std::abs(face.roll) < 15 && std::abs(face.yaw) < 20 && face.confidence > 0, "upright, from the front");
    check(face.x >= 0 && face.y >= 0 && face.x + face.w <= float(image.nc()) && face.y + face.h <= float(image.nr()), "within the picture");

    Image mirrored;
    dlib::flip_image_left_right(image, mirrored);
    const Made mirror = make(plugin, context, mirrored);
    check(std::abs(mirror.info.face.yaw + face.yaw) < expected.yawOff && std::abs(mirror.info.face.roll + face.roll) < 4,
          "a mirrored face is turned the other way");
    Image turned;
    dlib::rotate_image(image, turned, -10 * 3.14159265 / 180);
    const Made tilted = make(plugin, context, turned);
    check(std::abs(tilted.info.face.roll - face.roll - 10) < expected.rollOff, "a face tilted by 10 degrees to the right");

    const Image large = scaled(image, 2.5);
    const Made larger = make(plugin, context, large);
    check(std::abs(larger.eyeDistance() / made.eyeDistance() - 2.5f) < 0.15f && similarity(larger, made) > 0.85,
          "searched smaller, told in its own pixels");
    const Image tiny = scaled(image, 32 / made.eyeDistance());
    const Made asReference = make(plugin, context, tiny, FMP_ROLE_REFERENCE);
    check(std::abs(asReference.eyeDistance() - 32) < 3 && similarity(made, asReference) > 0.75, "searched larger, told in its own pixels");
    const Image tinier = scaled(image, expected.tooSmall / made.eyeDistance());
    check(make(plugin, context, tinier, FMP_ROLE_REFERENCE).info.quality_flags == FMP_Q_SMALL, "too small, and says so");

    // The same pixels with room between the rows, and filled with what is no picture.
    std::vector<uint8_t> wide(size_t(image.nr()) * size_t(3 * image.nc() + 61), 0xAA);
    for (long row = 0; row < image.nr(); row++) memcpy(wide.data() + row * (3 * image.nc() + 61), &image[row][0], size_t(3 * image.nc()));
    fmp_image strided = look(image, FMP_ROLE_PROBE);
    strided.stride += 61;
    strided.bytes = {wide.data(), wide.size()};
    check(make(plugin, context, strided).octets == made.octets, "octets between the rows do not matter");
}

/// A picture's face and as much again to each side, with so many pixels between the eyes; empty where no face is found.
Image Checks::closeUp(const Image &image, double eyeDistance) const {
    const Made made = make(plugin, context, image, FMP_ROLE_REFERENCE);
    Image part;
    if (!(made.eyeDistance() > 0)) return part;
    const dlib::rectangle box(long(made.info.face.x), long(made.info.face.y), long(made.info.face.x + made.info.face.w), long(made.info.face.y + made.info.face.h));
    dlib::assign_image(part, dlib::sub_image(image, dlib::grow_rect(box, long(box.width())).intersect(dlib::get_rect(image))));
    return scaled(part, eyeDistance / made.eyeDistance());
}

/// Every face that the gate wants to see: 60 pixels between the eyes in a camera's frame.
void Checks::atTheGate() const {
    int shown = 0, found = 0;
    for (const char *folder : {"people", "johns"}) {
        if (!has(folder)) continue;
        for (const auto &entry : std::filesystem::recursive_directory_iterator(photo(folder))) {
            if (!entry.is_regular_file()) continue;
            const Image face = closeUp(loaded(entry.path()), 60.5);
            if (face.size() == 0) continue;
            shown++;
            const Made made = make(plugin, context, placed(face, 640, 480, 0.5, 0.5));
            found += made.status == FMP_OK && made.info.faces == 1;
        }
    }
    check(shown > 0 && found == shown, "60 pixels between the eyes: " + std::to_string(found) + " of " + std::to_string(shown) + " found");

    // Who calibrates, or an older host, does not say how small a face may be.
    const Image small = placed(closeUp(loaded(photo("people/obama/obama.jpg")), 42), 640, 480, 0.5, 0.5);
    Plugin other = plugin;
    other.host.eye_distance = 0;
    fmp_ctx *unasked = nullptr;
    check(other.open(models.c_str(), &unasked) == FMP_OK, "a host that does not say how small a face may be");
    const Made made = make(other, unasked, small);
    check(made.status == FMP_OK && made.info.faces == 1 && std::abs(made.eyeDistance() - 42) < 5, "has smaller ones found");
    other.table->close(unasked);
}

/// The picture's face is searched where it was; what that could miss is found within a second.
void Checks::nearTheLast() const {
    const Image one = closeUp(loaded(photo("people/obama/obama.jpg")), 60.5), other = closeUp(loaded(photo("people/biden/biden.jpg")), 60.5);
    const auto shown = [&](const Image &frame, uint64_t milliseconds) {
        fmp_image probe = look(frame, FMP_ROLE_PROBE);
        probe.capture_ns = 1000000000000 + milliseconds * 1000000;
        return make(plugin, context, probe);
    };
    const Image left = placed(one, 1280, 720, 0.25, 0.5), right = placed(one, 1280, 720, 0.75, 0.5);
    Image both = placed(one, 1280, 720, 0.25, 0.5);
    put(other, both, 0.75, 0.5);

    const Made first = shown(left, 0), second = shown(left, 200);
    check(first.status == FMP_OK && second.status == FMP_OK && second.info.faces == 1, "found once more near its place");
    check(similarity(first, second) > 0.95 && std::abs(second.info.face.x - first.info.face.x) < first.info.face.w / 8, "and much the same");
    const Made moved = shown(right, 400);
    check(moved.status == FMP_OK && moved.info.face.x > 640, "who went elsewhere is found there");
    check(shown(plain(1280, 720), 600).status == FMP_E_NO_FACE, "who went away is gone");
    shown(left, 800);
    const Made joined = shown(both, 1800);
    check(joined.info.faces == 2 && joined.info.second_area > 0.3f, "somebody else is seen after a second at the latest");
    check(shown(both, 1900).info.faces == 2, "and stays seen");
    shown(left, 5000);
    check(shown(both, 4000).info.faces == 2, "a frame from before says nothing of where to look");
    check(make(plugin, context, both).info.faces == 2, "nor does one of unknown time");
    shown(left, 7000);
    make(plugin, context, one, FMP_ROLE_REFERENCE);
    check(shown(both, 7100).info.faces == 2, "nor what was seen before another visitor's portrait");
}

int32_t refuse(void *host, const fmp_frame_info *found) {
    static_cast<std::vector<fmp_frame_info> *>(host)->push_back(*found);
    return 0;
}

void Checks::unwanted() const {
    std::vector<fmp_frame_info> asked;
    Plugin other = plugin;
    other.host.host = &asked;
    other.host.wanted = refuse;
    fmp_ctx *choosy = nullptr;
    check(other.open(models.c_str(), &choosy) == FMP_OK, "a host that wants no template");
    const Image image = loaded(photo("people/obama/obama.jpg"));
    const Made probe = make(other, choosy, image);
    check(probe.status == FMP_E_QUALITY && probe.octets.empty() && probe.info.faces == 1 && probe.eyeDistance() > 0, "gets what was found alone");
    check(asked.size() == 1 && asked[0].faces == 1 && asked[0].face.w == probe.info.face.w, "and was asked with it");
    check(make(other, choosy, image, FMP_ROLE_REFERENCE).status == FMP_OK && asked.size() == 1, "is not asked about a reference");
    other.table->close(choosy);

    Plugin older = plugin;
    older.host.struct_size = FMP_HOST_SIZE_MINOR_0;
    older.host.wanted = refuse;
    check(older.open(models.c_str(), &choosy) == FMP_OK && make(older, choosy, image).status == FMP_OK, "an older host is asked nothing");
    older.table->close(choosy);
    older.host.struct_size = FMP_HOST_SIZE_MINOR_0 - 1;
    check(older.open(models.c_str(), &choosy) == FMP_E_BAD_ARG, "a host without a clock");
}

void Checks::templates() const {
    const Made made = make(plugin, context, loaded(photo("people/biden/biden.jpg")));
    double score = 0;
    const auto status = [&](std::vector<uint8_t> octets) {
        score = 0;
        const fmp_bytes bytes{octets.data(), octets.size()};
        const fmp_status first = plugin.table->match(context, made.bytes(), bytes, &score);
        const bool isError = score == -1;
        score = 0;
        const fmp_status second = plugin.table->match(context, bytes, made.bytes(), &score);
        return isError && score == -1 && first == second ? first : FMP_OK;
    };
    check(status({}) == FMP_E_TEMPLATE, "no template");
    check(status(std::vector<uint8_t>(made.octets.size(), 0)) == FMP_E_TEMPLATE, "a template of zeros");
    check(status(std::vector<uint8_t>(made.octets.size(), 0xff)) == FMP_E_TEMPLATE, "a template of ones");
    for (size_t length = 0; length < made.octets.size(); length++)
        check(status({made.octets.begin(), made.octets.begin() + long(length)}) == FMP_E_TEMPLATE, "cut at " + std::to_string(length));
    auto longer = made.octets;
    longer.push_back(0);
    check(status(longer) == FMP_E_TEMPLATE, "one octet more");
    for (size_t i = 0; i < 16; i++) {
        auto other = made.octets;
        other[i] ^= 1;
        check(status(other) == FMP_E_TEMPLATE, "another name or model, octet " + std::to_string(i));
    }
    for (float number : {NAN, INFINITY, -INFINITY, 1e30f, 100.0f}) {
        auto other = made.octets;
        memcpy(other.data() + 16 + 4 * 77, &number, 4);
        check(status(other) == FMP_E_TEMPLATE, "a number that cannot be");
    }
    auto empty = made.octets;
    std::fill(empty.begin() + 16, empty.end(), 0);
    check(status(empty) == FMP_E_TEMPLATE, "no numbers");
    check(plugin.table->match(context, {nullptr, 528}, made.bytes(), &score) == FMP_E_TEMPLATE, "no octets");
    check(plugin.table->match(nullptr, made.bytes(), made.bytes(), &score) == FMP_E_BAD_ARG, "no context");
    check(plugin.table->match(context, made.bytes(), made.bytes(), nullptr) == FMP_E_BAD_ARG, "nowhere to put the score");
}

void Checks::hostilePictures() const {
    const long sides[][2] = {{1, 1},   {2, 2},   {1, 8192}, {8192, 1}, {7, 8192}, {8192, 9},  {8192, 47},  {39, 39},    {40, 40},
                             {41, 40}, {80, 80}, {400, 40}, {40, 400}, {799, 3},  {1280, 41}, {1281, 79}, {8192, 400}, {2561, 2561}};
    for (const auto &side : sides)
        for (uint32_t role : {FMP_ROLE_REFERENCE, FMP_ROLE_PROBE}) {
            const Made made = make(plugin, context, plain(side[0], side[1]), role);
            check(made.status == FMP_E_NO_FACE && made.octets.empty(), std::to_string(side[0]) + " x " + std::to_string(side[1]));
        }
    // Noise is all edges, stripes are all one; neither may take it anywhere.
    Image noise = plain(640, 480);
    uint32_t state = 1;
    for (long row = 0; row < noise.nr(); row++)
        for (long column = 0; column < noise.nc(); column++) {
            state = state * 1664525 + 1013904223;
            noise[row][column] = dlib::rgb_pixel(uint8_t(state >> 24), uint8_t(state >> 16), uint8_t(state >> 8));
        }
    check(make(plugin, context, noise).status == FMP_E_NO_FACE, "noise");
    for (long row = 0; row < noise.nr(); row++)
        for (long column = 0; column < noise.nc(); column++) {
            const auto value = uint8_t(column % 2 * 255);
            noise[row][column] = dlib::rgb_pixel(value, value, value);
        }
    check(make(plugin, context, noise).status == FMP_E_NO_FACE, "stripes");

    const Image image = plain(64, 64);
    const auto status = [&](const std::function<void(fmp_image &)> &change) {
        fmp_image changed = look(image, FMP_ROLE_PROBE);
        change(changed);
        return make(plugin, context, changed).status;
    };
    check(status([](fmp_image &it) { it.format = FMP_FMT_JPEG; }) == FMP_E_REFUSED_INPUT, "another format");
    check(status([](fmp_image &it) { it.width = 0; }) == FMP_E_REFUSED_INPUT, "no width");
    check(status([](fmp_image &it) { it.height = 0; }) == FMP_E_REFUSED_INPUT, "no height");
    check(status([](fmp_image &it) { it.width = 8193; }) == FMP_E_REFUSED_INPUT, "too wide");
    check(status([](fmp_image &it) { it.width = UINT32_MAX; }) == FMP_E_REFUSED_INPUT, "far too wide");
    check(status([](fmp_image &it) { it.width = 0x55555556; it.stride = 2; }) == FMP_E_REFUSED_INPUT, "a width that overflows");
    check(status([](fmp_image &it) { it.height = UINT32_MAX; }) == FMP_E_REFUSED_INPUT, "far too high");
    check(status([](fmp_image &it) { it.stride = 3 * 64 - 1; }) == FMP_E_REFUSED_INPUT, "rows that overlap");
    check(status([](fmp_image &it) { it.stride = UINT32_MAX; }) == FMP_E_REFUSED_INPUT, "rows longer than the octets");
    check(status([](fmp_image &it) { it.stride = 0; }) == FMP_E_REFUSED_INPUT, "no stride");
    check(status([](fmp_image &it) { it.bytes.len -= 1; }) == FMP_E_REFUSED_INPUT, "one octet too few");
    check(status([](fmp_image &it) { it.bytes.data = nullptr; }) == FMP_E_REFUSED_INPUT, "no octets");
    check(status([](fmp_image &it) { it.struct_size = 16; }) == FMP_E_BAD_ARG, "an older picture");
    check(status([](fmp_image &it) { it.role = 7; }) == FMP_E_BAD_ARG, "no such role");

    fmp_image one = look(image, FMP_ROLE_PROBE);
    fmp_frame_info info{};
    uint8_t octets[8];
    fmp_buffer small{octets, sizeof octets, 0};
    const auto call = [&](fmp_ctx *it, const fmp_image *images, uint32_t count, fmp_buffer *buffer, fmp_frame_info *infos) {
        return plugin.table->create_template(it, images, count, FMP_ROLE_PROBE, inOneMinute(), buffer, infos);
    };
    check(call(context, &one, 1, &small, &info) == FMP_E_BAD_ARG, "an info without a size");
    info.struct_size = sizeof info;
    for (uint32_t count : {0u, 17u}) check(call(context, &one, count, &small, &info) == FMP_E_BAD_ARG, std::to_string(count) + " pictures");
    check(call(nullptr, &one, 1, &small, &info) == FMP_E_BAD_ARG, "no context to work with");
    check(call(context, nullptr, 1, &small, &info) == FMP_E_BAD_ARG, "no picture to work with");
    check(call(context, &one, 1, nullptr, &info) == FMP_E_BAD_ARG && call(context, &one, 1, &small, nullptr) == FMP_E_BAD_ARG, "nowhere to put it");
    const Image face = loaded(photo("people/obama/obama.jpg"));
    one = look(face, FMP_ROLE_PROBE);
    check(call(context, &one, 1, &small, &info) == FMP_E_BAD_ARG && small.len == 0, "a buffer that is too small");
}

uint64_t ticks = 0;

void Checks::deadlines() const {
    const Image image = loaded(photo("people/obama/obama.jpg"));
    const Made late = make(plugin, context, look(image, FMP_ROLE_PROBE), 1);
    check(late.status == FMP_E_TIMEOUT && late.octets.empty(), "the deadline has passed");

    // A clock that goes on by one whenever it is looked at meets the deadline between any two steps.
    Plugin other = plugin;
    other.host.now_ns = [](void *) { return ++ticks; };
    fmp_ctx *clocked = nullptr;
    check(other.open(models.c_str(), &clocked) == FMP_OK, "another clock");
    bool isMonotonic = true, wasMade = false;
    for (uint64_t steps = 1; steps <= expected.looks; steps += std::max<uint64_t>(1, expected.looks / 100)) {
        ticks = 0;
        const Made made = make(other, clocked, look(image, FMP_ROLE_PROBE), steps);
        isMonotonic = isMonotonic && (made.status == FMP_OK || (made.status == FMP_E_TIMEOUT && made.octets.empty() && !wasMade));
        wasMade = wasMade || made.status == FMP_OK;
    }
    check(isMonotonic && wasMade, "a deadline between the steps");
    plugin.table->close(clocked);

    other.host.now_ns = now;
    other.host.cancelled = [](void *) { return 1; };
    check(other.open(models.c_str(), &clocked) == FMP_OK && make(other, clocked, image).status == FMP_E_CANCELLED, "called off");
    plugin.table->close(clocked);
}

void Checks::contexts() const {
    fmp_ctx *second = nullptr;
    check(plugin.open(models.c_str(), &second) == FMP_OK, "a second context");
    const Image obama = loaded(photo("people/obama/obama.jpg")), biden = loaded(photo("people/biden/biden.jpg"));
    const Made first = make(plugin, context, obama);
    const Made between = make(plugin, context, biden);
    check(make(plugin, second, obama).octets == first.octets, "makes the same of the same picture");
    plugin.table->close(second);
    check(make(plugin, context, obama).octets == first.octets && between.octets != first.octets, "does not remember the picture before");

    const fmp_image pictures[] = {look(obama, FMP_ROLE_PROBE), look(obama, FMP_ROLE_PROBE)};
    fmp_frame_info infos[2]{};
    infos[0].struct_size = infos[1].struct_size = sizeof infos[0];
    std::vector<uint8_t> octets(65536);
    fmp_buffer buffer{octets.data(), octets.size(), 0};
    check(plugin.table->create_template(context, pictures, 2, FMP_ROLE_PROBE, inOneMinute(), &buffer, infos) == FMP_OK, "two pictures of one person");
    octets.resize(buffer.len);
    check(octets == first.octets && infos[1].faces == 1, "twice the same is the same");
}

void Checks::confinement() const {
    check(processNumber("Threads") == 1, "no thread was made");
    const Image image = loaded(photo("people/obama/obama.jpg"));
    check(alone(60, [&] {
              limit(RLIMIT_NOFILE, 0);
              limit(RLIMIT_FSIZE, 0);
              return make(plugin, context, image).status == FMP_OK && processNumber("Threads") < 2;
          }), "opens nothing once it is open");
}

void Checks::memoryRunsOut() const {
    const Image image = framed(loaded(photo("people/obama/obama.jpg")), 2400, 2400);
    for (size_t room : {0, 1, 2, 4, 8, 16, 32}) {
        check(alone(60, [&] {
                  const Hog hog(room);
                  const Made made = make(plugin, context, image);
                  limit(RLIMIT_AS, workerAddressSpace);
                  const bool isNamed = made.status == FMP_OK || (made.status == FMP_E_MEMORY && made.octets.empty());
                  return isNamed && (room > 0 || made.status == FMP_E_MEMORY) && make(plugin, context, image).status == FMP_OK;
              }), std::to_string(room) + " MiB left for a picture, and then enough again");
    }
}

/// How often octets are found in the writable memory of this process. The octets are given inverted, so as not to find themselves.
int occurrences(const std::vector<uint8_t> &inverted) {
    std::ifstream maps("/proc/self/maps");
    std::string line;
    int count = 0;
    while (std::getline(maps, line)) {
        unsigned long start, end;
        char access[5];
        if (sscanf(line.c_str(), "%lx-%lx %4s", &start, &end, access) != 3 || access[0] != 'r' || access[1] != 'w') continue;
        const auto *octets = reinterpret_cast<const uint8_t *>(start);
        for (size_t i = 0; i + inverted.size() <= end - start; i++) {
            size_t same = 0;
            while (same < inverted.size() && octets[i + same] == uint8_t(~inverted[same])) same++;
            if (same == inverted.size()) count++;
        }
    }
    return count;
}

void Checks::forgetting() const {
    // A template that no check before has seen.
    Made made = make(plugin, context, scaled(loaded(photo("people/obama/obama.jpg")), 0.9));
    double score;
    plugin.table->match(context, made.bytes(), made.bytes(), &score);
    std::vector<uint8_t> inverted;
    for (size_t i = 0; i < 24; i++) inverted.push_back(uint8_t(~made.octets[16 + 4 * 40 + i]));
    check(occurrences(inverted) == 1, "the host has the only copy of a template");
    explicit_bzero(made.octets.data(), made.octets.size());
    check(occurrences(inverted) == 0, "and none is left when it is gone");
}

void Checks::growth() const {
    const Image face = framed(loaded(photo("people/obama/obama.jpg")), 320, 240), nobody = plain(320, 240);
    const Image small = scaled(face, 0.5);
    const auto round = [&](int calls) {
        for (int i = 0; i < calls; i++) {
            if (i % 4 == 0) make(plugin, context, nobody);
            else if (i % 10 == 1) make(plugin, context, small, FMP_ROLE_REFERENCE);
            else make(plugin, context, face);
        }
        return processNumber("VmRSS");
    };
    const long before = round(100), spaceBefore = processNumber("VmSize");
    const long after = round(1000), spaceAfter = processNumber("VmSize");
    check(after - before <= 1024 && spaceAfter - spaceBefore <= 1024,
          "1,000 calls: from " + std::to_string(before) + " to " + std::to_string(after) + " KiB");
    std::cout << "1,000 calls: resident from " << before << " to " << after << " KiB, address space from " << spaceBefore << " to " << spaceAfter
              << " KiB" << std::endl;
}
}

int main(int count, char **arguments) {
    if (count != 4) return 2;
    // What the worker gives it.
    limit(RLIMIT_AS, workerAddressSpace);
    const Plugin plugin(arguments[1]);
    fmp_info info{};
    info.struct_size = sizeof info;
    plugin.table->info(&info);
    const Expected *expected = std::find_if(std::begin(matchers), std::end(matchers), [&](const Expected &one) { return one.id == info.id; });
    if (expected == std::end(matchers)) return 2;
    Checks checks{plugin, *expected, arguments[2], arguments[3]};
    checks.itself();
    checks.roomToOpen();
    checks.modelFiles();
    check(plugin.open(arguments[2], &checks.context) == FMP_OK, "opens");
    if (checks.context == nullptr) return 1;
    checks.people();
    if (checks.has("johns") && checks.has("scenes")) {
        checks.johns();
        checks.scenes();
    } else {
        std::cout << "skipped: what needs the pictures from Debian's source package" << std::endl;
    }
    checks.places();
    checks.atTheGate();
    checks.nearTheLast();
    checks.unwanted();
    checks.templates();
    checks.hostilePictures();
    checks.deadlines();
    checks.contexts();
    checks.confinement();
    checks.memoryRunsOut();
    checks.forgetting();
    checks.growth();
    plugin.table->close(checks.context);
    std::cout << passed << " passed, " << failed << " failed" << std::endl;
    return failed == 0 ? 0 : 1;
}
