#include "picture.h"
#include "failure.h"

Picture::Picture(const fmp_image &image) : octets(image.bytes.data), width(image.width), height(image.height), stride(image.stride) {
    constexpr uint32_t longest = 8192;
    if (image.struct_size < sizeof(fmp_image)) throw Failure{FMP_E_BAD_ARG};
    if (image.format != FMP_FMT_RGB24 || octets == nullptr) throw Failure{FMP_E_REFUSED_INPUT};
    if (image.width < 1 || image.width > longest || image.height < 1 || image.height > longest) throw Failure{FMP_E_REFUSED_INPUT};
    if (image.stride < 3 * image.width || image.bytes.len / image.stride < image.height) throw Failure{FMP_E_REFUSED_INPUT};
}
