// SPDX-License-Identifier: Apache-2.0
#include "sim/step/engine/executor.hpp"
#include "sim/step/training/all_reduce_plan.hpp"
#include "sim/step/training/message_cost.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <string>

namespace trainyard {
namespace {

/// Two nodes with two GPUs each behind a star of 1 GB/s; a DNN of three layers with 1, 2 and 5 MB of gradients.
struct Bed {
  Cluster cluster;
  JobSpec job;
  Placement placement;
  Dnn dnn;
  std::map<std::string, Transport> transports;
  Random random{1};
  std::vector<WorkerTimes> workers;

  Bed()
  {
    const VertexId core = cluster.add_vertex({VertexKind::network_switch, "switch", {}});
    for (int node = 0; node < 2; ++node) {
      Node machine;
      machine.name = "node-" + std::to_string(node);
      machine.host = cluster.add_vertex({VertexKind::host, machine.name, NodeId{node}});
      for (int gpu = 0; gpu < 2; ++gpu) {
        machine.gpus.push_back(
            cluster.add_vertex({VertexKind::gpu, machine.name + "/gpu-" + std::to_string(gpu), NodeId{node}}));
        cluster.add_link("pcie", LinkKind::pcie, machine.gpus.back(), machine.host, 10_GBps, Seconds{});
        placement.workers.push_back(machine.gpus.back());
      }
      cluster.add_link("cable", LinkKind::ethernet, machine.host, core, 1_GBps, Seconds{});
      cluster.add_node(machine);
    }
    dnn.layers = {{.name = "a", .parameters = {{"w", 0.25e6}}},
                  {.name = "b", .parameters = {{"w", 0.5e6}}},
                  {.name = "c", .parameters = {{"w", 1.25e6}}}};
    transports["nccl"] = Transport{.name = "nccl"};
    workers.assign(4, {{2_ms, 2_ms, 2_ms}, {4_ms, 4_ms, 4_ms}, 1_ms});
    job.name = "job";
    job.workers = 4;
  }

  TrainingContext context() const
  {
    return {.cluster = cluster,
            .job = job,
            .placement = placement,
            .dnn = dnn,
            .workers = workers,
            .transports = transports,
            .random = random};
  }

