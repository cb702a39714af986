#pragma once
#include "embedding.h"
#include "limits.h"
#include "picture.h"
#include <memory>
#include <string>

/// What a matcher says of itself, and how its templates begin.
struct Identity {
    const char *id, *version, *vendor, *licence, *algorithm;
    /// SHA-256 over all its models.
    const char *modelDigest;
    /// Seven characters and the zero at their end.
    const char *templateName;
    /// Pixels between the eyes of a reference that can be relied on.
    uint32_t leastEyeDistance;
};

/// One open plug-in: what differs from matcher to matcher. Each defines the static members. All throw `Failure` and errors of memory.
class Matcher {
public:
    static const Identity identity;
    /// Reads the models, and makes all that is made once.
    static std::unique_ptr<Matcher> open(const fmp_host &host, const std::string &folder);
    /// 0 to 1, of two embeddings that templates held.
    static double similarity(const Embedding &one, const Embedding &other);

    virtual ~Matcher() = default;

    /// The mean of the largest faces of n pictures, of those that show one.
    void createTemplate(
        const fmp_image *images, uint32_t count, bool isReference, const Limits &limits, fmp_buffer &buffer, fmp_frame_info *infos);

protected:
    /// Of the largest face; says in `info` what was found. Throws FMP_E_NO_FACE.
    virtual Embedding embedding(const fmp_image &image, bool isReference, const Limits &limits, fmp_frame_info &info) = 0;
    /// The flags that follow from the faces and the largest one's eyes.
    static void addFlags(fmp_frame_info &info);
};
