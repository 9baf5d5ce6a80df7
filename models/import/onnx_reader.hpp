// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/dnn/builder.hpp"

#include <map>
#include <string>
#include <vector>

namespace trainyard {

/// A network from an ONNX file, and operators that have no flop rule (with how often they occur).
struct OnnxDnn {
  Dnn dnn;
  std::map<std::string, int> without_rule;
  int batch = 1;                  // samples of a pass of the file; what the layers cost is that of one
  std::vector<std::string> notes; // what was assumed
};

/// kernel_speeds() of models/dnn/builder.hpp, which the part does not hold.
using KernelSpeedsOf = KernelSpeeds (*)(int height, int width, int stride, int channels_in);

} // namespace trainyard

/// Reads an ONNX model; @p file names it in messages. In the part "import" (models/core/loaded_part.hpp). A function
/// that is looked up by its name cannot return a class: it sets @p result. Throws std::invalid_argument.
extern "C" void trainyard_read_onnx(const std::string& text, const std::string& file, trainyard::KernelSpeedsOf speeds,
                                    trainyard::OnnxDnn& result);