  StepProgram program(const Settings& settings, int steps = 1) const
  {
    return Registry<TrainingMode>::instance().create("all_reduce", settings)->program(context(), 0, steps);
  }
};

Settings with(const std::string& fusion)
{
  Settings settings;
  settings.set("fusion", fusion);
  settings.set("kernel_wait", 0.0);
  settings.set("collective", "ring");
  return settings;
}

std::vector<const CollectiveCall*> calls(const StepProgram& program)
{
  std::vector<const CollectiveCall*> result;
  for (const Operation& operation : program.operations)
    if (const auto* call = call_of(operation.work))
      result.push_back(call);
  return result;
}

Seconds compute_time(const StepProgram& program)
{
  Seconds sum;
  for (const Operation& operation : program.operations)
    if (const auto* compute = std::get_if<Compute>(&operation.work))
      sum += compute->duration;
  return sum;
}

TEST(AllReduce, SendsGradientsFromTheLastLayerToTheFirst)
{
  const StepProgram program = Bed{}.program(with("none"));
  const auto sent = calls(program);
  ASSERT_EQ(sent.size(), 3u);
  EXPECT_DOUBLE_EQ(sent[0]->payload.value(), 5e6);
  EXPECT_DOUBLE_EQ(sent[2]->payload.value(), 1e6);
  EXPECT_EQ(sent[0]->ranks.size(), 4u);
  EXPECT_DOUBLE_EQ(compute_time(program).value(), 19e-3); // equal workers share one lane: 3 x 2 + 3 x 4 + 1 ms
  EXPECT_DOUBLE_EQ(program.samples_per_step, 4 * 32);
}

// Two ranks, two rounds of 100 ms latency each for a collective, three collectives of a few bytes that are ready at
// once: with two at a time they take 400 ms, one after the other 600. Connections share links at `tcp` only; Horovod's
// thread starts none before the last one is over.
TEST(AllReduce, GlooCarriesTwoCollectivesAtATimeWhereConnectionsShareLinks)
{
  Bed bed;
  bed.placement.workers = {bed.placement.workers[0], bed.placement.workers[2]};
  bed.workers.assign(2, {{0_ms, 0_ms, 0_ms}, {0_ms, 0_ms, 0_ms}, 0_ms});
  for (Layer& layer : bed.dnn.layers)
    layer.parameters.front().elements = 2;
  Transport gloo{.name = "gloo", .latency = 100_ms};
  gloo.settings.set("collectives_in_flight", 2);
  bed.transports["gloo"] = gloo;
  const auto takes = [&](const std::string& fusion, const std::string& fidelity) {
    Settings settings = with(fusion);
    settings.set("transport", "gloo");
    settings.set("fusion_threshold", 0);
    settings.set("cycle_time", 0);
    const StepProgram program = bed.program(settings);
    const ProgramRun run{&program, Seconds{}};
    return Registry<Executor>::instance().create(fidelity)->run(bed.cluster, {&run, 1}).front().end.value();
  };
  EXPECT_NEAR(takes("none", "tcp"), 0.4, 1e-3);
  EXPECT_NEAR(takes("none", "fluid"), 0.6, 1e-3);
  EXPECT_NEAR(takes("horovod", "tcp"), 0.6, 1e-3);
}

// Each GPU has a link of 10 GB/s to its host: 5, 2 and 1 MB take 0.5, 0.2 and 0.1 ms to the host, and as long back.
TEST(AllReduce, WhatCannotReadGpuMemoryIsCopiedToTheHostAndBack)
{
  Bed bed;
  bed.transports["mpi"] = Transport{.name = "mpi"};
  bed.transports["mpi"].settings.set("copies_to_host", 1);
  EXPECT_DOUBLE_EQ(copies_to_host_and_back(bed.context()).value(), 2 / 10e9) << "each has a link of its own";
  Settings settings = with("none");
  settings.set("transport", "mpi");
  const StepProgram program = bed.program(settings);
  std::vector<double> copies;
  for (const Operation& operation : program.operations)
    if (operation.name.starts_with("copy to"))
      copies.push_back(std::get<HostWork>(operation.work).duration.value());
  EXPECT_THAT(copies, ::testing::Pointwise(::testing::DoubleNear(1e-12), {5e-4, 5e-4, 2e-4, 2e-4, 1e-4, 1e-4}));
  settings.set("staging_per_GB", 0);
  EXPECT_EQ(bed.program(settings).lanes.size(), program.lanes.size() - 2);
  settings = with("none");
  EXPECT_EQ(bed.program(settings).lanes.size(), program.lanes.size() - 2) << "NCCL reads GPU memory";
}

// As above: 8 MB in two rounds, 4 MB each: 0.4 ms to the host before each exchange, as long back after it.
TEST(Generic, WhatCannotReadGpuMemoryIsCopiedToTheHostAndBack)
{
  Bed bed;
  bed.job.model = "generic";
  bed.transports["gloo"] = Transport{.name = "gloo"};
  bed.transports["gloo"].settings.set("copies_to_host", 1);
  const auto copies = [&](const std::string& transport, double staging_per_GB) {
    Settings settings;
    settings.set("transport", transport);
    settings.set("collective", "ring");
    settings.set("exchange", 8e6);
    settings.set("rounds", 2);
    if (staging_per_GB >= 0)
      settings.set("staging_per_GB", staging_per_GB);
    std::vector<double> list;
    for (const Operation& operation :
         Registry<TrainingMode>::instance().create("generic", settings)->program(bed.context(), 0, 1).operations)
      if (const auto* work = std::get_if<HostWork>(&operation.work))
        list.push_back(work->duration.value());
    return list;
  };
  EXPECT_THAT(copies("gloo", -1), ::testing::Pointwise(::testing::DoubleNear(1e-12), {4e-4, 4e-4, 4e-4, 4e-4}));
  EXPECT_THAT(copies("gloo", 0.1), ::testing::Pointwise(::testing::DoubleNear(1e-12), {2e-4, 2e-4, 2e-4, 2e-4}));
  EXPECT_THAT(copies("nccl", -1), ::testing::IsEmpty());
}

// Gradients of 5, 2 and 1 MB become ready after 4, 8 and 12 ms. The thread looks after 4 ms and waits for 5 MB: a ring
// of four over 1 GB/s takes 1.5 x 5 = 7.5 ms, so it looks again after 11.5 ms and finds the second tensor alone. Copies
// to the host and back at 2 GB/s each way, 5 ms, make it look after 16.5 ms: it finds both others.
TEST(AllReduce, AThreadThatWaitsForAnExchangeWaitsForItsCopiesToo)
{
  Bed bed;
  bed.transports["mpi"] = Transport{.name = "mpi"};
  Settings settings = with("horovod");
  settings.set("transport", "mpi");
  settings.set("blocking", 1);
  settings.set("cycle_time", 0);
  EXPECT_EQ(calls(bed.program(settings)).size(), 3U);
  settings.set("staging_per_GB", 1);
  const StepProgram program = bed.program(settings);
  ASSERT_EQ(calls(program).size(), 2U);
  EXPECT_DOUBLE_EQ(calls(program)[1]->payload.value(), 3e6);
  // 0.75 ms there and back: it looks after 12.25 ms. TensorFlow copies back by itself: after 11.875 ms.
  settings.set("staging_per_GB", 0.15);
  EXPECT_EQ(calls(bed.program(settings)).size(), 2U);
  settings.set("copies_back", 0);
  EXPECT_EQ(calls(bed.program(settings)).size(), 3U);
}

// 66 bytes for two segments of 1,448 on a line of 100 Mbit/s: 0.0228 of the payload. At 10 Gbit/s 64 KiB have one.
TEST(AllReduce, AcknowledgementsLoadTheWayBackOfARing)
{
  EXPECT_NEAR(acknowledged_share(Bytes{66}, BytesPerSecond{12.5e6}), 66 / (2 * 1448.0), 1e-12);
  EXPECT_NEAR(acknowledged_share(Bytes{66}, BytesPerSecond{125e6}), 66 / (125e6 / 8000), 1e-12);
  EXPECT_NEAR(acknowledged_share(Bytes{66}, BytesPerSecond{1.25e9}), 66 / 65536.0, 1e-12);
  Bed bed;
  Transport tcp{.name = "tcp", .rate = {{Bytes{}, 0.95}}};
  tcp.settings.set("acknowledgement", 66);
  bed.transports["tcp"] = tcp;
  Settings settings = with("none");
  settings.set("transport", "tcp");
  // 1 GB/s: 8,000 interrupts a second merge up to 64 KiB.
  EXPECT_NEAR(calls(bed.program(settings)).front()->cost.efficiency, 1 / (1 / 0.95 + 66 / 65536.0), 1e-12);
}

TEST(AllReduce, OnlyCollectivesOfGpusWaitForMultiprocessors)
{
  // Six kernels (two per layer) in 12 ms of backward pass: a collective that starts during it waits half of one, 1 ms.
  // The last gradients are there when it ends. On hosts there is nothing to wait for, nor for a library that runs
  // there.
  Settings settings = with("none");
  Settings usual;
  usual.set("fusion", "none");
  usual.set("collective", "ring");
  Bed bed;
  const auto first_start_up = [&](const Settings& said) { return calls(bed.program(said)).front()->start_up.value(); };
  EXPECT_NEAR(first_start_up(usual) - first_start_up(settings), 0, 1e-12);
  bed.transports.at("nccl").gpu_direct = true;
  EXPECT_NEAR(first_start_up(usual) - first_start_up(settings), 1e-3, 1e-9);
  for (VertexId& worker : bed.placement.workers)
    worker = bed.cluster.node(bed.cluster.vertex(worker).node).host;
  bed.placement.workers.resize(2);
  bed.placement.workers[1] = bed.cluster.node(NodeId{1}).host;
  bed.workers.resize(2);
  EXPECT_NEAR(first_start_up(usual) - first_start_up(settings), 0, 1e-12);
}

TEST(AllReduce, ASingleBufferWaitsForTheWholeBackwardPass)
{
  const StepProgram program = Bed{}.program(with("single"));
  ASSERT_EQ(calls(program).size(), 1u);
  EXPECT_DOUBLE_EQ(calls(program)[0]->payload.value(), 8e6);
}

// Processes on the CPU of one host send over no link.
TEST(AllReduce, RanksAtOnePlaceKeepTheTransportsRate)
{
  Bed bed;
  const VertexId host = bed.cluster.vertex(bed.placement.workers.front()).node.index == 0
                            ? bed.cluster.node(NodeId{0}).host
                            : bed.cluster.node(NodeId{1}).host;
  bed.placement.workers.assign(4, host);
  const StepProgram program = bed.program(with("single"));
  ASSERT_EQ(calls(program).size(), 1u);
  EXPECT_EQ(calls(program)[0]->cost.efficiency, 1);
}

TEST(AllReduce, OneWorkerExchangesNothing)
{
  Bed bed;
  bed.placement.workers.resize(1);
  bed.workers.resize(1);
  Settings settings = with("none");
  settings.set("step_overhead", 1.0);
  settings.set("straggler_deviation", 1.0);
  const StepProgram program = bed.program(settings);
  EXPECT_TRUE(calls(program).empty());
  EXPECT_DOUBLE_EQ(compute_time(program).value(), 19e-3);
}

TEST(AllReduce, AccumulationExchangesOnce)
{
  Bed bed;
  bed.job.accumulation_steps = 3;
  const StepProgram program = bed.program(with("none"));
  EXPECT_EQ(calls(program).size(), 3u);
  EXPECT_DOUBLE_EQ(compute_time(program).value(), (3 * 18 + 1) * 1e-3);
  EXPECT_DOUBLE_EQ(program.samples_per_step, 3 * 4 * 32);
}

TEST(AllReduce, ASlowWorkerGetsALaneOfItsOwn)
{
  Bed bed;
  bed.workers[2].backward = {8_ms, 8_ms, 8_ms};
  const StepProgram program = bed.program(with("single"));
  ASSERT_EQ(program.lanes.size(), 3u); // three equal workers, the slow one, the communication stream
  EXPECT_EQ(program.lanes[0].members, 3);
  EXPECT_EQ(program.lanes[1].members, 1);
}

TEST(AllReduce, PlanAddsTheWaitForAKernelOnlyDuringTheBackwardPass)
{
  const Bed bed;
  const CollectiveShape shape = ring_shape(bed.context(), bed.transports.at("nccl"));
  EXPECT_EQ(shape.nodes, 2);
  EXPECT_FALSE(shape.nvlink);
  EXPECT_DOUBLE_EQ(shape.bus_bandwidth.value(), 1e9);
  const auto fusion = Registry<Fusion>::instance().create("none");
  const auto plan = plan_collectives(bed.dnn, bed.workers[0], 4, *fusion, {}, shape);
  // Gradients at 4, 8, 12 ms. 5 MB: 4 to 12 ms (2 x 3/4 x 5 MB / 1 GB/s = 7.5 ms + wait). Wait: half of 12 ms / (3
  // layers x 2 kernels) = 1 ms.
  EXPECT_DOUBLE_EQ(plan[0].start_up.value(), 1e-3);
  EXPECT_DOUBLE_EQ(plan[1].start_up.value(), 0); // starts at 12.5 ms, after the backward pass
  EXPECT_DOUBLE_EQ(plan[2].start_up.value(), 0);
}

TEST(AllReduce, CollectivesBesideTheBackwardPassTakeMultiprocessors)
{
  // 5 MB take 7.5 ms from 4 ms on, 2 MB the rest until 12 ms: collectives run for all of the 8 ms in which layers b and
  // a compute. One ring has two channels (NCCL, src/graph/connect.cc), of 20 multiprocessors: 8 x 2/20 = 0.8 ms more.
  Bed bed;
  bed.transports.at("nccl").gpu_direct = true;
  Gpu gpu;
  gpu.multiprocessors = 20;
  TrainingContext context = bed.context();
  context.gpu = &gpu;
  Settings settings = with("none");
  settings.set("channels", 1.0);
  const auto computed = [&] {
    return compute_time(Registry<TrainingMode>::instance().create("all_reduce", settings)->program(context, 0, 1));
  };
  EXPECT_NEAR(computed().value(), 19.8e-3, 1e-12);
  settings.set("collective_channels", 10.0); // half of them: 8 x 0.5 = 4 ms, less than 8 x 0.5 / (1 - 0.5)
  EXPECT_NEAR(computed().value(), 23e-3, 1e-12);
  settings.set("overlap", 0.0);
  EXPECT_NEAR(computed().value(), 19e-3, 1e-12);
  settings.set("overlap", 1.0);
  settings.set("contention_per_GB", 0.1); // has it in it: 8 MB x 0.1 s/GB = 0.8 ms
  EXPECT_NEAR(computed().value(), 19.8e-3, 1e-12);
  settings.set("contention_per_GB", 0.0);
  context.gpu = nullptr; // GPUs of several kinds
  EXPECT_NEAR(computed().value(), 19e-3, 1e-12);
}

TEST(AllReduce, TheBarrierWaitsForTheSlowestOfAllRanks)
{
  Settings settings = with("single");
  settings.set("straggler_deviation", 1e-3);
  settings.set("straggler_deviation_per_sample", 1e-4); // x 32 samples
  settings.set("straggler_variation", 0.1);             // x 18 ms
  settings.set("step_overhead", 2e-3);
  const StepProgram program = Bed{}.program(settings);
  Seconds waited;
  for (const Operation& operation : program.operations)
    if (const auto* host = std::get_if<HostWork>(&operation.work))
      waited += host->duration;
  // 2 ms + (1 + 3.2 + 1.8) ms x E[max of 4 normals]; Blom's quantile 3.625/4.25 is 1.049131 (exact 1.0294).
  EXPECT_NEAR(waited.value(), 2e-3 + 6e-3 * 1.049131, 1e-8);
}

// Two workers of 18 ms and two of 36: a tenth of 36 ms x E[max of 2 normals], Blom's quantile 1.625/2.25: 0.5895 (exact
// 0.5642), whoever is first.
TEST(AllReduce, TheBarrierWaitsForTheSlowestKindOfWorkers)
{
  Settings settings = with("single");
  settings.set("straggler_variation", 0.1);
  for (const std::size_t slow : {0U, 2U}) {
    Bed bed;
    bed.workers[slow] = bed.workers[slow + 1] = {{4_ms, 4_ms, 4_ms}, {8_ms, 8_ms, 8_ms}, 1_ms};
    Seconds waited;
    for (const Operation& operation : bed.program(settings).operations)
      if (const auto* host = std::get_if<HostWork>(&operation.work))
        waited += host->duration;
    EXPECT_NEAR(waited.value(), 3.6e-3 * 0.5895, 1e-6) << slow;
  }
}

TEST(AllReduce, TheFrameworksCostGrowsWithTheTensors)
{
  Settings settings = with("single");
  settings.set("overhead_per_tensor", 1e-4);
  settings.set("spread", "real_data");
  const Bed bed;
  Seconds waited;
  for (const Operation& operation : bed.program(settings).operations)
    if (const auto* host = std::get_if<HostWork>(&operation.work))
      waited += host->duration;
  // 3.9 % of 18 ms of computing times E[max of 4 normals], and 0.1 ms for each tensor.
  EXPECT_NEAR(waited.value(), bed.dnn.parameter_tensors() * 1e-4 + 0.039 * 18e-3 * 1.049131, 1e-8);
}

TEST(AllReduce, NeighboursOnTheHostSlowTheCompute)
{
  Settings settings = with("single");
  settings.set("slow_down_per_neighbour", 0.05); // two GPUs per node: 5 %
  EXPECT_NEAR(compute_time(Bed{}.program(settings)).value(), 1.05 * 18e-3 + 1e-3, 1e-12);
}

TEST(AllReduce, RefusesUnknownNamesAndUnsupportedDevices)
{
  Bed bed;
  bed.transports["nccl"].supports[{"all_reduce", "gpu"}] = "no";
  Settings settings = with("bucket");
  settings.set("collective", "rign");
  Diagnostics diagnostics;
  Registry<TrainingMode>::instance().create("all_reduce", settings)->check(bed.context(), diagnostics);
  EXPECT_EQ(diagnostics.errors(), 3);
  Diagnostics other;
  settings.set("transport", "ncl");
  Registry<TrainingMode>::instance().create("all_reduce", settings)->check(bed.context(), other);
  EXPECT_NE(other.sorted().front().message.find("nccl"), std::string::npos);
}

TEST(AllReduce, OnlyEthernetThatTheJobUsesKeepsSwitchesFromAddingUp)
{
  Bed bed;
  Settings settings = with("none");
  settings.set("network_reduction", 1);
  const auto told = [&] {
    Diagnostics diagnostics;
    Registry<TrainingMode>::instance().create("all_reduce", settings)->check(bed.context(), diagnostics);
    return diagnostics.sorted().empty() ? std::string{} : diagnostics.sorted().front().message;
  };
  EXPECT_EQ(told(),
            "job 'job' uses link cable: switches of Ethernet do not add up; name a link of InfiniBand (cluster: "
            "{network: {link: IB-NDR}}), or leave network_reduction out");
  bed.placement.workers.resize(2); // on one machine
  EXPECT_EQ(told(), "");
}

TEST(AllReduce, ChannelsOfLibrariesOnTheHostsHaveNoEffectAndThatIsSaid)
{
  Bed bed;
  bed.transports["nccl"].gpu_direct = true;
  bed.transports["gloo"] = Transport{.name = "gloo"};
  Settings settings = with("none");
  settings.set("collective_channels", 8);
  const auto told = [&](const std::string& transport) {
    settings.set("transport", transport);
    Diagnostics diagnostics;
    Registry<TrainingMode>::instance().create("all_reduce", settings)->check(bed.context(), diagnostics);
    return diagnostics.sorted().empty() ? std::string{} : diagnostics.sorted().front().message;
  };
  EXPECT_EQ(told("nccl"), "");
  EXPECT_EQ(told("gloo"), "'collective_channels' has no effect with transport gloo, whose collectives run on the hosts "
                          "and take no multiprocessors; leave it out");
  settings.set("contention_per_GB", 0.1);
  EXPECT_EQ(told("nccl"), "'collective_channels' has no effect beside contention_per_GB; leave it out");
}

// Row N1 of the founding documents: "no" is an error that names who can, "?" a warning.
TEST(SeedRows, N1UnsupportedPairsNameWhoCanAndUnknownOnesWarn)
{
  Bed bed;
  bed.transports["nccl"].supports[{"all_reduce", "gpu"}] = "no";
  bed.transports["gloo"].supports[{"all_reduce", "gpu"}] = "yes";
  Settings settings = with("single");
  Diagnostics refused;
  Registry<TrainingMode>::instance().create("all_reduce", settings)->check(bed.context(), refused);
  ASSERT_EQ(refused.errors(), 1);
  EXPECT_EQ(
      refused.sorted().front().message,
      "job 'job': transport 'nccl' has no all_reduce between GPUs; these can: 'gloo'; or choose a parameter server");
  bed.transports["nccl"].supports[{"all_reduce", "gpu"}] = "?";
  Diagnostics unsure;
  Registry<TrainingMode>::instance().create("all_reduce", settings)->check(bed.context(), unsure);
  EXPECT_EQ(unsure.errors(), 0);
  ASSERT_EQ(unsure.sorted().size(), 1U);
  EXPECT_EQ(unsure.sorted().front().severity, Severity::warning);
}

TEST(AllReduce, RingsAreSearchedOnceForAPlaceAndAgainForAnother)
{
  Bed bed;
  bed.transports["nccl"].gpu_direct = true;
  const TrainingContext context = bed.context();
  const auto found = library_rings(context, bed.transports.at("nccl"), {});
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(library_rings(context, bed.transports.at("nccl"), {}), found);
  EXPECT_EQ(found->orders.begin()->size(), 4U);
  bed.placement.workers.pop_back();
  EXPECT_EQ(library_rings(context, bed.transports.at("nccl"), {})->orders.begin()->size(), 3U);
}

TEST(AllReduce, AProgramThatBeginsAtALaterStepIsTheOneBuiltThereUnlessStepsDiffer)
{
  Bed bed;
  const auto mode = Registry<TrainingMode>::instance().create("all_reduce", {});
  StepProgram program = mode->program(bed.context(), 0, 3);
  EXPECT_NE(program, mode->program(bed.context(), 5, 3)); // the numbers of the steps
  EXPECT_TRUE(mode->begin_elsewhere(bed.context(), 5, program));
  EXPECT_EQ(program, mode->program(bed.context(), 5, 3));
  EXPECT_TRUE(mode->begin_elsewhere(bed.context(), 2, program));
  EXPECT_EQ(program, mode->program(bed.context(), 2, 3));
  bed.job.jitter = {.distribution = "normal", .coefficient_of_variation = 0.1};
  EXPECT_FALSE(mode->begin_elsewhere(bed.context(), 5, program));
}

} // namespace
} // namespace trainyard
