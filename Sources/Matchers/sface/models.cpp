#include "models.h"
#include "onnx.h"
#include "translation.h"

Models::Models(const std::string &folder) {
    const ModelFile yunet(folder + "/face_detection_yunet_2023mar_int8bq.onnx", 122489);
    const ModelFile sface(folder + "/face_recognition_sface_2021dec_int8bq.onnx", 10667852);
    checkDigest(yunet, sface, modelDigest);
    detector = translated(onnx::graph({yunet.octets, yunet.length}));
    embedder = translated(onnx::graph({sface.octets, sface.length}));
}
