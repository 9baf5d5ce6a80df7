// SPDX-License-Identifier: Apache-2.0
// Scenarios with several parts, ready to be run.
#pragma once
#include "models/core/data_folder.hpp"
#include "sim/run/simulate.hpp"
#include "sim/sources/together/together.hpp"

#include <fmt/format.h>
#include <string>

namespace trainyard::tests {

inline const Catalogue& shipped_catalogue()
{
  static const Catalogue read = load_catalogue(data_folder());
  return read;
}

/// A scenario text, read and checked; faults are thrown.
inline CheckedPoint point_of(const std::string& text)
{
  static const Parts parts = registered_parts();
  Diagnostics diagnostics;
  const Document document = parse_document(text, "test.yaml", diagnostics);
  diagnostics.throw_if_errors();
  const CheckedPoint point = check_point(SweepPoint{{}, document}, shipped_catalogue(), parts, diagnostics);
  diagnostics.throw_if_errors();
  return point;
}

/// A scenario with its parts, which run under its first policy and placement.
struct Mixed {
  explicit Mixed(const std::string& text) : point{point_of(text)}, parts{point, shipped_catalogue(), notes} {}

  together::TogetherRun run(together::LeftOut without = together::LeftOut::nothing)
  {
    const SchedulingSection& scheduling = parts.queue().scheduling;
    return parts.run(scheduling.policies.front(), scheduling.placements.front(), without);
  }
  Instant until() const { return Instant{point.scenario.run.until}; }

  CheckedPoint point;
  std::string notes;
  together::TogetherPoint parts;
};

/// Three machines of four GPUs in two racks.
inline const std::string three_machines = R"(
cluster:
  node_types:
    box: {gpu: V100-SXM2-16GB, gpus: 4, cpu_cores: 16, memory: 64 GB}
  nodes: [{name: box, type: box, count: 3, per_rack: 2}]
  network: {link: 25GbE}
)";

/// So many machines of @p gpus GPUs; the rest of the scenario follows.
inline std::string boxes(int count, int gpus = 4)
{
  return fmt::format(R"(
cluster:
  node_types: {{box: {{gpu: V100-SXM2-16GB, gpus: {}, cpu_cores: 16}}}}
  nodes: [{{name: box, type: box, count: {}}}]
  network: {{link: 25GbE}}
)",
                     gpus, count);
}

/// Time that a request of retraining has spent so, in s.
inline double spent_s(const together::TogetherRun& run, std::size_t request, Segment segment)
{
  return seconds(run.retraining->runs.front().requests.at(request).spent[static_cast<std::size_t>(segment)]).value();
}

} // namespace trainyard::tests
