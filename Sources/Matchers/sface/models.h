#pragma once
#include "modelfile.h"
#include "network.h"

/// SHA-256 of the two files one after the other, the detector first. `make models` fetches them.
constexpr char modelDigest[] = "2e8284dd78ab49c4346626810f00dc48c0f1318dfb8312295c0781ed1989c0fc";

/// The networks of the model files: exactly those that were pinned.
struct Models {
    Network detector, embedder;

    /// Reads both files of a folder and compares them with what was pinned. What is parsed are the octets that were compared.
    /// Throws `Failure`: FMP_E_MODEL where a file is missing, has another length or other content.
    explicit Models(const std::string &folder);
};
