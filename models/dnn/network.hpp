// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/core/units.hpp"

#include <string>
#include <vector>

namespace trainyard {

/// Rows of a table that a batch looks up (an embedding): the gradient of the others is zero.
struct RowTable {
  double rows = 0;     // 0: no table
  double lookups = 0;  // of one sample
  double distinct = 0; // rows that a worker's batch touches, as measured; 0: all rows have an equal chance
  bool dense = false;  // the gradient is made as large as the table all the same

  /// Rows that @p workers touch together, each with a batch of @p samples; those that several touch count once.
  ///
  /// Of n draws from R rows with equal chance R (1 - (1 - 1/R)^n) are distinct. A measured number for one batch is
  /// taken as that of draws from fewer rows, so that several batches overlap as one overlaps itself.
  double distinct_rows(double samples, double workers = 1) const;
};

/// One parameter tensor, in creation order; its gradient has the same size where it is no table.
struct ParameterTensor {
  std::string name;
  double elements = 0;
  RowTable table = {};

  /// Its gradient is rows and their numbers.
  bool sparse() const { return table.rows > 0 && !table.dense; }
  double row_elements() const { return elements / table.rows; }
  /// Elements that the forward pass of @p samples reads.
  double elements_read(double samples) const;
  /// Elements of the gradient of @p samples.
  double gradient_elements(double samples) const { return sparse() ? elements_read(samples) : elements; }
};

/// The matrix product behind a convolution, linear layer or attention, for one sample: it decides how well few samples
/// fill a chip.
struct MatrixProduct {
  double rows = 0;       // output positions or tokens; 0: not known, the layer counts as one that fills the chip
  double rows_in = 0;    // input positions
  double columns = 0;    // output channels of one group
  double columns_in = 0; // input channels of one group
  double window = 1;     // input positions that one output position reads
  double products = 1;   // independent products of this shape: groups; heads of attention
  bool weights = true;   // false: both factors belong to the sample (attention), so that samples cannot be stacked into
                         // longer products
  bool causal = false;   // attention: a token sees only those before it, and fused kernels leave out the rest
};

/// Elements of one sample that PyTorch's operators copy around a layer because its arrays do not lie as they want them.
struct Copies {
  double forward = 0;  // each read by an index of its own
  double backward = 0; // the same
  double moved = 0;    // elements read plus elements written, in a row, in the backward pass
};

/// A layer of a DNN for one sample (image, sequence). All counts are per sample except parameters.
struct Layer {
  std::string name;
  std::string type; // convolution, linear, batch_norm, pool, activation, embedding, attention, layer_norm, add…
  Flops forward;    // 1 multiply-add = 2 flop
  double activation_elements = 0; // output elements
  double memory_elements = 0;     // elements read and written by the forward pass, without parameters
  double kernel_speed =
      1; // of its fp32 kernels against a matrix product of as many flop: forward and gradient of the input
  double weight_kernel_speed = 1; // the same for the gradient of the weights
  MatrixProduct product;
  Copies copies;
  double saved_elements = 0; // kept for the backward pass besides inputs and output: attention's score matrix
  double saved_bytes = 0;    // the same, of fixed size: dropout masks of one byte per element
  bool dropout = false;      // of what it adds to the identity path, or of attention's scores
  /// Measured time of the layer for the batch that the job trains; 0: from flop and bytes. Either all layers of a
  /// network have them, or none.
  Seconds forward_time;
  Seconds backward_time;
  std::vector<ParameterTensor> parameters;
  std::vector<int> inputs; // indices of the layers it reads; empty = the network's input
};

/// A DNN as a layer graph in topological (forward) order.
struct Dnn {
  std::string name;
  std::string description;
  std::string sample;     // "image 3x224x224", "sequence of 512 tokens"
  double input_bytes = 0; // of one sample as fed to the GPU, fp32
  std::vector<Layer> layers;
  std::string source;

  double parameter_elements() const;
  /// Elements of the gradients of a worker's step: of tables the rows that @p samples touch.
  double gradient_elements(double samples) const;
  /// Some tensor's gradient is rows of a table.
  bool sparse() const;
  Flops forward_flop() const;
  int parameter_tensors() const;
  /// Its layers have measured times.
  bool timed() const;
};

} // namespace trainyard
