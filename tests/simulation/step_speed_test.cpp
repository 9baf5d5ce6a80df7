// SPDX-License-Identifier: Apache-2.0
// Job speed from the step simulation, for jobs of a queue at their places.
#include "models/core/data_folder.hpp"
#include "sim/cluster/speed/step_speed.hpp"

#include <gtest/gtest.h>

namespace trainyard {
namespace {

JobSpec vgg()
{
  JobSpec spec;
  spec.name = "vgg";
  spec.model = "vgg16";
  spec.training.settings.set("collective", std::string{"ring"});
  spec.training.settings.set("transport", std::string{"nccl"});
  return spec;
}

/// Four nodes of 2 V100 behind one switch of 10 Gbit/s.
std::unique_ptr<PreparedScenario> four_nodes(const Catalogue& catalogue)
{
  Scenario scenario;
  NodeTypeSpec type;
  type.name = "machine";
  type.gpu = "V100-SXM2-16GB";
  type.gpus = 2;
  scenario.cluster.node_types["machine"] = type;
  scenario.cluster.nodes.push_back({"worker", "machine", 4, 0});
  scenario.cluster.network.link = "10GbE";
  scenario.transports = catalogue.transports;
  scenario.run.fidelity = "fluid";
  scenario.jobs = {vgg()};
  Diagnostics diagnostics;
  auto prepared = prepare(scenario, catalogue, diagnostics);
  diagnostics.throw_if_errors();
  return prepared;
}

Allocation on(std::initializer_list<std::pair<int, std::uint32_t>> places)
{
  Allocation held;
  for (const auto& [node, mask] : places) {
    held.shares.push_back({.node = node, .gpu_mask = mask});
    held.gpus += held.shares.back().gpus();
  }
  return held;
}

TEST(StepSpeed, SpreadIsSlowerThanPackedAndNeighboursOnTheSamePortsSlowIt)
{
  const Catalogue catalogue = load_catalogue(data_folder());
  const auto scenario = four_nodes(catalogue);
  Workload workload;
  const int model = workload.models.index_of("vgg");
  workload.jobs = {{.duration = Seconds{100}, .gpus = 2, .model = model},
                   {.duration = Seconds{100}, .gpus = 2, .model = model}};
  StepSpeed speed{*scenario, catalogue};

  const Allocation packed = on({{3, 3}});
  const PlacedTraceJob alone[] = {{JobId{0}, &workload.jobs[0], &packed}};
  EXPECT_NEAR(speed.speeds(workload, alone)[0].speed, 1, 1e-9);

  const Allocation first = on({{0, 1}, {1, 1}});
  const Allocation second = on({{0, 2}, {1, 2}});
  const PlacedTraceJob both[] = {{JobId{0}, &workload.jobs[0], &first}, {JobId{1}, &workload.jobs[1], &second}};
  const auto spread = speed.speeds(workload, std::span{both}.first(1));
  EXPECT_LT(spread[0].speed, 0.8);
  EXPECT_EQ(spread[0].speed, spread[0].alone);
  const auto together = speed.speeds(workload, both);
  EXPECT_EQ(together[0].alone, spread[0].speed);
  EXPECT_LT(together[0].speed,
            0.75 * spread[0].speed); // the exchange of 553 MB takes most of the step, and now twice as long
  EXPECT_EQ(together[0].neighbour, JobId{1});
  EXPECT_NE(speed.link_name(together[0].link).find("worker-0"), std::string::npos);

  // The same constellation on other machines is known already.
  const std::size_t before = speed.situations();
  const Allocation third = on({{2, 1}, {3, 1}});
  const PlacedTraceJob elsewhere[] = {{JobId{0}, &workload.jobs[0], &third}};
  EXPECT_EQ(speed.speeds(workload, elsewhere)[0].speed, spread[0].speed);
  EXPECT_EQ(speed.situations(), before);
}

TEST(StepSpeed, ManyNeighboursAddUpAsTheyWouldTogether)
{
  // Three rings of VGG-16 over the same two ports of 10 Gbit/s. One exchange of 553 MB takes 0.44 s, so three of them
  // keep the port busy for at least 1.33 s a step, however they interleave. Added pair by pair, a step is that of three
  // stepped together within a tenth.
  const Catalogue catalogue = load_catalogue(data_folder());
  Scenario scenario = four_nodes(catalogue)->scenario;
  scenario.cluster.node_types["machine"].gpus = 4;
  Diagnostics diagnostics;
  const auto prepared = prepare(scenario, catalogue, diagnostics);
  Workload workload;
  const int model = workload.models.index_of("vgg");
  workload.jobs.assign(3, {.duration = Seconds{100}, .gpus = 2, .model = model});
  const Allocation held[] = {on({{0, 1}, {1, 1}}), on({{0, 2}, {1, 2}}), on({{0, 4}, {1, 4}})};
  std::vector<PlacedTraceJob> jobs;
  for (int i = 0; i < 3; ++i)
    jobs.push_back({JobId{i}, &workload.jobs[static_cast<std::size_t>(i)], &held[i]});
  StepSpeed joint{*prepared, catalogue};
  StepSpeed pairs{*prepared, catalogue, 2};
  const auto exact = joint.speeds(workload, jobs), added = pairs.speeds(workload, jobs);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(added[i].speed, exact[i].speed, 0.1 * exact[i].speed);
    EXPECT_TRUE(added[i].neighbour);
    EXPECT_GE(joint.step_times(workload, jobs)[i], 3 * 2 * 0.5 * 138'357'544 * 4 / 1.25e9);
  }
}

} // namespace
} // namespace trainyard
