#include "models.h"

Models::Models(const std::string &folder)
    : network(folder + "/dlib_face_recognition_resnet_model_v1.dat", 22466066), points(folder + "/shape_predictor_5_face_landmarks.dat", 9150489) {
    checkDigest(network, points, modelDigest);
}
