// SPDX-License-Identifier: Apache-2.0
// How much a model learns per second on some GPUs: measured steps, and what a larger batch is worth.
#pragma once
#include "models/core/units.hpp"

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace trainyard {

/// Measured step: its whole time, and of that the communication that stays after the last gradient is there.
struct StepPoint {
  Seconds step;
  Seconds exposed;
};

/// Measured steps of one model at one batch per GPU, by shape of placement: GPUs on each node, ascending ("1124").
class StepProfile
{
public:
  std::map<std::string, StepPoint> points;
  /// Share of the computing time during which communication runs beside it, 0..1; of all batch sizes of a model, see
  /// `overlap_share`.
  double overlap = 0.5;

  /// Step time at this shape: the held point where there is one; else from the others.
  ///
  /// Computation is that of the largest group on one node ("1".."4": it holds what GPUs of a node cost each other). The
  /// exchange is a ring over all n GPUs, so a network port carries 2(n-1)/n gradients, each in
  /// `exchange_of_one_gradient`; what does not fit beside the computation is exposed. @p sharers: jobs that use the
  /// busiest port, in equal parts. Nothing if a needed point is missing.
  std::optional<StepPoint> predict(const std::string& shape, double sharers = 1) const;
  /// Time to send one gradient through a port, in a ring over so many nodes: median over the held points on as many
  /// nodes (or on the nearest number that is held). Two nodes are measured slower than more: then both directions of
  /// the ring join the same pair of hosts.
  std::optional<Seconds> exchange_of_one_gradient(int nodes) const;
};

/// How much of the computation hides the exchange: minus the slope of the exposed time of "11" over the computing time
/// of "1", over the batch sizes at which some is exposed; 0.5 where fewer than two are.
double overlap_share(const std::map<int, StepProfile>& by_batch);

/// Reads the measured steps of a model in the layout of AdaptDL's placements.csv (columns placement, local_bsz,
/// step_time, sync_time; medians over equal rows). Throws std::runtime_error naming the file, std::invalid_argument
/// naming the line.
std::map<int, StepProfile> read_step_profiles(const std::filesystem::path& file);

/// GPUs of a shape: 8 of "1124".
int gpus_of_shape(const std::string& shape);

/// As few nodes as possible of so many GPUs each: "244" for 10 GPUs on nodes of 4. @p gpus, @p per_node at least 1,
/// @p per_node at most 9.
std::string packed_shape(int gpus, int per_node);

/// From this share of a job's work on, its gradient noise scale, in samples.
struct NoisePhase {
  double from = 0;  // 0..1
  double value = 0; // >= 0
};

/// `workload: {goodput: {NAME: …}}`: what a file says of one model.
struct GoodputSpec {
  std::string name;
  std::filesystem::path steps;                           // measured steps; empty: by type of GPU
  std::map<std::string, std::filesystem::path> steps_on; // the same by type of GPU
  int initial_batch = 0;                                 // global, samples
  int most_batch = 0;                                    // 0: the initial one
  int most_per_gpu = 0;                                  // 0: the largest measured one
  std::vector<NoisePhase> noise_scale;                   // ascending; the first from 0
  int accumulation = 0;                                  // most steps without exchange before one with it
};

/// Statistical efficiency of a global batch, 0..1: how much a sample of it is worth against a sample of the initial
/// batch, (phi + m0) / (phi + m) with the gradient noise scale phi (Pollux, OSDI 2021, section 3).
double statistical_efficiency(double noise_scale, double initial_batch, double batch);

/// A batch on some GPUs.
struct BatchChoice {
  double batch = 0; // global, samples
  Seconds step;
  double efficiency = 1;
  int accumulation = 0; // of it, steps whose gradients are only added up, before one with exchange
  /// Useful samples per second, as samples of the initial batch: batch / step x efficiency (Pollux, section 3).
  double goodput() const { return batch / step.value() * efficiency; }
};

/// Measured steps of one model on one type of GPU by batch per GPU, and how its batch may change.
///
/// Between two measured batches the step time is a straight line, so the best batch of each stretch is exact: with a
/// step of a + b m it is sqrt(a phi / b). A batch is a real number.
///
/// A batch larger than what was measured on a GPU is split into equal parts, as few as possible: s of them are computed
/// only, and the last one with the exchange, step + s x (step - exposed). On one GPU a batch above the initial one has
/// at least two parts, of whose gradients the noise is known. Source: petuum/adaptdl, adaptdl/adaptdl/goodput.py
/// (commit 084518b), optimize with accumulation, and _predict.
class ModelGoodput
{
public:
  /// @p spec with @p steps of one type. Throws std::invalid_argument for a table without rows.
  ModelGoodput(const GoodputSpec& spec, std::map<int, StepProfile> steps);

  /// The batch with the highest goodput on GPUs of this shape (see StepProfile) when @p done of the work, 0..1, is
  /// done; @p sharers: jobs on its busiest network port. Nothing where nothing was measured from which the step
  /// follows, or no allowed batch fits.
  std::optional<BatchChoice> best(const std::string& shape, double done, double sharers = 1) const;
  /// The largest share of the work above @p done up to which the noise scale stays as it is; 1 at the end.
  double steady_until(double done) const;
  double noise_scale(double done) const;
  /// Whether a step on this shape follows from what was measured.
  bool measured(const std::string& shape) const { return !knots(shape, 1).empty(); }
  /// The smallest and the largest batch of a GPU that were measured.
  std::pair<int, int> batches_of_a_gpu() const { return {steps_.begin()->first, steps_.rbegin()->first}; }

private:
  struct Knot {
    double batch = 0; // per GPU
    Seconds step;
    Seconds computing; // of it, without exchange
  };
  using Knots = std::vector<Knot>; // by batch, ascending
  const Knots& knots(const std::string& shape, double sharers) const;

  GoodputSpec spec_;
  std::map<int, StepProfile> steps_;
  mutable std::map<std::pair<std::string, double>, Knots> known_; // answers do not change: a run is one thread
};

/// The models of a workload whose goodput is known, bound to the types of GPU of a cluster.
class GoodputTables
{
public:
  /// @p gpus_per_node: of the largest machine of each type, 1..9.
  explicit GoodputTables(std::vector<int> gpus_per_node) : gpus_per_node_{std::move(gpus_per_node)} {}

  void add(int model, int gpu_type, std::shared_ptr<const ModelGoodput> goodput)
  {
    models_[{model, gpu_type}] = std::move(goodput);
  }
  /// Null: nothing is known of the model there.
  const ModelGoodput* find(int model, int gpu_type) const
  {
    const auto found = models_.find({model, gpu_type});
    return found == models_.end() ? nullptr : found->second.get();
  }
  /// Of so many GPUs on as few machines of the type as possible.
  std::string packed(int gpus, int gpu_type) const
  {
    return packed_shape(gpus, gpus_per_node_[static_cast<std::size_t>(gpu_type)]);
  }
  /// What speed 1 of a job means: its goodput on the GPUs that it asks for, packed, when its work begins. Zero where
  /// the table does not have it.
  double reference(int model, int gpus, int gpu_type) const;

private:
  std::vector<int> gpus_per_node_; // by type
  std::map<std::pair<int, int>, std::shared_ptr<const ModelGoodput>> models_;
};

} // namespace trainyard
