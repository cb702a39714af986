#include "../sfacematcher.h"
#include "ppm.h"
#include <cstdio>
#include <cstring>

// All that the matcher finds, for the comparison with OpenCV (compare.py): more than the interface says.
//   look-sface MODELS probe|reference PICTURE.ppm...
// For each picture a line `picture PATH`, for each face, the largest first, a line `face x y w h score` and ten numbers of its points, and
// for the largest a line `embedding` with 128 numbers, as OpenCV makes it, and a line `template`, of the points of a close-up.

int main(int count, char **arguments) {
    if (count < 4) return 2;
    const fmp_host host{sizeof(fmp_host), nullptr, nullptr, nullptr, [](void *) -> uint64_t { return 0; }, 0, nullptr};
    const Limits limits{host, UINT64_MAX};
    const bool isReference = std::strcmp(arguments[2], "reference") == 0;
    Models models(arguments[1]);
    Embedder embedder(Models(arguments[1]).embedder);
    SFaceMatcher matcher(std::move(models));
    for (int i = 3; i < count; i++) {
        const PPM ppm(arguments[i]);
        const Picture picture(ppm.image());
        std::printf("picture %s\n", arguments[i]);
        const auto faces = matcher.faces(picture, isReference, limits);
        for (const FoundFace &face : faces) {
            std::printf("face %.4f %.4f %.4f %.4f %.6f", face.x, face.y, face.width, face.height, face.score);
            for (const Point &point : face.points) std::printf(" %.4f %.4f", point.x, point.y);
            std::printf("\n");
        }
        if (faces.empty()) continue;
        const FoundFace again = matcher.lookedAtAgain(picture, faces[0], limits);
        const std::pair<const char *, FoundFace> looks[] = {{"embedding", faces[0]}, {"template", again}};
        for (const auto &[word, face] : looks) {
            std::printf("%s", word);
            for (float number : embedder.embedding(picture, face.points, limits)) std::printf(" %.7g", double(number));
            std::printf("\n");
        }
    }
}
