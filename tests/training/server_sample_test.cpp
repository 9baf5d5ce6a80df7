// SPDX-License-Identifier: Apache-2.0
// A sample of very many equal asynchronous workers against all of them, and against rates by hand: W workers take at
// most W / Z steps a second, where Z is a step without others, and no more than the busiest server serves.
#include "sim/results/traffic.hpp"
#include "sim/step/steady_state.hpp"
#include "sim/step/training/server_program.hpp"
#include "sim/step/training/worker_groups.hpp"
#include "tests/training/server_fixture.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <set>

namespace trainyard {
namespace {

using namespace test;

constexpr std::size_t fewest = 48; // of a sample, however many messages they exchange

/// Parameter servers that simulate a sample of the workers already where they are not so many.
class Sampling final : public TrainingMode
{
public:
  void check(const TrainingContext&, Diagnostics&) const override {}
  StepProgram program(const TrainingContext& context, int first_step, int steps) const override
  {
    return server_program(context, exchange(context), first_step, steps);
  }
  bool begin_elsewhere(const TrainingContext& context, int first_step, StepProgram& program) const override
  {
    return begin_elsewhere_with_servers(context, exchange(context), first_step, program);
  }
  std::optional<EndlessSteps> endless(const TrainingContext& context) const override
  {
    return endless_with_servers(context, exchange(context));
  }

private:
  static ServerExchange exchange(const TrainingContext& context)
  {
    ServerExchange exchange = server_exchange(context);
    exchange.sampled_pairs = 1;
    return exchange;
  }
};

Fixture asynchronous(int workers, int servers, double t)
{
  Fixture f{workers + servers};
  for (int w = 0; w < workers; ++w)
    f.add_worker(f.node(w).gpus[0], t);
  for (int s = 0; s < servers; ++s)
    f.placement.servers.push_back(f.node(workers + s).host);
  f.job.training.settings.set("update_rule", "async");
  f.job.training.settings.set("one_represents_all", "auto");
  f.job.training.settings.set("spread", "gpus"); // exactly equal workers bunch up
  return f;
}

StepEstimate estimate(const Fixture& f, bool sample)
{
  const std::unique_ptr<TrainingMode> mode =
      sample ? std::make_unique<Sampling>() : Registry<TrainingMode>::instance().create("parameter_server");
  const TrainingContext context = f.context();
  const SteppedJob job = stepped_job(*mode, context);
  const auto executor = Registry<Executor>::instance().create("fluid");
  return steady_state(f.cluster, {&job, 1}, *executor, options_of_a_run({&job, 1}, 1)).front();
}

std::size_t workers_in(const StepProgram& program)
{
  std::set<int> workers;
  for (const Operation& operation : program.operations)
    if (operation.role == Role::forward)
      workers.insert(operation.worker);
  return workers.size();
}

TEST(ServerSample, TakesWholeNodesEvenlyOverAll)
{
  // 10 nodes of 3 groups; 10 of 30 groups are wanted: a third of the nodes, 3.3, rounded up.
  std::vector<WorkerGroup> groups;
  for (int group = 0; group < 30; ++group)
    groups.push_back({{group}, NodeId{group / 3}, 3});
  const std::vector<int> expected{0, 1, 2, 6, 7, 8, 15, 16, 17, 21, 22, 23}; // nodes 0, 2, 5, 7
  EXPECT_EQ(even_sample(groups, 10), expected);
}

TEST(ServerSample, IsTakenOfVeryManyOnly)
{
  EXPECT_EQ(sampled_groups(10'000, 160, 8192), 51); // 8,192 / 160
  EXPECT_EQ(sampled_groups(10'000, 1'000, 8192), 48);
  EXPECT_EQ(sampled_groups(101, 160, 8192), 101); // would save less than half
  EXPECT_EQ(sampled_groups(8, 1'000'000, 8192), 8);
}

TEST(ServerSample, GoesAtTheRateOfTheServerThatIsTheBottleneck)
{
  // 200 workers, one server of 1.25 GB/s each way, S = 102.4 MB: 12.2 steps/s, where the workers alone could do 400.
  // One draw of places varies by 1 %, so the mean of four counts.
  Fixture f = asynchronous(200, 1, 0.457);
  double rate = 0;
  StepEstimate sample;
  for (std::uint64_t seed = 4; seed >= 1; --seed) {
    f.random = Random{seed};
    sample = estimate(f, true);
    rate += sample.samples_per_second / 4;
  }
  EXPECT_EQ(workers_in(sample.program), fewest);
  EXPECT_NEAR(rate, 64 * 1.25e9 / S, 0.03 * 64 * 1.25e9 / S);
  // Of 199 others nearly all update between a worker's pull and its update, for it takes as many turns as they do.
  EXPECT_NEAR(sample.mean_staleness, estimate(f, false).mean_staleness, 0.1 * 199);
}

TEST(ServerSample, GoesAtTheRateOfItsWorkersWhereNothingHoldsThemUp)
{
  // 100 workers, 4 servers of 1.25 GB/s, 60 s to compute: S / P = 25.6 MB take 20 ms each way, and all workers fill
  // 2 s of 60 s of a server. A sample of 48 waits for it at most 2 x 100 / 48 times as long.
  Fixture f = asynchronous(100, 4, 60);
  f.job.training.settings.set("spread", "none");
  const double alone = 64.0 * 100 / 60;
  EXPECT_LE(estimate(f, true).samples_per_second, alone);
  EXPECT_GE(estimate(f, true).samples_per_second, alone / (1 + 2 * 100.0 / 48 * 0.0205 / 60) * 0.998);
}

TEST(ServerSample, AgreesWithAllWorkersInRandomCases)
{
  Random random{11};
  for (int number = 0; number < 12; ++number) {
    RandomStream draw = random.stream("case/" + std::to_string(number));
    const int servers = 1 + static_cast<int>(draw.below(3));
    const int workers = 96 + static_cast<int>(draw.below(40));
    // From a fifth of what one server can do to five times of it.
    const double served = workers * S / (servers * 1.25e9);
    const double t = served * std::pow(5, 2 * draw.uniform() - 1);
    Fixture f = asynchronous(workers, servers, t);
    if (draw.below(2) == 0)
      f.transports["grpc"].endpoint_limit = BytesPerSecond{0.7e9};
    if (draw.below(2) == 0)
      f.job.training.settings.set("aggregate_bandwidth", 3e9);
    if (draw.below(2) == 0)
      f.job.training.settings.set("update_bandwidth", 4e9);
    if (draw.below(3) == 0)
      f.job.training.settings.set("pull", "after_update");
    if (draw.below(3) == 0)
      f.job.training.settings.set("directions", "shared");
    const StepEstimate all = estimate(f, false), sample = estimate(f, true);
    ASSERT_LT(workers_in(sample.program), workers_in(all.program));
    const double known = sample.half_width / sample.step_time + all.half_width / all.step_time;
    EXPECT_NEAR(sample.samples_per_second, all.samples_per_second, (0.04 + known) * all.samples_per_second)
        << "case " << number << ": " << workers << " workers, " << servers << " servers, " << t << " s";
  }
}

TEST(ServerSample, IsNotTakenWhereWorkersDifferOrShareMachinesWithServers)
{
  const auto simulated = [](const Fixture& f) { return workers_in(Sampling{}.program(f.context(), 0, 1)); };
  Fixture f = asynchronous(100, 2, 1);
  EXPECT_EQ(simulated(f), fewest);
  f.workers[7].backward[0] *= 2;
  EXPECT_EQ(simulated(f), 100U);
  f = asynchronous(100, 2, 1);
  f.placement.servers[1] = f.node(3).host;
  EXPECT_EQ(simulated(f), 100U);
  f = asynchronous(100, 2, 1);
  f.job.training.settings.set("one_represents_all", "no");
  EXPECT_EQ(simulated(f), 100U);
  f = asynchronous(100, 2, 1);
  f.job.training.settings.set("update_rule", "bounded");
  EXPECT_EQ(simulated(f), 100U);
  f = asynchronous(100, 2, 1);
  f.job.stragglers.push_back({0, 1.5});
  EXPECT_EQ(simulated(f), 100U);
}

TEST(ServerSample, OfNodesWithSeveralWorkersSharesTheServersAmongAll)
{
  // 32 nodes of 4 workers: 128 x S through one server's card of 1.25 GB/s, 64 samples each.
  Fixture f{33, 4};
  for (int w = 0; w < 128; ++w)
    f.add_worker(f.node(w / 4).gpus[static_cast<std::size_t>(w % 4)]);
  f.placement.servers.push_back(f.node(32).host);
  f.job.training.settings.set("update_rule", "async");
  f.job.training.settings.set("one_represents_all", "auto");
  const StepEstimate sample = estimate(f, true);
  EXPECT_EQ(workers_in(sample.program), 48U); // 12 nodes
  EXPECT_LE(sample.samples_per_second, 64 * 1.25e9 / S * 1.001);
  EXPECT_GE(sample.samples_per_second, 64 * 1.25e9 / S * 0.95);
  const double all = estimate(f, false).samples_per_second;
  EXPECT_NEAR(sample.samples_per_second, all, 0.04 * all);
}

TEST(ServerSample, LeavesTheTrafficOfTheOthersOut)
{
  const Fixture f = asynchronous(100, 2, 1);
  const TrafficTable traffic = traffic_rows(f.cluster, f.placement, Sampling{}.program(f.context(), 0, 1));
  EXPECT_EQ(traffic.listed, 48);
  EXPECT_EQ(traffic.left_out, 52);
  EXPECT_EQ(traffic.rows.size(), 48U * 2 * 2);
}

} // namespace
} // namespace trainyard
