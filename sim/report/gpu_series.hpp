// SPDX-License-Identifier: Apache-2.0
// What every GPU does from one change to the next: kernels, memory, power. The file gpu_series.csv, and the table of
// one instant as nvidia-smi prints it.
#pragma once
#include "models/core/instant.hpp"
#include "models/core/units.hpp"
#include "sim/report/written_run.hpp"

#include <span>
#include <string>
#include <vector>

namespace trainyard {

/// The GPUs of a machine.
struct MonitoredNode {
  std::string name;
  std::string type; // of its GPUs
  int gpus = 0;
  double memory_MiB = 0; // of each; 0: not known
  Watts idle_power, power;
};

/// A task on one GPU, while it does the same.
struct GpuStay {
  int node = 0;
  int gpu = 0; // of the node
  Instant from{0}, to{0};
  std::string task;
  double use = 0; // share of the time in which a kernel of it runs
  double memory_MiB = 0;
};

/// A GPU between two changes.
struct GpuSpan {
  int node = 0;
  int gpu = 0;
  Instant from{0}, to{0};
  std::string tasks; // with blanks between them; empty: none
  double use = 0;    // at most 1
  double memory_MiB = 0;
  Watts power;
};

/// Power of a GPU whose kernels run this share of the time: between idle and board power in proportion.
Watts power_at(const MonitoredNode& node, double use);
/// Assumed: 25 °C of inlet air, and 83 °C, where NVIDIA's boards begin to throttle, at board power.
double temperature_at(const MonitoredNode& node, Watts power);

/// All GPUs from the start to @p until, by node, GPU and time. Stays on one GPU add up.
std::vector<GpuSpan> gpu_spans(std::span<const MonitoredNode> nodes, std::span<const GpuStay> stays, Instant until);

/// Heading and rows of gpu_series.csv.
std::string gpu_series_heading();
std::string gpu_series_rows(const std::string& point, std::span<const MonitoredNode> nodes,
                            std::span<const GpuSpan> spans);

/// The GPUs of a run at an instant ("10 min"). Throws InputError where that is no time of the run.
Telling gpus_at(const WrittenRun& run, const std::string& when);

} // namespace trainyard
