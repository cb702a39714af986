#pragma once
#include "modelfile.h"

/// SHA-256 of the two files one after the other, the network first. `make models` fetches them.
constexpr char modelDigest[] = "b07578e076b45393750962187fb798ba127f6622ab75c3f69e0002d45ae4407a";

/// The octets of the model files: exactly those that were pinned.
struct Models {
    ModelFile network, points;

    /// Reads both files of a folder and compares them with what was pinned. What is parsed later are the octets that were compared.
    /// Throws `Failure`: FMP_E_MODEL where a file is missing, has another length or other content.
    explicit Models(const std::string &folder);
};
