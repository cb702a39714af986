#pragma once
#include "network.h"
#include "onnx.h"

/// The network that a graph describes. Throws `Failure`: FMP_E_MODEL for one that has other operators, or the known ones otherwise than the
/// two models have them.
Network translated(const onnx::Graph &graph);
