// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/core/units.hpp"

#include <filesystem>
#include <map>
#include <optional>
#include <string>

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

} // namespace trainyard
