// SPDX-License-Identifier: Apache-2.0
// Runs a shipped scenario as `simrun NAME --set …` does, inside the test.
#pragma once
#include "models/core/data_folder.hpp"
#include "models/scenario/document.hpp"
#include "sim/run/simulate.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <string>
#include <utility>
#include <vector>

namespace trainyard::tests {

using Settings_ = std::vector<std::pair<std::string, std::string>>;

struct ScenarioRun {
  Document document;
  Diagnostics diagnostics;
  std::vector<CheckedPoint> points;
  Results results;

  bool refused() const { return diagnostics.has_errors(); }
  /// All messages as the user reads them.
  std::string messages() const
  {
    std::string text;
    for (const Diagnostic& diagnostic : diagnostics.sorted())
      text += format(diagnostic);
    return text;
  }
  const JobRow& row(const std::string& variant, int workers = 0) const
  {
    for (const JobRow& job : results.jobs)
      if (job.variant == variant && (workers == 0 || job.workers == workers))
        return job;
    ADD_FAILURE() << "no row of variant '" << variant << "' with " << workers << " workers\n" << messages();
    static const JobRow none;
    return none;
  }
  /// Payload per step from one task to another (a name, or its beginning: "worker-", ""), at a point whose label
  /// contains @p point.
  double traffic(const std::string& from, const std::string& to, const std::string& point = {}) const
  {
    double sum = 0;
    for (const TrafficRow& row : results.traffic)
      if (matches(row.from, from) && matches(row.to, to) && row.point.find(point) != std::string::npos)
        sum += row.bytes.value();
    return sum;
  }
  double over_network(const std::string& point = {}) const
  {
    double sum = 0;
    for (const TrafficRow& row : results.traffic)
      if (row.over_network && row.point.find(point) != std::string::npos)
        sum += row.bytes.value();
    return sum;
  }

private:
  static bool matches(const std::string& name, const std::string& pattern)
  {
    return pattern.empty() || name == pattern || (pattern.back() == '-' && name.starts_with(pattern));
  }
};

/// Reads and checks; runs it unless a fault was found or @p run is false.
inline ScenarioRun run_scenario(const std::string& name, const Settings_& settings = {}, bool run = true)
{
  ScenarioRun done;
  done.document = read_document(data_folder() / "scenarios" / (name + ".yaml"), done.diagnostics);
  for (const auto& [path, value] : settings)
    set_path(done.document, path, value);
  done.points = check_points(done.document, done.diagnostics);
  if (run && !done.refused())
    done.results = simulate(done.points);
  return done;
}

} // namespace trainyard::tests
