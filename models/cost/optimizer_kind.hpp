// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

namespace trainyard {

/// An update rule, by what it keeps of every parameter on the GPU.
struct OptimizerKind {
  const char* name;
  double state_bytes; // beside the parameter
  bool master;        // of a parameter in 16 bit it updates a copy in fp32
  bool paged = false; // what the GPU has no room for lies on the host
};

/// SGD, momentum, Adam and its kin keep 0, 1 or 2 numbers in fp32.
///
/// - lion: one moment (arXiv:2302.06675). adafactor: a number for each row and column, which are few
/// (arXiv:1804.04235);
///   it is used on 16-bit weights as they are.
/// - adam_bf16: both moments in 16 bit, weights without a copy, as PyTorch's Adam trains a model that lies in bf16.
/// - adam_8bit: both moments in 8 bit with a scale of 4 B for 256 of them (bitsandbytes, functional.py,
///   blocksize = 256; arXiv:2110.02861), of the weights as they are.
/// - paged_…: the same of the weights as they are; the driver moves states to the host where the GPU has no room for
///   them (QLoRA, arXiv:2305.14314, section 3), so that the GPU need not hold any.
/// Throws std::invalid_argument for an unknown one.
const OptimizerKind& optimizer_kind(const std::string& name);
std::vector<std::string> optimizer_names();

} // namespace trainyard
