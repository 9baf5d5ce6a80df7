// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/core/registry.hpp"
#include "models/core/units.hpp"

#include <limits>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace trainyard {

struct MeasuredRates;

/// GPUs and NICs of one machine: an NVLink domain of eight NVL72 racks has 576.
inline constexpr int most_gpus_of_a_node = 576;

/// How far a number can be trusted.
enum class Provenance { measured, fitted, data_sheet, assumed };

/// The machine that a GPU is usually sold in: what a scenario gets that does not say.
struct Board {
  std::string intra;               // registered NodeLayout; empty: not known
  int nvlink_generation = 0;       // 0: none
  int nvlinks = 0;                 // of one GPU; 0: by generation
  BytesPerSecond nvlink_bandwidth; // of one of them, one direction; 0: by generation
  std::string pcie;                // link type between CPUs, GPUs and NICs
  BytesPerSecond peers;            // what collectives reach between GPUs of two sockets; 0: not said
  int gpus = 0;                    // of the whole machine; 0: any number
  int trays = 1;                   // machines of their own that its NVLinks join: a rack of several
  int nics = 0;                    // of the whole machine; 0: not said
  std::string nic;                 // link type of a NIC; empty: not said
  int cpu_cores = 0;               // of the whole machine; 0: not said
  Bytes memory;                    // of the host; 0: not said
  std::string source;
};

/// A GPU of the catalogue. Rates are dense peaks of the data sheet; `reachable` is the share of the peak that large
/// kernels reach.
struct Gpu {
  std::string name;
  std::string description;
  std::map<std::string, FlopsPerSecond> peak;    // by precision: fp32, tf32, fp16, bf16, fp8
  std::map<std::string, FlopsPerSecond> sheet{}; // of the data sheet, where a calibration gave `peak` another value
  Bytes memory;
  BytesPerSecond memory_bandwidth;
  double compute_efficiency = 0.6;                   // share of peak that convolutions and GEMMs of training reach
  double compute_capability = 0;                     // NVIDIA's number of the architecture: 9 is Hopper; 0: not given
  double fp32_efficiency = 0;                        // that share without matrix units, 0: compute_efficiency
  std::map<std::string, double> convolution_share{}; // of that speed convolutions reach, by precision; not there: all
  double memory_efficiency = 0.8;                    // share of memory bandwidth that element-wise kernels reach
  Seconds kernel_launch;                             // host-side cost of one kernel
  Board board;
  int multiprocessors =
      0; // thread blocks of a matrix product run on them in waves; 0: not known, every product fills the chip
  std::shared_ptr<const MeasuredRates> measured; // of the scenario's own file; null: those of the catalogue
  Watts power;                                   // when busy
  Watts idle_power;
  std::string source;
  Provenance provenance = Provenance::data_sheet;

  /// Share of the peak of a precision that large kernels reach.
  double efficiency(const std::string& precision) const
  {
    return precision == "fp32" && fp32_efficiency > 0 ? fp32_efficiency : compute_efficiency;
  }
};

/// A kind of link of the catalogue: "10GbE", "PCIe3 x16", "NVLink2".
struct LinkType {
  std::string name;
  std::string kind;         // ethernet, infiniband, pcie, nvlink
  BytesPerSecond bandwidth; // line rate, one direction
  Seconds latency;          // of one hop
  std::string source;
};

/// Share of the line rate that payloads of at least this size reach; between points log-linear in size.
struct RatePoint {
  Bytes size;
  double efficiency = 1;
};

/// How a framework computes on a GPU by itself.
struct KernelHabits {
  bool channels_last = true; // images lie in memory with their channels together, as matrix units want them
  bool autocast = false;     // with `amp` it casts weights in each step, and norms and the sums around them stay fp32
  bool fused_attention = false;    // the score matrix is never written
  bool loads_all_kernels = false;  // onto the GPU at start, not each when it is first used
  bool composed_tanh_gelu = false; // GELU by tanh, of GPT, is written as a formula, whose parts keep their operands
  bool index_kernels = false;      // pools, and sums with a bias, compute an index for each element that they read

  bool operator==(const KernelHabits&) const = default;
};

/// A communication library over a kind of link: gRPC, TCP, MPI, Gloo, NCCL.
struct Transport {
  std::string name;
  std::string description;
  Seconds latency;                    // software start-up of one message, on top of the links' latencies
  std::vector<RatePoint> rate = {{}}; // piecewise efficiency by size; one point = constant
  BytesPerSecond stream_limit{std::numeric_limits<double>::infinity()}; // what one message stream reaches at most
  BytesPerSecond endpoint_limit{
      std::numeric_limits<double>::infinity()}; // what one process serialises and copies at most, each direction
  SecondsPerByte cpu_per_byte;                  // CPU seconds at each end per byte
  bool gpu_direct = false;                      // reads and writes GPU memory without staging through the host
  /// operation × device ("all_reduce", "cpu") → "yes", "no", "?".
  std::map<std::pair<std::string, std::string>, std::string> supports;
  Settings settings; // further constants, documented in the catalogue file
  std::string source;
};

} // namespace trainyard
