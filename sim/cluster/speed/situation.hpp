// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/cluster/speed/speed_model.hpp"
#include "sim/step/prepared.hpp"

#include <map>
#include <memory>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

namespace trainyard {

class ProgramRunner;

/// Bytes that are equal where the values are.
class Digest
{
public:
  template <class T>
  requires std::is_arithmetic_v<T> Digest& operator<<(T value)
  {
    text_.append(reinterpret_cast<const char*>(&value),
                 sizeof value); // NOLINT(cppcoreguidelines-pro-type-reinterpret-cast)
    return *this;
  }
  Digest& operator<<(const std::string& text)
  {
    *this << text.size();
    text_ += text;
    return *this;
  }
  Digest& operator<<(const MessageCost& cost)
  {
    return *this << cost.latency.value() << cost.efficiency << cost.limit.value() << cost.whole_latency;
  }
  std::string take() { return std::move(text_); }

private:
  std::string text_;
};

/// A job at a place, as far as the executor can tell.
struct Situated {
  const PreparedJob* job = nullptr;
  Placement placement;
  int kind = -1;                // equal numbers: same name, workers, machines, most workers on a machine
  int shape = -1;               // equal numbers: equal but for the numbers of their links
  std::vector<LinkShare> links; // that can hold a flow back, in order of their number; see StepSpeed::links
  std::vector<int> position;    // of each of them among the job's links, in the order in which it meets them
};
using SituatedGroup = std::vector<const Situated*>;

/// Numbers the shapes of jobs at their places: their operations with times and sizes, their routes with the capacities
/// and latencies of the links, links numbered in the order in which the job meets them.
class Shapes
{
public:
  explicit Shapes(const PreparedScenario& scenario);
  ~Shapes();

  /// @p step: its first step beside others. @p description: equal for jobs that differ in nothing but their place.
  /// @p whole_links: the job fills every link that it uses, for executors in which messages wait for each other at a
  /// link that could carry both.
  Situated at(const PreparedJob& job, const PlacedJob& placed, const StepProgram& step, const std::string& description,
              bool whole_links = false);

private:
  const PreparedScenario& scenario_;
  std::unique_ptr<ProgramRunner> planner_; // knows the routes of earlier jobs; made on first use
  std::unordered_map<std::string, int> shapes_;
  std::vector<LinkShare> met_;        // by the job that is looked at, in this order
  std::vector<std::size_t> position_; // by capacity: where it is in this order, if it is there
  std::map<std::tuple<std::string, std::size_t, std::size_t, std::size_t>, int> kinds_;
};

/// Links that several jobs use and together could fill: (link, users as (job, position)), in order of link.
using ContendedLinks = std::vector<std::pair<int, std::vector<std::pair<int, int>>>>;

/// @p group: places; null ones use nothing.
ContendedLinks contended_links(std::span<const Situated* const> group);

/// What the executor can tell of jobs side by side: two groups of equal key are the same one to it, whichever machines
/// they run on.
struct Situation {
  std::vector<std::size_t> order; // of the jobs in the key: it does not depend on who came first
  std::vector<int> key;
};
Situation situation_of(std::span<const Situated* const> group);

} // namespace trainyard
