// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/scenario/read_scenario.hpp"

#include <nlohmann/json_fwd.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace trainyard {

/// "count" of "cluster.nodes.0.count"; "nodes.0.count" where another setting ends in the same word.
std::string short_name(std::span<const std::pair<std::string, std::string>> settings, const std::string& path);

/// All points of a scenario's `sweep` block, each made when it is asked for: a hundred thousand of them cost no more
/// memory than their axes.
///
/// The block may hold `grid` (path: list or range; every combination), `zip` (paths whose lists advance together),
/// `variants` (named sets of overrides), `random` and `latin_hypercube` (samples of ranges), `constraints` (conditions
/// that a point must meet) and `replicas` (the same points with other seeds; all points of one replica share the seed,
/// so that they get the same random numbers).
class SweepSpace
{
public:
  /// Faults of the block go to @p diagnostics, and the space is empty then. Without a block there is one point.
  SweepSpace(const Document& document, Diagnostics& diagnostics);
  /// JSON Schema of the block.
  static nlohmann::ordered_json schema();

  std::size_t size() const { return filtered_ ? allowed_.size() : count_; }
  /// Path (or "variant", "replica") and value of every axis.
  std::vector<std::pair<std::string, std::string>> settings(std::size_t index) const;
  /// The scenario of a point, without the block.
  SweepPoint point(std::size_t index) const;
  /// Names that `settings` gives, in order.
  std::vector<std::string> names() const;
  std::size_t axes() const { return axes_.size(); }
  /// The paths that change together with one (a zip, a set of samples, a variant), itself among them; empty where
  /// nothing changes it.
  std::set<std::string> names_with(const std::string& name) const;

  /// A point for each choice of each axis (at most @p most of one axis), the other axes at their first choice: what is
  /// worth checking before a long run. Each with its axis.
  std::vector<std::pair<std::size_t, SweepPoint>> probes(std::size_t most) const;

private:
  struct Choice {
    std::vector<std::pair<std::string, std::string>> labels;     // name, value as text
    std::vector<std::pair<std::string, DocumentNode>> overrides; // path, value
  };
  struct Axis {
    std::string name;
    std::vector<Choice> choices;
    std::size_t samples = 0; // to be drawn; one choice stands for them until the block has no fault
    std::size_t size() const { return std::max<std::size_t>({choices.size(), samples, 1}); }
  };
  class Reader;

  std::vector<std::size_t> indices(std::size_t combination) const;
  SweepPoint made(const std::vector<std::size_t>& chosen) const;
  /// Whether a point meets these constraints. Throws std::invalid_argument where one cannot be read.
  bool meets(std::span<const std::string> constraints, std::size_t combination) const;

  Document base_; // without the block
  std::vector<Axis> axes_;
  std::vector<std::string> constraints_;
  std::vector<std::uint32_t> allowed_;
  bool filtered_ = false;
  std::size_t count_ = 1;
};

/// Seed of replica number @p replica (from 0) of a run with @p seed; replica 0 has the seed itself. In 1…999,999,999.
std::uint64_t replica_seed(std::uint64_t seed, std::uint64_t replica);

/// The seed that a scenario says, or else 1.
std::uint64_t run_seed(const Document& document);
/// Gives a scenario the seed of its replica number @p replica.
void make_replica(Document& document, std::uint64_t replica);

/// Adds to the block what a command line asks for: @p part is "grid", "zip", "random", "latin_hypercube", "constraints"
/// or "replicas". Throws InputError with the reason.
void add_to_sweep(Document& document, const std::string& part, const std::string& path, const DocumentNode& value);

} // namespace trainyard
