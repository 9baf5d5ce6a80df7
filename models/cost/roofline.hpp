// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/core/units.hpp"
#include "models/dnn/network.hpp"
#include "models/hardware/hardware.hpp"

#include <string>
#include <vector>

namespace trainyard {

/// How a training step uses a GPU.
struct StepSettings {
  int batch = 1;                  // samples per GPU and step
  std::string precision = "fp32"; // fp32, tf32, amp, fp16, bf16
  Seconds host_per_operator{};    // that the framework takes to issue one operator: three per layer, one per parameter
                                  // tensor, two more per weight that autocast casts
  double optimizer_reads_writes =
      5; // parameter-sized memory passes of the optimiser: SGD with momentum reads w, g, m and writes w, m
  KernelHabits kernels = {};   // of the framework
  bool computed_again = false; // the backward pass runs the forward pass once more (gradient checkpointing)
  bool plain_kernels = false;  // each layer at the speed of a matrix product: where the rate was measured on the whole
};

/// Compute time of one training step on one GPU, layer by layer in forward order.
struct LayerTimes {
  std::vector<Seconds> forward;
  std::vector<Seconds> backward;
  Seconds update;
  Seconds issued;   // that the host needs to start the operators of the step
  Seconds computed; // total() if the GPU never waited for the host; 0 = not known, for times that were measured

  Seconds total() const;
};

/// Rate of large matrix products in a precision: `amp` uses fp16, bf16 or fp32, the first that the GPU has, and the
/// other ones of 16 bit and tf32 fall back on fp32. 0: it has none of them.
FlopsPerSecond product_rate(const Gpu& gpu, const std::string& precision);

/// Roofline estimate: each kernel takes max(time of its matrix products, bytes / reachable memory bandwidth), each
/// layer a kernel launch.
///
/// forward(layer) = max(products / k, batch M b / (e_m W)) + side kernels + launch. The products take batch F / (e_c P)
/// where they fill the chip and longer where they do not (matrix_time.hpp). Backward are two such products, for the
/// gradient of the input, which the first layer does not need, and for that of the weights. What they move, and the
/// side kernels that only move memory, is in layer_traffic.hpp. P = peak rate of the precision, W = memory bandwidth, b
/// = bytes per element, k = the layer's kernel_speed (above 1 with fp32 only). No step is shorter than the host needs
/// to issue its operators. Source: Williams, Waterman, Patterson, "Roofline", CACM 52(4), 2009; checked in
/// tests/cost/single_gpu_test.cpp, and on an H100 in results/calibration/H100-SXM5.md.
///
/// Throws std::invalid_argument where the GPU has no rate for the precision.
LayerTimes roofline_times(const Dnn& dnn, const Gpu& gpu, const StepSettings& settings);

/// The same shape, stretched so that the total equals a measured single-GPU step (> 0), in which the host's part is not
/// known.
LayerTimes scaled_to(LayerTimes times, Seconds measured_step);

/// Bytes of what kernels read and write: 4 with fp32 and tf32, 2 with the 16-bit precisions.
double value_bytes(const std::string& precision);

/// Parameter-sized memory passes of an optimiser: each of w, g and its states is read, w and the states are written.
double optimizer_reads_writes(const std::string& name);

/// On the wire: 2 with fp16 and bf16. `amp` keeps parameters in fp32, and so gradients (torch.amp; TensorFlow's guide).
double gradient_element_bytes(const std::string& precision);

} // namespace trainyard
