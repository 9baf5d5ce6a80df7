// SPDX-License-Identifier: Apache-2.0
/// What was built to check a scenario is what runs: the files must be those of a run that builds everything again.
#include "models/core/data_folder.hpp"
#include "sim/report/files.hpp"
#include "tests/support/checked_points.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace trainyard {
namespace {

std::string files_of(const std::vector<CheckedPoint>& points, const Catalogue& catalogue, bool as_checked)
{
  const Results results = simulate(points, catalogue, {.as_checked = as_checked});
  return summary_json(results) + jobs_csv(results) + steps_csv(results) + links_csv(results) + link_loads_csv(results) +
         traffic_csv(results) + events_csv(results);
}

std::string scenario(const std::string& machines, const std::string& network, const std::string& job,
                     const std::string& run)
{
  return "cluster:\n  node_types: {box: {gpu: V100-SXM2-16GB, gpus: 2}, host: {gpus: 0, nics: 1, intra: host_only}}\n"
         "  nodes: [" +
         machines + "]\n  network: {topology: " + network + "}\njobs: [" + job + "]\nrun: {" + run + "}\n";
}

TEST(AsChecked, TheRunOfWhatWasCheckedIsThatOfANewOne)
{
  const Catalogue catalogue = load_catalogue(data_folder());
  const std::string boxes = "{name: box, type: box, count: 4}", hosts = ", {name: host, type: host, count: 2}";
  const std::string even = "{name: box, type: box, count: 64}"; // a sample of the machines is built
  for (const std::string& text :
       {scenario(even, "rail, link: 100GbE", "{name: a, model: resnet50, workers: 128, training: {mode: all_reduce}}",
                 "fidelity: closed_form"),
        scenario(boxes + hosts, "star, link: 10GbE",
                 "{name: a, model: alexnet, workers: 4, training: {mode: parameter_server, servers: 2, update_rule: "
                 "async}}",
                 "fidelity: fluid, seed: 7"),
        scenario(boxes, "star, link: 10GbE",
                 "{name: a, model: alexnet, workers: 4, copies: 2, stragglers: [{worker: 1, slow_down: 1.5}], jitter: "
                 "{distribution: log_normal, coefficient_of_variation: 0.1}, training: {mode: all_reduce}}",
                 "fidelity: fluid, seed: 3")}) {
    SCOPED_TRACE(text);
    const std::vector<CheckedPoint> points = tests::checked_points(text, "checked.yaml");
    ASSERT_EQ(points.size(), 1U);
    EXPECT_NE(points.front().prepared, nullptr);
    const std::string anew = files_of(points, catalogue, false);
    EXPECT_EQ(files_of(points, catalogue, true), anew);
    EXPECT_EQ(files_of(points, catalogue, true), anew) << "a run has changed what it was given";
  }
}

TEST(AsChecked, OfSeveralPointsNothingIsKept)
{
  const std::string text =
      scenario("{name: box, type: box, count: 4}", "star, link: 10GbE",
               "{name: a, model: alexnet, workers: 4, training: {mode: all_reduce}}", "fidelity: closed_form") +
      "sweep: {grid: {jobs.0.workers: [2, 4]}}\n";
  for (const CheckedPoint& point : tests::checked_points(text, "checked.yaml"))
    EXPECT_EQ(point.prepared, nullptr) << point.label;
}

} // namespace
} // namespace trainyard
