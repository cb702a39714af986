#include "matcher.h"
#include "template.h"
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <new>
#include <sys/mman.h>

struct fmp_ctx {
    fmp_host host;
    std::unique_ptr<Matcher> matcher;
};

namespace {
/// Runs a call and turns what it throws into a code.
template <typename Call> fmp_status contained(Call call) noexcept {
    try {
        call();
        return FMP_OK;
    } catch (const Failure &failure) {
        return failure.status;
    } catch (const std::bad_alloc &) {
        return FMP_E_MEMORY;
    } catch (...) {
        return FMP_E_VENDOR;
    }
}

/// OpenBLAS asks for its work memory again and again without end where it gets none: the room has to be there before it is called. It keeps
/// what it gets.
bool blasHasMemory = false;

void checkRoom() {
    constexpr size_t room = size_t(224) << 20;
    if (blasHasMemory) return;
    void *memory = mmap(nullptr, room, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) throw Failure{FMP_E_MEMORY};
    munmap(memory, room);
}

/// There is nothing to configure: no octets, or an empty object.
bool isEmpty(fmp_bytes json) {
    std::string text;
    for (size_t i = 0; i < json.len; i++)
        if (std::strchr(" \t\r\n", json.data[i]) == nullptr || json.data[i] == 0) text += char(json.data[i]);
    return text.empty() || text == "{}";
}

fmp_status info(fmp_info *out) {
    if (out == nullptr || out->struct_size < sizeof(fmp_info)) return FMP_E_BAD_ARG;
    const uint32_t size = out->struct_size;
    *out = fmp_info{};
    out->struct_size = size;
    out->abi_major = FMP_ABI_MAJOR;
    out->abi_minor = FMP_ABI_MINOR;
    out->caps = FMP_CAP_MATCH;
    out->template_max = facetemplate::length;
    out->reference_min = Matcher::identity.leastEyeDistance;
    out->id = Matcher::identity.id;
    out->version = Matcher::identity.version;
    out->vendor = Matcher::identity.vendor;
    out->licence = Matcher::identity.licence;
    out->algorithm = Matcher::identity.algorithm;
    out->model_sha256 = Matcher::identity.modelDigest;
    for (double &score : out->fmr_score) score = std::numeric_limits<double>::quiet_NaN();
    return FMP_OK;
}

fmp_status openMatcher(const fmp_host *host, const char *folder, fmp_bytes configuration, fmp_ctx **out) {
    if (out == nullptr) return FMP_E_BAD_ARG;
    *out = nullptr;
    if (host == nullptr || host->struct_size < FMP_HOST_SIZE_MINOR_0 || host->now_ns == nullptr || folder == nullptr) return FMP_E_BAD_ARG;
    if (configuration.len > 0 && configuration.data == nullptr) return FMP_E_BAD_ARG;
    return contained([&] {
        if (configuration.len > 4096 || !isEmpty(configuration)) throw Failure{FMP_E_CONFIG};
        checkRoom();
        // An older host's is shorter.
        fmp_host known{};
        std::memcpy(&known, host, std::min<size_t>(host->struct_size, sizeof known));
        *out = new fmp_ctx{known, Matcher::open(known, folder)};
        blasHasMemory = true;
    });
}

void closeMatcher(fmp_ctx *context) { delete context; }

fmp_status createTemplate(
    fmp_ctx *context, const fmp_image *images, uint32_t count, uint32_t role, uint64_t deadline, fmp_buffer *buffer, fmp_frame_info *infos) {
    constexpr uint32_t most = 16;
    if (context == nullptr || images == nullptr || buffer == nullptr || infos == nullptr || count < 1 || count > most) return FMP_E_BAD_ARG;
    if (role != FMP_ROLE_REFERENCE && role != FMP_ROLE_PROBE) return FMP_E_BAD_ARG;
    buffer->len = 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t size = infos[i].struct_size;
        if (size < sizeof(fmp_frame_info)) return FMP_E_BAD_ARG;
        infos[i] = fmp_frame_info{};
        infos[i].struct_size = size;
        infos[i].quality = infos[i].pad_score = std::numeric_limits<float>::quiet_NaN();
        infos[i].face.yaw = infos[i].face.pitch = infos[i].face.roll = std::numeric_limits<float>::quiet_NaN();
    }
    return contained([&] {
        context->matcher->createTemplate(images, count, role == FMP_ROLE_REFERENCE, Limits{context->host, deadline}, *buffer, infos);
    });
}

fmp_status match(fmp_ctx *context, fmp_bytes probe, fmp_bytes reference, double *result) {
    if (result == nullptr) return FMP_E_BAD_ARG;
    *result = -1;
    if (context == nullptr) return FMP_E_BAD_ARG;
    return contained([&] { *result = Matcher::similarity(facetemplate::read(probe), facetemplate::read(reference)); });
}

const fmp_vtable table = {sizeof(fmp_vtable), info, openMatcher, closeMatcher, createTemplate, match, nullptr};
}

extern "C" __attribute__((visibility("default"))) const fmp_vtable *fmp_plugin_v1(uint32_t major, uint32_t) {
    return major == FMP_ABI_MAJOR ? &table : nullptr;
}
