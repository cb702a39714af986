#pragma once
#include <dlib/dnn.h>

/// The layers of dlib_face_recognition_resnet_model_v1: a 29-layer residual network with batch normalisation folded into `affine`.
/// The types have to be these, since the model file names each layer.
namespace network {
using namespace dlib;

template <int filters, int stride, typename Below>
using Pair = affine<con<filters, 3, 3, 1, 1, relu<affine<con<filters, 3, 3, stride, stride, Below>>>>>;
template <int filters, typename Below> using Same = relu<add_prev1<Pair<filters, 1, tag1<Below>>>>;
template <int filters, typename Below> using Halved = relu<add_prev2<avg_pool<2, 2, 2, 2, skip1<tag2<Pair<filters, 2, tag1<Below>>>>>>>;

template <typename Below> using Stem = max_pool<3, 3, 2, 2, relu<affine<con<32, 7, 7, 2, 2, Below>>>>;
template <typename Below> using Level32 = Same<32, Same<32, Same<32, Below>>>;
template <typename Below> using Level64 = Same<64, Same<64, Same<64, Halved<64, Below>>>>;
template <typename Below> using Level128 = Same<128, Same<128, Halved<128, Below>>>;
template <typename Below> using Level256 = Halved<256, Same<256, Same<256, Halved<256, Below>>>>;

/// A chip of 150 x 150 pixels in, 128 numbers out.
using Embedding = loss_metric<fc_no_bias<128, avg_pool_everything<Level256<Level128<Level64<Level32<Stem<input_rgb_image_sized<150>>>>>>>>>;
}
