// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/cost/apply_profile.hpp"
#include "models/results/telling.hpp"
#include "models/scenario/read_scenario.hpp"
#include "sim/study/measures.hpp"
#include "sim/study/point_evaluator.hpp"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace trainyard {

/// An input of a scenario with the range in which its true value may lie.
struct UncertainInput {
  enum class Of { path, constant, network_bandwidth, network_latency, link };
  Of of = Of::path;
  std::string name;         // "jobs.0.single_gpu_step", "grpc: endpoint limit"
  std::string path;         // of the scenario; or the catalogue link
  AppliedConstant constant; // of a transport or GPU
  std::string unit;         // as the file writes it; empty = a number
  bool whole = false;       // whole numbers only
  bool assumed = false;     // a default: the scenario does not say it
  double value = 0;
  double low = 0;
  double high = 0;
  std::string from; // "calibration vm, 95 % bar", "+-10 %", "given"

  std::string text(double at) const;
};

struct SensitivityRequest {
  std::vector<std::string> measures; // empty: throughput, or mean JCT, or the first figure
  std::vector<std::string>
      inputs;       // "jobs.0.batch_per_gpu=16..64", "cluster.network.latency=20%"; empty = everything that is found
  double by = 0.1;  // range of inputs without a calibration's bar
  int replicas = 3; // where the seed matters
  int samples = 40; // of all inputs at once; 0 = none
  int workers = 1;
};

/// What one input does to one figure.
struct InputEffect {
  std::size_t input = 0;
  double base = 0; // the figure of the scenario as it is
  double at_low = 0;
  double at_high = 0;
  double rank = 0;         // rank correlation of input and figure over the samples
  bool runs_at_low = true; // else the answer of the scenario as it is stands for it
  bool runs_at_high = true;

  /// From the lowest of the three figures to the highest.
  double swing() const { return std::max({base, at_low, at_high}) - std::min({base, at_low, at_high}); }
};

struct Sensitivity {
  std::string point; // which point of the scenario's sweep
  std::vector<UncertainInput> inputs;
  std::vector<Measure> measures;
  std::vector<double> base;                      // by measure
  std::vector<std::vector<InputEffect>> effects; // by measure, the largest swing first, without those that do nothing
  std::vector<std::size_t> without_effect;       // inputs
  std::vector<std::pair<std::size_t, std::string>> failed; // inputs that cannot be varied, and why
  std::vector<std::pair<double, double>> together;         // by measure: 5 % and 95 % quantile of the samples
  std::size_t varied_together = 0;                         // inputs in them
  std::string price_note;                                  // where prices come from that the scenario does not give
  int samples = 0;
  int left_out = 0; // samples that cannot run
  bool random = false;
  int replicas = 1;
};

/// Varies every input alone to both ends of its range, then all at once (Latin hypercube, uniform in their ranges).
/// Progress counts the simulations of all of them; how many that are is known better as it goes on.
/// Throws InputError: a measure that the scenario does not have, an input that does not exist, nothing to vary.
Sensitivity
sensitivity(const SweepPoint& point, const PointEvaluator& evaluator, const SensitivityRequest& request,
            const std::function<void(std::size_t done, std::size_t total, const std::string& what)>& progress = {});

Telling sensitivity_told(const Sensitivity& result);
std::string sensitivity_json(const Sensitivity& result, const std::string& name);
std::string sensitivity_csv(const Sensitivity& result);
/// Tornado plot: the inputs that change the answer most. @p path without extension; false where nothing changes it.
bool plot_sensitivity(const Sensitivity& result, const std::filesystem::path& path);

} // namespace trainyard
