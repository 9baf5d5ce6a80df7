// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/cost/roofline.hpp"

#include <map>

namespace trainyard {

/// Read and written to change a number between fp32 and 16 bit.
constexpr double cast_bytes = 6;

/// Bytes of a logit in PyTorch's cross entropy, in fp32: log_softmax reads it twice and writes
/// (aten/native/cuda/SoftMax.cu); back, the gradient of what it gave is filled, both are read and one is written.
struct CrossEntropyBytes {
  double forward = 12;
  double backward = 16;
};
constexpr CrossEntropyBytes cross_entropy_bytes;

/// What a layer moves through the GPU's memory, as time for the batch.
struct LayerTraffic {
  Seconds forward; // of the layer's own kernels, which its products may take longer than
  Seconds backward;
  Seconds beside_forward; // of kernels beside them, which only move memory
  Seconds beside_backward;
};

/// The memory side of the layers of a network on a GPU.
///
/// Each kernel was seen by its name in steps of PyTorch on an H100 (results/calibration/H100-SXM5.kernels.csv):
/// - the backward pass of an activation reads two arrays and writes one, of a pool it reads and writes input and
///   output, of batch norm it reads two arrays twice and writes one;
/// - the bias of a convolution is added by a kernel of its own; the gradient of every bias is a sum over the gradient
///   of the output;
/// - kernels that compute an index for each element that they read (PyTorch's pools, for each element of a window, and
///   its sum with a bias) handle 2.6 G elements/s on a multiprocessor at most, sums over an array 4.5 G; both rates are
///   taken for all GPUs, since no other was measured;
/// - a convolution of few channels (images) on matrix units reads each element of its windows by an index as well, as
///   does PyTorch's copy of an array that lies otherwise;
/// - with channels first, what matrix units read and write is turned around, read and written once more in each pass,
///   but not for 1x1 convolutions of stride 1, which are plain products;
/// - with channels first, batch norm is such a sum, over all that it reads and writes, by one thread block for each
///   channel: few channels do not fill the chip;
/// - autocast reads weights in fp32 and writes them in 16 bit, and their gradients back; norms, and the sums around
///   them, stay fp32, and what the next products read of them is cast, by each of them (autocast remembers only casts
///   of weights); so is the gradient of the 16-bit branch of a sum;
/// - a step of BERT-base has 48 kernels that add up gradients beside its 24 sums: where several products read one array
///   (queries, keys, values), each further one adds its gradient, two arrays read and one written. That of a sum's two
///   branches counts with the sum;
/// - dropout reads and writes its array beside a mask of one byte, in both passes;
/// - logits become fp32 before the cross entropy.
class NetworkTraffic
{
public:
  NetworkTraffic(const Dnn& dnn, const Gpu& gpu, const StepSettings& settings, bool matrix_units);

  /// @p first: nothing reads the gradient of its input.
  LayerTraffic of(const Layer& layer, bool first) const;

private:
  Seconds time_of(double bytes) const { return Bytes{bytes} / memory_; }
  /// Of kernels whose instructions can take longer than their traffic; @p rate: elements a second on a multiprocessor.
  Seconds time_of(double bytes, double elements, double rate) const;
  LayerTraffic beside(const Layer& layer, LayerTraffic traffic, double passes) const;
  void add_further_reader(const Layer& layer, LayerTraffic& traffic) const;

  StepSettings settings_;
  BytesPerSecond memory_;
  double element_; // bytes
  int multiprocessors_;
  bool matrix_units_;
  bool turns_;                           // images are turned around for the matrix units
  bool casts_;                           // autocast
  bool sums_fp32_;                       // sums beside norms
  std::map<const Layer*, bool> further_; // products that read what another one reads; of a norm
};

} // namespace trainyard
