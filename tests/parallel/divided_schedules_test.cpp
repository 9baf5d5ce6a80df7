// SPDX-License-Identifier: Apache-2.0
/// Every pipeline schedule on the links of a cluster, against its task list, and what layouts of replicas send there.
#include "models/core/data_folder.hpp"
#include "sim/run/simulate.hpp"
#include "sim/sources/parallel/parallel_job.hpp"
#include "sim/sources/parallel/parallel_row.hpp"
#include "tests/support/checked_points.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace trainyard {
namespace {

const Catalogue& schedules_hardware()
{
  static const Catalogue hardware = load_catalogue(data_folder());
  return hardware;
}

/// One job on machines of so many H100, each GPU with a network card of its own on a switch that carries all.
Scenario scenario_with(int machines, int gpus, const std::string& model, const std::string& layout)
{
  const std::string text = fmt::format(
      "trainyard: 1\nname: d\nquestion: how fast?\ncluster:\n  node_types: {{n: {{gpu: H100-SXM5, gpus: {}}}}}\n  "
      "nodes: "
      "[{{name: n, type: n, count: {}}}]\n  network: {{topology: rail, link: IB-NDR, unit: 64}}\njobs:\n  - {{name: a, "
      "model: {}, precision: bf16, training: {{parallel: {{{}}}}}}}\nrun: {{fidelity: fluid}}\n",
      gpus, machines, model, layout);
  return tests::checked_points(text, "d.yaml").front().scenario;
}

ParallelJob job_in(const Scenario& scenario)
{
  Diagnostics diagnostics;
  ParallelJob job = parallel_job(scenario, scenario.jobs.front(), schedules_hardware(), diagnostics);
  diagnostics.throw_if_errors();
  return job;
}

ParallelStep on_links(const Scenario& scenario)
{
  return steps_on_links(scenario, schedules_hardware()).front();
}

/// Two matrices for words, so that nothing but passes is left with one replica.
const std::string untied_model = "{name: transformer, layers: 16, hidden: 2048, heads: 16, vocabulary: 32000, "
                                 "sequence_length: 2048}";

struct ScheduleCase {
  const char* name;
  const char* schedule;
};

class DividedSchedules : public testing::TestWithParam<ScheduleCase>
{
};

TEST_P(DividedSchedules, InsideAMachineTheStepIsThatOfTheTaskList)
{
  // Messages between stages take the time of their closed form there, and none waits for another. Gradients of copies
  // (DualPipe holds each stage twice) travel as soon as both copies are done, where the closed form adds them at the
  // end: everything but them is equal, and they take no longer.
  const std::string layout =
      fmt::format("pp: 4, tp: 2, dp: 1, global_batch: 16, overlap_gradients: false, {}", GetParam().schedule);
  const Scenario scenario = scenario_with(1, 8, untied_model, layout);
  const ParallelStep formula = parallel_step(job_in(scenario)), links = on_links(scenario);
  EXPECT_NEAR((links.step - links.data) / (formula.step - formula.data), 1, 1e-6);
  EXPECT_LE(links.data.value(), formula.data.value() + 1e-9);
  EXPECT_GT(formula.pipeline.value(), 0);
}

TEST_P(DividedSchedules, BetweenMachinesMessagesOfOneRankShareItsCard)
{
  // Where chunks of a rank go both ways, a forward and a backward message may leave over one card at the same time; the
  // closed form gives each the whole card. With half of a card for each the step is no shorter than what it takes.
  const std::string layout =
      fmt::format("pp: 4, dp: 1, global_batch: 16, overlap_gradients: false, {}", GetParam().schedule);
  const Scenario scenario = scenario_with(4, 1, untied_model, layout);
  ParallelJob job = job_in(scenario);
  const ParallelStep whole = parallel_step(job), links = on_links(scenario);
  job.network.between /= 2;
  const ParallelStep half = parallel_step(job);
  EXPECT_GE((links.step - links.data).value(), (whole.step - whole.data).value() * (1 - 1e-6));
  EXPECT_LE((links.step - links.data).value(), (half.step - half.data).value() * (1 + 1e-6));
}

INSTANTIATE_TEST_SUITE_P(Registered, DividedSchedules,
                         testing::Values(ScheduleCase{"GPipe", "schedule: gpipe"},
                                         ScheduleCase{"OneFOneB", "schedule: 1f1b"},
                                         ScheduleCase{"Interleaved", "vp: 2"},
                                         ScheduleCase{"ZeroBubbleH1", "schedule: zb_h1"},
                                         ScheduleCase{"ZeroBubbleV", "vp: 2, schedule: zbv"},
                                         ScheduleCase{"DualPipe", "schedule: dualpipe"}),
                         [](const auto& test) { return std::string{test.param.name}; });

TEST(DividedSchedules, TokensHideBehindThePassThatRunsTogetherWithTheirs)
{
  // Two ranks hold the experts of each stage, in one machine.
  const std::string experts = "{name: transformer, layers: 16, hidden: 2048, heads: 16, vocabulary: 32000, experts: 8, "
                              "active_experts: 2, ffn: 4096, sequence_length: 2048}";
  const Scenario scenario = scenario_with(
      1, 8, experts, "pp: 4, dp: 2, ep: 2, global_batch: 32, overlap_gradients: false, schedule: dualpipe");
  const ParallelStep formula = parallel_step(job_in(scenario)), links = on_links(scenario);
  EXPECT_GT(formula.expert.value(), 0);
  EXPECT_NEAR((links.step - links.data) / (formula.step - formula.data), 1, 1e-6);
}

} // namespace
} // namespace trainyard
