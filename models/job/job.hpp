// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/core/registry.hpp"
#include "models/core/units.hpp"
#include "models/hardware/hardware.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace trainyard {

struct ParallelLayout;
struct Transformer;

/// How a job trains: the name of a registered training mode and everything said about it, in base units.
///
/// Sub-policies (update rule, variable placement, collective, fusion, transport) are names in the same settings; their
/// parameters too.
struct TrainingSpec {
  std::string mode = "all_reduce";
  std::string transport; // named by the job, or the default of its mode; empty: the mode uses none
  Settings settings;
  /// How one transformer is divided among GPUs (models/parallel); null: each GPU holds all of it, and the mode counts.
  std::shared_ptr<const ParallelLayout> parallel;
};

/// Slow-downs of one worker: "straggler" entries of the scenario.
struct StragglerSpec {
  int worker = 0;
  double slow_down = 1; // compute takes this many times as long
};

/// Random variation of compute times: a named distribution with mean 1.
struct JitterSpec {
  std::string distribution = "none"; // none, normal, log_normal, gamma, exponential_tail
  double coefficient_of_variation = 0;
};

/// Where samples come from and how fast.
struct InputSpec {
  std::string source = "synthetic"; // synthetic, disk, storage
  Bytes bytes_per_sample;
  BytesPerSecond bandwidth;      // of the disk, or of the shared storage
  Seconds preprocess_per_sample; // CPU seconds
  int cpu_cores = 0;             // that preprocess
  int prefetch_steps = 1;
};

/// A training job as the scenario states it.
struct JobSpec {
  std::string name;
  std::string path; // in the scenario, "jobs.2"; errors about the job say where with it
  std::string user;
  std::string team;
  int copies = 1;
  std::string model = "resnet50";
  bool model_refused = false;                     // it was not found, and `model` stands in for it
  std::string precision = "fp32";                 // fp32, tf32, amp, fp16, bf16; fp8 with training.parallel
  double model_elements = 0;                      // of the model one_tensor
  std::string layers = {};                        // of a model that the scenario lists, as CSV (dnn_of_layers)
  int sequence_length = 0;                        // of transformers; 0 = the published one
  std::shared_ptr<const Transformer> transformer; // dimensions of the model transformer; null = its defaults
  int batch_per_gpu = 32;
  int workers = 1;            // GPUs
  int accumulation_steps = 1; // micro-steps per optimiser step
  std::string optimizer = "sgd_momentum";
  Seconds host_per_operator{40e-6}; // that the framework takes to issue one operator
  KernelHabits kernels;             // of the framework
  TrainingSpec training;
  std::optional<Seconds> single_gpu_step; // measured step on one GPU; overrides the roofline
  std::vector<std::string>
      nodes; // explicit placement: node names, one per worker or one per node in order; empty = policy decides
  std::vector<std::string> gpu_order; // kinds of GPUs (divided: groups of nodes) in the order in which it takes them
  std::vector<StragglerSpec> stragglers;
  JitterSpec jitter;
  InputSpec input;
  Seconds arrival;
  double steps = 100;
  double priority = 0;
  std::string memory_policy = "all"; // all, allow_growth, fraction
  double memory_fraction = 1;
};

} // namespace trainyard
