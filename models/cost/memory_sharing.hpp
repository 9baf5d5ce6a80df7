// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/core/units.hpp"

#include <optional>
#include <string>
#include <vector>

namespace trainyard {

/// What a process needs from some time on.
struct MemoryDemand {
  Seconds at; // since its start
  Bytes bytes;
};

/// A process that uses GPUs of a node together with others.
struct GpuProcess {
  std::string name;
  std::vector<int> visible;   // GPUs it sees, by number on the host (CUDA_VISIBLE_DEVICES)
  std::string policy = "all"; // all, allow_growth, fraction
  double fraction = 1;        // per_process_gpu_memory_fraction, of each visible GPU
  Seconds start;
  std::optional<Seconds> end;
  std::vector<MemoryDemand> demand; // on each visible GPU; in order of time
  bool gives_back = false; // allow_growth: memory that is no longer needed goes back to the GPU (TensorFlow 1 keeps it)
};

/// Memory that a process holds on one GPU from some time on.
struct MemoryHeld {
  Seconds time;
  int gpu = 0;
  std::string process;
  Bytes held;
  Bytes used; // of it
};

struct ProcessOutcome {
  std::string process;
  bool started = false;
  std::optional<Seconds> failed; // at its start where it did not start
  std::string reason;
  Bytes most_held; // on one GPU
};

struct MemorySharing {
  std::vector<ProcessOutcome> processes; // in the order given
  std::vector<MemoryHeld> timeline;      // every change, in order of time
};

/// Replays processes that share the GPUs of one node.
///
/// `all`: reserves reserved_share of every visible GPU at the start, and fails there when one has less left.
/// `fraction`: the same with its fraction. `allow_growth`: takes what it needs when it needs it, and fails when the GPU
/// has less left; @p fragmentation of what it takes is unusable, so that it takes demand / (1 - fragmentation). A
/// demand above what `all` or `fraction` reserved fails too. A process that fails or ends gives everything back; at one
/// instant ends come first, then starts, then growth, each in the order given. Source: TensorFlow 1.x, "Using GPUs",
/// "Allowing GPU memory growth" ("we do not release memory, since that can lead to even worse memory fragmentation").
MemorySharing share_memory(const std::vector<Bytes>& gpus, const std::vector<GpuProcess>& processes,
                           double fragmentation = 0);

/// `gpu_memory:` of a scenario: processes that share the GPUs of one node.
struct GpuMemorySection {
  std::string node;
  int gpus = 0;
  Bytes memory; // of each
  double fragmentation = 0;
  std::vector<GpuProcess> processes;
};

} // namespace trainyard
