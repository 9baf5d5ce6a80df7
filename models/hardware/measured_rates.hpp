// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/core/units.hpp"

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace trainyard {

/// Rates of fused attention with a causal mask and heads of 128, counted below the mask only.
struct AttentionPoint {
  double tokens = 0; // of a sequence
  FlopsPerSecond forward, backward;
};

/// Bus bandwidth (nccl-tests' definition) of an all-reduce inside one machine.
struct AllReducePoint {
  int ranks = 2;
  Bytes size;
  BytesPerSecond bus_bandwidth;
};

/// What was measured on a kind of GPU beyond its data sheet. A figure that was not measured is absent.
struct MeasuredRates {
  std::map<std::string, FlopsPerSecond> products;               // highest rate of matrix products, by number format
  std::map<std::string, std::vector<AttentionPoint>> attention; // by kernel, sorted by tokens
  double narrow_heads = 1;                                      // share of those rates with heads of 64
  double grouped = 1;         // rate of equal products in one call over that of one product with as many rows
  Seconds kernel_gap{0.9e-6}; // from the end of a kernel to the begin of the next; in a CUDA graph
  Seconds graph_gap{0.5e-6};
  int collective_channels = 0;            // multiprocessors that a collective of one machine takes
  std::vector<AllReducePoint> all_reduce; // sorted by ranks and size
};

/// Those of @p gpu (a name of the catalogue), from `models/hardware/catalogue/measured`; empty where nothing was
/// measured. The files are read once. Throws InputError with all faults in them.
const MeasuredRates& measured_rates(const std::string& gpu);

/// A file of the same form that simcal wrote, by GPU: what it has, and for the rest what the catalogue has. Throws
/// InputError with all faults in it.
std::map<std::string, MeasuredRates> read_measured_rates(const std::filesystem::path& file);

} // namespace trainyard
