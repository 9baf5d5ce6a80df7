// SPDX-License-Identifier: Apache-2.0
#include "sim/step/engine/executor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

namespace trainyard {
namespace {

constexpr double tolerance = 1e-6;
constexpr std::size_t most_sentences = 10;

/// Operations on each lane at a time, against its slots.
void check_lanes(const StepProgram& program, const StepTrace& trace, std::vector<std::string>& broken)
{
  // Where each operation begins after the one before it there is one at a time.
  std::vector<Seconds> latest(program.lanes.size(), Seconds{-std::numeric_limits<double>::infinity()});
  std::vector<bool> in_a_row(program.lanes.size(), true);
  for (std::size_t i = 0; i < program.operations.size(); ++i)
    if (const Span& span = trace.spans[i]; span.end > span.begin)
      for (const LaneId lane : program.operations[i].lanes) {
        const auto index = static_cast<std::size_t>(lane.index);
        in_a_row[index] = in_a_row[index] && span.begin >= std::exchange(latest[index], span.end);
      }
  std::vector<std::vector<std::pair<double, int>>> changes(program.lanes.size());
  for (std::size_t i = 0; i < program.operations.size(); ++i)
    if (trace.spans[i].end > trace.spans[i].begin)
      for (const LaneId lane : program.operations[i].lanes) {
        if (in_a_row[static_cast<std::size_t>(lane.index)])
          continue;
        changes[static_cast<std::size_t>(lane.index)].emplace_back(trace.spans[i].begin.value(), 1);
        changes[static_cast<std::size_t>(lane.index)].emplace_back(trace.spans[i].end.value(), -1);
      }
  for (std::size_t lane = 0; lane < changes.size(); ++lane) {
    std::ranges::sort(changes[lane]); // at one instant ends come first
    int running = 0;
    for (const auto& [time, change] : changes[lane])
      if ((running += change) > std::max(program.lanes[lane].slots, program.lanes[lane].slots_by_connection)) {
        broken.push_back(fmt::format("job '{}': lane '{}' works on {} operations at {} s and has {} slots", program.job,
                                     program.lanes[lane].name, running, time, program.lanes[lane].slots));
        break;
      }
  }
}

void check_order(const StepProgram& program, const StepTrace& trace, std::vector<std::string>& broken)
{
  for (std::size_t i = 0; i < program.operations.size(); ++i) {
    const Span& span = trace.spans[i];
    const double slack = tolerance * std::max(1e-3, span.end.value());
    if (span.end.value() < span.begin.value() - slack)
      broken.push_back(fmt::format("job '{}': operation {} '{}' takes negative time, {} s", program.job, i,
                                   program.operations[i].name.text(), (span.end - span.begin).value()));
    for (const OperationId before : program.operations[i].after)
      if (span.begin.value() < trace.spans[static_cast<std::size_t>(before.index)].end.value() - slack)
        broken.push_back(
            fmt::format("job '{}': operation {} '{}' starts before the operation that it waits for has ended",
                        program.job, i, program.operations[i].name.text()));
  }
}

} // namespace

std::vector<std::string> broken_physics(const Cluster& cluster, std::span<const StepProgram* const> programs,
                                        std::span<const StepTrace* const> traces, bool shared_links)
{
  std::vector<std::string> broken;
  Seconds begin{std::numeric_limits<double>::infinity()};
  Seconds end{-std::numeric_limits<double>::infinity()};
  std::vector<std::pair<LinkId, Bytes>> carried;
  for (std::size_t p = 0; p < traces.size(); ++p) {
    const StepProgram& program = *programs[p];
    const StepTrace& trace = *traces[p];
    begin = std::min(begin, trace.begin);
    end = std::max(end, trace.end);
    const Seconds window = trace.end - trace.begin;
    check_order(program, trace, broken);
    check_lanes(program, trace, broken);
    for (const LinkUse& use : trace.links) {
      carried.emplace_back(use.link, use.bytes);
      if (use.busy > window * (1 + tolerance))
        broken.push_back(fmt::format("job '{}': link '{}' is busy for {} s of {} s", program.job,
                                     cluster.link(use.link).name, use.busy.value(), window.value()));
    }
    // A resource's capacity counts payload; the bytes here are what occupies links, up to 1 / efficiency times as many.
    double efficiency = 1;
    for (const Operation& operation : program.operations)
      if (const auto* transfer = std::get_if<Transfer>(&operation.work))
        efficiency = std::min(efficiency, transfer->cost.efficiency);
    for (const ResourceUse& use : trace.resources) {
      const Resource& resource = program.resources[static_cast<std::size_t>(use.resource.index)];
      if (shared_links && use.bytes.value() * efficiency > resource.capacity.value() * window.value() * (1 + tolerance))
        broken.push_back(fmt::format("job '{}': {} carries {} B in {} s at {} B/s", program.job, resource.name,
                                     use.bytes.value(), window.value(), resource.capacity.value()));
    }
  }
  std::ranges::stable_sort(carried, {}, &std::pair<LinkId, Bytes>::first);
  for (std::size_t next = 0; next < carried.size();) {
    const LinkId id = carried[next].first;
    Bytes bytes;
    for (; next < carried.size() && carried[next].first == id; ++next)
      bytes += carried[next].second;
    if (shared_links && bytes.value() > cluster.link(id).data_rate().value() * (end - begin).value() * (1 + tolerance))
      broken.push_back(fmt::format("link '{}' carries {} B in {} s at {} B/s", cluster.link(id).name, bytes.value(),
                                   (end - begin).value(), cluster.link(id).data_rate().value()));
  }
  if (broken.size() > most_sentences)
    broken.resize(most_sentences);
  return broken;
}

} // namespace trainyard
