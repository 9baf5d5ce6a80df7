// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "calibrate/cuda/gpu.hpp"
#include "calibrate/cuda/networks.hpp"

#include <memory>

namespace trainyard::calibrate::gpu {

enum class Pass { forward, backward_data, backward_filter };

/// One convolution of a batch by cuDNN, with the algorithms its heuristics propose; inputs in NHWC for 16 bits (tensor
/// cores), else NCHW.
class Convolution
{
public:
  Convolution(const ConvolutionShape& shape, int batch, Type type, cudaStream_t stream);
  ~Convolution();
  Convolution(const Convolution&) = delete;
  Convolution& operator=(const Convolution&) = delete;

  std::size_t workspace_bytes() const;
  /// x: input or its gradient, w: weights or their gradient, y: output or its gradient.
  void run(Pass pass, void* x, void* w, void* y, void* workspace);

private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

} // namespace trainyard::calibrate::gpu
