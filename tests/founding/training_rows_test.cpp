// SPDX-License-Identifier: Apache-2.0
/// Rows of the founding documents about training itself: parameter servers, rings, towers, in-graph replication, CPUs
/// and GPUs. Each test is named after its row, runs a scenario of scenarios/ and compares with the number that the row
/// states. Example constants: S = 102.4 MB, t = 0.457 s, P = 4, B = 1.25 GB/s; closed forms hold within 2 % on an ideal
/// fabric.
#include "sim/report/advice.hpp"
#include "sim/step/collectives/collective.hpp"
#include "tests/support/scenario_run.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <memory>
#include <set>

namespace trainyard {
namespace {

using ::testing::HasSubstr;
using tests::run_scenario;
using tests::ScenarioRun;

constexpr double t = 0.457;
constexpr double S = 102.4e6;
const std::pair<std::string, std::string> exact_gradients{"jobs.0.model",
                                                          "{name: even_tensors, elements: 25600000}"}; // 102.4 MB

/// ps_sync_async on a fabric that never limits: what the update rules alone do.
tests::Settings_ without_network()
{
  return {{"transports", "{ideal: {like: gloo, latency: 0 s, efficiency: 1}}"},
          {"jobs.0.training.transport", "ideal"},
          {"cluster.network.latency", "0 s"},
          {"cluster.network.bandwidth", "1000 GB/s"}};
}

TEST(FoundingRows, D1_CpuAndGpuTimesAreInTheRatioOfTheirRates)
{
  const ScenarioRun run = run_scenario("cpu_vs_gpu");
  ASSERT_FALSE(run.refused()) << run.messages();
  const JobRow& cpu = run.row("CPU");
  const JobRow& gpu = run.row("one GPU");
  const double cpu_rate = 1.165e12 * 0.5, gpu_rate = 9.3e12 * 0.92; // catalogue: peak x reachable share
  const double ratio = (cpu.finish - cpu.start) / (gpu.finish - gpu.start);
  EXPECT_NEAR(ratio, gpu_rate / cpu_rate, 0.01 * ratio);
  EXPECT_EQ(cpu.gpu, "CPU");

  // A measured rate takes the place of the catalogue's.
  const ScenarioRun measured = run_scenario("cpu_vs_gpu", {{"cluster.node_types.cpu.cpu_rate", "60 GFLOP/s"}});
  const double slower = (measured.row("CPU").finish - measured.row("CPU").start) / (gpu.finish - gpu.start);
  EXPECT_NEAR(slower, gpu_rate / 60e9, 0.01 * slower);
}

TEST(FoundingRows, D1_AGpuJobNeverRunsOnANodeWithoutGpu)
{
  // 16 GPUs of the boxes are all there are: 17 workers do not overflow onto the CPU node, and a worker cannot be put
  // there by name.
  EXPECT_THAT(run_scenario("cpu_vs_gpu", {{"sweep", "{}"}, {"jobs.0.workers", "17"}}).messages(),
              HasSubstr("the cluster has 16"));
  EXPECT_THAT(run_scenario("cpu_vs_gpu", {{"sweep", "{}"}, {"jobs.0.nodes", "[cpu-0]"}}).messages(),
              HasSubstr("finds no free GPU on node 'cpu-0'"));
}

TEST(FoundingRows, T1_CpuGpuGpusAndClusterAreFourBarsFromTheirRates)
{
  const ScenarioRun run = run_scenario("cpu_vs_gpu");
  double before = INFINITY;
  for (const char* variant : {"CPU", "one GPU", "four GPUs of a node", "cluster of 16 GPUs"}) {
    const JobRow& row = run.row(variant);
    EXPECT_LT(row.finish.value(), before) << variant; // the same global batch of 4,096 rows, 1,000 steps each time
    EXPECT_EQ(static_cast<int>(row.samples_per_second.mean * row.step_s.mean + 0.5), 4096) << variant;
    EXPECT_THAT(row.provenance_note.text, HasSubstr("catalogue")) << "source of its rate";
    before = row.finish.value();
  }
}

TEST(FoundingRows, D21_TowersStayOnTheirNodeAndEqualWorkersOnAnIdealFabric)
{
  const ScenarioRun run = run_scenario("tf_multi_tower");
  ASSERT_FALSE(run.refused()) << run.messages();
  ASSERT_EQ(run.results.jobs.size(), 4U);
  for (const JobRow& row : run.results.jobs)
    EXPECT_EQ(row.bytes_per_step.value(), 0) << row.variant; // on the NIC
  EXPECT_EQ(run.over_network(), 0);
  const double towers = run.row("towers").step_s.mean;
  EXPECT_NEAR(run.row("processes over an ideal fabric").step_s.mean, towers, 0.01 * towers);
  EXPECT_GT(run.row("processes over gRPC").step_s.mean,
            1.05 * towers); // towers are faster once local gRPC costs something
}

TEST(FoundingRows, A5_TheSpeedUpOfMoreWorkersHasAKnee)
{
  // One server: T = t + 2 W S / B, knee W = t B / (2 S) = 2.8 workers, where half of the GPUs' time is lost.
  const ScenarioRun run =
      run_scenario("ps_sync_async",
                   {{"sweep", "{grid: {jobs.0.workers: [1, 2, 4, 8, 16]}}"},
                    {"cluster.nodes.0.count", "16"},
                    {"cluster.network", "{topology: star, link: 10GbE, latency: 0 s}"},
                    {"transports", "{ideal: {like: gloo, latency: 0 s, efficiency: 1}}"},
                    {"jobs.0.stragglers", "[]"},
                    exact_gradients,
                    {"jobs.0.training", "{mode: parameter_server, servers: 1, transport: ideal, push: after_backward, "
                                        "pull: after_update, messages_in_flight: 0}"}});
  ASSERT_FALSE(run.refused()) << run.messages();
  std::map<int, double> speed_up;
  for (const JobRow& row : run.results.jobs) {
    speed_up[row.workers] = row.scaling_efficiency * row.workers;
    EXPECT_NEAR(row.step_s.mean, t + 2 * row.workers * S / 1.25e9, 0.02 * row.step_s.mean) << row.workers;
  }
  EXPECT_GT(speed_up[2], 1.4 * speed_up[1]);
  EXPECT_LT(speed_up[16], 1.2 * speed_up[8]);
  const std::vector<Knee> found = knees(run.results);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_NEAR(found.front().workers, t * 1.25e9 / (2 * S), 0.06); // marked in table, summary and plot
}

TEST(FoundingRows, A6_EachWorkerSendsAndReceivesTheParametersOncePerStep)
{
  const ScenarioRun run = run_scenario("ps_sync_async", {exact_gradients, {"jobs.0.stragglers", "[]"}});
  ASSERT_FALSE(run.refused()) << run.messages();
  for (int worker = 0; worker < 8; ++worker) {
    const std::string name = "worker-" + std::to_string(worker);
    EXPECT_NEAR(run.traffic(name, "ps-", "variant=sync"), 2 * S, 100)
        << name; // two variants are synchronous: sync and with a backup worker
    EXPECT_NEAR(run.traffic("ps-", name, "variant=async"), S, 100) << name;
  }
  EXPECT_NEAR(run.traffic("worker-", "ps-", "variant=async"), 8 * S, 1000); // servers receive W S
  EXPECT_NEAR(run.traffic("ps-", "worker-", "variant=async"), 8 * S, 1000); // and send W S

  // Order of one variable's operations in the drawn step: pull, compute, push, (aggregate,) update.
  std::map<std::pair<int, std::string>, double> begin;
  for (const TraceSpan& span : run.results.spans)
    if (span.worker == 0 && span.step == 1) {
      if (span.name == "pull layer0.weight")
        begin.try_emplace({0, "pull"}, span.begin.value());
      if (span.name == "forward layer0")
        begin.try_emplace({1, "forward"}, span.begin.value());
      if (span.name == "backward layer0")
        begin.try_emplace({2, "backward"}, span.begin.value());
      if (span.name == "push layer0.weight")
        begin.try_emplace({3, "push"}, span.begin.value());
      if (span.name == "update layer0.weight")
        begin.try_emplace({4, "update"}, span.begin.value());
    }
  ASSERT_EQ(begin.size(), 5U);
  double before = -1;
  for (const auto& [what, time] : begin) {
    EXPECT_GE(time, before) << what.second;
    before = time;
  }
}

TEST(FoundingRows, A7_ASynchronousStepIsTheSlowestWorkers)
{
  const ScenarioRun run = run_scenario("ps_sync_async", without_network());
  ASSERT_FALSE(run.refused()) << run.messages();
  const JobRow& sync = run.row("sync");
  EXPECT_NEAR(sync.step_s.mean, 3 * t, 0.02 * 3 * t);
  EXPECT_NEAR(sync.scaling_efficiency, 1.0 / 3, 0.007); // 33.3 % of ideal
  EXPECT_EQ(sync.staleness_max, 0);                     // all read one version
}

TEST(FoundingRows, A8_AsynchronousWorkersGoAtTheSumOfTheirRates)
{
  const ScenarioRun run = run_scenario("ps_sync_async", without_network());
  const JobRow& async = run.row("async");
  EXPECT_NEAR(async.scaling_efficiency, (7 + 1.0 / 3) / 8, 0.02); // 91.7 %
  // 21 updates by the fast seven miss 19 of the others' each third of a slow step, the slow one misses 21: 7 on
  // average.
  EXPECT_NEAR(async.staleness_mean, 7, 0.5);
  EXPECT_NEAR(async.staleness_max, 21, 2);
}

TEST(FoundingRows, N7_LocalStepsToGlobalStepsAreTheWorkersSpeeds)
{
  for (const double slow_down : {1.0, 1 / 0.949}) {
    tests::Settings_ settings = without_network();
    settings.insert(settings.end(),
                    {{"jobs.0.workers", "2"},
                     {"jobs.0.stragglers", "[{worker: 1, slow_down: " + std::to_string(slow_down) + "}]"},
                     {"sweep", "{}"},
                     {"jobs.0.training.spread", "none"},
                     {"jobs.0.training.update_rule", "async"}});
    const ScenarioRun run = run_scenario("ps_sync_async", settings);
    ASSERT_FALSE(run.refused()) << run.messages();
    std::map<int, std::pair<double, int>> steps; // seconds, count by worker
    for (const StepRow& step : run.results.steps)
      if (step.worker >= 0 && step.step > 0) {
        steps[step.worker].first += (step.end - step.begin).value();
        ++steps[step.worker].second;
      }
    ASSERT_EQ(steps.size(), 2U);
    const double first = steps[0].second / steps[0].first, second = steps[1].second / steps[1].first;
    EXPECT_NEAR((first + second) / first, 1 + 1 / slow_down,
                0.015); // counted over whole steps; the log: global step 7,399 at local step 3,797 = 1.949
  }
}

TEST(FoundingRows, A9_OneClientFeedsFifteenWorkersAtTenGigabit)
{
  // W_max = t B / bytes of a batch: 0.457 s x 1.25 GB/s / 38.5 MB = 14.8; on 1 Gbit/s 1.5. Beyond that the curve is
  // flat.
  const double most = t * 1.25e9 / (64 * 3 * 224 * 224 * 4.0);
  EXPECT_NEAR(most, 14.8, 0.05);
  const ScenarioRun run = run_scenario("tf_in_graph");
  ASSERT_FALSE(run.refused()) << run.messages();
  const double one = 64 / t;
  EXPECT_NEAR(run.row("in-graph", 8).samples_per_second.mean, 8 * one, 0.02 * 8 * one);
  for (const int workers : {16, 24, 32, 64})
    EXPECT_NEAR(run.row("in-graph", workers).samples_per_second.mean, most * one, 0.02 * most * one) << workers;
  const ScenarioRun slow = run_scenario("tf_in_graph", {{"cluster.network.link", "1GbE"}});
  for (const int workers : {2, 8, 64})
    EXPECT_NEAR(slow.row("in-graph", workers).samples_per_second.mean, most / 10 * one, 0.02 * most / 10 * one)
        << workers;
  EXPECT_THAT(run.row("in-graph", 64).bottleneck.text, HasSubstr("client")); // and it is named
}

TEST(FoundingRows, A10_BetweenGraphReplicationKnowsNoSuchLimit)
{
  const ScenarioRun run = run_scenario("tf_in_graph");
  const double one = 64 / t;
  for (const int workers : {16, 32, 64})
    EXPECT_NEAR(run.row("between-graph", workers).samples_per_second.mean, workers * one, 0.02 * workers * one)
        << workers;
  // …until the parameter servers' own limit: with 102.4 MB of gradients it comes back down.
  const ScenarioRun heavy = run_scenario("tf_in_graph", {{"jobs.0.model", "{name: tiny_images, elements: 25600000}"}});
  EXPECT_LT(heavy.row("between-graph", 64).scaling_efficiency, 0.1);
}

TEST(FoundingRows, C11_LayersGoForwardInOrderBackwardInReverseAndTheLastLayersGradientsLeaveFirst)
{
  const ScenarioRun run = run_scenario("mpi_job");
  ASSERT_FALSE(run.refused()) << run.messages();
  std::vector<std::string> forward, backward, buckets;
  double last_backward = 0, first_bucket = INFINITY;
  for (const TraceSpan& span : run.results.spans) {
    if (span.step != 1)
      continue;
    if (span.role == Role::backward) {
      EXPECT_GE(span.begin.value(), last_backward - 1e-9); // 0 before the first
      backward.push_back(span.name);
      last_backward = std::max(last_backward, span.end.value());
    }
    if (span.kind == LaneKind::communication) {
      buckets.push_back(span.name);
      first_bucket = std::min(first_bucket, span.begin.value());
    }
  }
  ASSERT_GE(backward.size(), 3U);
  ASSERT_GE(buckets.size(), 3U);
  EXPECT_LT(first_bucket, last_backward); // overlapped
  // VGG-16: the backward pass begins at fc8 and ends at conv1_1.
  EXPECT_THAT(backward.front(), HasSubstr("fc"));
  EXPECT_THAT(backward.back(), HasSubstr("conv1_1"));

  // Every layer on its own, as parameter servers need it: forward k+1 never before k, backward the other way round.
  const ScenarioRun layers = run_scenario(
      "mpi_job", {{"jobs.0.training", "{mode: parameter_server, servers: 1, transport: mpi}"}, {"sweep", "{}"}});
  ASSERT_FALSE(layers.refused()) << layers.messages();
  std::map<std::string, double> forward_end, backward_end;
  std::vector<std::pair<double, std::string>> order;
  for (const TraceSpan& span : layers.results.spans)
    if (span.worker == 0 && span.step == 1 && span.role == Role::forward)
      order.emplace_back(span.begin.value(), span.name.substr(8));
    else if (span.worker == 0 && span.step == 1 && span.role == Role::backward)
      backward_end[span.name.substr(9)] = span.begin.value();
  std::ranges::stable_sort(order, {}, [](const auto& entry) { return entry.first; });
  ASSERT_GE(order.size(), 16U);
  EXPECT_THAT(order.front().second, HasSubstr("conv1_1"));
  ASSERT_EQ(backward_end.size(), order.size());
  for (std::size_t i = 1; i < order.size(); ++i)
    EXPECT_LE(backward_end[order[i].second], backward_end[order[i - 1].second]) << order[i].second;
}

TEST(FoundingRows, T15_TheStepIsTheSlowestShareAndBytesAndLatencyEachCost)
{
  const ScenarioRun run = run_scenario("comm_compute");
  ASSERT_FALSE(run.refused()) << run.messages();
  const auto efficiency = [&](const char* variant) { return run.row(variant).scaling_efficiency; };
  // Ring over 8: 2 * 7/8 S/B, and 14 latencies.
  EXPECT_NEAR(run.row("4 MB").step_s.mean, 0.1 + 1.75 * 4e6 / 1.25e9, 0.002);
  EXPECT_NEAR(run.row("400 MB").step_s.mean, 0.1 + 1.75 * 400e6 / 1.25e9, 0.02 * 0.66);
  EXPECT_GT(efficiency("4 MB"), efficiency("40 MB"));
  EXPECT_GT(efficiency("40 MB"), efficiency("400 MB"));
  EXPECT_NEAR(run.row("10 ms latency").step_s.mean - run.row("4 MB").step_s.mean, 14 * 10e-3, 0.02 * 0.14);
  EXPECT_GT(efficiency("4 MB"), efficiency("1 ms latency"));
  EXPECT_GT(efficiency("1 ms latency"), efficiency("10 ms latency"));
  // The slowest share decides; another large one beside it costs nothing more.
  const double slowest = run.row("one share is 1.5 times the others").step_s.mean;
  EXPECT_NEAR(slowest - run.row("4 MB").step_s.mean, 0.05, 0.001);
  EXPECT_NEAR(run.row("two shares are larger").step_s.mean, slowest, 1e-6);
}

TEST(FoundingRows, N2_ARingHas2NMinus1RoundsAndAfterNMinus1EveryRankOwnsOneReducedPart)
{
  for (const int n : {2, 3, 8}) {
    const auto plan = Registry<Collective>::instance().create("ring")->plan({"all_reduce", n, Bytes{S}, {}});
    int rounds = 0;
    for (const Round& round : plan)
      rounds += round.repeat;
    EXPECT_EQ(rounds, 2 * (n - 1));
    // In round k rank r passes on what it got in round k - 1, beginning with part r: follow who has contributed to each
    // part.
    std::vector<std::vector<std::set<int>>> has(n, std::vector<std::set<int>>(n)); // rank, part -> contributors
    for (int rank = 0; rank < n; ++rank)
      for (int part = 0; part < n; ++part)
        has[rank][part] = {rank};
    for (int k = 0; k < n - 1; ++k) {
      auto next = has;
      for (const RoundMessage& message : plan.front().messages) {
        EXPECT_EQ(message.to, (message.from + 1) % n); // left and right neighbour
        EXPECT_NEAR(message.bytes.value(), S / n, 1);  // parts of the gradient
        const int part = ((message.from - k) % n + n) % n;
        next[message.to][part].insert(has[message.from][part].begin(), has[message.from][part].end());
      }
      has = next;
    }
    for (int rank = 0; rank < n; ++rank)
      EXPECT_EQ(std::ranges::count_if(has[rank],
                                      [&](const std::set<int>& from) { return static_cast<int>(from.size()) == n; }),
                1)
          << n;
  }
}

TEST(FoundingRows, N3_TrafficPerGpuOfARingStaysBelowTwiceTheGradients)
{
  const ScenarioRun run = run_scenario("ring_vs_ps", {exact_gradients});
  ASSERT_FALSE(run.refused()) << run.messages();
  for (const auto& [workers, megabytes] :
       {std::pair{2, 102.4}, {4, 153.6}, {8, 179.2}, {16, 192.0}, {32, 198.4}, {64, 201.6}}) {
    const std::string point = "workers=" + std::to_string(workers) + " variant=ring";
    for (const char* worker : {"worker-0", "worker-1"})
      EXPECT_NEAR(run.traffic(worker, "", point) / 1e6, megabytes, 1e-3) << worker << " " << point;
    EXPECT_LT(run.traffic("worker-0", "", point), 2 * S);
    const double efficiency = t / (t + 2.0 * (workers - 1) / workers * S / 1.25e9);
    EXPECT_NEAR(run.row("ring 10GbE", workers).scaling_efficiency, efficiency, 0.02 * efficiency) << workers;
  }
  EXPECT_NEAR(run.row("ring 10GbE", 8).scaling_efficiency, 0.76, 0.005);
  EXPECT_NEAR(run.row("ring 10GbE", 64).scaling_efficiency, 0.74, 0.005);
}

TEST(FoundingRows, N4_ParameterServersCollapseAfterAboutElevenWorkers)
{
  const ScenarioRun run = run_scenario("ring_vs_ps", {exact_gradients});
  for (const auto& [workers, efficiency] : {std::pair{8, 0.58}, {11, 0.50}, {16, 0.41}, {64, 0.15}}) {
    EXPECT_NEAR(run.row("ps 10GbE", workers).scaling_efficiency, efficiency, 0.012) << workers;
    EXPECT_NEAR(run.row("ps 10GbE", workers).step_s.mean, t + 2 * workers * S / (4 * 1.25e9),
                0.02 * run.row("ps 10GbE", workers).step_s.mean);
  }
  int found = 0;
  for (const Knee& knee : knees(run.results))
    if (knee.variant == "ps 10GbE") {
      ++found;
      EXPECT_NEAR(knee.workers, 11.2, 0.25); // t P B / (2 S)
    }
  EXPECT_EQ(found, 1);
  // Published shape for VGG-16 (Horovod 2017): servers are slower on 16 GPUs than one GPU alone, the ring 13.7 times as
  // fast. One GPU did 130.9 images/s there.
  const ScenarioRun vgg =
      run_scenario("vgg16_ps_vs_ring", {{"sweep.grid", "{jobs.0.model: [vgg16], jobs.0.workers: [1, 16]}"},
                                        {"jobs.0.single_gpu_step", "244.5 ms"}});
  const double alone = vgg.row("ring", 1).samples_per_second.mean;
  EXPECT_LT(vgg.row("ps:1 sync", 16).samples_per_second.mean, alone);
  EXPECT_GT(vgg.row("ring", 16).samples_per_second.mean, 8 * alone);
}

TEST(FoundingRows, N5_GrpcHoldsAServerAtItsOwnRateAndRdmaMovesTheKnee)
{
  const ScenarioRun run = run_scenario("ring_vs_ps", {exact_gradients});
  for (const int workers : {4, 8, 64}) {
    const double slow = run.row("ps 10GbE gRPC", workers).step_s.mean,
                 fast = run.row("ps 100GbE gRPC", workers).step_s.mean;
    EXPECT_NEAR(slow, fast, 0.001 * slow) << workers; // 10 and 100 GbE equal
  }
  std::map<std::string, double> knee;
  for (const Knee& found : knees(run.results))
    knee[found.variant] = found.workers;
  EXPECT_NEAR(knee["ps 10GbE gRPC"], t * 4 * 0.5e9 / (2 * S), 0.1);  // 4.5
  EXPECT_NEAR(knee["ps 100GbE gRPC"], t * 4 * 0.5e9 / (2 * S), 0.1); // 4.5
  EXPECT_FALSE(knee.contains("ps 100GbE RDMA"));                     // beyond 64
  // T = t + W c: the knee t / c from the largest point. At the whole line rate 112; our RDMA reaches 95 % of it.
  const double exchange = run.row("ps 100GbE RDMA", 64).step_s.mean - t;
  EXPECT_NEAR(t / (exchange / 64), 0.95 * t * 4 * 12.5e9 / (2 * S), 3);
  EXPECT_NEAR(t * 4 * 12.5e9 / (2 * S), 112, 0.5);
}

} // namespace
} // namespace trainyard
